/* cpu_hoist_manually_tagged.c: cpu-hoist-manually-tagged: operations that users mark with
 * ttir.should_hoist run on the host in tt-mlir.  Here they stay on the device, with a
 * warning, and lose the mark. */
#include "ir/pass/pass.h"

static ir_walk warn(ir_op *op, void *user)
{
    (void)user;
    if (!ir_op_attr(op, "ttir.should_hoist"))
        return IR_WALK_ON;
    ir_op_warning(op, "stays on the device: ttir.should_hoist has no effect, because "
                      "operations are not hoisted to the host");
    ir_op_set_attr(op, "ttir.should_hoist", NULL);
    return IR_WALK_ON;
}

static bool run_hoist(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, warn, NULL);
    return true;
}

const pass_def cpu_hoist_manually_tagged_pass = {
    .name = "cpu-hoist-manually-tagged",
    .title = "CPUHoistManuallyTaggedOpsTransform",
    .summary = "Warn of operations that are marked to run on the host: none do",
    .anchor = "builtin.module",
    .run = run_hoist,
};
