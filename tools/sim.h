/* sim.h: `tilewright sim FILE`. */
#ifndef TILEWRIGHT_TOOLS_SIM_H
#define TILEWRIGHT_TOOLS_SIM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_options {
    const char *inputs, *outputs, *entry, *chip, *numerics, *trace;
    bool profile;
    int64_t seed, budget;
} sim_options;

/* The exit status: 0, 1 when something is wrong, 77 for what is not supported. */
int sim_file(const char *path, const sim_options *options);

/* Prints docs/sim-operations.md. */
int sim_list_operations(void);

#endif
