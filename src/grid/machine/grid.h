/* grid/machine/grid.h: implementation types of tilewright/grid.h. */
#ifndef TILEWRIGHT_GRID_MACHINE_GRID_H
#define TILEWRIGHT_GRID_MACHINE_GRID_H

#include "grid/machine/debugger.h"
#include "grid/machine/found_helps.h"
#include "grid/machine/launch.h"
#include "grid/native/native.h"
#include "ir/diagnostic_print.h"
#include "support/fork.h"
#include "tilewright/grid.h"

#include <pthread.h>

struct tw_grid {
    size_t references; /* of the host, tensors and kernels */
    ir_context *ctx;
    dev_machine *m;
    dev_natives natives;   /* kernels in C++ of all sets */
    ir_diagnostic_log log; /* quotes the source of the kernels that last reported */
    unsigned runs;         /* launches so far */
    pthread_mutex_t mutex; /* serializes the host's threads on the grid */
    pthread_t owner;       /* under the mutex: its owner, and the depth of its entries */
    unsigned depth;
    tw_fork_watch fork;
};

struct tw_grid_tensor {
    size_t references;
    tw_grid *grid;
    size_t index;    /* in the machine's buffers */
    dev_array array; /* the host's array, without data */
};

typedef struct grid_kernel {
    ir_op *function;
    const char *name;
    bool compute;
} grid_kernel;

struct tw_kernels {
    size_t references;
    tw_grid *grid;
    tw_arena arena;
    tw_str text;
    const char *name;
    ir_context *ctx; /* of the module: the grid's, or their own */
    ir_op *module;
    bool broken;
    grid_kernel *at;
    size_t count, capacity;
};

struct tw_launch {
    tw_kernels *kernels;
    dev_program program;
    tw_grid_tensor **tensors;
    size_t n_tensors;
    int *cb_tensor;  /* a circular buffer's tensor, or -1 */
    uint64_t cb_end; /* end of the L1 that circular buffers occupy */
    tw_arena arena;  /* of the report records */
    tw_grid_report *reports;
    size_t n_reports;
    bool ran;
    tw_strbuf profile, json, html, csv;
    dev_replay replay; /* of every run, by tw_launch_set_delays */
    tw_strbuf delays;  /* found by the last search */
    dev_found_helps helps;
    dev_debugger debugger;
};

/* Prologue of a public function: locks the grid for this thread and keeps it alive until
 * the function returns. */
#define GRID_ENTER(grid)                                                                   \
    __attribute__((cleanup(grid_leave), unused)) tw_grid *const entered = grid_enter(grid)
tw_grid *grid_enter(tw_grid *grid);
void grid_leave(tw_grid *const *grid);
void grid_release(tw_grid *grid);
void grid_tensor_release(tw_grid_tensor *tensor);
void grid_kernels_release(tw_kernels *kernels);
/* Empties the log; later diagnostics quote the kernels' text, and the machine reports in
 * their context. */
void grid_log_begin(tw_grid *grid, const tw_kernels *kernels);

#endif
