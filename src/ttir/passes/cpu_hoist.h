/* cpu_hoist.h: operations become calls of functions of the module for the host. */
#ifndef TILEWRIGHT_TTIR_PASSES_CPU_HOIST_H
#define TILEWRIGHT_TTIR_PASSES_CPU_HOIST_H

#include "ir/op.h"

/* Operations of one block, in order, and the middle of their function's name. */
typedef struct hoist_group {
    ir_op **ops;
    size_t n;
    const char *name;
} hoist_group;

/* The module in the root's ttcore.device_module; NULL without one, or in another module. */
ir_op *hoist_device_module(ir_op *root);
/* NULL if a call cannot replace the operation; else why. */
const char *hoist_obstacle(const ir_op *op);
/* Replaces the group by a call behind its last operation. */
void hoist_to_host(const hoist_group *g, ir_op *root, ir_op *device);

#endif
