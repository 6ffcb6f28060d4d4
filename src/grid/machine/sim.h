/* grid/machine/sim.h: implementation types of tilewright/sim.h. */
#ifndef TILEWRIGHT_GRID_MACHINE_SIM_H
#define TILEWRIGHT_GRID_MACHINE_SIM_H

#include "grid/machine/debugger.h"
#include "grid/machine/found_helps.h"
#include "grid/native/native.h"
#include "ir/diagnostic_print.h"
#include "tilewright/sim.h"

struct tw_sim {
    ir_context *ctx;
    ir_op *module, *entry;
    const dev_chip *chip;
    dev_options options;
    tw_observer observer; /* notify: NULL if there is none */
    dev_natives natives;  /* kernels in C++ */
    tw_arena arena;
    tw_tensor_desc *inputs, *outputs;
    size_t n_inputs, n_outputs;
    ir_diagnostic_log log;
    tw_strbuf profile, json, html;
    char *text, *name;    /* text quoted by the log */
    dev_delays *searched; /* of this run, by a search; or NULL */
    dev_speed *speed;     /* likewise */
    dev_replay replay;    /* of every run, by tw_sim_set_delays */
    size_t delays_met;    /* by the last run */
    tw_strbuf delays;     /* found by the last search */
    dev_found_helps helps;
    dev_debugger debugger;
};

/* host.c: runs the host function once on a machine; what fails is in the log, too. */
tw_status dev_host_run(tw_sim *sim, dev_machine *m, const void *const *inputs,
                       void *const *outputs);

#endif
