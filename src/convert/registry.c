/* registry.c: the table of passes and pipelines. */
#include "convert/registry.h"

#include "convert/stablehlo_to_ttir/stablehlo_to_ttir.h"

static const pass_def *const passes[] = {
    &convert_stablehlo_to_ttir_pass,
    NULL,
};

static const pass_pipeline_def *const pipelines[] = {
    NULL,
};

const pass_registry tw_passes = {passes, pipelines};
