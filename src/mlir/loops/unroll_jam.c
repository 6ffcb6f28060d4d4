/* unroll_jam.c: unroll and jam: unrolls a loop and merges the copies inside the loops of
 * its body. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* Operations between loops: they are copied, the loops around them are not. */
typedef struct run {
    ir_op *first, *last;
} run;

typedef struct jam {
    ir_op *loop;
    uint64_t factor;
    run *runs;
    size_t n_runs, runs_capacity;
    ir_op **loops; /* all loops of its kind in it, inner ones first, itself last */
    size_t n_loops, loops_capacity;
    ir_mapping **maps; /* for each copy but the first: its values */
    ir_value *step;    /* of scf.for */
} jam;

static void gather(jam *j, ir_op *loop)
{
    ir_block *body = ir_op_body(loop, 0);
    for (ir_op *op = body->first; op != body->last;) {
        run found = {op, NULL};
        for (; op != body->last && op->def != loop->def; op = op->next)
            found.last = op;
        if (found.last)
            TW_PUSH(j->runs, j->n_runs, j->runs_capacity, found);
        for (; op != body->last && op->def == loop->def; op = op->next)
            gather(j, op);
    }
}

/* True if the bounds of all inner loops are defined outside. */
static bool bounds_are_outside(const jam *j)
{
    for (size_t i = 0; i + 1 < j->n_loops; i++) {
        size_t first;
        const ir_op *inner = j->loops[i];
        loop_inits(inner, &first);
        for (size_t k = 0; k < first; k++) {
            ir_op *around = ir_value_block(ir_op_operand(inner, k))->region->owner;
            if (ir_op_is_ancestor(j->loop, around))
                return false;
        }
    }
    return true;
}

/* Recreates the loop with its carried values `factor` times; initial and yielded values are
 * set once there are copies. */
static ir_op *widen(jam *j, ir_op *loop)
{
    size_t first, n = loop_inits(loop, &first);
    if (!n)
        return loop;
    ir_block *body = ir_op_body(loop, 0);
    ir_op *yield = body->last;
    size_t wide = n * j->factor;
    ir_value **operands = tw_xmalloc((first + wide) * sizeof *operands);
    ir_value **yielded = tw_xmalloc(wide * sizeof *yielded);
    ir_type *types = tw_xmalloc(wide * sizeof *types);
    for (size_t i = 0; i < first; i++)
        operands[i] = ir_op_operand(loop, i);
    for (size_t i = 0; i < wide; i++) {
        operands[first + i] = ir_op_operand(loop, first + i % n);
        yielded[i] = ir_op_operand(yield, i % n);
        types[i] = loop->results[i % n].type;
    }
    ir_op *made = ir_op_create(loop->ctx, &(ir_op_state){.def = loop->def,
                                                         .loc = loop->loc,
                                                         .operands = operands,
                                                         .n_operands = first + n,
                                                         .results = types,
                                                         .n_results = wide,
                                                         .n_regions = 1,
                                                         .no_defaults = true});
    ir_op_insert_before(made, loop);
    made->attrs = loop->attrs;
    memcpy(made->props, loop->props, ir_def_n_props(loop->def) * sizeof *loop->props);
    ir_op_set_operand_group(made, loop->def->operands.count - 1, operands + first, wide);
    for (size_t i = n; i < wide; i++)
        ir_block_add_arg(loop->ctx, body, types[i], body->args[1 + i % n]->loc);
    ir_op_splice_operands(yield, 0, yield->n_operands, yielded, wide);
    ir_region_take(&made->regions[0], &loop->regions[0]);
    for (size_t i = 0; i < n; i++)
        ir_value_replace_uses(&loop->results[i], &made->results[i]);
    for (size_t i = n; i < wide; i++) {
        ir_mapping *map = j->maps[i / n - 1];
        ir_mapping_set(map, body->args[1 + i % n], body->args[1 + i]);
        ir_mapping_set(map, &made->results[i % n], &made->results[i]);
    }
    if (loop == j->loop)
        j->loop = made;
    ir_op_erase(loop);
    free(operands);
    free(yielded);
    free(types);
    return made;
}

/* The induction variable of copy `copy`. */
static ir_value *counter(jam *j, ir_builder *b, int64_t copy, int64_t step)
{
    ir_value *own = ir_op_body(j->loop, 0)->args[0];
    if (j->loop->def == SCF_OP(for)) {
        ir_value *by = loop_build_constant(b, own->type, copy * step);
        return loop_arith_folded(b, ARITH_OP(addi), own, by);
    }
    affine_mapping m = {.ctx = b->ctx, .n_dims = 1, .n_results = 1, .dims = {own}};
    m.results[0] = ir_affine_binary(b->ctx, IR_AFFINE_ADD, ir_affine_dim(b->ctx, 0),
                                    ir_affine_constant(b->ctx, copy * step));
    return loop_affine_value(b, &m);
}

static void copy_run(jam *j, const run *r, int64_t copy, int64_t step)
{
    ir_mapping *map = j->maps[copy - 1];
    ir_op *before = r->last->next;
    ir_builder b = ir_builder_before(before);
    b.loc = j->loop->loc;
    ir_value *own = ir_op_body(j->loop, 0)->args[0];
    if (own->uses)
        ir_mapping_set(map, own, counter(j, &b, copy, step));
    for (ir_op *op = r->first;; op = op->next) {
        ir_op_insert_before(ir_op_clone(op, map), before);
        if (op == r->last)
            break;
    }
}

static void map_operand(ir_mapping *map, ir_op *op, size_t to, size_t from)
{
    ir_value *v = ir_op_operand(op, from), *own = ir_mapping_get(map, v);
    ir_op_set_operand(op, to, own ? own : v);
}

/* Connects the carried values of a copy with that copy. */
static void connect(jam *j, int64_t copy)
{
    for (size_t i = 0; i < j->n_loops; i++) {
        ir_op *loop = j->loops[i], *yield = ir_op_body(loop, 0)->last;
        size_t first, n = loop_inits(loop, &first) / j->factor;
        for (size_t k = 0; k < n; k++) {
            map_operand(j->maps[copy - 1], loop, first + (size_t)copy * n + k, first + k);
            map_operand(j->maps[copy - 1], yield, (size_t)copy * n + k, k);
        }
    }
}

static void set_step(jam *j, int64_t step)
{
    if (j->loop->def == AFFINE_OP(for)) {
        ir_op_set_attr(j->loop, "step",
                       ir_index_attr(j->loop->ctx, step * (int64_t)j->factor));
        return;
    }
    ir_builder b = ir_builder_before(j->loop);
    ir_value *old = ir_op_operand(j->loop, 2);
    ir_value *factor = loop_build_constant(&b, old->type, (int64_t)j->factor);
    ir_op_set_operand(j->loop, 2, loop_arith_folded(&b, ARITH_OP(muli), old, factor));
}

static void apply(jam *j, int64_t step)
{
    j->maps = tw_xmalloc(j->factor * sizeof(ir_mapping *));
    for (uint64_t i = 0; i + 1 < j->factor; i++)
        j->maps[i] = ir_mapping_create();
    for (size_t i = 0; i < j->n_loops; i++)
        j->loops[i] = widen(j, j->loops[i]);
    set_step(j, step);
    for (int64_t copy = (int64_t)j->factor - 1; copy >= 1; copy--) {
        for (size_t i = 0; i < j->n_runs; i++)
            copy_run(j, &j->runs[i], copy, step);
        connect(j, copy);
    }
    for (uint64_t i = 0; i + 1 < j->factor; i++)
        ir_mapping_free(j->maps[i]);
    free(j->maps);
}

/* Checks whether the loop can be jammed; factor 0: there is nothing to do. */
static bool prepare(jam *j, int64_t trips, int64_t *step)
{
    bool scf = j->loop->def == SCF_OP(for);
    if (j->loop->n_results || j->factor > LOOP_MAX_COPIES || !bounds_are_outside(j))
        return false;
    if (scf && trips == 0)
        return true;
    if (scf && (trips < 0 || !loop_constant(ir_op_operand(j->loop, 2), step)))
        return false;
    if (scf && (uint64_t)trips < j->factor)
        j->factor = (uint64_t)trips;
    else if (trips >= 0 && (uint64_t)trips < j->factor)
        return false;
    if (scf)
        return (uint64_t)trips % j->factor == 0;
    *step = affine_for_step(j->loop);
    return affine_for_cleanup(j->loop, j->factor);
}

bool loop_unroll_jam(ir_op *loop, uint64_t factor)
{
    bool scf = loop->def == SCF_OP(for);
    int64_t step = 1;
    if (!scf && loop->def != AFFINE_OP(for))
        return false;
    int64_t trips = scf ? scf_for_trips(loop) : affine_for_trips(loop);
    if (factor == 1)
        return scf || trips != 1 || affine_for_promote(loop);
    ir_block *body = ir_op_body(loop, 0);
    if (body->first == body->last && !scf)
        return true;
    jam j = {.loop = loop, .factor = factor};
    ir_op_list all = ir_ops_in_post(loop, NULL);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i]->def == loop->def)
            TW_PUSH(j.loops, j.n_loops, j.loops_capacity, all.at[i]);
    ir_op_list_free(&all);
    bool ok = prepare(&j, trips, &step);
    if (ok && trips != 0 && body->first != body->last && j.factor > 1) {
        gather(&j, loop);
        apply(&j, step);
    }
    if (ok && trips != 0 && body->first != body->last)
        (void)(scf ? loop_promote(j.loop) : affine_for_promote(j.loop));
    free(j.runs);
    free(j.loops);
    return ok;
}
