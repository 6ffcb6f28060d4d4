/* mpmd_pipelines.c: pipelines from a program with names to calls on several meshes. */
#include "ir/pass/pass.h"

#define CANONICALIZE_OPS "canonicalize{region-simplify=disabled}"
/* Merges inferred fragments into a neighbouring user fragment. */
#define MERGE_INFERRED                                                                     \
    "func.func(mpmd-absorb-inferred-fragments,"                                            \
    "mpmd-merge-inferred-fragments{merge-any-consumer=true},"                              \
    "mpmd-merge-inferred-fragments{merge-sideways=true})"

const pass_pipeline_def mpmd_infer_mesh_pipeline = {
    .name = "mpmd-infer-mesh-pipeline",
    .summary = "Run the passes for mesh inference",
    .options = IR_LIST(pass_option_def,
                       {"infer-transfers", PASS_BOOL, "false",
                        "Insert transfers where needed instead of reporting an error"},
                       {"infer-cross-mesh-reductions", PASS_BOOL, "false",
                        "Convert sums over meshes to reductions"}),
    .steps = IR_LIST(
        pass_step,
        {"mpmd-infer-mesh-populate-use-set,mpmd-infer-mesh-populate-src-set", NULL},
        {"func.func(mpmd-infer-mesh-convert-reduce-ops{infer-cross-mesh-reductions=true})",
         "infer-transfers"},
        {"func.func(mpmd-infer-mesh-convert-reduce-ops{"
         "infer-cross-mesh-reductions=$infer-cross-mesh-reductions}),"
         "mpmd-infer-mesh-validate-src-set-not-empty",
         "!infer-transfers"},
        {"mpmd-infer-mesh-assign-mesh-func-leaves{infer-transfers=$infer-transfers},"
         "mpmd-infer-mesh-populate-use-set",
         NULL},
        {"mpmd-infer-mesh-validate-no-additional-transfers-needed", "!infer-transfers"},
        {"mpmd-infer-mesh-rewrite-using-analysis,"
         "mpmd-infer-mesh-finalize{infer-transfers=$infer-transfers}",
         NULL}),
};

const pass_pipeline_def mpmd_import_pipeline = {
    .name = "mpmd-import-pipeline",
    .summary = "Run the standard set of passes to import an MPMD program with a fixed mesh "
               "assignment map.",
    .options = IR_LIST(pass_option_def,
                       {"name-to-mesh-assignment", PASS_STRING, "",
                        "Meshes, and stages, of names: name@mesh/stage,..."},
                       {"merge-after-scheduling", PASS_BOOL, "false",
                        "Merge inferred fragments only after scheduling"},
                       {"enable-heterogeneous-meshes", PASS_BOOL, "false",
                        "Map meshes of shardings to those of the topology"}),
    .steps = IR_LIST(
        pass_step,
        {"func.func(chlo-legalize-to-stablehlo),inline,func.func(cse,canonicalize),"
         "mpmd-copy-topology-from-main",
         NULL},
        {"mpmd-generate-sdy-meshes-from-topology", "enable-heterogeneous-meshes"},
        {"func.func(mpmd-unroll-for-loops,canonicalize,"
         "stablehlo-target-independent-optimization{fold-op-element-limit=0},"
         "mpmd-from-unroll-to-call-counter)",
         NULL},
        {"mpmd-sink-negligible-ops-into-call-op,"
         "func.func(mpmd-insert-nameless-clone-of-negligible-ops,"
         "mpmd-simplify-named-computations),mpmd-map-input-output-to-mesh",
         NULL},
        {"func.func(mpmd-inline-nested-user-exposed-ops{assignment=$name-to-mesh-"
         "assignment},"
         "mpmd-validate-named-ops-in-mpmd-func,"
         "mpmd-map-named-ops-to-mpmd-ops{assignment=$name-to-mesh-assignment})",
         NULL},
        {"mpmd-introduce-transfers,mpmd-erase-unused-callee-block-arguments,"
         "mpmd-infer-mesh-pipeline",
         NULL},
        {MERGE_INFERRED, "!merge-after-scheduling"},
        {"func.func(mpmd-fragment-dedup,mpmd-fragment-dce,mpmd-remove-transfer-cycles),"
         "mpmd-call-inline,symbol-dce",
         NULL},
        {"func.func(mpmd-merge-inferred-fragments)", "!merge-after-scheduling"},
        {"func.func(mpmd-move-transfers-to-producer,"
         "mpmd-merge-user-fragments-into-scheduling-units)",
         NULL}),
};

const pass_pipeline_def mpmd_optimize_pipeline = {
    .name = "mpmd-optimize-pipeline",
    .summary = "Run the standard set of passes to optimize an MPMD program.",
    .options = IR_LIST(pass_option_def,
                       {"merge-after-scheduling", PASS_BOOL, "false",
                        "Merge inferred fragments here, after scheduling"},
                       {"pipeline-schedule", PASS_STRING, "1F1B", "Name of the schedule"}),
    .steps =
        IR_LIST(pass_step,
                {"func.func(mpmd-pipeline-scheduler{must-happen-before=$pipeline-schedule},"
                 "mpmd-verify-stage-merging)",
                 NULL},
                {MERGE_INFERRED, "merge-after-scheduling"}),
};

const pass_pipeline_def mpmd_sharding_propagation_pipeline = {
    .name = "mpmd-sharding-propagation-pipeline",
    .summary = "Run the standard set of passes to propagate shardings in an MPMD program.",
    .steps = IR_LIST(
        pass_step,
        {"func.func(mpmd-uniquify-function-inputs-outputs{"
         "use-transfer-instead-of-fragment=true})",
         NULL},
        {"sdy-propagation-pipeline{avoid-export-for-partitioning=true}", NULL},
        {"func.func(mpmd-populate-unreduced-out-sharding,mpmd-enforce-user-shardings,"
         "mpmd-extract-reshards-from-inter-mesh-transfers,"
         "mpmd-convert-sdy-shardings-to-mpmd-types,mpmd-convert-sdy-constants,"
         "stablehlo-target-independent-optimization,mpmd-simplify-program)",
         NULL}),
};

const pass_pipeline_def mpmd_export_pipeline = {
    .name = "mpmd-export-pipeline",
    .summary = "Run the standard set of passes to export an MPMD program.",
    .options = IR_LIST(
        pass_option_def,
        {"fail-on-reshard-only-fragments", PASS_BOOL, "false",
         "Report fragments that only reshard"},
        {"fail-on-backward-deps", PASS_BOOL, "false",
         "Report backward transfers in a program without transposes"},
        {"fail-on-inferred-fragments", PASS_BOOL, "true", "Report inferred fragments"},
        {"fail-on-param-transfers", PASS_BOOL, "false",
         "Report parameters that are transferred to another mesh"},
        {"param-transfer-pattern", PASS_STRING, "params['transformer",
         "Substring of the locations of parameters"}),
    .steps = IR_LIST(
        pass_step, {"func.func(cse)," CANONICALIZE_OPS, NULL},
        {"func.func(mpmd-fragment-dedup,mpmd-fragment-dce,"
         "mpmd-uniquify-function-inputs-outputs,mpmd-merge-inferred-fragments,"
         "mpmd-mark-offloaded-input-output,mpmd-mark-input-output-with-layouts,"
         "mpmd-delay-inferred-fragments,mpmd-delay-transfers-from-cpu,"
         "mpmd-sink-create-token-into-fragments,mpmd-mark-aliasing-and-donation,"
         "mpmd-mark-fragment-reserved-memory)",
         NULL},
        {"func.func(mpmd-validate-no-param-transfers{"
         "fail-on-param-transfers=$fail-on-param-transfers "
         "param-pattern=$param-transfer-pattern},"
         "mpmd-validate-no-inferred-fragments{"
         "fail-on-inferred-fragments=$fail-on-inferred-fragments})",
         NULL},
        {"mpmd-lower-to-fragment-calls", NULL},
        {"func.func(mpmd-validate-no-reshards{"
         "fail-on-reshard-only-fragments=$fail-on-reshard-only-fragments},"
         "mpmd-validate-no-backward-deps{fail-on-backward-deps=$fail-on-backward-deps})",
         NULL}),
};
