/* steps_ttl.c: schedules TTL kernels (transform.ttl.*). */
#include "mlir/func/func.h"
#include "mlir/transform/transform.h"
#include "schedule/interpreter.h"
#include "ttl/passes/schedule.h"
#include "ttl/passes/transfers.h"
#include "ttl/ttl.h"

/* Finds how many DST registers a function's computations use, from the indices that the
 * passes assigned. */
static ir_walk count_registers(ir_op *op, void *user)
{
    int64_t *max = user;
    *max = TW_MAX(*max, ir_op_int(op, "dst_idx", -1) + 1);
    return IR_WALK_ON;
}

/* Threads that are not functions yet get registers during lowering; this tries it on a
 * clone to check that they suffice, and records the result. */
static bool try_registers(tf_interpreter *t, const tf_handle *from)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(t->module, map);
    ir_mapping_free(map);
    int64_t max = 0;
    bool ok = pass_run_nested(
        t->run,
        TW_STR("ttl-insert-synchronization,ttl-canonicalize,"
               "ttl-allocate-cbs,ttl-expand-threads,"
               "func.func(convert-ttl-to-compute),"
               "func.func(ttl-set-compute-kernel-config),"
               "func.func(ttl-assign-dst{reload-arguments=true spill=true})"),
        copy);
    ir_walk_pre(copy, count_registers, &max);
    ir_op_erase(copy);
    for (size_t i = 0; i < from->count && ok; i++)
        ir_op_set_attr(from->ops[i], "dst_registers", ir_i32_attr(t->module->ctx, max));
    return ok;
}

/* Steps replace operations, so each function is allocated once, at its first operation. */
static bool allocate_registers(tf_interpreter *t, ir_op *at, const tf_handle *from)
{
    ir_op *op = from->count ? from->ops[0] : NULL;
    for (; op && op->def != FUNC_OP(func); op = ir_op_parent(op))
        if (op->def == TTL_OP(kernel) || op->def == TTL_OP(program))
            return try_registers(t, from);
    if (!op)
        return !from->count || ir_op_error(at, "works on operations in functions");
    return pass_run_nested(t->run,
                           TW_STR("convert-ttl-to-compute,"
                                  "ttl-set-compute-kernel-config,"
                                  "ttl-assign-dst{reload-arguments=true spill=true}"),
                           op);
}

static bool schedule_pipeline(tf_interpreter *t, ir_op *op, const tf_handle *from)
{
    (void)t;
    tw_str strategy = TW_STR("auto");
    ir_attr given = ir_op_attr(op, "strategy");
    if (ir_attr_is(given, IR_ATTR_STRING))
        strategy = ir_attr_str(given);
    if (!tw_str_is(strategy, "auto") && !tw_str_is(strategy, "aggressive") &&
        !tw_str_is(strategy, "conservative"))
        return ir_op_error(op,
                           "has the strategies \"aggressive\", \"conservative\" and "
                           "\"auto\", got \"%.*s\"",
                           (int)strategy.size, strategy.data);
    for (size_t i = 0; i < from->count; i++)
        ttl_schedule_pipeline(from->ops[i], tw_str_is(strategy, "conservative"));
    return true;
}

static bool insert_prefetch(tf_interpreter *t, ir_op *op, const tf_handle *from)
{
    (void)t;
    return ttl_insert_prefetch(op, from->ops, from->count);
}

/* ---- steps -------------------------------------------------------------------------- */

/* A scheduling pass runs on all operations at once, or on `each`. */
static const struct {
    const ir_op_def *def;
    bool (*all)(tf_interpreter *t, ir_op *op, const tf_handle *from);
    bool (*each)(ir_op *op, ir_op *target);
} schedules[] = {
    {TRANSFORM_OP(ttl_allocate_dst_registers), allocate_registers, NULL},
    {TRANSFORM_OP(ttl_coalesce_dma), NULL, ttl_coalesce_dma},
    {TRANSFORM_OP(ttl_insert_prefetch), insert_prefetch, NULL},
    {TRANSFORM_OP(ttl_optimize_buffer_factor), NULL, ttl_optimize_buffer_factor},
    {TRANSFORM_OP(ttl_reorder_for_locality), NULL, ttl_reorder_for_locality},
    {TRANSFORM_OP(ttl_schedule_pipeline), schedule_pipeline, NULL},
};

/* The steps modify operations in place: the result handle has the same operations without
 * erased ones. */
static tf_outcome schedule(tf_interpreter *t, ir_op *step)
{
    const tf_handle *from = tf_ops(t, ir_op_operand(step, 0));
    tf_set_result(t, step, 0, from->ops, from->count);
    const tf_handle *left = tf_ops(t, &step->results[0]);
    size_t k = 0;
    while (schedules[k].def != step->def)
        k++;
    bool ok = !schedules[k].all || schedules[k].all(t, step, left);
    for (size_t i = 0; schedules[k].each && i < left->count && ok; i++)
        ok = !left->ops[i] || schedules[k].each(step, left->ops[i]);
    return ok ? TF_DONE : TF_DEFINITE;
}

static const tf_step steps[] = {
    {TRANSFORM_OP(ttl_allocate_dst_registers), schedule},
    {TRANSFORM_OP(ttl_coalesce_dma), schedule},
    {TRANSFORM_OP(ttl_insert_prefetch), schedule},
    {TRANSFORM_OP(ttl_optimize_buffer_factor), schedule},
    {TRANSFORM_OP(ttl_reorder_for_locality), schedule},
    {TRANSFORM_OP(ttl_schedule_pipeline), schedule},
};
const tf_step_table tf_ttl_steps = {steps, TW_COUNT(steps)};
