/* sim.h: run kernels on the simulated device.
 *
 * A program is MLIR text: a host function of `ttmetal` operations (buffers, writes,
 * enqueue_program, reads) beside the TTKernel functions that it launches.  What kernels do
 * wrong is reported at their source lines. */
#ifndef TILEWRIGHT_SIM_H
#define TILEWRIGHT_SIM_H

#include "tilewright/grid.h"
#include "tilewright/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_sim tw_sim;

typedef struct tw_sim_options {
    const char *name;  /* what diagnostics call the text; NULL = "<program>" */
    const char *entry; /* the host function; NULL = the only one that enqueues programs */
    const char *chip;  /* "n150", "n300", "p150"; NULL = n150 */
    uint64_t seed;     /* shuffles the order in which threads run; 0 = their order */
    uint64_t budget;   /* operations of one thread; 0 = 2^32 */
    tw_numerics numerics;
    bool profile;  /* keeps what happened when, for the traces below */
    int threads;   /* of the host, as tw_grid_options has them */
    bool no_races; /* does not look for accesses that nothing orders */
} tw_sim_options;

/* Reads a program.  A failure's message holds every diagnostic. */
tw_status tw_sim_load(const char *text, size_t size, const tw_sim_options *options,
                      tw_sim **out_sim);
void tw_sim_destroy(tw_sim *sim);

/* A kernel in C++ in the place of the program's function of that name, and of its kind.  It
 * is compiled when it is launched; see tw_kernels_add_cpp. */
tw_status tw_sim_add_cpp(tw_sim *sim, const tw_cpp_kernel *kernel);

/* What the program's host function takes and gives; NULL behind the last. */
size_t tw_sim_input_count(const tw_sim *sim);
size_t tw_sim_output_count(const tw_sim *sim);
const tw_tensor_desc *tw_sim_input(const tw_sim *sim, size_t i);
const tw_tensor_desc *tw_sim_output(const tw_sim *sim, size_t i);

/* Runs the host function.  TW_INVALID when kernels were found wrong: tw_sim_log says how;
 * outputs are then what the device left, and nothing where it stopped. */
tw_status tw_sim_run(tw_sim *sim, const void *const *inputs, void *const *outputs);
/* What the last run reported and printed, one diagnostic a line; "" for nothing. */
const char *tw_sim_log(const tw_sim *sim);
/* Cycles of the last run, a line a kernel thread. */
const char *tw_sim_profile(const tw_sim *sim);

/* Of the last program: Perfetto's JSON; a page of HTML that needs nothing else. */
const char *tw_sim_trace_json(const tw_sim *sim);
const char *tw_sim_trace_html(const tw_sim *sim);

/* Name of the i-th TTKernel operation, and whether kernels may hold it; NULL behind the
 * last. */
const char *tw_sim_operation(size_t i, bool *out_executed);

#ifdef __cplusplus
}
#endif
#endif
