/* program_impl.h: what a tw_program consists of, for program.c and program_run.c. */
#ifndef TILEWRIGHT_RUNTIME_PROGRAM_IMPL_H
#define TILEWRIGHT_RUNTIME_PROGRAM_IMPL_H

#include "runtime/host.h"
#include "runtime/plan.h"
#include "tilewright/tilewright.h"

struct tw_program {
    ir_context *ctx; /* constants live here */
    rt_plan *plan;   /* one of the two */
    rt_host *host;
    const void **given;         /* host: constant inputs */
    const volatile int *cancel; /* host: of runs */
    tw_tensor_desc *inputs, *outputs;
    size_t n_inputs, n_outputs;
    tw_arena arena;
    bool *constant; /* which inputs have been set */
    tw_check *checks;
    size_t n_checks;
    tw_cache_use cache_use;
    /* To begin anew for the host with, when an argument is beyond 32 bits. */
    tw_str text;
    tw_compile_options options;
    tw_program *wide; /* made by then */
};

/* The same program with the host going through it, whatever the device takes. */
tw_status rt_compile_for_host(tw_str text, const tw_compile_options *options,
                              tw_program **out_program) TW_NODISCARD;
tw_status rt_interrupted(void) TW_NODISCARD;
/* Runs a pipeline of ours, without checks in between; false after a diagnostic, or where
 * `cancel` is set. */
bool rt_run_passes(ir_op *module, const char *pipeline, const volatile int *cancel);

/* signature.c: the type of a tensor's elements on the device, where integers of 8 and 16
 * bits are unsigned unless they say otherwise, or as callers see them, where there are
 * truth values and 64 bits; false if there is none. */
bool rt_dtype_of(ir_type element, bool on_device, tw_dtype *out);
/* Descriptions of `n` arguments or results of a function. */
tw_status rt_describe(ir_op *func, const char *what, const ir_type *types, size_t n,
                      tw_arena *arena, tw_tensor_desc **out) TW_NODISCARD;

#endif
