/* one_shot_passes.c: ttcore-one-shot-bufferize, and MLIR's one-shot-bufferize with the
 * operations of d2m. */
#include "d2m/bufferize/models.h"

#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"

static const buf_model_table *const tables[] = {
    &buf_tensor_models, &buf_linalg_models, &buf_scf_models,           &buf_func_models,
    &buf_misc_models,   &d2m_buffer_models, &d2m_region_buffer_models, NULL};

/* ---- ttcore-one-shot-bufferize ------------------------------------------------------ */

static ir_type boundary_type(ir_type tensor)
{
    if (tensor->kind == IR_TYPE_TENSOR && d2m_is_metal_layout(tensor->encoding))
        return d2m_buffer_type(tensor, false, NULL);
    return buf_identity_type(tensor, NULL);
}

static bool is_global(const ir_op *op)
{
    return op->def == TTCORE_OP(global);
}

static void convert_globals(ir_op *module)
{
    ir_op_list globals = ir_ops_in(module, is_global);
    for (size_t i = 0; i < globals.n; i++) {
        ir_attr type = ir_op_attr(globals.at[i], "type");
        if (ir_attr_is(type, IR_ATTR_TYPE) && type->type->kind == IR_TYPE_TENSOR)
            ir_op_set_attr(globals.at[i], "type",
                           ir_type_attr(d2m_buffer_type(type->type, false, NULL)));
    }
    ir_op_list_free(&globals);
}

static bool is_inner_module(const ir_op *op)
{
    return ir_op_named(op, "builtin.module") && op->block &&
           ir_op_is(ir_op_parent(op), TTCORE_OP(device_module));
}

static bool run_ttcore(ir_op *module, pass_run *run)
{
    const buf_options options = {.function_boundaries = true,
                                 .infer_results = true,
                                 .alignment = 64,
                                 .tables = tables,
                                 .boundary_type = boundary_type};
    (void)run;
    ir_op_list modules = ir_ops_in(module, is_inner_module);
    bool ok = modules.n > 0 || buf_run(module, &options);
    for (size_t i = 0; ok && i < modules.n; i++)
        ok = buf_run(modules.at[i], &options);
    ir_op_list_free(&modules);
    if (ok)
        convert_globals(module);
    return ok;
}

const pass_def ttcore_one_shot_bufferize_pass = {
    .name = "ttcore-one-shot-bufferize",
    .title = "TTCoreOneShotBufferizePass",
    .summary = "Turn tensors into buffers; device tensors keep their layout",
    .anchor = "builtin.module",
    .run = run_ttcore,
};

/* ---- one-shot-bufferize ------------------------------------------------------------- */

static bool read_layout_option(ir_op *module, pass_run *run, const char *name,
                               bool *identity, bool *infer)
{
    tw_str text = pass_option_str(run, name);
    *identity = tw_str_is(text, "identity-layout-map");
    *infer = tw_str_is(text, "infer-layout-map");
    return *identity || *infer || tw_str_is(text, "fully-dynamic-layout-map") ||
           ir_op_error(module,
                       "%s: expected infer-layout-map, identity-layout-map or "
                       "fully-dynamic-layout-map",
                       name);
}

static bool run_one_shot(ir_op *module, pass_run *run)
{
    tw_str heuristic = pass_option_str(run, "analysis-heuristic");
    tw_str dialects = pass_option_str(run, "dialect-filter");
    char filter[256] = "";
    bool infer_unknown;
    if (dialects.size >= sizeof filter)
        return ir_op_error(module, "dialect-filter: too many dialects");
    memcpy(filter, dialects.data, dialects.size);
    buf_options options = {
        .allow_unknown = pass_option_bool(run, "allow-unknown-ops"),
        .function_boundaries = pass_option_bool(run, "bufferize-function-boundaries"),
        .return_allocs_from_loops = pass_option_bool(run, "allow-return-allocs-from-loops"),
        .top_down = tw_str_is(heuristic, "top-down"),
        .analysis_only = pass_option_bool(run, "test-analysis-only"),
        .print_conflicts = pass_option_bool(run, "print-conflicts"),
        .copy_before_write = pass_option_bool(run, "copy-before-write"),
        .alignment = pass_option_int(run, "buffer-alignment"),
        .seed = tw_str_is(heuristic, "fuzzer")
                    ? (uint32_t)pass_option_int(run, "analysis-fuzzer-seed") + 1
                    : 0,
        .dialects = filter,
        .tables = tables,
    };
    if (!options.top_down && !options.seed && !tw_str_is(heuristic, "bottom-up"))
        return ir_op_error(module, "analysis-heuristic: expected bottom-up, top-down or "
                                   "fuzzer");
    return read_layout_option(module, run, "function-boundary-type-conversion",
                              &options.identity_boundaries, &options.infer_results) &&
           read_layout_option(module, run, "unknown-type-conversion",
                              &options.identity_unknown, &infer_unknown) &&
           buf_run(module, &options);
}

const pass_def one_shot_bufferize_pass = {
    .name = "one-shot-bufferize",
    .title = "OneShotBufferizePass",
    .summary = "Turn tensors into buffers, with copies only where a value would be lost",
    .anchor = "builtin.module",
    .run = run_one_shot,
    .options = IR_LIST(
        pass_option_def,
        {"allow-return-allocs-from-loops", PASS_BOOL, "false",
         "Loops may yield buffers that they allocate"},
        {"allow-unknown-ops", PASS_BOOL, "false",
         "Leave operations on tensors that have no model"},
        {"analysis-fuzzer-seed", PASS_INT, "0", "The seed of heuristic fuzzer"},
        {"analysis-heuristic", PASS_STRING, "bottom-up",
         "The order of decisions: bottom-up, top-down, fuzzer"},
        {"buffer-alignment", PASS_INT, "64", "The alignment of allocations in bytes"},
        {"bufferize-function-boundaries", PASS_BOOL, "false",
         "Arguments and results of functions become buffers, too"},
        {"check-parallel-regions", PASS_BOOL, "true",
         "Copy what several iterations of scf.forall would share",
         .no_effect = "scf.forall has no model"},
        {"copy-before-write", PASS_BOOL, "false",
         "Copy before every write, without analysis"},
        {"dialect-filter", PASS_LIST, "", "The dialects to bufferize; empty: all"},
        {"dump-alias-sets", PASS_BOOL, "false", "Mark results with their alias sets",
         .no_effect = "alias sets are not printed"},
        {"function-boundary-type-conversion", PASS_STRING, "infer-layout-map",
         "Layouts of arguments and results: infer-layout-map, identity-layout-map, "
         "fully-dynamic-layout-map"},
        {"must-infer-memory-space", PASS_BOOL, "false",
         "Reject buffers whose memory does not follow from others",
         .no_effect = "buffers without a memory space are in the default one"},
        {"no-analysis-func-filter", PASS_LIST, "",
         "Functions to bufferize without analysis",
         .no_effect = "every function is analyzed"},
        {"print-conflicts", PASS_BOOL, "false",
         "Mark the first conflict of each operand with attributes"},
        {"test-analysis-only", PASS_BOOL, "false",
         "Only mark each operand as in place or not"},
        {"unknown-type-conversion", PASS_STRING, "fully-dynamic-layout-map",
         "Layouts of buffers of unknown operations: identity-layout-map, "
         "fully-dynamic-layout-map"},
        {"use-encoding-for-memory-space", PASS_BOOL, "false",
         "The encoding of a tensor is its buffer's memory space",
         .no_effect = "buffers without a memory space are in the default one"}),
};
