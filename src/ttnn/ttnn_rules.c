/* ttnn_rules.c: what the verifiers of the ttnn dialect's operations demand, one list an
 * operation (see ir/rules/rules.h for the language).  The texts are those users and their
 * tests know. */
#include "ttcore/shared_rules.h"
#include "ttcore/tt_lang_verify.h"
#include "ttnn/ttnn.h"
#include "ttnn/ttnn_hooks.h"

/* clang-format off */
/* Rules that several lists have. */
#define TRACE_RULES \
    {"cq_id not in {0, 1}", "Invalid CQ ID {cq_id}"}, \
    {"not trace_id", "!Trace ID must be set"}, \
    {"rank(trace_id) != 0", "!Trace ID must be a scalar"}, \
    {"not is_int(elt(trace_id))", "!Trace ID must be an integer"}, \
    {"not is_unsigned(elt(trace_id))", "!Trace ID must be unsigned"}, \
    {"bits(elt(trace_id)) != 32", "!Trace ID must be 32-bit"}, \
    {"not is_attr(enc(trace_id), 'ttnn.trace_id')", "!Trace ID must have the TraceIdAttr encoding"}
#define PREPARED_WEIGHT_SIZES \
    {"|kernel_size| != 2", "Expected kernel size attribute to be a 2D tensor"}, \
    {"shape(weight_tensor)[2] != kernel_size[0]", "Expected kernel height attribute ({kernel_size[0]}) to match the third dimension of the weight tensor ({shape(weight_tensor)[2]})"}, \
    {"shape(weight_tensor)[3] != kernel_size[1]", "Expected kernel width attribute ({kernel_size[1]}) to match the fourth dimension of the weight tensor ({shape(weight_tensor)[3]})"}, \
    {"|stride| != 2", "Expected stride attribute to be a 2D tensor"}, \
    {"|dilation| != 2", "Expected dilation attribute to be a 2D tensor"}, \
    {"|padding| != 2 and |padding| != 4", "Expected padding attribute to be a 2D tensor"}
#define NORM_WEIGHTS \
    {"rank(input) == 0", NULL}, \
    {"given weight : rank(weight) != 1 or shape(weight)[0] != shape(input)[-1]", "weight tensor must be 1D with size matching the last dimension of input"}, \
    {"given bias : rank(bias) != 1 or shape(bias)[0] != shape(input)[-1]", "bias tensor must be 1D with size matching the last dimension of input"}
#define BATCH_NORM_IN_4D \
    {"rank(input) != 4", "Input tensor must have rank 4"}, \
    {"rank(running_mean) != 4", "Running mean tensor must have rank 4"}, \
    {"rank(running_var) != 4", "Running variance tensor must have rank 4"}, \
    {"rank(weight) != 4", "Weight tensor must have rank 4"}, \
    {"rank(bias) != 4", "Bias tensor must have rank 4"}
#define PREPARED_BIAS_SIZES \
    {"shape(bias_tensor)[3] != out_channels", "Expected output channels attribute ({out_channels}) to match the number of output channels in the bias tensor ({shape(bias_tensor)[3]})"}, \
    {"|kernel_size| != 2", "Kernel size attribute must have two values, got: {|kernel_size|}"}, \
    {"|stride| != 2", "Stride attribute must have two values, got: {|stride|}"}, \
    {"|padding| != 2 and |padding| != 4", "Padding attribute must have two or four values, got: {|padding|}"}, \
    {"|dilation| != 2", "Dilation attribute must have two values, got: {|dilation|}"}
#define ATTENTION_TRAINING_IN_4D \
    {"rank(query) != 4 or rank(key) != 4 or rank(value) != 4", "query, key and value must be rank 4 (B, H, S, D)"}, \
    {"mask_type == 'arbitrary' and not attention_mask", "attention_mask is required when mask_type is 'arbitrary'"}, \
    {"mask_type != 'arbitrary' and attention_mask", "attention_mask is only allowed when mask_type is 'arbitrary'"}
#define INPUT_IN_4D {"rank(input) != 4", "input tensor must be a 4D tensor"}
#define NORM_OF_SCALAR \
    {"given rank(input) == 0 : given weight : rank(weight) != 0", "weight tensor must be 0D for 0D input tensor"}, \
    {"given rank(input) == 0 : given bias : rank(bias) != 0", "bias tensor must be 0D for 0D input tensor"}
#define RESULT_AS_QUERY \
    {"shape(query) != shape(result)", "Query and result must have the same shape"}, \
    {"elt(query) != elt(result)", "Query and result must have the same element type"}
#define BOTH_HAVE_LAYOUTS \
    {"not is_attr(enc(input), 'ttnn.ttnn_layout')", "Input tensor type missing layout attribute"}, \
    {"not is_attr(enc(result), 'ttnn.ttnn_layout')", "Output tensor type missing layout attribute"}
#define POOL_PADDING {"|padding| not in {2, 4}", "Padding must have 2 or 4 elements. Received {|padding|} elements."}
#define POOL_INPUT_IN_4D {"rank(input) != 4", "Input tensor rank must be 4. Received input with rank {rank(input)}. Shape: ({shape(input)})."}
#define OUTPUT_IN_4D {"rank(result) != 4", "Output must be a 4D tensor"}
#define WEIGHT_IS_PREPARED {"let prepared = maker(weight) in {'ttcore.load_cached', 'ttnn.prepare_conv2d_weights', 'ttnn.prepare_conv_transpose2d_weights'} or dim(weight, 0) == 1 and dim(weight, 1) == 1"}
#define TENSORBIN_FILE {"not ends_with(file_path, '.tensorbin')", "file {file_path} must end with .tensorbin extension"}
#define KEY_AS_QUERY {"elt(query) != elt(key)", "Query and key must have the same element type"}
#define KEY_BATCH {"shape(key)[0] != shape(query)[0]", "Key batch size must match query batch size"}
#define SHAPE_OF_RESULT {"shape != shape(result)", "Output tensor shape must be {shape}, but got {shape(result)}"}
#define PREPARED_WEIGHT_IN_4D {"rank(weight_tensor) != 4", "Weight must be a 4D tensor"}
#define HIDDEN_SIZE {"hidden_size == 0 or hidden_size % 32 != 0", "hidden_size must be a positive multiple of 32"}

/* Programs read from a .ttnn have codes without scales: integers that have a sign. */
#define NOT_CODES(x)                                                                            \
    NOT_UNIFORM(x) " and (not is_int(elt(" x ")) or is_signless(elt(" x ")))"

/* Operations that choose a layout say it in their result's type. */
#define PLACED                                                                                  \
    {"not is_attr(enc(result), 'ttnn.ttnn_layout') and "                                        \
     "not is_attr(enc(result), 'ttnn.ttnn_nd_layout')",                                         \
     "Output tensor type missing layout attribute"}

static const chk_rules rules[TTNN_OP_COUNT] = {
#define TT_RULES(id, ...) [TTNN_##id] = CHK_RULES(__VA_ARGS__),
#include "ttcore/shared_rules.def"

    [TTNN_adamw] = CHK_RULES(
        ADAMW_RULES),

    [TTNN_all_gather] = CHK_RULES(
        {"all_gather_dim >= rank(input) or all_gather_dim < -rank(input)",
         "Invalid gather dimension for all reduce op. Gather dimension must be >= to input tensor rank or < -input tensor rank, got gather_dim = {all_gather_dim}"},
        {"is_attr(enc(input), 'ttnn.ttnn_layout') and is_attr(enc(result), 'ttnn.ttnn_layout') and layout(input) != layout(result)",
         "Input and output layouts must agree, but got input layout {layout(input)} and output layout {layout(result)}. all_gather is layout-preserving and cannot convert between tiled and row-major layouts."}),

    [TTNN_all_to_all_combine] = CHK_RULES(
        COMBINE_EXPERTS_RULES,
        {"output_shard_dim != 1 and output_shard_dim != 2",
         "output_shard_dim must be 1 or 2, got {output_shard_dim}"}),

    [TTNN_all_to_all_dispatch_metadata] = CHK_RULES(
        DISPATCHED_INPUTS,
        {"rank(expert_mapping) != 2",
         "expert_mapping must be a 2D tensor [D, E]"},
        DISPATCHED_RESULTS,
        ON_ONE_AXIS,
        {"(dispatched_buffer or indices_buffer or scores_buffer) and not (dispatched_buffer and indices_buffer and scores_buffer)",
         "dispatched_buffer, indices_buffer and scores_buffer must be all bound or all unbound"}),

    [TTNN_alloc] = CHK_RULES(
        {"not is_attr(enc(result), 'ttnn.ttnn_layout')",
         "Result type missing layout attribute"},
        ALLOC_SIZE,
        {"buffer(result) != buffer_type",
         "Input tensor layout memory space must match alloc memory space"},
        {"buffer_type == 'system_memory' and address != 0",
         "Allocating from system memory space must have address set to 0, implicitly allocated by the runtime"},
        {"buffer(result) in {'dram', 'l1', 'l1_small'} and address == 0",
         "Allocating from a device memory space must have address set to a non-zero value, device addresses are statically allocated"}),

    [TTNN_arange] = CHK_RULES(
        PLACED,
        {"step == 0",
         "Step cannot be zero."},
        RANGE_IS_VALID,
        {"shape(result) != {((end - start) / step)}",
         "Output tensor shape must be {{((end - start) / step)}}, but got {shape(result)}"}),

    [TTNN_argmax] = CHK_RULES(
        {"given dim : dim < -rank(input) or dim >= rank(input)",
         "dim attribute value {dim} is out of range for input tensor of rank {rank(input)}, expected value in range [{-rank(input)}, {rank(input) - 1}]"},
        {"let expected = reduced(shape(input), dim, keep_dim)"},
        {"shape(result) != expected",
         "expected output shape ({expected}), got ({shape(result)})"}),

    [TTNN_assign] = CHK_RULES(
        {"shape(input) != shape(result)",
         "input and output tensor must have the same shape"},
        {"dtype(result) != dtype(input)",
         "output tensor data type does not match expected output data type"}),

    [TTNN_avg_pool2d] = CHK_RULES(
        POOL_PADDING,
        {"kernel_size[0] > input_height + (|padding| == 4 ? padding[0] + padding[2] : 2 * padding[0])",
         "Kernel height {kernel_size[0]} is greater than input height {input_height}. This ttnn.avg_pool2d configuration is invalid."},
        {"kernel_size[1] > input_width + (|padding| == 4 ? padding[1] + padding[3] : 2 * padding[1])",
         "Kernel width {kernel_size[1]} is greater than input width {input_width}. This ttnn.avg_pool2d configuration is invalid."},
        POOL_INPUT_IN_4D,
        {"shape(input)[0] != 1 or shape(input)[1] != 1",
         "ttnn.avg_pool2d input must be in the form (1, 1, N*H*W, C). Received shape ({shape(input)})."},
        {"shape(input)[2] != batch_size * input_height * input_width",
         "ttnn.avg_pool2d shape ({shape(input)}) at dim -2 must be equal to N*H*W. However the attributes given are N={batch_size}, H={input_height}, W={input_width}. {batch_size}*{input_height}*{input_width} != {shape(input)[2]}."},
        {"shape(input)[3] != channels",
         "ttnn.avg_pool2d shape ({shape(input)}) at dim -3 must be equal to C. However the attribute given is C={channels}. {shape(input)[3]} != {channels}"}),

    [TTNN_batch_norm_inference] = CHK_RULES(
        BATCH_NORM_IN_4D),

    [TTNN_batch_norm_training] = CHK_RULES(
        BATCH_NORM_IN_4D),

    [TTNN_begin_trace_capture] = CHK_RULES(
        TRACE_RULES),

    [TTNN_capture_or_execute_trace] = CHK_RULES({.run = ttnn_check_trace}),

    [TTNN_chunked_scaled_dot_product_attention] = CHK_RULES(
        CHUNKED_ATTENTION_RULES,
        ATTENTION_OF_FLOATS,
        CHUNKED_ATTENTION_SIZE_RULES),

    [TTNN_concat] = CHK_RULES(
        FIRST_INPUT,
        {"|inputs|==0",
         "At least one input tensor is required."},
        CONCATENATED_DIM,
        {"loop k < |inputs|"},
        {"let input = inputs[k]"},
        {"rank(input) != rank(first)",
         "All input tensors must have the same rank (operand 0 rank {rank(first)}, operand {k} rank {rank(input)})."},
        {"each i < rank(first) : i != wrap(dim, rank(first)) and dim(input, i) != dim(first, i)",
         "All input tensors must have the same dimensions, except for dimension {dim} (operand 0 shape {shape(first)}, operand {k} shape {shape(input)} differ at dim {i}: {dim(first, i)} vs {dim(input, i)})."},
        {"end"},
        {"dim(result, dim) != sum_dim(inputs, dim)",
         "Output tensor dimension {dim} must be equal to the sum of input tensor dimensions at the same axis ({sum_dim(inputs, dim)}), but got {dim(result, dim)}."}),

    [TTNN_concatenate_heads] = CHK_RULES(
        {"dtype(input) != dtype(result)",
         "input and output tensors must have the same dtype, got input dtype = {dtype(input)}, output dtype = {dtype(result)}"},
        INPUT_IN_4D,
        {"rank(result) != 3",
         "output tensor must be a 3D tensor"},
        {"shape(input)[0] != shape(result)[0]",
         "input and output batch dimensions must match,got input batch size = {shape(input)[0]}, output batch size = {shape(result)[0]}"},
        {"shape(input)[2] != shape(result)[1]",
         "input sequence dimension must match output sequence dimension, got input sequence size = {shape(input)[2]}, output sequence size = {shape(result)[1]}"},
        {"(shape(input)[1] * shape(input)[3]) != shape(result)[2]",
         "output hidden dimension must equal num_heads * head_size, got num_heads = {shape(input)[1]}, head_size = {shape(input)[3]}, expected hidden size = {shape(input)[1] * shape(input)[3]}, actual output hidden size = {shape(result)[2]}"}),

    [TTNN_constant] = CHK_RULES(
        PLACED,
        CONSTANT_VALUE,
        {"buffer(result) != 'system_memory' and not device",
         "device operand must be specified for non-system memory buffer type"},
        {"buffer(result) == 'system_memory' and device",
         "device operand must not be specified for system memory buffer type"}),

    [TTNN_conv1d] = CHK_RULES(
        {"rank(input) != 3",
         "input must be a 3D tensor (N, L_in, C)"},
        CONV1D_WEIGHT,
        {"bias and rank(bias) != 4",
         "bias must be a 4D tensor (1, 1, 1, O)"},
        {"rank(result) != 4",
         "output must be a 4D tensor (1, 1, N * L_out, O)"},
        {"|padding| != 2",
         "padding attribute must have exactly 2 elements ([pL, pR])"},
        {"groups <= 0",
         "groups must be a positive integer"},
        {"in_channels % groups != 0",
         "in_channels must be divisible by groups"},
        {"out_channels % groups != 0",
         "out_channels must be divisible by groups"}),

    [TTNN_conv2d] = CHK_RULES(
        {"rank(input) != 4",
         "Input must be a 4D tensor"},
        {"rank(weight) != 4",
         "Weight must be a 4D tensor"},
        BIAS_IN_4D,
        OUTPUT_IN_4D,
        {"|kernel_size| != 2",
         "Kernel size attribute must have two values, got: {|kernel_size|}"},
        {"|stride| != 2",
         "Stride attribute must have two values, got: {|stride|}"},
        {"each v in stride : v < 1",
         "Stride attribute values must be greater than 0, got: ({stride})"},
        {"|padding| not in {2, 4}",
         "Padding attribute must have two or four values, got: {|padding|}"},
        {"each v in padding : v < 0",
         "Padding attribute values must be greater than or equal to 0, got: ({padding})"},
        {"|dilation| != 2",
         "Dilation attribute must have two values, got: {|dilation|}"},
        {"each v in dilation : v < 1",
         "Dilation attribute values must be greater than 0, got: ({dilation})"},
        WEIGHT_IS_PREPARED,
        {"not prepared and dim(weight, 0) != out_channels",
         "Expected output channels attribute ({out_channels}) to match the output channels in the weight tensor ({dim(weight, 0)})."},
        {"not prepared and dim(weight, 1) != in_channels / groups",
         "Expected input channels / groups attribute ({in_channels}/{groups}) = {in_channels / groups} to match the number of input channels per group in the weight tensor ({dim(weight, 1)})."},
        {"not prepared and dim(weight, 2) != kernel_size[0]",
         "Expected kernel height attribute ({kernel_size[0]}) to match the kernel height in the weight tensor ({dim(weight, 2)})."},
        {"not prepared and dim(weight, 3) != kernel_size[1]",
         "Expected kernel width attribute ({kernel_size[1]}) to match the kernel width in the weight tensor ({dim(weight, 3)})."},
        {"batch_size * input_height * input_width != dim(input, 2)",
         "The input tensor's flattened dimension ({dim(input, 2)}) does not match the product of batch_size_attr * input_height_attr * input_width_attr ({batch_size} * {input_height} * {input_width} = {batch_size * input_height * input_width})."},
        {"let C = dim(input, 3)"},
        {"let outs = prepared ? out_channels : dim(weight, 0)"},
        {"let ins = prepared ? in_channels / groups : dim(weight, 1)"},
        GROUPED_CHANNELS,
        {"outs % groups != 0",
         "The number of output channels from the weight tensor ({outs}) is not divisible by the number of groups ({groups})."},
        {"C / groups != ins",
         "The number of input channels per group ({C / groups}) must match the number of input channels in the weight tensor ({ins})."},
        {"bias and dim(bias, 3) != outs",
         "The number of output channels from the weight tensor ({outs}) must match the number of output channels in the bias tensor ({dim(bias, 3)})."},
        {"let p = |padding| == 4 ? padding[0] + padding[1] : 2 * padding[0]"},
        {"let q = |padding| == 4 ? padding[2] + padding[3] : 2 * padding[1]"},
        {"let i = {input_height + p, input_width + q}"},
        {"let k = {dilation[0] * (kernel_size[0] - 1) + 1, dilation[1] * (kernel_size[1] - 1) + 1}"},
        {"i[0] < k[0] or i[1] < k[1]",
         "The effective kernel size ({k[0]}, {k[1]}) cannot be greater than the padded input size per channel ({i[0]}, {i[1]})."},
        {"let h = (i[0] - k[0]) / stride[0] + 1"},
        {"let w = (i[1] - k[1]) / stride[1] + 1"},
        {"h * w * batch_size != dim(result, 2)",
         "The output tensor's flattened dimension ({dim(result, 2)}) does not match the product of batch_size * output_height * output_width ({batch_size} * {h} * {w} = {batch_size * h * w})."},
        {"dim(result, 3) != outs",
         "The number of output channels from the output tensor ({dim(result, 3)}) must match the number of output channels in the weight tensor ({outs}). "}),

    [TTNN_conv3d] = CHK_RULES(
        {"rank(input) != 5",
         "input must be a 5D tensor [N, D, H, W, C]"},
        {"rank(weight) not in {2, 5}",
         "weight must be either a 5D tensor [O, C/G, kD, kH, kW] (raw) or a 2D tensor [kD*kH*kW*C/G, O] (prepared)"},
        {"bias and rank(bias) != 2",
         "bias must be a 2D tensor [1, O]"},
        {"rank(result) != 5",
         "result must be a 5D tensor [N, D_out, H_out, W_out, O]"},
        {"|kernel_size| != 3",
         "kernel_size must have 3 values, got: {|kernel_size|}"},
        {"each v in kernel_size : v < 1",
         "kernel_size values must be >= 1, got: ({kernel_size})"},
        {"|stride| != 3",
         "stride must have 3 values, got: {|stride|}"},
        {"each v in stride : v < 1",
         "stride values must be > 0, got: ({stride})"},
        {"|padding| != 3",
         "padding must have 3 values, got: {|padding|}"},
        {"each v in padding : v < 0",
         "padding values must be >= 0, got: ({padding})"},
        {"padding_mode not in {'zeros', 'replicate'}",
         "padding_mode must be 'zeros' or 'replicate', got: {padding_mode}"},
        {"groups < 1",
         "groups must be >= 1, got: {groups}"},
        {"let C = dim(input, 4)"},
        {"let outs = rank(weight) == 2 ? dim(weight, 1) : dim(weight, 0)"},
        {"C % groups != 0",
         "in_channels ({C}) must be divisible by groups ({groups})"},
        {"outs % groups != 0",
         "out_channels ({outs}) must be divisible by groups ({groups})"},
        {"let flat = C / groups * product(kernel_size)"},
        {"rank(weight) == 2 and flat != dim(weight, 0)",
         "weight flattened dimension ({dim(weight, 0)}) must equal kD*kH*kW*C_in/groups ({flat})"},
        {"rank(weight) == 5 and part(shape(weight), 2, 5) != kernel_size",
         "weight kernel dimensions ({part(shape(weight), 2, 5)}) must match kernel_size ({kernel_size})"},
        {"bias and dim(bias, 1) != outs",
         "bias output channels ({dim(bias, 1)}) must match weight output channels ({outs})"},
        {"bias and dim(bias, 0) != 1",
         "bias first dimension must be 1, got {dim(bias, 0)}"},
        {"dim(result, 0) != dim(input, 0)",
         "output batch size ({dim(result, 0)}) must match input batch size ({dim(input, 0)})"},
        {"dim(result, 1) != (dim(input, 1) + 2 * padding[0] - kernel_size[0]) / stride[0] + 1",
         "output depth ({dim(result, 1)}) does not match calculated depth ({(dim(input, 1) + 2 * padding[0] - kernel_size[0]) / stride[0] + 1})"},
        {"dim(result, 2) != (dim(input, 2) + 2 * padding[1] - kernel_size[1]) / stride[1] + 1",
         "output height ({dim(result, 2)}) does not match calculated height ({(dim(input, 2) + 2 * padding[1] - kernel_size[1]) / stride[1] + 1})"},
        {"dim(result, 3) != (dim(input, 3) + 2 * padding[2] - kernel_size[2]) / stride[2] + 1",
         "output width ({dim(result, 3)}) does not match calculated width ({(dim(input, 3) + 2 * padding[2] - kernel_size[2]) / stride[2] + 1})"},
        {"dim(result, 4) != outs",
         "output channels ({dim(result, 4)}) must match weight output channels ({outs})"}),

    [TTNN_conv_transpose2d] = CHK_RULES(
        CONVOLVES_IN_4D,
        {"given bias : rank((bias)) != 4",
         "Bias must be a 4D tensor"},
        {"each v in kernel_size : v < 1",
         "Attribute 'kernel_size' contains a value less than: 1"},
        {"each v in stride : v < 1",
         "Attribute 'stride' contains a value less than: 1"},
        {"each v in padding : v < 0",
         "Attribute 'padding' contains a value less than: 0"},
        {"each v in dilation : v < 1",
         "Attribute 'dilation' contains a value less than: 1"},
        {"each v in output_padding : v < 0",
         "Attribute 'output_padding' contains a value less than: 0"},
        {"in_channels != dim(input,rank(input) - 1)",
         "Input channels attribute must match the last dimension of the input tensor"},
        {"out_channels != dim(result,rank(result) - 1)",
         "Output channels attribute match the last dimension of the output tensor"},
        {"given batch_size * input_height * input_width != dim(input,2) : batch_size != dim(input,0)",
         "Batch size attribute must match the first dimension of the input tensor"},
        {"given batch_size * input_height * input_width != dim(input,2) : input_height != dim(input,rank(input) - 3)",
         "Input height attribute must match the second dimension of the input tensor"},
        {"given batch_size * input_height * input_width != dim(input,2) : input_width != dim(input,rank(input) - 2)",
         "Input width attribute must match the third dimension of the input tensor"},
        {"dim(input,rank(input) - 1) % groups != 0",
         "Number of input channels from input tensor must be divisible by the number of groups. Got {dim(input,rank(input) - 1)} input channels and {groups} groups."},
        {"dim(result,rank(result) - 1) % groups != 0",
         "Number of output channels from output tensor must be divisible by the number of groups. Got {dim(result,rank(result) - 1)} output channels and {groups} groups."},
        WEIGHT_IS_PREPARED,
        {"not prepared and dim(input, -1) != dim(weight, 0)",
         "Number of input channels from input tensor must match the first dimension of the weight tensor. Got {dim(input, -1)} input channels and {dim(weight, 0)} in the weight tensor."},
        {"not prepared and dim(result, -1) / groups != dim(weight, 1)",
         "Number of output channels per group must match the second dimension of the weight tensor. Got {dim(result, -1) / groups} output channels per group and {dim(weight, 1)} in the weight tensor."},
        {"given bias : dim((bias),rank((bias)) - 1) != dim(result,rank(result) - 1)",
         "Mismatch in bias tensor dimensions. Bias tensor has {dim((bias),rank((bias)) - 1)} channels, but the output tensor has {dim(result,rank(result) - 1)} channels."},
        {"((input_height - 1) * stride[0] - 2 * padding[0] + dilation[0] * (kernel_size[0] - 1) + output_padding[0] + 1) < 0 or ((input_width - 1) * stride[1] - 2 * padding[1] + dilation[1] * (kernel_size[1] - 1) + output_padding[1] + 1) < 0",
         "Given input size per channel: ({input_height} x {input_width}). Calculated output size per channel: ({((input_height - 1) * stride[0] - 2 * padding[0] + dilation[0] * (kernel_size[0] - 1) + output_padding[0] + 1)} x {((input_width - 1) * stride[1] - 2 * padding[1] + dilation[1] * (kernel_size[1] - 1) + output_padding[1] + 1)}). Output size is too small"}),

    [TTNN_copy] = CHK_RULES(
        {"not on_device(src)",
         "Source tensor must be on device memory"},
        {"not on_device(dst)",
         "Destination tensor must be on device memory"},
        {"type(src) != type(dst)",
         "Source and destination tensor types must match, but got {type(src)} and {type(dst)}"}),

    [TTNN_dequantize] = CHK_RULES(
        QUANT_TO_FLOAT(NOT_CODES),
        QUANT_SHAPE("input tensor shape"),
        QUANT_AXIS),

    [TTNN_d2m_subgraph] = CHK_RULES({.run = ttnn_check_subgraph}),

    [TTNN_distributed_layer_norm] = CHK_RULES(
        DISTRIBUTED_NORM_RULES,
        {"given weight : rank(weight) != 1 or shape(weight)[0] != shape(input)[-1]",
         "weight tensor must be 1D with size matching the last dimension of input"},
        {"given bias : rank(bias) != 1 or shape(bias)[0] != shape(input)[-1]",
         "bias tensor must be 1D with size matching the last dimension of input"}),

    [TTNN_distributed_rms_norm] = CHK_RULES(
        DISTRIBUTED_NORM_RULES,
        {"weight and count(weight) != dim(input, -1)",
         "weight tensor total elements must match input's last dimension"}),

    [TTNN_dit_rms_norm_unary_fused] = CHK_RULES(
        SAME_SHAPE,
        {"given residual_input : shape(residual_input) != shape(input)",
         "residual_input tensor must have the same shape as input"},
        {"given rank(input) == 0 : weight and rank(weight) != 0",
         "weight tensor must be 0D for 0D input tensor"},
        {"given rank(input) == 0 : bias and rank(bias) != 0",
         "bias tensor must be 0D for 0D input tensor"},
        NORM_WEIGHTS),

    [TTNN_dump_tensor] = CHK_RULES(
        TENSORBIN_FILE),

    [TTNN_embedding_bw] = CHK_RULES(
        {"shape(input)[-1] % 32 != 0",
         "Input's last dim must be divisible by TILE_WIDTH"},
        {"rank(input) != 4",
         "Input index tensor must be a 4D tensor"},
        {"dim(input,1) != 1 or dim(input,2) != 1",
         "Input index tensor dims 1 and 2 must be 1, got shape (B, ?, ?, N) where ? must be 1"},
        EMBEDDING_WEIGHT_IN_2D,
        {"rank(in_gradient) != 4",
         "Input gradient must be a 4D tensor"},
        {"dim(in_gradient,0) != 1 or dim(in_gradient,1) != 1",
         "Input gradient must be in the form (1, 1, R, C)"},
        {"dim(in_gradient,2) != (dim(input,0) * shape(input)[-1])",
         "Input gradient dim 2 must equal index_shape[0] * index_shape[-1]"},
        {"dim(in_gradient,3) != dim(weight,1)",
         "Input gradient second dimension must match the second dimension of the weight tensor"},
        EMBEDDING_GRADIENT,
        {"{1, 1, dim(weight,0), dim(weight,1)} != shape(result)",
         "expected output shape of ({{1, 1, dim(weight,0), dim(weight,1)}}) but got ({shape(result)})"}),

    [TTNN_empty] = CHK_RULES(
        PLACED,
        {"shape(result) != shape",
         "Output tensor shape must be {shape}, but got {shape(result)}"}),

    [TTNN_end_trace_capture] = CHK_RULES(
        TRACE_RULES),

    [TTNN_execute_trace] = CHK_RULES(
        TRACE_RULES),

    [TTNN_flash_mla_prefill] = CHK_RULES(
        {"rank(query) != 4",
         "Query must be a 4D tensor"},
        {"rank(key) != 4",
         "Key must be a 4D tensor"},
        OUTPUT_IN_4D,
        {"elt(query) != elt(result)",
         "Query and result must have the same element type"},
        KEY_AS_QUERY,
        KEY_BATCH,
        {"shape(key)[3] != shape(query)[3]",
         "Key head size must match query head size"},
        {"shape(query)[2] != shape(key)[2]",
         "Query and key must have the same sequence length"},
        {"shape(query)[1] % shape(key)[1] != 0",
         "Query num heads must be divisible by key num heads (GQA/MQA/MLA)"},
        {"given value : rank(value) != 4",
         "Value must be a 4D tensor"},
        {"given value : elt(query) != elt(value)",
         "Query and value must have the same element type"},
        {"given value : shape(value)[0] != shape(query)[0]",
         "Value batch size must match query batch size"},
        {"given value : shape(value)[1] != shape(key)[1]",
         "Value num heads must match key num heads"},
        {"given value : shape(value)[2] != shape(query)[2]",
         "Value sequence length must match query/key sequence length"},
        {"given value : shape(value)[3] != head_dim_v",
         "Value head size must equal head_dim_v"},
        {"given not (value) : head_dim_v > shape(query)[3]",
         "head_dim_v cannot exceed key's head dim when value is not provided"},
        {"head_dim_v <= 0",
         "head_dim_v must be greater than 0"},
        {"given attention_mask : is_causal",
         "Attention mask is not allowed when is_causal is true"},
        {"given attention_mask : rank(attention_mask) != 4",
         "Attention mask must be a 4D tensor"},
        MASK_BROADCASTS,
        {"given attention_mask : shape(attention_mask)[2] != shape(query)[2]",
         "Attention mask at dim 2 must match query sequence length"},
        {"given attention_mask : shape(attention_mask)[3] != shape(query)[2]",
         "Attention mask at dim 3 must match key sequence length"},
        {"shape(result)[0] != shape(query)[0] or shape(result)[1] != shape(query)[1] or shape(result)[2] != shape(query)[2] or shape(result)[3] != head_dim_v",
         "Result shape must be [batch, num_query_heads, seq_len, head_dim_v]"}),

    [TTNN_full] = CHK_RULES(PLACED),

    [TTNN_gather] = CHK_RULES(
        {"bits(elt(index)) != 32 and (bits(elt(index)) != 16 or not is_unsigned(elt(index))) or not is_int(elt(index))",
         "Index tensor element type must be one of ui16, ui32, si32 or i32, got {elt(index)}"},
        GATHER_RULES),

    [TTNN_gelu_bw] = CHK_RULES(
        GELU_BACKWARD,
        {"rank(result) < 2 or rank(result) > 4",
         "result tensor must have rank 2, 3, or 4, but got rank {rank(result)}"},
        GELU_RANKS,
        {"rank(lhs) != rank(result)",
         "input tensors and result tensor must have the same rank, but got input rank {rank(lhs)} and result rank {rank(result)}"}),

    [TTNN_generic] = CHK_RULES({.run = ttnn_check_generic}),

    [TTNN_global_avg_pool2d] = CHK_RULES(
        INPUT_IN_4D),

    [TTNN_group_norm] = CHK_RULES(
        SAME_SHAPE,
        {"rank(input) != 4",
         "input must be a 4D tensor [N, 1, H*W, C], got rank {rank(input)}"},
        {"shape(input)[1] != 1",
         "input second dimension must be 1 for shape [N, 1, H*W, C], got {shape(input)[1]}"},
        POSITIVE_GROUPS,
        {"shape(input)[3] % num_groups != 0",
         "channel dimension (last dim) must be divisible by num_groups; got C={shape(input)[3]}, num_groups={num_groups}"},
        {"input_mask and shape(input)[3] % 32 != 0",
         "input_mask is not supported when channel dimension is not tile-aligned (multiple of 32); got C={shape(input)[3]}"},
        {"given weight : given rank(weight) == 1 : shape(weight)[0] != shape(input)[3]",
         "weight must be 1D with size matching channel dimension C={shape(input)[3]}"},
        {"given weight : given not (rank(weight) == 1) : given rank(weight) == 4 : shape(weight)[0] != 1 or shape(weight)[1] != 1 or shape(weight)[3] != 32 or shape(weight)[2] * shape(weight)[3] != shape(input)[3]",
         "weight must be either 1D [C] or 4D [1,1,C/32,32]"},
        {"given weight : given not (rank(weight) == 1) : not (rank(weight) == 4)",
         "weight must be either 1D [C] or 4D [1,1,C/32,32], got rank {rank(weight)}"},
        {"given bias : given rank(bias) == 1 : shape(bias)[0] != shape(input)[3]",
         "bias must be 1D with size matching channel dimension C={shape(input)[3]}"},
        {"given bias : given not (rank(bias) == 1) : given rank(bias) == 4 : shape(bias)[0] != 1 or shape(bias)[1] != 1 or shape(bias)[3] != 32 or shape(bias)[2] * shape(bias)[3] != shape(input)[3]",
         "bias must be either 1D [C] or 4D [1,1,C/32,32]"},
        {"given bias : given not (rank(bias) == 1) : not (rank(bias) == 4)",
         "bias must be either 1D [C] or 4D [1,1,C/32,32], got rank {rank(bias)}"}),

    [TTNN_indexer_score_dsa] = CHK_RULES(
        {"rank(query) != 4",
         "Query must be a 4D tensor [B, Hi, Sq, D]"},
        {"rank(key) != 4",
         "Key must be a 4D tensor [B, 1, T, D]"},
        {"rank(weights) != 4",
         "Weights must be a 4D tensor [B, Hi, Sq, 1]"},
        {"rank(result) != 4",
         "Result must be a 4D tensor [B, 1, Sq, T]"},
        {"shape(query)[0] != 1",
         "Query batch size (dim 0) must be 1, got {shape(query)[0]}"},
        KEY_BATCH,
        {"shape(key)[1] != 1",
         "Key must have a single head (dim 1 must be 1)"},
        {"shape(key)[3] != shape(query)[3]",
         "Key head dim must match query head dim"},
        {"shape(weights)[0] != shape(query)[0] or shape(weights)[1] != shape(query)[1] or shape(weights)[2] != shape(query)[2] or shape(weights)[3] != 1",
         "Weights shape must be [batch, num_heads, query_seq_len, 1]"},
        {"shape(result)[0] != shape(query)[0] or shape(result)[1] != 1 or shape(result)[2] != shape(query)[2] or shape(result)[3] != shape(key)[2]",
         "Result shape must be [batch, 1, query_seq_len, key_seq_len]"},
        KEY_AS_QUERY),

    [TTNN_layer_norm] = CHK_RULES(
        SAME_SHAPE,
        NORM_OF_SCALAR,
        NORM_WEIGHTS),

    [TTNN_layer_norm_post_all_gather] = CHK_RULES(
        {"rank(input) < 2",
         "input must have rank >= 2"},
        {"rank(stats) < 2",
         "stats must have rank >= 2"},
        SAME_SHAPE,
        {"given weight : rank(weight) != 1 or dim(weight, 0) != shape(input)[-1]",
         "weight tensor must be 1D with size matching the last dimension of input"},
        {"given bias : rank(bias) != 1 or dim(bias, 0) != shape(input)[-1]",
         "bias tensor must be 1D with size matching the last dimension of input"}),

    [TTNN_layer_norm_pre_all_gather] = CHK_RULES(
        {"rank(input) < 2",
         "input tensor must have rank >= 2"},
        {"given residual_input : shape(residual_input) != shape(input)",
         "residual_input shape must match input shape"},
        {"rank(input) != rank(result)",
         "input and output must have the same rank"},
        {"each i < rank(input) - 1 : shape(input)[i] != shape(result)[i]",
         "output dimension {i} ({shape(result)[i]}) must match input dimension ({shape(input)[i]})"},
        {"shape(result)[-1] != (2 * 32)",
         "output last dimension must be {2 * 32} (2 * TILE_WIDTH) for layernorm partial statistics, got {shape(result)[-1]}"}),

    [TTNN_linear] = CHK_RULES(
        MULTIPLIES,
        {"let expected = |expected| == 0 ? {1} : expected"},
        BIAS_OF_PRODUCT,
        {"let whole = bias ? broadcast(expected, shape(bias)) : expected"},
        /* a bias of one row of tiles is added by the kernel, which does not widen */
        {"let fused = bias and rank(bias) > 1 and (dim(bias, -2) + 31) / 32 == 1"},
        {"not fused and shape(result) != whole",
         "Output shape({join(shape(result), ',')}) must match the broadcasted shape({join(whole, ',')})"},
        {"fused and shape(result) != whole and shape(result) != expected",
         "Output shape({join(shape(result), ',')}) must match the broadcasted shape({join(whole, ',')}) or the matmul output shape({join(expected, ',')})"}),

    [TTNN_load_tensor] = CHK_RULES(
        TENSORBIN_FILE,
        {"let placed = buffer(result) in {'dram', 'l1', 'l1_small'}"},
        {"device and not placed",
         "device operand must be null for system memory buffer type"},
        {"not device and placed",
         "device operand must be specified for device memory buffer type"}),

    [TTNN_max_pool2d] = CHK_RULES(
        POOL_PADDING,
        {"kernel_size[0] > input_height + (|padding| == 4 ? padding[0] + padding[2] : 2 * padding[0])",
         "Kernel height {kernel_size[0]} is greater than input height {input_height}. This ttnn.max_pool2d configuration is invalid."},
        {"kernel_size[1] > input_width + (|padding| == 4 ? padding[1] + padding[3] : 2 * padding[1])",
         "Kernel width {kernel_size[1]} is greater than input width {input_width}. This ttnn.max_pool2d configuration is invalid."},
        POOL_INPUT_IN_4D,
        {"shape(input)[0] != 1 or shape(input)[1] != 1",
         "ttnn.max_pool2d input must be in the form (1, 1, N*H*W, C). Received shape ({shape(input)})."},
        {"shape(input)[2] != batch_size * input_height * input_width",
         "ttnn.max_pool2d shape ({shape(input)}) at dim -2 must be equal to N*H*W. However the attributes given are N={batch_size}, H={input_height}, W={input_width}. {batch_size}*{input_height}*{input_width} != {shape(input)[2]}."},
        {"shape(input)[3] != channels",
         "ttnn.max_pool2d shape ({shape(input)}) at dim -3 must be equal to C. However the attribute given is C={channels}. {shape(input)[3]} != {channels}"}),

    [TTNN_max_pool2d_with_indices] = CHK_RULES(
        POOL_PADDING,
        {"kernel_size[0] > input_height + (|padding| == 4 ? padding[0] + padding[2] : 2 * padding[0])",
         "Kernel height {kernel_size[0]} is greater than input height {input_height}. This ttnn.max_pool2d_with_indices configuration is invalid."},
        {"kernel_size[1] > input_width + (|padding| == 4 ? padding[1] + padding[3] : 2 * padding[1])",
         "Kernel width {kernel_size[1]} is greater than input width {input_width}. This ttnn.max_pool2d_with_indices configuration is invalid."},
        POOL_INPUT_IN_4D,
        {"shape(input)[0] != 1 or shape(input)[1] != 1",
         "ttnn.max_pool2d_with_indices input must be in the form (1, 1, N*H*W, C). Received shape ({shape(input)})."},
        {"shape(input)[2] != batch_size * input_height * input_width",
         "ttnn.max_pool2d_with_indices shape ({shape(input)}) at dim -2 must be equal to N*H*W. However the attributes given are N={batch_size}, H={input_height}, W={input_width}. {batch_size}*{input_height}*{input_width} != {shape(input)[2]}."},
        {"shape(input)[3] != channels",
         "ttnn.max_pool2d_with_indices shape ({shape(input)}) at dim -3 must be equal to C. However the attribute given is C={channels}. {shape(input)[3]} != {channels}"}),

    [TTNN_moe_compute] = CHK_RULES(
        INTERMEDIATE_SIZE,
        EXPERT_SHARDS,
        {"shape(tilize_input_tensor)[-1] <= 0 or shape(tilize_input_tensor)[-1] % 32 != 0",
         "tilize_input_tensor last dim (hidden_size) must be a positive multiple of 32"}),

    [TTNN_moe_expert_token_remap] = CHK_RULES(
        EXPERT_TENSORS,
        {"rank(mapping) != 4",
         "mapping output must be a 4D tensor"},
        {"rank(reduced) != 4",
         "reduced output must be a 4D tensor"},
        POSITIVE_REDUCTION),

    [TTNN_nlp_concat_heads] = CHK_RULES(
        {"|shape(result)| != 4",
         "output tensor must be a 4D tensor"},
        {"|shape(input)| != 4",
         "input tensor must be a 4D tensor"},
        {"({shape(input)[0], 1, shape(input)[2], shape(input)[1] * shape(input)[3]}) != shape(result)",
         "expected output shape ({join(({shape(input)[0], 1, shape(input)[2], shape(input)[1] * shape(input)[3]}), ', ')}), got ({join(shape(result), ', ')})"}),

    [TTNN_nlp_concat_heads_decode] = CHK_RULES(
        INPUT_IN_4D,
        {"rank(result) != 4",
         "output tensor must be a 4D tensor"},
        {"shape(result)[1] != 1",
         "output dimension 1 must be 1, got {shape(result)[1]}"},
        {"shape(input)[2] < num_heads",
         "num_heads attribute must be less than or equal to input num_heads dimension, got num_heads = {num_heads}, input num_heads dimension = {shape(input)[2]}"},
        {"shape(input)[0] != shape(result)[0]",
         "input sequence dimension must match output sequence dimension, got input sequence size = {shape(input)[0]}, output sequence size = {shape(result)[0]}"},
        {"(num_heads * shape(input)[3]) != shape(result)[3]",
         "Output hidden dimension must equal num_heads * head_size, got num_heads = {shape(input)[2]}, head_size = {num_heads}, expected hidden size = {num_heads * shape(input)[3]}, actual output hidden size = {shape(result)[3]}"}),

    [TTNN_nlp_create_qkv_heads_decode] = CHK_RULES(
        INPUT_IN_4D,
        {"rank(query) != 4",
         "query tensor must be a 4D tensor"},
        {"rank(key) != 4",
         "key tensor must be a 4D tensor"},
        {"rank(value) != 4",
         "value tensor must be a 4D tensor"},
        {"(batch_offset ? 1 : 0) != (slice_size ? 1 : 0)",
         "both or neither of batch_offset and slice_size must be set"},
        {"batch_offset and count(batch_offset) != 1",
         "batch_offset must be a scalar, got shape ({join(shape(batch_offset), ', ')})"},
        {"shape(input)[0] != 1",
         "input tensor dimension 0 must be 1, got {shape(input)[0]}"},
        {"shape(input)[1] != 1",
         "input tensor dimension 1 must be 1, got {shape(input)[1]}"},
        KEY_VALUE_HEADS,
        {"let batch = slice_size ? slice_size : dim(input, 2)"},
        {"let size = dim(input, 3) / (num_heads + 2 * kv)"},
        {"let q = {1, batch, num_heads, size}"},
        {"let expected = {1, batch, kv, size}"},
        {"shape(query) != q",
         "expected query shape ({q}), got ({shape(query)})"},
        {"shape(key) != expected",
         "expected key shape ({expected}), got ({shape(key)})"},
        {"shape(value) != expected",
         "expected value shape ({expected}), got ({shape(value)})"}),

    [TTNN_ones] = CHK_RULES(
        PLACED,
        SHAPE_OF_RESULT),

    [TTNN_pad] = CHK_RULES(
        PADDING_OF_EACH_SIDE,
        {"each p in padding : p < 0",
         "Padding cannot contain negative values"},
        PADDED_SHAPE),

    [TTNN_paged_update_cache] = CHK_RULES(
        PAGED_UPDATE_CACHE_RULES,
        INPUT_OF_FLOATS,
        {"not is_int(elt(update_index))",
         "Update index tensor must be an integer type"},
        {"given not not page_table : not is_int(elt(page_table))",
         "Page table tensor must be an integer type"},
        {"given not not page_table : |shape(page_table)| != 2",
         "Page table tensor must be a 2D tensor"},
        {"given not not page_table : shape(page_table)[0] != shape(update_index)[0]",
         "Page table tensor must have dim 0 be equal to the number of users (determined by update index shape): {shape(update_index)[0]}, got {shape(page_table)[0]}"}),

    [TTNN_point_to_point] = CHK_RULES(
        {"given optional_output_tensor : elt(type(input)) != elt(type(optional_output_tensor)) or shape(type(input)) != shape(type(optional_output_tensor))",
         "Optional output tensor must match input tensor in shape and element type."},
        {"given optional_output_tensor : receiver_coord == sender_coord",
         "Can't send/receive to the same device"}),

    [TTNN_pow_scalar] = CHK_RULES(
        {"rhs < 0",
         "exponent must be non-negative; but got {rhs}"},
        {"not is_number(rhs)",
         "exponent must be an integer or float attribute."}),

    [TTNN_prepare_conv2d_bias] = CHK_RULES(
        {"rank(bias_tensor) != 4",
         "Weight must be a 4D tensor"},
        PREPARED_BIAS_SIZES),

    [TTNN_prepare_conv2d_weights] = CHK_RULES(
        PREPARED_WEIGHT_IN_4D,
        {"weights_format != 'OIHW'",
         "Only `OIHW` weights format is currently supported"},
        {"shape(weight_tensor)[0] != out_channels",
         "Expected output channels attribute ({out_channels}) to match the first dimension of the weight tensor ({shape(weight_tensor)[0]})"},
        {"shape(weight_tensor)[1] != in_channels / groups",
         "Expected input channels attribute ({in_channels}) to match the number of input channels per group ({shape(weight_tensor)[1] / groups})"},
        PREPARED_WEIGHT_SIZES),

    [TTNN_prepare_conv3d_weights] = CHK_RULES(
        {"rank(weight_tensor) != 5",
         "Weight must be a 5D tensor"},
        {"rank(result) != 2",
         "Result must be a 2D tensor"},
        {"groups <= 0",
         "Groups must be positive"},
        {"c_in_block < 0",
         "C_in_block must be non-negative"},
        {"alignment <= 0",
         "Alignment must be positive"},
        {"dynamic(shape(weight_tensor)) or dynamic(shape(result))",
         NULL},
        {"let aligned = (dim(weight_tensor, 1) * groups + alignment - 1) / alignment * alignment"},
        {"let block = c_in_block == 0 ? aligned : c_in_block"},
        {"aligned % block != 0",
         "C_in_block ({block}) must divide aligned input channels ({aligned})"},
        {"let flat = aligned * product(part(shape(weight_tensor), 2, 5))"},
        {"dim(result, 0) != flat",
         "Expected result first dimension ({dim(result, 0)}) to match prepared conv3d weight flattened dimension ({flat})"},
        {"shape(result)[1] != shape(weight_tensor)[0]",
         "Expected result second dimension ({shape(result)[1]}) to match output channels ({shape(weight_tensor)[0]})"}),

    [TTNN_prepare_conv_transpose2d_bias] = CHK_RULES(
        {"rank(bias_tensor) != 4",
         "Bias must be a 4D tensor"},
        PREPARED_BIAS_SIZES),

    [TTNN_prepare_conv_transpose2d_weights] = CHK_RULES(
        PREPARED_WEIGHT_IN_4D,
        {"weights_format != 'IOHW'",
         "Only `IOHW` weights format is currently supported"},
        {"shape(weight_tensor)[0] != in_channels",
         "Expected input channels attribute ({in_channels}) to match the first dimension of the weight tensor ({shape(weight_tensor)[0]})"},
        {"shape(weight_tensor)[1] != out_channels / groups",
         "Expected output channels attribute ({out_channels}) to match the number of output channels per group ({shape(weight_tensor)[1] / groups})"},
        PREPARED_WEIGHT_SIZES),

    [TTNN_prepare_moe_compute_w0_w1_weights] = CHK_RULES(
        HIDDEN_SIZE,
        INTERMEDIATE_SIZE,
        {"(bias_0 and not bias_1) or (bias_1 and not bias_0)",
         "bias_0 and bias_1 must be both present or both absent"}),

    [TTNN_prepare_moe_compute_w2_weights] = CHK_RULES(
        HIDDEN_SIZE,
        INTERMEDIATE_SIZE),

    [TTNN_prod] = CHK_RULES(
        {"rank(input) > 4",
         "Input tensor rank is greater than 4 for reduce(product)."}),

    [TTNN_quantize] = CHK_RULES(
        QUANT_FROM_FLOAT(NOT_CODES),
        QUANT_SHAPE("input tensor shape"),
        QUANT_AXIS),

    [TTNN_rand] = CHK_RULES(
        PLACED,
        {"low >= high",
         "'low' value must be < 'high' value"},
        {"shape(result) != size",
         "size argument does not match with output tensor shape. [Size = ({size}), output tensor shape = ({shape(result)})]"}),

    [TTNN_reduce_scatter] = CHK_RULES(
        {"scatter_dim >= rank(input) or scatter_dim < -rank(input)",
         "Invalid scatter dimension for reduce scatter op. Scatter dimension must be >= to input tensor rank or < -input tensor rank, got scatter_dim = {scatter_dim}"},
        {"reduce_type != 'sum'",
         "Invalid reduction type for reduce scatter op."}),

    [TTNN_repeat] = CHK_RULES(
        {"rank(input) != |repeat_dims|",
         "Input tensor rank {rank(input)} doesn't match the number of repeat dimensions {|repeat_dims|}."},
        REPEATED_RANK,
        {"each i < |repeat_dims| : repeat_dims[i] <= 0",
         "Repeat dimension at index {i} must be greater than 0."},
        {"each i < |repeat_dims| : shape(input)[i] * repeat_dims[i] != shape(result)[i]",
         "Input tensor shape ({join(shape(input), ',')}) at index {i} does not repeat to output ({join(shape(result), ',')}) using repeat value {repeat_dims[i]}."}),

    [TTNN_requantize] = CHK_RULES(
        QUANT_ALIKE(NOT_CODES),
        QUANT_SHAPE("input tensor shape"),
        QUANT_AXIS),

    [TTNN_reshape] = CHK_RULES(
        RESHAPES,
        {"count(input) != count(result)",
         "Input tensor number of elements {count(input)} and output tensor number of elements {count(result)} must be the same"},
        {"each i < |shape| : given not (shape[i] == -1) : shape[i] < 0",
         "All dimensions must be >= 0 except the one with -1"},
        {"each i < |shape| : given not (shape[i] == -1) : shape[i] != shape(result)[i]",
         "Shape attribute {shape[i]} must match the output tensor shape {shape(result)[i]} at index {i} for dimension that is not -1"}),

    [TTNN_rms_norm] = CHK_RULES(
        SAME_SHAPE,
        NORM_OF_SCALAR,
        NORM_WEIGHTS),

    [TTNN_rms_norm_pre_all_gather] = CHK_RULES(
        {"rank(input) < 2",
         "input tensor must have rank greater than 1"},
        {"rank(input) != rank(result)",
         "input rank must match the output rank"},
        {"each idx < rank(input) - 1 : shape(input)[idx] != shape(result)[idx]",
         "output dimension {idx} ({shape(result)[idx]}) must match input dimension ({shape(input)[idx]})"},
        {"given residual : shape(residual) != shape(input)",
         "residual tensor shape must match the input tensor shape"}),

    [TTNN_rotary_embedding] = CHK_RULES(
        {"elt(cos_cache) != elt(sin_cache)",
         "cos and sin tensor dtypes must match."},
        {"shape(cos_cache) != shape(sin_cache)",
         "cos and sin tensor shapes must match."},
        {"rank(input) != 4 or rank(cos_cache) != 4 or rank(sin_cache) != 4 or rank(result) != 4",
         "all input and output tensors must be 4D tensors."}),

    [TTNN_rotary_embedding_llama] = CHK_RULES(
        {"name(elt(input)) != 'bf16' or name(elt(cos_cache)) != 'bf16' or name(elt(sin_cache)) != 'bf16' or name(elt(trans_mat)) != 'bf16'",
         "all input tensors must be bfloat16 type."},
        {"layout(input) != 'tile' or layout(cos_cache) != 'tile' or layout(sin_cache) != 'tile' or layout(trans_mat) != 'tile'",
         "all input tensors must have tiled layout."},
        {"not on_device(input) or not on_device(cos_cache) or not on_device(sin_cache) or not on_device(trans_mat)",
         "all input tensors must be on device."},
        {"shape(cos_cache) != shape(sin_cache)",
         "cos and sin tensors must have the same shape."},
        {"shape(input)[-1] > 256",
         "head dimension must be ≤ 256, got {shape(input)[-1]}."},
        {"rank(trans_mat) != 4",
         "transformation matrix must be at least 4D tensor."},
        {"shape(trans_mat) != {1, 1, 32, 32}",
         "transformation matrix must have shape (1,1,32,32) but got ({join(shape(trans_mat), ',')})."},
        {"is_decode_mode and (mem_layout(input) != 'height_sharded' or mem_layout(cos_cache) != 'height_sharded' or mem_layout(sin_cache) != 'height_sharded' or mem_layout(trans_mat) != 'height_sharded')",
         "in decode mode, all input tensors must have HeightSharded memory layout."},
        {"shape(result) != shape(input)",
         "output shape must match input shape."}),

    [TTNN_sampling] = CHK_RULES(
        {"rank(input_values) != 2 and rank(input_values) != 4",
         "input_values must be 2D [batch, candidates] or 4D [1, 1, batch, candidates]"},
        {"rank(input_indices) != rank(input_values)",
         "input_indices rank must match input_values rank"},
        SAMPLED_SHAPES,
        {"given not (rank(input_values) == 2) : shape(input_values)[0] != 1 or shape(input_values)[1] != 1",
         "rank-4 input_values leading dims must be [1, 1, batch, candidates]"},
        {"let batch = dim(input_values, -2)"},
        {"batch < 1 or batch > 32",
         "batch ({batch}) must be in [1, 32] (kernel limit)"},
        {"let want = rank(input_values) == 2 ? 1 : 4"},
        {"rank(result) != want",
         "result rank ({rank(result)}) must match expected rank ({want}) for input_values rank {rank(input_values)}"},
        SAMPLED_K,
        {"dim(k, 0) != batch",
         "k batch dimension ({dim(k, 0)}) must match input_values batch ({batch})"},
        SAMPLED_P,
        {"dim(p, 0) != batch",
         "p batch dimension ({dim(p, 0)}) must match input_values batch ({batch})"},
        SAMPLED_TEMPERATURE,
        {"dim(temp, 0) != batch",
         "temp batch dimension ({dim(temp, 0)}) must match input_values batch ({batch})"},
        {"dim(result, -1) != batch or product(shape(result)) != batch",
         "result must be {want}D [{want == 1 ? 'batch' : '1, 1, 1, batch'}]"}),

    [TTNN_scaled_dot_product_attention] = CHK_RULES(
        RESULT_AS_QUERY,
        {"shape(key) != shape(value)",
         "Key and value must have the same shape"},
        {"elt(key) != elt(value)",
         "Key and value must have the same element type"},
        ATTENTION_IN_4D,
        {"|shape(query)| != |shape(result)|",
         "Query and result must have the same rank"},
        {"((|shape(key)| == 4) ? shape(key)[0] : 1) != ((|shape(query)| == 4) ? shape(query)[0] : 1)",
         "Key/Value batch size must match query batch size"},
        {"shape(key)[|shape(key)| - 1] != shape(query)[|shape(query)| - 1]",
         "Key/Value head size must match query head size"},
        {"shape(query)[|shape(query)| - 3] % shape(key)[|shape(key)| - 3] != 0",
         "Query num heads must be divisible by key/value num heads"},
        MASK_IN_4D,
        {"given attention_mask : shape(attention_mask)[0] != 1 and shape(attention_mask)[0] != ((|shape(query)| == 4) ? shape(query)[0] : 1)",
         "Attention mask batch size must be 1 (broadcast) or match query batch size"},
        {"given attention_mask : shape(attention_mask)[1] != 1 and shape(attention_mask)[1] != shape(query)[|shape(query)| - 3]",
         "Attention mask dim 1 must be 1 (broadcast) or match query num heads"},
        {"given attention_mask : shape(attention_mask)[2] != shape(query)[|shape(query)| - 2]",
         "Attention mask at dim 2 must match query sequence length"},
        {"given attention_mask : shape(attention_mask)[3] != shape(key)[|shape(key)| - 2]",
         "Attention mask at dim 3 must match key/value sequence length (max sequence length)"},
        {"given is_causal : shape(query)[|shape(query)| - 2] != shape(key)[|shape(key)| - 2]",
         "Sequence length must match key/value sequence length when is_causal is true"}),

    [TTNN_scaled_dot_product_attention_decode] = CHK_RULES(
        ATTENTION_IN_4D,
        RESULT_AS_QUERY,
        ONE_QUERY,
        {"given cur_pos_tensor : not is_int(elt(cur_pos_tensor))",
         "Cur pos tensor must be a tensor of integers"},
        {"given cur_pos_tensor : |shape(cur_pos_tensor)| != 1",
         "Cur pos tensor must be a 1D tensor"},
        {"given cur_pos_tensor : shape(cur_pos_tensor)[0] != shape(query)[1]",
         "Cur pos tensor batch size must match query batch size"},
        ATTENTION_DECODE_RULES),

    [TTNN_sdpa_bw] = CHK_RULES(
        ATTENTION_TRAINING_IN_4D),

    [TTNN_sdpa_fw] = CHK_RULES(
        ATTENTION_TRAINING_IN_4D,
        {"return_intermediates and not intermediates or "
         "not return_intermediates and intermediates",
         "intermediates result must be present iff return_intermediates is true"}),

    [TTNN_slice_dynamic] = CHK_RULES(
        NO_SCALAR,
        SLICE_BOUNDS_IN_1D,
        {"rank(input) != shape(begins)[0] or rank(input) != shape(ends)[0] or (step and rank(input) != |step|)",
         "Begins, ends, and step must have the same number of elements as the input tensor rank"},
        SLICED_RESULT,
        {"given step : each i < rank(input) : step[i] == 0",
         "Step value for dimension {i} cannot be zero"}),

    [TTNN_sort] = CHK_RULES(
        SORTED_DIM,
        {"not is_int(elt(indices))",
         "Expected integer data type for indices but got {elt(indices)}"},
        SORTED_RESULTS),

    [TTNN_to_layout] = CHK_RULES(
        PLACED,
        BOTH_HAVE_LAYOUTS,
        {"buffer(input) != buffer(result)",
         "ttnn.to_layout cannot change buffer type from '{buffer(input)}' to '{buffer(result)}'; use ttnn.to_tensor_spec for memory-config or device placement changes"},
        {"mem_layout(input) != mem_layout(result)",
         "ttnn.to_layout cannot change tensor memory layout; use ttnn.to_tensor_spec for memory-config changes"},
        {"grid_shape(input) != grid_shape(result)",
         "ttnn.to_layout cannot change grid shape; usettnn.to_tensor_spec for memory-config changes"}),

    [TTNN_to_memory_config] = CHK_RULES(
        BOTH_HAVE_LAYOUTS,
        {"let sharded = mem_layout(result) in {'block_sharded', 'height_sharded', 'width_sharded'}"},
        {"buffer(result) in {'dram', 'l1', 'l1_small'} and not sharded and mem_layout(result) != 'interleaved'",
         "Device memory space only supports interleaved or sharded memory layouts"},
        {"buffer(result) == 'dram' and mem_layout(result) == 'block_sharded'",
         "DRAM memory space doesn't support block sharded memory layout"},
        {"sharded and rank(param(enc(result), 'memref')) != 2",
         "Shard shape must be 2D"}),

    [TTNN_to_tensor_spec] = CHK_RULES(
        PLACED),

    [TTNN_topk] = CHK_RULES(
        {"wrap(dim, rank(input_tensor)) < 0 or wrap(dim, rank(input_tensor)) >= rank(input_tensor)",
         "specified dimension should be between {-rank(input_tensor)} and {rank(input_tensor) - 1}, but got: {dim}"},
        {"k <= 0 or k > dim(input_tensor,wrap(dim, rank(input_tensor)))",
         "K should be between 1 and the size of the specified dimension ({wrap(dim, rank(input_tensor))}), but got: {k}"}),

    [TTNN_topk_router_gpt] = CHK_RULES(
        TOPK_ROUTER_SHAPE_RULES,
        {"dim(input,0) != 32",
         "B must be 32, but got: {dim(input,0)}"},
        {"num_experts != 128",
         "num_experts must be 128, but got: {num_experts}"},
        TOPK_ROUTER_RESULT_RULES),

    [TTNN_upsample] = CHK_RULES(UPSAMPLES),

    [TTNN_write_tensor] = CHK_RULES(
        {"not type(host_tensor)",
         "Host tensor must be RankedTensorType"},
        {"on_device(host_tensor)",
         "Host tensor must be on system memory"},
        {"not type(device_tensor)",
         "Device tensor must be RankedTensorType"},
        {"not on_device(device_tensor)",
         "Device tensor must be on device memory"},
        {"cq_id not in {0, 1}",
         "Invalid CQ ID {cq_id}"}),

    [TTNN_zeros] = CHK_RULES(
        PLACED,
        SHAPE_OF_RESULT),

};
/* clang-format on */

chk_rules ttnn_rules(const ir_op_def *def)
{
    return rules[def - ttnn_ops];
}
