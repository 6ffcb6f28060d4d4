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
        {"ttir-decompose-outer-reductions", NULL}, /* tt-mlir has no such step */
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
        {"d2m-join-compute", "join-compute"}, {"canonicalize", NULL},
        {"ttir-bufferization-pipeline{ttnn-mode=$ttnn-mode}", NULL},
        {"d2m-insert-scratch-buffers", NULL},
        {"d2m-generic-apply-interchange{matmul-interchange=$matmul-interchange}", NULL},
        {"d2m-generate-outer-loops,d2m-decompose-masking", NULL},
        {"d2m-reblock-generics{test-buffer-size-policy=$test-buffer-size-policy}", NULL},
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

/* ---- from explicit form to kernels --------------------------------------------------- */

#define F(passes) "func.func(" passes ")"
#define CANONICALIZE_IN(anchor)                                                            \
    {anchor("canonicalize"), "!disable-tolayout-folding"},                                 \
    {                                                                                      \
        anchor("canonicalize{disable-patterns=ttir.ToLayoutFoldRedundantPattern,"          \
               "d2m.ToLayoutFoldRedundantPattern}"),                                       \
            "disable-tolayout-folding"                                                     \
    }
#define OPTIMIZE                                                                           \
    "loop-invariant-code-motion,sccp,cse,int-range-optimizations,"                         \
    "loop-invariant-code-motion"

const pass_pipeline_def d2m_be_pipeline = {
    .name = "d2m-be-pipeline",
    .summary = "Lower D2M generics in explicit form to functions of threads",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_BE)),
    .steps =
        IR_LIST(pass_step, {"d2m-decompose-topk,d2m-decompose-arange", NULL},
                {"d2m-generic-tile-compute-loops{max-dst-physical-size-tiles="
                 "$max-dst-physical-size-tiles}",
                 NULL},
                {"d2m-linalg-to-affine{mark-root-loops=true}", NULL},
                {"d2m-op-scheduler{enable-op-scheduler=true}", NULL},
                {"d2m-insert-spill-and-scratch,canonicalize", NULL},
                {"d2m-lower-scratch-allocate,canonicalize", NULL},
                {"d2m-insert-dst-register-access-unscheduled{max-dst-physical-size-tiles="
                 "$max-dst-physical-size-tiles disable-l1-acc=$disable-l1-acc}",
                 NULL},
                {"d2m-insert-dst-register-access-scheduled{max-dst-physical-size-tiles="
                 "$max-dst-physical-size-tiles disable-l1-acc=$disable-l1-acc}",
                 NULL},
                {"d2m-insert-tile-matmul-block{use-tile-matmul=$use-tile-matmul}", NULL},
                {"d2m-sfpu-tile-loop-fission,canonicalize", NULL},
                {F("affine-loop-invariant-code-motion"), NULL},
                {"lower-affine,fold-memref-alias-ops,lower-affine", NULL},
                {"d2m-generic-linearize-memref,lower-affine,d2m-hoist-cb-allocs", NULL},
                {"d2m-split-unified-thread,d2m-preallocate-mcast-semaphores", NULL},
                {"d2m-schedule-dma,canonicalize,d2m-lower-load-store-ops-to-dma", NULL},
                {"d2m-optimize-dma,d2m-expand-dma-read-composite-view", NULL},
                {"d2m-lower-dma-to-fully-indexed-form{debug-d2m-coalescing-inference="
                 "$debug-d2m-coalescing-inference use-tensor-accessor-dma="
                 "$use-tensor-accessor-dma}",
                 NULL},
                {"d2m-normalize-thread-args,d2m-generic-regions-to-funcs", NULL},
                CANONICALIZE_IN(F), {F("lower-affine," OPTIMIZE), NULL}),
};

/* Kernels that conversions of the host's part can still read. */
const pass_pipeline_def d2m_to_ttkernel_pre_emitc_pipeline = {
    .name = "d2m-to-ttkernel-pre-emitc-pipeline",
    .summary = "Lower threads of D2M to TTKernel, short of C++",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_TTKERNEL)),
    .steps = IR_LIST(pass_step,
                     {F("convert-d2m-to-ttkernel{"
                        "force-compile-time-args=$force-compile-time-args}"),
                      NULL},
                     CANONICALIZE_IN(F), {F("ttkernel-control-dst-section"), NULL},
                     CANONICALIZE_IN(F), {F(OPTIMIZE), NULL}),
};

#define TO_TTKERNEL                                                                        \
    "d2m-to-ttkernel-pre-emitc-pipeline{"                                                  \
    "force-compile-time-args=$force-compile-time-args "                                    \
    "disable-tolayout-folding=$disable-tolayout-folding}"
#define TO_CPP "d2m-emitc-pipeline{disable-tolayout-folding=$disable-tolayout-folding}"
#define INITS "func.func(ttkernel-hoist-inits,ttkernel-dedup-inits)"
#define ZONES "func.func(insert-device-zone-scopes{traits=$profiler-traits})"

const pass_pipeline_def d2m_emitc_pipeline = {
    .name = "d2m-emitc-pipeline",
    .summary = "Lower TTKernel ops to EmitC",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_EMITC)),
    .steps = IR_LIST(
        pass_step, {"ttkernel-remember-kernels,convert-ttkernel-to-emitc", NULL},
        CANONICALIZE_IN(F), {F("remove-dead-emitc-expressions,form-expressions"), NULL},
        {"ttkernel-remember-kernels{after=true}", NULL}),
};

const pass_pipeline_def pykernel_compile_pipeline = {
    .name = "pykernel-compile-pipeline",
    .summary = "Optimize kernels that come from Python",
    .options = IR_LIST(
        pass_option_def, {"canonicalizer", PASS_BOOL, "true", "Run the canonicalizer"},
        {"form-expressions", PASS_BOOL, "true", "Form expressions of emitc"}),
    .steps = IR_LIST(pass_step, {"canonicalize", "canonicalizer"},
                     {F("remove-dead-emitc-expressions"), NULL},
                     {F("form-expressions"), "form-expressions"}),
};

const pass_pipeline_def d2m_to_ttkernel_pipeline = {
    .name = "d2m-to-ttkernel-pipeline",
    .summary = "Lower threads of D2M to TTKernel, then to C++",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_TTKERNEL | D2M_PART_ZONES)),
    .steps = IR_LIST(pass_step, {TO_TTKERNEL, NULL}, {INITS, NULL},
                     {ZONES, "insert-profiler-traces"}, {TO_CPP, NULL}),
};

/* ---- the host's part ----------------------------------------------------------------- */

const pass_pipeline_def d2m_to_ttmetal_pipeline = {
    .name = "d2m-to-ttmetal-pipeline",
    .summary = "Lower generics with kernels to programs of TTMetal",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_HOST)),
    .steps = IR_LIST(pass_step,
                     {"convert-d2m-to-ttmetal{math-fidelity=$set-math-fidelity}", NULL}),
};

const pass_pipeline_def d2m_to_ttnn_pipeline = {
    .name = "d2m-to-ttnn-pipeline",
    .summary = "Lower generics with kernels to generics of TTNN",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_HOST)),
    .steps = IR_LIST(
        pass_step,
        {"convert-d2m-to-ttnn{math-fidelity=$set-math-fidelity fp32-dest-acc=true}", NULL}),
};

/* ---- all of it ----------------------------------------------------------------------- */

#define D(passes) "ttcore.device_module(builtin.module(" passes "))"
#define FRONT                                                                              \
    "d2m-fe-pipeline{mesh-shape=$mesh-shape mesh-topology=$mesh-topology "                 \
    "override-device-shape=$override-device-shape system-desc-path=$system-desc-path "     \
    "mock-system-desc-arch=$mock-system-desc-arch "                                        \
    "enable-elementwise-fusion=$enable-elementwise-fusion "                                \
    "enable-eltwise-reduction-fusion=$enable-eltwise-reduction-fusion "                    \
    "join-compute=$join-compute "                                                          \
    "matmul-interchange=$matmul-interchange collapse-tensors-2d=$collapse-tensors-2d "     \
    "default-input-memspace=$default-input-memspace "                                      \
    "default-output-memspace=$default-output-memspace "                                    \
    "disable-tolayout-folding=$disable-tolayout-folding "                                  \
    "num-stream-buffers=$num-stream-buffers "                                              \
    "force-spill-to-dram-if-legal=$force-spill-to-dram-if-legal "                          \
    "allow-l1-output-spilling=$allow-l1-output-spilling "                                  \
    "stream-insert-policy=$stream-insert-policy "                                          \
    "available-l1-addr-range=$available-l1-addr-range "                                    \
    "test-assume-l1-capacity=$test-assume-l1-capacity "                                    \
    "test-buffer-size-policy=$test-buffer-size-policy ttnn-mode=$ttnn-mode "               \
    "global-data-format-target=$global-data-format-target "                                \
    "enable-multicast-inference=$enable-multicast-inference}"
#define BACK                                                                               \
    "d2m-be-pipeline{max-dst-physical-size-tiles=$max-dst-physical-size-tiles "            \
    "use-tile-matmul=$use-tile-matmul "                                                    \
    "disable-tolayout-folding=$disable-tolayout-folding "                                  \
    "debug-d2m-coalescing-inference=$debug-d2m-coalescing-inference "                      \
    "use-tensor-accessor-dma=$use-tensor-accessor-dma disable-l1-acc=$disable-l1-acc}"

const pass_pipeline_def ttir_to_ttmetal_pipeline = {
    .name = "ttir-to-ttmetal-pipeline",
    .summary = "Lower TTIR through D2M to programs of TTMetal (or TTNN) with C++ kernels",
    .options = IR_LIST(pass_option_def, D2M_OPTIONS(D2M_PART_ALL)),
    .steps = IR_LIST(
        pass_step, {"ttcore-mark-functions-as-forward,ttcore-wrap-device-module", NULL},
        {"cpu-hoist-manually-tagged", NULL}, {D(FRONT), NULL}, {D(BACK), NULL},
        {D(TO_TTKERNEL), NULL},
        {D("d2m-to-ttnn-pipeline{set-math-fidelity=$set-math-fidelity}"), "ttnn-mode"},
        {D("d2m-to-ttmetal-pipeline{set-math-fidelity=$set-math-fidelity}"), "!ttnn-mode"},
        {D(INITS), NULL}, {D(ZONES), "insert-profiler-traces"}, {D(TO_CPP), NULL}),
};

/* ---- parts of TTNN programs ---------------------------------------------------------- */

const pass_pipeline_def ttnn_through_d2m_pipeline = {
    .name = "ttnn-through-d2m-pipeline",
    .summary = "Compile the functions of ttnn.d2m_subgraph operations through D2M",
    .options = IR_LIST(pass_option_def, {"enable-elementwise-fusion", PASS_BOOL, "false",
                                         "Fuse element-wise generics"}),
    .steps = IR_LIST(pass_step, {D("convert-ttnn-to-ttir,d2m-fe-pipeline{ttnn-mode=true "
                                   "enable-elementwise-fusion=$enable-elementwise-fusion},"
                                   "d2m-be-pipeline,d2m-to-ttkernel-pipeline,"
                                   "d2m-to-ttnn-pipeline"),
                                 NULL}),
};
