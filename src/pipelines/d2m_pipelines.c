/* d2m_pipelines.c: pipelines from TTIR through D2M to programs for the device.
 *
 * Names, options and order are tt-mlir's. */
#include "pipelines/d2m_options.h"

/* Tensors of TTIR become generics on buffers with loops, addresses and explicit indices. */
const pass_pipeline_def d2m_fe_pipeline = {
    .name = "d2m-fe-pipeline",
    .summary = "Lower TTIR to D2M generics on buffers, in explicit form",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_FE)),
    .steps = IR_LIST(
        pass_step, {"ttir-multi-device-tensor-annotation", NULL},
        {"ttcore-register-device{system-desc-path=$system-desc-path "
         "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape "
         "mesh-topology=$mesh-topology}",
         NULL},
        {"ttir-predicate-type-alignment,ttir-element-type-normalization", NULL},
        {"ttir-decompose-composites,ttir-to-ttir-decomposition", NULL},
        {"ttir-explicate-tms,ttir-erase-inverse-ops,ttir-move-reshape-to-constant", NULL},
        {"ttir-fold-constant-reshape-broadcast,ttir-reduction-force-keep-dim", NULL},
        {"ttir-decompose-complex-reshape,ttir-implicit-broadcast-fold", NULL},
        D2M_CANONICALIZE,
        {"ttir-global-data-format-conversion{target-format=$global-data-format-target}",
         "global-data-format-target"},
        {"ttir-decompose-complex-permute", NULL},
        {"ttir-to-d2m{default-input-memspace=$default-input-memspace "
         "default-output-memspace=$default-output-memspace ttnn-mode=$ttnn-mode "
         "collapse-tensors-2d=$collapse-tensors-2d "
         "enable-multicast-inference=$enable-multicast-inference}",
         NULL},
        {"d2m-scalarize-const-tensors,d2m-materialize-view-returns", NULL},
        {"d2m-grid-selection{override-device-shape=$override-device-shape "
         "ttnn-mode=$ttnn-mode}",
         NULL},
        {"d2m-build-topk-chain", NULL}, D2M_CANONICALIZE,
        {"d2m-optimize-masks,d2m-lower-to-layout,d2m-materialize-view-returns", NULL},
        {"d2m-generic-fusion{enable-eltwise-reduction-fusion="
         "$enable-eltwise-reduction-fusion}",
         "enable-elementwise-fusion"},
        {"d2m-generic-fusion{enable-eltwise-reduction-fusion=true}",
         "!enable-elementwise-fusion,enable-eltwise-reduction-fusion"},
        {"canonicalize", NULL}, {"ttir-bufferization-pipeline{ttnn-mode=$ttnn-mode}", NULL},
        {"d2m-insert-scratch-buffers", NULL},
        {"d2m-generic-apply-interchange{matmul-interchange=$matmul-interchange}", NULL},
        {"d2m-generate-outer-loops,d2m-decompose-masking", NULL},
        {"d2m-reblock-generics{num-stream-buffers=$num-stream-buffers "
         "test-buffer-size-policy=$test-buffer-size-policy}",
         NULL},
        {"d2m-materialize-view-returns", NULL},
        {"d2m-mark-synchronized-buffers{num-stream-buffers=$num-stream-buffers}", NULL},
        {"d2m-allocate{num-stream-buffers=$num-stream-buffers "
         "allow-l1-output-spilling=$allow-l1-output-spilling "
         "stream-insert-policy=$stream-insert-policy "
         "available-l1-addr-range=$available-l1-addr-range "
         "force-spill-to-dram-if-legal=$force-spill-to-dram-if-legal "
         "test-assume-l1-capacity=$test-assume-l1-capacity}",
         NULL},
        {"d2m-lower-multicast-loads,d2m-generic-lower-to-explicit-form", NULL},
        D2M_CANONICALIZE),
};

const pass_pipeline_def ttir_bufferization_pipeline = {
    .name = "ttir-bufferization-pipeline",
    .summary = "Bufferize D2M programs",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_BUFFERS)),
    .steps = IR_LIST(pass_step,
                     {"one-shot-bufferize{allow-unknown-ops=true "
                      "function-boundary-type-conversion=identity-layout-map "
                      "unknown-type-conversion=identity-layout-map}",
                      "ttnn-mode"},
                     {"ttcore-one-shot-bufferize", "!ttnn-mode"}),
};
