/* ttnn_pipelines.h: the way from TTIR to programs of TTNN, as pipelines. */
#ifndef TILEWRIGHT_CONVERT_TTNN_PIPELINES_H
#define TILEWRIGHT_CONVERT_TTNN_PIPELINES_H

#include "ir/pass/pass.h"

extern const pass_pipeline_def ttir_to_ttnn_common_pipeline,
    ttnn_common_to_runtime_pipeline, ttir_to_ttnn_runtime_pipeline,
    ttir_to_ttnn_backend_pipeline, ttnn_common_to_emitpy_pipeline, ttir_to_emitpy_pipeline,
    ttnn_common_to_emitc_pipeline, ttir_to_emitc_pipeline;

#endif
