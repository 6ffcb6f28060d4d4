/* configs.c: what operations leave open is filled in: ttnn-set-compute-kernel-config and
 * ttnn-configure-ccl-ops; ttnn-unique-locations checks that names tell operations apart. */
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

/* Sums this long lose too much in bf16. */
enum { LONG_SUM = 50000 };

#define CONFIG TTNN_ATTR(device_compute_kernel_config)

typedef struct knobs {
    ir_attr fidelity; /* NULL: leave open */
    ir_attr flags[4];
} knobs;

static const char *const flag_options[] = {"math-approx-mode", "fp32-dest-acc-en",
                                           "packer-l1-acc", "dst-full-sync-en"};
static const char *const flag_params[] = {"math_approx_mode", "fp32_dest_acc_en",
                                          "packer_l1_acc", "dst_full_sync_en"};

static bool read_knobs(ir_op *module, const pass_run *run, knobs *out)
{
    ir_context *ctx = module->ctx;
    *out = (knobs){0};
    tw_str fidelity = pass_option_str(run, "math-fidelity");
    const ir_enum_case *c = ir_enum_by_text(&ttnn_enum_MathFidelity, fidelity);
    if (!c && !tw_str_is(fidelity, "undefined"))
        return ir_error(ctx, module->loc,
                        "math-fidelity is lofi, hifi2, hifi3, hifi4 or undefined, not "
                        "'%.*s'",
                        (int)fidelity.size, fidelity.data);
    if (c)
        out->fidelity = ir_raw_int(ctx, c->value);
    for (size_t i = 0; i < TW_COUNT(flag_options); i++) {
        tw_str value = pass_option_str(run, flag_options[i]);
        bool on = tw_str_is(value, "true"), off = tw_str_is(value, "false");
        if (!on && !off && !tw_str_is(value, "unset"))
            return ir_error(ctx, module->loc, "%s is true, false or unset, not '%.*s'",
                            flag_options[i], (int)value.size, value.data);
        if (on || off)
            out->flags[i] = ir_bool_attr(ctx, on);
    }
    return true;
}

static ir_attr fill(ir_context *ctx, ir_attr config, const char *param, ir_attr value)
{
    if (!value || (config && ir_attr_param(config, param)))
        return config;
    return tnb_with(ctx, CONFIG, config, param, value);
}

static bool is_long_bf16_sum(const ir_op *op)
{
    if (op->def != TTNN_OP(matmul) && op->def != TTNN_OP(linear))
        return false;
    ir_type a = op->operands[0].value->type;
    bool turned = ir_op_bool(op, "transpose_a") && a->count > 1;
    int64_t inner = a->count ? a->dims[turned ? a->count - 2 : a->count - 1] : 1;
    return inner > LONG_SUM &&
           ttnn_dtype_of(op->results[0].type->element) == TTCORE_DataType_BFloat16;
}

static ir_walk configure(ir_op *op, void *user)
{
    const knobs *k = user;
    ir_context *ctx = op->ctx;
    if (ir_def_prop_index(op->def, TW_STR("compute_config")) == SIZE_MAX ||
        strncmp(op->def->name, "ttnn.", 5) != 0)
        return IR_WALK_ON;
    ir_attr old = ir_op_attr(op, "compute_config"), config = old;
    config = fill(ctx, config, "math_fidelity", k->fidelity);
    for (size_t i = 0; i < TW_COUNT(flag_params); i++)
        config = fill(ctx, config, flag_params[i], k->flags[i]);
    if (is_long_bf16_sum(op)) {
        ir_attr on = ir_bool_attr(ctx, true);
        config = tnb_with(ctx, CONFIG, config, "fp32_dest_acc_en", on);
        config = tnb_with(ctx, CONFIG, config, "packer_l1_acc", on);
    }
    if (config != old)
        ir_op_set_attr(op, "compute_config", config);
    return IR_WALK_ON;
}

static bool run_config(ir_op *module, pass_run *run)
{
    knobs k;
    if (!read_knobs(module, run, &k))
        return false;
    ir_walk_pre(module, configure, &k);
    return true;
}

const pass_def ttnn_set_compute_kernel_config_pass = {
    .name = "ttnn-set-compute-kernel-config",
    .title = "TTNNSetComputeKernelConfig",
    .summary = "Fill in how exactly kernels compute",
    .anchor = "builtin.module",
    .run = run_config,
    .options = IR_LIST(
        pass_option_def,
        {"math-fidelity", PASS_STRING, "hifi4", "lofi, hifi2, hifi3, hifi4 or undefined"},
        {"math-approx-mode", PASS_STRING, "unset", "true, false or unset"},
        {"fp32-dest-acc-en", PASS_STRING, "true", "true, false or unset"},
        {"packer-l1-acc", PASS_STRING, "unset", "true, false or unset"},
        {"dst-full-sync-en", PASS_STRING, "unset", "true, false or unset"}),
};

/* ---- collectives -------------------------------------------------------------------- */

static ir_walk set_topology(ir_op *op, void *user)
{
    ir_attr topologies = user;
    if ((op->def != TTNN_OP(all_gather) && op->def != TTNN_OP(all_reduce) &&
         op->def != TTNN_OP(reduce_scatter) && op->def != TTNN_OP(moe_compute)) ||
        ir_op_attr(op, "topology"))
        return IR_WALK_ON;
    int64_t at = (int64_t)topologies->count - 1 - ir_op_int(op, "cluster_axis", 0);
    if (at < 0 || at >= topologies->count)
        return IR_WALK_ON;
    int64_t topology = ir_enum_value(topologies->items[at], TTCORE_Topology_Disabled);
    if (topology != TTCORE_Topology_Disabled)
        ir_op_set_attr(op, "topology",
                       ir_enum_attr(op->ctx, TTCORE_ATTR(topology), topology));
    return IR_WALK_ON;
}

static bool run_topology(ir_op *module, pass_run *run)
{
    (void)run;
    ir_attr device = ttnn_device_of(module);
    ir_attr topologies = device ? ir_attr_param(device, "meshTopology") : NULL;
    if (ir_attr_is(topologies, IR_ATTR_ARRAY) && topologies->count)
        ir_walk_pre(module, set_topology, (void *)topologies);
    return true;
}

const pass_def ttnn_configure_ccl_ops_pass = {
    .name = "ttnn-configure-ccl-ops",
    .title = "TTNNConfigureCCLOps",
    .summary = "Tell collectives how the mesh is wired",
    .anchor = "builtin.module",
    .run = run_topology,
};

/* ---- names -------------------------------------------------------------------------- */

typedef struct names {
    ir_mapping *seen; /* name -> operation */
    bool ok;
} names;

static ir_walk check_name(ir_op *op, void *user)
{
    names *n = user;
    ir_attr loc = op->loc.bits ? ir_loc_attr(op->ctx, op->loc) : NULL;
    if (!op->n_results || !ir_type_is_tensor(op->results[0].type) ||
        op->def == TTNN_OP(to_tensor_spec) || !ir_attr_is(loc, IR_ATTR_LOC_NAME))
        return IR_WALK_ON;
    const ir_op *before = ir_mapping_get(n->seen, loc->ident);
    if (before)
        n->ok = ir_error(op->ctx, op->loc,
                         "Operation '%s' has a non-unique location: '%s'. Previously seen "
                         "in operation '%s'",
                         op->def->name, loc->ident->text, before->def->name);
    else
        ir_mapping_set(n->seen, loc->ident, op);
    return n->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run_names(ir_op *module, pass_run *run)
{
    (void)run;
    names n = {ir_mapping_create(), true};
    ir_walk_pre(module, check_name, &n);
    ir_mapping_free(n.seen);
    return n.ok;
}

const pass_def ttnn_unique_locations_pass = {
    .name = "ttnn-unique-locations",
    .title = "TTNNUniqueLocations",
    .summary = "Check that named locations are unique",
    .anchor = "builtin.module",
    .run = run_names,
};
