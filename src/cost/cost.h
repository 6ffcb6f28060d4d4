/* cost.h: what an operation of TTNN takes on the modelled chip: cycles of its units, NoC
 * and DRAM, from the tables that the simulated grid counts with
 * (ttcore/system/chip_costs.h, ttkernel/vector_costs.h).
 *
 * One model of an operation's time, for profiles and for whatever chooses layouts. It
 * assumes kernels of the form that this compiler's front ends make: every core has an even
 * share of the result, reads, computation and writes overlap through circular buffers of
 * two blocks, and matrix products send blocks along rows and columns of cores. The figures
 * are checked against such kernels on the grid (docs/device-time.md). */
#ifndef TILEWRIGHT_COST_COST_H
#define TILEWRIGHT_COST_COST_H

#include "ir/op.h"
#include "tilewright/tilewright.h"
#include "ttcore/system/chip_costs.h"

typedef struct op_cost {
    double cycles;                  /* without the launch; 0: no program of the device */
    double compute, noc, dram;      /* cycles, if only this part took time */
    double read_bytes, write_bytes; /* of DRAM */
    double noc_bytes;               /* to and from all cores */
    double buffers;                 /* bytes of a core's L1 for circular buffers */
    int cores;
    tw_bound bound;  /* what decides the time */
    bool bytes_only; /* the operation's arithmetic is not modelled, only its bytes are */
} op_cost;

enum { COST_MAX_CORES = 160 };

typedef struct cost_model {
    const dev_chip *chip;
    double l1_taken;                    /* bytes of each core's L1 that tensors have */
    double rate[2][COST_MAX_CORES + 1]; /* by number of cores; 0: not computed yet */
} cost_model;

/* The model of a chip; NULL in `chip` for an operation's own, by its system descriptor. */
void cost_open(cost_model *m, const dev_chip *chip);
/* The chip of the system that a module was compiled for; NULL for an unknown one. */
const dev_chip *cost_chip_of(ir_op *module);
op_cost cost_of_op(cost_model *m, const ir_op *op);
/* True for a reshape whose tiles keep their contents: it takes no time where the result
 * lies as the operand does. */
bool cost_is_view(const ir_op *op);

#endif
