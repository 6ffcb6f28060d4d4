/* ttkernel_layout.c: layouts of tensors as kernels see them (#ttkernel.layout,
 * #ttl.layout), and kinds of threads. */
#include "ttkernel/ttkernel_layout.h"

#include "ttcore/ttcore_tile.h"
#include "ttkernel/ttkernel.h"

bool ttkernel_layout_verify(ir_context *ctx, ir_loc loc, ir_attr layout)
{
    ir_attr grid = layout->params[1], tiles = layout->params[2];
    uint32_t n = grid ? grid->count : 0, m = tiles ? tiles->count : 0;
    for (uint32_t i = 0; i < n + m; i++)
        if ((i < n ? grid->items[i] : tiles->items[i - n])->value <= 0)
            return ir_error(ctx, loc, "shards and their tiles are positive numbers");
    if (m && n != m) /* tiles follow from a tensor and its grid */
        return ir_error(ctx, loc,
                        "a sharded layout has as many dimensions in its grid (%u) as tiles "
                        "in a shard (%u)",
                        n, m);
    if (n && layout->params[0]->value != TTKERNEL_TensorLayout_Sharded)
        return ir_error(ctx, loc, "only sharded layouts have a grid of shards");
    return true;
}

bool ttkernel_check_shards(ir_op *op, ir_attr layout, ir_type tensor)
{
    ir_attr grid = layout->params[1], shard = layout->params[2];
    bool given = ir_attr_is(shard, IR_ATTR_ARRAY) && shard->count;
    if (!ir_attr_is(grid, IR_ATTR_ARRAY) || !grid->count)
        return ir_op_error(op, "has a sharded layout without a grid of shards");
    if (grid->count != tensor->count || (given && shard->count != tensor->count))
        return ir_op_error(
            op, "has a grid of %u and shards of %u dimensions for a tensor of %u",
            grid->count, given ? shard->count : grid->count, tensor->count);
    for (uint32_t i = 0; i < tensor->count; i++) {
        int64_t shards = grid->items[i]->value, extent = tensor->dims[i];
        if (!ttcore_is_tile(tensor->element))
            extent = (extent + 31) / 32;
        int64_t each = given ? shard->items[i]->value : extent / TW_MAX(shards, 1);
        if (tensor->dims[i] != IR_DYNAMIC && shards * each != extent)
            return ir_op_error(op,
                               "has %lld shards of %lld tiles in dimension %u, the tensor "
                               "has %lld tiles",
                               (long long)shards, (long long)each, i, (long long)extent);
    }
    return true;
}

int64_t ttkernel_thread_kind(const ir_op *func)
{
    ir_attr thread = ir_op_attr(func, "ttkernel.thread");
    if (!thread)
        thread = ir_op_attr(func, "ttl.kernel_thread");
    return ir_enum_value(thread, -1);
}
