/* grid/machine/chip_costs.h: tables of the chips' components and costs. */
#ifndef TILEWRIGHT_GRID_MACHINE_CHIP_COSTS_H
#define TILEWRIGHT_GRID_MACHINE_CHIP_COSTS_H

#include "support/base.h"

/* In cycles unless stated; a tile is 32x32. Sources are beside the rows in chip_costs.c. */
typedef struct dev_cost {
    double matmul_phase;    /* tile multiply-accumulate, per fidelity phase */
    double matmul_extra;    /* additional cost per tile in real kernels */
    double eltwise_fpu;     /* add, sub, and mul per phase */
    double move_tile;       /* copy from a source register to DST through the matrix unit */
    double reduce_phase;    /* per fidelity phase */
    double sfpu_op;         /* one vector instruction over a tile */
    double unpack_start;    /* per tile */
    double unpack_bytes;    /* bytes per cycle of one unpacker; two run in parallel */
    double pack_bytes;      /* bytes per cycle */
    double issue_compute;   /* a call of the compute API on its core */
    double issue_noc;       /* a call of the data movement API on its core */
    double issue_scalar;    /* one operation of the address arithmetic */
    double noc_latency;     /* a write, before the first hop */
    double noc_hop;         /* per hop */
    double noc_bytes;       /* bytes per cycle of one transfer */
    double read_latency[4]; /* same tile, same column, same row, other */
    double dram_bytes;      /* bytes per cycle of one bank */
    double dram_latency;    /* added to the NoC's */
    double atomic;          /* at the destination bank */
    double launch_us;       /* between two programs, beside their own cycles */
} dev_cost;

typedef struct dev_chip {
    const char *name;               /* "n150" */
    const char *arch;               /* "wormhole_b0" */
    int grid_y, grid_x;             /* workers a program may use */
    int translated_y, translated_x; /* NoC coordinates of worker (0,0) */
    size_t l1_bytes, l1_base;       /* the base is above what the system reserves */
    int dram_banks;
    uint64_t dram_base, dram_bytes; /* of a bank; memory below the base is reserved */
    int l1_align, dram_align;
    int circular_buffers;
    int dst_tiles; /* of 16-bit elements, with full sync */
    uint32_t noc_packet;
    double clock_ghz;
    dev_cost cost;
} dev_chip;

const dev_chip *dev_chip_find(tw_str name); /* NULL for an unknown name */
const dev_chip *dev_chip_at(size_t i);      /* NULL past the end */

/* Returns the number of tiles in DST: its physical size, halved unless full sync is on,
 * halved again for 32-bit elements (TTCoreOpsTypes.cpp). */
static inline int dev_dst_capacity(const dev_chip *chip, bool wide, bool full_sync)
{
    return chip->dst_tiles / (wide ? 2 : 1) / (full_sync ? 1 : 2);
}

#endif
