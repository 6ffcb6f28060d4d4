/* verify_layouts.c: accessors fit their tensors.
 *
 * A sharded layout says how many shards there are and how many tiles each has, if they do
 * not follow: together they are the tensor.  A layout and a memory space that the tensor's
 * own encoding contradicts, and positions of another number of indices than a copy can
 * take, are errors. */
#include "ir/pass/pass.h"
#include "ttl/ttl_info.h"
#include "ttnn/layout.h"

static bool is_sharded(ir_attr layout)
{
    return layout->params[0]->value == TTL_DistributionStrategy_Sharded;
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
          ((!is_sharded(layout) || ttkernel_check_shards(op, layout, tensor)) &&
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
