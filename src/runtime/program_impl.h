/* program_impl.h: the contents of a tw_program, for program.c and program_run.c. */
#ifndef TILEWRIGHT_RUNTIME_PROGRAM_IMPL_H
#define TILEWRIGHT_RUNTIME_PROGRAM_IMPL_H

#include "runtime/host.h"
#include "runtime/kernel_engine.h"
#include "runtime/plan.h"
#include "tilewright/tilewright.h"

struct tw_program {
    ir_context *ctx; /* constants live here */
    bool borrows;    /* the context, of the program that this one is a part of */
    rt_plan *plan;   /* one of the three */
    rt_host *host;
    void *queue; /* of a .ttm, which `engine` runs */
    const struct tw_kernel_engine *engine;
    const void **given;         /* host, queue: constant inputs */
    const volatile int *cancel; /* host, queue: of runs */
    tw_tensor_desc *inputs, *outputs;
    size_t n_inputs, n_outputs;
    tw_arena arena;
    bool *constant; /* inputs that have been set */
    tw_check *checks;
    size_t n_checks;
    size_t n_narrowed; /* tw_program_narrowed_count */
    tw_cache_use cache_use;
    /* For an argument that exceeds 32 bits: the program as it was before it was lowered,
     * NULL if the host cannot run it, and its options. */
    ir_op *source;
    tw_compile_options options;
    tw_program *wide;                  /* compiled then */
    const tw_device_time *device_time; /* NULL before it is asked for */
    bool predicted_whole;              /* that was after constants were known */
};

/* Compiles a module, for a program that keeps the module's context until this one is
 * destroyed. */
tw_status rt_compile_part(ir_op *module, const tw_compile_options *options,
                          tw_program **out_program) TW_NODISCARD;
/* Compiles the program's source for the host. */
tw_status rt_compile_wide(tw_program *program) TW_NODISCARD;
tw_status rt_interrupted(void) TW_NODISCARD;
/* Runs one of our pipelines without verification in between; false after a diagnostic, or
 * if `cancel` is set. */
bool rt_run_passes(ir_op *module, const char *pipeline, const volatile int *cancel);

/* signature.c: the element type of a tensor on the device, where integers of 8 and 16 bits
 * are unsigned unless marked otherwise, or as callers see it, with booleans, 64-bit types
 * and narrow ones in a byte; false if there is none. */
bool rt_dtype_of(ir_type element, bool on_device, tw_dtype *out);
/* Rejects arguments or results that only the host has: fewer than 8 bits, 8-bit floats,
 * tokens. */
tw_status rt_refuse_host_types(ir_op *func, const char *what, const ir_type *types,
                               size_t n) TW_NODISCARD;
/* Describes `n` arguments or results of a function. */
tw_status rt_describe(ir_op *func, const char *what, const ir_type *types, size_t n,
                      tw_arena *arena, tw_tensor_desc **out) TW_NODISCARD;

#endif
