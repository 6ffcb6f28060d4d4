/* grid.h: the simulated grid of tile processors, for hosts that launch kernels themselves.
 *
 * A host opens a grid, makes tensors on it, reads TTKernel text (functions that carry
 * ttkernel.thread), binds kernels, circular buffers, tensors and arguments into a launch,
 * and runs that any number of times; only changes between runs are passed again:
 *
 *     tw_grid_open(&(tw_grid_options){.chip = "n150"}, &grid);
 *     tw_grid_tensor_create(grid, &layout, &a);
 *     tw_grid_tensor_write(a, TW_BF16, host_data);
 *     tw_kernels_load(grid, text, size, "kernel.py", &kernels);
 *     tw_launch_create(kernels, &spec, &launch);
 *     tw_launch_run(launch);          TW_INVALID: tw_launch_log has the reports
 *     tw_grid_tensor_read(out, TW_BF16, host_data);
 *
 * Ownership: the creator destroys, in any order; objects still in use are kept.  Data is
 * copied at the call.  Threads may share a grid: they wait for each other.  Reports of a
 * launch are valid until it runs again. */
#ifndef TILEWRIGHT_GRID_H
#define TILEWRIGHT_GRID_H

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

/* The model of the matrix unit: f32 arithmetic with the unit's roundings; operands
 * truncated by the math fidelity's phases; its integer arithmetic.  Times and reports do
 * not depend on it. */
typedef enum tw_numerics {
    TW_NUMERICS_VALUE,
    TW_NUMERICS_FIDELITY,
    TW_NUMERICS_BIT
} tw_numerics;

typedef struct tw_grid_options {
    const char *chip; /* "n150" (also NULL), "n300", "p150", "wormhole_b0", "blackhole" */
    uint64_t seed;    /* shuffles the order in which threads run; 0 = their order */
    uint64_t budget;  /* operations of one thread before it counts as endless; 0 = 2^32 */
    tw_numerics numerics;
    bool profile;  /* records a timeline, for tw_launch_trace */
    int threads;   /* of the host, 1 or 2 (0 is 1): the second computes values; results and
                    * reports do not depend on it */
    bool no_races; /* no race detection: a little faster */
} tw_grid_options;

/* `options` NULL: an n150 with all else 0.  TW_NOT_FOUND for an unknown chip, TW_INVALID
 * for an invalid option. */
tw_status tw_grid_open(const tw_grid_options *options, tw_grid **out_grid);
/* Tensors, kernels and launches may outlive it; NULL is allowed, as in each *_destroy. */
void tw_grid_close(tw_grid *grid);
/* The worker cores. */
void tw_grid_size(const tw_grid *grid, int *out_rows, int *out_columns);
/* Sets the seed of later runs. */
void tw_grid_set_seed(tw_grid *grid, uint64_t seed);

/* ---- tensors ----------------------------------------------------------------------- */

typedef enum tw_grid_memory {
    TW_DRAM_INTERLEAVED, /* pages are distributed over the DRAM banks */
    TW_L1_INTERLEAVED,   /* pages are distributed over the L1 of all cores, row by row */
    TW_DRAM_SHARDED,
    TW_L1_SHARDED,
} tw_grid_memory;

/* Pages are 32x32 tiles, or rows of a shard (of the tensor where it has no shards).  The
 * last two dimensions are padded to tiles with zeros. */
typedef struct tw_grid_layout {
    tw_dtype dtype;
    int rank; /* at most 8; 0 is a scalar */
    int64_t dims[8];
    bool tiled;
    tw_grid_memory memory;
    /* Sharded: the number of shards of the folded (rows, columns); shard i, counted
     * row-major, is at core (i / core_columns, i % core_columns) relative to the first
     * core, or in bank i.  core_columns 0 is shard_columns: a rectangle of cores. */
    int shard_rows, shard_columns;
    /* Units (tiles, elements) of a shard except the last ones; 0: as equal as possible. */
    int64_t shard_height, shard_width;
    int core_row, core_column, core_columns;
} tw_grid_layout;

/* TW_RESOURCE if the memory is full; the message has a map of its contents. */
tw_status tw_grid_tensor_create(tw_grid *grid, const tw_grid_layout *layout,
                                tw_grid_tensor **out_tensor);
void tw_grid_tensor_destroy(tw_grid_tensor *tensor);
/* Dense row-major host arrays of the layout's dims.  `dtype` is the array's: the tensor's
 * own, or f32 or bf16 for block floats. */
tw_status tw_grid_tensor_write(tw_grid_tensor *tensor, tw_dtype dtype, const void *data);
/* Marks it as uninitialised: a kernel that reads it before one has written it is
 * reported; the host reads zeros. */
tw_status tw_grid_tensor_empty(tw_grid_tensor *tensor);
/* TW_INVALID, with the data read, if no kernel has written a page. */
tw_status tw_grid_tensor_read(tw_grid_tensor *tensor, tw_dtype dtype, void *data);
/* The address of the first page in its bank or L1, the buffer's address for kernels. */
uint64_t tw_grid_tensor_address(const tw_grid_tensor *tensor);
/* The size of a tile in its format, or of a row. */
size_t tw_grid_tensor_page_bytes(const tw_grid_tensor *tensor);

/* ---- kernels ----------------------------------------------------------------------- */

typedef enum tw_kernel_kind { TW_KERNEL_COMPUTE, TW_KERNEL_DATA } tw_kernel_kind;

/* Reads a module; its functions with ttkernel.thread are the kernels; an empty text has
 * none.  Locations in the
 * text (loc("kernel.py":3:5)) are shown in reports; `name` is the text's file name. */
tw_status tw_kernels_load(tw_grid *grid, const char *text, size_t size, const char *name,
                          tw_kernels **out_kernels);
void tw_kernels_destroy(tw_kernels *kernels);

/* A kernel in C++ against the hardware's kernel API: a file with kernel_main (or MAIN). */
typedef struct tw_cpp_kernel {
    const char *name; /* its name in launches and reports */
    tw_kernel_kind kind;
    const char *text;
    size_t size;
    const char *path;    /* its file: for reports, and the folder of its own #includes;
                          * NULL is "NAME.cpp" */
    const char *defines; /* lines before it, "#define N 4\n"; NULL is none */
} tw_cpp_kernel;

/* Adds it to the kernels; it replaces one of that name.  It is compiled when a launch
 * that runs it is created, since its compile-time arguments are constants: by
 * TILEWRIGHT_CXX of the environment, else c++, g++ or clang++; objects are cached in
 * TILEWRIGHT_KERNEL_CACHE, else ~/.cache/tilewright/kernels. */
tw_status tw_kernels_add_cpp(tw_kernels *kernels, const tw_cpp_kernel *kernel);
/* Writes the headers of the kernel API into a folder, which is created if necessary. */
tw_status tw_kernel_api_write(const char *folder);
/* The functions of the kernel API, one name a line; the caller frees it with free(). */
char *tw_kernel_api_names(void);

/* An element-wise function of kernels: ttl.NAME.  `padding` says what becomes of values
 * behind a tensor's edge: "mask" (nothing is known), "data", "sum", "extreme", "product" or
 * "quotient". */
typedef struct tw_elementwise {
    const char *name, *meaning; /* meaning: one line; NULL: not a function of `ttl.math` */
    const char *padding;
    int operands; /* blocks, without numbers */
} tw_elementwise;

/* The i-th one, in the order in which they are documented; false behind the last. */
bool tw_elementwise_at(size_t i, tw_elementwise *out);
/* The value of a function of two scalars; a unary one takes the first; false if the
 * simulator has no formula for single values. */
bool tw_elementwise_value(const char *name, double x, double y, double *out);

/* The number of kernels, and the i-th one's function and kind; after the last: NULL and
 * TW_KERNEL_DATA. */
size_t tw_kernels_count(const tw_kernels *kernels);
const char *tw_kernels_name(const tw_kernels *kernels, size_t i);
tw_kernel_kind tw_kernels_kind(const tw_kernels *kernels, size_t i);

/* ---- launches ---------------------------------------------------------------------- */

typedef enum tw_kernel_arg_kind {
    TW_ARG_NUMBER,   /* `value` itself */
    TW_ARG_CB,       /* port of a circular buffer */
    TW_ARG_ADDRESS,  /* address of the launch's tensor `value` */
    TW_ARG_ACCESSOR, /* TensorAccessorArgs of tensor `value`; takes one compile-time slot */
    TW_ARG_SEMAPHORE, /* get_semaphore's argument: index `value` of the launch's */
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
    const tw_kernel_arg *args; /* get_arg_val: n_args, or n_args for each core, row-major */
    size_t n_args;
    bool args_per_core;
    int noc;      /* data kernels: 0 or 1; writers usually use 1 */
    int fidelity; /* compute kernels: phases 1 to 4; 0 is 4 (HiFi4) */
    bool wide_dst, full_sync, approximate; /* fp32_dest_acc_en, dst_full_sync_en, ... */
    uint64_t unpack_to_dst; /* bit p: f32 of port p goes to a 32-bit DST unrounded */
    /* data kernels: an accessor with another page size than the tensor's is a warning
     * instead of an error; it moves the tensor's pages in both cases */
    bool tensor_pages;
} tw_kernel_run;

typedef struct tw_cb_config {
    int port; /* 0 to 31 */
    tw_dtype dtype;
    int64_t pages;
    size_t page_bytes; /* 0 is a tile */
    int tensor; /* with `aliases`: shares memory with the launch's L1 tensor of this index
                 */
    bool aliases;
    const char *name; /* for reports; NULL: its port */
} tw_cb_config;

typedef struct tw_launch_spec {
    const tw_kernel_run *kernels;
    size_t n_kernels;
    const tw_cb_config *cbs; /* on all cores that run a kernel */
    size_t n_cbs;
    tw_grid_tensor *const *tensors;
    size_t n_tensors;
    /* Their values when a run starts; at most 32.  A value of the kernel's function
     * (ttl.semaphore_values, from ttl.create_semaphore's initial_value) takes precedence.
     */
    const uint32_t *semaphores;
    size_t n_semaphores;
} tw_launch_spec;

/* Everything in the spec is copied; tensors are kept alive.  TW_UNSUPPORTED names the
 * operation that cannot be executed. */
tw_status tw_launch_create(tw_kernels *kernels, const tw_launch_spec *spec,
                           tw_launch **out_launch);
void tw_launch_destroy(tw_launch *launch);
/* Replaces tensor i by another of the same layout. */
tw_status tw_launch_set_tensor(tw_launch *launch, size_t i, tw_grid_tensor *tensor);
/* Replaces the value of a kernel's common (`core` < 0) or per-core argument. */
tw_status tw_launch_set_arg(tw_launch *launch, size_t kernel, int core, size_t i,
                            int64_t value);

/* When it becomes non-zero, runs of the grid's launches stop with TW_CANCELLED; NULL:
 * never.
 */
void tw_launch_set_cancel(tw_launch *launch, const volatile int *cancel);

/* TW_INVALID if kernels have errors; the grid stays usable. */
tw_status tw_launch_run(tw_launch *launch);

/* ---- reports of the last run ------------------------------------------------------- */

typedef struct tw_grid_report {
    const char *kind;      /* "missing barrier" */
    bool warning;          /* does not make the run fail */
    const char *text;      /* kind, sentence, kernel, cores, cycle */
    const char *kernel;    /* the function */
    const char *file;      /* NULL: the operation has no location */
    unsigned line, column; /* from 1 */
    const char *note;      /* about the second location, or what to do; or NULL */
    const char *note_file; /* the second location, NULL if there is none */
    unsigned note_line, note_column;
    int row, column_of_core; /* the first core it happened on */
    const char *cores;       /* all of them: "0,0-3,7 and 5,1" */
    int times;               /* number of occurrences */
    double cycle;            /* the first one's, since the program began */
} tw_grid_report;

/* NULL after the last; records live until the launch's next run. */
size_t tw_launch_report_count(const tw_launch *launch);
const tw_grid_report *tw_launch_report(const tw_launch *launch, size_t i);
/* All of it as text, with what kernels printed (dprint); "" for nothing. */
const char *tw_launch_log(const tw_launch *launch);
/* Cycles in all, and as a table with a line for each kernel thread. */
double tw_launch_cycles(const tw_launch *launch);
const char *tw_launch_profile(const tw_launch *launch);

/* With the grid's `profile`: the timeline of threads and units in the last run. "" if
 * there was none.  Perfetto's JSON opens in ui.perfetto.dev; the page is self-contained. */
const char *tw_launch_trace_json(const tw_launch *launch);
const char *tw_launch_trace_html(const tw_launch *launch);
/* The same for tools that read tt-metal's profile_log_device.csv: zones of kernels, and of
 * signposts, in cycles; the grid's launches are numbered from 1 (run host ID). */
const char *tw_launch_trace_csv(const tw_launch *launch);

#ifdef __cplusplus
}
#endif
#endif
