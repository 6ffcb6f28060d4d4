/* registry.c: the table of passes and pipelines. */
#include "pipelines/registry.h"

#define PASS(id) extern const pass_def id##_pass;
#include "pipelines/passes.def"
#undef PASS

#define PASS(id) &id##_pass,
static const pass_def *const passes[] = {
#include "pipelines/passes.def"
    NULL,
};

#define PIPELINE(id) extern const pass_pipeline_def id##_pipeline;
#include "pipelines/pipelines.def"
#undef PIPELINE

#define PIPELINE(id) &id##_pipeline,
static const pass_pipeline_def *const pipelines[] = {
#include "pipelines/pipelines.def"
    NULL,
};

const pass_registry tw_passes = {passes, pipelines};

bool tw_run_passes(ir_op *module, const char *pipeline, const pass_config *config)
{
    pass_manager *pm =
        pass_manager_create(module->ctx, &tw_passes, config ? config : &(pass_config){0});
    const bool ok =
        pass_manager_add(pm, tw_str_from(pipeline)) && pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    return ok;
}
