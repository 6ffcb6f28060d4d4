/* distributed.c: what operations over several chips write to beside their results is made
 * at the start of the function, where traces find it: ttnn-allocate-distributed-op-buffers
 * and ttnn-allocate-distributed-op-semaphores. What is there already stays. */
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

static void bind(ir_op *op, const char *operand, ir_value *v)
{
    ir_op_set_operand_group(op, ir_op_operand_index(op->def, operand), &v, 1);
}

/* A builder behind the operation that names the device. */
static ir_builder behind_device(ir_op *op, ir_value **device)
{
    ir_builder b = ir_builder_before(op);
    *device = tnb_device(&b, op);
    ir_builder at = ir_builder_after(ir_value_def(*device));
    at.loc = op->loc;
    return at;
}

/* ---- buffers ------------------------------------------------------------------------ */

static void bind_empty(ir_op *op, const char *operand, ir_type type)
{
    ir_value *device;
    ir_builder b = behind_device(op, &device);
    bind(op, operand,
         ir_build1(&b, TTNN_OP(empty), type, IR_VALUES(device),
                   IR_ATTRS({"shape", tnb_shape(op->ctx, type->dims, type->count)})));
}

/* A shard on the first core, where the kernels expect it. */
static ir_type on_first_core(ir_context *ctx, ir_type type, int64_t memory)
{
    const int64_t first[1][4] = {{0, 0, 0, 0}};
    ttnn_layout l;
    if (!ttnn_layout_of(type, &l))
        return type;
    ttnn_layout_place(&l, TTNN_BufferType_L1, memory);
    l.grid[0] = l.grid[1] = 1;
    l.cores = ttnn_core_ranges(ctx, first, 1);
    return ttnn_tensor_with(type, &l);
}

/* One tile of sums for each chip, as exact as the kernel's sums are. */
static void buffers_of_rms_norm(ir_op *op)
{
    ir_attr config = ir_op_attr(op, "compute_config");
    ir_attr wide = config ? ir_attr_param(config, "fp32_dest_acc_en") : NULL;
    const bool f32 = !wide || ir_attr_int(wide, 1);
    const int64_t dims[] = {1, 1, TTNN_TILE, TTNN_TILE};
    if (ir_op_operand_named(op, "stats"))
        return;
    ttnn_layout l =
        ttnn_layout_dram(f32 ? TTCORE_DataType_Float32 : TTCORE_DataType_BFloat16);
    ir_type plain = ir_tensor_type(ttnn_dtype_element(op->ctx, l.dtype), dims, 4, NULL);
    bind_empty(op, "stats",
               on_first_core(op->ctx, ttnn_tensor_with(plain, &l),
                             TTNN_TensorMemoryLayout_WidthSharded));
}

static void buffers_of_moe(ir_op *op)
{
    if (!ir_op_operand_named(op, "optional_output_tensor"))
        bind_empty(op, "optional_output_tensor", op->results[0].type);
}

/* The kernel returns its buffers, so the results lie where they do. */
static void buffers_of_dispatch(ir_op *op)
{
    static const char *const names[] = {"dispatched_buffer", "indices_buffer",
                                        "scores_buffer"};
    ttnn_layout l;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (ir_op_operand_named(op, names[i]) || !ttnn_layout_of(op->results[i].type, &l))
            return;
    for (size_t i = TW_COUNT(names); i-- > 0;) {
        ir_type t = op->results[i].type;
        if (i > 0) {
            t = on_first_core(op->ctx, t, TTNN_TensorMemoryLayout_HeightSharded);
        } else if (ttnn_layout_of(t, &l)) {
            ttnn_layout_place(&l, TTNN_BufferType_DRAM,
                              TTNN_TensorMemoryLayout_Interleaved);
            t = ttnn_tensor_with(t, &l);
        }
        op->results[i].type = t;
        bind_empty(op, names[i], t);
    }
}

/* ---- semaphores --------------------------------------------------------------------- */

static ir_value *global_semaphore(ir_op *op, const int64_t (*cores)[4])
{
    ir_value *device;
    ir_builder b = behind_device(op, &device);
    ir_type ui32 = ir_integer_type(op->ctx, 32, IR_UNSIGNED);
    return ir_build1(&b, TTNN_OP(create_global_semaphore),
                     ir_dialect_type(op->ctx, TTNN_TYPE(global_semaphore), NULL, 0),
                     IR_VALUES(device),
                     IR_ATTRS({"initial_value", ir_integer_attr(ui32, 0)},
                              {"core_range_set", ttnn_core_ranges(op->ctx, cores, 1)}));
}

static int64_t coordinate(ir_attr range, const char *corner, const char *axis)
{
    return ir_attr_int(ir_attr_param(ir_attr_param(range, corner), axis), 0);
}

/* The smallest rectangle around the cores that hold shards of the result or, if it has
 * none, of the input; false if neither is sharded. */
static bool cores_of_shards(ir_op *op, int64_t out[4])
{
    ir_attr config = ir_op_attr(op, "memory_config"), cores = NULL;
    ir_attr spec = config ? ir_attr_param(config, "shardSpec") : NULL;
    ttnn_layout l;
    if (spec)
        cores = ir_attr_param(spec, "coreRangeSet");
    else if (ttnn_layout_of(op->operands[0].value->type, &l) &&
             ttnn_memory_is_sharded(l.memory))
        cores = ttnn_layout_cores(op->ctx, &l);
    ir_attr ranges = cores ? ir_attr_param(cores, "core_ranges") : NULL;
    if (!ir_attr_is(ranges, IR_ATTR_ARRAY) || !ranges->count)
        return false;
    for (uint32_t i = 0; i < ranges->count; i++) {
        ir_attr r = ranges->items[i];
        const int64_t at[] = {
            coordinate(r, "start_coord", "x"), coordinate(r, "start_coord", "y"),
            coordinate(r, "end_coord", "x"), coordinate(r, "end_coord", "y")};
        for (size_t k = 0; k < 4; k++)
            out[k] = i == 0 ? at[k] : k < 2 ? TW_MIN(out[k], at[k]) : TW_MAX(out[k], at[k]);
    }
    return true;
}

static void semaphore_of_rms_norm(ir_op *op)
{
    int64_t cores[1][4];
    if (!ir_op_operand_named(op, "semaphore") && cores_of_shards(op, cores[0]))
        bind(op, "semaphore", global_semaphore(op, (const int64_t(*)[4])cores));
}

/* Which cores that semaphore lies on is asked of the kernels when the program runs. */
static void semaphore_of_moe(ir_op *op)
{
    ir_type t = op->operands[0].value->type, ui32;
    ir_value *device;
    if (ir_op_operand_named(op, "cross_device_semaphore") || !t->count)
        return;
    ui32 = ir_integer_type(op->ctx, 32, IR_UNSIGNED);
    ir_builder b = behind_device(op, &device);
    bind(op, "cross_device_semaphore",
         ir_build1(&b, TTNN_OP(allocate_moe_compute_semaphore),
                   ir_dialect_type(op->ctx, TTNN_TYPE(global_semaphore), NULL, 0),
                   IR_VALUES(device),
                   IR_ATTRS({"output_height_shard_dim",
                             ir_op_attr(op, "output_height_shard_dim")},
                            {"hidden_size", ir_integer_attr(ui32, t->dims[t->count - 1])},
                            {"initial_value", ir_integer_attr(ui32, 0)},
                            {"mux_core_range_set", ir_op_attr(op, "mux_core_range_set")})));
}

/* The cores that the kernel takes by itself. */
static void semaphore_of_dispatch(ir_op *op)
{
    static const int64_t workers[1][4] = {{0, 0, 0, 7}};
    if (!ir_op_operand_named(op, "cross_device_semaphore"))
        bind(op, "cross_device_semaphore", global_semaphore(op, workers));
}

/* ---- the passes --------------------------------------------------------------------- */

static const struct {
    const ir_op_def *def;
    void (*buffers)(ir_op *op);
    void (*semaphores)(ir_op *op);
} distributed[] = {
    {&ttnn_ops[TTNN_all_to_all_dispatch_metadata], buffers_of_dispatch,
     semaphore_of_dispatch},
    {&ttnn_ops[TTNN_distributed_rms_norm], buffers_of_rms_norm, semaphore_of_rms_norm},
    {&ttnn_ops[TTNN_moe_compute], buffers_of_moe, semaphore_of_moe},
};

static ir_walk allocate(ir_op *op, void *user)
{
    const bool *semaphores = user;
    for (size_t i = 0; i < TW_COUNT(distributed); i++)
        if (op->def == distributed[i].def)
            (*semaphores ? distributed[i].semaphores : distributed[i].buffers)(op);
    return IR_WALK_ON;
}

static bool run_buffers(ir_op *module, pass_run *run)
{
    bool semaphores = false;
    (void)run;
    ir_walk_pre(module, allocate, &semaphores);
    return true;
}

static bool run_semaphores(ir_op *module, pass_run *run)
{
    bool semaphores = true;
    (void)run;
    ir_walk_pre(module, allocate, &semaphores);
    return true;
}

const pass_def ttnn_allocate_distributed_op_buffers_pass = {
    .name = "ttnn-allocate-distributed-op-buffers",
    .title = "TTNNAllocateDistributedOpBuffers",
    .summary = "Make the buffers that operations over several chips write to",
    .anchor = "builtin.module",
    .run = run_buffers,
};

const pass_def ttnn_allocate_distributed_op_semaphores_pass = {
    .name = "ttnn-allocate-distributed-op-semaphores",
    .title = "TTNNAllocateDistributedOpSemaphores",
    .summary = "Make the semaphores that operations over several chips wait at",
    .anchor = "builtin.module",
    .run = run_semaphores,
};
