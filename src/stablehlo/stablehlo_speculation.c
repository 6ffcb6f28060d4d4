/* stablehlo_speculation.c: determines which operations may be executed speculatively.
 *
 * Sizes known only at run time could then be contradictory: two sizes that must be equal,
 * or a size that the result's type states.  Such an operation must stay behind the
 * condition or loop that guards it. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

enum { CAPACITY = 64 };

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static bool is_static(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_type_is_shaped(operand(op, i)) && !ir_type_has_static_shape(operand(op, i)))
            return false;
    return true;
}

static bool is_constant(const ir_value *v)
{
    ir_op *op = ir_value_def(v);
    return op && (op->def->traits & IR_CONSTANT_LIKE);
}

static bool is_open(ir_type t, int64_t dim)
{
    return dim >= 0 && dim < t->count && t->dims[dim] == IR_DYNAMIC;
}

/* True if the result type states a size that the operand's does not. */
static bool states(ir_type result, int64_t to, ir_type from, int64_t dim)
{
    return !is_open(result, to) && is_open(from, dim);
}

/* True if every stated size, except those in `but`, follows from the operand. */
static bool follows(ir_type from, ir_type result, const int64_t *but, size_t n)
{
    for (uint32_t i = 0; i < result->count && i < from->count; i++) {
        bool exempt = false;
        for (size_t k = 0; k < n; k++)
            exempt |= but[k] == i;
        if (!exempt && states(result, i, from, i))
            return false;
    }
    return true;
}

/* ---- operations with rules of their own --------------------------------------------- */

static bool collective(const ir_op *op, const char *const *dims, size_t n)
{
    int64_t but[2];
    for (size_t k = 0; k < n; k++)
        but[k] = ir_op_int(op, dims[k], 0);
    for (uint32_t i = 0; i < op->n_results && i < op->n_operands; i++) {
        for (size_t k = 0; k < n; k++) /* depends on the number of devices */
            if (!is_open(op->results[i].type, but[k]))
                return false;
        if (!follows(operand(op, i), op->results[i].type, but, n))
            return false;
    }
    return true;
}

static bool all_gather(const ir_op *op)
{
    return collective(op, (const char *const[]){"all_gather_dim"}, 1);
}
static bool all_to_all(const ir_op *op)
{
    return collective(op, (const char *const[]){"split_dimension", "concat_dimension"}, 2);
}
static bool reduce_scatter(const ir_op *op)
{
    return collective(op, (const char *const[]){"scatter_dimension"}, 1);
}

static bool first_operand(const ir_op *op)
{
    return follows(operand(op, 0), op->results[0].type, NULL, 0);
}

static bool concatenate(const ir_op *op)
{
    int64_t along = ir_op_int(op, "dimension", 0);
    bool open = is_open(op->results[0].type, along);
    for (uint32_t i = 0; i < op->n_operands; i++)
        for (uint32_t d = 0; d < operand(op, i)->count; d++)
            if (is_open(operand(op, i), d) && !(open && d == along))
                return false;
    return true;
}

static int64_t param_list(ir_attr numbers, const char *name, int64_t *out)
{
    return TW_MIN(ir_attr_ints(ir_attr_param(numbers, name), out, CAPACITY), CAPACITY);
}

static bool dot_general(const ir_op *op)
{
    static const char *const names[2][2] = {
        {"lhsBatchingDimensions", "lhsContractingDimensions"},
        {"rhsBatchingDimensions", "rhsContractingDimensions"}};
    ir_attr numbers = ir_op_attr(op, "dot_dimension_numbers");
    int64_t dims[CAPACITY], to = param_list(numbers, names[0][0], dims);
    for (int side = 0; side < 2; side++) {
        ir_type t = operand(op, (size_t)side);
        uint64_t special = 0;
        for (int k = 0; k < 2; k++)
            for (int64_t n = param_list(numbers, names[side][k], dims), i = 0; i < n; i++) {
                if (is_open(t, dims[i]))
                    return false;
                special |= UINT64_C(1) << dims[i];
            }
        for (uint32_t i = 0; i < t->count; i++)
            if (!(special >> i & 1) && states(op->results[0].type, to++, t, i))
                return false;
    }
    return true;
}

static bool convolution(const ir_op *op)
{
    ir_attr n = ir_op_attr(op, "dimension_numbers");
    ir_type in = operand(op, 0), kernel = operand(op, 1), out = op->results[0].type;
    int64_t a[CAPACITY], b[CAPACITY], c[CAPACITY];
    bool batches = ir_op_int(op, "batch_group_count", 1) > 1;
    bool features = ir_op_int(op, "feature_group_count", 1) > 1;
#define DIM(name) ir_attr_int(ir_attr_param(n, name), 0)
    int64_t batch = DIM("inputBatchDimension"),
            filter = DIM("kernelOutputFeatureDimension");
    if (is_open(in, DIM("inputFeatureDimension")) ||
        is_open(kernel, DIM("kernelInputFeatureDimension")))
        return false;
    if (is_open(in, batch) && (batches || !is_open(out, DIM("outputBatchDimension"))))
        return false;
    if (is_open(kernel, filter) &&
        (batches || features || !is_open(out, DIM("outputFeatureDimension"))))
        return false;
#undef DIM
    int64_t count = param_list(n, "inputSpatialDimensions", a);
    param_list(n, "kernelSpatialDimensions", b);
    param_list(n, "outputSpatialDimensions", c);
    for (int64_t i = 0; i < count; i++)
        if (!is_open(out, c[i]) && (is_open(in, a[i]) || is_open(kernel, b[i])))
            return false;
    return true;
}

static bool dynamic_broadcast(const ir_op *op)
{
    ir_type from = operand(op, 0), to = op->results[0].type;
    bool open = true;
    for (uint32_t i = 0; i < to->count; i++)
        open &= is_open(to, i);
    return ir_type_has_static_shape(from) && ((open && ir_type_num_elements(from) == 1) ||
                                              is_constant(op->operands[1].value));
}

static bool dynamic_iota(const ir_op *op)
{
    bool open = true;
    for (uint32_t i = 0; i < op->results[0].type->count; i++)
        open &= is_open(op->results[0].type, i);
    return open || is_constant(op->operands[0].value);
}

/* For ops whose last operands are a shape. */
static bool shaped(const ir_op *op, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_constant(op->operands[op->n_operands - 1 - i].value))
            return false;
    return is_static(op);
}

static bool three_shapes(const ir_op *op)
{
    return shaped(op, 3);
}

static bool fft(const ir_op *op)
{
    ir_type in = operand(op, 0);
    int64_t kind = ir_enum_value(ir_op_attr(op, "fft_type"), 0);
    bool real = kind == STABLEHLO_FftType_RFFT || kind == STABLEHLO_FftType_IRFFT;
    int64_t n = real ? ir_attr_ints(ir_op_attr(op, "fft_length"), NULL, 0) : 0;
    for (int64_t i = in->count - n; i < in->count; i++)
        if (is_open(in, i))
            return false;
    return first_operand(op);
}

static bool gather(const ir_op *op)
{
    return !ir_op_bool(op, "indices_are_sorted") && is_static(op);
}

static bool scatter(const ir_op *op)
{
    return !ir_op_bool(op, "unique_indices") && gather(op);
}

static bool set_dimension_size(const ir_op *op)
{
    int64_t d = ir_op_int(op, "dimension", 0);
    return (is_constant(op->operands[1].value) || is_open(op->results[0].type, d)) &&
           follows(operand(op, 0), op->results[0].type, &d, 1);
}

static bool transpose(const ir_op *op)
{
    int64_t order[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "permutation"), order, CAPACITY);
    for (int64_t i = 0; i < n && i < CAPACITY; i++)
        if (states(op->results[0].type, i, operand(op, 0), order[i]))
            return false;
    return true;
}

static bool triangular_solve(const ir_op *op)
{
    return !ir_op_bool(op, "unit_diagonal") && is_static(op);
}

static const struct {
    uint16_t row;
    bool (*may)(const ir_op *op);
    bool with_regions; /* if ops in its regions may */
} own[] = {
    {STABLEHLO_all_gather, all_gather, false},
    {STABLEHLO_all_to_all, all_to_all, false},
    {STABLEHLO_bitcast_convert, first_operand, false},
    {STABLEHLO_concatenate, concatenate, false},
    {STABLEHLO_convolution, convolution, false},
    {STABLEHLO_dot_general, dot_general, false},
    {STABLEHLO_dynamic_broadcast_in_dim, dynamic_broadcast, false},
    {STABLEHLO_dynamic_iota, dynamic_iota, false},
    {STABLEHLO_dynamic_pad, three_shapes, false},
    {STABLEHLO_fft, fft, false},
    {STABLEHLO_gather, gather, false},
    {STABLEHLO_map, is_static, true},
    {STABLEHLO_real_dynamic_slice, three_shapes, false},
    {STABLEHLO_reduce_scatter, reduce_scatter, false},
    {STABLEHLO_reshape, is_static, false},
    {STABLEHLO_scatter, scatter, true},
    {STABLEHLO_set_dimension_size, set_dimension_size, false},
    {STABLEHLO_transpose, transpose, false},
    {STABLEHLO_triangular_solve, triangular_solve, false},
};

/* ---- all ---------------------------------------------------------------------------- */

static stablehlo_speculation answer(bool may, bool with_regions)
{
    return !may           ? STABLEHLO_MUST_STAY
           : with_regions ? STABLEHLO_AS_REGIONS
                          : STABLEHLO_MAY_MOVE;
}

stablehlo_speculation stablehlo_speculation_of(const ir_op *op)
{
    const char *traits = op->def->interfaces ? op->def->interfaces : "";
    if (strncmp(op->def->name, "stablehlo.", 10) != 0)
        return STABLEHLO_SAYS_NOTHING;
    for (size_t i = 0; i < TW_COUNT(own); i++)
        if (op->def == &stablehlo_ops[own[i].row])
            return answer(own[i].may(op), own[i].with_regions);
    bool deep = strstr(traits, "RecursivelySpeculatable") != NULL;
    if (strstr(traits, "SpeculatableIfAllInputsStaticAndShapeConstant"))
        return answer(shaped(op, 1), false);
    if (strstr(traits, "SpeculatableIfAllInputsStatic"))
        return answer(is_static(op), deep);
    if (strstr(traits, "SpeculatableIfStaticDimInOutputIsStaticInInput"))
        return answer(op->n_operands == 0 || op->n_results == 0 || first_operand(op), deep);
    if (deep)
        return STABLEHLO_AS_REGIONS;
    return op->def->traits & IR_PURE ? STABLEHLO_MAY_MOVE : STABLEHLO_SAYS_NOTHING;
}
