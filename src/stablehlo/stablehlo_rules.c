/* stablehlo_rules.c: verifier rules of stablehlo's operations, one list per operation
 * (see ir/rules/rules.h for the language).  Inference rules come last, since result types
 * are inferred after regions are verified; if one fails, a second message says that
 * inference failed.  Messages are word for word StableHLO's. */
#include "ir/rules/rules.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_dot_rules.h"
#include "stablehlo/stablehlo_hooks.h"
#include "stablehlo/stablehlo_verify.h"

/* clang-format off */
#define INFERS(hook) CHK_RULES({.infer = hook})

#define EACH_BELOW(list, bound, of)                                                             \
    {"each d in " list " : d < 0 or d >= " bound,                                               \
     "!Expects each element of " list " to be in range [0, " of ") i.e. [0, {" bound "}). got: " \
     "{d}."}

#define SORTED(list)                                                                            \
    {"not sorted(" list ")", "!expects " list " to be sorted, got: [{" list "}]"}

#define SORTED_(list)                                                                           \
    {"not sorted(" list ")", "!Expects " list " to be sorted; got: [{" list "}]."}

#define UNIQUE_(list)                                                                           \
    {"not unique(" list ")", "!Expects " list " to not repeat; got: [{" list "}]."}

#define UNIQUE(list)                                                                            \
    {"not unique(" list ")", "!expects " list " to not repeat, got: [{" list "}]"}

#define ONE_START_TYPE                                                                          \
    {"each s in start_indices : elt(s) != elt(start_indices[0])",                               \
     "!start indices must have same element type"}

#define BATCH_NORM(singles)                                                                     \
    singles,                                                                                    \
    {"feature_index >= rank(operand)",                                                          \
     "!expects featureIndex to be smaller than the rank of multi-dimensional operands; got "    \
     "featureIndex {feature_index}, and rank {rank(operand)}."},                                \
    {"not fits(dim(scale, 0), dim(operand, feature_index))",                                    \
     "!expects the size of single-dimensional operands to be compatible with feature count, "   \
     "but the size of single-dimensional operands is {part(shape(scale), 0, 1)} and the "       \
     "feature count is {part(shape(operand), feature_index, feature_index + 1)}."}

#define SAME_SINGLES(condition)                                                                 \
    {condition, "!expects single-dimensional operands to have compatible shapes."}

#define A_DIMENSION_FOR_EACH \
        {"|broadcast_dimensions| != rank(operand)", \
         "!broadcast_dimensions size ({|broadcast_dimensions|}) does not match operand rank ({rank(operand)})"}
/* Begins a loop over the dimensions, d, that the operand's become. */
#define FOR_EACH_DIMENSION \
        {"not unique(broadcast_dimensions)", \
         "!broadcast_dimensions should not have duplicates"}, \
        {"loop i < |broadcast_dimensions|"}, \
        {"let d = broadcast_dimensions[i]"}, \
        {"d < 0 or d >= rank(result)", \
         "!broadcast_dimensions contains invalid value {d} for result with rank {rank(result)}"}
#define SAME_ELEMENTS                                                                           \
    {"elt(operand) != elt(result) and not is_quant(elt(operand)) and not "                      \
     "is_quant(elt(result))",                                                                   \
     "!expects operand and result to have compatible element type. Got: {type(operand)} and " \
     "{type(result)}"}

/* A constant operand that is the result's shape. */
#define FITS_RESULT(of)                                                                         \
    {"let wanted = ints(" of ")"},                                                              \
    {"wanted and not equals(shape(result), wanted)",                                            \
     "!output shape [{wanted}] is incompatible with return type of operation {type(result)}"}

#define LISTED(list)                                                                            \
    {"rank(operand) != count(" list ")",                                                        \
     "!has mismatched number of operand rank ({rank(operand)}) and " list " size "              \
     "({count(" list ")})"}

#define DIMENSION_IN_RANGE                                                                      \
    {"dimension < 0", "!requires non-negative dimension attribute; found ({dimension})"},       \
    {"dimension >= rank(operand)",                                                              \
     "!requires dimension attribute in range [0, {rank(operand)}); found ({dimension})"}

#define GATHER_NUMBERS                                                                          \
        {"let n = dimension_numbers"},                                                          \
        {"let offset_dims = param(n, 'offsetDims')"},                                           \
        {"let collapsed_slice_dims = param(n, 'collapsedSliceDims')"},                          \
        {"let operand_batching_dims = param(n, 'operandBatchingDims')"},                        \
        {"let start_indices_batching_dims = param(n, 'startIndicesBatchingDims')"},             \
        {"let start_index_map = param(n, 'startIndexMap')"},                                    \
        {"let index_vector_dim = param(n, 'indexVectorDim')"},                                  \
        {"rank(operand) != |offset_dims| + |collapsed_slice_dims| + |operand_batching_dims|",   \
         "!offset_dims size ({|offset_dims|}) plus collapse_slice_dims size ({|collapsed_slice_dims|}) plus operand_batching_dims size ({|operand_batching_dims|}) is not equal to operand rank ({rank(operand)})"}, \
        {"index_vector_dim < 0 or index_vector_dim > rank(start_indices)",                      \
         "!Expects index_vector_dim to be in range [0, rank-of('start_indices')] i.e. [0, {rank(start_indices)}]. got: {index_vector_dim}."}, \
        {"let size = index_vector_dim == rank(start_indices) ? 1 : dim(start_indices, index_vector_dim)"}, \
        {"not dynamic(size) and size != |start_index_map|",                                     \
         "!start_index_map size ({|start_index_map|}) is not equal to size of index dimension ({index_vector_dim}) of start_indices ({size})"}, \
        SORTED("offset_dims"), UNIQUE("offset_dims"),                                           \
        DISTINCT("collapsed_slice_dims", "operand_batching_dims"),                              \
        SORTED("collapsed_slice_dims"),                                                         \
        EACH_BELOW("collapsed_slice_dims", "rank(operand)", "rank-of('operand')"),              \
        SORTED("operand_batching_dims"),                                                        \
        EACH_BELOW("operand_batching_dims", "rank(operand)", "rank-of('operand')"),             \
        UNIQUE("start_indices_batching_dims"),                                                  \
        EACH_BELOW("start_indices_batching_dims", "rank(start_indices)", "rank-of('start_indices')"), \
        {"index_vector_dim in start_indices_batching_dims",                                     \
         "!expects start_indices_batching_dims not to include index_vector_dim {index_vector_dim}"}, \
        {"|operand_batching_dims| != |start_indices_batching_dims|",                            \
         "!operand_batching_dims and start_indices_batching_dims should have the same size"},   \
        {"each i < |operand_batching_dims| : not fits(dim(operand, operand_batching_dims[i]), dim(start_indices, start_indices_batching_dims[i]))", \
         "!operand_batching_dims[{i}] and start_indices_batching_dims[{i}] must have compatible sizes, but got {dim(operand, operand_batching_dims[i])} and {dim(start_indices, start_indices_batching_dims[i])}"}, \
        DISTINCT("start_index_map", "operand_batching_dims"),                                   \
        EACH_BELOW("start_index_map", "rank(operand)", "rank-of('operand')")

#define GATHER_SLICES                                                                           \
        {"each d in collapsed_slice_dims : sizes[d] > 1",                                       \
         "!Expects that for each dim in collapsed_slice_dims, slice_sizes[dim] should be <= 1, but got {sizes[d]}"}, \
        {"each d in operand_batching_dims : sizes[d] > 1",                                      \
         "!Expects that for each dim in operand_batching_dims, slice_sizes[dim] should be <= 1, but got {sizes[d]}"}, \
        {"each i < |sizes| : sizes[i] < 0 or not dynamic(dim(operand, i)) and sizes[i] > dim(operand, i)", \
         "!slice size ({sizes[i]}) is out of bounds for operand dimension ({dim(operand, i)}) at index {i}"}

#define GATHER_OFFSETS                                                                          \
        {"let rows = rank(start_indices) - (index_vector_dim == rank(start_indices) ? 0 : 1) + |offset_dims|"}, \
        EACH_BELOW("offset_dims", "rows", "implied-result-rank")

static bool check_select_types(ir_op *op)
{
    return stablehlo_types_fit(op->operands[1].value->type, op->operands[2].value->type) ||
           ir_error(op->ctx, op->loc, "requires compatible types for non-predicate operands");
}

static const chk_rules inference[STABLEHLO_OP_COUNT] = {
    [STABLEHLO_abs] = INFERS(stablehlo_infer_real),
    [STABLEHLO_add] = INFERS(stablehlo_infer_same),
    [STABLEHLO_after_all] = INFERS(stablehlo_infer_token),
    [STABLEHLO_async_done] = INFERS(stablehlo_infer_async_done),
    [STABLEHLO_async_start] = INFERS(stablehlo_infer_async_start),
    [STABLEHLO_collective_permute] = INFERS(stablehlo_infer_same),
    [STABLEHLO_compare] = INFERS(stablehlo_infer_boolean),
    [STABLEHLO_complex] = INFERS(stablehlo_infer_complex),
    [STABLEHLO_constant] = INFERS(stablehlo_infer_constant),
    [STABLEHLO_create_token] = INFERS(stablehlo_infer_token),
    [STABLEHLO_fft] = INFERS(stablehlo_infer_fft),
    [STABLEHLO_imag] = INFERS(stablehlo_infer_real),
    [STABLEHLO_is_finite] = INFERS(stablehlo_infer_boolean),
    [STABLEHLO_optimization_barrier] = INFERS(stablehlo_infer_operands),
    [STABLEHLO_outfeed] = INFERS(stablehlo_infer_token),
    [STABLEHLO_partition_id] = INFERS(stablehlo_infer_id),
    [STABLEHLO_real] = INFERS(stablehlo_infer_real),
    [STABLEHLO_replica_id] = INFERS(stablehlo_infer_id),
    [STABLEHLO_reverse] = INFERS(stablehlo_infer_same),
    [STABLEHLO_rng] = INFERS(stablehlo_infer_rng),
    [STABLEHLO_send] = INFERS(stablehlo_infer_send),
    [STABLEHLO_sort] = INFERS(stablehlo_infer_operands),

    [STABLEHLO_all_reduce] = CHK_RULES({.infer = stablehlo_infer_collective_result}),

    [STABLEHLO_all_to_all] = CHK_RULES(
        {.run = stablehlo_check_all_to_all_groups},
        {"each x in operands : split_dimension >= rank(x)",
         "!AllToAll split_dimension {split_dimension} is out-of-bounds for input rank {rank(x)}"},
        {"each x in operands : concat_dimension >= rank(x)",
         "!AllToAll concat_dimension {concat_dimension} is out-of-bounds for input rank {rank(x)}"},
        {"each x in operands : not dynamic(dim(x, split_dimension)) and dim(x, split_dimension) % split_count != 0",
         "!split dimension has size {dim(x, split_dimension)}, expected to be a multiple of split_count {split_count}"},
        {.infer = stablehlo_infer_all_to_all}),

    [STABLEHLO_batch_norm_grad] = CHK_RULES(
        {"not fits(shape(operand), shape(grad_output))",
         "!expects multi-dimensional operands to have compatible shapes."},
        BATCH_NORM(SAME_SINGLES("not fits(shape(scale), shape(mean)) or not fits(shape(scale), shape(variance))")),
        {.infer = stablehlo_infer_batch_norm}),

    [STABLEHLO_batch_norm_inference] = CHK_RULES(
        BATCH_NORM(SAME_SINGLES("not fits(shape(scale), shape(offset)) or not fits(shape(scale), shape(mean)) or not fits(shape(scale), shape(variance))")),
        {.infer = stablehlo_infer_batch_norm}),

    [STABLEHLO_batch_norm_training] = CHK_RULES(
        BATCH_NORM(SAME_SINGLES("not fits(shape(scale), shape(offset))")),
        {.infer = stablehlo_infer_batch_norm}),

    [STABLEHLO_broadcast] = CHK_RULES(
        {"each d in broadcast_sizes : d < 0",
         "!Broadcast with negative dimension size {d}"},
        {"infer tensor(cat(broadcast_sizes, shape(operand)), elt(operand))"}),

    [STABLEHLO_case] = CHK_RULES({.infer = stablehlo_infer_conditional}),

    [STABLEHLO_cholesky] = CHK_RULES(
        {"rank(a) < 2", "!argument 'a' must have rank >= 2, got shape {shape(a)}."},
        {"not fits(shape(a)[-2], shape(a)[-1])",
         "!minor dimensions of 'a' must have equal size, got shape {shape(a)}."},
        {"infer type(a)"}),

    [STABLEHLO_clamp] = CHK_RULES(
        {"rank(min) != 0 and not fits(shape(min), shape(operand))",
         "!min shape [{shape(min)}] is not scalar and is not compatible to operand shape [{shape(operand)}]"},
        {"rank(max) != 0 and not fits(shape(max), shape(operand))",
         "!max shape [{shape(max)}] is not scalar and is not compatible to operand shape [{shape(operand)}]"},
        {"infer type(operand)"}),

    [STABLEHLO_collective_reduce] = CHK_RULES({.infer = stablehlo_infer_collective_result}),

    [STABLEHLO_concatenate] = CHK_RULES(
        {"|inputs| == 0"},
        {"let first = inputs[0]"},
        {"rank(first) == 0", "!rank-0 values cannot be concatenated"},
        {"loop k < |inputs|"},
        {"rank(inputs[k]) != rank(first)",
         "!operands (0) and ({k}) do not match rank"},
        {"dimension < rank(first) and not fits(with(shape(inputs[k]), dimension, 0), with(shape(first), dimension, 0))",
         "!shapes of operand (0) and ({k}) are not compatible at non-concat index {unlike(with(shape(first), dimension, 0), with(shape(inputs[k]), dimension, 0))}: ({shape(first)}) != ({shape(inputs[k])})"},
        {"end"},
        {"dimension >= rank(first)",
         "!dimension {dimension} is out-of-bounds for input rank {rank(first)}"},
        {.infer = stablehlo_infer_concatenate}),

    [STABLEHLO_dynamic_gather] = CHK_RULES(
        GATHER_NUMBERS,
        {"not dynamic(dim(slice_sizes, 0)) and dim(slice_sizes, 0) != rank(operand)",
         "!slice_sizes size ({dim(slice_sizes, 0)}) not equal to operand rank ({rank(operand)})"},
        {"let sizes = ints(slice_sizes) ? ints(slice_sizes) : {}"},
        {"loop known < (|sizes| == rank(operand) ? 1 : 0)"},
        GATHER_SLICES,
        {"end"},
        GATHER_OFFSETS, {.infer = stablehlo_infer_gather}),

    [STABLEHLO_dynamic_slice] = CHK_RULES(
        {"|slice_sizes| != |start_indices|",
         "!has mismatched number of slice sizes ({|slice_sizes|}) and number of start indices ({|start_indices|})"},
        {"rank(operand) != |start_indices|",
         "!has mismatched number of start indices ({|start_indices|}) and the rank of operand ({rank(operand)})"},
        ONE_START_TYPE,
        {"each d in slice_sizes : d < 0",
         "!has negative size index to dynamic slice: {d}"},
        {"each i < |slice_sizes| : not dynamic(dim(operand, i)) and slice_sizes[i] > dim(operand, i)",
         "!has slice size {slice_sizes[i]} greater than dimension size {dim(operand, i)} in dimension {i} of operand"},
        {"infer tensor(slice_sizes, elt(operand))"}),

    [STABLEHLO_dynamic_update_slice] = CHK_RULES(
        {"rank(update) != rank(operand)",
         "!update rank does not match operand rank: {rank(update)} vs {rank(operand)}."},
        {"|start_indices| != rank(operand)",
         "!expects number of start_indices to match operand rank: {|start_indices|} vs {rank(operand)}."},
        ONE_START_TYPE,
        {"each i < rank(operand) : not dynamic(dim(operand, i)) and not dynamic(dim(update, i)) and dim(update, i) > dim(operand, i)",
         "!expects size at dimension {i} of update to be in range [0, {dim(operand, i)}]. Got: {dim(update, i)}."},
        {"infer type(operand)"}),

    [STABLEHLO_gather] = CHK_RULES(
        GATHER_NUMBERS,
        {"let sizes = slice_sizes"},
        {"|sizes| != rank(operand)",
         "!slice_sizes size ({|sizes|}) not equal to operand rank ({rank(operand)})"},
        GATHER_SLICES, GATHER_OFFSETS, {.infer = stablehlo_infer_gather}),

    [STABLEHLO_get_dimension_size] = CHK_RULES(DIMENSION_IN_RANGE, {.infer = stablehlo_infer_size}),

    [STABLEHLO_get_tuple_element] = INFERS(stablehlo_infer_member),

    [STABLEHLO_if] = CHK_RULES({.infer = stablehlo_infer_conditional}),

    [STABLEHLO_map] = CHK_RULES({.infer = stablehlo_infer_map}),

    [STABLEHLO_pad] = CHK_RULES(
        {"|edge_padding_low| != rank(operand)",
         "!edge_padding_low length ({|edge_padding_low|}) must match operand rank ({rank(operand)})"},
        {"|edge_padding_high| != rank(operand) or |interior_padding| != rank(operand)"},
        {"each d in interior_padding : d < 0",
         "!Interior padding cannot be negative: {d}"},
        {.infer = stablehlo_infer_pad}),

    [STABLEHLO_reduce] = CHK_RULES({.infer = stablehlo_infer_reduce}),

    [STABLEHLO_reduce_window] = CHK_RULES({.infer = stablehlo_infer_reduce_window}),

    [STABLEHLO_scatter] = CHK_RULES({.infer = stablehlo_infer_scatter}),

    [STABLEHLO_select_and_scatter] = CHK_RULES({.infer = stablehlo_infer_select_and_scatter}),

    [STABLEHLO_select] = CHK_RULES(
        {.run = check_select_types},
        {"rank(pred) != 0 and not fits(shape(pred), shape(on_true))",
         "!requires the same shape for all operands"},
        {.infer = stablehlo_infer_select}),

    [STABLEHLO_set_dimension_size] = CHK_RULES(
        {"rank(size) != 0", "!size operand should be of rank-0"},
        DIMENSION_IN_RANGE,
        {.infer = stablehlo_infer_set_dimension_size}),

    [STABLEHLO_slice] = CHK_RULES(
        {"|start_indices| != rank(operand)",
         "!the number of elements in start_indices ({|start_indices|}) does not match the rank of the operand ({rank(operand)})"},
        {"loop i < rank(operand)"},
        {"start_indices[i] < 0",
         "!negative start index {start_indices[i]} in dimension {i}"},
        {"not dynamic(dim(operand, i)) and limit_indices[i] > dim(operand, i)",
         "!limit index {limit_indices[i]} is larger than dimension size {dim(operand, i)} in dimension {i}"},
        {"start_indices[i] > limit_indices[i]",
         "!start index {start_indices[i]} is larger than limit index {limit_indices[i]} in dimension {i}"},
        {"strides[i] <= 0",
         "!stride must be positive but got {strides[i]} in dimension {i}"},
        {"end"},
        {.infer = stablehlo_infer_slice}),

    [STABLEHLO_transpose] = CHK_RULES(
        {"|permutation| != rank(operand)",
         "!TransposeOp operand rank {rank(operand)} does not match permutation size {|permutation|}"},
        {"not is_permutation(permutation)",
         "!attribute permutation must be a permutation of [{range(rank(operand))}] but got {permutation}"},
        {.infer = stablehlo_infer_transpose}),

    [STABLEHLO_triangular_solve] = CHK_RULES(
        {"rank(a) < 2", "!operand 'a' must have rank >= 2, but got {type(a)}"},
        {"not fits(shape(a)[-2], shape(a)[-1])",
         "!two minor dimensions of operand 'a' must be compatible, but got {type(a)}"},
        {"rank(a) != rank(b)",
         "!operands must have equal rank, but got {type(a)} and {type(b)}"},
        {"left_side ? not fits(shape(a)[-1], shape(b)[-2]) : not fits(shape(a)[-1], shape(b)[-1])",
         "!shared dimension of operands 'a' and 'b' must be compatible, but got {type(a)} and {type(b)}"},
        {"not fits(part(shape(a), 0, -2), part(shape(b), 0, -2))",
         "!batch dimensions of the operands must be compatible, but got {type(a)} and {type(b)}"},
        {"transpose_a == 'TRANSPOSE_INVALID'",
         "!Invalid transpose option value for triangular solve"},
        {"infer type(b)"}),

    [STABLEHLO_tuple] = INFERS(stablehlo_infer_tuple),

    [STABLEHLO_uniform_dequantize] = INFERS(stablehlo_infer_dequantized),

    [STABLEHLO_while] = INFERS(stablehlo_infer_operands),
};

static const chk_rules own[STABLEHLO_OP_COUNT] = {
    [STABLEHLO_add] = CHK_RULES({.run = stablehlo_verify_add}),
    [STABLEHLO_custom_call] = CHK_RULES({.run = stablehlo_verify_custom_call}),
    [STABLEHLO_infeed] = CHK_RULES({.run = stablehlo_verify_infeed}),
    [STABLEHLO_recv] = CHK_RULES({.run = stablehlo_verify_recv}),
    [STABLEHLO_transpose] = CHK_RULES({.run = stablehlo_verify_quantized_transpose}),
    [STABLEHLO_uniform_quantize] = CHK_RULES({.run = stablehlo_verify_uniform_quantize}),

    [STABLEHLO_all_gather] = CHK_RULES({.run = stablehlo_verify_all_gather}),

    [STABLEHLO_all_reduce] = CHK_RULES({.run = stablehlo_verify_all_reduce}),

    [STABLEHLO_bitcast_convert] = CHK_RULES(
        {"is_complex(elt(operand)) != is_complex(elt(result))",
         "!cannot convert between real and complex types, but got: {type(operand)} and {type(result)}"},
        {"let from = bit_width(elt(operand))"},
        {"let to = bit_width(elt(result))"},
        {"not from or not to"},
        {"let small = from < to ? shape(operand) : shape(result)"},
        {"let large = from < to ? shape(result) : shape(operand)"},
        {"from != to and |small| != |large| + 1",
         "!rank of smaller element type ({|small|}) should be 1 more than rank of larger element type ({|large|}), but {|small|} != {|large|} + 1."},
        {"from != to and not dynamic(small[-1]) and small[-1] * min(from, to) != max(from, to)",
         "!requires compatible bit widths. Got: {type(operand)} and {type(result)}, but {min(from, to)} * {small[-1]} != {max(from, to)}."},
        {"let prefix = from == to ? small : part(small, 0, -1)"},
        {"each i < min(|prefix|, |large|) : not fits(prefix[i], large[i])",
         "!operand and result shapes must match except for the innermost dimension of the shape with the smaller element type. Got: {type(operand)} and {type(result)}."}),

    [STABLEHLO_broadcast_in_dim] = CHK_RULES(
        {.run = stablehlo_verify_same_scale},
        A_DIMENSION_FOR_EACH,
        FOR_EACH_DIMENSION,
        {"not dynamic(dim(operand, i)) and dim(operand, i) != 1 and not fits(dim(operand, i), dim(result, d))",
         "!size of operand dimension {i} ({dim(operand, i)}) is not equal to 1 or size of result dimension {d} ({dim(result, d)})"},
        {"end"},
        {.run = stablehlo_verify_quantized_broadcast}),

    [STABLEHLO_collective_broadcast] = CHK_RULES({.run = stablehlo_verify_collective_broadcast}),

    [STABLEHLO_collective_permute] = CHK_RULES(
        {"let shape = shape(attr_type(source_target_pairs))"},
        {"|shape| != 2",
         "!expect source_target_pairs attribute to be of rank 2, but got rank {|shape|}"},
        {"shape[1] != 2",
         "!expect source_target_pairs attribute of shape (N, 2), but got ({shape})"},
        {"each d in source_target_pairs : d < 0",
         "!replica ids in source_target_pairs must be >= 0."},
        {"not unique_of_pairs(source_target_pairs, 0)",
         "!duplicate sources not allowed."},
        {"not unique_of_pairs(source_target_pairs, 1)",
         "!duplicate targets not allowed."}),

    [STABLEHLO_collective_reduce] = CHK_RULES({.run = stablehlo_verify_collective_reduce}),

    [STABLEHLO_convolution] = CHK_RULES({.run = stablehlo_verify_convolution}, {.run = stablehlo_verify_quantized_product}),

    [STABLEHLO_dynamic_broadcast_in_dim] = CHK_RULES(
        SAME_ELEMENTS,
        A_DIMENSION_FOR_EACH,
        {"rank(result) < rank(operand)",
         "!result rank ({rank(result)}) is less than operand rank ({rank(operand)})"},
        FOR_EACH_DIMENSION,
        {"dim(operand, i) != 1 and not fits(dim(operand, i), dim(result, d))",
         "!size of operand dimension {i} ({dim(operand, i)}) is not compatible with size of result dimension {d} ({dim(result, d)})"},
        {"end"},
        FITS_RESULT("output_dimensions"),
        {"let expanding = known_expanding_dimensions ? known_expanding_dimensions : {}"},
        {"let other = known_nonexpanding_dimensions ? known_nonexpanding_dimensions : {}"},
        {"let hints = cat(expanding, other)"},
        {"not unique(hints)",
         "!duplicate expansion hint for at least one operand dimension"},
        {"each d in hints : d < 0 or d >= rank(operand)",
         "!hint for expanding dimension {d} does not refer to a valid operand dimension"},
        {"let sizes = ints(output_dimensions) ? ints(output_dimensions) : {}"},
        {"each i < (|sizes| > 0 and not dynamic(shape(operand)) ? rank(operand) : 0) : dim(operand, i) != 1 and dim(operand, i) != sizes[broadcast_dimensions[i]]",
         "!size of operand dimension {i} ({dim(operand, i)}) is not equal to 1 or value of shape at index {broadcast_dimensions[i]} ({sizes[broadcast_dimensions[i]]})"},
        {.run = stablehlo_verify_quantized_broadcast}),

    [STABLEHLO_dynamic_conv] = CHK_RULES({.run = stablehlo_verify_dynamic_conv}, {.run = stablehlo_verify_quantized_product}),

    [STABLEHLO_dynamic_pad] = CHK_RULES(
        {"dim(edge_padding_low, 0) != rank(operand)",
         "!padding operands size ({dim(edge_padding_low, 0)}) must match operand rank ({rank(operand)})"},
        {"let inner = ints(interior_padding)"},
        {"each d in inner : d < 0",
         "!interior_padding must be non-negative, but got {inner}"},
        {"let low = ints(edge_padding_low)"},
        {"let high = ints(edge_padding_high)"},
        {"not inner or not low or not high or dynamic(shape(operand)) or dynamic(shape(result))"},
        {"loop i < rank(operand)"},
        {"let wanted = dim(operand, i) + low[i] + max(dim(operand, i) - 1, 0) * inner[i] + high[i]"},
        {"dim(result, i) != wanted",
         "!expected output dimension at index {i} to equal {wanted}, but got {dim(result, i)}"},
        {"end"}),

    [STABLEHLO_dynamic_iota] = CHK_RULES(
        {"iota_dimension >= rank(result)", "!iota dimension cannot go beyond the output rank."},
        FITS_RESULT("output_shape")),

    [STABLEHLO_dynamic_reshape] = CHK_RULES(
        SAME_ELEMENTS,
        {"not dynamic(shape(operand)) and not dynamic(shape(result)) and count(result) != count(operand)",
         "!number of output elements ({count(result)}) doesn't match expected number of elements ({count(operand)})"},
        FITS_RESULT("output_shape"),
        {"dim(output_shape, 0) != rank(result)",
         "!result should have a rank equal to the number of elements in output_shape"},
        {"wanted and not dynamic(shape(operand)) and product(wanted) != count(operand)",
         "!output_shape is incompatible with input type of operation: input has {count(operand)} elements, but output_shape has {product(wanted)}"},
        {.run = stablehlo_verify_quantized_shape}),

    [STABLEHLO_dot_general] = CHK_RULES(
        DOT_LISTS("dot_dimension_numbers"), DOT_CHECKS,
        {.infer = stablehlo_infer_dot_general},
        {"let free = without(shape(lhs), cat(lhs_batching_dimensions, lhs_contracting_dimensions))"},
        {"let other = without(shape(rhs), cat(rhs_batching_dimensions, rhs_contracting_dimensions))"},
        {"let inferred = cat(permute(shape(lhs), lhs_batching_dimensions), cat(free, other))"},
        {"not fits(inferred, shape(result))",
         "!inferred shape '[{inferred}]' is incompatible with return type of operation {type(result)}"},
        {"algorithm and not all_default(precision_config)",
         "!must specify DEFAULT precision config when algorithm is set."},
        {.run = stablehlo_verify_quantized_product}),

    [STABLEHLO_dot] = CHK_RULES(
        {"|precision_config| > 2",
         "!expects precision config to be empty or have <= 2 elements, got {|precision_config|}"},
        {.infer = stablehlo_infer_dot},
        {"let inferred = cat(part(shape(lhs), 0, rank(lhs) - 1), part(shape(rhs), 1, rank(rhs)))"},
        {"not fits(inferred, shape(result))",
         "!inferred shape '[{inferred}]' is incompatible with return type of operation {type(result)}"}),

    [STABLEHLO_iota] = CHK_RULES(
        {"rank(result) == 0", "!does not support scalars."},
        {"iota_dimension >= rank(result)", "!iota dimension cannot go beyond the output rank."}),

    [STABLEHLO_real_dynamic_slice] = CHK_RULES(
        LISTED("start_indices"), LISTED("limit_indices"), LISTED("strides")),

    [STABLEHLO_reduce] = CHK_RULES({.run = stablehlo_verify_reduce}),

    [STABLEHLO_reduce_scatter] = CHK_RULES({.run = stablehlo_verify_reduce_scatter}),

    [STABLEHLO_reduce_window] = CHK_RULES({.run = stablehlo_verify_reduce_window}),

    [STABLEHLO_reshape] = CHK_RULES(
        {"dynamic(shape(operand)) or dynamic(shape(result))"},
        {"count(result) != count(operand)",
         "!number of output elements ({count(result)}) doesn't match expected number of elements ({count(operand)})"},
        {.run = stablehlo_verify_quantized_shape}),

    [STABLEHLO_reverse] = CHK_RULES(
        {"not unique(dimensions)", "!dimensions should be unique. Got: {dimensions}"},
        {"each d in dimensions : d < 0",
         "!all dimensions should be non-negative. Got dimension: {d}."},
        {"each d in dimensions : d >= rank(operand)",
         "!all dimensions should be between [0, {rank(operand)}). Got dimension: {d}."}),

    [STABLEHLO_rng_bit_generator] = CHK_RULES(
        {"not fits(shape(initial_state), shape(output_state))",
         "!output state shape must be compatible with initial state shape. Got: {type(initial_state)} and {type(output_state)}"}),

    [STABLEHLO_scatter] = CHK_RULES(
        {"each x in inputs : not fits(shape(inputs[0]), shape(x))",
         "!Not all inputs have compatible shapes."},
        {"each x in updates : not fits(shape(updates[0]), shape(x))",
         "!Not all updates have compatible shapes."},
        {"let n = scatter_dimension_numbers"},
        {"let update_window_dims = param(n, 'updateWindowDims')"},
        {"let inserted_window_dims = param(n, 'insertedWindowDims')"},
        {"let input_batching_dims = param(n, 'inputBatchingDims')"},
        {"let scatter_indices_batching_dims = param(n, 'scatterIndicesBatchingDims')"},
        {"let scatter_dims_to_operand_dims = param(n, 'scatterDimsToOperandDims')"},
        {"let index_vector_dim = param(n, 'indexVectorDim')"},
        {"index_vector_dim < 0 or index_vector_dim > rank(scatter_indices)",
         "!Expects index_vector_dim to be in range [0, rank-of('scatter_indices')] i.e. [0, {rank(scatter_indices)}]. got: {index_vector_dim}."},
        {.run = stablehlo_verify_scatter_body},
        {"let indices = index_vector_dim == rank(scatter_indices) ? cat(shape(scatter_indices), {1}) : shape(scatter_indices)"},
        {"let rank = |indices| - 1 + |update_window_dims|"},
        {"each x in updates : rank(x) != rank",
         "!expects updates tensor must be of rank {rank} ( == rank-of('scatter_indices') - 1 + size-of('update_window_dims'), where 'scatter_indices' is expanded by a trailing 1 dimension if 'index_vector_dim' == rank-of('scatter_indices')), but got {rank(x)}."},
        {"|inputs| == 0 or |updates| == 0"},
        {"let operand = inputs[0]"},
        {"let update = updates[0]"},
        {"let size = |update_window_dims| + |inserted_window_dims| + |input_batching_dims|"},
        {"rank(operand) != size",
         "!Expects rank-of operand to match size-of('update_window_dims') + size-of('inserted_window_dims') + size-of('input_batching_dims') i.e. {size} but got {rank(operand)}."},
        SORTED_("update_window_dims"), UNIQUE_("update_window_dims"),
        EACH_BELOW("update_window_dims", "rank(update)", "rank-of('updates')"),
        DISTINCT("inserted_window_dims", "input_batching_dims"),
        SORTED_("inserted_window_dims"),
        EACH_BELOW("inserted_window_dims", "rank(operand)", "rank-of('operand')"),
        SORTED_("input_batching_dims"),
        EACH_BELOW("input_batching_dims", "rank(operand)", "rank-of('operand')"),
        UNIQUE_("scatter_indices_batching_dims"),
        EACH_BELOW("scatter_indices_batching_dims", "|indices|", "rank-of('scatter_indices')"),
        {"index_vector_dim in scatter_indices_batching_dims",
         "!expects scatter_indices_batching_dims not to include index_vector_dim {index_vector_dim}."},
        {"|input_batching_dims| != |scatter_indices_batching_dims|",
         "!input_batching_dims and scatter_indices_batching_dims should have the same size."},
        {"each i < |input_batching_dims| : not fits(dim(operand, input_batching_dims[i]), indices[scatter_indices_batching_dims[i]])",
         "!input_batching_dims[{i}] and scatter_indices_batching_dims[{i}] must have compatible sizes, but got {dim(operand, input_batching_dims[i])} and {indices[scatter_indices_batching_dims[i]]}."},
        {"let bound = indices[index_vector_dim]"},
        {"not dynamic(bound) and |scatter_dims_to_operand_dims| != bound",
         "!Scatter op has {|scatter_dims_to_operand_dims|} elements in scatter_dims_to_operand_dims and the bound of dimension index_vector_dim={index_vector_dim} of scatter_indices is {bound}. These two numbers must be equal."},
        DISTINCT("scatter_dims_to_operand_dims", "input_batching_dims"),
        EACH_BELOW("scatter_dims_to_operand_dims", "rank(operand)", "rank-of('operand')"),
        {"let window = without(shape(operand), cat(inserted_window_dims, input_batching_dims))"},
        {"each i < |update_window_dims| : not dynamic(dim(update, update_window_dims[i])) and not dynamic(window[i]) and dim(update, update_window_dims[i]) > window[i]",
         "!expects bounds of the window dimensions of updates to not exceed the bounds of the corresponding dimensions of operand. For dimension {update_window_dims[i]}, updates bound is {dim(update, update_window_dims[i])}, operand bound is {window[i]}."},
        {"let scatter_dims = without(range(rank(update)), update_window_dims)"},
        {"let wanted = without(indices, {index_vector_dim})"},
        {"each i < |scatter_dims| : not fits(dim(update, scatter_dims[i]), wanted[i])",
         "!expects bounds of the scatter dimensions of updates to be same as the bounds of the corresponding dimensions of scatter indices. For scatter dimension {scatter_dims[i]}, updates bound is {dim(update, scatter_dims[i])} , scatter_indices bound is {wanted[i]}."}),

    [STABLEHLO_select_and_scatter] = CHK_RULES({.run = stablehlo_verify_select_and_scatter}),

    [STABLEHLO_sort] = CHK_RULES(
        {"each x in inputs : dimension < -rank(x) or dimension >= rank(x)",
         "!dimension attribute value must be in range [-{rank(x)}, {rank(x)}), but found {dimension}"},
        {.run = stablehlo_verify_sort}),

    [STABLEHLO_while] = CHK_RULES({.run = stablehlo_verify_while}),
};
/* clang-format on */

chk_rules stablehlo_inference_rules(const ir_op_def *def)
{
    return inference[def - stablehlo_ops];
}

chk_rules stablehlo_own_rules(const ir_op_def *def)
{
    return own[def - stablehlo_ops];
}
