/* ttl_pipelines.c: pipelines from TTL kernels to TTKernel, C++ and libraries. */
#include "ir/pass/pass.h"

const pass_pipeline_def ttl_to_ttkernel_pipeline = {
    .name = "ttl-to-ttkernel-pipeline",
    .summary = "Lower TTL to TTKernel, run cleanup canonicalization/CSE, and optionally "
               "lower TTKernel to EmitC.",
    .options = IR_LIST(pass_option_def,
                       {"lower-to-emitc", PASS_BOOL, "false", "Lower TTKernel to EmitC."}),
    .steps = IR_LIST(
        pass_step, {"func.func(convert-ttl-to-compute)", NULL},
        {"func.func(ttl-set-compute-kernel-config)", NULL},
        {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL},
        {"func.func(ttl-insert-tile-regs-sync)", NULL},
        {"func.func(ttl-lower-to-loops)", NULL},
        {"func.func(ttl-annotate-cb-associations)", NULL},
        {"convert-ttl-to-ttkernel", NULL}, {"lower-affine", NULL}, {"canonicalize", NULL},
        {"cse", NULL},
        {"convert-ttkernel-to-emitc,canonicalize,form-expressions", "lower-to-emitc"}),
};

/* The names of the language's plan, for whole kernels. */

const pass_pipeline_def ttl_lower_to_ttkernel_pipeline = {
    .name = "ttl-lower-to-ttkernel",
    .summary = "Number buffers, make threads functions, lower them to TTKernel",
    .steps = IR_LIST(pass_step, {"ttl-insert-synchronization", NULL},
                     {"ttl-canonicalize", NULL}, {"ttl-allocate-cbs", NULL},
                     {"ttl-expand-threads", NULL}, {"ttl-to-ttkernel-pipeline", NULL}),
};

const pass_pipeline_def ttl_assign_dst_registers_pipeline = {
    .name = "ttl-assign-dst-registers",
    .summary = "Assign DST registers for any compute configuration",
    .steps = IR_LIST(pass_step, {"func.func(ttl-set-compute-kernel-config)", NULL},
                     {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL}),
};

/* The plan's: kernels as C++, or a library with the host that launches them. */

const pass_pipeline_def ttkernel_to_emitc_pipeline = {
    .name = "ttkernel-to-emitc-pipeline",
    .summary =
        "Lower TTKernel to EmitC, with the metadata a host needs to launch the kernels",
    .options = IR_LIST(pass_option_def,
                       {"target-dylib", PASS_BOOL, "false",
                        "A library: functions over tensors that launch the kernels"}),
    .steps = IR_LIST(pass_step, {"ttkernel-describe-programs", "target-dylib"},
                     {"lower-affine", NULL}, {"convert-ttkernel-to-emitc", NULL},
                     {"canonicalize", NULL}, {"form-expressions", NULL}),
};

const pass_pipeline_def ttl_allocate_circular_buffers_pipeline = {
    .name = "ttl-allocate-circular-buffers",
    .summary = "Number circular buffers and check that they fit a core's memory",
    .steps = IR_LIST(pass_step, {"ttl-allocate-cbs", NULL}),
};

/* The three steps of lowering, in their order. */

const pass_pipeline_def ttl_lower_compute_pipeline = {
    .name = "ttl-lower-compute",
    .summary = "Lower the computation of threads to loops over tiles and TTKernel",
    .steps = IR_LIST(pass_step, {"func.func(convert-ttl-to-compute)", NULL},
                     {"func.func(ttl-set-compute-kernel-config)", NULL},
                     {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL},
                     {"func.func(ttl-insert-tile-regs-sync)", NULL},
                     {"func.func(ttl-lower-to-loops)", NULL},
                     {"func.func(ttl-annotate-cb-associations)", NULL},
                     {"convert-ttl-to-ttkernel{only=compute}", NULL}),
};

const pass_pipeline_def ttl_lower_data_movement_pipeline = {
    .name = "ttl-lower-data-movement",
    .summary = "Lower copies and waits for them to accessors and the NoC",
    .steps = IR_LIST(pass_step, {"convert-ttl-to-ttkernel{only=data-movement}", NULL}),
};

const pass_pipeline_def ttl_lower_synchronization_pipeline = {
    .name = "ttl-lower-synchronization",
    .summary = "Lower the remaining ops: buffers, semaphores and threads",
    .steps = IR_LIST(pass_step, {"convert-ttl-to-ttkernel{only=synchronization}", NULL},
                     {"lower-affine", NULL}, {"canonicalize", NULL}, {"cse", NULL}),
};
