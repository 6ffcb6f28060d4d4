/* models.h: what operations of d2m and casts from TTNN do with buffers. */
#ifndef TILEWRIGHT_D2M_BUFFERIZE_MODELS_H
#define TILEWRIGHT_D2M_BUFFERIZE_MODELS_H

#include "mlir/bufferization/one_shot/one_shot.h"

extern const buf_model_table d2m_buffer_models, d2m_region_buffer_models;

#endif
