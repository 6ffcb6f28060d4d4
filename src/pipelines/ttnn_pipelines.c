/* ttnn_pipelines.c: pipelines from TTIR to TTNN programs.
 *
 * Names, options and order are tt-mlir's.  There is no optimizer yet: options that only
 * it uses are accepted, so that command lines stay valid, and their help says so. */
#include "ir/pass/pass.h"

#define NO_EFFECT "(no effect: there is no optimizer)"

/* clang-format off */
#define COMMON_OPTIONS                                                                              \
    {"optimization-level", PASS_INT, "0", "0, 1 or 2: which layouts are left to the optimizer"},    \
    {"enable-optimizer", PASS_BOOL, "false", "Choose layouts by their cost " NO_EFFECT},            \
    {"check-unique-locs", PASS_BOOL, "false", "Check that named locations are unique"},             \
    {"insert-memreconfig", PASS_STRING, "", "op=0:1,... " NO_EFFECT},                               \
    {"override-output-layout", PASS_STRING, "", "op=4x4:l1:block_sharded:tile:bf16,... " NO_EFFECT},\
    {"override-conv2d-config", PASS_STRING, "", "op=name#value:...,... " NO_EFFECT},                \
    {"override-conv3d-config", PASS_STRING, "", "op=name#value:...,... " NO_EFFECT},                \
    {"memory-layout-analysis-enabled", PASS_BOOL, "false", "Shard over the cores " NO_EFFECT},      \
    {"system-desc-path", PASS_STRING, "", "A .ttsys file"},                                         \
    {"mock-system-desc-arch", PASS_STRING, "wormhole_b0", "System descriptor without a file"},      \
    {"max-legal-layouts", PASS_INT, "64", "Layouts that are tried " NO_EFFECT},                     \
    {"mesh-shape", PASS_LIST, "", "Extents of the device's mesh"},                                  \
    {"mesh-topology", PASS_LIST, "", "Topology of each axis: ring, linear or disabled"},            \
    {"row-major-enabled", PASS_BOOL, "false", "Try rows too " NO_EFFECT},                           \
    {"tensor-l1-usage-cap", PASS_STRING, "0.95", "Share of L1 for tensors " NO_EFFECT},             \
    {"disable-workarounds", PASS_BOOL, "false", "Keep operations unchanged"},                       \
    {"enable-layout-workaround-pass", PASS_BOOL, "true", "Convert operands to supported forms"},    \
    {"enable-decomposition-workaround-pass", PASS_BOOL, "true", "Rewrite unsupported operations"},  \
    {"enable-ttnn-decomposition-pass", PASS_BOOL, "true", "Decompose operations"},                  \
    {"composite-resolution", PASS_STRING, "auto", "auto, inline, validate or force-promote"},       \
    {"enable-implicit-broadcast-folding-pass", PASS_BOOL, "true", "Fold broadcasts into their users"},\
    {"enable-dram-space-saving-optimization-pass", PASS_BOOL, "false", "Minimize DRAM use"},        \
    {"enable-erase-inverse-ops-pass", PASS_BOOL, "true", "Cancel inverse permutes and reshapes"},   \
    {"enable-quant-dequant-conversion-pass", PASS_BOOL, "true", "Compute on quantized tensors"},    \
    {"enable-fusing-pass", PASS_BOOL, "true", "Combine operations"},                                \
    {"enable-create-d2m-subgraphs", PASS_BOOL, "false", "Use D2M kernels (no effect)"},             \
    {"enable-d2m-elementwise-fusion", PASS_BOOL, "false", "Fuse inside such kernels (no effect)"},  \
    {"enable-fusing-conv2d-with-multiply-pattern", PASS_BOOL, "false", "Scale weights of convolutions"}, \
    {"enable-permute-matmul-fusion", PASS_BOOL, "false", "Let matmuls read transposed operands"},   \
    {"enable-permute-slice-after-matmul-fusion", PASS_BOOL, "true", "Slice before the matmul"},     \
    {"argument-types", PASS_STRING, "", "Types of the arguments"},                                  \
    {"enable-remove-dead-values", PASS_BOOL, "false", "Remove unused arguments"},                   \
    {"enable-const-eval", PASS_BOOL, "true", "Evaluate ops that depend on weights only once"},      \
    {"enable-cpu-hoisted-const-eval", PASS_BOOL, "true", "On the host (no effect: the device does)"},\
    {"enable-const-eval-inputs-to-system-memory", PASS_BOOL, "true", "Keep its inputs on the host"},\
    {"enable-trace", PASS_BOOL, "false", "Record the program's commands and replay them"},          \
    {"target-bit-width", PASS_INT, "32", "Bit width of quantized matmuls"},                         \
    {"experimental-weight-dtype", PASS_STRING, "none", "none, bfp_bf8 or bfp_bf4"},                 \
    {"experimental-kv-cache-dtype", PASS_STRING, "none", "none, bfp_bf8 or bfp_bf4"},               \
    {"enable-activation-dtype-lowering", PASS_BOOL, "false", "Send smaller elements between chips"},\
    {"compute-cfg-math-fidelity", PASS_STRING, "hifi4", "lofi, hifi2, hifi3, hifi4 or undefined"},  \
    {"compute-cfg-fp32-dest-acc-en", PASS_STRING, "true", "true, false or unset"},                  \
    {"compute-cfg-math-approx-mode", PASS_STRING, "unset", "true, false or unset"},                 \
    {"compute-cfg-packer-l1-acc", PASS_STRING, "unset", "true, false or unset"},                    \
    {"compute-cfg-dst-full-sync-en", PASS_STRING, "unset", "true, false or unset"},                 \
    {"ttnn-perf-metrics-enabled", PASS_BOOL, "false", "Write what the compiler decided (no effect)"},\
    {"ttnn-perf-metrics-output-file", PASS_STRING, "", "Where"},                                    \
    {"ttnn-perf-metrics-verbose-output-enabled", PASS_BOOL, "true", "In more detail"},              \
    {"max-fallback-attempts", PASS_INT, "10000", "Fallback layouts tried after a failure " NO_EFFECT},\
    {"enable-decision-trace", PASS_BOOL, "false", "Write why layouts were chosen " NO_EFFECT},      \
    {"decision-trace-dir", PASS_STRING, "ttrt-artifacts/decision_trace", "Where"},                  \
    {"use-mock-allocator-state", PASS_BOOL, "true", "For the optimizer " NO_EFFECT},                \
    {"enable-compile-time-stats", PASS_BOOL, "false", "Print pass statistics (see --mlir-timing)"}
/* clang-format on */

/* Passes on the device module. */
#define D(passes) "ttcore.device_module(builtin.module(" passes "))"

#define DEVICE                                                                             \
    "ttcore-register-device{system-desc-path=$system-desc-path "                           \
    "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape "                 \
    "mesh-topology=$mesh-topology}"
#define TTIR                                                                               \
    "ttnn-ttir-passes{argument-types=$argument-types "                                     \
    "enable-fusing-pass=$enable-fusing-pass "                                              \
    "enable-permute-matmul-fusion=$enable-permute-matmul-fusion "                          \
    "enable-implicit-broadcast-folding-pass=$enable-implicit-broadcast-folding-pass "      \
    "enable-erase-inverse-ops-pass=$enable-erase-inverse-ops-pass}"
#define WORKAROUNDS                                                                        \
    "ttnn-workaround{ttnn-enable-layout-workaround-pass=$enable-layout-workaround-pass "   \
    "ttnn-enable-decomposition-workaround-pass=$enable-decomposition-workaround-pass "     \
    "ttnn-optimization-level=$optimization-level}"
#define CONFIG                                                                             \
    "ttnn-set-compute-kernel-config{math-fidelity=$compute-cfg-math-fidelity "             \
    "fp32-dest-acc-en=$compute-cfg-fp32-dest-acc-en "                                      \
    "math-approx-mode=$compute-cfg-math-approx-mode "                                      \
    "packer-l1-acc=$compute-cfg-packer-l1-acc "                                            \
    "dst-full-sync-en=$compute-cfg-dst-full-sync-en}"

#define COMMON_STEPS                                                                       \
    {"ttcore-mark-functions-as-forward", NULL}, {"ttcore-wrap-device-module", NULL},       \
        {D(DEVICE), NULL}, {D(TTIR), NULL},                                                \
        {D("ttir-quant-data-type-conversion{target-bit-width=$target-bit-width}"), NULL},  \
        {D("const-eval-hoist-transform"), "enable-const-eval"},                            \
        {D("ttnn-layout,convert-ttir-to-ttnn"), NULL},                                     \
        {D("remove-dead-values"), "enable-remove-dead-values"},                            \
        {D("ttnn-resolve-composites{composite-resolution=$composite-resolution},"          \
           "canonicalize,symbol-dce"),                                                     \
         NULL},                                                                            \
        {D("ttnn-fusing"), "enable-fusing-pass"},                                          \
        {D("ttnn-decomposition"), "enable-ttnn-decomposition-pass"},                       \
        {D(WORKAROUNDS ",canonicalize,cse"), "!disable-workarounds"},                      \
        {D("ttnn-weight-dtype-conversion{target-dtype=$experimental-weight-dtype}"),       \
         NULL},                                                                            \
        {D("ttnn-kv-cache-dtype-conversion{target-dtype=$experimental-kv-cache-dtype}"),   \
         NULL},                                                                            \
        {D("ttnn-ccl-activation-dtype-lowering"), "enable-activation-dtype-lowering"},     \
        {D(CONFIG), NULL}, {D("const-eval-hoist-transform"), "enable-const-eval"},         \
        {D("ttnn-configure-ccl-ops"), NULL},                                               \
        {D("ttnn-unique-locations"), "check-unique-locs"},                                 \
        {D("ttnn-prepare-conv3d-weights"), NULL},                                          \
        {D("const-eval-hoist-transform"), "enable-const-eval"},                            \
        {D("ttnn-force-const-eval-to-system-memory,canonicalize"),                         \
         "enable-const-eval-inputs-to-system-memory"},                                     \
        {D("ttnn-trace-hoist-transform"), "enable-trace"},                                 \
        {D("ttnn-decompose-layouts,canonicalize,ttcore-optimization-barrier-fold"), NULL}, \
    {                                                                                      \
        D("ttnn-deallocate"), NULL                                                         \
    }

#define RUNTIME_OPTIONS                                                                    \
    {                                                                                      \
        "enable-optimization-passes", PASS_BOOL, "true",                                   \
            "For functions on the host (no effect: there are none)"                        \
    }

const pass_pipeline_def ttir_to_ttnn_common_pipeline = {
    .name = "ttir-to-ttnn-common-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN, for all targets",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS),
};

/* Host functions would be compiled here. */
const pass_pipeline_def ttnn_common_to_runtime_pipeline = {
    .name = "ttnn-common-to-runtime-pipeline",
    .summary = "Pipeline from TTNN common to all targets to the runtime",
    .options = IR_LIST(pass_option_def, RUNTIME_OPTIONS),
    .steps = {NULL, 0},
};

const pass_pipeline_def ttir_to_ttnn_runtime_pipeline = {
    .name = "ttir-to-ttnn-runtime-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN for the runtime",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS, RUNTIME_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS),
};

const pass_pipeline_def ttir_to_ttnn_backend_pipeline = {
    .name = "ttir-to-ttnn-backend-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN for the runtime",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS, RUNTIME_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS),
};

/* Generated inputs and a main make the generated program run by itself. */
#define GENERATED_OPTIONS                                                                  \
    {"tuplify-input-if-empty", PASS_BOOL, "false",                                         \
     "Pass an empty list if there are no inputs"},                                         \
        {"load-input-tensors-from-disk", PASS_BOOL, "false", "Load inputs from files"},    \
        {"tensor-load-directory", PASS_STRING, "", "Directory of the files"},              \
    {                                                                                      \
        "tensor-load-file-prefix", PASS_STRING, "arg", "Their names, before the number"    \
    }
#define LOAD_INPUTS                                                                        \
    "ttnn-load-input-tensors{tensor-load-directory=$tensor-load-directory "                \
    "tensor-load-file-prefix=$tensor-load-file-prefix}"
#define TUPLIFY "ttnn-tuplify-tensors{tuplify-input-if-empty=$tuplify-input-if-empty}"

#define EMITPY_OPTIONS                                                                     \
    GENERATED_OPTIONS,                                                                     \
    {                                                                                      \
        "split-files", PASS_BOOL, "true", "(no effect: everything goes into one file)"     \
    }
#define EMITPY_STEPS                                                                       \
    {D("ttnn-adjust-deallocs,ttnn-force-final-deallocs," TUPLIFY), NULL},                  \
        {D(LOAD_INPUTS), "load-input-tensors-from-disk"},                                  \
        {D("ttnn-create-input-gens"), "!load-input-tensors-from-disk"},                    \
        {D("convert-ttnn-to-emitpy,emitpy-name-vars"), NULL},                              \
        {"ttcore-unwrap-device-module", NULL},                                             \
    {                                                                                      \
        "emitpy-add-imports", NULL                                                         \
    }

const pass_pipeline_def ttnn_common_to_emitpy_pipeline = {
    .name = "ttnn-common-to-emitpy-pipeline",
    .summary = "Pipeline from TTNN common to all targets to Python",
    .options = IR_LIST(pass_option_def, EMITPY_OPTIONS),
    .steps = IR_LIST(pass_step, EMITPY_STEPS),
};

const pass_pipeline_def ttir_to_emitpy_pipeline = {
    .name = "ttir-to-emitpy-pipeline",
    .summary = "Pipeline lowering TTIR to Python",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS, EMITPY_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, EMITPY_STEPS),
};

/* Functions of a library take lists of tensors, and there is no main. */
#define EMITC_OPTIONS                                                                      \
    GENERATED_OPTIONS,                                                                     \
    {                                                                                      \
        "target-dylib", PASS_BOOL, "false", "A library: no inputs and no main"             \
    }
#define EMITC_STEPS                                                                        \
    {"ttcore-unwrap-device-module", NULL},                                                 \
        {"ttnn-adjust-deallocs,ttnn-force-final-deallocs", NULL},                          \
        {"ttnn-tuplify-tensors{tuplify-input-if-empty=true}", "target-dylib"},             \
        {TUPLIFY, "!target-dylib"},                                                        \
        {LOAD_INPUTS, "!target-dylib,load-input-tensors-from-disk"},                       \
        {"ttnn-create-input-gens", "!target-dylib,!load-input-tensors-from-disk"},         \
    {                                                                                      \
        "convert-ttnn-to-emitc", NULL                                                      \
    }

const pass_pipeline_def ttnn_common_to_emitc_pipeline = {
    .name = "ttnn-common-to-emitc-pipeline",
    .summary = "Pipeline from TTNN common to all targets to C++",
    .options = IR_LIST(pass_option_def, EMITC_OPTIONS),
    .steps = IR_LIST(pass_step, EMITC_STEPS),
};

const pass_pipeline_def ttir_to_emitc_pipeline = {
    .name = "ttir-to-emitc-pipeline",
    .summary = "Pipeline lowering TTIR to C++",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS, EMITC_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, EMITC_STEPS),
};

/* ---- the steps for programs that run on the embedded device -------------------------- */

/* The options of ttnn-ttir-passes. */

#define TTIR_OPTIONS                                                                       \
    {"system-desc-path", PASS_STRING, "", "A .ttsys file"},                                \
        {"mock-system-desc-arch", PASS_STRING, "wormhole_b0",                              \
         "System descriptor when there is no file"},                                       \
        {"mesh-shape", PASS_LIST, "", "Extents of the device's mesh"},                     \
        {"argument-types", PASS_STRING, "", "Types of the arguments"},                     \
        {"enable-element-type-normalization", PASS_BOOL, "true",                           \
         "Convert to element types supported by the hardware"},                            \
        {"canonicalize-disable-patterns", PASS_STRING, "",                                 \
         "Patterns of canonicalize to leave out"},                                         \
        {"enable-fusing-pass", PASS_BOOL, "true", "Combine operations"},                   \
        {"enable-permute-matmul-fusion", PASS_BOOL, "true",                                \
         "Let matmuls read transposed operands directly"},                                 \
        {"enable-exact-fusing", PASS_BOOL, "false",                                        \
         "Fuse to exactly equal functions only"},                                          \
        {"enable-implicit-broadcast-folding-pass", PASS_BOOL, "true",                      \
         "Fold broadcasts into their users"},                                              \
    {                                                                                      \
        "enable-erase-inverse-ops-pass", PASS_BOOL, "true",                                \
            "Cancel inverse permutes and reshapes"                                         \
    }
#define CANONICALIZE "canonicalize{disable-patterns=$canonicalize-disable-patterns}"
#define FUSING                                                                             \
    "ttir-fusing{enable-permute-matmul-fusion=$enable-permute-matmul-fusion "              \
    "exact=$enable-exact-fusing written-norms=$enable-exact-fusing}"
/* From TTIR as written by front ends to TTIR that maps to TTNN operation by operation. */

const pass_pipeline_def ttnn_ttir_passes_pipeline = {
    .name = "ttnn-ttir-passes",
    .summary = "TTIR passes before the conversion to TTNN",
    .options = IR_LIST(pass_option_def, TTIR_OPTIONS),
    .steps = IR_LIST(
        pass_step, {"ttcore-mark-functions-as-forward", NULL},
        {"ttir-element-type-normalization", "enable-element-type-normalization"},
        {"ttcore-register-device{system-desc-path=$system-desc-path "
         "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape}",
         NULL},
        {"tt-populate-argument-types{argument-types=$argument-types}", NULL},
        {CANONICALIZE, NULL}, {FUSING, "enable-fusing-pass"},
        {"ttir-to-ttir-decomposition", NULL}, {CANONICALIZE, NULL},
        {"ttir-implicit-broadcast-fold", "enable-implicit-broadcast-folding-pass"},
        {FUSING, "enable-fusing-pass"}, {CANONICALIZE, NULL},
        {"inline{default-pipeline=" CANONICALIZE "}", NULL},
        {"ttir-infer-kv-cache-argument-types,ttir-propagate-weight-dtype", NULL},
        {"ttir-explicate-tms", "enable-erase-inverse-ops-pass"},
        {"ttir-erase-inverse-ops", "enable-erase-inverse-ops-pass"},
        {"ttir-implicit-broadcast-fold", "enable-implicit-broadcast-folding-pass"},
        {FUSING, "enable-fusing-pass"}, {"ttir-fold-full-to-scalar", NULL}, {"cse", NULL}),
};

/* The remaining steps. */

const pass_pipeline_def ttnn_lowering_passes_pipeline = {
    .name = "ttnn-lowering-passes",
    .summary = "Layouts, TTNN's operations, lifetimes",
    .options = IR_LIST(pass_option_def, {"signed-integers", PASS_BOOL, "false",
                                         "Keep the signedness of 8- and 16-bit integers"}),
    .steps = IR_LIST(pass_step, {"ttnn-layout{signed-integers=$signed-integers}", NULL},
                     {"convert-ttir-to-ttnn", NULL}, {"canonicalize", NULL},
                     {"ttnn-prepare-conv3d-weights{channels-in-tiles=false}", NULL},
                     {"ttnn-deallocate{arguments=false}", NULL}),
};
