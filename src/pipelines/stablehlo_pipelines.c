/* stablehlo_pipelines.c: pipelines for portable artifacts, and from StableHLO to TTIR. */
#include "pipelines/registry.h"

const pass_pipeline_def stablehlo_to_ttir_pipeline = {
    .name = "stablehlo-to-ttir-pipeline",
    .summary = "Pipeline lowering StableHLO to TTIR",
    .options = IR_LIST(
        pass_option_def,
        {"enable-arith-to-stablehlo", PASS_BOOL, "true", "Also convert arith constants"},
        {"enable-composite-to-call", PASS_BOOL, "true",
         "Replace composites by calls of their decompositions"},
        {"enable-aggressive-simplification", PASS_BOOL, "true", "Simplify StableHLO first"},
        {"enable-cpu-fallback", PASS_BOOL, "true",
         "Wrap the program in a device module, beside which functions of the host may "
         "stand"}),
    .steps = IR_LIST(pass_step, {"convert-arith-to-stablehlo", "enable-arith-to-stablehlo"},
                     {"func.func(stablehlo-aggressive-simplification)",
                      "enable-aggressive-simplification"},
                     {"legalize-stablehlo-composite-to-ttir", NULL},
                     {"stablehlo-legalize-composite-to-call", "enable-composite-to-call"},
                     {"inline", NULL},
                     {"chlo-legalize-to-stablehlo{except=" TW_CHLO_OF_TTIR "}", NULL},
                     {"func.func(stablehlo-flatten-control-flow,"
                      "stablehlo-complex-math-expander),"
                      "stablehlo-complex-data-type-conversion",
                      NULL},
                     {"stablehlo-total-order-to-integers{sorts=false top-k=false}", NULL},
                     {"convert-stablehlo-to-ttir", NULL}, {"cse", NULL},
                     {"ttcore-wrap-device-module", "enable-cpu-fallback"}),
};

const pass_pipeline_def stablehlo_deserialize_pipeline = {
    .name = "stablehlo-deserialize",
    .summary = "Upgrade a portable artifact and convert it to StableHLO",
    .steps =
        IR_LIST(pass_step, {"vhlo-to-version{target=current}", NULL},
                {"vhlo-legalize-to-stablehlo", NULL}, {"reconcile-unrealized-casts", NULL}),
};

const pass_pipeline_def chlo_pre_serialization_pipeline = {
    .name = "chlo-pre-serialization-pipeline",
    .summary = "Lower as much as possible to StableHLO, including CHLO and shapes",
    .steps = IR_LIST(pass_step, {"chlo-legalize-to-stablehlo", NULL},
                     {"reconcile-unrealized-casts", NULL}),
};
