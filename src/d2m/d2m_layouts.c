/* d2m_layouts.c: verifies the d2m operations that change the location or layout of a
 * tensor: views, composites of them, transfers between host and device, semaphores. */
#include "d2m/d2m_verify.h"
#include "ir/rules/rules.h"
#include "ttnn/layout.h"

static bool is_metal(ir_attr layout)
{
    return ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(metal_layout);
}

static int64_t volume(ir_type type)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < type->count; i++)
        if (__builtin_mul_overflow(n, type->dims[i], &n))
            return -1;
    return n;
}

static bool same_shape(const d2m_shape *a, const d2m_shape *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

/* ---- views -------------------------------------------------------------------------- */

bool d2m_check_view(ir_op *op)
{
    ir_type in = ir_op_operand(op, 0)->type, out = ir_op_result(op, 0)->type;
    bool tensors = in->kind == IR_TYPE_TENSOR && out->kind == IR_TYPE_TENSOR;
    bool metal = tensors && is_metal(in->encoding) && is_metal(out->encoding);
    if (ir_op_bool(op, "reinterpretLayout")) {
        d2m_shape from, to;
        d2m_half_of(in, false, &from);
        d2m_half_of(out, false, &to);
        CHK_ERROR_IF(metal && !same_shape(&from, &to),
                     "reinterpret_layout cannot change grid shape");
        return true;
    }
    CHK_ERROR_IF(tensors && !is_metal(in->encoding) && !is_metal(out->encoding) &&
                     volume(in) != volume(out),
                 "view must preserve total number of elements");
    CHK_ERROR_IF(in->element != out->element, "view must not change dtype");
    CHK_ERROR_IF(metal && ir_attr_param(in->encoding, "memory_space") !=
                              ir_attr_param(out->encoding, "memory_space"),
                 "view cannot change memory space");
    return true;
}

/* Tensors: the sizes without padding; memrefs: the extent covered by grid and shards. */
static bool whole_shape(ir_type type, d2m_shape *out)
{
    if (type->kind == IR_TYPE_TENSOR) {
        int64_t rank = is_metal(type->encoding)
                           ? ir_attr_ints(ir_attr_param(type->encoding, "logical_shape"),
                                          out->at, D2M_MAX_RANK)
                           : -1;
        out->n = rank < 0 ? 0 : (uint32_t)TW_MIN(rank, (int64_t)D2M_MAX_RANK);
        return rank >= 0;
    }
    d2m_shape shard;
    d2m_half_of(type, false, out);
    d2m_half_of(type, true, &shard);
    for (uint32_t i = 0; i < out->n; i++)
        if (__builtin_mul_overflow(out->at[i], shard.at[i], &out->at[i]))
            return false;
    return true;
}

/* Shard sizes in memory are padded: an attribute gives those without padding. */
static bool check_logical_sizes(ir_op *op, int64_t held)
{
    int64_t sum = 0;
    ir_attr attr = ir_op_attr(op, "logicalSizes");
    if (d2m_is_tiled(ir_op_result(op, 0)->type)) {
        CHK_ERROR_IF(attr, "unneeded logicalSizes attr.");
        return true;
    }
    CHK_ERROR_IF(!attr, "missing logicalSizes attr.");
    int64_t n = ir_attr_ints(attr, NULL, 0);
    CHK_ERROR_IF(n != op->n_operands, "wrong logicalSizes length.");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (__builtin_add_overflow(sum, ir_dense_array_int(attr, i), &sum))
            sum = INT64_MAX;
    CHK_ERROR_IF(sum > held, "sum of logicalSizes exceeds output capacity.");
    return true;
}

bool d2m_check_composite(ir_op *op)
{
    ir_type out = ir_op_result(op, 0)->type;
    d2m_shape whole, part;
    int64_t dim = ir_op_int(op, "dim", 0), sum = 0;
    if (!whole_shape(out, &whole))
        return true;
    CHK_ERROR_IF(dim < 0 || dim >= whole.n, "dim out of range.");
    CHK_ERROR_IF(op->n_operands == 0, "must have at least one input.");
    for (uint32_t k = 0; k < op->n_operands; k++) {
        ir_type in = ir_op_operand(op, k)->type;
        if (in->kind != out->kind || !whole_shape(in, &part))
            return true;
        CHK_ERROR_IF(part.n != whole.n, "incompatible inputs & output ranks.");
        for (uint32_t i = 0; i < whole.n; i++)
            CHK_ERROR_IF(i != dim && part.at[i] != whole.at[i],
                         "incompatible non-composite dim.");
        sum += part.at[dim];
    }
    if (out->kind == IR_TYPE_TENSOR) {
        CHK_ERROR_IF(sum != whole.at[dim], "incompatible composite dim.");
        return true;
    }
    return check_logical_sizes(op, whole.at[dim]);
}

/* ---- host and device ---------------------------------------------------------------- */

static bool is_on_host(ir_type type)
{
    return !type->encoding || (ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
                               type->encoding->def == TTCORE_ATTR(tensor_mesh));
}

static bool check_move(ir_op *op, bool to_device)
{
    static const char *const names[] = {"input", "output"};
    ir_type types[] = {ir_op_operand(op, 0)->type, ir_op_operand(op, 1)->type};
    if (types[0]->kind != IR_TYPE_TENSOR || types[1]->kind != IR_TYPE_TENSOR)
        return true;
    for (int i = 0; i < 2; i++) {
        bool host = to_device == (i == 0);
        CHK_ERROR_IF(host && !is_on_host(types[i]),
                     "%s must be a host tensor (no encoding or TensorMeshAttr encoding)",
                     names[i]);
        CHK_ERROR_IF(!host && !is_metal(types[i]->encoding),
                     "%s must be a device tensor with MetalLayoutAttr", names[i]);
    }
    return true;
}

bool d2m_check_to_device(ir_op *op)
{
    return check_move(op, true);
}

bool d2m_check_to_host(ir_op *op)
{
    return check_move(op, false);
}

/* ---- semaphores --------------------------------------------------------------------- */

/* Requires one element for each core of the device. */
bool d2m_check_global_semaphore(ir_op *op)
{
    ir_type in = ir_op_operand(op, 0)->type;
    d2m_shape grid, shard, cores = {.n = 2};
    if (!d2m_is_remote(in))
        return true;
    d2m_half_of(in, false, &grid);
    d2m_half_of(in, true, &shard);
    if (ttnn_device_grid(op, false, cores.at))
        CHK_ERROR_IF(!same_shape(&cores, &grid),
                     "input tensor grid shape (%s) does not match device grid shape (%s) "
                     "for create_global_semaphore op",
                     d2m_shape_text(op->ctx, &grid), d2m_shape_text(op->ctx, &cores));
    CHK_ERROR_IF(shard.n != 2 || shard.at[0] != 1 || shard.at[1] != 1,
                 "input tensor shard shape (%s) does not match 1x1 for "
                 "create_global_semaphore op",
                 d2m_shape_text(op->ctx, &shard));
    CHK_ERROR_IF(in->element != ir_integer_type(op->ctx, 32, IR_UNSIGNED),
                 "input tensor element type ('%s') does not match ui32 for "
                 "create_global_semaphore op",
                 ir_type_text(op->ctx, in->element));
    return true;
}
