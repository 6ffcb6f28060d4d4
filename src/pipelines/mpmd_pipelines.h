/* mpmd_pipelines.h: Shardy's pipelines for programs over several meshes. */
#ifndef TILEWRIGHT_CONVERT_MPMD_PIPELINES_H
#define TILEWRIGHT_CONVERT_MPMD_PIPELINES_H

#include "ir/pass/pass.h"

extern const pass_pipeline_def mpmd_export_pipeline;
extern const pass_pipeline_def mpmd_import_pipeline;
extern const pass_pipeline_def mpmd_infer_mesh_pipeline;
extern const pass_pipeline_def mpmd_optimize_pipeline;
extern const pass_pipeline_def mpmd_sharding_propagation_pipeline;

#endif
