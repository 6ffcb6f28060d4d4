/* chlo_rules.c: verifier rules of chlo's operations, and their result types. */
#include "mlir/shared/shape_checks.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/stablehlo_dot_rules.h"
#include "stablehlo/stablehlo_verify.h"

enum { CAPACITY = 64 };

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static bool set_result(chk_types *out, ir_type type)
{
    out->at[out->n++] = type;
    out->known = true;
    return true;
}

/* ---- broadcasting ------------------------------------------------------------------- */

typedef struct shape {
    int64_t dims[CAPACITY];
    size_t n;
} shape;

/* The size of a broadcast of two sizes, either of which may be 1; a static size above 1
 * determines it, otherwise an unknown one stays unknown. */
static bool broadcast_size(int64_t a, int64_t b, int64_t *out)
{
    if (a == IR_DYNAMIC || b == IR_DYNAMIC) {
        *out = a > 1 ? a : b > 1 ? b : IR_DYNAMIC;
        return true;
    }
    *out = a == 1 ? b : a;
    return a == b || a == 1 || b == 1;
}

static bool broadcast_into(shape *s, ir_type type)
{
    shape r = {.n = TW_MAX(s->n, (size_t)type->count)};
    for (size_t i = 0; i < r.n; i++) {
        int64_t a = i < r.n - s->n ? 1 : s->dims[i - (r.n - s->n)];
        int64_t b = i < r.n - type->count ? 1 : type->dims[i - (r.n - type->count)];
        if (!broadcast_size(a, b, &r.dims[i]))
            return false;
    }
    *s = r;
    return true;
}

/* The dimensions of the larger operand to which those of the smaller one map. */
static bool broadcast_along(const ir_op *op, ir_attr along, shape *s)
{
    ir_type x = operand(op, 0), y = operand(op, 1);
    ir_type large = x->count > y->count ? x : y, small = x->count > y->count ? y : x;
    int64_t to[CAPACITY];
    int64_t n = ir_attr_ints(along, to, CAPACITY);
    if (n != small->count)
        return false;
    s->n = large->count;
    memcpy(s->dims, large->dims, s->n * sizeof *s->dims);
    for (int64_t i = 0; i < n; i++)
        if (to[i] < 0 || to[i] >= (int64_t)s->n ||
            !broadcast_size(small->dims[i], large->dims[to[i]], &s->dims[to[i]]))
            return false;
    return true;
}

/* An unranked result is inferred if the operands do not broadcast. */
static bool infer_broadcast(ir_op *op, ir_type element, chk_types *out)
{
    ir_attr along = ir_op_attr(op, "broadcast_dimensions");
    shape s = {.n = 0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ir_type_is_tensor(operand(op, i)) || operand(op, i)->count > CAPACITY)
            return set_result(out, ir_unranked_tensor_type(element));
    bool fit = !along || broadcast_along(op, along, &s);
    for (uint32_t i = 0; !along && fit && i < op->n_operands; i++)
        fit = broadcast_into(&s, operand(op, i));
    return set_result(out, fit ? ir_tensor_type(element, s.dims, s.n, NULL)
                               : ir_unranked_tensor_type(element));
}

static bool infer_binary(ir_op *op, chk_types *out)
{
    ir_type a = operand(op, 0)->element, b = operand(op, 1)->element;
    if (!stablehlo_elements_fit(a, b))
        return FAIL("mismatched operand types");
    ir_type element = op->def == CHLO_OP(broadcast_compare)
                          ? ir_integer_type(op->ctx, 1, IR_SIGNLESS)
                      : op->def == CHLO_OP(broadcast_complex) ? ir_complex_type(a)
                                                              : a;
    return infer_broadcast(op, element, out);
}

static bool infer_select(ir_op *op, chk_types *out)
{
    ir_type a = operand(op, 1)->element, b = operand(op, 2)->element;
    return a == b ? infer_broadcast(op, a, out) : FAIL("mismatched operand types");
}

/* ---- others ------------------------------------------------------------------------- */

static bool infer_constant_like(ir_op *op, chk_types *out)
{
    ir_attr value = ir_op_attr(op, "value");
    return !value || !value->type ||
           set_result(out, ir_type_with_element(operand(op, 0), value->type));
}

static bool infer_top_k(ir_op *op, chk_types *out)
{
    ir_type t = operand(op, 0), index = ir_integer_type(op->ctx, 32, IR_SIGNLESS);
    int64_t dims[CAPACITY], bounds[CAPACITY], k = ir_op_int(op, "k", 0);
    if (!ir_type_is_tensor(t))
        return set_result(out, ir_unranked_tensor_type(t->element)) &&
               set_result(out, ir_unranked_tensor_type(index));
    if (t->count < 1)
        return FAIL("operand's rank must be at least 1");
    uint32_t last = t->count - 1;
    if (t->dims[last] != IR_DYNAMIC && t->dims[last] < k)
        return FAIL("operand's last dimension must be at least %lld", (long long)k);
    if (t->count > CAPACITY)
        return true;
    if (k < 0)
        return FAIL("k must not be negative, but got %lld", (long long)k);
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[last] = k;
    size_t n = stablehlo_bounds(t, bounds, CAPACITY);
    if (n)
        bounds[last] = IR_DYNAMIC;
    return set_result(out, stablehlo_bounded(t, t->element, dims, t->count, bounds, n)) &&
           set_result(out, stablehlo_bounded(t, index, dims, t->count, bounds, n));
}

static bool infer_constant(ir_op *op, chk_types *out)
{
    ir_attr value = ir_op_attr(op, "value");
    return !value || set_result(out, value->type);
}

/* ---- rules -------------------------------------------------------------------------- */

/* clang-format off */
#define GROUP_SHAPE                                                                             \
    {"let prefix = permute(shape(lhs), before)"},                                               \
    {"let own = rank(group_sizes) == 1 ? prefix : part(shape(group_sizes), 0, -1)"},            \
    {"rank(group_sizes) != 1 and rank(group_sizes) != |prefix| + 1",                            \
     "!expected group_sizes to have rank {|prefix| + 1}, got {rank(group_sizes)}"},             \
    {"own != prefix",                                                                           \
     "!group_sizes is expected to have shape [{cat(prefix, part(shape(group_sizes), -1, "       \
     "rank(group_sizes)))}], got [{shape(group_sizes)}]"}

static const chk_rules own[CHLO_OP_COUNT] = {
    [CHLO_constant_like] = CHK_RULES(
        {"attr_type(value) != elt(result)", "value's type doesn't match element return type"}),

    [CHLO_ragged_dot] = CHK_RULES(
        DOT_LISTS("ragged_dot_dimension_numbers"), DOT_CHECKS,
        {"let ragged = param(n, 'lhsRaggedDimensions')"},
        {"let rhs_group_dimensions = param(n, 'rhsGroupDimensions')"},
        {"|ragged| != 1", "!There must be exactly one ragged dimension in the lhs."},
        {"let r = ragged[0]"},
        {"r < 0 or r >= rank(lhs)",
         "!Expects lhs_ragged_dim to be in range [0, lhs_rank) i.e. [0, {rank(lhs)}). got: {r}."},
        {"let free = without(range(rank(lhs)), cat(lhs_batching_dimensions, lhs_contracting_dimensions))"},
        {"let before = r in lhs_batching_dimensions ? until(lhs_batching_dimensions, r) : r in lhs_contracting_dimensions ? cat(lhs_batching_dimensions, until(lhs_contracting_dimensions, r)) : cat(lhs_batching_dimensions, until(free, r))"},
        GROUP_SHAPE,
        {"each d in rhs_group_dimensions : d < 0 or d >= rank(rhs)",
         "!Expects rhs_group_dim to be in range [0, rhs_rank) i.e. [0, {rank(rhs)}). got: {d}."},
        DISTINCT("rhs_group_dimensions", "rhs_batching_dimensions"),
        DISTINCT("rhs_group_dimensions", "rhs_contracting_dimensions"),
        {"let groups = shape(group_sizes)[-1]"},
        {"r not in free and |rhs_group_dimensions| != 0",
         "!There must be zero group dimensions in the rhs when the ragged dimension is batch or contracting."},
        {"r in free and |rhs_group_dimensions| != 1",
         "!There must be exactly one group dimension in the rhs when the lhs ragged dimension is non-contracting."},
        {"r in free and not fits(groups, dim(rhs, rhs_group_dimensions[0]))",
         "!rhs group dimension is expected to have size={groups}, got {dim(rhs, rhs_group_dimensions[0])}"},
        {"let first = r in lhs_contracting_dimensions ? {groups} : {}"},
        {"let rows = cat(permute(shape(lhs), lhs_batching_dimensions), permute(shape(lhs), free))"},
        {"let columns = without(shape(rhs), cat(rhs_batching_dimensions, cat(rhs_contracting_dimensions, rhs_group_dimensions)))"},
        {"let inferred = cat(first, cat(rows, columns))"},
        {"not fits(inferred, shape(result))",
         "!inferred shape '[{inferred}]' is incompatible with return type of operation {type(result)}"},
        {"infer tensor(inferred, elt(result))"}),

    [CHLO_scan] = CHK_RULES({.run = chlo_verify_scan}),
};
/* clang-format on */

static const struct {
    uint16_t row;
    bool (*infer)(ir_op *op, chk_types *out);
} inferences[] = {
    {CHLO_broadcast_select, infer_select},
    {CHLO_constant, infer_constant},
    {CHLO_constant_like, infer_constant_like},
    {CHLO_is_inf, stablehlo_infer_boolean},
    {CHLO_is_neg_inf, stablehlo_infer_boolean},
    {CHLO_is_pos_inf, stablehlo_infer_boolean},
    {CHLO_scan, chlo_infer_scan},
    {CHLO_top_k, infer_top_k},
};

chk_rules chlo_own_rules(const ir_op_def *def)
{
    return own[def - chlo_ops];
}

bool chlo_infer(ir_op *op, chk_types *out)
{
    out->n = 0;
    out->known = false;
    for (size_t i = 0; i < TW_COUNT(inferences); i++)
        if (op->def == &chlo_ops[inferences[i].row])
            return inferences[i].infer(op, out);
    if (strncmp(op->def->name, "chlo.broadcast_", 15) == 0 && op->n_operands == 2)
        return infer_binary(op, out);
    if (op->def == CHLO_OP(ragged_dot))
        return chk_infer(op, own[CHLO_ragged_dot], out);
    return op->n_results != 1 || op->n_operands == 0 || stablehlo_infer_same(op, out);
}

bool chlo_verify(ir_op *op)
{
    return stablehlo_check_traits(op) && chk_verify(op, own[op->def - chlo_ops]);
}

bool chlo_verify_inferred(ir_op *op)
{
    chk_types types;
    if (op->def == CHLO_OP(broadcast_select)) /* whose element types are not compared */
        return (chlo_infer(op, &types) &&
                (!types.known || shape_compatible(types.at[0], op->results[0].type) ||
                 stablehlo_check_inferred(op, types.at, types.n))) ||
               ir_op_error(op, "failed to infer returned types");
    return !(op->def->traits & IR_INFER_TYPES) ||
           (chlo_infer(op, &types) &&
            (!types.known || stablehlo_check_inferred(op, types.at, types.n))) ||
           ir_op_error(op, "failed to infer returned types");
}
