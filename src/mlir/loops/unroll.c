/* unroll.c: unrolls loops. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* ---- copies of the body ------------------------------------------------------------- */

/* The value of the induction variable in copy `i`. */
typedef ir_value *counter_fn(ir_builder *b, ir_op *loop, int64_t i, const void *step);

/* Appends factor - 1 copies of the body's operations; each takes the yielded values of the
 * previous one. */
static void copy_body(ir_op *loop, uint64_t factor, counter_fn *counter, const void *step)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_op *yield = body->last, *last = yield->prev;
    uint32_t n = yield->n_operands;
    ir_value **passed = tw_xmalloc((n + 1) * sizeof *passed);
    for (uint32_t i = 0; i < n; i++)
        passed[i] = ir_op_operand(yield, i);
    for (uint64_t copy = 1; copy < factor; copy++) {
        ir_mapping *map = ir_mapping_create();
        ir_builder b = ir_builder_before(yield);
        b.loc = loop->loc;
        for (uint32_t i = 0; i < n; i++)
            ir_mapping_set(map, body->args[1 + i], passed[i]);
        if (body->args[0]->uses)
            ir_mapping_set(map, body->args[0], counter(&b, loop, (int64_t)copy, step));
        for (ir_op *op = body->first;; op = op->next) {
            ir_op_insert_before(ir_op_clone(op, map), yield);
            if (op == last)
                break;
        }
        for (uint32_t i = 0; i < n; i++) {
            ir_value *next = ir_mapping_get(map, ir_op_operand(yield, i));
            passed[i] = next ? next : ir_op_operand(yield, i);
        }
        ir_mapping_free(map);
    }
    for (uint32_t i = 0; i < n; i++)
        ir_op_set_operand(yield, i, passed[i]);
    free(passed);
}

static ir_op *copy_after(ir_op *loop)
{
    size_t first, n = loop_inits(loop, &first);
    ir_op *rest = ir_op_clone(loop, NULL);
    ir_op_insert_after(rest, loop);
    for (size_t i = 0; i < n; i++) {
        ir_value_replace_uses(&loop->results[i], &rest->results[i]);
        ir_op_set_operand(rest, first + i, &loop->results[i]);
    }
    return rest;
}

/* ---- scf.for ------------------------------------------------------------------------ */

static ir_value *scf_counter(ir_builder *b, ir_op *loop, int64_t i, const void *step)
{
    ir_value *counter = ir_op_body(loop, 0)->args[0];
    ir_value *number = loop_build_constant(b, counter->type, i);
    ir_value *by = loop_arith(b, ARITH_OP(muli), (ir_value *)step, number);
    return loop_arith(b, ARITH_OP(addi), counter, by);
}

typedef struct bounds {
    ir_value *to, *step; /* of the unrolled loop */
    bool rest;           /* whether iterations may remain */
} bounds;

/* Constant bounds; false if they do not fit the induction variable's type. */
static bool known_bounds(ir_op *loop, uint64_t factor, bounds *out)
{
    int64_t from, to, step, trips = scf_for_trips(loop);
    ir_type type = ir_op_operand(loop, 0)->type;
    ir_builder b = ir_builder_before(loop);
    if (trips < 0 || !loop_constant(ir_op_operand(loop, 0), &from) ||
        !loop_constant(ir_op_operand(loop, 1), &to) ||
        !loop_constant(ir_op_operand(loop, 2), &step))
        return false;
    int64_t full = trips - (int64_t)((uint64_t)trips % factor);
    int64_t end = from + full * step;
    out->rest = end < to;
    out->to = out->rest ? loop_build_constant(&b, type, end) : ir_op_operand(loop, 1);
    out->step = factor == 1 ? ir_op_operand(loop, 2)
                            : loop_build_constant(&b, type, step * (int64_t)factor);
    return true;
}

static void computed_bounds(ir_op *loop, uint64_t factor, bounds *out)
{
    ir_value *from = ir_op_operand(loop, 0), *to = ir_op_operand(loop, 1),
             *step = ir_op_operand(loop, 2);
    ir_builder b = ir_builder_before(loop);
    ir_value *span = loop_arith(&b, ARITH_OP(subi), to, from);
    ir_value *one = loop_build_constant(&b, from->type, 1);
    ir_value *less = loop_arith(&b, ARITH_OP(subi), step, one);
    ir_value *sum = loop_arith(&b, ARITH_OP(addi), span, less);
    ir_value *trips = loop_arith(&b, ARITH_OP(divui), sum, step);
    ir_value *by = loop_build_constant(&b, from->type, (int64_t)factor);
    ir_value *left = loop_arith(&b, ARITH_OP(remsi), trips, by);
    ir_value *full = loop_arith(&b, ARITH_OP(subi), trips, left);
    ir_value *length = loop_arith(&b, ARITH_OP(muli), full, step);
    out->to = loop_arith(&b, ARITH_OP(addi), from, length);
    out->step = loop_arith(&b, ARITH_OP(muli), step, by);
    out->rest = true;
}

static bool unroll_scf(ir_op *loop, uint64_t factor)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_value *step = ir_op_operand(loop, 2);
    bounds to;
    if (body->first == body->last)
        return true;
    if (factor == 1 && scf_for_trips(loop) >= 0) {
        if (scf_for_trips(loop) == 1)
            loop_promote(loop);
        return true;
    }
    if (factor > LOOP_MAX_COPIES)
        return false;
    if (!known_bounds(loop, factor, &to))
        computed_bounds(loop, factor, &to);
    if (to.rest) {
        ir_op *rest = copy_after(loop);
        ir_op_set_operand(rest, 0, to.to);
        loop_promote(rest);
    }
    ir_op_set_operand(loop, 1, to.to);
    ir_op_set_operand(loop, 2, to.step);
    copy_body(loop, factor, scf_counter, step);
    loop_promote(loop);
    return true;
}

/* ---- affine.for --------------------------------------------------------------------- */

static ir_value *affine_counter(ir_builder *b, ir_op *loop, int64_t i, const void *step)
{
    ir_affine by = ir_affine_constant(b->ctx, i * *(const int64_t *)step);
    affine_mapping m = {.ctx = b->ctx, .n_dims = 1, .n_results = 1};
    m.results[0] = ir_affine_binary(b->ctx, IR_AFFINE_ADD, ir_affine_dim(b->ctx, 0), by);
    m.dims[0] = ir_op_body(loop, 0)->args[0];
    return loop_affine_value(b, &m);
}

/* The upper bound of the unrolled iterations: from + (count - count mod factor) * step. */
static bool end_of_groups(const ir_op *loop, uint64_t factor, affine_mapping *out)
{
    affine_mapping count;
    ir_context *ctx = loop->ctx;
    ir_affine dims[AFFINE_MAPPING_CAPACITY], symbols[AFFINE_MAPPING_CAPACITY];
    if (!affine_for_count(loop, &count) || !affine_for_bound(loop, true, out) ||
        count.n_results != 1 || out->n_dims + count.n_dims > AFFINE_MAPPING_CAPACITY ||
        out->n_symbols + count.n_symbols > AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t i = 0; i < count.n_dims; i++) {
        dims[i] = ir_affine_dim(ctx, out->n_dims + i);
        out->dims[out->n_dims + i] = count.dims[i];
    }
    for (uint32_t i = 0; i < count.n_symbols; i++) {
        symbols[i] = ir_affine_symbol(ctx, out->n_symbols + i);
        out->symbols[out->n_symbols + i] = count.symbols[i];
    }
    out->n_dims += count.n_dims;
    out->n_symbols += count.n_symbols;
    ir_affine trips = ir_affine_replace(ctx, count.results[0], dims, symbols);
    ir_affine left = ir_affine_binary(ctx, IR_AFFINE_MOD, trips,
                                      ir_affine_constant(ctx, (int64_t)factor));
    ir_affine less =
        ir_affine_binary(ctx, IR_AFFINE_MUL, left, ir_affine_constant(ctx, -1));
    ir_affine full = ir_affine_binary(ctx, IR_AFFINE_ADD, trips, less);
    ir_affine length = ir_affine_binary(ctx, IR_AFFINE_MUL, full,
                                        ir_affine_constant(ctx, affine_for_step(loop)));
    out->results[0] = ir_affine_binary(ctx, IR_AFFINE_ADD, out->results[0], length);
    affine_mapping_compose(out);
    return true;
}

bool affine_for_cleanup(ir_op *loop, uint64_t factor)
{
    affine_mapping end;
    ir_affine_map from = ir_op_attr(loop, "lowerBoundMap")->map;
    ir_affine_map to = ir_op_attr(loop, "upperBoundMap")->map;
    if (affine_for_divisor(loop) % factor == 0)
        return true;
    if (from->n_results != 1 || to->n_results != 1 || !end_of_groups(loop, factor, &end))
        return false;
    ir_op *rest = copy_after(loop);
    affine_for_set_bound(rest, true, &end);
    affine_for_promote(rest);
    affine_for_set_bound(loop, false, &end);
    return true;
}

static bool unroll_affine(ir_op *loop, uint64_t factor)
{
    ir_block *body = ir_op_body(loop, 0);
    int64_t step = affine_for_step(loop), trips = affine_for_trips(loop), wide;
    if (factor == 1)
        return trips != 1 || affine_for_promote(loop);
    if (body->first == body->last)
        return true;
    if ((trips >= 0 && (uint64_t)trips < factor) || factor > LOOP_MAX_COPIES ||
        __builtin_mul_overflow(step, (int64_t)factor, &wide) ||
        !affine_for_cleanup(loop, factor))
        return false;
    ir_op_set_attr(loop, "step", ir_index_attr(loop->ctx, wide));
    copy_body(loop, factor, affine_counter, &step);
    affine_for_promote(loop);
    return true;
}

bool loop_unroll(ir_op *loop, uint64_t factor)
{
    if (loop->def == SCF_OP(for))
        return unroll_scf(loop, factor);
    return loop->def == AFFINE_OP(for) && unroll_affine(loop, factor);
}
