/* rules.c: register-custom-sharding-rule and register-user-sharding-rule: set the sharding
 * rules of custom calls on the calls. A user's rule is text and has the standing of the
 * built-in rules of Tenstorrent's calls (sdy/rules_tt.c): it is derived again after passes
 * have removed it. */
#include "sdy/propagation/rules.h"
#include "ir/pass/pass.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/stablehlo.h"

static bool is_call(const ir_op *op)
{
    return op->def == STABLEHLO_OP(custom_call);
}

static bool is_of_gspmd(const ir_op *op)
{
    return mesh_is_call(op, "Sharding") || mesh_is_shape_call(op);
}

static bool has_devices(ir_op *module)
{
    ir_op *mesh = mesh_first(module);
    ir_attr axes = mesh ? ir_op_attr(mesh, "mesh")->params[0] : NULL;
    int64_t n = 1;
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        n *= ir_attr_int(axes->items[i]->params[1], 1);
    return n > 1;
}

static bool run_known(ir_op *module, pass_run *run)
{
    (void)run;
    bool distributed = has_devices(module);
    ir_op_list all = ir_ops_in(module, is_call);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
        if (sdy_is_tt_call(op))
            sdy_rule_of(op, false, true);
        else if (distributed && !sdy_knows_call(op) && !sdy_user_rule_text(op).size &&
                 !is_of_gspmd(op))
            ir_op_warning(op,
                          "StableHLO CustomCallOp sharding rule is not defined for target "
                          "'%.*s'",
                          (int)target.size, target.data);
    }
    ir_op_list_free(&all);
    return true;
}

static bool run_user(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(module, is_call);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++) {
        ir_op *op = all.at[i];
        if (!sdy_user_rule_text(op).size)
            continue;
        ir_attr rule = sdy_user_rule(op);
        ok = rule || ir_op_error(op, "failed to parse 'xla.sdy.custom_sharding_rule' "
                                     "frontend attribute as an #sdy.op_sharding_rule");
        if (ok)
            ir_op_set_attr(op, "sdy.sharding_rule", rule);
    }
    ir_op_list_free(&all);
    return ok;
}

const pass_def register_custom_sharding_rule_pass = {
    .name = "register-custom-sharding-rule",
    .title = "RegisterCustomShardingRulePass",
    .summary = "Sets the sharding rules of Tenstorrent's custom calls.",
    .anchor = "builtin.module",
    .run = run_known,
};

const pass_def register_user_sharding_rule_pass = {
    .name = "register-user-sharding-rule",
    .title = "RegisterUserShardingRulePass",
    .summary = "Sets user-specified sharding rules of custom calls.",
    .anchor = "builtin.module",
    .run = run_user,
};
