/* share.h: the time of even shares of work, one for each core. */
#ifndef TILEWRIGHT_COST_SHARE_H
#define TILEWRIGHT_COST_SHARE_H

#include "cost/cost.h"

/* What the core with the largest share does in each of its steps. */
typedef struct cost_share {
    int cores;
    double steps;
    double reads, read_tile;   /* tiles a step from DRAM, and bytes of one */
    double writes, write_tile; /* tiles a step to DRAM */
    double compute;            /* cycles a step */
    double common[3];   /* tiles of tensors that every core reads at the beginning, */
    double common_tile; /* one after the other, and bytes of one */
    double l1;          /* bytes a step that come from other cores' L1 */
} cost_share;

op_cost cost_of_share(cost_model *m, const cost_share *s);

/* Bytes a cycle between this many cores and all banks, by the busiest link of the routes;
 * reads use NoC 0, writes NoC 1. The more tiles a core has on the way at once, the more of
 * them queue behind each other. */
double cost_spread_rate(cost_model *m, int cores, bool read, double tiles);
/* Cycles from a read's call to its first byte. */
double cost_read_latency(const cost_model *m);
/* Decides the bound of an operation whose parts are known. */
void cost_decide(op_cost *c);

#endif
