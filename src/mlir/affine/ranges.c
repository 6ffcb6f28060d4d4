/* ranges.c: see ranges.h. */
#include "mlir/affine/ranges.h"

#include "mlir/affine/affine.h"

/* The integers from `low` to `high`. */
typedef struct range {
    int64_t low, high;
} range;

typedef struct scope {
    ir_context *ctx;
    ir_value *const *dims;
    uint32_t n_dims;
} scope;

/* The constant value of a loop's bound. */
static bool constant_bound(const ir_op *loop, const char *name, int64_t *out)
{
    ir_attr a = ir_op_attr(loop, name);
    ir_affine_map map = a ? a->map : NULL;
    if (!map || map->n_results != 1 || map->results[0]->kind != IR_AFFINE_CONSTANT)
        return false;
    *out = map->results[0]->value;
    return true;
}

static bool range_of_value(const ir_value *v, range *out)
{
    const ir_block *body = v->is_argument ? v->owner : NULL;
    const ir_op *loop = body && body->region ? body->region->owner : NULL;
    if (!ir_op_is(loop, AFFINE_OP(for)) || v->index != 0 ||
        !constant_bound(loop, "lowerBoundMap", &out->low) ||
        !constant_bound(loop, "upperBoundMap", &out->high))
        return false;
    return !__builtin_sub_overflow(out->high, 1, &out->high) && out->low <= out->high;
}

static int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

static bool multiply(range r, int64_t by, range *out)
{
    int64_t a, b;
    if (__builtin_mul_overflow(r.low, by, &a) || __builtin_mul_overflow(r.high, by, &b))
        return false;
    *out = by < 0 ? (range){b, a} : (range){a, b};
    return true;
}

static bool range_of(const scope *s, ir_affine e, range *out)
{
    range a, b;
    switch ((ir_affine_kind)e->kind) {
    case IR_AFFINE_CONSTANT:
        *out = (range){e->value, e->value};
        return true;
    case IR_AFFINE_DIM:
        return e->value < s->n_dims && s->dims[e->value] &&
               range_of_value(s->dims[e->value], out);
    case IR_AFFINE_SYMBOL:
        return false;
    case IR_AFFINE_ADD:
        return range_of(s, e->lhs, &a) && range_of(s, e->rhs, &b) &&
               !__builtin_add_overflow(a.low, b.low, &out->low) &&
               !__builtin_add_overflow(a.high, b.high, &out->high);
    case IR_AFFINE_MUL:
        return range_of(s, e->lhs, &a) && range_of(s, e->rhs, &b) && b.low == b.high &&
               multiply(a, b.low, out);
    case IR_AFFINE_FLOORDIV:
    case IR_AFFINE_CEILDIV:
    case IR_AFFINE_MOD:
        break;
    }
    if (!range_of(s, e->rhs, &b) || b.low != b.high || b.low <= 0)
        return false;
    if (e->kind == IR_AFFINE_MOD) {
        *out = (range){0, b.low - 1};
        return true;
    }
    if (e->kind == IR_AFFINE_CEILDIV || !range_of(s, e->lhs, &a))
        return false;
    *out = (range){floor_div(a.low, b.low), floor_div(a.high, b.low)};
    return true;
}

static ir_affine narrow(const scope *s, ir_affine e)
{
    range r;
    if (e->kind == IR_AFFINE_DIM || e->kind == IR_AFFINE_SYMBOL ||
        e->kind == IR_AFFINE_CONSTANT)
        return e;
    e = ir_affine_binary(s->ctx, e->kind, narrow(s, e->lhs), narrow(s, e->rhs));
    if ((e->kind != IR_AFFINE_FLOORDIV && e->kind != IR_AFFINE_MOD) ||
        e->rhs->kind != IR_AFFINE_CONSTANT || e->rhs->value <= 0 ||
        !range_of(s, e->lhs, &r))
        return e;
    int64_t by = e->rhs->value;
    if (e->kind == IR_AFFINE_MOD)
        return r.low >= 0 && r.high < by ? e->lhs : e;
    return floor_div(r.low, by) == floor_div(r.high, by)
               ? ir_affine_constant(s->ctx, floor_div(r.low, by))
               : e;
}

ir_affine affine_narrow(ir_context *ctx, ir_affine e, ir_value *const *dims,
                        uint32_t n_dims)
{
    const scope s = {ctx, dims, n_dims};
    return narrow(&s, e);
}
