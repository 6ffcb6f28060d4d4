/* sdy_pipelines.c: sharding pipelines: tt-mlir's stablehlo-pipeline and Shardy's own. */
#include "ir/pass/pass.h"

const pass_pipeline_def stablehlo_pipeline = {
    .name = "stablehlo-pipeline",
    .summary = "Partition StableHLO programs over a mesh of devices",
    .options = IR_LIST(
        pass_option_def, {"mesh-shape", PASS_LIST, "", "The mesh, as 2,4"},
        {"result-presharded", PASS_LIST, "",
         "1 for each result that is left split, else 0"},
        {"automatic-arg-analysis", PASS_BOOL, "false", "Split arguments along their batch"},
        {"enable-aggressive-simplification", PASS_BOOL, "false",
         "Simplify StableHLO first"},
        {"argument-types", PASS_STRING, "", "Types of the arguments"}),
    .steps =
        IR_LIST(pass_step, {"inline", NULL},
                {"tt-populate-argument-types{argument-types=$argument-types}", NULL},
                {"convert-xla-sdy-to-sdy", NULL},
                {"func.func(stablehlo-aggressive-simplification)",
                 "enable-aggressive-simplification"},
                {"stablehlo-fusing,partially-convert-sdy-to-stablehlo", NULL},
                {"apply-argument-shard-status{result-presharded=$result-presharded}", NULL},
                {"analyze-mesh{mesh-shape=$mesh-shape "
                 "automatic-arg-analysis=$automatic-arg-analysis}",
                 NULL},
                {"decouple-const-fanout,decompose-custom-call-tuples,"
                 "flatten-or-convert-composites",
                 NULL},
                {"register-custom-sharding-rule,register-user-sharding-rule,"
                 "sdy-apply-sharding-constraints",
                 NULL},
                {"sdy-user-priority-propagate{conservative-propagation=true}", NULL},
                {"func.func(sdy-sharding-constraint-to-reshard)", NULL},
                {"replicate-non-splittable-values,insert-reshards-for-unpropagated-ops,"
                 "insert-explicit-reshards,wrap-under-manual-computation",
                 NULL},
                {"func.func(sdy-reshard-to-collectives)", NULL},
                {"shardy-ccl-canonicalization,annotate-local-shapes,"
                 "update-global-to-local-shapes,reoutline-composite",
                 NULL},
                {"sdy-close-shardings,canonicalize", NULL}),
};

#define SDY_DEDUP                                                                          \
    {                                                                                      \
        "dedup-functions-fully", PASS_BOOL, "false",                                       \
            "Keep one function for all its calls, whatever their shardings"                \
    }
#define SDY_EXPORT_OPTIONS                                                                 \
    {"keep-sharding-rules", PASS_BOOL, "false", "Leave the rules on operations"},          \
        {"avoid-export-for-partitioning", PASS_BOOL, "false",                              \
         "Skip the steps that only a partitioner needs"},                                  \
        {"enable-insert-explicit-collectives", PASS_BOOL, "false",                         \
         "Reshards of all operations, as collectives"},                                    \
    {                                                                                      \
        "update-non-divisible-input-output-shardings", PASS_BOOL, "true",                  \
            "Drop axes that do not divide arguments and results"                           \
    }
const pass_pipeline_def sdy_import_pipeline = {
    .name = "sdy-import-pipeline",
    .summary = "Prepare a module for the propagation of shardings",
    .options = IR_LIST(pass_option_def, SDY_DEDUP),
    .steps = IR_LIST(pass_step, {"symbol-dce", NULL}, {"sdy-lift-inlined-meshes", NULL},
                     {"sdy-remove-size-one-axes", NULL},
                     {"sdy-propagate-sharding-from-func-to-call", NULL},
                     {"sdy-constant-or-scalar-splitter", NULL}, {"symbol-dce", NULL},
                     {"sdy-manual-axes-cleanup", NULL}, {"sdy-add-data-flow-edges", NULL},
                     {"sdy-apply-sharding-constraints,sdy-sharding-group-import",
                      "dedup-functions-fully"}),
};

const pass_pipeline_def sdy_export_pipeline = {
    .name = "sdy-export-pipeline",
    .summary = "Remove the attributes of propagation and make its shardings explicit",
    .options = IR_LIST(pass_option_def, SDY_EXPORT_OPTIONS,
                       {"inline-meshes", PASS_BOOL, "true", "Meshes inside shardings"},
                       {"remove-all-gather-reduce-scatter-for-cmv1", PASS_BOOL, "false",
                        "Leave collectives next to products to their computation",
                        "not implemented"}),
    .steps =
        IR_LIST(pass_step, {"func.func(sdy-constant-or-scalar-merger)", NULL},
                {"func.func(sdy-sink-data-flow-edges)", NULL},
                {"sdy-remove-sharding-groups,func.func(sdy-sharding-constraint-to-reshard)",
                 "!avoid-export-for-partitioning"},
                {"sdy-update-non-divisible-input-output-shardings,"
                 "sdy-remove-sub-axes-in-input-output-shardings",
                 "update-non-divisible-input-output-shardings"},
                {"sdy-close-shardings", NULL},
                {"func.func(sdy-insert-explicit-reshards{enable-full-version="
                 "$enable-insert-explicit-collectives})",
                 "!avoid-export-for-partitioning"},
                {"canonicalize{enable-patterns=sdy-reshard},"
                 "func.func(sdy-reshard-to-collectives)",
                 "enable-insert-explicit-collectives"},
                {"canonicalize{enable-patterns=sdy-collective}", NULL},
                {"func.func(sdy-drop-sharding-rules)", "!keep-sharding-rules"},
                {"sdy-inline-meshes", "inline-meshes,!avoid-export-for-partitioning"}),
};

const pass_pipeline_def sdy_propagation_pipeline = {
    .name = "sdy-propagation-pipeline",
    .summary = "Propagate shardings through a whole module",
    .options = IR_LIST(pass_option_def, SDY_DEDUP, SDY_EXPORT_OPTIONS),
    .steps = IR_LIST(
        pass_step,
        {"sdy-import-pipeline{dedup-functions-fully=$dedup-functions-fully}", NULL},
        {"sdy-add-func-data-flow-edges", "dedup-functions-fully"},
        {"sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
         "sdy-apply-sharding-constraints,sdy-sharding-group-import",
         "!dedup-functions-fully"},
        {"sdy-pre-order-funcs,sdy-user-priority-propagate{keep-sharding-rules=true}", NULL},
        {"sdy-propagate-to-func-results,func.func(sdy-sink-func-data-flow-edges)",
         "dedup-functions-fully"},
        {"sdy-export-named-computations,sdy-propagate-to-func-results",
         "!dedup-functions-fully"},
        {"sdy-unflatten-call-graph{dedup-functions-fully=$dedup-functions-fully},symbol-"
         "dce,"
         "sdy-insert-func-call-reshards",
         NULL},
        {"sdy-export-pipeline{inline-meshes=false "
         "keep-sharding-rules=$keep-sharding-rules "
         "avoid-export-for-partitioning=$avoid-export-for-partitioning "
         "enable-insert-explicit-collectives=$enable-insert-explicit-collectives "
         "update-non-divisible-input-output-shardings="
         "$update-non-divisible-input-output-shardings}",
         NULL}),
};
