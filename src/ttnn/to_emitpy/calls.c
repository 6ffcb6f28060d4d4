/* calls.c: which function of ttnn an operation calls, and with what.
 *
 * Facts: signatures of ttnn's functions,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ttnn/api.html */
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#define PYTHON(callee_, args_) .callee = callee_, .args = args_
#define NO_PYTHON
#define CALL_UNARY PYTHON(NULL, "input, memory_config=@memory")
#define CALL_FAST                                                                          \
    PYTHON(NULL, "input, fast_and_approximate_mode='False, memory_config=@memory")
#define CALL_BINARY PYTHON(NULL, "lhs, rhs, dtype=@dtype, memory_config=@memory")
#define CALL_COMPOSITE PYTHON(NULL, "lhs, rhs, memory_config=@memory")
#define CALL_COMPOSITE_DTYPE PYTHON(NULL, "lhs, rhs, dtype='None, memory_config=@memory")
#define REDUCE                                                                             \
    "input, dim_arg, keep_dim, memory_config=@memory, "                                    \
    "compute_kernel_config=compute_config"
#define FILLED "=shape, dtype=@dtype, layout=@layout, =device, memory_config=@memory"

#define CONVOLUTION                                                                        \
    "input_tensor=input, weight_tensor=weight, =device, =in_channels, =out_channels, "     \
    "=batch_size, "
#define CONVOLUTION_SIZES                                                                  \
    "=in_channels, =out_channels, =batch_size, =input_height, =input_width, "              \
    "=kernel_size, =stride, =padding, "
#define PREPARED_WEIGHTS                                                                   \
    "=weight_tensor, =input_memory_config, input_layout=input_tensor_layout, "             \
    "=weights_format, " CONVOLUTION_SIZES
#define PREPARED_BIAS                                                                      \
    "=bias_tensor, =input_memory_config, "                                                 \
    "input_layout=input_tensor_layout, " CONVOLUTION_SIZES "=dilation, " PREPARED          \
    "slice_config=conv2d_slice_config"
#define PREPARED                                                                           \
    "=groups, =device, =input_dtype, =output_dtype, conv_config=conv2d_config, "           \
    "=compute_config, "
#define QUANTIZE                                                                           \
    "input, scale, zero_point, =axis, dtype=output_dtype, memory_config=@memory"

#define CALL_MISH CALL_UNARY
#define CALL_TANH CALL_FAST
#define CALL_LEAKY_RELU PYTHON(NULL, "input, parameter, memory_config=@memory")
/* 4: both rows of a tile's faces */
#define CALL_SIGMOID                                                                       \
    PYTHON(                                                                                \
        NULL,                                                                              \
        "input, vector_mode='4, mode='ttnn.SigmoidMode.Accurate, memory_config=@memory")
#define CALL_CLAMP_SCALAR PYTHON("ttnn.clamp", "input, min, max, memory_config=@memory")
#define CALL_CLAMP_TENSOR PYTHON("ttnn.clamp", "input, min, max, memory_config=@memory")
#define CALL_GELU_BW                                                                       \
    PYTHON("ttnn.experimental.gelu_bw", "lhs, rhs, =approximate, memory_config=@memory")
#define CALL_POW_TENSOR PYTHON("ttnn.pow", "lhs, rhs, dtype='None, memory_config=@memory")
#define CALL_POW_SCALAR PYTHON("ttnn.pow", "lhs, rhs, memory_config=@memory")
#define CALL_WHERE PYTHON(NULL, "first, second, third, memory_config=@memory")

const ttnn_call_row py_calls[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, ...) [TTNN_##ttnn] = {CALL_##call},
#include "ttnn/elementwise.def"
#define TTNN_USES(id, binary, cpp, python, ...) [TTNN_##id] = {python},
#include "ttnn/ttnn.def"
};
