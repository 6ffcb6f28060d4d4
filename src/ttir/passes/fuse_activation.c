/* fuse_activation.c: activation functions written out. */
#include "ttir/passes/fuse.h"

#include <math.h>

static ir_value *unary(rw_rewriter *rw, const ir_op_def *def, ir_value *x, ir_type result)
{
    return ir_build1(&rw->b, def, result, IR_VALUES(x), NULL, 0);
}

/* maximum(x, 0) */
bool ttir_fuse_relu(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *x = op->operands[i].value;
        if (!ttir_is_all(op->operands[1 - i].value, 0, 0) || x->type != op->results[0].type)
            continue;
        rw_replace1(rw, op, unary(rw, TTIR_OP(relu), x, x->type));
        return true;
    }
    return false;
}

/* minimum(relu(x), 6) */
bool ttir_fuse_relu6(ir_op *op, rw_rewriter *rw)
{
    ir_value *relu, *six;
    if (!ttir_either(op, TTIR_OP(relu), &relu, &six) || !ttir_is_all(six, 6, 1e-6))
        return false;
    ir_value *x = ir_value_def(relu)->operands[0].value;
    if (!ir_value_has_one_use(x) || x->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, unary(rw, TTIR_OP(relu6), x, x->type));
    return true;
}

/* relu6(x + 3) / 6 */
bool ttir_fuse_hardsigmoid(ir_op *op, rw_rewriter *rw)
{
    ir_op *relu6 = ttir_only_producer(op->operands[0].value, TTIR_OP(relu6));
    ir_op *add = relu6 ? ttir_only_producer(relu6->operands[0].value, TTIR_OP(add)) : NULL;
    if (!add || !ttir_is_all(op->operands[1].value, 6, 1e-6))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *x = add->operands[i].value;
        if (!ttir_is_all(add->operands[1 - i].value, 3, 1e-6) ||
            x->type != op->results[0].type)
            continue;
        rw_replace1(rw, op, unary(rw, TTIR_OP(hardsigmoid), x, x->type));
        return true;
    }
    return false;
}

/* The value before a cast that nothing else reads. */
static ir_value *before_cast(ir_value *v)
{
    ir_op *cast = ttir_producer(v, TTIR_OP(typecast));
    return cast ? cast->operands[0].value : v;
}

/* x * sigmoid(x); casts may come between, then it is computed in x's own type. */
bool ttir_fuse_silu(ir_op *op, rw_rewriter *rw)
{
    ir_type to = op->results[0].type;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *y = op->operands[i].value, *x = op->operands[1 - i].value;
        ir_op *sigmoid = ttir_only_producer(before_cast(y), TTIR_OP(sigmoid));
        if (!sigmoid)
            continue;
        ir_value *in = sigmoid->operands[0].value;
        bool direct = in == x && y == &sigmoid->results[0];
        if (!direct && (ttir_fuse_exact(rw) || before_cast(x) != before_cast(in)))
            continue;
        if (!ttir_same_shape(in->type, to))
            continue;
        rw_replace1(rw, op,
                    ttir_build_typecast(&rw->b, unary(rw, TTIR_OP(silu), in, in->type),
                                        ir_type_element(to)));
        return true;
    }
    return false;
}

/* A threshold behind which softplus(x) is x in f32 after tanh: that is 1 from 10 on. */
static bool is_far(ir_value *v)
{
    double threshold;
    return ttir_is_filled(ttir_behind_shapes(v), &threshold) && threshold >= 10;
}

/* x * tanh(softplus(x)), softplus as where(x > threshold, x, log1p(exp(x))) */
bool ttir_fuse_mish(ir_op *op, rw_rewriter *rw)
{
    ir_type to = op->results[0].type;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *x = before_cast(op->operands[1 - i].value);
        ir_op *tanh = ttir_only_producer(before_cast(op->operands[i].value), TTIR_OP(tanh));
        ir_op *where =
            tanh ? ttir_only_producer(tanh->operands[0].value, TTIR_OP(where)) : NULL;
        ir_op *gt = where ? ttir_producer(where->operands[0].value, TTIR_OP(gt)) : NULL;
        ir_op *log1p = gt ? ttir_producer(where->operands[2].value, TTIR_OP(log1p)) : NULL;
        ir_op *e = log1p ? ttir_producer(log1p->operands[0].value, TTIR_OP(exp)) : NULL;
        bool cast = x != op->operands[1 - i].value;
        if (!e || e->operands[0].value != x || where->operands[1].value != x ||
            gt->operands[0].value != x || !is_far(gt->operands[1].value) ||
            !ttir_same_shape(x->type, to) || (cast && ttir_fuse_exact(rw)))
            continue;
        rw_replace1(rw, op,
                    ttir_build_typecast(&rw->b, unary(rw, TTIR_OP(mish), x, x->type),
                                        ir_type_element(to)));
        return true;
    }
    return false;
}

/* ---- gelu --------------------------------------------------------------------------- */

/* A product split: its constants multiplied, and what else it multiplies. */
typedef struct factors {
    double number;
    ir_value *at[4];
    size_t count;
    bool too_many;
} factors;

static void take_apart(ir_value *v, const ir_value *whole, factors *f, int depth)
{
    ir_op *def = v == whole ? NULL : ttir_producer(v, TTIR_OP(multiply));
    double number;
    if (ttir_is_filled(ttir_behind_shapes(v), &number)) {
        f->number *= number;
    } else if (def && depth < 6) {
        take_apart(def->operands[0].value, whole, f, depth + 1);
        take_apart(def->operands[1].value, whole, f, depth + 1);
    } else if (f->count < TW_COUNT(f->at)) {
        f->at[f->count++] = v;
    } else {
        f->too_many = true;
    }
}

static factors factors_of(ir_value *v, const ir_value *whole)
{
    factors f = {.number = 1};
    take_apart(v, whole, &f, 0);
    return f;
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fabs(b);
}

/* number * x */
static bool is_scaled(ir_value *v, ir_value *x, double number, double tolerance)
{
    factors f = factors_of(v, x);
    return !f.too_many && f.count == 1 && f.at[0] == x && near(f.number, number, tolerance);
}

/* 0.044715 * x * x * x, or with a power */
static bool is_cubic(ir_value *v, ir_value *x, double tolerance)
{
    factors f = factors_of(v, x);
    if (f.too_many || !near(f.number, 0.044715, tolerance))
        return false;
    if (f.count == 3)
        return f.at[0] == x && f.at[1] == x && f.at[2] == x;
    ir_op *pow = f.count == 1 ? ttir_producer(f.at[0], TTIR_OP(pow)) : NULL;
    return pow && pow->operands[0].value == x &&
           ttir_is_all(pow->operands[1].value, 3, 1e-6);
}

/* sqrt(2 / pi) * (x + 0.044715 * x^3); *x is found. */
static bool is_tanh_argument(ir_value *v, double tolerance, ir_value **x)
{
    factors f = factors_of(v, NULL);
    ir_op *add = !f.too_many && f.count == 1 ? ttir_producer(f.at[0], TTIR_OP(add)) : NULL;
    if (!add || !near(f.number, 0.7978845608, tolerance))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (is_cubic(add->operands[1 - i].value, add->operands[i].value, tolerance)) {
            *x = add->operands[i].value;
            return true;
        }
    return false;
}

/* x / sqrt(2); *x is found among the factors. */
static bool is_erf_argument(ir_value *v, double tolerance, ir_value **x)
{
    ir_op *mul = ttir_producer(v, TTIR_OP(multiply)), *div = ttir_producer(v, TTIR_OP(div));
    if (div && ttir_is_all(div->operands[1].value, M_SQRT2, M_SQRT2 * tolerance)) {
        *x = div->operands[0].value;
        return true;
    }
    for (uint32_t i = 0; mul && i < 2; i++)
        if (is_scaled(v, mul->operands[i].value, M_SQRT1_2, tolerance)) {
            *x = mul->operands[i].value;
            return true;
        }
    return false;
}

/* 1 + erf(...) or 1 + tanh(...) */
static bool is_bell(ir_value *v, double tolerance, bool exact, ir_value **x)
{
    ir_op *add = ttir_producer(v, TTIR_OP(add));
    for (uint32_t i = 0; add && i < 2; i++) {
        if (!ttir_is_all(add->operands[1 - i].value, 1, tolerance))
            continue;
        ir_op *erf = ttir_producer(add->operands[i].value, TTIR_OP(erf));
        ir_op *tanh = ttir_producer(add->operands[i].value, TTIR_OP(tanh));
        if (erf)
            return is_erf_argument(erf->operands[0].value, tolerance, x);
        if (tanh && !exact)
            return is_tanh_argument(tanh->operands[0].value, tolerance, x);
    }
    return false;
}

/* 0.5 * x * (1 + erf(x / sqrt(2))), in any order; also its approximation by tanh. */
bool ttir_fuse_gelu(ir_op *op, rw_rewriter *rw)
{
    ir_type element = ir_type_element(op->results[0].type);
    bool exact = ttir_fuse_exact(rw), narrow = element->width < 32;
    double tolerance = exact && !narrow ? 1e-6 : 1.5e-3;
    factors all = factors_of(&op->results[0], NULL);
    for (size_t i = 0; i < all.count; i++) {
        ir_value *x;
        if (!is_bell(all.at[i], tolerance, exact, &x) || x->type != op->results[0].type)
            continue;
        factors f = factors_of(&op->results[0], x);
        if (f.too_many || f.count != 2 || !near(f.number, 0.5, tolerance) ||
            !((f.at[0] == x && f.at[1] == all.at[i]) ||
              (f.at[1] == x && f.at[0] == all.at[i])))
            continue;
        rw_replace1(rw, op, unary(rw, TTIR_OP(gelu), x, x->type));
        return true;
    }
    return false;
}
