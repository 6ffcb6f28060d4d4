/* split.c: splits a function into parts for the device and for the host.
 *
 * Operations of a block that can run on the device are grouped as far as their operands
 * allow, then those of the host, and so on; operations have no effects here, so their order
 * follows from operands alone. Values made only from constants are cheap: each part
 * rebuilds them, so that conversions see the constants they match. */
#include "runtime/split.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A call of the device costs as much as computing this many elements on the host. */
enum { WORTH_A_CALL = 4096 };

typedef enum part { ON_HOST, ON_DEVICE, ANYWHERE } part;

typedef struct splitter {
    ir_context *ctx;
    ir_op *func;
    rt_refusal_fn *refusal;
    void *user;
    ir_mapping *parts;  /* ir_op -> part + 1 */
    ir_mapping *placed; /* ir_op -> the operation itself, once placed */
    rt_split *out;
} splitter;

static part part_of(const splitter *s, const ir_op *op)
{
    uintptr_t p = (uintptr_t)ir_mapping_get(s->parts, op);
    return p ? (part)(p - 1) : ON_HOST;
}

static bool is_control(const ir_op *op)
{
    return op->def == STABLEHLO_OP(while) || op->def == STABLEHLO_OP(if) ||
           op->def == STABLEHLO_OP(case);
}

/* ---- values that an operation uses -------------------------------------------------- */

typedef bool value_fn(void *user, ir_value *v);

typedef struct using
{
    value_fn *fn;
    void *user;
}
using;

static ir_walk use_operands(ir_op *op, void *user)
{
    const using *u = user;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!u->fn(u->user, op->operands[i].value))
            return IR_WALK_STOP;
    return IR_WALK_ON;
}

/* Calls `fn` on each value used by the operation or its regions, until it returns false. */
static bool each_used(ir_op *op, value_fn *fn, void *user)
{
    return ir_walk_pre(op, use_operands, &(using){fn, user}) != IR_WALK_STOP;
}

/* Returns the operation of `block` that contains another one, or NULL. */
static ir_op *ancestor_in(const ir_block *block, ir_op *op)
{
    while (op && op->block != block)
        op = ir_op_parent(op);
    return op;
}

/* ---- assignment to parts ------------------------------------------------------------- */

static bool made_of_constants(const splitter *s, const ir_op *op)
{
    static const uint16_t rows[] = {STABLEHLO_broadcast_in_dim, STABLEHLO_convert,
                                    STABLEHLO_reshape, STABLEHLO_transpose};
    if (op->def == STABLEHLO_OP(constant) || op->def == STABLEHLO_OP(iota))
        return true;
    bool moves = false;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        moves |= op->def == &stablehlo_ops[rows[i]];
    if (!moves)
        return false;
    ir_op *from = ir_value_def(op->operands[0].value);
    return from && part_of(s, from) == ANYWHERE;
}

static void split_block(splitter *s, ir_block *block);

static void note(splitter *s, ir_op *op, const char *why)
{
    rt_split *o = s->out;
    TW_PUSH(o->host, o->n_host, o->host_capacity, ((rt_host_part){op, why}));
}

static void finalize_parts(splitter *s, ir_block *block)
{
    for (ir_op *op = block->first; op != block->last; op = op->next) {
        part p = ANYWHERE;
        if (!made_of_constants(s, op)) {
            const char *why = s->refusal(s->user, op);
            p = why ? ON_HOST : ON_DEVICE;
            if (why)
                note(s, op, why);
        }
        ir_mapping_set(s->parts, op, (void *)((uintptr_t)p + 1));
    }
    for (ir_op *op = block->first; op != block->last; op = op->next)
        for (uint16_t r = 0; r < op->n_regions && is_control(op); r++)
            if (op->regions[r].first)
                split_block(s, op->regions[r].first);
}

/* ---- order --------------------------------------------------------------------------- */

typedef struct readiness {
    const splitter *s;
    const ir_block *block;
} readiness;

static bool is_there(void *user, ir_value *v)
{
    const readiness *r = user;
    ir_op *def = v->is_argument ? NULL : ir_value_def(v);
    return !def || def->block != r->block || ir_mapping_get(r->s->placed, def);
}

/* Moves the operations of a part whose operands are available to the end; returns their
 * number. */
static size_t place_ready(splitter *s, ir_block *block, part p, ir_op **list, size_t n,
                          ir_op **taken)
{
    size_t count = 0;
    readiness r = {s, block};
    for (size_t i = 0; i < n; i++) {
        ir_op *op = list[i];
        if (ir_mapping_get(s->placed, op) || part_of(s, op) != p ||
            !each_used(op, is_there, &r))
            continue;
        ir_mapping_set(s->placed, op, op);
        ir_op_remove(op);
        ir_op_insert_before(op, block->last);
        taken[count++] = op;
    }
    return count;
}

/* ---- segments ----------------------------------------------------------------------- */

/* Estimates the number of elements an operation processes. */
static int64_t work_of(const ir_op *op)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        ir_type t = i < op->n_operands ? op->operands[i].value->type
                                       : op->results[i - op->n_operands].type;
        int64_t n = ir_type_is_tensor(t) ? ir_type_num_elements(t) : 0;
        most = TW_MAX(most, n);
    }
    bool sums =
        op->def == STABLEHLO_OP(dot_general) || op->def == STABLEHLO_OP(convolution);
    return TW_MIN(most, INT32_MAX) * (sums ? 64 : 1);
}

typedef struct segment {
    splitter *s;
    ir_block *body;      /* of the new function */
    ir_mapping *copies;  /* value -> value in the function */
    ir_mapping *members; /* ir_op -> itself */
    ir_value **inputs, **results;
    size_t n_inputs, n_results, inputs_capacity, results_capacity;
} segment;

static bool materialise(void *user, ir_value *v);

/* Rebuilds a cheap operation in the segment. */
static void rebuild_cheap(segment *g, ir_op *op)
{
    each_used(op, materialise, g);
    ir_block_append(g->body, ir_op_clone(op, g->copies));
}

static bool is_inside(const segment *g, const ir_value *v)
{
    const ir_op *at = v->is_argument ? ir_value_block(v)->region->owner : ir_value_def(v);
    for (; at; at = ir_op_parent(at))
        if (ir_mapping_get(g->members, at))
            return true;
    return false;
}

/* Materialises a used value: existing, rebuilt, or passed as argument. */
static bool materialise(void *user, ir_value *v)
{
    segment *g = user;
    if (ir_mapping_get(g->copies, v) || is_inside(g, v))
        return true;
    ir_op *def = v->is_argument ? NULL : ir_value_def(v);
    if (def && part_of(g->s, def) == ANYWHERE) {
        rebuild_cheap(g, def);
        return true;
    }
    TW_PUSH(g->inputs, g->n_inputs, g->inputs_capacity, v);
    ir_mapping_set(g->copies, v,
                   ir_block_add_arg(g->s->ctx, g->body, v->type, g->s->func->loc));
    return true;
}

static bool is_used_outside(const segment *g, const ir_block *block, const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!ir_mapping_get(g->members, ancestor_in(block, use->owner)))
            return true;
    return false;
}

static ir_op *make_function(segment *g, size_t number)
{
    splitter *s = g->s;
    char name[32];
    snprintf(name, sizeof name, "device_%zu", number);
    ir_type *types = tw_xmalloc((g->n_inputs + g->n_results + 1) * sizeof *types);
    ir_value **out = tw_xmalloc((g->n_results + 1) * sizeof *out);
    for (size_t i = 0; i < g->n_inputs; i++)
        types[i] = g->inputs[i]->type;
    for (size_t i = 0; i < g->n_results; i++) {
        types[g->n_inputs + i] = g->results[i]->type;
        out[i] = ir_mapping_get(g->copies, g->results[i]);
    }
    ir_builder b = ir_builder_at_end(s->ctx, g->body, s->func->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, out, g->n_results, NULL, 0, 0);
    b = ir_builder_after(s->func);
    ir_type type =
        ir_function_type(s->ctx, types, g->n_inputs, types + g->n_inputs, g->n_results);
    ir_op *f = func_create(&b, ir_string_attr(s->ctx, tw_str_from(name)), type, true);
    ir_region_append(&f->regions[0], g->body);
    free(types);
    free(out);
    return f;
}

static void call_instead(segment *g, ir_op *f, size_t number, ir_op **ops, size_t n)
{
    splitter *s = g->s;
    ir_type *types = tw_xmalloc((g->n_results + 1) * sizeof *types);
    for (size_t i = 0; i < g->n_results; i++)
        types[i] = g->results[i]->type;
    ir_builder b = ir_builder_before(ops[0]);
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), types, g->n_results, g->inputs, g->n_inputs,
                    IR_ATTRS({"callee", ir_symbol_ref(s->ctx, ir_symbol_name(f))},
                             {"tilewright.segment", ir_i64_attr(s->ctx, (int64_t)number)}),
                    0);
    ir_mapping_set(s->placed, call, call);
    ir_mapping_set(s->parts, call, (void *)((uintptr_t)ON_HOST + 1));
    for (size_t i = 0; i < g->n_results; i++)
        ir_value_replace_uses(g->results[i], &call->results[i]);
    for (size_t i = n; i-- > 0;)
        ir_op_erase(ops[i]);
    free(types);
}

static void outline(splitter *s, ir_block *block, ir_op **ops, size_t n)
{
    int64_t work = 0;
    for (size_t i = 0; i < n; i++)
        work += work_of(ops[i]);
    if (work < WORTH_A_CALL)
        return;
    segment g = {.s = s,
                 .body = ir_block_create(s->ctx),
                 .copies = ir_mapping_create(),
                 .members = ir_mapping_create()};
    for (size_t i = 0; i < n; i++)
        ir_mapping_set(g.members, ops[i], ops[i]);
    for (size_t i = 0; i < n; i++) {
        each_used(ops[i], materialise, &g);
        ir_block_append(g.body, ir_op_clone(ops[i], g.copies));
        for (uint32_t r = 0; r < ops[i]->n_results; r++)
            if (is_used_outside(&g, block, &ops[i]->results[r]))
                TW_PUSH(g.results, g.n_results, g.results_capacity, &ops[i]->results[r]);
    }
    size_t number = s->out->n_segments;
    ir_op *f = make_function(&g, number);
    TW_PUSH(s->out->segments, s->out->n_segments, s->out->segments_capacity, f);
    call_instead(&g, f, number, ops, n);
    ir_mapping_free(g.copies);
    ir_mapping_free(g.members);
    free(g.inputs);
    free(g.results);
}

/* ---- blocks ------------------------------------------------------------------------- */

static void drop_unused(ir_block *block)
{
    for (ir_op *op = block->last, *prev; op; op = prev) {
        prev = op->prev;
        if (op != block->last && op->n_results && op->def != STABLEHLO_OP(custom_call) &&
            op->def != FUNC_OP(call) && !is_control(op) && ir_op_is_unused(op))
            ir_op_erase(op);
    }
}

static void split_block(splitter *s, ir_block *block)
{
    size_t n = 0, done = 0;
    drop_unused(block); /* first, as parts of the host are noted by their operations */
    for (ir_op *op = block->first; op; op = op->next)
        n++;
    if (n < 2)
        return;
    finalize_parts(s, block);
    ir_op **list = tw_xmalloc(2 * n * sizeof *list), **taken = list + n;
    n = 0;
    for (ir_op *op = block->first; op != block->last; op = op->next)
        list[n++] = op;
    done += place_ready(s, block, ANYWHERE, list, n, taken);
    for (bool idle = false; done < n && !idle;) {
        size_t device = place_ready(s, block, ON_DEVICE, list, n, taken);
        if (device) /* removed operations: the list must not visit them again */
            outline(s, block, taken, device);
        size_t host = place_ready(s, block, ON_HOST, list, n, taken);
        done += device + host;
        idle = device + host == 0;
    }
    free(list);
    drop_unused(block);
}

void rt_split_function(ir_op *func, rt_refusal_fn *refusal, void *user, rt_split *out)
{
    splitter s = {.ctx = func->ctx,
                  .func = func,
                  .refusal = refusal,
                  .user = user,
                  .parts = ir_mapping_create(),
                  .placed = ir_mapping_create(),
                  .out = out};
    ir_block *body = ir_op_body(func, 0);
    if (body && !body->next && body->first)
        split_block(&s, body);
    ir_mapping_free(s.parts);
    ir_mapping_free(s.placed);
}

void rt_split_free(rt_split *s)
{
    free(s->segments);
    free(s->host);
    *s = (rt_split){0};
}

int64_t rt_segment_of(const ir_op *call)
{
    return ir_op_int(call, "tilewright.segment", -1);
}
