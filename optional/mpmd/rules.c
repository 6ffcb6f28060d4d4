/* rules.c: merges or orders fragments by user rules. */
#include "mlir/passes/passes.h"
#include "mpmd/fragments.h"
#include "mpmd/info.h"
#include "mpmd/merge.h"
#include "mpmd/passes.h"

/* ---- merging ------------------------------------------------------------------------ */

static const mpmd_rule *rule_for(const mpmd_rules *rules, const ir_op *fragment)
{
    mpmd_info info = mpmd_info_of(fragment);
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->at[i].fragments.n; k++)
            if (mpmd_info_equal(&rules->at[i].fragments.at[k], &info))
                return &rules->at[i];
    return NULL;
}

static bool check_sources(ir_op *func, const mpmd_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->at[i].fragments.n; k++) {
            const mpmd_info *info = &rules->at[i].fragments.at[k];
            for (size_t m = 0; m < i; m++)
                for (size_t n = 0; n < rules->at[m].fragments.n; n++) {
                    if (!mpmd_info_equal(info, &rules->at[m].fragments.at[n]))
                        continue;
                    tw_strbuf text = {0};
                    mpmd_print_info(info, &text);
                    ir_error_at_op(func,
                                   "Fragment %s is already part of another merge rule.",
                                   tw_strbuf_text(&text));
                    tw_strbuf_free(&text);
                    return false;
                }
        }
    return true;
}

/* Merges, in block order, all fragments on its mesh that the fragment's rule names. The
 * new fragment follows the first's position; NULL if there is nothing to merge. */
static ir_op *apply(const mpmd_rules *rules, ir_op *fragment)
{
    const mpmd_rule *rule = rule_for(rules, fragment);
    ir_op *after = fragment->next, *made = NULL;
    for (ir_op *op = fragment->next, *next; rule && op; op = next) {
        next = op->next;
        if (!mpmd_is_fragment(op) || rule_for(rules, op) != rule ||
            ir_op_attr(op, "mesh_name") != ir_op_attr(fragment, "mesh_name"))
            continue;
        after = after == op ? op->next : after;
        fragment = made = mpmd_merge(fragment, op);
    }
    if (!made)
        return NULL;
    mpmd_set_info(made, &rule->target);
    if (made->next != after) {
        ir_op_insert_before(made, after);
    }
    return made;
}

static bool merge_by_rules(ir_op *func, const mpmd_rules *rules)
{
    for (ir_op *op = ir_op_body(func, 0)->first, *next; op; op = next) {
        ir_op *made = mpmd_is_fragment(op) ? apply(rules, op) : NULL;
        next = made ? made : op->next; /* it may match another rule */
    }
    return transform_sort_block(ir_op_body(func, 0)) ||
           ir_error_at_op(func, "Cycle detected in the program, not all fragments could be "
                                "properly merged.");
}

bool mpmd_rule_based_merge(ir_op *func, pass_run *run)
{
    mpmd_rules rules = {.n = 0};
    if (!mpmd_is_function(func))
        return true;
    bool ok = mpmd_parse_rules(func->ctx, pass_option_str(run, "rules"), true, &rules) &&
              check_sources(func, &rules) && merge_by_rules(func, &rules);
    if (ok && pass_option_bool(run, "remove-control-dependencies"))
        mpmd_remove_controls(func);
    mpmd_free_rules(&rules);
    return ok;
}

/* ---- order -------------------------------------------------------------------------- */

/* Collects the user fragments and their infos; false if two have the same info. */
static bool name_fragments(ir_op *func, ir_op_list *fragments, mpmd_infos *infos)
{
    *fragments = ir_ops_in(func, mpmd_is_fragment);
    size_t n = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < fragments->n; i++) {
        if (!mpmd_is_user_fragment(fragments->at[i]))
            continue;
        mpmd_info info = mpmd_info_of(fragments->at[i]);
        for (size_t k = 0; ok && k < infos->n; k++)
            ok = !mpmd_info_equal(&infos->at[k], &info);
        if (!ok) {
            tw_strbuf text = {0};
            mpmd_print_info(&info, &text);
            ir_error_at_op(func,
                           "Fragment info %s already exists for another fragment. Check if "
                           "you have multiple `named_computation` with the same name. If "
                           "so, please rename one of them.",
                           tw_strbuf_text(&text));
            tw_strbuf_free(&text);
        }
        fragments->at[n++] = fragments->at[i];
        TW_PUSH(infos->at, infos->n, infos->capacity, info);
    }
    fragments->n = n;
    return ok;
}

static ir_op *fragment_named(const ir_op_list *fragments, const mpmd_infos *infos,
                             const mpmd_info *info)
{
    for (size_t i = 0; i < infos->n; i++)
        if (mpmd_info_equal(&infos->at[i], info))
            return fragments->at[i];
    return NULL;
}

/* Orders each fragment after its predecessor in the rule, if that exists on the same mesh
 * and no data dependency is in the opposite direction. */
static void order_by(const mpmd_rule *rule, const ir_op_list *fragments,
                     const mpmd_infos *infos)
{
    ir_op *before = NULL;
    for (size_t i = 0; i < rule->fragments.n; i++) {
        ir_op *op = fragment_named(fragments, infos, &rule->fragments.at[i]);
        if (!op)
            continue;
        if (before && before != op && before->n_results && before->block == op->block &&
            ir_op_attr(before, "mesh_name") == ir_op_attr(op, "mesh_name") &&
            !mpmd_depends(before, op) && !mpmd_depends(op, before))
            mpmd_add_control(before, op);
        before = op;
    }
}

bool mpmd_rule_based_schedule(ir_op *func, pass_run *run)
{
    mpmd_rules rules = {.n = 0};
    mpmd_infos infos = {.n = 0};
    ir_op_list fragments = {.n = 0};
    if (!mpmd_is_function(func))
        return true;
    bool ok = mpmd_parse_rules(func->ctx, pass_option_str(run, "rules"), false, &rules) &&
              name_fragments(func, &fragments, &infos);
    mpmd_number_ops(ir_op_body(func, 0));
    for (size_t i = 0; ok && i < rules.n; i++)
        order_by(&rules.at[i], &fragments, &infos);
    if (ok)
        transform_sort_block(ir_op_body(func, 0));
    if (ok && pass_option_bool(run, "remove-control-dependencies"))
        mpmd_remove_controls(func);
    mpmd_free_rules(&rules);
    free(infos.at);
    ir_op_list_free(&fragments);
    return ok;
}
