/* sim.h: run kernels on the simulated device.
 *
 * A program is MLIR text: a host function of `ttmetal` operations (buffers, writes,
 * enqueue_program, reads) beside the TTKernel functions that it launches. Errors of kernels
 * are reported at their source lines. */
#ifndef TILEWRIGHT_SIM_H
#define TILEWRIGHT_SIM_H

#include "tilewright/grid.h"
#include "tilewright/tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_sim tw_sim;

typedef struct tw_sim_options {
    const char *name;  /* name of the text in diagnostics; NULL = "<program>" */
    const char *entry; /* the host function; NULL = the only one that enqueues programs */
    const char *chip;  /* "n150", "n300", "p150"; NULL = n150 */
    uint64_t seed;     /* shuffles the order in which threads run; 0 = in order */
    uint64_t budget;   /* operations a thread may execute; 0 = 2^32 */
    tw_numerics numerics;
    bool cpp;      /* a binary's kernels are their C++, even where it has their IR */
    bool profile;  /* records a timeline for the traces below */
    int threads;   /* host threads, as in tw_grid_options */
    bool no_races; /* skips the detection of data races */
    const tw_observer *observer; /* copied; NULL: none. Notified of the host function's
                                  * operations, without their tensors. */
    tw_diagnostics *diagnostics; /* gets copies of reports and kernel output; NULL: none */
    struct ir_watch *watch;      /* observes the passes of a text (src/ir/watch.h), while it
                                  * is loaded; NULL: none */
} tw_sim_options;

/* Reads a program: text, or a .ttm binary, whose functions are its programs and whose
 * kernels are in C++. The message of a failure holds every diagnostic. */
tw_status tw_sim_load(const char *text, size_t size, const tw_sim_options *options,
                      tw_sim **out_sim);
void tw_sim_destroy(tw_sim *sim);

/* Replaces the program's function of the same name and kind by a kernel in C++. It is
 * compiled when it is launched; see tw_kernels_add_cpp. */
tw_status tw_sim_add_cpp(tw_sim *sim, const tw_cpp_kernel *kernel);

/* The inputs and outputs of the program's host function; NULL past the end. */
size_t tw_sim_input_count(const tw_sim *sim);
size_t tw_sim_output_count(const tw_sim *sim);
const tw_tensor_desc *tw_sim_input(const tw_sim *sim, size_t i);
const tw_tensor_desc *tw_sim_output(const tw_sim *sim, size_t i);

/* Runs the host function. TW_INVALID if kernels have errors (see tw_sim_log); outputs then
 * hold the device's contents, or nothing if the run stopped before they were read. */
tw_status tw_sim_run(tw_sim *sim, const void *const *inputs, void *const *outputs);
/* Once *cancel is non-zero, runs and searches end soon; NULL: never. Not to be called
 * during a run. */
void tw_sim_set_cancel(tw_sim *sim, const volatile int *cancel);
/* Reports and kernel output of the last run, one diagnostic per line; "" if none. */
const char *tw_sim_log(const tw_sim *sim);
/* Cycles of the last run, one line per kernel thread. */
const char *tw_sim_profile(const tw_sim *sim);

/* Timeline of the last program: Perfetto's JSON; a self-contained HTML page. */
const char *tw_sim_trace_json(const tw_sim *sim);
const char *tw_sim_trace_html(const tw_sim *sim);

/* Name of the i-th TTKernel operation, and whether it can be executed; NULL past the
 * end. */
const char *tw_sim_operation(size_t i, bool *out_executed);

#ifdef __cplusplus
}
#endif
#endif
