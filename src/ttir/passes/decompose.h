/* decompose.h: the parts of ttir-to-ttir-decomposition. */
#ifndef TILEWRIGHT_TTIR_PASSES_DECOMPOSE_H
#define TILEWRIGHT_TTIR_PASSES_DECOMPOSE_H

#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

rw_pattern_fn ttir_decompose_batch_norm, ttir_decompose_conv, ttir_decompose_to_rank_four;
rw_pattern_fn ttir_decompose_quantize, ttir_decompose_requantize;
rw_pattern_fn ttir_decompose_split_heads;

#endif
