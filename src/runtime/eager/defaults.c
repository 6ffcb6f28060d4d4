/* defaults.c: what ttnn's functions mean where an argument is left out, and the names that
 * their arguments have besides those of the rows.
 *
 * Facts: signatures of ttnn's functions,
 * https://docs.tenstorrent.com/tt-metal/latest/ttnn/ttnn/api.html */
#include "runtime/eager/eager_impl.h"
#include "ttnn/ttnn.h"

#include <string.h>

enum { ANY = UINT16_MAX };

static const struct {
    uint16_t row;
    const char *attr, *text;
} defaults[] = {
    {TTNN_all_to_all_combine, "cluster_axis", "0 : i64"},
    {TTNN_all_to_all_combine, "num_experts_per_tok", "last of expert_metadata"},
    {TTNN_all_to_all_dispatch, "cluster_axis", "0 : i64"},
    {TTNN_all_to_all_dispatch_metadata, "cluster_axis", "0 : i64"},
    {TTNN_arange, "start", "0 : si64"},
    {TTNN_arange, "step", "1 : si64"},
    {TTNN_clamp_scalar, "max", "0x7F800000 : f32"},
    {TTNN_clamp_scalar, "min", "0xFF800000 : f32"},
    {TTNN_concat, "dim", "0 : si32"},
    {TTNN_conv1d, "dilation", "1 : i32"},
    {TTNN_conv1d, "padding", "array<i32: 0, 0>"},
    {TTNN_conv1d, "stride", "1 : i32"},
    {TTNN_conv3d, "batch_size", "dim 0"},
    {TTNN_conv3d, "in_channels", "dim 4"},
    {TTNN_conv3d, "input_depth", "dim 1"},
    {TTNN_conv3d, "input_height", "dim 2"},
    {TTNN_conv3d, "input_width", "dim 3"},
    {TTNN_conv3d, "padding", "array<i32: 0, 0, 0>"},
    {TTNN_conv3d, "stride", "array<i32: 1, 1, 1>"},
    {TTNN_pad, "use_multicore", "true"},
    {TTNN_pad, "value", "0.0 : f32"},
    {TTNN_scatter, "scatter_reduce_type", "#ttcore.reduce_type<invalid>"},
    {TTNN_slice_static, "begins", "zeros"},
    {TTNN_slice_static, "step", "ones"},
    {TTNN_softmax, "dimension", "-1 : si32"},
    {ANY, "batch_offset", "0 : i32"},
    {ANY, "cluster_axis", "0 : ui32"},
    {ANY, "dilation", "array<i32: 1, 1>"},
    {ANY, "groups", "1 : i32"},
    {ANY, "num_devices", "1 : i64"},
    {ANY, "output_padding", "array<i32: 0, 0>"},
    {ANY, "padding", "array<i32: 0, 0>"},
    {ANY, "reduce_type", "#ttcore.reduce_type<sum>"},
    {ANY, "stride", "array<i32: 1, 1>"},
};

const char *eager_default(const ir_op_def *def, const char *attr)
{
    for (size_t i = 0; i < TW_COUNT(defaults); i++)
        if ((defaults[i].row == ANY || def == &ttnn_ops[defaults[i].row]) &&
            strcmp(defaults[i].attr, attr) == 0)
            return defaults[i].text;
    return NULL;
}

static const struct {
    uint16_t row;
    const char *name, *other;
} names[] = {
    {TTNN_concat, "inputs", "tensors"},
    {TTNN_fill_cache, "batch_offset", "batch_idx"},
    {TTNN_leaky_relu, "parameter", "negative_slope"},
    {TTNN_pow_scalar, "rhs", "exponent"},
    {TTNN_pow_tensor, "rhs", "exponent"},
    {TTNN_slice_static, "begins", "slice_start"},
    {TTNN_slice_static, "ends", "slice_end"},
    {TTNN_slice_static, "step", "slice_step"},
    {TTNN_transpose, "dim0", "dim1"},
    {TTNN_transpose, "dim1", "dim2"},
    {TTNN_where, "first", "predicate"},
    {TTNN_where, "second", "value_if_true"},
    {TTNN_where, "third", "value_if_false"},
    {ANY, "a", "input_tensor_a"},
    {ANY, "b", "input_tensor_b"},
    {ANY, "dim_arg", "dim"},
    {ANY, "dimension", "dim"},
    {ANY, "input", "input_tensor"},
    {ANY, "keep_dim", "keepdim"},
    {ANY, "lhs", "input_tensor_a"},
    {ANY, "permutation", "dims"},
    {ANY, "rhs", "input_tensor_b"},
};

const char *eager_other_name(const ir_op_def *def, const char *name)
{
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if ((names[i].row == ANY || def == &ttnn_ops[names[i].row]) &&
            strcmp(names[i].name, name) == 0)
            return names[i].other;
    return NULL;
}

bool eager_is_hint(const char *parameter)
{
    static const char *const hints[] = {
        "fast_and_approximate_mode",
        "vector_mode",
        "mode",
        "compute_kernel_config",
        "program_config",
        "core_grid",
        "sub_core_grids",
        "num_out_blocks",
        "numeric_stable",
    };
    for (size_t i = 0; i < TW_COUNT(hints); i++)
        if (strcmp(hints[i], parameter) == 0)
            return true;
    return false;
}
