/* grid/machine/grid.h: what stands behind tilewright/grid.h. */
#ifndef TILEWRIGHT_GRID_MACHINE_GRID_H
#define TILEWRIGHT_GRID_MACHINE_GRID_H

#include "grid/machine/launch.h"
#include "grid/native/native.h"
#include "ir/diagnostic_print.h"
#include "support/fork.h"
#include "tilewright/grid.h"

#include <pthread.h>

struct tw_grid {
    size_t references; /* the host's, tensors', kernels' */
    ir_context *ctx;
    dev_machine *m;
    dev_natives natives;   /* kernels in C++ of all sets */
    ir_diagnostic_log log; /* quotes the kernels that spoke last */
    unsigned runs;         /* launches so far */
    pthread_mutex_t mutex; /* of the threads of the host, one works on the grid at a time */
    pthread_t owner;       /* under the mutex: who has it, and how many times */
    unsigned depth;
    tw_fork_watch fork;
};

struct tw_grid_tensor {
    size_t references;
    tw_grid *grid;
    size_t index;    /* of the machine's buffers */
    dev_array array; /* the host's side, without data */
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
    ir_op *module;
    bool broken;
    grid_kernel *at;
    size_t count, capacity;
};

/* What a function of the interface begins with: the grid is this thread's, and lives, until
 * the function returns. */
#define GRID_ENTER(grid)                                                                   \
    __attribute__((cleanup(grid_leave), unused)) tw_grid *const entered = grid_enter(grid)
tw_grid *grid_enter(tw_grid *grid);
void grid_leave(tw_grid *const *grid);
void grid_release(tw_grid *grid);
void grid_tensor_release(tw_grid_tensor *tensor);
void grid_kernels_release(tw_kernels *kernels);
/* Empties the log; what comes quotes the kernels' text. */
void grid_log_begin(tw_grid *grid, const tw_kernels *kernels);

#endif
