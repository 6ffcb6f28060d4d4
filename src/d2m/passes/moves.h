/* moves.h: transfers of contiguous elements between addresses. */
#ifndef TILEWRIGHT_D2M_PASSES_MOVES_H
#define TILEWRIGHT_D2M_PASSES_MOVES_H

#include "d2m/d2m_verify.h"

/* What one transfer moves; `like` (NULL for reads) gives cores and devices of a write. */
typedef struct d2m_move {
    ir_value *src, *dst, *from[D2M_MAX_RANK], *to[D2M_MAX_RANK];
    size_t n_from, n_to;
    int64_t elements;
    const ir_op *like;
} d2m_move;

/* Builds d2m.dma_read or d2m.dma_write. */
ir_value *d2m_build_move(ir_builder *b, const ir_op_def *def, ir_type result,
                         const d2m_move *m);

#endif
