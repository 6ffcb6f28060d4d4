/* calls.c: which function of ttnn an operation calls, and with what.
 *
 * Facts: signatures of ttnn's functions in C++, by position,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ and the headers they come from */
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/ttnn.h"

#define CPP_AS(results_, callee_, args_)                                                   \
    .callee = callee_, .args = args_, .results = results_
#define CPP(callee, args) CPP_AS(CPP_TENSOR, callee, args)
#define NO_CPP
#define NONE "'::std::nullopt"
#define NO "'false"
#define YES "'true"
#define CALL_UNARY CPP(NULL, "input, @memory")
#define CALL_FAST CPP(NULL, "input, " NO ", @memory")
#define CALL_BINARY CPP(NULL, "lhs, rhs, @dtype, @memory")
#define CALL_COMPOSITE CPP(NULL, "lhs, rhs, @memory")
#define CALL_COMPOSITE_DTYPE CPP(NULL, "lhs, rhs, " NONE ", @memory")
#define REDUCE "input, i32s:dim_arg, keep_dim, @memory, compute_config"
#define RUNNING "input, dim, @dtype, " NO ", " NONE ", @memory"
#define FILLED "shape, @dtype, @layout, maybe:device, @memory"
#define QUANTIZE "input, scale, zero_point, axis, output_dtype, @memory"
#define CONVOLUTION_SIZES                                                                  \
    "in_channels, out_channels, batch_size, input_height, input_width, u2:kernel_size, "   \
    "u2:stride, "
#define PREPARED                                                                           \
    "groups, device, input_dtype, output_dtype, conv2d_config, compute_config, "
#define POOL                                                                               \
    "input, batch_size, input_height, input_width, channels, u2:kernel_size, u2:stride, "  \
    "pool:padding, "
#define MAX_POOL(indices)                                                                  \
    POOL "u2:dilation, ceil_mode, @memory, " NONE ", applied_shard_scheme, " NO            \
         ", reallocate_halo_output, " indices                                              \
         ", @dtype, '::ttnn::Layout::ROW_MAJOR, config_tensors_in_dram"

#define CALL_MISH CALL_FAST
#define CALL_TANH CPP(NULL, "input, @memory, " NONE ", " NO)
#define CALL_LEAKY_RELU CPP(NULL, "input, parameter, @memory")
/* 4: both rows of a tile's faces */
#define CALL_SIGMOID                                                                       \
    CPP(NULL, "input, '4, '::ttnn::operations::unary::SigmoidMode::ACCURATE, @memory")
#define CALL_CLAMP_SCALAR CPP("ttnn::clamp", "input, min, max, @memory")
#define CALL_CLAMP_TENSOR CPP("ttnn::clamp", "input, min, max, @memory")
#define CALL_GELU_BW CPP("ttnn::experimental::gelu_bw", "lhs, rhs, approximate, @memory")
#define CALL_POW_TENSOR CPP("ttnn::pow", "lhs, rhs, " NONE ", @memory")
#define CALL_POW_SCALAR CPP("ttnn::pow", "lhs, rhs, @memory")
#define CALL_WHERE CPP(NULL, "first, second, third, @memory")

const ttnn_call_row cpp_calls[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, ...) [TTNN_##ttnn] = {CALL_##call},
#include "ttnn/elementwise.def"
#define TTNN_USES(id, binary, cpp, ...) [TTNN_##id] = {cpp},
#include "ttnn/ttnn.def"
};
