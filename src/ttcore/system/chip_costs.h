/* ttcore/system/chip_costs.h: tables of the chips' components and costs. */
#ifndef TILEWRIGHT_TTCORE_SYSTEM_CHIP_COSTS_H
#define TILEWRIGHT_TTCORE_SYSTEM_CHIP_COSTS_H

#include "support/base.h"

/* In cycles unless stated; a tile is 32x32. Sources are beside the rows in chip_costs.c. */
typedef struct dev_cost {
    double matmul_phase; /* tile multiply-accumulate, per fidelity phase */
    double matmul_extra; /* additional cost per tile in real kernels */
    double eltwise_fpu;  /* add, sub, and mul per phase */
    double move_tile;    /* copy from a source register to DST through the matrix unit */
    double reduce_pool;  /* a face's pool, per fidelity phase */
    double reduce_transpose;   /* of pooled columns, through SrcB */
    double sfpu_op;            /* one vector instruction over a tile */
    double sfpu_tile;          /* per call: steps between a tile's faces */
    double unpack_start;       /* per tile */
    double unpack_bytes;       /* bytes per cycle of each unpacker where both run */
    double unpack_alone;       /* bytes per cycle where one runs */
    double pack_bytes;         /* bytes per cycle */
    double pack_accumulate;    /* factor where the packer adds to L1 */
    double pack_reconfigure;   /* of accumulation or relu */
    double untilize_rows;      /* the packer writes rows: rows of a tile per packer, */
    double untilize_row_bytes; /* bytes of a tile that it writes in a cycle per row, */
    double untilize_block;     /* and steps per row of tiles */
    double dst_acquire, dst_commit, dst_wait, dst_release; /* of math units and packer */
    double cb_poll, cb_update;                             /* wait, reserve; pop, push */
    double issue_compute;   /* a call that unpacks, on the unpackers' core */
    double issue_noc;       /* a call of the data movement API on its core */
    double issue_scalar;    /* one operation of the address arithmetic */
    double noc_latency;     /* a write, before the first hop */
    double noc_hop;         /* per hop */
    double noc_bytes;       /* bytes per cycle of one transfer */
    double link_bytes;      /* bytes per cycle of a link between routers */
    double read_latency[4]; /* same tile, same column, same row, other */
    double dram_bytes;      /* bytes per cycle of one bank */
    double dram_latency;    /* added to the NoC's */
    double atomic;          /* at the destination bank */
    double init_unpack, init_math, init_pack; /* factors of the inits' cycles */
    double launch_us; /* between two programs, beside their own cycles */
} dev_cost;

typedef enum dev_generation { DEV_WORMHOLE, DEV_BLACKHOLE, DEV_GENERATIONS } dev_generation;

enum { DEV_MAX_NOC = 17, DEV_MAX_BANKS = 12 };

/* The routers of one NoC, a torus; NoC 1 has the same positions. */
typedef struct dev_noc_map {
    uint8_t rows, columns;
    uint8_t row[DEV_MAX_NOC], column[DEV_MAX_NOC]; /* of the workers' rows and columns */
    uint8_t bank_row[DEV_MAX_BANKS], bank_column[DEV_MAX_BANKS]; /* of each DRAM bank */
} dev_noc_map;

typedef struct dev_chip {
    const char *name;               /* "n150" */
    const char *arch;               /* "wormhole_b0" */
    dev_generation generation;      /* the same as an index */
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
    dev_noc_map noc;
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

/* ---- cycles of one tile, for the simulated units and for predictions (cost/) */

static inline double dev_unpack_cycles(const dev_cost *c, double bytes, bool alone)
{
    return c->unpack_start + bytes / (alone ? c->unpack_alone : c->unpack_bytes);
}

static inline double dev_pack_cycles(const dev_cost *c, double bytes, bool accumulate)
{
    return bytes / c->pack_bytes * (accumulate ? c->pack_accumulate : 1);
}

/* A multiply-accumulate of two tiles. */
static inline double dev_matmul_cycles(const dev_cost *c, int phases)
{
    return c->matmul_phase * phases + c->matmul_extra;
}

/* A sum, difference or element-wise product in the matrix unit. */
static inline double dev_eltwise_cycles(const dev_cost *c, bool product, int phases)
{
    return c->eltwise_fpu * (product ? phases : 1);
}

typedef enum dev_reduced {
    DEV_REDUCED_ROWS,
    DEV_REDUCED_COLUMNS,
    DEV_REDUCED_TILE
} dev_reduced;

/* Pools of 16 x 16 elements, a phase after the other into the same rows of DST; along rows
 * the results are transposed, of both at once a pool of pools follows (_llk_math_reduce_).
 */
static inline double dev_reduce_cycles(const dev_cost *c, dev_reduced how, int phases)
{
    const double pool = c->reduce_pool * phases;
    return how == DEV_REDUCED_ROWS   ? 4 * pool + 2 * c->reduce_transpose
           : how == DEV_REDUCED_TILE ? 5 * pool + c->reduce_transpose
                                     : 4 * pool;
}

/* A sequence of this many vector instructions per row of 32 values. */
static inline double dev_vector_cycles(const dev_cost *c, double instructions)
{
    return instructions * c->sfpu_op + c->sfpu_tile;
}

#endif
