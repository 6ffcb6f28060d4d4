/* defaults.c: attributes that are optional in StableHLO and required in VHLO.
 *
 * VHLO has no optional attributes: an omitted one would be misread by a release with
 * another default. */
#include "stablehlo/vhlo/from_stablehlo/stablehlo_to_vhlo.h"

#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"

#include <stdlib.h>

typedef enum kind {
    FALSE,
    ZERO,
    LAST, /* -1 */
    EMPTY_STRING,
    EMPTY_LIST,
    EMPTY_DICT,
    NO_NUMBERS,
    ONES,       /* one for each dimension of the window */
    ZERO_PAIRS, /* two for each dimension */
    FALSES,
    NO_TYPE,
    TWO_PRECISIONS,
    NO_COMPARE_TYPE,
    ORIGINAL_API,
    PLAIN_ACCURACY,
    BACKEND_CONFIG, /* a dictionary for typed calls, otherwise a string */
} kind;

static const struct {
    const char *name;
    kind is;
} defaults[] = {
    {"accumulation_type", NO_TYPE},
    {"allow_imprecise_accumulation", NO_TYPE},
    {"api_version", ORIGINAL_API},
    {"arg_attrs", EMPTY_LIST},
    {"backend_config", BACKEND_CONFIG},
    {"base_dilations", ONES},
    {"called_computations", EMPTY_LIST},
    {"channel_id", ZERO},
    {"compare_type", NO_COMPARE_TYPE},
    {"composite_attributes", EMPTY_DICT},
    {"dimension", LAST},
    {"has_dynamic_root", FALSE},
    {"has_side_effect", FALSE},
    {"indices_are_sorted", FALSE},
    {"infeed_config", EMPTY_STRING},
    {"is_host_transfer", FALSE},
    {"is_stable", FALSE},
    {"known_expanding_dimensions", NO_NUMBERS},
    {"known_nonexpanding_dimensions", NO_NUMBERS},
    {"layout", EMPTY_LIST},
    {"lhs_component_count", NO_TYPE},
    {"lhs_dilation", ONES},
    {"lhs_precision_type", NO_TYPE},
    {"lower", FALSE},
    {"num_primitive_operations", NO_TYPE},
    {"operand_layouts", EMPTY_LIST},
    {"outfeed_config", EMPTY_STRING},
    {"output_operand_aliases", EMPTY_LIST},
    {"padding", ZERO_PAIRS},
    {"precision_config", TWO_PRECISIONS},
    {"res_attrs", EMPTY_LIST},
    {"result_accuracy", PLAIN_ACCURACY},
    {"result_layouts", EMPTY_LIST},
    {"result_tilings", EMPTY_LIST},
    {"rhs_component_count", NO_TYPE},
    {"rhs_dilation", ONES},
    {"rhs_precision_type", NO_TYPE},
    {"source_target_pairs", NO_NUMBERS},
    {"sym_visibility", EMPTY_STRING},
    {"unique_indices", FALSE},
    {"use_global_device_ids", FALSE},
    {"version", ZERO},
    {"window_dilations", ONES},
    {"window_reversal", FALSES},
    {"window_strides", ONES},
};

/* The number of dimensions of the operation's window. */
static size_t window_rank(const ir_op *op)
{
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    ir_attr list = ir_attr_is(numbers, IR_ATTR_DIALECT)
                       ? ir_attr_param(numbers, "inputSpatialDimensions")
                       : ir_op_attr(op, "window_dimensions");
    int64_t count = list ? ir_attr_ints(list, NULL, 0) : 0;
    return count > 0 ? (size_t)count : 0;
}

static ir_attr numbers(ir_op *op, kind is)
{
    ir_context *ctx = op->ctx;
    size_t n = window_rank(op);
    int64_t dims[] = {(int64_t)n, 2};
    ir_type element = ir_integer_type(ctx, is == FALSES ? 1 : 64, IR_SIGNLESS);
    if (is != ONES) {
        ir_type type = ir_tensor_type(element, dims, is == ZERO_PAIRS ? 2 : 1, NULL);
        return stablehlo_attr_to_vhlo(
            ctx, n ? ir_dense_splat_int(type, 0) : ir_dense_attr(type, NULL, 0), false);
    }
    int64_t *ones = tw_xmalloc((n + 1) * sizeof *ones);
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    ir_attr list = vhlo_i64_list(ctx, ones, n);
    free(ones);
    return list;
}

static ir_attr plain_accuracy(ir_context *ctx)
{
    ir_attr zero = ir_float_attr(ir_float_type(ctx, IR_F64), 0);
    ir_attr params[] = {zero, zero, ir_raw_int(ctx, 0),
                        ir_enum_attr(ctx, VHLO_ATTR(result_accuracy_mode_v1), 0)};
    return ir_dialect_attr(ctx, VHLO_ATTR(result_accuracy_v1), params, TW_COUNT(params));
}

static ir_attr make(ir_op *op, kind is)
{
    enum { ORIGINAL = 1, TYPED_FFI = 4 };
    ir_context *ctx = op->ctx;
    ir_attr precisions[2];
    ir_type none = ir_none_type(ctx);
    switch (is) {
    case FALSE:
        return vhlo_bool(ctx, false);
    case ZERO:
    case LAST:
        return vhlo_i64(ctx, is == LAST ? -1 : 0);
    case BACKEND_CONFIG:
        if (ir_op_int(op, "api_version", ORIGINAL) == TYPED_FFI)
            return make(op, EMPTY_DICT);
        return make(op, EMPTY_STRING);
    case EMPTY_STRING:
        return stablehlo_attr_to_vhlo(ctx, ir_string_attr(ctx, tw_str_from("")), false);
    case EMPTY_LIST:
        return stablehlo_attr_to_vhlo(ctx, ir_array_attr(ctx, NULL, 0), false);
    case EMPTY_DICT:
        return stablehlo_attr_to_vhlo(ctx, ir_dict_attr(ctx, NULL, 0), false);
    case NO_NUMBERS:
        return vhlo_i64_list(ctx, NULL, 0);
    case NO_TYPE:
        return stablehlo_attr_to_vhlo(ctx, ir_type_attr(none), false);
    case TWO_PRECISIONS:
        precisions[0] = precisions[1] = ir_enum_attr(ctx, STABLEHLO_ATTR(precision), 0);
        return stablehlo_attr_to_vhlo(ctx, ir_array_attr(ctx, precisions, 2), false);
    case NO_COMPARE_TYPE:
        return ir_enum_attr(ctx, VHLO_ATTR(comparison_type_v1), 0);
    case ORIGINAL_API:
        return ir_enum_attr(ctx, VHLO_ATTR(api_version_v1), ORIGINAL);
    case PLAIN_ACCURACY:
        return plain_accuracy(ctx);
    default:
        return numbers(op, is);
    }
}

ir_attr vhlo_default(ir_op *op, const char *name)
{
    for (size_t i = 0; i < TW_COUNT(defaults); i++)
        if (strcmp(defaults[i].name, name) == 0)
            return make(op, defaults[i].is);
    return NULL;
}
