/* subblock.h: ttkernel-subblock-dst in two parts: finding sections of DST, and building
 * them for several tiles. */
#ifndef TILEWRIGHT_TTKERNEL_PASSES_SUBBLOCK_H
#define TILEWRIGHT_TTKERNEL_PASSES_SUBBLOCK_H

#include "ir/op.h"

enum { SUBBLOCK_LOOPS = 8, SUBBLOCK_TILES = 16 /* of DST */ };

/* A section and the loops over tiles around it. */
typedef struct subblock_nest {
    ir_op *loops[SUBBLOCK_LOOPS]; /* around the section, the innermost first */
    uint32_t n;
    int64_t first[SUBBLOCK_LOOPS], trips[SUBBLOCK_LOOPS], times[SUBBLOCK_LOOPS];
    int64_t registers;     /* of DST, for one tile */
    ir_op *product, *init; /* a matmul_tiles that becomes a matmul_block, and its init */
    int64_t columns, rows, inner;
} subblock_nest;

/* True if the operation computes one tile of DST from others or from buffers. */
bool subblock_is_tile_op(const ir_op *op);
bool subblock_is_pack(const ir_op *op);
/* True if the operation sets a unit up, and gives the same when repeated. */
bool subblock_is_setup(const ir_op *op);
/* True if operand i is the number of a register of DST. */
bool subblock_is_register(const ir_op *op, size_t i);

/* Replaces the nest. */
void subblock_build(const subblock_nest *n);

#endif
