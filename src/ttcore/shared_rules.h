/* shared_rules.h: rule lists (ir/rules/rules.h) shared by operations of several
 * dialects. */
#ifndef TILEWRIGHT_TTCORE_SHARED_RULES_H
#define TILEWRIGHT_TTCORE_SHARED_RULES_H

#include "ir/rules/rules.h"

/* clang-format off */
/* Rules that several lists have. */
#define ATTENTION_IN_4D \
    {"|shape(query)| != 4", "Query must be a 4D tensor"}, \
    {"|shape(key)| != 4", "Key/Value must be a 4D tensor"}, \
    {"|shape(result)| != 4", "Output must be a 4D tensor"}
#define SAME_SHAPE {"shape(input) != shape(result)", "input and output must have the same shape"}
#define SHIFTS_INTEGERS \
    {"not is_int(elt(lhs))", "Left operand element type must be integer, but got {elt(lhs)}"}, \
    {"not is_int(elt(rhs))", "Right operand element type must be integer, but got {elt(rhs)}"}, \
    {"not is_int(elt(result))", "Output element type must be integer, but got {elt(result)}"}
#define ON_ONE_AXIS \
    {"num_devices <= 0", "num_devices must be positive"}, \
    {"cluster_axis < 0 or cluster_axis > 1", "cluster_axis must be 0 or 1"}
#define MASK_IN_4D \
    {"given attention_mask : is_causal", "Attention mask is not allowed when is_causal is true"}, \
    {"given attention_mask : |shape(attention_mask)| != 4", "Attention mask must be a 4D tensor"}
#define NO_SCALAR {"rank(input) < 1", "Input must be at least a 1D tensor"}
#define DISPATCHED_INPUTS \
    {"rank(input_tensor) != 4", "input_tensor must be a 4D tensor [1, 1, M, H]"}, \
    {"rank(expert_indices) != 4", "expert_indices must be a 4D tensor [1, 1, M, K]"}, \
    {"rank(expert_scores) != 4", "expert_scores must be a 4D tensor [1, 1, M, K]"}
#define DISPATCHED_RESULTS \
    {"rank(dispatched) != 3", "dispatched output must be a 3D tensor [1, tokens_global, H]"}, \
    {"rank(indices) != 3", "indices output must be a 3D tensor [1, tokens_global, K]"}, \
    {"rank(scores) != 3", "scores output must be a 3D tensor [1, tokens_global, K]"}
#define GELU_BACKWARD \
    {"approximate != 'none' and approximate != 'tanh'", "approximate attribute must be either 'none' or 'tanh', but got '{approximate}'"}, \
    {"rank(lhs) < 2 or rank(lhs) > 4", "gradient tensor (lhs) must have rank 2, 3, or 4, but got rank {rank(lhs)}"}, \
    {"rank(rhs) < 2 or rank(rhs) > 4", "input tensor (rhs) must have rank 2, 3, or 4, but got rank {rank(rhs)}"}
#define EXPERT_TENSORS \
    {"rank(topk_tensor) != 4", "topk_tensor must be a 4D tensor [D, B, S, E]"}, \
    {"rank(expert_mapping) != 4", "expert_mapping must be a 4D tensor [1, 1, E, D]"}, \
    {"rank(expert_metadata) != 4", "expert_metadata must be a 4D tensor [D, B, S, K]"}
#define RESHAPES \
    {"|shape| != rank(result)", "Shape attribute size {|shape|} must match output tensor rank {rank(result)}"}, \
    {"count(input) != count(result)", "Input tensor number of elements {count(input)} and output tensor number of elements {count(result)} must be the same"}, \
    {"occurs(shape, -1) > 1", "Shape attribute must have at most one -1 element"}
#define CONVOLVES_IN_4D \
    {"rank(input) != 4", "Input must be a 4D tensor"}, \
    {"rank(result) != 4", "Output must be a 4D tensor"}, \
    {"rank(weight) != 4", "Weight must be a 4D tensor"}
#define CACHE_IN_4D \
    {"dtype(cache) != dtype(input)", "Cache and input tensors must have the same dtype. Got cache dtype = {dtype(cache)}, input dtype = {dtype(input)}"}, \
    {"rank(cache) != 4", "Cache tensor must be a 4D tensor"}, \
    {"rank(input) != 4", "Input tensor must be a 4D tensor"}
#define INTERMEDIATE_SIZE {"intermediate_size == 0 or intermediate_size % 32 != 0", "intermediate_size must be a positive multiple of 32"}
#define CONCATENATED_DIM \
    {"dim < -rank(first) or dim >= rank(first)", "Invalid dimension {dim} for concatenation."}, \
    {"let dim = dim < 0 ? dim + rank(first) : dim"}
#define BIAS_OF_PRODUCT \
    {"bias and rank(bias) < 1", "Bias must be at least a 1D tensor"}, \
    {"bias and not broadcast(expected, shape(bias))", "Bias shape({join(shape(bias), ',')}) is not broadcast compatible with the matmul output shape({join(expected, ',')})"}
#define EXPERT_SHARDS \
    {"output_height_shard_dim == 0", "output_height_shard_dim must be positive"}, \
    {"rank(tilize_input_tensor) < 2", "tilize_input_tensor must have rank >= 2"}
#define PADDED_SHAPE \
    {"let padded = padded(shape(input), padding)"}, \
    {"shape(result) != padded", "Output tensor shape ({join(shape(result), ',')}) must match the inferred shape: ({join(padded, ',')})"}
#define MASK_BROADCASTS \
    {"given attention_mask : shape(attention_mask)[0] != 1 and shape(attention_mask)[0] != shape(query)[0]", "Attention mask batch size must be 1 (broadcast) or match query batch size"}, \
    {"given attention_mask : shape(attention_mask)[1] != 1 and shape(attention_mask)[1] != shape(query)[1]", "Attention mask dim 1 must be 1 (broadcast) or match query num heads"}
#define SORTED_RESULTS \
    {"type(input) != type(values)", "Sorted tensor type does not match with input tensor."}, \
    {"shape(input) != shape(indices)", "Indices shape does not match with input tensor shape."}
#define SLICED_RESULT \
    {"elt(input) != elt(result)", "Output tensor must have the same element type as the input tensor"}, \
    {"rank(input) != rank(result)", "Output tensor must have the same rank as the input tensor"}
#define PAGED_CACHE_IN_4D \
    {"|shape(cache)| != 4", "Cache tensor must be a 4D tensor"}, \
    {"|shape(input)| != 4", "Input tensor must be a 4D tensor"}
#define PAGE_TABLE_OF_INTEGERS {"not is_int(elt(page_table))", "Page table must be an integer tensor."}
#define ALLOC_SIZE {"size == 0", "Alloc size must be non-zero"}
#define RANGE_IS_VALID {"((end - start) / step) <= 0", "Invalid range: start={start}, end={end}, step={step}"}
#define FIRST_INPUT {"let first = inputs[0]"}
#define CONSTANT_VALUE {"not is_dense(value)", "value attribute must be one of DenseResourceElementsAttr or DenseElementsAttr."}
#define CONV1D_WEIGHT {"rank(weight) != 3", "weight must be a 3D tensor (O, C/G, K)"}
#define EMBEDDING_WEIGHT_IN_2D {"rank(weight) != 2", "Input must be a 2D tensor"}
#define EMBEDDING_GRADIENT {"elt(in_gradient) != elt(result)", "Input gradient and output must have the same dtype"}
#define GELU_RANKS {"rank(lhs) != rank(rhs)", "gradient tensor (lhs) and input tensor (rhs) must have the same rank, but got lhs rank {rank(lhs)} and rhs rank {rank(rhs)}"}
#define POSITIVE_GROUPS {"num_groups <= 0", "num_groups must be positive, got {num_groups}"}
#define POSITIVE_REDUCTION {"reduction_size <= 0", "reduction_size must be positive"}
#define PADDING_OF_EACH_SIDE {"|padding| != 2 * rank(input)", "Padding must have the same number of elements as twice the rank of the input tensor"}
#define REPEATED_RANK {"rank(input) != rank(result)", "Input tensor rank {rank(input)} doesn't match the output tensor rank {rank(result)}."}
#define SAMPLED_SHAPES {"shape(input_values) != shape(input_indices)", "input_values and input_indices must have the same shape"}
#define SAMPLED_K {"rank(k) != 1", "k must be 1D [batch]"}
#define SAMPLED_P {"rank(p) != 1", "p must be 1D [batch]"}
#define SAMPLED_TEMPERATURE {"rank(temp) != 1", "temp must be 1D [batch]"}
#define HEAD_SIZES {"shape(key)[3] != shape(query)[3]", "Key/Value head size must match query head size"}
#define ONE_QUERY {"shape(query)[0] != 1", "Query dim 0 must be 1"}
#define SLICE_BOUNDS_IN_1D {"rank(begins) != 1 or rank(ends) != 1", "Begins and ends must be 1D tensors"}
#define SORTED_DIM {"dim >= rank(input) or dim < -rank(input)", "Dimension out of range (expected to be in range of [{-rank(input)}, {rank(input) - 1}], but got {dim})"}
#define GROUPED_CHANNELS {"C % groups != 0", "The number of input channels from the input tensor ({C}) is not divisible by the number of groups ({groups})."}
#define BIAS_IN_4D {"bias and rank(bias) != 4", "Bias must be a 4D tensor"}
#define ATTENTION_OF_FLOATS {"not is_float(elt(query)) or not is_float(elt(key)) or not is_float(elt(value))", "Query, key, and value must be float tensors."}
#define KEY_VALUE_HEADS {"let kv = num_kv_heads ? num_kv_heads : num_heads"}
#define INPUT_OF_FLOATS {"not is_float(elt(input))", "Input tensor must be a floating point type"}
#define EXPERT_MAPPING_IN_4D {"rank(expert_mapping) != 4", "expert_mapping must be a 4D tensor [1, 1, E, D]"}
#define QUERY_IN_4D {"|shape(query)| != 4", "Query must be a 4D tensor."}
#define PAGE_TABLE_IN_2D {"|shape(page_table)| != 2", "Page table tensor must be a 2D tensor."}
#define VALUE_TYPE_AS_KEY {"type(key) != type(value)", "Key and value must have the same shape and data type."}
#define QUERY_HEAD_SIZE {"shape(query)[3] != shape(key)[3]", "Query head size must match key/value head size."}

/* dim_arg, keep_dim */
#define REDUCES(x)                                                                              \
    {"each d in dim_arg : d < -rank(" #x ") or d >= rank(" #x ")",                              \
     "Reduce dimension {d} is out of range for input tensor of rank {rank(" #x ")}"},           \
    {"dim_arg and not unique(dim_arg)", "Reduce dimensions are not unique"},                    \
    {"let expected = reduced(shape(" #x "), dim_arg, keep_dim)"},                               \
    {"shape(result) != expected", "Expected output shape ({expected}), got ({shape(result)})"}

/* A vector on the left is a row, one on the right a column; both unit dimensions are
 * dropped. */
#define MULTIPLIES                                                                              \
    {"rank(a) < 1", "Input A must be at least a 1D tensor"},                                    \
    {"rank(b) < 1", "Input B must be at least a 1D tensor"},                                    \
    {"let x = rank(a) == 1 ? cat({1}, shape(a)) : transpose_a ? swapped(shape(a)) : shape(a)"}, \
    {"let y = rank(b) == 1 ? cat(shape(b), {1}) : transpose_b ? swapped(shape(b)) : shape(b)"}, \
    {"x[-1] != y[-2]",                                                                          \
     "Input A[-1]({x[-1]}) and B[-2]({y[-2]}) must have matching inner dimensions"},            \
    {"let batch = broadcast(part(x, 0, -2), part(y, 0, -2))"},                                  \
    {"not batch",                                                                               \
     "Batch dimensions of input A({join(part(x, 0, -2), ',')}) and B({join(part(y, 0, -2), "    \
     "',')}) are not broadcast compatible"},                                                    \
    {"let rows = rank(a) > 1 ? cat(batch, {x[-2]}) : batch"},                                   \
    {"let expected = rank(b) > 1 ? cat(rows, {y[-1]}) : rows"}

#define FITS_PRODUCT                                                                            \
    {"|expected| == 0 and rank(result) < 1",                                                    \
     "Scalar output is not supported, output must be at least a 1D tensor"},                    \
    {"|expected| == 0 and shape(result) != {1}", "Scalar output must be a 1D tensor of size 1"},\
    {"|expected| == 0"},                                                                        \
    {"rank(result) != |expected|",                                                              \
     "Output shape rank({rank(result)}) must match the expected output shape rank("             \
     "{|expected|})"},                                                                          \
    {"each i < |expected| : dim(result, i) != expected[i]",                                     \
     "Output shape dimension[{i}]({dim(result, i)}) doesn't match the expected output shape "   \
     "dimension[{i}]({expected[i]})"}

/* Bounds of a slice along dimension `i` of the input. */
#define SLICE_BOUNDS(given, i, b, e, s)                                                         \
    {given               \
          "(wrap(" b ", dim(input, " i ")) < 0 or "                                             \
          "wrap(" b ", dim(input, " i ")) >= dim(input, " i "))",                               \
     "Invalid begin index for dimension {" i "}. Expected value in range [{-dim(input, " i      \
     ")}, {dim(input, " i ")}), got {" b "}. Input shape: ({shape(input)})"},                   \
    {given               \
          "(wrap(" e ", dim(input, " i ")) < 0 or "                                             \
          "wrap(" e ", dim(input, " i ")) > dim(input, " i "))",                                \
     "Invalid end index for dimension {" i "}. Expected value in range [{-dim(input, " i        \
     ")}, {dim(input, " i ")}], got {" e "}. Input shape: ({shape(input)})"},                   \
    {s " == 0", "Step value for dimension {" i "} cannot be zero"},                        \
    {s " > 0 and wrap(" b ", dim(input, " i ")) > wrap(" e ", dim(input, " i "))",         \
     "For positive step, begin index must be less than or equal to end index for dimension {"   \
     i "}. Got begin: {wrapped(" b ", dim(input, " i "))}, end: {wrapped(" e ", dim(input, " i  \
     "))}, step: {" s "}, input shape: ({shape(input)})"},                                      \
    {s " < 0 and wrap(" b ", dim(input, " i ")) < wrap(" e ", dim(input, " i "))",         \
     "For negative step, begin index must be greater than or equal to end index for dimension " \
     "{" i "}. Got begin: {wrapped(" b ", dim(input, " i "))}, end: {wrapped(" e ", dim(input, "\
     i "))}, step: {" s "}, input shape: ({shape(input)})"},                                    \
    { "dim(result, " i ") != (abs(wrap(" e ", dim(input, " i ")) - wrap(" b ", dim(input, " \
          i "))) + abs(" s ") - 1) / abs(" s ")",                                               \
     "Mismatch in dimension {" i "} of the output tensor: expected size {(abs(wrap(" e          \
     ", dim(input, " i ")) - wrap(" b ", dim(input, " i "))) + abs(" s ") - 1) / abs(" s        \
     ")}, but got {dim(result, " i ")}"}

#define SLICE_TYPES                                                                             \
    SLICED_RESULT

#define SLICES                                                                                  \
    NO_SCALAR,                                  \
    {"rank(input) != |begins| or rank(input) != |ends| or rank(input) != |step|",               \
     "Begins, ends, and step attributes must have the same number of elements as the input "    \
     "tensor rank"},                                                                            \
    SLICE_TYPES, {"loop i < rank(input)"},                                                      \
    SLICE_BOUNDS("wrap(begins[i], dim(input, i)) != wrap(ends[i], dim(input, i)) and ", "i",    \
                 "begins[i]", "ends[i]", "step[i]"), {"end"}

/* mode, scale_factor */
#define UPSAMPLES \
    {"rank(input) != 4", \
     "Expected rank of input tensor is 4, got rank {rank(input)}"}, \
    {"rank(result) != 4", \
     "Expected rank of output tensor is 4, got rank {rank(result)}"}, \
    {"let s = pair(scale_factor)"}, \
    {"not s", \
     "{pair_error(scale_factor)}"}, \
    {"s[0] <= 0 or s[1] <= 0", \
     "Scale factors H = {s[0]} and W = {s[1]} must be positive integers"}, \
    {"dim(input, 1) * s[0] != dim(result, 1)", \
     "Expected output H dimension to be input H dimension * scaleH = {dim(input, 1) * s[0]}, got {dim(result, 1)}"}, \
    {"dim(input, 2) * s[1] != dim(result, 2)", \
     "Expected output W dimension to be input W dimension * scaleW = {dim(input, 2) * s[1]}, got {dim(result, 2)}"}, \
    {"dim(input, 0) != dim(result, 0)", \
     "Expected output N dimension to be {dim(input, 0)}, got {dim(result, 0)}"}, \
    {"dim(input, 3) != dim(result, 3)", \
     "Expected output C dimension to be {dim(input, 3)}, got {dim(result, 3)}"}, \
    {"mode not in {'nearest', 'bilinear'}", \
     "Expected modes are (nearest, bilinear), got \"{mode}\""}

#define SPLITS_HEADS                                                                            \
    {"rank(input_tensor) != 3",                                                                 \
     "expected rank of input tensor is 3, got rank {rank(input_tensor)}"},                      \
    {"rank(query) != 4 or rank(key) != 4 or rank(value) != 4",                                  \
     "expected rank of query/key/value output tensor is 4, got query rank: {rank(query)}, key " \
     "rank: {rank(key)}, value rank: {rank(value)}"},                                           \
    KEY_VALUE_HEADS,                                       \
    {"let own = not kv_input_tensor"},                                                          \
    {"let x = shape(input_tensor)"}, {"let kvin = own ? x : shape(kv_input_tensor)"},         \
    {"let size = own ? x[2] / (num_heads + 2 * kv) : x[2] / num_heads"},                      \
    {"let kvsize = own ? size : kvin[2] / (2 * kv)"},                                           \
    {"let q = {x[0], num_heads, x[1], size}"}, {"let v = {kvin[0], kv, kvin[1], kvsize}"},    \
    {"let k = transpose_key ? swapped(v) : v"},                                                 \
    {"q != shape(query)", "expected query output shape ({q}), got ({shape(query)})"},           \
    {"k != shape(key)", "expected key output shape ({k}), got ({shape(key)})"},                 \
    {"v != shape(value)", "expected value output shape ({v}), got ({shape(value)})"}

/* Element types of quantization. */
#define NOT_UNIFORM(x) "kind(elt(" x ")) not in {'quant.uniform', 'quant.uniform_per_axis'}"
#define QUANT_FROM_FLOAT(not_codes)                                                             \
    {"not is_float(elt(input))",                                                                \
     "Input element type must be float, but got {elt(input)}"},                                 \
    {not_codes("result"),                                                                       \
     "Output element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got "\
     "{elt(result)}"}
#define QUANT_TO_FLOAT(not_codes)                                                               \
    {not_codes("input"),                                                                        \
     "Input element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got " \
     "{elt(input)}"},                                                                           \
    {"not is_float(elt(result))",                                                               \
     "Output element type must be float, but got {elt(result)}"}
#define QUANT_ALIKE(not_codes)                                                                  \
    {not_codes("input") " or kind(elt(input)) != kind(elt(result))",                            \
     "Input and output element types must both be per-axis or both be per-tensor quantized "    \
     "types, but got {elt(input)} and {elt(result)}"}
#define QUANT_SHAPE(as)                                                                         \
    {"rank(input) != rank(result)",                                                             \
     "Input tensor rank of {rank(input)} does not match the output tensor rank of "             \
     "{rank(result)}"},                                                                         \
    {"shape(input) != shape(result)",                                                           \
     "Output tensor shape ({join(shape(result), ',')}) must match the " as ": "                 \
     "({join(shape(input), ',')})"}

/* Scales and zero points passed as operands: `axis`, then those of x. */
#define QUANT_AXIS                                                                              \
    {"axis and (axis < 0 or axis >= rank(input))",                                              \
     "Axis value {axis} is out of the range [0, {rank(input)}) for the input tensor of rank "   \
     "{rank(input)}"},                                                                          \
    QUANT_POINTS(input), QUANT_POINTS(result)
#define QUANT_POINTS(x)                                                                         \
    {"let q = elt(" #x ")"},                                                                    \
    {"let zeros = kind(q) == 'quant.uniform' ? {param(q, 'zeroPoint')} : "                      \
     "param(q, 'zeroPoints')"},                                                                 \
    {"let size = dim(" #x ", param(q, 'quantizedDimension'))"},                                 \
    {"kind(q) == 'quant.uniform_per_axis' and |zeros| != size",                                 \
     "Number of scales ({|zeros|}) does not match the size of the quantized axis ({size})"},    \
    {"each z in zeros : z < param(q, 'storageTypeMin') or "               \
     "z > param(q, 'storageTypeMax')",                                                          \
     "Zero point {z} is out of the range for storage type {param(q, 'storageType')}"}

/* ---- operations with the same rules in both dialects --------- */

#define FILL_CACHE_RULES \
    CACHE_IN_4D, \
    {"shape(input)[2] > shape(cache)[2]", \
     "Input tensor requires that dim 2 have a size which is less than or equal to the size of dim 2 of the cache tensor. Got cache dim 2 size = {shape(cache)[2]}, input dim 2 size = {shape(input)[2]}"}, \
    {"shape(cache)[1] != shape(input)[1] or shape(cache)[3] != shape(input)[3]", \
     "Cache tensor shape must match input tensor shape on dims 1 and 3. Got cache shape ({shape(cache)[0]}, {shape(cache)[1]}, {shape(cache)[2]}, {shape(cache)[3]}), input shape ({shape(input)[0]}, {shape(input)[1]}, {shape(input)[2]}, {shape(input)[3]})"}

#define UPDATE_CACHE_RULES \
    CACHE_IN_4D, \
    {"shape(input)[0] != 1", \
     "Input tensor requires that dim 0 have size 1, got input dim 0 size = {shape(input)[0]}"}, \
    {"shape(cache)[1] != shape(input)[1] or shape(cache)[3] != shape(input)[3]", \
     "Cache tensor shape must match input tensor shape on dims 1 and 3. Got cache shape ({shape(cache)[0]}, {shape(cache)[1]}, {shape(cache)[2]}, {shape(cache)[3]}), input shape (){shape(input)[0]}x{shape(input)[1]}x{shape(input)[2]}x{shape(input)[3]})"}

/* the optimizer state of a parameter */
#define ADAMW_RULES                                                                             \
    {"shape(grad) != shape(param)", "grad must have the same shape as param"},                  \
    {"shape(exp_avg) != shape(param)", "exp_avg must have the same shape as param"},            \
    {"shape(exp_avg_sq) != shape(param)", "exp_avg_sq must have the same shape as param"},      \
    {"max_exp_avg_sq and shape(max_exp_avg_sq) != shape(param)",                                \
     "max_exp_avg_sq must have the same shape as param"}

/* input_tensor, expert_metadata and expert_mapping of all_to_all_combine */
#define COMBINE_EXPERTS_RULES                                                                   \
    {"rank(input_tensor) != 4", "input_tensor must be a 4D tensor [E_local, B*D, S, H]"},       \
    {"rank(expert_metadata) != 4", "expert_metadata must be a 4D tensor [1, B*D, S, K]"},       \
    EXPERT_MAPPING_IN_4D,           \
    {"rank(result) != 4", "result must be a 4D tensor [K, B, S, H]"},                           \
    ON_ONE_AXIS,                    \
    {"num_experts_per_tok <= 0", "num_experts_per_tok must be positive"}

/* everything but the element types of query, key and value */
#define CHUNKED_ATTENTION_RULES                                                                 \
    {"rank(query) != 4", "Query must be a 4D tensor."},                                         \
    {"rank(key) != 4 or rank(value) != 4", "Key and value must be 4D tensors."},                \
    {"rank(page_table) != 2", "Page table must be a 2D tensor."},                               \
    {"rank(chunk_start_idx) != 1", "Chunk start index must be a 1D tensor."},                   \
    {"dim(chunk_start_idx,0) != 1",                                                             \
     "Chunk start index must have shape [1] (a single prefix offset shared by all users)."}

/* the rules after those on element types */
#define CHUNKED_ATTENTION_SIZE_RULES                                                            \
    PAGE_TABLE_OF_INTEGERS,                   \
    {"not is_int(elt(chunk_start_idx))", "Chunk start index must be an integer tensor."},       \
    VALUE_TYPE_AS_KEY,      \
    QUERY_HEAD_SIZE,    \
    {"shape(key)[1] == 0 or shape(query)[1] % shape(key)[1] != 0",                              \
     "Query num heads must be divisible by key/value num heads."},                              \
    {"shape(key)[2] % 32 != 0", "Key/value block size must be divisible by 32."},               \
    {"shape(page_table)[0] != shape(query)[0]",                                                 \
     "Page table number of users must match query number of users."},                           \
    {"shape(result) != shape(query)", "Result shape must match query shape."}

/* norms over a row distributed across devices */
#define DISTRIBUTED_NORM_RULES                                                                  \
    {"shape(input) != shape(result)", "output shape must match input shape"},                   \
    {"cluster_axis > 1", "cluster_axis must be 0 or 1"},                                        \
    {"epsilon <= 0", "epsilon must be positive"},                                               \
    {"given residual : shape(residual) != shape(input)",                                        \
     "residual tensor shape must match input tensor shape"}

/* input, index and dim of gather */
#define GATHER_RULES                                                                            \
    {"rank(input) != rank(index)",                                                              \
     "Input tensor and index tensor must have the same rank. Got input rank = "                 \
     "{rank(input)}, index rank = {rank(index)}"},                                              \
    {"rank(input) < 1",                                                                         \
     "Input tensor and index tensor must have rank >= 1. Got rank = {rank(input)}"},            \
    {"dim >= rank(input) or dim < -rank(input)",                                                \
     "Dimension must be in the range [-{rank(input)}, {rank(input)}), got dim = {dim}"},        \
    {"shape(index) != shape(result)",                                                           \
     "Index tensor and result tensor must have the same shape."}

/* cache, input, page_table and batch_idx_tensor */
/* cache, input and update_index */
#define PAGED_UPDATE_CACHE_RULES                                                                \
    PAGED_CACHE_IN_4D,                                \
    {"|shape(update_index)| != 1", "Update index tensor must be a 1D tensor"},                  \
    {"page_table and shape(cache)[2] % 32 != 0",                                                \
     "Block size must be divisible by 32, got {shape(cache)[2]}"},                              \
    {"shape(input)[0] != 1",                                                                    \
     "Input tensor must have dim 0 be equal to 1, got {shape(input)[0]}"},                      \
    {"shape(input)[1] != shape(update_index)[0]",                                               \
     "Input tensor must have shape equal to the number of users (determined by update "         \
     "index shape): {shape(update_index)[0]}, got {shape(input)[1]}"},                          \
    {"shape(input)[3] != shape(cache)[3]",                                                      \
     "Input tensor must have dim 3 be equal to the head dimension (determined by cache "        \
     "shape): {shape(cache)[3]}, got {shape(input)[3]}"}

/* repeats and dim */
/* from the heads of key and value to the mask; query is 1 x users x heads x head size */
#define ATTENTION_DECODE_RULES                                                                  \
    {"shape(key)[0] != shape(query)[1]",                                                        \
     "Key/Value batch size must match query batch size"},                                       \
    HEAD_SIZES,     \
    {"shape(query)[2] % shape(key)[1] != 0",                                                    \
     "Query num heads must be divisible by key/value num heads"},                               \
    MASK_IN_4D,                                                     \
    {"given attention_mask : shape(attention_mask)[0] != 1 and shape(attention_mask)[0] "       \
     "!= shape(query)[1]",                                                                      \
     "Attention mask batch size must be 1 (broadcast) or match query batch size"},              \
    {"given attention_mask : shape(attention_mask)[1] != 1",                                    \
     "Attention mask dim 1 must be 1"},                                                         \
    {"given attention_mask : shape(attention_mask)[2] != 1 and shape(attention_mask)[2] "       \
     "!= shape(query)[2]",                                                                      \
     "Attention mask num heads must be 1 (broadcast) or match query num heads"},                \
    {"given attention_mask : shape(attention_mask)[3] != shape(key)[2]",                        \
     "Attention mask sequence length must match key/value sequence length"}

/* experts picked by `sparsity` on either side or both */
/* input, weight and bias */
#define TOPK_ROUTER_SHAPE_RULES                                                                 \
    {"rank(input) != 2",                                                                        \
     "input must be a 2D tensor [B, hidden_dim], but got rank {rank(input)}"},                  \
    {"rank(weight) != 2",                                                                       \
     "weight must be a 2D tensor [hidden_dim, num_experts], but got rank {rank(weight)}"},      \
    {"rank(bias) != 2",                                                                         \
     "bias must be a 2D tensor [B, num_experts], but got rank {rank(bias)}"},                   \
    {"dim(weight,0) != dim(input,1)",                                                           \
     "weight dim 0 ({dim(weight,0)}) must equal input hidden_dim ({dim(input,1)})"},            \
    {"dim(bias,0) != dim(input,0)",                                                             \
     "bias dim 0 ({dim(bias,0)}) must equal input batch size B ({dim(input,0)})"},              \
    {"dim(bias,1) != dim(weight,1)",                                                            \
     "bias dim 1 ({dim(bias,1)}) must equal weight num_experts ({dim(weight,1)})"}

/* num_experts, k and the results */
#define TOPK_ROUTER_RESULT_RULES                                                                \
    {"num_experts != dim(weight,1)",                                                            \
     "num_experts attribute ({num_experts}) must equal weight dim 1 ({dim(weight,1)})"},        \
    {"k <= 0", "k must be positive, but got: {k}"},                                             \
    {"rank(expert_indices) != 2",                                                               \
     "expert_indices must be a 2D tensor [B, k], but got rank {rank(expert_indices)}"},         \
    {"rank(expert_weights) != 2",                                                               \
     "expert_weights must be a 2D tensor [B, k], but got rank {rank(expert_weights)}"},         \
    {"dim(expert_indices,0) != dim(input,0)",                                                   \
     "expert_indices dim 0 ({dim(expert_indices,0)}) must equal input batch size B "            \
     "({dim(input,0)})"},                                                                       \
    {"dim(expert_indices,1) != k",                                                              \
     "expert_indices dim 1 ({dim(expert_indices,1)}) must equal k ({k})"},                      \
    {"dim(expert_weights,0) != dim(input,0)",                                                   \
     "expert_weights dim 0 ({dim(expert_weights,0)}) must equal input batch size B "            \
     "({dim(input,0)})"},                                                                       \
    {"dim(expert_weights,1) != k",                                                              \
     "expert_weights dim 1 ({dim(expert_weights,1)}) must equal k ({k})"}

/* clang-format on */

#endif
