/* grid.h: the simulated grid of tile processors, for hosts that launch kernels themselves.
 *
 * A host opens a grid, creates tensors on it, reads TTKernel text (functions with the
 * attribute ttkernel.thread), binds kernels, circular buffers, tensors and arguments into a
 * launch, and runs the launch any number of times; between runs it sets only what changed:
 *
 *     tw_grid_open(&(tw_grid_options){.chip = "n150"}, &grid);
 *     tw_grid_tensor_create(grid, &layout, &a);
 *     tw_grid_tensor_write(a, TW_BF16, host_data);
 *     tw_kernels_load(grid, text, size, "kernel.py", &kernels);
 *     tw_launch_create(kernels, &spec, &launch);
 *     tw_launch_run(launch);          TW_INVALID: tw_launch_log has the kernels' errors
 *     tw_grid_tensor_read(out, TW_BF16, host_data);
 *
 * Ownership: the caller destroys every object it created, in any order; an object that
 * another one still uses stays alive. Data is copied during the call. Threads may share a
 * grid; their calls are serialized. Reports and profiles of a launch are valid until its
 * next run. */
#ifndef TILEWRIGHT_GRID_H
#define TILEWRIGHT_GRID_H

#include "tilewright/diagnostics.h"
#include "tilewright/dtype.h"
#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_grid tw_grid;
typedef struct tw_grid_tensor tw_grid_tensor;
typedef struct tw_kernels tw_kernels;
typedef struct tw_launch tw_launch;

/* ---- the grid ---------------------------------------------------------------------- */

/* Precision of the matrix unit's model: f32 arithmetic with the unit's roundings; the same
 * with operands truncated as the math fidelity's phases do; the unit's integer arithmetic.
 * Times and reports do not depend on it. */
typedef enum tw_numerics {
    TW_NUMERICS_VALUE,
    TW_NUMERICS_FIDELITY,
    TW_NUMERICS_BIT
} tw_numerics;

typedef struct tw_grid_options {
    const char *chip; /* "n150" (also NULL), "n300", "p150", "wormhole_b0", "blackhole" */
    uint64_t seed;    /* shuffles the order in which threads run; 0 = in order */
    uint64_t budget;  /* operations before a thread is reported as endless; 0 = 2^32 */
    tw_numerics numerics;
    bool profile;  /* records a timeline for tw_launch_trace_* */
    int threads;   /* host threads, 1 or 2 (0 is 1): the second computes tile values; no
                    * result, report or time depends on it */
    bool no_races; /* skips the detection of data races: slightly faster */
    tw_diagnostics *diagnostics; /* gets copies of reports and kernel output, as long as the
                                  * grid lives; NULL: none */
} tw_grid_options;

/* `options` NULL: an n150 with all other fields 0. TW_NOT_FOUND for an unknown chip,
 * TW_INVALID for an invalid option. */
tw_status tw_grid_open(const tw_grid_options *options, tw_grid **out_grid);
/* Tensors, kernels and launches may outlive the grid; NULL is allowed, as in each
 * *_destroy. */
void tw_grid_close(tw_grid *grid);
/* Returns the size of the grid of workers that programs may use. */
void tw_grid_size(const tw_grid *grid, int *out_rows, int *out_columns);
/* Sets the seed of subsequent runs. */
void tw_grid_set_seed(tw_grid *grid, uint64_t seed);

/* What runs the kernels of ttnn.generic in programs (tw_compile_options.kernels): a grid
 * for each operation, of the chip that the program was compiled for. */
const struct tw_kernel_engine *tw_grid_engine(void);

/* ---- tensors ----------------------------------------------------------------------- */

typedef enum tw_grid_memory {
    TW_DRAM_INTERLEAVED, /* pages are distributed round-robin over the DRAM banks */
    TW_L1_INTERLEAVED,   /* the same over the L1 of all cores, row-major */
    TW_DRAM_SHARDED,
    TW_L1_SHARDED,
} tw_grid_memory;

/* Pages are 32x32 tiles, or rows of a shard (of the tensor if it is not sharded). The last
 * two dimensions are padded to tiles with zeros. */
typedef struct tw_grid_layout {
    tw_dtype dtype;
    int rank; /* at most 8; 0 is a scalar */
    int64_t dims[8];
    bool tiled;
    tw_grid_memory memory;
    /* Sharded: the number of shards into which the folded (rows, columns) are split. Shard
     * i, row-major, lies at core (i / core_columns, i % core_columns) relative to the first
     * core, or in bank i. core_columns 0 means shard_columns: a rectangle of cores. */
    int shard_rows, shard_columns;
    /* Size of every shard but the last ones, in tiles, or in elements for row-major pages;
     * 0: as even as possible. */
    int64_t shard_height, shard_width;
    int core_row, core_column, core_columns;
} tw_grid_layout;

/* TW_RESOURCE if the memory is full; the message includes a map of its contents. */
tw_status tw_grid_tensor_create(tw_grid *grid, const tw_grid_layout *layout,
                                tw_grid_tensor **out_tensor);
void tw_grid_tensor_destroy(tw_grid_tensor *tensor);
/* Copies from or to dense row-major host arrays with the dims of the layout. `dtype` is the
 * array's element type: the tensor's own, or f32 or bf16 for block floats. */
tw_status tw_grid_tensor_write(tw_grid_tensor *tensor, tw_dtype dtype, const void *data);
/* Marks the tensor as never written: a kernel that reads it before a kernel has written it
 * is reported; the host reads zeros. */
tw_status tw_grid_tensor_empty(tw_grid_tensor *tensor);
/* TW_INVALID if no kernel has written some page; the data is read nevertheless. */
tw_status tw_grid_tensor_read(tw_grid_tensor *tensor, tw_dtype dtype, void *data);
/* Returns the address of the first page in its bank or L1, which kernels get as the
 * buffer's address. */
uint64_t tw_grid_tensor_address(const tw_grid_tensor *tensor);
/* Returns the bytes of a page: of a tile in its format, or of a row. */
size_t tw_grid_tensor_page_bytes(const tw_grid_tensor *tensor);

/* ---- kernels ----------------------------------------------------------------------- */

typedef enum tw_kernel_kind { TW_KERNEL_COMPUTE, TW_KERNEL_DATA } tw_kernel_kind;

/* Reads a module; its functions with ttkernel.thread are the kernels. Empty text has none.
 * Reports show the locations in the text (loc("kernel.py":3:5)); `name` is the name of the
 * text itself. */
tw_status tw_kernels_load(tw_grid *grid, const char *text, size_t size, const char *name,
                          tw_kernels **out_kernels);
/* The same of a module in memory, which is taken over, also by a failure. */
struct tw_module;
tw_status tw_kernels_of_module(tw_grid *grid, struct tw_module *module, const char *name,
                               tw_kernels **out_kernels);
void tw_kernels_destroy(tw_kernels *kernels);

/* A kernel in C++ against the hardware's kernel API: a text with kernel_main (or MAIN). */
typedef struct tw_cpp_kernel {
    const char *name; /* used by launches and reports */
    tw_kernel_kind kind;
    const char *text;
    size_t size;
    const char *path;    /* source file, for reports; its folder is searched first for
                          * #includes; NULL is "NAME.cpp" */
    const char *defines; /* lines put before the text, "#define N 4\n"; NULL is none */
} tw_cpp_kernel;

/* Adds a kernel, replacing one of the same name. It is compiled when a launch that runs it
 * is created, since its compile-time arguments are constants. The compiler is
 * TILEWRIGHT_CXX from the environment, else c++, g++ or clang++; compiled kernels are
 * cached in TILEWRIGHT_KERNEL_CACHE, else ~/.cache/tilewright/kernels. */
tw_status tw_kernels_add_cpp(tw_kernels *kernels, const tw_cpp_kernel *kernel);
/* Writes the headers of the kernel API into a folder, creating it if needed. */
tw_status tw_kernel_api_write(const char *folder);
/* Returns the names of the kernel API's functions, one per line; free() frees the text. */
char *tw_kernel_api_names(void);
/* An element-wise function of kernels: ttl.NAME.  `padding` says what becomes of values
 * beyond a tensor's edge: "mask" (nothing is known), "data", "sum", "extreme", "product" or
 * "quotient". */
typedef struct tw_elementwise {
    const char *name, *meaning; /* meaning: one line; NULL: not a function of `ttl.math` */
    const char *padding;
    int operands; /* blocks, without scalars */
} tw_elementwise;

/* The i-th function, in the order of the documentation; false past the end. */
bool tw_elementwise_at(size_t i, tw_elementwise *out);
/* The value of a function of two scalars; a unary one takes the first; false if the
 * simulator has no formula for single values. */
bool tw_elementwise_value(const char *name, double x, double y, double *out);

/* The number of kernels, and the function and kind of the i-th one; past the end: NULL and
 * TW_KERNEL_DATA. */
size_t tw_kernels_count(const tw_kernels *kernels);
const char *tw_kernels_name(const tw_kernels *kernels, size_t i);
tw_kernel_kind tw_kernels_kind(const tw_kernels *kernels, size_t i);

/* ---- launches ---------------------------------------------------------------------- */

typedef enum tw_kernel_arg_kind {
    TW_ARG_NUMBER,    /* the value itself */
    TW_ARG_CB,        /* port of a circular buffer */
    TW_ARG_ADDRESS,   /* address of tensor `value` of the launch */
    TW_ARG_ACCESSOR,  /* TensorAccessorArgs of tensor `value`; one compile-time slot */
    TW_ARG_SEMAPHORE, /* semaphore `value` of the launch, for get_semaphore */
} tw_kernel_arg_kind;

typedef struct tw_kernel_arg {
    tw_kernel_arg_kind kind;
    int64_t value;
} tw_kernel_arg;

/* One kernel on a rectangle of cores. */
typedef struct tw_kernel_run {
    const char *function;
    int row, column, rows, columns;
    const tw_kernel_arg *compile_args; /* get_compile_time_arg_val */
    size_t n_compile_args;
    const tw_kernel_arg *common_args; /* get_common_arg_val */
    size_t n_common_args;
    const tw_kernel_arg *args; /* get_arg_val: n_args in all, or per core, row-major */
    size_t n_args;
    bool args_per_core;
    int noc;      /* data kernels: 0 or 1; writers use 1 by convention */
    int fidelity; /* compute kernels: phases 1 to 4; 0 is 4 (HiFi4) */
    bool wide_dst, full_sync, approximate; /* fp32_dest_acc_en, dst_full_sync_en, ... */
    uint64_t unpack_to_dst; /* bit p: f32 tiles of port p are unpacked to a 32-bit DST
                             * without rounding */
    /* data kernels: an accessor whose page size differs from the tensor's is a warning
     * instead of an error; it moves the tensor's pages in either case */
    bool tensor_pages;
} tw_kernel_run;

typedef struct tw_cb_config {
    int port; /* 0 to 31 */
    tw_dtype dtype;
    int64_t pages;
    size_t page_bytes; /* 0: one tile */
    int tensor;        /* with `aliases`: the launch's L1 tensor that provides memory */
    bool aliases;
    const char *name; /* for reports; NULL: the port */
} tw_cb_config;

typedef struct tw_launch_spec {
    const tw_kernel_run *kernels;
    size_t n_kernels;
    const tw_cb_config *cbs; /* on all cores that run a kernel */
    size_t n_cbs;
    tw_grid_tensor *const *tensors;
    size_t n_tensors;
    /* Initial values at the start of each run; at most 32. Values that a kernel's function
     * declares (ttl.semaphore_values, from ttl.create_semaphore's initial_value) take
     * precedence. */
    const uint32_t *semaphores;
    size_t n_semaphores;
} tw_launch_spec;

/* Everything in the spec is copied; tensors are kept alive. TW_UNSUPPORTED names the
 * operation that cannot be executed. */
tw_status tw_launch_create(tw_kernels *kernels, const tw_launch_spec *spec,
                           tw_launch **out_launch);
void tw_launch_destroy(tw_launch *launch);
/* Replaces tensor i by another one with the same layout. */
tw_status tw_launch_set_tensor(tw_launch *launch, size_t i, tw_grid_tensor *tensor);
/* Sets argument i of a kernel: common (`core` < 0) or per core. */
tw_status tw_launch_set_arg(tw_launch *launch, size_t kernel, int core, size_t i,
                            int64_t value);

/* Once *cancel is non-zero, runs stop soon with TW_CANCELLED; NULL: never. */
void tw_launch_set_cancel(tw_launch *launch, const volatile int *cancel);

/* TW_INVALID if a report is an error; the grid stays usable. */
tw_status tw_launch_run(tw_launch *launch);

/* ---- results of the last run ------------------------------------------------------- */

typedef struct tw_grid_report {
    const char *kind;      /* "missing barrier" */
    bool warning;          /* does not fail the run */
    const char *text;      /* full text: kind, description, kernel, cores, cycle */
    const char *kernel;    /* name of its function */
    const char *file;      /* NULL: the operation has no location */
    unsigned line, column; /* from 1 */
    const char *note;      /* about the second location, or a suggestion; or NULL */
    const char *note_file; /* the second location; NULL if there is none */
    unsigned note_line, note_column;
    int row, column_of_core; /* the first affected core */
    const char *cores;       /* all affected cores: "0,0-3,7 and 5,1" */
    int times;               /* number of occurrences */
    double cycle;            /* of the first occurrence, from the start of the program */
} tw_grid_report;

/* NULL past the end; records are valid until the launch's next run. */
size_t tw_launch_report_count(const tw_launch *launch);
const tw_grid_report *tw_launch_report(const tw_launch *launch, size_t i);
/* Returns all reports as text, with the kernels' output (dprint); "" if there is none. */
const char *tw_launch_log(const tw_launch *launch);
/* Cycles in total, and as a table with one line per kernel thread. */
double tw_launch_cycles(const tw_launch *launch);
const char *tw_launch_profile(const tw_launch *launch);

/* With the grid option `profile`: the timeline of each thread and unit in the last run; ""
 * if there is none. The JSON is Perfetto's (ui.perfetto.dev); the HTML page is
 * self-contained. */
const char *tw_launch_trace_json(const tw_launch *launch);
const char *tw_launch_trace_html(const tw_launch *launch);
/* The same in the format of tt-metal's profile_log_device.csv: zones of kernels and of
 * signposts, in cycles; the launches of a grid are numbered from 1 (run host ID). */
const char *tw_launch_trace_csv(const tw_launch *launch);

/* True if kernels may contain the operation of TTKernel: "ttkernel.add_tiles". */
bool tw_grid_operation_runs(const char *name);

/* Called after each run of a ttnn.generic's kernels by tw_grid_engine(), on the thread that
 * runs the program; the launch is valid during the call. */
typedef void tw_grid_observer(void *user, const tw_launch *launch);
/* Sets the calling thread's observer, of the programs that it compiles and runs from now on
 * (their grids record timelines); NULL: none. */
void tw_grid_engine_observe(tw_grid_observer *observer, void *user);

#ifdef __cplusplus
}
#endif
#endif
