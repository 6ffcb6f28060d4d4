/* lower_tensor_accessors.c: the pass ttkernel-lower-tensor-accessors. */
#include "ir/pass/pass.h"
#include "ttkernel/ttkernel_accessors.h"

static bool lower_accessors(ir_op *module, pass_run *run)
{
    (void)run;
    return ttkernel_lower_tensor_accessors(module);
}

const pass_def ttkernel_lower_tensor_accessors_pass = {
    .name = "ttkernel-lower-tensor-accessors",
    .summary = "Give accessors with a layout the form that the kernel API has",
    .anchor = "builtin.module",
    .run = lower_accessors,
};
