/* tile_ops.h: what passes ask of d2m's tile operations: the unit that computes them, the
 * registers of DST that they use, the buffers that they read and write. */
#ifndef TILEWRIGHT_D2M_TILE_OPS_H
#define TILEWRIGHT_D2M_TILE_OPS_H

#include "d2m/d2m.h"

typedef enum d2m_unit { D2M_FPU, D2M_BINARY, D2M_SFPU } d2m_unit;

typedef struct d2m_tile_op {
    const ir_op_def *def;
    d2m_unit unit;
    unsigned loads; /* a bit for each operand */
    bool in_place, scalar;
} d2m_tile_op;

/* The row of an operation in tile_ops.def, NULL if it is no tile operation.  acquire_dst
 * computes nothing and has none. */
const d2m_tile_op *d2m_tile_op_of(const ir_op *op);

/* True for an operation of compute threads: a tile operation or acquire_dst. */
bool d2m_is_compute(const ir_op *op);
/* True for an operation of data movement threads. */
bool d2m_is_transfer(const ir_op *op);
/* True if the matrix unit computes it, the types of the operands considered. */
bool d2m_runs_on_fpu(const ir_op *op);
/* True if the operand is a scalar beside tiles. */
bool d2m_is_scalar_operand(const ir_op *op, size_t operand);
/* The operands that must be in DST before the operation, as a mask. */
unsigned d2m_dst_loads(const ir_op *op);
/* True if the result takes the register of an operand. */
bool d2m_dst_in_place(const ir_op *op);
/* Registers that the operation needs beside operands and results. */
int64_t d2m_dst_scratch(const ir_op *op);
/* Registers from one loaded operand to the next. */
int64_t d2m_dst_stride(const ir_op *op);
/* True if no other operation may be fused with it. */
bool d2m_skips_fusion(const ir_op *op);

/* What an operation does with the buffer that is its operand, for synchronization. */
typedef enum d2m_sync { D2M_SYNC_NONE, D2M_SYNC_PRODUCES, D2M_SYNC_CONSUMES } d2m_sync;
d2m_sync d2m_sync_role(const ir_op *op, size_t operand);
/* True if the operation has operands with such roles (linalg.generic among them). */
bool d2m_is_synchronizable(const ir_op *op);

/* Tiles of the element type that DST holds while math unit and packer each use one half of
 * it; `physical` replaces the chip's count of 16-bit tiles unless it is 0. */
int64_t d2m_dst_capacity(ir_op *op, ir_type element, int64_t physical);

#endif
