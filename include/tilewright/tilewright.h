/* tilewright.h: compile a program and run it on the embedded device.
 *
 * A program is compiled from StableHLO, TTIR or TTNN text. Compilation lowers the text
 * through every level and plans the execution: shapes, buffers and kernels are chosen once.
 * Running it allocates nothing.
 *
 * Ownership: tw_program_compile returns a program that the caller destroys with
 * tw_program_destroy. Pointers passed to tw_program_run remain the caller's. A program is
 * used by one thread at a time; different programs are independent. */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include "tilewright/diagnostics.h"
#include "tilewright/dtype.h"
#include "tilewright/progress.h"
#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns "0.1.0". */
const char *tw_version(void);
/* True if programs may contain the operation of TTNN: "ttnn.matmul". */
bool tw_operation_runs(const char *name);
/* The instruction sets of the host's kernels: the one that is used, and the best one of
 * this processor. TW_INVALID if the variable TILEWRIGHT_ISA names none or an unsupported
 * one. */
tw_status tw_kernels_isa(const char **out_used, const char **out_best);

typedef struct tw_program tw_program;

/* An argument or result as declared in the program's source: row-major, dense. Integers of
 * fewer than 8 bits are in a byte each (TW_I8, TW_U8); floats of 8 bits and fewer are their
 * bits (TW_U8); a token is a tensor without elements. Such programs run on the host. */
typedef struct tw_tensor_desc {
    tw_dtype dtype;
    int rank;
    const int64_t *dims;
    size_t bytes;
} tw_tensor_desc;

/* An observer's event, sent before and after each operation of a program. */
typedef struct tw_op_event {
    const char *name; /* "ttnn.add" */
    bool before;
    int64_t program, operation; /* indices in a binary; -1 if there is none */
    const char *file;           /* of the source; NULL: unknown */
    unsigned line, column;
    size_t n_inputs, n_outputs;
    const tw_tensor_desc *tensors; /* inputs, then outputs; block floats as bf16 */
    void *const *data; /* one per tensor: dense, row-major; valid until the callback
                        * returns. Writing changes the value that later operations read. */
    size_t l1_bank_used, dram_bank_used; /* bytes in use of one bank */
} tw_op_event;

typedef struct tw_observer {
    void (*notify)(void *user, const tw_op_event *event);
    void *user;
} tw_observer;

typedef struct tw_kernel_engine tw_kernel_engine;

typedef struct tw_compile_options {
    const char *name;     /* name of the text in diagnostics; NULL = "<program>" */
    const char *entry;    /* function to run; NULL = "main", else the only public one */
    const char *dump_dir; /* folder for stablehlo.mlir, ttir_initial.mlir,
                           * ttir_optimized.mlir, ttnn.mlir and program.ttnn.fb, written as
                           * stages finish; NULL = none */
    const char *dtype;    /* "bf16", "f32" or "bfp_bf8": computes all floats in this type
                           * instead of the program's; arguments and results keep their
                           * types. NULL = the program's types */
    int threads;          /* number of threads that share the work of a run; 0 or 1: one.
                           * Results are bit-identical for any number. */
    bool dram_fallback;   /* puts tensors that do not fit into L1 into DRAM; without it that
                           * is an error with code TW_RESOURCE */
    const char *cache_dir; /* folder of the cache of lowered programs, keyed by content;
                            * NULL = none. Never the cause of a failure. */
    const volatile int *cancel; /* non-zero: stop soon (TW_CANCELLED); NULL: never */
    bool host; /* StableHLO only: runs on the host what the device does not support
                * (data-dependent loops and branches, general bodies, ...) and what needs 64
                * bits, which the device computes in 32; tw_program_host_op lists these
                * operations. Without it unsupported operations are TW_UNSUPPORTED. Such
                * programs are not cached. */
    const tw_observer *observer; /* copied; NULL: none. Runs notify it of every operation
                                  * the device executes, on the running thread; operations
                                  * are then neither fused nor hoisted out of the run. */
    tw_progress *progress;       /* of compiling, then of runs; or NULL */
    /* Runs the kernels of ttnn.generic: tw_grid_engine() of grid.h. NULL: programs with
     * kernels are TW_UNSUPPORTED. */
    const tw_kernel_engine *kernels;
    bool as_written; /* no operation becomes part of another one (x * sigmoid(x) does not
                      * become silu(x)): each is rounded as the program says. Such programs
                      * are not cached. */
    tw_diagnostics *diagnostics;  /* gets copies of the diagnostics; NULL: none */
    struct ir_watch *watch;       /* observes the passes (src/ir/watch.h); NULL: none */
    const char *pipeline_options; /* "name=value ...": options of the pipelines that
                                   * programs go through (docs/pipelines.md); NULL = none.
                                   * Such programs are not cached. */
} tw_compile_options;

/* Compiles text. The message of a failure holds every diagnostic, one per line;
 * TW_UNSUPPORTED means that the program is valid but uses an unsupported feature. */
tw_status tw_program_compile(const char *text, size_t size,
                             const tw_compile_options *options, tw_program **out_program);
/* The same of a module in memory, which is taken over, also by a failure. */
struct tw_module;
tw_status tw_program_compile_module(struct tw_module *module,
                                    const tw_compile_options *options,
                                    tw_program **out_program);
/* How many texts were read for the program, its parts on the host among them: 1 for one
 * compiled from text, 0 for one of a module that was built. */
size_t tw_program_parse_count(const tw_program *program);
/* Also frees what was borrowed: descriptions, names, checks. NULL is allowed. */
void tw_program_destroy(tw_program *program);

/* How the cache folder was used for a program. */
typedef enum tw_cache_use {
    TW_CACHE_NONE,      /* no folder was given, or the program cannot be cached */
    TW_CACHE_HIT,       /* the program was in the cache */
    TW_CACHE_MISS,      /* it was not; it is now */
    TW_CACHE_DISCARDED, /* a damaged file was replaced */
    TW_CACHE_NOT_KEPT,  /* it was not in the cache and could not be written */
} tw_cache_use;
tw_cache_use tw_program_cache_use(const tw_program *program);

/* Operations of the program that run on the host, grouped by kind; none if the device
 * runs everything. A run whose arguments exceed 32 bits may move the whole program to
 * the host. */
typedef struct tw_host_op {
    const char *name; /* of the operation */
    const char *why;
    const char *file; /* location of the first occurrence; NULL = unknown */
    unsigned line;
    size_t count;
} tw_host_op;
/* NULL past the end, as for inputs, outputs, checks and steps. */
size_t tw_program_host_op_count(const tw_program *program);
const tw_host_op *tw_program_host_op(const tw_program *program, size_t i);
/* Returns the number of conversions from f32 to bf16 within a binary whose arguments and
 * results have no bf16, as workarounds for the hardware insert them: its results have 8
 * significant bits there, those of the program that it was made of have 24. */
size_t tw_program_narrowed_count(const tw_program *program);

/* Returns the number of arguments and results of the entry function. */
size_t tw_program_input_count(const tw_program *program);
size_t tw_program_output_count(const tw_program *program);
/* Borrowed; the descriptions are valid as long as the program. */
const tw_tensor_desc *tw_program_input(const tw_program *program, size_t i);
const tw_tensor_desc *tw_program_output(const tw_program *program, size_t i);

/* Makes an input constant: its data is copied now, and tw_program_run no longer reads
 * inputs[i]. The next run computes what depends on constants only; the one after it packs
 * the weights of matrix products, which every later run reads in that form. */
tw_status tw_program_set_constant(tw_program *program, size_t i, const void *data);

/* The same without a copy where the element types are equal: `data` must stay valid and
 * unchanged until the input is set again or the program is destroyed. */
tw_status tw_program_borrow_constant(tw_program *program, size_t i, const void *data);

/* The same, and what is made of the constant (packed weights) serves all programs of the
 * process that have a constant with the same `data` and `stamp`: programs of one model for
 * several sizes hold its weights once. The caller changes the stamp whenever the contents
 * change, and sets the input again in a program before it is run with them. */
tw_status tw_program_share_constant(tw_program *program, size_t i, const void *data,
                                    uint64_t stamp);

/* True if a run may be given the same memory for this input and this output, which is the
 * input with some elements replaced (a cache of keys): then only these are written. Known
 * after the first run. */
bool tw_program_updates(const tw_program *program, size_t input, size_t output);

/* Once *cancel is non-zero, runs end within some milliseconds with TW_CANCELLED, and their
 * outputs are invalid. Must not be called during a run; NULL: never. */
void tw_program_set_cancel(tw_program *program, const volatile int *cancel);

/* Runs the program: inputs[i] and outputs[i] point to tensors as described. Entries of
 * constant inputs are ignored and may be NULL. */
tw_status tw_program_run(tw_program *program, const void *const *inputs,
                         void *const *outputs);

/* A check in the source of the function (check.expect_eq and similar): two of its results
 * that are to be compared after a run. */
typedef struct tw_check {
    const char *name;          /* of the operation */
    unsigned line;             /* in the source; 0 = unknown */
    size_t actual, expected;   /* indices of results */
    double tolerance;          /* of expect_almost_eq */
    uint64_t min_ulp, max_ulp; /* of expect_close */
} tw_check;
size_t tw_program_check_count(const tw_program *program);
const tw_check *tw_program_check(const tw_program *program, size_t i);

/* The number of operations in the plan, and the name of the i-th one ("ttnn.matmul"). */
size_t tw_program_step_count(const tw_program *program);
const char *tw_program_step_name(const tw_program *program, size_t i);
/* Returns the nanoseconds of the step in the last run; 0 unless profiling is on. */
uint64_t tw_program_step_time(const tw_program *program, size_t i);
/* Takes effect with the next run. */
void tw_program_set_profiling(tw_program *program, bool on);

/* ---- what the modelled chip would take */

/* What decides the time of an operation on the chip. */
typedef enum tw_bound {
    TW_BOUND_NOTHING,
    TW_BOUND_COMPUTE,
    TW_BOUND_NOC,
    TW_BOUND_DRAM
} tw_bound;

/* One operation of the program on the chip, by the cost tables of the simulated grid
 * (docs/device-time.md). Strings and arrays are valid as long as the program. */
typedef struct tw_device_op {
    const char *name;   /* "ttnn.matmul" */
    const char *result; /* the type of its result as text: "f32[32, 256]" */
    const char *file;   /* location in the program's source; NULL: unknown */
    unsigned line, column;
    size_t step;     /* of the host that computes it; SIZE_MAX: none, or done once */
    bool once;       /* of constants only: not part of a run */
    bool bytes_only; /* its arithmetic is not modelled, only its bytes are */
    int cores;       /* that take part */
    double cycles;   /* without the launch; 0: no program of the chip */
    double compute, noc, dram;      /* cycles, if only this part took time */
    double read_bytes, write_bytes; /* of DRAM */
    double noc_bytes;
    tw_bound bound;
    size_t n_from; /* operations that compute its operands, as indices */
    const size_t *from;
} tw_device_op;

typedef struct tw_device_time {
    const char *chip;
    int cores;
    double clock_ghz;
    double launch_us; /* between two programs of the chip */
    double us;        /* of a run: cycles and launches */
    double cycles;    /* of a run, without launches */
    size_t launches;
    size_t n_ops;
    const tw_device_op *ops; /* in the program's order */
} tw_device_time;

/* Predicts a run on the chip that the program was compiled for. NULL if no operation of it
 * is lowered to TTNN (the host computes all, or a .ttm). Whether an operation is done once
 * is known after the first run. */
const tw_device_time *tw_program_device_time(tw_program *program);
/* Writes a page of HTML without references to other files: the graph of operations, and
 * both times of each, with the host's if the last run was profiled. */
tw_status tw_program_write_page(tw_program *program, const char *path);

/* Memory that the program uses: of the device, by the layouts of its tensors, and of the
 * host. Every buffer has the same address in all banks, so the figures of one bank suffice.
 * If several parts of the program run on the device, the figures are those of the part that
 * uses most of a bank; if the host runs everything, all but host_bytes are 0. */
typedef struct tw_memory_use {
    size_t l1_banks, l1_bank_bytes, l1_bank_peak;
    size_t dram_banks, dram_bank_bytes, dram_bank_peak;
    size_t dram_fallbacks; /* tensors that were assigned to L1 and placed in DRAM */
    size_t host_bytes;     /* peak bytes of tensors in a run; known after the first run */
} tw_memory_use;
tw_memory_use tw_program_memory(const tw_program *program);

#ifdef __cplusplus
}
#endif
#endif
