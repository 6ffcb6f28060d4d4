/* device_modules.c: moves the device part of a program into a module of its own
 * (ttcore-wrap-device-module) and back (ttcore-unwrap-device-module);
 * ttcore-optimization-barrier-fold erases barriers. */
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"

static ir_op *child(ir_op *module, const ir_op_def *def)
{
    ir_block *body = ir_op_body(module, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == def)
            return op;
    return NULL;
}

/* Copies both properties and discardable attributes of a module, including its name. */
static void copy_attrs(ir_op *to, const ir_op *from, bool only_absent)
{
    for (uint32_t i = 0; from->attrs && i < from->attrs->count; i++) {
        const ir_named_attr *e = &from->attrs->entries[i];
        if (!only_absent || !ir_op_attr(to, e->name->text))
            ir_op_set_attr(to, e->name->text, e->value);
    }
    for (size_t i = 0; i < ir_def_n_props(from->def); i++)
        if (from->props[i] && (!only_absent || !to->props[i]))
            to->props[i] = from->props[i];
}

static bool wrap(ir_op *module, pass_run *run)
{
    (void)run;
    ir_block *body = ir_op_body(module, 0);
    if (ir_op_parent(module) || !body || child(module, TTCORE_OP(device_module)))
        return true;
    ir_op *inner = ir_module_create(module->ctx, module->loc);
    copy_attrs(inner, module, false);
    if (body->first)
        ir_block_splice(ir_op_body(inner, 0), NULL, body, body->first, body->last);
    ir_builder b = ir_builder_at_end(module->ctx, body, module->loc);
    ir_op *device = ir_build_op(&b, TTCORE_OP(device_module), NULL, 0, NULL, 0, NULL, 0, 1);
    ir_block *only = ir_block_create(module->ctx);
    ir_region_append(&device->regions[0], only);
    ir_block_append(only, inner);
    return true;
}

const pass_def ttcore_wrap_device_module_pass = {
    .name = "ttcore-wrap-device-module",
    .title = "TTCoreWrapDeviceModulePass",
    .summary = "Wrap the module's contents in a device module",
    .anchor = "builtin.module",
    .run = wrap,
};

static bool unwrap(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op *device = child(module, TTCORE_OP(device_module));
    ir_block *holder = device ? ir_op_body(device, 0) : NULL;
    ir_op *inner = holder ? holder->first : NULL;
    if (ir_op_parent(module) || !inner || !ir_op_body(inner, 0))
        return true;
    ir_op *cpu = child(module, TTCORE_OP(cpu_module));
    if (cpu)
        ir_op_erase(cpu);
    ir_block *from = ir_op_body(inner, 0);
    if (from->first)
        ir_block_splice(ir_op_body(module, 0), NULL, from, from->first, from->last);
    copy_attrs(module, inner, true);
    ir_op_erase(device);
    return true;
}

const pass_def ttcore_unwrap_device_module_pass = {
    .name = "ttcore-unwrap-device-module",
    .title = "TTCoreUnwrapDeviceModulePass",
    .summary = "Inline the device module",
    .anchor = "builtin.module",
    .run = unwrap,
};

static ir_walk remove_barrier(ir_op *op, void *user)
{
    (void)user;
    if (op->def == TTCORE_OP(optimization_barrier)) {
        for (uint32_t i = 0; i < op->n_results && i < op->n_operands; i++)
            ir_value_replace_uses(&op->results[i], op->operands[i].value);
        ir_op_erase(op);
    }
    return IR_WALK_ON;
}

static bool fold_barriers(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_post(module, remove_barrier, NULL);
    return true;
}

const pass_def ttcore_optimization_barrier_fold_pass = {
    .name = "ttcore-optimization-barrier-fold",
    .title = "TTCoreOptimizationBarrierFold",
    .summary = "Replace optimization barriers by their inputs",
    .anchor = "builtin.module",
    .run = fold_barriers,
};
