/* grid/machine/program.h: kernels bound to cores, circular buffers and arguments, ready to
 * run repeatedly.
 *
 * Both front ends build it: ttmetal.enqueue_program (launch.c) and the public interface for
 * hosts that launch kernels themselves (grid.c). */
#ifndef TILEWRIGHT_GRID_MACHINE_PROGRAM_H
#define TILEWRIGHT_GRID_MACHINE_PROGRAM_H

#include "grid/units/code.h"

typedef enum dev_arg_kind {
    DEV_ARG_NUMBER,
    DEV_ARG_CB,
    DEV_ARG_ADDRESS,  /* of buffer `value` of the machine */
    DEV_ARG_ACCESSOR, /* TensorAccessorArgs of the same */
    DEV_ARG_SEMAPHORE
} dev_arg_kind;

typedef struct dev_arg {
    dev_arg_kind kind;
    int64_t value;
} dev_arg;

enum { DEV_ARGS_RUNTIME, DEV_ARGS_COMMON, DEV_ARGS_COMPILE_TIME, DEV_ARG_LISTS };

typedef struct dev_kernel {
    ir_op *function;
    int y, x, rows, columns;
    dev_arg *args[DEV_ARG_LISTS]; /* runtime: n_args per core if per_core */
    size_t n_args[DEV_ARG_LISTS];
    bool per_core;
    int noc;           /* data movement */
    bool tensor_pages; /* other page sizes of accessors are only a warning */
    int phases;        /* compute kernels: this and the following */
    bool wide, full_sync, approx;
    uint64_t unpack_to_dst; /* one bit per port */
    /* filled by dev_program_compile */
    dev_code code;
    int64_t *values[DEV_ARG_LISTS];
} dev_kernel;

typedef struct dev_cb_spec {
    int port;
    tw_dtype format;
    uint32_t base, page, pages;
    bool fresh;        /* its contents count as unwritten */
    const char *name;  /* or NULL */
    ir_attr cores;     /* an entry of ttl.core_ranges; NULL: on all cores */
    int y, x, columns; /* with `cores`: the rectangle of its kernel */
    int rows;          /* without `cores`: that of the cores it is on; 0: on all */
} dev_cb_spec;

typedef struct dev_semaphore {
    uint32_t id, value; /* at the start of a run */
} dev_semaphore;

/* Profile of a thread's last run. */
typedef struct dev_figures {
    int y, x;
    const ir_op *function;
    double cycles, stalled[DEV_WAIT_COUNT];
    uint64_t operations;
} dev_figures;

/* The arena owns the arrays; those of the code are on the heap. */
typedef struct dev_program {
    tw_arena arena;
    dev_kernel *kernels;
    size_t n_kernels;
    dev_cb_spec *cbs;
    size_t n_cbs;
    dev_semaphore *semaphores;
    size_t n_semaphores;
    uint32_t semaphore_count; /* the highest id plus one; known once compiled */
    size_t *tensors; /* buffers of the arguments' tensors; NULL: the machine's own */
    struct dev_tapes *tapes; /* recordings of runs (tape.h), or NULL */
    unsigned abandoned;      /* of the machine when they were made */
    double cycles;           /* of the last run, as everything below */
    dev_figures *threads;
    size_t n_threads, threads_capacity;
    uint64_t noc_bytes, dram_bytes, noc_transfers;
} dev_program;

/* True if a kernel accesses bytes otherwise than by jobs. */
bool dev_program_sees_bytes(const dev_program *p);
/* Compiles the kernels' functions; false after a diagnostic. */
bool dev_program_compile(dev_machine *m, dev_program *p, bool *out_unsupported);
/* Runs it; errors are in the machine's reports. */
tw_status dev_program_run(dev_machine *m, dev_program *p);
/* Profile of the last run, one line per thread; with the machine's option `profile` it must
 * be called before dev_threads_clear. */
void dev_program_profile(const dev_machine *m, const dev_program *p, tw_strbuf *out);
void dev_program_free(dev_program *p);

/* trace.c: of the last run, before dev_threads_clear; with the machine's option profile.
 * Utilisation of units, the roofline and maps of NoC and DRAM as text; spans as Perfetto's
 * JSON; both as one page of HTML. */
void dev_trace_text(const dev_machine *m, const dev_program *p, tw_strbuf *out);
/* Time between signposts X_before and X_after, for each X and kernel. */
void dev_trace_lines(const dev_machine *m, tw_strbuf *out);
void dev_trace_perfetto(const dev_machine *m, tw_strbuf *out);
/* Kernels and signposts in the format of tt-metal's device profiler; `run` numbers the
 * launch. */
void dev_trace_csv(const dev_machine *m, const dev_program *p, unsigned run,
                   tw_strbuf *out);
/* Operations and bytes of a program, with the peak rates of its cores and of DRAM. */
typedef struct dev_roof {
    int cores;
    double math, pack;               /* utilisation of these units, 0 to 1 */
    double flops, bytes, peak, dram; /* flops, bytes: totals; peak, dram: per cycle */
} dev_roof;

dev_roof dev_roof_of(const dev_machine *m, const dev_program *p);
void dev_trace_html(const dev_machine *m, const dev_program *p, tw_str summary,
                    tw_strbuf *out);

/* True if a rectangle of cores lies on the chip. */
bool dev_cores_exist(const dev_chip *chip, int64_t y, int64_t x, int64_t rows,
                     int64_t columns);

#endif
