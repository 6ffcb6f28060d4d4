/* grid/machine/program.h: kernels bound to cores, circular buffers and arguments, ready to
 * run again and again.
 *
 * Both doors lead here: ttmetal.enqueue_program (launch.c) and the public interface for
 * hosts that launch by themselves (grid.c). */
#ifndef TILEWRIGHT_GRID_MACHINE_PROGRAM_H
#define TILEWRIGHT_GRID_MACHINE_PROGRAM_H

#include "grid/units/code.h"

typedef enum dev_arg_kind {
    DEV_ARG_NUMBER,
    DEV_ARG_CB,
    DEV_ARG_ADDRESS,  /* of buffer `value` of the machine */
    DEV_ARG_ACCESSOR, /* the same as TensorAccessorArgs */
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
    dev_arg *args[DEV_ARG_LISTS]; /* runtime: n_args for each core if per_core */
    size_t n_args[DEV_ARG_LISTS];
    bool per_core;
    int noc;           /* data movement */
    bool tensor_pages; /* other page sizes of accessors are but warned of */
    int phases;        /* compute, from here on */
    bool wide, full_sync, approx;
    uint64_t unpack_to_dst; /* a bit for each port */
    /* made by dev_program_compile */
    dev_code code;
    int64_t *values[DEV_ARG_LISTS];
} dev_kernel;

typedef struct dev_cb_spec {
    int port;
    tw_dtype format;
    uint32_t base, page, pages;
    bool fresh;        /* nothing of what lies there counts as written */
    const char *name;  /* or NULL */
    ir_attr cores;     /* an entry of ttl.core_ranges; NULL: on all cores */
    int y, x, columns; /* then: of the cores that its kernel runs on */
} dev_cb_spec;

typedef struct dev_semaphore {
    uint32_t id, value; /* when a run starts */
} dev_semaphore;

/* What a thread's last run took. */
typedef struct dev_figures {
    int y, x;
    const ir_op *function;
    double cycles, stalled[DEV_WAIT_COUNT];
    uint64_t operations;
} dev_figures;

/* The arena holds what the arrays point to; the code's arrays are the heap's. */
typedef struct dev_program {
    tw_arena arena;
    dev_kernel *kernels;
    size_t n_kernels;
    dev_cb_spec *cbs;
    size_t n_cbs;
    dev_semaphore *semaphores;
    size_t n_semaphores;
    uint32_t semaphore_count; /* the highest number plus one; known once compiled */
    size_t *tensors; /* what arguments' numbers of buffers mean; NULL: the machine's own */
    struct dev_tapes *tapes; /* what runs did to bytes (tape.h), or NULL */
    unsigned abandoned;      /* the machine's when they were made */
    double cycles;           /* of the last run, as all from here on */
    dev_figures *threads;
    size_t n_threads, threads_capacity;
    uint64_t noc_bytes, dram_bytes, noc_transfers;
} dev_program;

/* Compiles the kernels' functions; false after a diagnostic. */
bool dev_program_compile(dev_machine *m, dev_program *p, bool *out_unsupported);
/* Runs it; what was wrong stays in the machine's reports. */
tw_status dev_program_run(dev_machine *m, dev_program *p);
/* What the last run took, a line for each thread; with the machine's option `profile` it
 * comes before dev_threads_clear. */
void dev_program_profile(const dev_machine *m, const dev_program *p, tw_strbuf *out);
void dev_program_free(dev_program *p);

/* trace.c: of the last run, before dev_threads_clear; with the machine's option profile.
 * How busy units were, the roofline and maps of NoC and DRAM as text; spans as Perfetto's
 * JSON; both as one page of HTML. */
void dev_trace_text(const dev_machine *m, const dev_program *p, tw_strbuf *out);
/* What lay between signposts X_before and X_after, for each X and kernel. */
void dev_trace_lines(const dev_machine *m, tw_strbuf *out);
void dev_trace_perfetto(const dev_machine *m, tw_strbuf *out);
/* Kernels and signposts as tt-metal's device profiler writes them; `run` numbers the
 * launch. */
void dev_trace_csv(const dev_machine *m, const dev_program *p, unsigned run,
                   tw_strbuf *out);
/* Operations and bytes of a program, and what its cores and DRAM could have done. */
typedef struct dev_roof {
    int cores;
    double math, pack;               /* how busy these units were, 0 to 1 */
    double flops, bytes, peak, dram; /* all; per cycle */
} dev_roof;

dev_roof dev_roof_of(const dev_machine *m, const dev_program *p);
void dev_trace_html(const dev_machine *m, const dev_program *p, tw_str summary,
                    tw_strbuf *out);

/* Whether a rectangle of cores lies on the chip. */
bool dev_cores_exist(const dev_chip *chip, int64_t y, int64_t x, int64_t rows,
                     int64_t columns);

#endif
