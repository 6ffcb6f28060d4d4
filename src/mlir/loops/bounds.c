/* bounds.c: see loops.h. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"
#include "support/number.h"

/* The difference of two values: of constants, or of a value and its sum with a constant. */
static bool difference(const ir_value *from, const ir_value *to, int64_t *out)
{
    int64_t a, b;
    const ir_op *sum = ir_value_def(to);
    if (loop_constant(from, &a) && loop_constant(to, &b))
        return !__builtin_sub_overflow(b, a, out);
    for (uint32_t side = 0; ir_op_is(sum, ARITH_OP(addi)) && side < 2; side++)
        if (ir_op_operand(sum, side) == from)
            return loop_constant(ir_op_operand(sum, 1 - side), out);
    return false;
}

int64_t scf_for_trips(const ir_op *loop)
{
    int64_t span, step;
    const ir_value *from = ir_op_operand(loop, 0), *to = ir_op_operand(loop, 1);
    if (ir_op_attr(loop, "unsignedCmp"))
        return -1;
    if (from == to)
        return 0;
    if (!difference(from, to, &span))
        return -1;
    if (span <= 0)
        return 0;
    if (!loop_constant(ir_op_operand(loop, 2), &step) || step <= 0)
        return -1;
    return span / step + (span % step != 0);
}

bool affine_for_bound(const ir_op *loop, bool lower, affine_mapping *out)
{
    size_t first, count;
    ir_affine_map map = ir_op_attr(loop, lower ? "lowerBoundMap" : "upperBoundMap")->map;
    return ir_op_operand_group(loop, lower ? 0 : 1, &first, &count) &&
           affine_mapping_begin(loop, map, first, out);
}

void affine_for_set_bound(ir_op *loop, bool lower, const affine_mapping *m)
{
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    ir_op_set_attr(loop, lower ? "lowerBoundMap" : "upperBoundMap",
                   ir_affine_map_attr(loop->ctx, affine_mapping_map(m)));
    ir_op_set_operand_group(loop, lower ? 0 : 1, values, affine_mapping_values(m, values));
}

int64_t affine_for_step(const ir_op *loop)
{
    return ir_attr_int(ir_op_attr(loop, "step"), 1);
}

static ir_affine minus(ir_context *ctx, ir_affine x, ir_affine y)
{
    ir_affine less = ir_affine_binary(ctx, IR_AFFINE_MUL, y, ir_affine_constant(ctx, -1));
    return ir_affine_binary(ctx, IR_AFFINE_ADD, x, less);
}

/* Appends the values of another mapping to those of `m`, and renumbers its expression. */
static bool append(affine_mapping *m, const affine_mapping *from, ir_affine *e)
{
    ir_affine dims[AFFINE_MAPPING_CAPACITY], symbols[AFFINE_MAPPING_CAPACITY];
    if (m->n_dims + from->n_dims > AFFINE_MAPPING_CAPACITY ||
        m->n_symbols + from->n_symbols > AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t i = 0; i < from->n_dims; i++) {
        dims[i] = ir_affine_dim(m->ctx, m->n_dims + i);
        m->dims[m->n_dims + i] = from->dims[i];
    }
    for (uint32_t i = 0; i < from->n_symbols; i++) {
        symbols[i] = ir_affine_symbol(m->ctx, m->n_symbols + i);
        m->symbols[m->n_symbols + i] = from->symbols[i];
    }
    m->n_dims += from->n_dims;
    m->n_symbols += from->n_symbols;
    *e = ir_affine_replace(m->ctx, *e, dims, symbols);
    return true;
}

bool affine_for_count(const ir_op *loop, affine_mapping *out)
{
    affine_mapping lower;
    ir_context *ctx = loop->ctx;
    if (!affine_for_bound(loop, true, &lower) || !affine_for_bound(loop, false, out) ||
        lower.n_results != 1)
        return false;
    ir_affine from = lower.results[0];
    ir_affine step = ir_affine_constant(ctx, affine_for_step(loop));
    if (!append(out, &lower, &from))
        return false;
    for (uint32_t i = 0; i < out->n_results; i++)
        out->results[i] = minus(ctx, out->results[i], from);
    affine_mapping_compose(out);
    for (uint32_t i = 0; i < out->n_results; i++)
        out->results[i] = ir_affine_binary(ctx, IR_AFFINE_CEILDIV, out->results[i], step);
    return true;
}

int64_t affine_for_trips(const ir_op *loop)
{
    affine_mapping count;
    int64_t min = -1;
    if (!affine_for_count(loop, &count))
        return -1;
    for (uint32_t i = 0; i < count.n_results; i++) {
        if (count.results[i]->kind != IR_AFFINE_CONSTANT)
            return -1;
        int64_t n = TW_MAX(count.results[i]->value, 0);
        min = i == 0 ? n : TW_MIN(min, n);
    }
    return min;
}

uint64_t affine_for_divisor(const ir_op *loop)
{
    affine_mapping count;
    uint64_t divisor = 0;
    if (!affine_for_count(loop, &count))
        return 1;
    for (uint32_t i = 0; i < count.n_results; i++) {
        ir_affine e = count.results[i];
        uint64_t own = e->kind == IR_AFFINE_CONSTANT ? (uint64_t)TW_MAX(e->value, 0)
                                                     : (uint64_t)e->divisor;
        divisor = tw_gcd_u64(own, divisor);
    }
    return divisor;
}

size_t loop_nest(ir_op *root, ir_op **out, size_t max)
{
    size_t n = 0;
    for (ir_op *loop = root; n < max && ir_op_is(loop, root->def);) {
        ir_block *body = ir_op_body(loop, 0);
        out[n++] = loop;
        if (!body || !body->first || body->first->next != body->last)
            break;
        loop = body->first;
    }
    return n;
}
