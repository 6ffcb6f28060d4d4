/* ttnn_pipelines.c: pipelines from TTIR to TTNN programs.
 *
 * Names, options and order are tt-mlir's.  Options of tt-mlir's optimizer
 * that ours does not have are accepted with a warning, so that command lines carry over. */
#include "ir/pass/pass.h"

#define FIVE_LAYOUTS                                                                       \
    "the optimizer tries DRAM, interleaved L1 and three kinds of shards for each result"
#define NO_HOST_CODE "nothing is compiled for the host"

/* clang-format off */
/* The options of `ttnn-ttir-passes` and `ttnn-lowering-passes`, which programs that run here
 * go through, too (docs/pipelines.md): pipelines for the hardware have them all, with
 * tt-mlir's default where it has the option. */
#define TTIR_OPTIONS(permute_matmul, quantized)                                                     \
    {"system-desc-path", PASS_STRING, "", "A .ttsys file"},                                         \
    {"mock-system-desc-arch", PASS_STRING, "wormhole_b0", "System descriptor without a file"},      \
    {"mesh-shape", PASS_LIST, "", "Extents of the device's mesh"},                                  \
    {"argument-types", PASS_STRING, "", "What each argument is"},                                   \
    {"enable-element-type-normalization", PASS_BOOL, "true",                                        \
     "Convert to element types supported by the hardware"},                                         \
    {"canonicalize-disable-patterns", PASS_STRING, "", "Patterns of canonicalize to leave out"},    \
    {"enable-fusing-pass", PASS_BOOL, "true", "Combine operations"},                                \
    {"enable-permute-matmul-fusion", PASS_BOOL, permute_matmul,                                     \
     "Let matrix multiplications read transposed operands as they are"},                            \
    {"enable-permute-slice-after-matmul-fusion", PASS_BOOL, "true",                                 \
     "Slice and permute operands of matrix multiplications before them"},                           \
    {"enable-fusing-conv2d-with-multiply-pattern", PASS_BOOL, "false",                              \
     "Scale weights of convolutions"},                                                              \
    {"enable-exact-fusing", PASS_BOOL, "false", "Take no function for a similar one"},              \
    {"enable-implicit-broadcast-folding-pass", PASS_BOOL, "true",                                   \
     "Fold broadcasts into their users"},                                                           \
    {"enable-erase-inverse-ops-pass", PASS_BOOL, "true",                                            \
     "Move permutes and reshapes to their inverses"},                                               \
    {"enable-quant-dequant-conversion-pass", PASS_BOOL, quantized, "Compute on quantized tensors"}
#define LOWERING_OPTIONS(workarounds_off)                                                           \
    {"signed-integers", PASS_BOOL, "false", "Keep the signedness of 8- and 16-bit integers"},       \
    {"disable-workarounds", PASS_BOOL, workarounds_off, "Leave operations as they are"},            \
    {"enable-optimizer", PASS_BOOL, "false", "Keep tensors in L1 where the model of time is faster"}, \
    {"tensor-l1-usage-cap", PASS_STRING, "0.95", "Share of L1 for tensors and buffers"},            \
    {"memory-layout-analysis-enabled", PASS_BOOL, "false", "Try shards in L1 too"},                 \
    {"row-major-enabled", PASS_BOOL, "false", "Move rows where tiles are made of them for that only"}, \
    {"override-output-layout", PASS_STRING, "", "name=l1 or name=dram, ...: where results are"},    \
    {"override-conv2d-config", PASS_STRING, "", "name=parameter#value:...,..."},                    \
    {"override-conv3d-config", PASS_STRING, "", "name=parameter#value:...,..."},                    \
    {"enable-decision-trace", PASS_BOOL, "false", "Write which layouts were chosen, as JSON"},      \
    {"decision-trace-dir", PASS_STRING, "ttrt-artifacts/decision_trace", "The folder of that"}
#define COMMON_OPTIONS(host_constants)                                                                              \
    TTIR_OPTIONS("false", "true"), LOWERING_OPTIONS("false"),                                                        \
    {"optimization-level", PASS_INT, "0", "0, 1 or 2: what the optimizer tries"},                             \
    {"check-unique-locs", PASS_BOOL, "false", "Check that named locations are unique"},             \
    {"insert-memreconfig", PASS_STRING, "", "op=0:1,...", FIVE_LAYOUTS},                            \
    {"max-legal-layouts", PASS_INT, "64", "Layouts that are tried", FIVE_LAYOUTS},                  \
    {"mesh-topology", PASS_LIST, "", "How each axis is wired: ring, linear or disabled"},           \
    {"enable-layout-workaround-pass", PASS_BOOL, "true", "Bring operands into forms that run"},     \
    {"enable-decomposition-workaround-pass", PASS_BOOL, "true",                                     \
     "Rewrite operations that do not run"},                                                         \
    {"enable-ttnn-decomposition-pass", PASS_BOOL, "true", "Take operations apart"},                 \
    {"composite-resolution", PASS_STRING, "auto", "auto, inline, validate or force-promote"},       \
    {"enable-dram-space-saving-optimization-pass", PASS_BOOL, "false",                              \
     "Keep tensors in DRAM small"},                                                                 \
    {"enable-create-d2m-subgraphs", PASS_BOOL, "false", "Compile kernels for subgraphs"},   \
    {"enable-d2m-elementwise-fusion", PASS_BOOL, "false", "Fuse inside such kernels"},      \
    {"enable-remove-dead-values", PASS_BOOL, "false", "Remove arguments that nothing reads"},       \
    {"enable-const-eval", PASS_BOOL, "true", "Compute once what depends on weights only"},          \
    {"enable-cpu-hoisted-const-eval", PASS_BOOL, host_constants, "Compute constants on the host"},    \
    {"enable-const-eval-inputs-to-system-memory", PASS_BOOL, "true",                                \
     "Its inputs wait on the host"},                                                                \
    {"enable-trace", PASS_BOOL, "false", "Record the program's commands and replay them"},          \
    {"target-bit-width", PASS_INT, "32", "Of quantized products"},                                  \
    {"experimental-weight-dtype", PASS_STRING, "none", "none, bfp_bf8 or bfp_bf4"},                 \
    {"experimental-kv-cache-dtype", PASS_STRING, "none", "none, bfp_bf8 or bfp_bf4"},               \
    {"enable-activation-dtype-lowering", PASS_BOOL, "false",                                        \
     "Send smaller elements between chips"},                                                        \
    {"compute-cfg-math-fidelity", PASS_STRING, "hifi4", "lofi, hifi2, hifi3, hifi4 or undefined"},  \
    {"compute-cfg-fp32-dest-acc-en", PASS_STRING, "true", "true, false or unset"},                  \
    {"compute-cfg-math-approx-mode", PASS_STRING, "unset", "true, false or unset"},                 \
    {"compute-cfg-packer-l1-acc", PASS_STRING, "unset", "true, false or unset"},                    \
    {"compute-cfg-dst-full-sync-en", PASS_STRING, "unset", "true, false or unset"},                 \
    {"ttnn-perf-metrics-enabled", PASS_BOOL, "false", "Write a report on layouts and arithmetic"},  \
    {"ttnn-perf-metrics-output-file", PASS_STRING, "",                                              \
     "The report's file (default: by the module's name)"},                                          \
    {"ttnn-perf-metrics-verbose-output-enabled", PASS_BOOL, "true",                                 \
     "List every operation in the report"},                                                         \
    {"max-fallback-attempts", PASS_INT, "10000", "Layouts tried where one fails", FIVE_LAYOUTS},    \
    {"use-mock-allocator-state", PASS_BOOL, "true", "For the optimizer",                            \
     "tensors are allocated as the device does, always"},                                           \
    {"enable-compile-time-stats", PASS_BOOL, "false", "Count operations by pass",                   \
     "use --mlir-timing or --mlir-pass-statistics"}
/* clang-format on */

/* Passes on the device module. */
#define D(passes) "ttcore.device_module(builtin.module(" passes "))"

#define DEVICE                                                                             \
    "ttcore-register-device{system-desc-path=$system-desc-path "                           \
    "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape "                 \
    "mesh-topology=$mesh-topology}"
#define TTIR                                                                               \
    "ttnn-ttir-passes{system-desc-path=$system-desc-path "                                 \
    "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape "                 \
    "argument-types=$argument-types "                                                      \
    "enable-element-type-normalization=$enable-element-type-normalization "                \
    "canonicalize-disable-patterns=$canonicalize-disable-patterns "                        \
    "enable-fusing-pass=$enable-fusing-pass "                                              \
    "enable-permute-matmul-fusion=$enable-permute-matmul-fusion "                          \
    "enable-permute-slice-after-matmul-fusion=$enable-permute-slice-after-matmul-fusion "  \
    "enable-fusing-conv2d-with-multiply-pattern="                                          \
    "$enable-fusing-conv2d-with-multiply-pattern "                                         \
    "enable-exact-fusing=$enable-exact-fusing "                                            \
    "enable-implicit-broadcast-folding-pass=$enable-implicit-broadcast-folding-pass "      \
    "enable-erase-inverse-ops-pass=$enable-erase-inverse-ops-pass "                        \
    "enable-quant-dequant-conversion-pass=$enable-quant-dequant-conversion-pass}"
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

#define PERF_METRICS                                                                       \
    "ttnn-collect-perf-metrics{"                                                           \
    "ttnn-perf-metrics-output-file=$ttnn-perf-metrics-output-file "                        \
    "ttnn-perf-metrics-verbose-output-enabled=$ttnn-perf-metrics-verbose-output-enabled "  \
    "ttnn-enable-trace=$enable-trace}"

#define PINS " override-output-layout=$override-output-layout"
#define OPTIMIZER(when)                                                                    \
    "ttnn-override-conv-configs{" when PINS                                                \
    " override-conv2d-config=$override-conv2d-config "                                     \
    "override-conv3d-config=$override-conv3d-config},"                                     \
    "ttnn-greedy-memory-layout-propagation{" when PINS                                     \
    " tensor-l1-usage-cap=$tensor-l1-usage-cap "                                           \
    "enable-l1-sharding-layouts=$memory-layout-analysis-enabled "                          \
    "row-major-enabled=$row-major-enabled},"                                               \
    "ttnn-greedy-l1-spill-management{" when PINS                                           \
    " tensor-l1-usage-cap=$tensor-l1-usage-cap "                                           \
    "enable-decision-trace=$enable-decision-trace "                                        \
    "decision-trace-dir=$decision-trace-dir},"                                             \
    "ttnn-operation-validation-and-fallback{" when PINS "}"

#define COMMON_STEPS                                                                       \
    {"ttcore-mark-functions-as-forward", NULL}, {"ttcore-wrap-device-module", NULL},       \
        {"cpu-hoist-manually-tagged", NULL}, {D(DEVICE), NULL}, {D(TTIR), NULL},           \
        {D("ttir-consolidate-static-cache-updates,cse"), NULL},                            \
        {D("ttir-quant-data-type-conversion{target-bit-width=$target-bit-width}"), NULL},  \
        {D("const-eval-hoist-transform"), "enable-const-eval"},                            \
        {"cpu-hoist-const-eval", "enable-cpu-hoisted-const-eval"},                         \
        {D("ttnn-layout{signed-integers=$signed-integers},convert-ttir-to-ttnn"), NULL},   \
        {D("remove-dead-values"), "enable-remove-dead-values"},                            \
        {D("ttnn-resolve-composites{composite-resolution=$composite-resolution},"          \
           "canonicalize,symbol-dce"),                                                     \
         NULL},                                                                            \
        {D("ttnn-fusing"), "enable-fusing-pass"},                                          \
        {D("ttnn-decomposition{optimization-level=$optimization-level}"),                  \
         "enable-ttnn-decomposition-pass"},                                                \
        {D("ttnn-memory-management{aggressive-memory-saving="                              \
           "$enable-dram-space-saving-optimization-pass}"),                                \
         NULL},                                                                            \
        {D(WORKAROUNDS ",ttnn-allocate-distributed-op-buffers,canonicalize,cse"),          \
         "!disable-workarounds"},                                                          \
        {D("ttnn-weight-dtype-conversion{target-dtype=$experimental-weight-dtype}"),       \
         NULL},                                                                            \
        {D("ttnn-kv-cache-dtype-conversion{target-dtype=$experimental-kv-cache-dtype}"),   \
         NULL},                                                                            \
        {D("ttnn-ccl-activation-dtype-lowering"), "enable-activation-dtype-lowering"},     \
        {D(CONFIG), NULL},                                                                 \
        {D("ttnn-create-d2m-subgraphs"), "enable-create-d2m-subgraphs"},                   \
        {D("const-eval-hoist-transform"), "enable-const-eval"},                            \
        {D("ttnn-configure-ccl-ops"), NULL},                                               \
        {D("ttnn-unique-locations"), "check-unique-locs"},                                 \
        {D(OPTIMIZER("enable=$enable-optimizer level=$optimization-level")), NULL},        \
        {D("ttnn-prepare-conv3d-weights"), NULL},                                          \
        {"ttnn-through-d2m-pipeline{enable-elementwise-fusion="                            \
         "$enable-d2m-elementwise-fusion}",                                                \
         "enable-create-d2m-subgraphs"},                                                   \
        {D("ttnn-collaspe-d2m,canonicalize"), "enable-create-d2m-subgraphs"},              \
        {D("const-eval-hoist-transform"), "enable-const-eval"},                            \
        {D("ttnn-force-const-eval-to-system-memory,canonicalize"),                         \
         "enable-const-eval-inputs-to-system-memory"},                                     \
        {D("ttnn-allocate-distributed-op-semaphores"), NULL},                              \
        {D("ttnn-trace-hoist-transform"), "enable-trace"},                                 \
        {D("ttnn-decompose-layouts,canonicalize,ttcore-optimization-barrier-fold"), NULL}, \
        {D("ttnn-deallocate"), NULL},                                                      \
    {                                                                                      \
        D(PERF_METRICS), "ttnn-perf-metrics-enabled"                                       \
    }

#define RUNTIME_OPTIONS                                                                    \
    {                                                                                      \
        "enable-optimization-passes", PASS_BOOL, "true", "Optimize functions on the host", \
            NO_HOST_CODE                                                                   \
    }

const pass_pipeline_def ttir_to_ttnn_common_pipeline = {
    .name = "ttir-to-ttnn-common-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN, for all targets",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS("true")),
    .steps = IR_LIST(pass_step, COMMON_STEPS),
};

/* Functions of the host stay TTIR, which the runtime compiles when it loads them. */
#define RUNTIME_STEPS                                                                      \
    {                                                                                      \
        "ttcore.cpu_module(builtin.module(ttir-cpu-boolean-narrowing))", NULL              \
    }

const pass_pipeline_def ttnn_common_to_runtime_pipeline = {
    .name = "ttnn-common-to-runtime-pipeline",
    .summary = "Pipeline from TTNN common to all targets to the runtime",
    .options = IR_LIST(pass_option_def, RUNTIME_OPTIONS),
    .steps = IR_LIST(pass_step, RUNTIME_STEPS),
};

const pass_pipeline_def ttir_to_ttnn_runtime_pipeline = {
    .name = "ttir-to-ttnn-runtime-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN for the runtime",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS("true"), RUNTIME_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, RUNTIME_STEPS),
};

const pass_pipeline_def ttir_to_ttnn_backend_pipeline = {
    .name = "ttir-to-ttnn-backend-pipeline",
    .summary = "Pipeline lowering TTIR to TTNN for the runtime",
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS("true"), RUNTIME_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, RUNTIME_STEPS),
};

const pass_pipeline_def recover_structure_pipeline = {
    .name = "recover-structure-xla-torch-pipeline",
    .summary = "Pipeline to make functions of a model's modules",
    .options = IR_LIST(pass_option_def,
                       {"in-front", PASS_BOOL, "false", "In front of what calls them"}),
    .steps = IR_LIST(pass_step, {"ttnn-simplify-locs-for-codegen", NULL},
                     {"ttnn-recover-structure{in-front=$in-front}", NULL},
                     {"ttnn-remove-deallocs", NULL}),
};

/* Generated inputs and a main make the generated program run by itself. */
#define GENERATED_OPTIONS                                                                  \
    {"tuplify-input-if-empty", PASS_BOOL, "false",                                         \
     "Pass an empty list if there are no inputs"},                                         \
        {"load-input-tensors-from-disk", PASS_BOOL, "false", "Load inputs from files"},    \
        {"tensor-load-directory", PASS_STRING, "", "Directory of the files"},              \
        {"tensor-load-file-prefix", PASS_STRING, "arg", "Their names, before the number"}, \
    {                                                                                      \
        "try-recover-structure", PASS_BOOL, "false",                                       \
            "Make functions of the modules that locations name"                            \
    }
#define LOAD_INPUTS                                                                        \
    "ttnn-load-input-tensors{tensor-load-directory=$tensor-load-directory "                \
    "tensor-load-file-prefix=$tensor-load-file-prefix}"
#define TUPLIFY "ttnn-tuplify-tensors{tuplify-input-if-empty=$tuplify-input-if-empty}"

#define EMITPY_OPTIONS                                                                     \
    GENERATED_OPTIONS,                                                                     \
        {"target-module", PASS_BOOL, "false",                                              \
         "A module: @forward takes tensors and a device, and there is no main"},           \
    {                                                                                      \
        "split-files", PASS_BOOL, "true",                                                  \
            "Write functions of constants into a file of their own"                        \
    }
#define EMITPY_STEPS                                                                       \
    {"capture-mesh-shape", NULL}, {D("ttnn-adjust-deallocs"), NULL},                       \
        {D("recover-structure-xla-torch-pipeline"), "try-recover-structure"},              \
        {D("ttnn-force-final-deallocs"), "!try-recover-structure"},                        \
        {D("ttnn-tuplify-tensors{tuplify-input-if-empty=true}"), "target-module"},         \
        {D("ttnn-prepare-module-for-export"), "target-module"},                            \
        {D("ttnn-split-forward-func-args-by-type," TUPLIFY), "!target-module"},            \
        {D(LOAD_INPUTS), "!target-module,load-input-tensors-from-disk"},                   \
        {D("ttnn-create-input-gens"), "!target-module,!load-input-tensors-from-disk"},     \
        {D("ttnn-prepare-const-eval-caching"), NULL},                                      \
        {D("ttnn-file-split"), "split-files"},                                             \
        {D("convert-ttnn-to-emitpy{target-module=$target-module},"                         \
           "emitpy-const-eval-caching,emitpy-form-expressions,emitpy-name-vars"),          \
         NULL},                                                                            \
        {"ttcore.cpu_module(builtin.module(convert-ttir-cpu-to-emitpy,emitpy-name-vars))", \
         NULL},                                                                            \
        {"emitpy-link-modules", NULL}, {"ttcore-unwrap-device-module", NULL},              \
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
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS("true"), EMITPY_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, EMITPY_STEPS),
};

/* Functions of a library take lists of tensors, and there is no main. */
#define EMITC_OPTIONS                                                                      \
    GENERATED_OPTIONS,                                                                     \
    {                                                                                      \
        "target-dylib", PASS_BOOL, "false", "A library: no inputs and no main"             \
    }
#define EMITC_STEPS                                                                        \
    {"ttcore.cpu_module(builtin.module(ttir-to-ttir-decomposition{config=cpu-fallback}))", \
     NULL},                                                                                \
        {"emitc-embed-host-functions", NULL}, {"ttcore-unwrap-device-module", NULL},       \
        {"ttnn-adjust-deallocs", NULL},                                                    \
        {"recover-structure-xla-torch-pipeline{in-front=true}", "try-recover-structure"},  \
        {"ttnn-force-final-deallocs", "!try-recover-structure"},                           \
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
    .options = IR_LIST(pass_option_def, COMMON_OPTIONS("false"), EMITC_OPTIONS),
    .steps = IR_LIST(pass_step, COMMON_STEPS, EMITC_STEPS),
};

/* ---- the steps for programs that run on the embedded device -------------------------- */

#define CANONICALIZE "canonicalize{disable-patterns=$canonicalize-disable-patterns}"
#define FUSING                                                                             \
    "ttir-fusing{enable-permute-matmul-fusion=$enable-permute-matmul-fusion "              \
    "enable-permute-slice-after-matmul-fusion=$enable-permute-slice-after-matmul-fusion "  \
    "ttnn-enable-conv2d-with-multiply-pattern="                                            \
    "$enable-fusing-conv2d-with-multiply-pattern "                                         \
    "exact=$enable-exact-fusing written-norms=$enable-exact-fusing}"
/* From TTIR as written by front ends to TTIR that maps to TTNN operation by operation. */

const pass_pipeline_def ttnn_ttir_passes_pipeline = {
    .name = "ttnn-ttir-passes",
    .summary = "TTIR passes before the conversion to TTNN",
    .options = IR_LIST(pass_option_def, TTIR_OPTIONS("true", "false")),
    .steps = IR_LIST(
        pass_step, {"ttcore-mark-functions-as-forward", NULL},
        {"ttir-element-type-normalization", "enable-element-type-normalization"},
        {"ttcore-register-device{system-desc-path=$system-desc-path "
         "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape}",
         NULL},
        {"tt-populate-argument-types{argument-types=$argument-types}", NULL},
        {CANONICALIZE, NULL}, {FUSING, "enable-fusing-pass"},
        {"ttir-quant-dequant-conversion", "enable-quant-dequant-conversion-pass"},
        {"ttir-to-ttir-decomposition{exact=$enable-exact-fusing}", NULL},
        {CANONICALIZE, NULL},
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
    .options = IR_LIST(pass_option_def, LOWERING_OPTIONS("true")),
    .steps = IR_LIST(pass_step, {"ttnn-layout{signed-integers=$signed-integers}", NULL},
                     {"convert-ttir-to-ttnn", NULL}, {"canonicalize", NULL},
                     {"ttnn-workaround,canonicalize,cse", "!disable-workarounds"},
                     {OPTIMIZER("enable=true"), "enable-optimizer"},
                     {"ttnn-prepare-conv3d-weights{channels-in-tiles=false}", NULL},
                     {"ttnn-deallocate{arguments=false}", NULL}),
};
