/* tilewright.h: compile a program and run it on the embedded device.
 *
 * A program is made from StableHLO, TTIR or TTNN text.  Making it lowers the text through
 * every level and plans the execution: shapes, buffers and kernels are chosen once.
 * Running it allocates nothing.
 *
 * Ownership: tw_program_compile gives the caller a program, to be freed with
 * tw_program_destroy.  Pointers passed to tw_program_run stay the caller's.  A program is
 * used by one thread at a time; different programs are independent. */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include "tilewright/dtype.h"
#include "tilewright/progress.h"
#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *tw_version(void);

typedef struct tw_program tw_program;

/* One argument or result as the program's source declares it: row-major, dense. */
typedef struct tw_tensor_desc {
    tw_dtype dtype;
    int rank;
    const int64_t *dims;
    size_t bytes;
} tw_tensor_desc;

/* An operation of a program as passed to an observer, once before and once after it. */
typedef struct tw_op_event {
    const char *name; /* "ttnn.add" */
    bool before;
    int64_t program, operation; /* their indices in a binary; -1 if there is none */
    size_t n_inputs, n_outputs;
    const tw_tensor_desc *tensors; /* inputs, then outputs; block floats as bf16 */
    void *const *data; /* of each: dense, row-major; until the call returns.  Writing
                          changes the value that later operations read. */
    size_t l1_bank_used, dram_bank_used; /* bytes of one bank in use */
} tw_op_event;

typedef struct tw_observer {
    void (*told)(void *user, const tw_op_event *event);
    void *user;
} tw_observer;

typedef struct tw_compile_options {
    const char *name;      /* what diagnostics call the text; NULL = "<program>" */
    const char *entry;     /* function to run; NULL = "main", else the only public one */
    const char *dump_dir;  /* where to write stablehlo.mlir, ttir_initial.mlir,
                              ttir_optimized.mlir, ttnn.mlir and program.ttnn.fb as stages
                              finish; NULL = nowhere */
    const char *dtype;     /* "bf16", "f32" or "bfp_bf8": the format of float computation
                              instead of the program's; arguments and results keep their
                              types.  NULL = the program's types */
    int threads;           /* that divide the work of a run; 0 or 1: one.  Results are the
                              same bytes for any number. */
    bool dram_fallback;    /* tensors that do not fit into L1 live in DRAM; else that is an
                              error with code TW_RESOURCE */
    const char *cache_dir; /* folder of lowered programs, addressed by content;
                              NULL = none.  Never the cause of a failure. */
    const volatile int *cancel; /* when non-zero: stop with TW_CANCELLED; NULL: never */
    bool host; /* StableHLO only: unsupported operations run on the host (loops and
                  branches that depend on data, general bodies, ...), and 64-bit operations,
                  which the device computes in 32; tw_program_host_op lists them.  Else
                  the former are TW_UNSUPPORTED.  Such programs are not cached. */
    const tw_observer *observer; /* copied; may be NULL.  Called for every operation of the
                                    device, from the running thread; operations are
                                    then neither fused nor hoisted out of runs. */
    tw_progress
        *progress; /* of compiling, then of runs, while the program exists; or NULL */
} tw_compile_options;

/* Compiles text.  A failure's message holds every diagnostic, one a line; code
 * TW_UNSUPPORTED means that the program is valid but uses an unsupported feature. */
tw_status tw_program_compile(const char *text, size_t size,
                             const tw_compile_options *options, tw_program **out_program);
/* Also frees its descriptions, names and checks.  NULL is allowed. */
void tw_program_destroy(tw_program *program);

/* The use of the cache folder for a program. */
typedef enum tw_cache_use {
    TW_CACHE_NONE,      /* no folder, or the program cannot be cached */
    TW_CACHE_HIT,       /* the program was found */
    TW_CACHE_MISS,      /* it was not found; now stored */
    TW_CACHE_DISCARDED, /* a damaged file was found and replaced */
    TW_CACHE_NOT_KEPT,  /* it was not found and could not be written */
} tw_cache_use;
tw_cache_use tw_program_cache_use(const tw_program *program);

/* Operations that run on the host, by kind; none if the device runs all (a run may move
 * more to the host when an argument is beyond 32 bits). */
typedef struct tw_host_op {
    const char *name; /* of the operation */
    const char *why;
    const char *file; /* where the first one was written; NULL = unknown */
    unsigned line;
    size_t count;
} tw_host_op;
/* NULL after the last, as with inputs, outputs, checks and steps. */
size_t tw_program_host_op_count(const tw_program *program);
const tw_host_op *tw_program_host_op(const tw_program *program, size_t i);

/* How many arguments and results the entry function has. */
size_t tw_program_input_count(const tw_program *program);
size_t tw_program_output_count(const tw_program *program);
/* Borrowed; the descriptions live as long as the program. */
const tw_tensor_desc *tw_program_input(const tw_program *program, size_t i);
const tw_tensor_desc *tw_program_output(const tw_program *program, size_t i);

/* Makes an input constant: its value is copied, laid out and (weights) packed now, and
 * tw_program_run no longer reads inputs[i]. */
tw_status tw_program_set_constant(tw_program *program, size_t i, const void *data);

/* Once *cancel is not 0, runs end within some milliseconds with TW_CANCELLED; their
 * outputs are then undefined.  Not during a run; NULL: never. */
void tw_program_set_cancel(tw_program *program, const volatile int *cancel);

/* Runs: inputs[i] and outputs[i] point at tensors as described.  Entries of constant
 * inputs are ignored and may be NULL. */
tw_status tw_program_run(tw_program *program, const void *const *inputs,
                         void *const *outputs);

/* A check that the function's source states (check.expect_eq, ...): two of its
 * results to be compared after a run. */
typedef struct tw_check {
    const char *name;          /* of the operation */
    unsigned line;             /* in the source; 0 = unknown */
    size_t actual, expected;   /* indices of results */
    double tolerance;          /* of expect_almost_eq */
    uint64_t min_ulp, max_ulp; /* of expect_close */
} tw_check;
size_t tw_program_check_count(const tw_program *program);
const tw_check *tw_program_check(const tw_program *program, size_t i);

/* The number of the plan's operations, and the i-th one's name ("ttnn.matmul"). */
size_t tw_program_step_count(const tw_program *program);
const char *tw_program_step_name(const tw_program *program, size_t i);
/* Nanoseconds that the step took in the last run; 0 unless profiling is on. */
uint64_t tw_program_step_time(const tw_program *program, size_t i);
/* From the next run on. */
void tw_program_set_profiling(tw_program *program, bool on);

/* The program's device memory, by the layouts of its tensors, and host memory.  Every
 * buffer has the same address in all banks, so the figures are of one bank.  Of a program
 * with several parts on the device, the part with the largest use of a bank counts; all
 * but host_bytes is 0 if the host runs everything. */
typedef struct tw_memory_use {
    size_t l1_banks, l1_bank_bytes, l1_bank_peak;
    size_t dram_banks, dram_bank_bytes, dram_bank_peak;
    size_t dram_fallbacks; /* L1 tensors that were placed in DRAM */
    size_t host_bytes;     /* of tensors, at most in a run; known after the first run */
} tw_memory_use;
tw_memory_use tw_program_memory(const tw_program *program);

#ifdef __cplusplus
}
#endif
#endif
