/* fuse_norm.c: layer norm and rms norm as programs write them out.
 *
 *   (x - mean(x)) * rsqrt(mean((x - mean(x))^2) + epsilon), or / sqrt(...)
 *   x * rsqrt(mean(x^2) + epsilon)
 *
 * over the last dimension; then times a weight and plus a bias of that size.  Means are
 * sums over counts too.  Programs in narrow floats widen what they sum and narrow the means
 * again: casts between floats are seen through, and the norm is computed as the kernel
 * does, in f32 with one rounding at the end. */
#include "ttir/passes/fuse.h"

#include <math.h>

/* What a value repeats, in whichever float. */
static ir_value *behind(ir_value *v)
{
    for (;;) {
        ir_op *def = ttir_source(v);
        bool cast = ir_op_is(def, TTIR_OP(typecast)) &&
                    ir_type_element(def->operands[0].value->type)->kind == IR_TYPE_FLOAT &&
                    ir_type_element(v->type)->kind == IR_TYPE_FLOAT;
        if (!cast && !ir_op_is(def, TTIR_OP(broadcast)))
            return v;
        v = def->operands[0].value;
    }
}

/* The operand of a sum or mean over the last dimension, which is kept; NULL otherwise. */
static ir_value *reduced_last(ir_value *v, const ir_op_def *def)
{
    ir_op *op = ttir_producer(v, def);
    int64_t dims[TTIR_MAX_DIMS];
    if (!op || !ir_op_bool(op, "keep_dim") || !ir_op_attr(op, "dim_arg") ||
        op->operands[0].value->type->count > TTIR_MAX_DIMS ||
        ttir_reduced_dims(op, dims) != 1 ||
        dims[0] != (int64_t)op->operands[0].value->type->count - 1)
        return NULL;
    return op->operands[0].value;
}

/* What v is the mean of over its last dimension; NULL if it is none. */
static ir_value *mean_of(ir_value *v)
{
    v = behind(v);
    ir_value *x = reduced_last(v, TTIR_OP(mean));
    if (x)
        return x;
    ir_op *scaled = ttir_source(v);
    bool divides = ir_op_is(scaled, TTIR_OP(div));
    if (!divides && !ir_op_is(scaled, TTIR_OP(multiply)))
        return NULL;
    for (uint32_t i = 0; i < (divides ? 1 : 2); i++) {
        x = reduced_last(behind(scaled->operands[i].value), TTIR_OP(sum));
        double count = x ? (double)x->type->dims[x->type->count - 1] : 0, by;
        if (x && ttir_is_filled(ttir_behind_shapes(scaled->operands[1 - i].value), &by) &&
            fabs((divides ? by : 1 / by) - count) <= 1e-6 * count)
            return x;
    }
    return NULL;
}

/* x of x - mean(x); NULL if v is not that. */
static ir_value *centred(ir_value *v)
{
    ir_op *sub = ttir_producer(behind(v), TTIR_OP(subtract));
    ir_value *of = sub ? mean_of(sub->operands[1].value) : NULL;
    ir_value *x = sub ? behind(sub->operands[0].value) : NULL;
    return of && behind(of) == x ? x : NULL;
}

/* What mean(v^2) + epsilon is over: the value squared, and epsilon. */
static ir_value *squared_mean(ir_value *v, double *epsilon)
{
    ir_op *add = ttir_producer(behind(v), TTIR_OP(add));
    for (uint32_t i = 0; add && i < 2; i++) {
        ir_value *square = mean_of(add->operands[i].value);
        if (!square ||
            !ttir_is_filled(ttir_behind_shapes(add->operands[1 - i].value), epsilon))
            continue;
        ir_op *op = ttir_source(behind(square));
        if (ir_op_is(op, TTIR_OP(multiply)) &&
            op->operands[0].value == op->operands[1].value)
            return op->operands[0].value;
        if (ir_op_is(op, TTIR_OP(pow)) && ttir_is_all(op->operands[1].value, 2, 1e-6))
            return op->operands[0].value;
    }
    return NULL;
}

static ir_value *build_norm(rw_rewriter *rw, const ir_op_def *def, ir_value *x,
                            ir_value *weight, ir_value *bias, ir_attr shape,
                            ir_attr epsilon)
{
    ir_op *norm =
        ir_build_op(&rw->b, def, &x->type, 1, (ir_value *[]){x, weight, bias}, 3,
                    IR_ATTRS({"normalized_shape", shape}, {"epsilon", epsilon}), 0);
    return ir_op_result(norm, 0);
}

bool ttir_fuse_written_norm(ir_op *op, rw_rewriter *rw)
{
    bool divides = op->def == TTIR_OP(div);
    ir_type to = op->results[0].type;
    if (to->count == 0 || to->count > TTIR_MAX_DIMS ||
        ir_type_element(to)->kind != IR_TYPE_FLOAT)
        return false;
    for (uint32_t i = 0; i < (divides ? 1 : 2); i++) {
        double epsilon;
        ir_value *numerator = op->operands[i].value;
        ir_op *root = ttir_producer(behind(op->operands[1 - i].value),
                                    divides ? TTIR_OP(sqrt) : TTIR_OP(rsqrt));
        ir_value *square = root && ir_value_has_one_use(&root->results[0])
                               ? squared_mean(root->operands[0].value, &epsilon)
                               : NULL;
        if (!square || !(epsilon >= 0))
            continue;
        ir_value *x = centred(numerator), *y = behind(numerator);
        bool is_layer = x && centred(square) == x, is_rms = behind(square) == y;
        x = is_layer ? x : y;
        if ((!is_layer && !is_rms) || !ttir_same_shape(x->type, to))
            continue;
        int64_t size = to->dims[to->count - 1];
        x = ttir_build_typecast(&rw->b, x, ir_type_element(to));
        rw_replace1(rw, op,
                    build_norm(rw, is_layer ? TTIR_OP(layer_norm) : TTIR_OP(rms_norm), x,
                               NULL, NULL, ir_dense_i64_array(op->ctx, &size, 1),
                               ir_f32_attr(op->ctx, epsilon)));
        return true;
    }
    return false;
}

/* The other operand as a vector of the last dimension's size; NULL if it is more. */
static ir_value *vector(rw_rewriter *rw, ir_value *v, ir_type to)
{
    int64_t size = to->dims[to->count - 1];
    ir_value *base = ttir_row_vector(v, false);
    if (!base || ir_type_element(base->type) != ir_type_element(to) ||
        ir_type_num_elements(base->type) != size)
        return NULL;
    return ttir_build_reshape(&rw->b, base, &size, 1);
}

/* norm * weight, (norm * weight) + bias */
static bool absorb(ir_op *op, rw_rewriter *rw, const char *name, bool needs_weight)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *v = op->operands[i].value;
        ir_op *norm = ttir_source(v);
        bool is_norm =
            ir_op_is(norm, TTIR_OP(layer_norm)) || ir_op_is(norm, TTIR_OP(rms_norm));
        if (!is_norm || !ir_value_has_one_use(v) || v->type != op->results[0].type ||
            ir_op_operand_named(norm, name) || ir_op_operand_named(norm, "bias") ||
            (needs_weight && !ir_op_operand_named(norm, "weight")))
            continue;
        ir_value *more = vector(rw, op->operands[1 - i].value, v->type);
        if (!more)
            continue;
        ir_value *weight = needs_weight ? ir_op_operand_named(norm, "weight") : more;
        rw_replace1(rw, op,
                    build_norm(rw, norm->def, norm->operands[0].value, weight,
                               needs_weight ? more : NULL,
                               ir_op_attr(norm, "normalized_shape"),
                               ir_op_attr(norm, "epsilon")));
        return true;
    }
    return false;
}

bool ttir_fuse_norm_weight(ir_op *op, rw_rewriter *rw)
{
    return absorb(op, rw, "weight", false);
}

bool ttir_fuse_norm_bias(ir_op *op, rw_rewriter *rw)
{
    return absorb(op, rw, "bias", true);
}
