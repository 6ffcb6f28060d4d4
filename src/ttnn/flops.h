/* flops.h: how much arithmetic the matrix unit has to do for an operation. */
#ifndef TILEWRIGHT_TTNN_FLOPS_H
#define TILEWRIGHT_TTNN_FLOPS_H

#include "ir/op.h"

/* Floating-point operations on one chip of a mesh, by shapes without padding; 0 for what
 * the matrix unit does not do. */
uint64_t ttnn_flops(const ir_op *op, const int64_t mesh[2]);

/* Products of 32x32 tiles: of a matrix product, and of attention (Q by K, scores by V). */
uint64_t ttnn_matmul_tiles(const ir_op *op);
uint64_t ttnn_attention_tiles(const ir_op *op);

/* Tile products take 16 cycles a phase, and a fidelity is its number of phases: 1 to 4
 * (TTNN_MathFidelity_LoFi ..). */
uint64_t ttnn_fidelity_cycles(int64_t fidelity);
double ttnn_peak_flops(uint64_t cores, uint64_t clock, int64_t fidelity);

#endif
