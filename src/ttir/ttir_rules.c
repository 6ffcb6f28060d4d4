/* ttir_rules.c: what the verifiers of the ttir dialect's operations demand, one list an
 * operation (see ir/rules/rules.h for the language).  The texts are those users and their
 * tests know. */
#include "ttcore/shared_rules.h"
#include "ttcore/tt_lang_verify.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"

/* clang-format off */
/* Rules that several lists have. */
#define ATTENTION_TRAINING_SHAPES \
    {"rank(query) < 2 or rank(key) < 2 or rank(value) < 2", "query, key and value must have rank >= 2 (..., S, D)"}, \
    {"in4d(shape(query))[0] != in4d(shape(key))[0] or in4d(shape(query))[0] != in4d(shape(value))[0]", "query, key and value must share the same batch size"}, \
    {"in4d(shape(query))[2] != in4d(shape(key))[2] or in4d(shape(query))[2] != in4d(shape(value))[2]", "query, key and value must share the same sequence length"}, \
    {"in4d(shape(query))[3] != in4d(shape(key))[3]", "query and key must have the same head dimension"}, \
    {"in4d(shape(key))[1] != in4d(shape(value))[1]", "key and value must have the same number of heads"}, \
    {"in4d(shape(key))[1] == 0 or in4d(shape(query))[1] % in4d(shape(key))[1] != 0", "number of query heads must be a positive multiple of the number of key/value heads"}
#define NORMALIZED_SHAPE \
    {"|normalized_shape|==0", "normalized_shape cannot be empty"}, \
    {"|normalized_shape| > |shape(input)|", "normalized_shape has more dimensions than input tensor"}, \
    {"each i < |normalized_shape| : shape(input)[(|shape(input)| - |normalized_shape|) + i] != normalized_shape[i]", "normalized_shape dimensions must match trailing dimensions of input tensor"}, \
    {"given weight : shape(weight) != normalized_shape", "weight tensor shape must match normalized_shape"}, \
    {"given bias : shape(bias) != normalized_shape", "bias tensor shape must match normalized_shape"}
#define ATTENTION_TRAINING_MASK \
    {"given mask_type == 'arbitrary' : not attention_mask", "attention_mask is required when mask_type is 'arbitrary'"}, \
    {"given not (mask_type == 'arbitrary') : attention_mask", "attention_mask is only allowed when mask_type is 'arbitrary'"}, \
    {"given attention_mask : in4d(shape(attention_mask))[0] != 1 or in4d(shape(attention_mask))[1] != 1 or in4d(shape(attention_mask))[2] != in4d(shape(query))[2] or in4d(shape(attention_mask))[3] != in4d(shape(query))[2]", "attention_mask must have shape (1, 1, S, S)"}
#define REPLICA_GROUPS {"replica_error(replica_groups)", "{replica_error(replica_groups)}"}
#define CUMULATED_DIM {"dim < -rank(input) or dim >= rank(input)", "specified dimension should be between {-rank(input)} and {rank(input) - 1}, but got: {dim}"}
#define NORM_LAST_DIM {"given weight : shape(weight)[-1] != shape(input)[-1]", "weight tensor's last dimension must match input's last dimension"}
#define DIM_FROM_START {"let dim = dim < 0 ? dim + rank(input) : dim"}
#define RESULT_IS_AS_QUERY {"type(query) != type(result)", "Query and result must have the same type"}
#define VALUE_IS_AS_KEY {"type(key) != type(value)", "Key and value must have the same type"}
#define IMAGES_IN_4D {"rank(input) != 4", "input must be a 4D tensor"}
#define IMAGES_OUT_4D {"rank(result) != 4", "output must be a 4D tensor"}
#define PADDING_NOT_NEGATIVE {"each x in p : x < 0", "Padding attribute values must be >= 0."}
#define CHANNELS_OUT {"dim(result, channel_dim) != dim(weight, 0)", CONV_CHANNELS}

/* Lists that several operations share. */

#define NORMALIZES(x)                                                                           \
    {"rank(" #x ") < 2 or rank(" #x ") > 5",                                                    \
     "input tensor must have rank between 2 and 5, got rank {rank(" #x ")}"},                   \
    {"dimension < 0 or dimension >= rank(" #x ")",                                              \
     "dimension attribute must be within input rank bounds, got dimension {dimension} for "     \
     "rank {rank(" #x ")}"}

/* Where the batch, height, width and channels of an image are; a flattened one keeps them
 * in flattened_compat_info. */
#define IMAGE(n, h, w, c)                                                                       \
    {"let f = flattened_compat_info"},                                                          \
    {"let N = f ? param(f, 'batchSize') : dim(input, " n ")"},                                 \
    {"let H = f ? param(f, 'inputHeight') : dim(input, " h ")"},                               \
    {"let W = f ? param(f, 'inputWidth') : dim(input, " w ")"},                                \
    {"let C = dim(input, " c ")"}

#define PARAMETER(name, form, short, of)                                                        \
    {"let " short " = " form "(" name ")"}, {"not " short, "{" form "_error(" name ")} for " of}

#define POOLS                                                                                   \
    IMAGES_IN_4D,                                          \
    IMAGES_OUT_4D, IMAGE("0", "1", "2", "3"),             \
    {"f and N * H * W != dim(input, 2)",                                                        \
     "the input tensor's flattened dimension ({dim(input, 2)}) does not match the product of "  \
     "batch_size * input_height * input_width from FlattenedCompatInfo ({N} * {H} * {W} = "     \
     "{N * H * W})"},                                                                           \
    PARAMETER("kernel", "pair", "k", "kernel attribute"),                                       \
    PARAMETER("stride", "pair", "s", "stride attribute"),                                       \
    PARAMETER("dilation", "pair", "d", "dilation attribute"),                                   \
    PARAMETER("padding", "quad", "p", "padding attribute"),                                     \
    {"k[0] <= 0 or k[1] <= 0", "kernel size attribute values must be > 0"},                     \
    {"s[0] <= 0 or s[1] <= 0", "stride attribute values must be > 0"},                          \
    {"d[0] <= 0 or d[1] <= 0", "dilation attribute values must be > 0"},                        \
    {"each x in p : x < 0", "padding attribute values must be >= 0"},                           \
    {"let spare = {H + p[0] + p[2] - d[0] * (k[0] - 1) - 1, "                                   \
     "W + p[1] + p[3] - d[1] * (k[1] - 1) - 1}"},                                               \
    {"spare[0] < 0 or spare[1] < 0",                                                            \
     "effective kernel size ({d[0] * (k[0] - 1) + 1}, {d[1] * (k[1] - 1) + 1}) cannot be "      \
     "greater than the padded input size per channel ({H + p[0] + p[2]}, {W + p[1] + p[3]})"},  \
    {"let up = ceil_mode"},                                                                     \
    {"let h = up ? (spare[0] + s[0] - 1) / s[0] + 1 : spare[0] / s[0] + 1"},                    \
    {"let w = up ? (spare[1] + s[1] - 1) / s[1] + 1 : spare[1] / s[1] + 1"},                    \
    {"let h = up and (h - 1) * s[0] >= H + p[0] ? h - 1 : h"},                                  \
    {"let w = up and (w - 1) * s[1] >= W + p[1] ? w - 1 : w"},                                  \
    {"not f and N != dim(result, 0)",                                                           \
     "batch size from the input tensor ({N}) must match the first dimension of the output "     \
     "tensor ({dim(result, 0)})"},                                                              \
    {"dim(result, 3) != C",                                                                     \
     "number of output channels from the output tensor ({dim(result, 3)}) must match the "      \
     "number of input channels ({C})"},                                                         \
    {"not f and (h != dim(result, 1) or w != dim(result, 2))",                                  \
     "output tensor height and width dimension ({dim(result, 1)}, {dim(result, 2)}) do not "    \
     "match the expected dimensions ({h}, {w})"},                                               \
    {"f and h * w * N != dim(result, 2)",                                                       \
     "output tensor's flattened dimension ({dim(result, 2)}) does not match the product of "    \
     "batch_size * output_height * output_width ({N} * {h} * {w} = {N * h * w})"}

/* Channels against weight, groups and bias; `O` is where the weight keeps the output's. */
#define CHANNELS(bias_dim)                                                                      \
    GROUPED_CHANNELS,                                                                  \
    {"dim(weight, 0) % groups != 0",                                                            \
     "The number of output channels from the weight tensor ({dim(weight, 0)}) is not "          \
     "divisible by the number of groups ({groups})."},                                          \
    {"C / groups != dim(weight, 1)",                                                            \
     "The number of input channels per group ({C}) must match the number of input channels in " \
     "the weight tensor ({dim(weight, 1)})."},                                                  \
    {"bias and dim(bias, " bias_dim ") != dim(weight, 0)",                                      \
     "The number of output channels from the weight tensor ({dim(weight, 0)}) must match the "  \
     "number of output channels in the bias tensor ({dim(bias, " bias_dim ")})."}

#define FLATTENED                                                                               \
    {"f and N * H * W != dim(input, 2)",                                                        \
     "The input tensor's flattened dimension ({dim(input, 2)}) does not match the product of "  \
     "batch_size * input_height * input_width from FlattenedCompatInfo ({N} * {H} * {W} = "     \
     "{N * H * W})."}

#define CONV2D                                                                                  \
    IMAGES_IN_4D,                                          \
    {"rank(weight) != 4", "weight must be a 4D tensor"},                                        \
    {"bias and rank(bias) != 4", "bias must be a 4D tensor"},                                   \
    IMAGES_OUT_4D,                                        \
    IMAGE("batch_dim", "height_dim", "width_dim", "channel_dim"), FLATTENED,                    \
    PARAMETER("stride", "pair", "s", "stride"), PARAMETER("padding", "quad", "p", "padding"),   \
    PARAMETER("dilation", "pair", "d", "dilation"),                                             \
    {"s[0] <= 0 or s[1] <= 0", "Stride attribute values must be > 0."},                         \
    {"d[0] <= 0 or d[1] <= 0", "Dilation attribute values must be > 0."},                       \
    PADDING_NOT_NEGATIVE,                          \
    CHANNELS("channel_dim"),                                                                    \
    {"let k = {d[0] * (dim(weight, 2) - 1) + 1, d[1] * (dim(weight, 3) - 1) + 1}"},             \
    {"let i = {H + p[0] + p[2], W + p[1] + p[3]}"},                                             \
    {"i[0] < k[0] or i[1] < k[1]",                                                              \
     "The effective kernel size ({k}) cannot be greater than the padded input size per "        \
     "channel ({i})."},                                                                         \
    {"let h = (i[0] - k[0]) / s[0] + 1"}, {"let w = (i[1] - k[1]) / s[1] + 1"},                 \
    {"not f and N != dim(result, batch_dim)",                                                   \
     "Batch size from the input tensor ({N}) must match the first dimension of the output "     \
     "tensor ({dim(result, batch_dim)})"},                                                      \
    {"not f and dim(result, channel_dim) != dim(weight, 0)", CONV_CHANNELS},                    \
    {"not f and (h != dim(result, height_dim) or w != dim(result, width_dim))",                 \
     "The output tensor height and width dimension ({dim(result, height_dim)}, {dim(result, "   \
     "width_dim)}) do not match the expected dimensions ({h}, {w})."},                          \
    {"f and h * w * N != dim(result, 2)",                                                       \
     "The output tensor's flattened dimension ({dim(result, 2)}) does not match the product "   \
     "of batch_size * output_height * output_width ({N} * {h} * {w} = {N * h * w})."},          \
    CHANNELS_OUT

#define CONV_CHANNELS                                                                           \
    "The number of output channels from the output tensor ({dim(result, channel_dim)}) must "   \
    "match the number of output channels in the weight tensor ({dim(weight, 0)}). "

#define CONV3D                                                                                  \
    {"rank(input) != 5", "input must be a 5D tensor"},                                          \
    {"rank(weight) != 5", "weight must be a 5D tensor"},                                        \
    {"bias and rank(bias) != 5", "bias must be a 5D tensor with shape (1,1,1,1,C_out)"},        \
    {"rank(result) != 5", "output must be a 5D tensor"},                                        \
    PARAMETER("stride", "triple", "s", "stride"),                                               \
    PARAMETER("padding", "triple", "p", "padding"),                                             \
    {"each x in s : x <= 0", "Stride attribute values must be > 0."},                           \
    PADDING_NOT_NEGATIVE,                          \
    {"padding_mode not in {'zeros', 'replicate'}",                                              \
     "padding_mode must be either 'zeros' or 'replicate'"},                                     \
    {"let C = dim(input, channel_dim)"}, CHANNELS("channel_dim"),                               \
    {"let i = {dim(input, depth_dim) + 2 * p[0], dim(input, height_dim) + 2 * p[1], "           \
     "dim(input, width_dim) + 2 * p[2]}"},                                                      \
    {"let k = part(shape(weight), 2, 5)"},                                                      \
    {"i[0] < k[0] or i[1] < k[1] or i[2] < k[2]",                                               \
     "The kernel size ({k}) cannot be greater than the padded input size per channel ({i})."},  \
    {"let o = {(i[0] - k[0]) / s[0] + 1, (i[1] - k[1]) / s[1] + 1, (i[2] - k[2]) / s[2] + 1}"}, \
    {"dim(input, batch_dim) != dim(result, batch_dim)",                                         \
     "Batch size from the input tensor ({dim(input, batch_dim)}) must match the first "         \
     "dimension of the output tensor ({dim(result, batch_dim)})"},                              \
    CHANNELS_OUT,                              \
    {"let got = {dim(result, depth_dim), dim(result, height_dim), dim(result, width_dim)}"},    \
    {"o != got", "The output tensor spatial dimensions ({got}) do not match the expected "      \
                 "dimensions ({o})."}

#define CONV_TRANSPOSE2D                                                                        \
    IMAGE("batch_dim", "height_dim", "width_dim", "channel_dim"), FLATTENED,                    \
    CONVOLVES_IN_4D,                                        \
    BIAS_IN_4D,                                   \
    {"not f and N != dim(result, batch_dim)",                                                   \
     "Batch size of input and output tensors must match"},                                      \
    PARAMETER("stride", "pair", "s", "stride"),                                                 \
    {"s[0] < 1 or s[1] < 1", "Stride values must be greater than 0"},                           \
    PARAMETER("padding", "quad", "p", "padding"),                                               \
    {"each x in p : x < 0", "Padding values must be greater or equal than 0"},                  \
    PARAMETER("output_padding", "pair", "o", "output padding"),                                 \
    {"o[0] < 0 or o[1] < 0", "Output padding values must be greater or equal than 0"},          \
    PARAMETER("dilation", "pair", "d", "dilation"),                                             \
    {"d[0] < 1 or d[1] < 1", "Dilation values must be greater than 0"},                         \
    {"C % groups != 0",                                                                         \
     "Number of input channels from input tensor must be divisible by the number of groups. "   \
     "Got {C} input channels and {groups} groups."},                                            \
    {"let out = dim(result, channel_dim)"},                                                     \
    {"out % groups != 0",                                                                       \
     "Number of output channels from output tensor must be divisible by the number of groups. " \
     "Got {out} output channels and {groups} groups."},                                         \
    {"C != dim(weight, 0)",                                                                     \
     "Number of input channels from input tensor must match the first dimension of the weight " \
     "tensor. Got {C} input channels and {dim(weight, 0)} in the weight tensor."},              \
    {"out / groups != dim(weight, 1)",                                                          \
     "Number of output channels per group must match the second dimension of the weight "       \
     "tensor. Got {out / groups} output channels per group and {dim(weight, 1)} in the weight " \
     "tensor."},                                                                                \
    {"bias and dim(bias, channel_dim) != out",                                                  \
     "Mismatch in bias tensor dimensions. Bias tensor has {dim(bias, channel_dim)} channels, "  \
     "but the output tensor has {out} channels."},                                              \
    {"let h = (H - 1) * s[0] - (p[0] + p[2]) + d[0] * (dim(weight, 2) - 1) + o[0] + 1"},        \
    {"let w = (W - 1) * s[1] - (p[1] + p[3]) + d[1] * (dim(weight, 3) - 1) + o[1] + 1"},        \
    {"h < 0 or w < 0",                                                                          \
     "Given input size per channel: ({H} x {W}). Calculated output size per channel: ({h} x "   \
     "{w}). Output size is too small"},                                                         \
    {"not f and (dim(result, height_dim) != h or dim(result, width_dim) != w)",                 \
     "Mismatch between expected output size per channel and got output tensor dimensions. "     \
     "Expected: ({h} x {w}), got: ({dim(result, height_dim)} x {dim(result, width_dim)})."},    \
    {"f and N * h * w != dim(result, 2)",                                                       \
     "Mismatch between expected flattened NHW dim size. Expected: {N * h * w}, got: "           \
     "{dim(result, 2)}."}

#define INDEXES                                                                                 \
    NO_SCALAR, SLICE_TYPES,                     \
    {"dim < 0 or dim >= rank(input)",                                                           \
     "Invalid dimension index {dim}. Input tensor rank is {rank(input)}"},                      \
    SLICE_BOUNDS("", "dim", "begin", "end", "step")

static const chk_rules rules[TTIR_OP_COUNT] = {
#define TT_RULES(id, ...) [TTIR_##id] = CHK_RULES(__VA_ARGS__),
#include "ttcore/shared_rules.def"

    [TTIR_adamw] = CHK_RULES(
        ADAMW_RULES,
        {"type(param_out) != type(param)",
         "param_out type must match param"},
        {"type(exp_avg_out) != type(exp_avg)",
         "exp_avg_out type must match exp_avg"},
        {"type(exp_avg_sq_out) != type(exp_avg_sq)",
         "exp_avg_sq_out type must match exp_avg_sq"},
        {"(max_exp_avg_sq ? 1 : 0) != (max_exp_avg_sq_out ? 1 : 0)",
         "max_exp_avg_sq and max_exp_avg_sq_out must both be present or both be absent"},
        {"max_exp_avg_sq_out and type(max_exp_avg_sq_out) != type(max_exp_avg_sq)",
         "max_exp_avg_sq_out type must match max_exp_avg_sq"}),

    [TTIR_all_gather] = CHK_RULES(
        {"all_gather_dim >= rank(input) or all_gather_dim < -rank(input)",
         "Invalid dimension for all gather op. Gather dimension must be >= to input tensor rank or < -input tensor rank, got gather_dim = {all_gather_dim}"}),

    [TTIR_all_to_all] = CHK_RULES(
        {"split_dim < 0 or split_dim >= rank(input)",
         "splitDim must be in the range [0, {rank(input) - 1}], got {split_dim}"},
        {"split_count <= 0",
         "splitCount must be a positive integer"},
        {"shape(input)[split_dim] % split_count != 0",
         "splitDim size must be divisible by splitCount"},
        {"concat_dim < 0 or concat_dim >= rank(input)",
         "concatDim must be in the range [0, {rank(input) - 1}], got {concat_dim}"},
        {"let split = with(shape(input), split_dim, shape(input)[split_dim] / split_count)"},
        {"let expected = with(split, concat_dim, split[concat_dim] * split_count)"},
        {"expected != shape(result)",
         "Output shape mismatch: expected = <{expected}> output = <{shape(result)}>"},
        {"elt(input) != elt(result)",
         "Input and output element types must match"},
        REPLICA_GROUPS,
        {"shape(attr_type(replica_groups))[1] != split_count",
         "replicaGroup count must match splitCount"}),

    [TTIR_all_to_all_combine] = CHK_RULES(
        COMBINE_EXPERTS_RULES),

    [TTIR_all_to_all_dispatch_metadata] = CHK_RULES(
        DISPATCHED_INPUTS,
        {"rank(expert_mapping) != 4",
         "expert_mapping must be a 4D tensor [1, 1, D, E]"},
        DISPATCHED_RESULTS,
        ON_ONE_AXIS),

    [TTIR_alloc] = CHK_RULES(
        {"not is_attr(enc(result), 'ttcore.metal_layout')",
         "Result type missing layout attribute"},
        ALLOC_SIZE,
        {"param(enc(result), 'memory_space') != memory_space",
         "Input tensor layout memory space must match alloc memory space"},
        {"memory_space in {'system', 'mmio'} and address != 0",
         "Allocating from system memory space must have address set to 0, implicitly allocated by the runtime"},
        {"memory_space in {'dram', 'l1'} and address == 0",
         "Allocating from a device memory space must have address set to a non-zero value, device addresses are statically allocated"}),

    [TTIR_arange] = CHK_RULES(
        {"step == 0",
         "Step value cannot be zero"},
        RANGE_IS_VALID,
        {"(end - start) / step != dim(result, arange_dimension)",
         "Output tensor shape must be {(end - start) / step} at dim {arange_dimension} (since start={start}, end={end}, step={step}), but got {dim(result, arange_dimension)}"}),

    [TTIR_argmax] = CHK_RULES(
        REDUCES(input)),

    [TTIR_avg_pool2d] = CHK_RULES(
        POOLS),

    [TTIR_batch_norm_inference] = CHK_RULES(
        NORMALIZES(operand)),

    [TTIR_batch_norm_training] = CHK_RULES(
        NORMALIZES(operand)),

    [TTIR_bitcast_convert] = CHK_RULES(
        {"not is_int(elt(input)) and not is_float(elt(input))",
         "Input tensor type must be an integer or floating point type"},
        {"not is_int(elt(result)) and not is_float(elt(result))",
         "Output tensor type must be an integer or floating point type"},
        {"bits(elt(input)) != bits(elt(result))",
         "Input and output tensor element types must have the same bit width"}),

    [TTIR_broadcast] = CHK_RULES(
        {"rank(input) != rank(result)",
         "Input tensor rank of {rank(input)} does not match output tensor rank of {rank(result)}"},
        {"not broadcast(shape(input),shape(result))",
         "Input tensor shape ({join(shape(input), ',')}) is not broadcastable to output shape ({join(shape(result), ',')})"},
        {"|broadcast_dimensions| != rank(input)",
         "Input tensor rank should match output tensor rank."},
        {"each i < |broadcast_dimensions| : shape(input)[i] * broadcast_dimensions[i] != shape(result)[i]",
         "Input tensor shape ({join(shape(input), ',')}) index {i} does not broadcast to output ({join(shape(result), ',')}) using broadcast value {broadcast_dimensions[i]}"}),

    [TTIR_chunked_scaled_dot_product_attention] = CHK_RULES(
        CHUNKED_ATTENTION_RULES,
        {"elt(query) != elt(key) or elt(query) != elt(value)",
         "Query, key, and value must have the same element type."},
        {"not is_float(elt(query))",
         "Query, key, and value must be float tensors."},
        CHUNKED_ATTENTION_SIZE_RULES),

    [TTIR_clamp_tensor] = CHK_RULES(
        {"not broadcast(shape(min),shape(result))",
         "Min attribute shape ({join(shape(min), ',')}) cannot be broadcasted to output shape ({join(shape(result), ',')})."},
        {"not broadcast(shape(max),shape(result))",
         "Max attribute shape ({join(shape(max), ',')}) cannot be broadcasted to output shape ({join(shape(result), ',')})."}),

    [TTIR_collective_broadcast] = CHK_RULES(
        {"type(input) != type(result)",
         "input and output must have the same type"},
        REPLICA_GROUPS),

    [TTIR_collective_permute] = CHK_RULES(
        {"rank(attr_type(source_target_pairs)) != 2",
         "The rank of source target pairs must be 2, got rank = {rank(attr_type(source_target_pairs))}"},
        {"not unique_pairs(source_target_pairs)",
         "There are duplicate 'src' or 'dest' devices in source target pairs"}),

    [TTIR_concat] = CHK_RULES(
        FIRST_INPUT,
        CONCATENATED_DIM,
        {"loop input in inputs"},
        {"rank(input) != rank(first)",
         "All input tensors must have the same rank."},
        {"with(shape(input), dim, 0) != with(shape(first), dim, 0)",
         "All input tensors must have the same dimensions, except for dimension {dim}."},
        {"end"},
        {"dim(result, dim) != sum_dim(inputs, dim)",
         "Output tensor dimension {dim} does not match the sum of input tensor dimensions: {dim(result, dim)} vs. {sum_dim(inputs, dim)}."}),

    [TTIR_concatenate_heads] = CHK_RULES(
        {"rank(input) != 4",
         "expected rank of input tensor is 4, got rank {rank(input)}"},
        {"rank(result) != 3",
         "expected rank of output tensor is 3, got rank {rank(result)}"},
        {"shape(input)[0] != shape(result)[0]",
         "expected output batch dimension to be {shape(input)[0]}, got {shape(result)[0]}"},
        {"shape(input)[2] != shape(result)[1]",
         "expected output sequence dimension to be {shape(input)[2]}, got {shape(result)[1]}"},
        {"(shape(input)[1] * shape(input)[3]) != shape(result)[2]",
         "expected output hidden dimension to be num_heads * head_size = {shape(input)[1] * shape(input)[3]}, got {shape(result)[2]}"}),

    [TTIR_constant] = CHK_RULES(
        CONSTANT_VALUE,
        {"not is_int(elt(attr_type(value))) and not is_float(elt(attr_type(value)))",
         "value attribute must be of int or float type."}),

    [TTIR_conv1d] = CHK_RULES(
        {"rank(input) != 3",
         "input must be a 3D tensor"},
        CONV1D_WEIGHT,
        {"bias and rank(bias) != 3",
         "bias must be a 3D tensor (1, 1, O)"},
        {"rank(result) != 3",
         "output must be a 3D tensor"},
        {"groups == 0",
         "groups must be a positive integer"},
        {"dim(input,channel_dim) % groups != 0",
         "number of input channels ({dim(input,channel_dim)}) must be divisible by groups ({groups})"},
        {"dim(result,channel_dim) % groups != 0",
         "number of output channels ({dim(result,channel_dim)}) must be divisible by groups ({groups})"},
        {"dim(weight,0) != dim(result,channel_dim)",
         "expected weight's output channel dimension ({dim(weight,0)}) to match the output tensor's channel dimension ({dim(result,channel_dim)})"},
        {"dim(weight,1) != dim(input,channel_dim) / groups",
         "expected weight's input channel dimension ({dim(weight,1)}) to match in_channels / groups ({dim(input,channel_dim) / groups})"}),

    [TTIR_conv2d] = CHK_RULES(
        CONV2D),

    [TTIR_conv3d] = CHK_RULES(
        CONV3D),

    [TTIR_conv_transpose2d] = CHK_RULES(
        CONV_TRANSPOSE2D),

    [TTIR_cumprod] = CHK_RULES(
        CUMULATED_DIM),

    [TTIR_cumsum] = CHK_RULES(
        CUMULATED_DIM),

    [TTIR_dequantize] = CHK_RULES(
        QUANT_TO_FLOAT(NOT_UNIFORM),
        QUANT_SHAPE("inferred shape")),

    [TTIR_dequantize_unrolled] = CHK_RULES(
        QUANT_TO_FLOAT(NOT_UNIFORM),
        QUANT_SHAPE("inferred shape"),
        QUANT_AXIS),

    [TTIR_distributed_layer_norm] = CHK_RULES(
        DISTRIBUTED_NORM_RULES,
        NORM_LAST_DIM,
        {"given bias : shape(bias)[-1] != shape(input)[-1]",
         "bias tensor's last dimension must match input's last dimension"}),

    [TTIR_distributed_rms_norm] = CHK_RULES(
        DISTRIBUTED_NORM_RULES,
        NORM_LAST_DIM),

    [TTIR_embedding_backward] = CHK_RULES(
        EMBEDDING_WEIGHT_IN_2D,
        EMBEDDING_GRADIENT,
        {"shape(result) != shape(weight)",
         "Output must have the same shape as weight"}),

    [TTIR_full] = CHK_RULES(
        {"shape != shape(result)",
         "expected shape ({shape(result)}), got ({shape})"}),

    [TTIR_gather] = CHK_RULES(
        {"not is_int(elt(index))",
         "Index tensor must have an integer type, got {elt(index)}"},
        GATHER_RULES),

    [TTIR_gelu_bw] = CHK_RULES(
        GELU_BACKWARD,
        GELU_RANKS),

    [TTIR_get_dimension_size] = CHK_RULES(
        {"dimension >= rank(operand)",
         "!"}),

    [TTIR_global_avg_pool2d] = CHK_RULES(
        {"rank(input) < 2",
         "input tensor must have at least 2 dimensions for global average pooling over 2 spatial dimensions"},
        {"rank(result) != rank(input)",
         "output tensor must have the same rank as input tensor"},
        {"shape(input)[0] != shape(result)[0]",
         "batch dimension must remain the same between input and output"},
        {"shape(result)[rank(input) - 2] != 1 or shape(result)[rank(input) - 3] != 1",
         "spatial dimensions must be reduced to 1"},
        {"shape(input)[rank(input) - 1] != shape(result)[rank(input) - 1]",
         "channel dimension must remain the same between input and output"}),

    [TTIR_group_norm] = CHK_RULES(
        SAME_SHAPE,
        {"rank(input) < 4",
         "input must be at least a 4D tensor, got rank {rank(input)}"},
        POSITIVE_GROUPS,
        {"channel_dim < 0 or channel_dim >= rank(input)",
         "channel_dim must be in range [0, rank), got {channel_dim} for rank {rank(input)}"},
        {"shape(input)[channel_dim] % num_groups != 0",
         "channel dimension (dim {channel_dim}) must be divisible by num_groups; got C={shape(input)[channel_dim]}, num_groups={num_groups}"},
        {"given weight : rank(weight) != 1 or shape(weight)[0] != shape(input)[channel_dim]",
         "weight must be 1D with size matching channel dimension C={shape(input)[channel_dim]}"},
        {"given bias : rank(bias) != 1 or shape(bias)[0] != shape(input)[channel_dim]",
         "bias must be 1D with size matching channel dimension C={shape(input)[channel_dim]}"}),

    [TTIR_index] = CHK_RULES(
        INDEXES),

    [TTIR_index_select] = CHK_RULES(
        {"rank(input) != rank(result)",
         "Input and output tensors must have the same rank."},
        {"elt(input) != elt(result)",
         "Input and output tensors must have the same element type."},
        {"dim < -rank(input) or dim >= rank(input)",
         "Invalid dimension {dim} for select op with input tensor rank {rank(input)}"},
        DIM_FROM_START,
        {"let stride = stride == 0 ? dim(input, dim) : stride"},
        {"stride < 0",
         "Invalid stride {stride} for dimension {dim}, stride must be non-negative"},
        {"stride > dim(input,dim)",
         "Invalid stride {stride} for dimension {dim} with size {dim(input,dim)}. stride must be less than or equal to the dimension size"},
        {"begin < 0 or begin >= dim(input,dim)",
         "Invalid begin index {begin} for dimension {dim} with size {dim(input,dim)}. begin must be in the range [0, dimSize)"},
        {"length < 1 or length > stride",
         "Invalid length {length} for begin index {begin} and stride {stride} for dimension {dim} with size {dim(input,dim)}. stride must be greater than or equal to length"},
        {"begin + length > dim(input,dim)",
         "Invalid length {length} for begin index {begin} and dimension {dim} with size {dim(input,dim)}. begin + length must be less than or equal to the dimension size"},
        {"covered(dim(input, dim), {begin, length, stride}) != dim(result,dim)",
         "Sum of all slices must be equal to the output dimension size for the given dimension. Expected output dimension size: {dim(result,dim)}, but got {covered(dim(input, dim), {begin, length, stride})}"}),

    [TTIR_layer_norm] = CHK_RULES(
        SAME_SHAPE,
        NORMALIZED_SHAPE),

    [TTIR_linear] = CHK_RULES(
        MULTIPLIES,
        BIAS_OF_PRODUCT,
        {"let expected = bias ? broadcast(expected, shape(bias)) : expected"},
        FITS_PRODUCT),

    [TTIR_max_pool2d] = CHK_RULES(
        POOLS),

    [TTIR_max_pool2d_with_indices] = CHK_RULES(
        POOLS,
        {"shape(result) != shape(result_indices)",
         "Pooled values and indices must have the same shape"},
        {"not is_int(elt(result_indices))",
         "Indices result must have integer element type"}),

    [TTIR_mesh_shard] = CHK_RULES(
        {"shard_type == 'maximal'",
         "Invalid shard_type (maximal) for mesh_shard op."}),

    [TTIR_moe_compute] = CHK_RULES(
        INTERMEDIATE_SIZE,
        {"let biased = bias_0 or bias_1 or bias_2"},
        {"biased and (not bias_0 or not bias_1 or not bias_2)",
         "bias_0, bias_1, and bias_2 must be all present or all absent"},
        {"biased and rank(w0) != 4",
         "w0 must have rank 4 (L, E, hidden, intermediate)"},
        {"let gate = {dim(w0, 0), dim(w0, 1), dim(w0, 3)}"},
        {"let down = {dim(w0, 0), dim(w0, 1), dim(w0, 2)}"},
        {"biased and shape(bias_0) != gate",
         "bias_0 must have shape ({gate})"},
        {"biased and shape(bias_1) != gate",
         "bias_1 must have shape ({gate})"},
        {"biased and shape(bias_2) != down",
         "bias_2 must have shape ({down})"},
        EXPERT_SHARDS,
        {"let hidden = shape(tilize_input_tensor)[-1]"},
        {"hidden <= 0 or hidden % 32 != 0",
         "tilize_input_tensor last dim (hidden_size) must be a positive multiple of 32"},
        {"rank(w0) != 4",
         "w0 must have rank 4 (L, E, hidden, intermediate)"},
        {"shape(w0)[2] != hidden",
         "w0 hidden dim ({shape(w0)[2]}) must match tilize_input_tensor hidden_size ({hidden})"}),

    [TTIR_moe_expert_token_remap] = CHK_RULES(
        EXPERT_TENSORS,
        {"rank(mapping) != 4",
         "mapping output must be a 4D tensor [1, B, S, E_local]"},
        {"rank(reduced) != 4",
         "reduced output must be a 4D tensor [1, 1, ceil(B*S/R), E_local]"},
        POSITIVE_REDUCTION),

    [TTIR_pad] = CHK_RULES(
        PADDING_OF_EACH_SIDE,
        PADDED_SHAPE),

    [TTIR_paged_update_cache] = CHK_RULES(
        PAGED_UPDATE_CACHE_RULES,
        {"given page_table : |shape(page_table)| != 2",
         "Page table tensor must be a 2D tensor"},
        {"given page_table : shape(page_table)[0] != shape(update_index)[0]",
         "Page table tensor must have dim 0 be equal to the number of users (determined by update index shape): {shape(update_index)[0]}, got {shape(page_table)[0]}"}),

    [TTIR_prod] = CHK_RULES(
        REDUCES(input)),

    [TTIR_quantize] = CHK_RULES(
        QUANT_FROM_FLOAT(NOT_UNIFORM),
        QUANT_SHAPE("inferred shape")),

    [TTIR_quantize_unrolled] = CHK_RULES(
        QUANT_FROM_FLOAT(NOT_UNIFORM),
        QUANT_SHAPE("inferred shape"),
        QUANT_AXIS),

    [TTIR_rand] = CHK_RULES(
        {"low >= high",
         "'low' value must be < 'high' value."},
        {"size != shape(result)",
         "Size argument does not match with output tensor shape. [Size = {text(size)}, output tensor shape = ({shape(result)})]."}),

    [TTIR_rearrange] = CHK_RULES(
        {.run = ttir_verify_rearrange}),

    [TTIR_reduce_and] = CHK_RULES(
        REDUCES(input)),

    [TTIR_reduce_or] = CHK_RULES(
        REDUCES(input)),

    [TTIR_reduce_scatter] = CHK_RULES(
        {"reduce_type != 'sum' and reduce_type != 'max' and reduce_type != 'min'",
         "Invalid reduction type for reduce scatter op."},
        {"scatter_dim >= rank(input) or scatter_dim < -rank(input)",
         "Invalid dimension for reduce scatter op. Scatter dimension must be >= to input tensor rank or < -input tensor rank, got scatter_dim = {scatter_dim}"}),

    [TTIR_repeat] = CHK_RULES(
        {"rank(input) != |repeat_dimensions|",
         "Input tensor rank {rank(input)} doesn't match the number of repeat dimensions {|repeat_dimensions|}."},
        REPEATED_RANK,
        {"each i < |shape(input)| : repeat_dimensions[i] <= 0",
         "Repeat dimension at index {i} must be greater than 0."},
        {"each i < |shape(input)| : (shape(input)[i] * repeat_dimensions[i]) != shape(result)[i]",
         "Input tensor shape ({join(shape(input), ',')}) at index {i} does not repeat to output ({join(shape(result), ',')}) using repeat value {repeat_dimensions[i]}."}),

    [TTIR_requantize] = CHK_RULES(
        {NOT_UNIFORM("input"),
         "Input element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got {elt(input)}"},
        {NOT_UNIFORM("result"),
         "Output element type must be UniformQuantizedType or UniformQuantizedPerAxisType, but got {elt(result)}"},
        QUANT_SHAPE("inferred shape")),

    [TTIR_requantize_unrolled] = CHK_RULES(
        QUANT_ALIKE(NOT_UNIFORM),
        QUANT_SHAPE("inferred shape"),
        QUANT_AXIS),

    [TTIR_reshape] = CHK_RULES(
        RESHAPES,
        {"each i < |shape| : shape[i] < -1",
         "All dimensions must be >= 0 except the one with -1"},
        {"each i < |shape| : shape[i] != -1 and shape[i] != shape(result)[i]",
         "Shape attribute {shape[i]} must match the output tensor shape {shape(result)[i]} at index {i} for dimension that is not -1"}),

    [TTIR_reverse] = CHK_RULES(
        {"not unique(dimensions)",
         "dimensions should be unique. Got: {dimensions}"},
        {"each dim in dimensions : dim < 0",
         "all dimensions should be non-negative. Got dimension: {dim}"},
        {"each dim in dimensions : dim >= rank(input)",
         "all dimensions should be in interval [0, {rank(input)}). Got dimension: {dim}"}),

    [TTIR_right_shift] = CHK_RULES(
        SHIFTS_INTEGERS),

    [TTIR_rms_norm] = CHK_RULES(
        SAME_SHAPE,
        NORMALIZED_SHAPE),

    [TTIR_sampling] = CHK_RULES(
        {"rank(input_values) != 2",
         "input_values must be 2D [batch, candidates]"},
        {"rank(input_indices) != 2",
         "input_indices must be 2D [batch, candidates]"},
        SAMPLED_SHAPES,
        SAMPLED_K,
        {"dim(k, 0) != dim(input_values, 0)",
         "k batch dimension ({dim(k, 0)}) must match input_values batch ({dim(input_values, 0)})"},
        SAMPLED_P,
        {"dim(p, 0) != dim(input_values, 0)",
         "p batch dimension ({dim(p, 0)}) must match input_values batch ({dim(input_values, 0)})"},
        SAMPLED_TEMPERATURE,
        {"dim(temp, 0) != dim(input_values, 0)",
         "temp batch dimension ({dim(temp, 0)}) must match input_values batch ({dim(input_values, 0)})"},
        {"rank(result) != 1 or dim(result, 0) != dim(input_values, 0)",
         "result must be 1D [batch]"}),

    [TTIR_scaled_dot_product_attention] = CHK_RULES(
        RESULT_IS_AS_QUERY,
        VALUE_IS_AS_KEY,
        ATTENTION_IN_4D,
        {"shape(key)[0] != shape(query)[0]",
         "Key/Value batch size must match query batch size"},
        HEAD_SIZES,
        {"shape(query)[1] % shape(key)[1] != 0",
         "Query num heads must be divisible by key/value num heads"},
        MASK_IN_4D,
        MASK_BROADCASTS,
        {"given attention_mask : shape(attention_mask)[2] != 1 and shape(attention_mask)[2] != shape(query)[2]",
         "Attention mask dim 2 must be 1 (broadcast) or match query sequence length"},
        {"given attention_mask : shape(attention_mask)[3] != shape(key)[2]",
         "Attention mask at dim 3 must match key/value sequence length (max sequence length)"},
        {"given is_causal : shape(query)[2] != shape(key)[2]",
         "Sequence length must match key/value sequence length when is_causal is true"}),

    [TTIR_scaled_dot_product_attention_decode] = CHK_RULES(
        RESULT_IS_AS_QUERY,
        {"not is_int(elt(cur_pos_tensor))",
         "Cur pos tensor must be a tensor of integers"},
        {"|shape(cur_pos_tensor)| != 1",
         "Cur pos tensor must be a 1D tensor"},
        VALUE_IS_AS_KEY,
        ATTENTION_IN_4D,
        ONE_QUERY,
        {"shape(cur_pos_tensor)[0] != shape(query)[1]",
         "Cur pos tensor batch size must match query batch size"},
        ATTENTION_DECODE_RULES),

    [TTIR_sdpa_bw] = CHK_RULES(
        ATTENTION_TRAINING_SHAPES,
        {"in4d(shape(grad_output))[0] != in4d(shape(query))[0] or in4d(shape(grad_output))[1] != in4d(shape(query))[1] or in4d(shape(grad_output))[2] != in4d(shape(query))[2] or in4d(shape(grad_output))[3] != in4d(shape(value))[3]",
         "grad_output must have shape (B, Hq, S, Dv)"},
        {"in4d(shape(attn_output))[0] != in4d(shape(query))[0] or in4d(shape(attn_output))[1] != in4d(shape(query))[1] or in4d(shape(attn_output))[2] != in4d(shape(query))[2] or in4d(shape(attn_output))[3] != in4d(shape(value))[3]",
         "attn_output must have shape (B, Hq, S, Dv)"},
        ATTENTION_TRAINING_MASK,
        {"in4d(shape(grad_query)) != in4d(shape(query))",
         "grad_query must have the same shape as query"},
        {"in4d(shape(grad_key)) != in4d(shape(key))",
         "grad_key must have the same shape as key"},
        {"in4d(shape(grad_value)) != in4d(shape(value))",
         "grad_value must have the same shape as value"}),

    [TTIR_sdpa_fw] = CHK_RULES(
        ATTENTION_TRAINING_SHAPES,
        ATTENTION_TRAINING_MASK,
        {"in4d(shape(output))[0] != in4d(shape(query))[0] or in4d(shape(output))[1] != in4d(shape(query))[1] or in4d(shape(output))[2] != in4d(shape(query))[2] or in4d(shape(output))[3] != in4d(shape(value))[3]",
         "output must have shape (B, Hq, S, Dv)"},
        {"(return_intermediates ? 1 : 0) != (intermediates ? 1 : 0)",
         "intermediates result must be present iff return_intermediates is true"},
        {"given intermediates : in4d(shape(intermediates))[0] != in4d(shape(query))[0] or in4d(shape(intermediates))[1] != in4d(shape(query))[1] or in4d(shape(intermediates))[2] != in4d(shape(query))[2] or in4d(shape(intermediates))[3] != 32",
         "intermediates must have shape (B, Hq, S, 32)"}),

    [TTIR_slice_dynamic] = CHK_RULES(
        NO_SCALAR,
        SLICE_BOUNDS_IN_1D,
        {"rank(input) != dim(begins, 0) or rank(input) != dim(ends, 0) or (step and rank(input) != |step|)",
         "Begins, ends, and step must have the same number of elements as the input tensor rank"},
        SLICE_TYPES,
        {"each i < |step| : step[i] == 0",
         "Step value for dimension {i} cannot be zero"}),

    [TTIR_sort] = CHK_RULES(
        SORTED_DIM,
        SORTED_RESULTS),

    [TTIR_squeeze] = CHK_RULES(
        DIM_FROM_START,
        {"dim < 0 or dim >= rank(input)",
         "Invalid dimension {dim} for squeezing."},
        {"dim(input, dim) != 1",
         "Dimension {dim} in the input tensor must be 1."},
        {"rank(result) == 0",
         "Output tensor must have at least one dimension."},
        {"rank(result) != rank(input) - 1",
         "Output tensor rank must be one less than the input tensor rank."},
        {"cat(part(shape(input), 0, dim), part(shape(input), dim + 1, rank(input))) != shape(result)",
         "Dimensions of the output tensor must be the same as the input tensor except for dimension {dim}."}),

    [TTIR_to_layout] = CHK_RULES(
        {"not is_tensor(input) ? is_tensor(output) : not is_tensor(output)", "Input and output types must be the same"}),

    [TTIR_topk] = CHK_RULES(
        {"wrap(dim,rank(input_tensor)) < 0 or wrap(dim,rank(input_tensor)) >= rank(input_tensor)",
         "specified dimension should be between {-rank(input_tensor)} and {rank(input_tensor) - 1}, but got: {dim}"},
        {"k <= 0 or k > dim(input_tensor,wrap(dim,rank(input_tensor)))",
         "K should be between 1 and the size of the specified dimension ({wrap(dim,rank(input_tensor))}), but got: {k}"}),

    [TTIR_topk_router_gpt] = CHK_RULES(
        TOPK_ROUTER_SHAPE_RULES,
        {"num_experts <= 0",
         "num_experts must be positive, but got: {num_experts}"},
        TOPK_ROUTER_RESULT_RULES),

    [TTIR_ttnn_metal_layout_cast] = CHK_RULES(
        {"let from = is_attr(enc(input), 'ttnn.ttnn_layout') or is_attr(enc(input), 'ttnn.ttnn_nd_layout')"},
        {"let to = is_attr(enc(result), 'ttnn.ttnn_layout') or is_attr(enc(result), 'ttnn.ttnn_nd_layout')"},
        {"from and is_tensor(result) and not is_attr(enc(result), 'ttcore.metal_layout')",
         "Input is ttnn tensor, output must be metal tensor or memref"},
        {"(not is_tensor(input) or is_attr(enc(input), 'ttcore.metal_layout')) and not to",
         "Input is metal tensor or memref, output must be ttnn tensor"}),

    [TTIR_unsqueeze] = CHK_RULES(
        {"let dim = dim < 0 ? dim + rank(input) + 1 : dim"},
        {"dim > rank(input) or dim < 0",
         "Dimension attribute must be within the bounds of the input tensor"},
        {"rank(result) != rank(input) + 1",
         "Output tensor must have one more dimension than the input tensor"},
        {"dim(result, dim) != 1",
         "Dimension added must be of size 1"},
        {"cat(part(shape(result), 0, dim), part(shape(result), dim + 1, rank(result))) != shape(input)",
         "All dimensions of the input tensor must be the same as the output tensor except for the dimension added"}),

    [TTIR_upsample2d] = CHK_RULES(UPSAMPLES),
};
/* clang-format on */

chk_rules ttir_rules(const ir_op_def *def)
{
    return rules[def - ttir_ops];
}

bool ttir_verify(ir_op *op)
{
    return chk_verify(op, rules[op->def - ttir_ops]);
}
