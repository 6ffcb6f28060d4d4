/* ttl_verify_layouts.c: accessors fit their tensors.
 *
 * A sharded layout says how many shards there are and how many tiles each has, if they do
 * not follow: together they are the tensor.  A layout and a memory space that the tensor's
 * own encoding contradicts, and places of another number of indices than a copy can take,
 * are errors. */
#include "dialect/ttl/ttl_info.h"
#include "dialect/ttnn/layout.h"
#include "transform/transform.h"

static bool is_sharded(ir_attr layout)
{
    return layout->params[0]->value == TTL_DistributionStrategy_Sharded;
}

static bool check_shards(ir_op *op, ir_attr layout, ir_type tensor)
{
    ir_attr grid = ir_attr_param(layout, "grid");
    ir_attr shard = ir_attr_param(layout, "tiles_per_shard");
    bool said = ir_attr_is(shard, IR_ATTR_ARRAY) && shard->count;
    if (!ir_attr_is(grid, IR_ATTR_ARRAY) || !grid->count)
        return ir_op_error(op, "has a sharded layout without a grid of shards");
    if (grid->count != tensor->count || (said && shard->count != tensor->count))
        return ir_op_error(
            op, "has a grid of %u and shards of %u dimensions for a tensor of %u",
            grid->count, said ? shard->count : grid->count, tensor->count);
    for (uint32_t i = 0; i < tensor->count; i++) {
        int64_t shards = grid->items[i]->value, extent = tensor->dims[i];
        if (!ttl_is_tile(tensor->element))
            extent = (extent + 31) / 32;
        int64_t each = said ? shard->items[i]->value : extent / TW_MAX(shards, 1);
        if (tensor->dims[i] != IR_DYNAMIC && shards * each != extent)
            return ir_op_error(op,
                               "has %lld shards of %lld tiles in dimension %u, the tensor "
                               "has %lld tiles",
                               (long long)shards, (long long)each, i, (long long)extent);
    }
    return true;
}

/* What the tensor's own encoding says, if it has one. */
static bool check_encoding(ir_op *op, ir_attr layout, ir_type tensor)
{
    ttnn_layout own;
    if (!ttnn_layout_of(tensor, &own))
        return true;
    int64_t given = ir_enum_value(ir_op_attr(op, "memory_space"), -1);
    bool dram = own.buffer == TTNN_BufferType_DRAM, l1 = own.buffer == TTNN_BufferType_L1;
    if ((dram && given == TTL_MemorySpace_L1) || (l1 && given == TTL_MemorySpace_DRAM))
        return ir_op_error(op, "says %s, the tensor lies in %s", dram ? "L1" : "DRAM",
                           dram ? "DRAM" : "L1");
    if (!ttnn_layout_on_host(&own) &&
        ttnn_memory_is_sharded(own.memory) != is_sharded(layout))
        return ir_op_error(op, "says %s, the tensor is %s",
                           is_sharded(layout) ? "sharded" : "interleaved",
                           is_sharded(layout) ? "interleaved" : "sharded");
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def != TTL_OP(tensor_accessor))
        return IR_WALK_ON;
    ir_attr layout = ir_op_attr(op, "layout");
    ir_type tensor = op->operands[0].value->type;
    *ok = !ir_attr_is(layout, IR_ATTR_DIALECT) ||
          ((!is_sharded(layout) || check_shards(op, layout, tensor)) &&
           check_encoding(op, layout, tensor));
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_walk_pre(module, visit, &ok);
    return ok;
}

const pass_def ttl_verify_layouts_pass = {
    .name = "ttl-verify-layouts",
    .summary = "Check that tensor accessors fit their tensors",
    .anchor = "builtin.module",
    .run = run,
};
