/* validate.c: checks for leftovers in a finished program: transfers of parameters,
 * fragments that were inferred, only reshard or go back to an earlier mesh, names in mpmd
 * functions. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

/* An error, which stops, or a warning. */
static bool report(ir_op *op, bool error, const char *text)
{
    return error ? ir_error_at_op(op, "%s", text)
                 : (ir_warning(op->ctx, op->loc, "%s", text), true);
}

static bool is_fragment_call(const ir_op *op)
{
    return op->def == MPMD_OP(fragment_call);
}

/* ---- back to an earlier mesh -------------------------------------------------------- */

/* The call that defines a value, through transfers. */
static ir_op *defining_call(const ir_value *v)
{
    ir_op *defining = ir_value_def(v);
    while (defining && mpmd_is_transfer(defining))
        defining = ir_value_def(defining->operands[0].value);
    return defining && is_fragment_call(defining) ? defining : NULL;
}

static bool check_dependency(ir_op *producer, ir_op *consumer, bool error)
{
    tw_str from = mpmd_fragment_mesh(producer), to = mpmd_fragment_mesh(consumer);
    tw_str a = ir_symbol_leaf(ir_op_attr(producer, "callee"));
    tw_str b = ir_symbol_leaf(ir_op_attr(consumer, "callee"));
    if (tw_str_equal(from, to) || mpmd_mesh_before(from, to))
        return true;
    tw_strbuf text = {0};
    tw_strbuf_printf(
        &text,
        "Detected backward dependency but expected forward-only pipeline since "
        "there are no transpose fragments: fragment \"%.*s\" mesh=\"%.*s\" "
        "produces a value consumed by fragment \"%.*s\" mesh=\"%.*s\". In a "
        "forward-only pipeline, dependencies must go from earlier meshes to "
        "later meshes.",
        (int)a.size, a.data, (int)from.size, from.data, (int)b.size, b.data, (int)to.size,
        to.data);
    bool ok = report(consumer, error, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return ok;
}

bool mpmd_validate_no_backward_deps(ir_op *func, pass_run *run)
{
    bool error = pass_option_bool(run, "fail-on-backward-deps"), ok = true, forward = true;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list calls = ir_ops_in(func, is_fragment_call);
    for (size_t i = 0; i < calls.n; i++)
        forward &= mpmd_max_transposes(calls.at[i]) <= 0;
    if (!forward && error)
        ok = ir_error_at_op(
            func, "Expected forward-only program but found non-forward fragments.");
    for (size_t i = 0; forward && i < calls.n; i++)
        for (uint32_t k = 0; k < calls.at[i]->n_operands; k++) {
            ir_op *producer = defining_call(calls.at[i]->operands[k].value);
            ok &= !producer || check_dependency(producer, calls.at[i], error);
        }
    ir_op_list_free(&calls);
    return ok;
}

/* ---- inferred ----------------------------------------------------------------------- */

/* Inferring passes whose fragments cause only a warning. */
static const char *const known[] = {
    "uniquify",
    "infer_mesh_wrap_meshless_ops",
    "extract_reshards",
    "infer_mesh_wrap_resultless_ops",
    "infer_mesh_convert_reduce_ops",
    "introduce_transfers",
};

static bool check_inferred(ir_op *f, bool error)
{
    ir_attr by = ir_op_attr(f, MPMD_INFERRED_BY);
    if (!ir_attr_is(by, IR_ATTR_ARRAY) || !by->count)
        return ir_error_at_op(f, "Internal error: inferred fragment missing '%s' attribute",
                              MPMD_INFERRED_BY);
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "Inferred fragment has not been merged (inferred by ");
    for (uint32_t i = 0; i < by->count; i++) {
        tw_str who = ir_attr_is(by->items[i], IR_ATTR_STRING) ? ir_attr_str(by->items[i])
                                                              : TW_STR("?");
        tw_strbuf_printf(&text, "%s%.*s", i ? ", " : "", (int)who.size, who.data);
        for (size_t k = 0; k < TW_COUNT(known); k++)
            error &= !tw_str_is(who, known[k]);
    }
    tw_strbuf_puts(&text, ")");
    bool ok = report(f, error, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return ok;
}

bool mpmd_validate_no_inferred_fragments(ir_op *func, pass_run *run)
{
    bool error = pass_option_bool(run, "fail-on-inferred-fragments"), ok = true;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    for (size_t i = 0; i < all.n; i++)
        ok &= mpmd_is_user_fragment(all.at[i]) || check_inferred(all.at[i], error);
    ir_op_list_free(&all);
    return ok;
}

/* ---- parameters --------------------------------------------------------------------- */

/* The location's name if it contains the pattern. */
static tw_str matching_name(ir_context *ctx, ir_loc loc, tw_str pattern)
{
    ir_attr attr = ir_loc_attr(ctx, loc);
    tw_str name =
        ir_attr_is(attr, IR_ATTR_LOC_NAME) ? ir_ident_str(attr->ident) : TW_STR("");
    for (size_t i = 0; i + pattern.size <= name.size; i++)
        if (!memcmp(name.data + i, pattern.data, pattern.size))
            return name;
    return TW_STR("");
}

static bool check_parameter(ir_op *transfer, tw_str pattern, bool error)
{
    ir_value *v = transfer->operands[0].value;
    tw_str of_value = matching_name(transfer->ctx, ir_value_loc(v), pattern);
    tw_str own = matching_name(transfer->ctx, transfer->loc, pattern);
    tw_str from = mpmd_mesh_of(v->type), to = mpmd_mesh_of(transfer->results[0].type);
    if (!mpmd_between_meshes(transfer) || (!of_value.size && !own.size))
        return true;
    tw_strbuf text = {0};
    tw_strbuf_printf(&text,
                     "Detected cross-mesh transfer of a parameter matching \"%.*s\" from "
                     "mesh \"%.*s\" to \"%.*s\". JAX locations: [",
                     (int)pattern.size, pattern.data, (int)from.size, from.data,
                     (int)to.size, to.data);
    if (of_value.size)
        tw_strbuf_printf(&text, "\"%.*s\"", (int)of_value.size, of_value.data);
    if (own.size && !tw_str_equal(own, of_value))
        tw_strbuf_printf(&text, "%s\"%.*s\"", of_value.size ? ", " : "", (int)own.size,
                         own.data);
    tw_strbuf_puts(&text, "]");
    bool ok = report(transfer, error, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return ok;
}

bool mpmd_validate_no_param_transfers(ir_op *func, pass_run *run)
{
    bool error = pass_option_bool(run, "fail-on-param-transfers"), ok = true;
    tw_str pattern = pass_option_str(run, "param-pattern");
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_transfer);
    for (size_t i = 0; i < all.n; i++)
        ok &= check_parameter(all.at[i], pattern, error);
    ir_op_list_free(&all);
    return ok;
}

/* ---- reshards ----------------------------------------------------------------------- */

static bool only_reshards(ir_op *callee)
{
    ir_block *body = ir_op_body(callee, 0);
    bool all = body->first == body->last && body->last->def == FUNC_OP(return );
    for (uint32_t i = 0; all && i < body->last->n_operands; i++)
        all = body->last->operands[i].value->is_argument;
    return all;
}

static void print_type(tw_strbuf *out, ir_type type)
{
    ir_attr sharding = type->params[MPMD_TYPE_SHARDING];
    ir_type tensor = type->params[MPMD_TYPE_TENSOR]->type;
    tw_strbuf_puts(out, sharding ? ir_attr_text(type->ctx, sharding) : "Replicated");
    tw_strbuf_puts(out, " <");
    for (uint32_t i = 0; i < tensor->count; i++)
        tw_strbuf_printf(out, "%s%lld", i ? "x" : "", (long long)tensor->dims[i]);
    tw_strbuf_printf(out, "x%s>", ir_type_text(type->ctx, tensor->element));
}

static void print_result(tw_strbuf *out, const ir_op *func, const ir_value *v)
{
    print_type(out, v->type);
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_attr info =
            use->owner->def == FUNC_OP(return )
                ? func_result_attr(func, ir_operand_number(use), "jax.result_info")
                : NULL;
        if (ir_attr_is(info, IR_ATTR_STRING))
            tw_strbuf_printf(out, " loc(\"%s\")", info->ident->text);
    }
}

static bool check_reshard(const ir_op *func, ir_op *call, bool error)
{
    tw_str callee = ir_symbol_leaf(ir_op_attr(call, "callee"));
    tw_strbuf text = {0};
    if (mpmd_is_user_fragment(call))
        return ir_error_at_op(
            call,
            "Internal error: reshard-only fragment '%.*s' is not an inferred fragment",
            (int)callee.size, callee.data);
    tw_strbuf_printf(&text,
                     "Detected reshard-only fragment '%.*s'. This usually indicates an "
                     "unexpected reshard. Operands: ",
                     (int)callee.size, callee.data);
    for (uint32_t i = 0; i < call->n_operands; i++) {
        ir_value *v = call->operands[i].value;
        tw_strbuf_puts(&text, i ? ", " : "");
        print_type(&text, v->type);
        tw_strbuf_printf(&text, " %s",
                         ir_attr_text(call->ctx, ir_loc_attr(call->ctx, ir_value_loc(v))));
    }
    tw_strbuf_puts(&text, ". Results: ");
    for (uint32_t i = 0; i < call->n_results; i++) {
        tw_strbuf_puts(&text, i ? ", " : "");
        print_result(&text, func, &call->results[i]);
    }
    bool ok = report(call, error, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return ok;
}

bool mpmd_validate_no_reshards(ir_op *func, pass_run *run)
{
    bool error = pass_option_bool(run, "fail-on-reshard-only-fragments"), ok = true;
    ir_op_list calls = ir_ops_in(func, is_fragment_call);
    for (size_t i = 0; i < calls.n; i++) {
        ir_op *callee = mpmd_callee(calls.at[i]);
        ok &= !callee || !only_reshards(callee) || check_reshard(func, calls.at[i], error);
    }
    ir_op_list_free(&calls);
    return ok;
}

/* ---- names -------------------------------------------------------------------------- */

static bool is_named(const ir_op *op)
{
    return op->def == MPMD_OP(named_computation) || op->def == MPMD_OP(named_tensor);
}

/* Only reports: the next consumer rejects them. */
bool mpmd_validate_named_ops_in_mpmd_func(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(func, is_named);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *parent = ir_op_parent(all.at[i]);
        if (mpmd_is_function(parent) || !strncmp(parent->def->name, "mpmd.", 5))
            continue;
        ir_error_at_op(all.at[i],
                       "Named %ss can only be nested in mpmd functions or mpmd ops.",
                       all.at[i]->def == MPMD_OP(named_tensor) ? "tensor" : "computation");
    }
    ir_op_list_free(&all);
    return true;
}
