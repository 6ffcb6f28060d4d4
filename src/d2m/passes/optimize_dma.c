/* optimize_dma.c: d2m-optimize-dma: transfers overlap.  Waits for transfers sink, and the
 * wait at the end of a loop for what it writes goes into the next iteration. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* ---- circular buffers of operations -------------------------------------------------- */

static ir_value *cb_of_buffer(ir_value *buffer)
{
    ir_op *def = buffer ? ir_value_def(buffer) : NULL;
    return ir_op_is(def, D2M_OP(reserve)) || ir_op_is(def, D2M_OP(wait))
               ? ir_op_operand(def, 0)
               : NULL;
}

static ir_value *cb_of(const ir_op *op)
{
    if (!op)
        return NULL;
    if (op->def == D2M_OP(reserve) || op->def == D2M_OP(push) || op->def == D2M_OP(pop) ||
        op->def == D2M_OP(wait))
        return ir_op_operand(op, 0);
    if (op->def == D2M_OP(dma_read))
        return cb_of_buffer(ir_op_operand_named(op, "dst"));
    if (op->def == D2M_OP(dma_write))
        return cb_of_buffer(ir_op_operand_named(op, "src"));
    return op->def == D2M_OP(dma_wait) ? cb_of(ir_value_def(ir_op_operand(op, 0))) : NULL;
}

static bool differs(const ir_value *a, const ir_value *b)
{
    return a && b && a != b;
}

static int64_t kind_of(const ir_op *wait)
{
    ir_attr kind = ir_type_param(ir_op_operand(wait, 0)->type, "dmaType");
    return ir_attr_int(kind, -1);
}

static bool moves_data(const d2m_generic *g, const ir_op *op)
{
    const ir_region *region = op->block->region;
    while (region->owner != g->op)
        region = region->owner->block->region;
    return d2m_generic_thread(g, (size_t)(region - g->op->regions)) ==
           D2M_ThreadType_Datamovement;
}

/* ---- sinking ------------------------------------------------------------------------- */

static bool wait_sinks_past(const ir_op *wait, const ir_op *over, const ir_value *cb)
{
    const ir_op_def *def = over->def;
    if (def == D2M_OP(dma_wait))
        return false;
    if (kind_of(wait) == D2M_DMAType_Read) {
        if (def == D2M_OP(wait) || def == D2M_OP(dma_write) ||
            def == D2M_OP(semaphore_set) || def == D2M_OP(semaphore_wait) ||
            def == D2M_OP(semaphore_inc))
            return false;
        if (def == D2M_OP(dma_read) || def == D2M_OP(push))
            return differs(cb_of(over), cb);
    } else if (kind_of(wait) == D2M_DMAType_Write) {
        if (def == D2M_OP(dma_read) || def == D2M_OP(dma_write) || def == D2M_OP(pop))
            return differs(cb_of(over), cb);
        if (def == D2M_OP(semaphore_set))
            return false;
    }
    return true;
}

static bool push_sinks_past(const ir_op *over, const ir_value *cb)
{
    const ir_op_def *def = over->def;
    if (def == D2M_OP(wait))
        return false;
    if (def == D2M_OP(reserve) || def == D2M_OP(push) || def == D2M_OP(dma_wait))
        return differs(cb_of(over), cb);
    return true;
}

static bool pop_sinks_past(const ir_op *over, const ir_value *cb)
{
    const ir_op_def *def = over->def;
    if (def == D2M_OP(wait) || def == D2M_OP(pop) || def == D2M_OP(reserve) ||
        def == D2M_OP(dma_wait))
        return differs(cb_of(over), cb);
    return true;
}

static bool sinks_past(const ir_op *op, const ir_op *over)
{
    const ir_value *cb = cb_of(op);
    if (over->n_regions || !cb)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_value_def(ir_op_operand(op, i)) == over)
            return false;
    if (op->def == D2M_OP(dma_wait))
        return wait_sinks_past(op, over, cb);
    if (op->def == D2M_OP(push))
        return push_sinks_past(over, cb);
    return op->def == D2M_OP(pop) && pop_sinks_past(over, cb);
}

static bool is_wait(const ir_op *op)
{
    return op->def == D2M_OP(dma_wait);
}

/* The push or pop right behind a wait, of the same buffer, which moves along. */
static ir_op *companion_of(ir_op *wait)
{
    ir_op *next = wait->next;
    return next && (next->def == D2M_OP(push) || next->def == D2M_OP(pop)) && cb_of(wait) &&
                   cb_of(next) == cb_of(wait)
               ? next
               : NULL;
}

static void sink(ir_op *wait, ir_op *companion)
{
    ir_op *tail = companion ? companion : wait, *after = tail;
    for (ir_op *next = tail->next;
         next && !(next->def->traits & IR_TERMINATOR) && sinks_past(wait, next) &&
         (!companion || sinks_past(companion, next));
         next = next->next)
        after = next;
    if (after == tail)
        return;
    ir_op_insert_after(wait, after);
    if (companion)
        ir_op_insert_after(companion, wait);
}

/* The last waits first: each stops at those behind it. */
static void sink_waits(const d2m_generic *g)
{
    ir_op_list waits = ir_ops_in(g->op, is_wait);
    ir_op **companions = tw_xmalloc((waits.n + 1) * sizeof(ir_op *));
    for (size_t i = 0; i < waits.n; i++)
        companions[i] = companion_of(waits.at[i]);
    for (size_t i = waits.n; i-- > 0;)
        if (moves_data(g, waits.at[i]))
            sink(waits.at[i], companions[i]);
    free(companions);
    ir_op_list_free(&waits);
}

/* ---- waiting for writes an iteration later ------------------------------------------- */

typedef struct last_write {
    ir_op *wait, *pop;
    ir_value *cb, *memref;
} last_write;

/* The wait and the pop that end the body. */
static bool find_last_write(const ir_block *body, last_write *out)
{
    out->pop = body->last ? body->last->prev : NULL;
    out->wait = out->pop ? out->pop->prev : NULL;
    if (!ir_op_is(out->pop, D2M_OP(pop)) || !ir_op_is(out->wait, D2M_OP(dma_wait)) ||
        kind_of(out->wait) != D2M_DMAType_Write)
        return false;
    ir_op *write = ir_value_def(ir_op_operand(out->wait, 0));
    out->cb = cb_of(out->wait);
    if (!out->cb || ir_op_operand(out->pop, 0) != out->cb ||
        !ir_op_is(write, D2M_OP(dma_write)))
        return false;
    out->memref = ir_op_operand_named(write, "dst");
    return true;
}

static bool is_transfer(const ir_op *op)
{
    return op->def == D2M_OP(dma_read) || op->def == D2M_OP(dma_write);
}

/* Nothing reads what is being written, and nothing else writes from the buffer. */
static bool may_wait_later(ir_op *loop, const last_write *w)
{
    ir_op_list ops = ir_ops_in(loop, is_transfer);
    size_t writes = 0;
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++) {
        const ir_op *op = ops.at[i];
        if (op->def == D2M_OP(dma_read))
            ok = cb_of(op) != w->cb && ir_op_operand_named(op, "src") != w->memref;
        else if (cb_of(op) == w->cb)
            ok = ++writes == 1;
    }
    ir_op_list_free(&ops);
    return ok;
}

/* Before the body waits for the buffer again, or after its last read. */
static ir_op *where_to_wait(const ir_block *body, const ir_value *cb)
{
    ir_op *last = NULL;
    for (ir_op *op = body->first; op; op = op->next) {
        if (op->def == D2M_OP(wait) && ir_op_operand(op, 0) == cb)
            return op;
        if (op->def == D2M_OP(dma_read))
            last = op;
    }
    return last ? last->next : body->first;
}

/* The loop with one more value, which starts as `start` and goes on as `next`. */
static ir_op *add_carried(ir_op *loop, ir_value *start, ir_value *next)
{
    ir_builder b = ir_builder_before(loop);
    size_t n = loop->n_results;
    ir_value **operands = tw_xmalloc((loop->n_operands + 1u) * sizeof(ir_value *));
    ir_type *results = tw_xmalloc((n + 1) * sizeof(ir_type));
    for (uint32_t i = 0; i < loop->n_operands; i++)
        operands[i] = ir_op_operand(loop, i);
    operands[loop->n_operands] = start;
    for (size_t i = 0; i < n; i++)
        results[i] = loop->results[i].type;
    results[n] = start->type;
    ir_op *made = ir_build_op(&b, SCF_OP(for), results, n + 1, operands,
                              loop->n_operands + 1u, NULL, 0, 1);
    made->attrs = loop->attrs;
    ir_region_take(&made->regions[0], &loop->regions[0]);
    ir_block *body = ir_op_body(made, 0);
    ir_block_add_arg(loop->ctx, body, start->type, loop->loc);
    ir_op_splice_operands(body->last, body->last->n_operands, 0, &next, 1);
    for (size_t i = 0; i < n; i++)
        ir_value_replace_uses(&loop->results[i], &made->results[i]);
    ir_op_erase(loop);
    free(operands);
    free(results);
    return made;
}

static void wait_and_pop(ir_builder *b, ir_value *tx, ir_value *cb)
{
    ir_build_op(b, D2M_OP(dma_wait), NULL, 0, &tx, 1, NULL, 0, 0);
    ir_build_op(b, D2M_OP(pop), NULL, 0, &cb, 1, NULL, 0, 0);
}

static bool defer(ir_op **loop)
{
    last_write w;
    ir_block *body = ir_op_body(*loop, 0);
    if (scf_for_trips(*loop) <= 0 || !find_last_write(body, &w) ||
        !may_wait_later(*loop, &w))
        return false;
    ir_value *tx = ir_op_operand(w.wait, 0);
    ir_builder b = ir_builder_before(*loop);
    ir_value *none = ir_build1(&b, D2M_OP(null_tx), tx->type, NULL, 0, NULL, 0);
    ir_op_erase(w.pop);
    ir_op_erase(w.wait);
    ir_op *at = where_to_wait(body, w.cb), *made = add_carried(*loop, none, tx);
    body = ir_op_body(made, 0);
    b = ir_builder_before(at);
    b.loc = made->loc;
    ir_value *bounds[] = {body->args[0], ir_op_operand(made, 0)};
    ir_value *later =
        ir_build1(&b, ARITH_OP(cmpi), ir_integer_type(b.ctx, 1, IR_SIGNLESS), bounds, 2,
                  IR_ATTRS({"predicate", ir_i64_attr(b.ctx, ARITH_CmpIPredicate_ne)}));
    ir_op *branch = ir_build_op(&b, SCF_OP(if), NULL, 0, &later, 1, NULL, 0, 2);
    ir_block *then = ir_block_create(b.ctx);
    ir_region_append(&branch->regions[0], then);
    ir_builder in = ir_builder_at_end(b.ctx, then, made->loc);
    wait_and_pop(&in, body->args[body->n_args - 1], w.cb);
    ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    b = ir_builder_after(made);
    wait_and_pop(&b, &made->results[made->n_results - 1], w.cb);
    *loop = made;
    return true;
}

static bool is_for(const ir_op *op)
{
    return op->def == SCF_OP(for);
}

static void optimize(const d2m_generic *g)
{
    sink_waits(g);
    ir_op_list loops = ir_ops_in_post(g->op, is_for);
    for (size_t i = 0; i < loops.n; i++) {
        ir_op *loop = loops.at[i];
        if (moves_data(g, loop))
            while (defer(&loop))
                ;
    }
    ir_op_list_free(&loops);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    d2m_generic g;
    for (size_t i = 0; i < generics.n; i++)
        if (d2m_generic_of(generics.at[i], &g))
            optimize(&g);
    ir_op_list_free(&generics);
    return true;
}

const pass_def d2m_optimize_dma_pass = {
    .name = "d2m-optimize-dma",
    .summary = "Let transfers overlap",
    .anchor = "builtin.module",
    .run = run,
};
