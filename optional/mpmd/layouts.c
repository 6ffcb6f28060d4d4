/* layouts.c: sets the layouts requested for arguments and results at every fragment they
 * pass through. No attribute is the default layout; "auto" leaves the choice open. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

static bool is_text(ir_attr layout, const char *text)
{
    return ir_attr_is(layout, IR_ATTR_STRING) && tw_str_is(ir_attr_str(layout), text);
}

static bool is_auto(ir_attr layout)
{
    return is_text(layout, "auto");
}

static bool is_default(ir_attr layout)
{
    return !layout || is_text(layout, "default");
}

static bool is_compatible(ir_attr a, ir_attr b)
{
    return (is_default(a) && is_default(b)) || is_auto(a) || is_auto(b) || a == b;
}

static ir_attr text_attr(const ir_op *func, const char *text)
{
    return ir_string_attr(func->ctx, tw_str_from(text));
}

static const char *shown(const ir_op *func, ir_attr layout)
{
    return layout ? ir_attr_text(func->ctx, layout) : "<<NULL ATTRIBUTE>>";
}

/* CPU transfers support the default layout only. */
static bool needs_default(const ir_op *transfer)
{
    return mpmd_is_cpu(mpmd_mesh_of(transfer->results[0].type));
}

static void set_of_users(ir_value *v, ir_attr layout, ir_op *func)
{
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        ir_attr set = is_default(layout) ? NULL : layout;
        size_t i = ir_operand_number(use);
        if (mpmd_is_fragment(user))
            mpmd_set_io_attr(user, "arg_attrs", user->n_operands, i, MPMD_LAYOUT, set);
        else if (user == mpmd_end(func))
            func_set_result_attr(func, i, MPMD_LAYOUT, set);
        else if (mpmd_is_transfer(user))
            set_of_users(&user->results[0],
                         needs_default(user) ? text_attr(func, "default") : layout, func);
    }
}

/* The layout requirements on a value. */
typedef struct wanted {
    ir_attr layout;     /* of the function results it is returned as; "auto" if none */
    int64_t result;     /* index of that result; -1 */
    size_t inner;       /* uses by fragments and transfers */
    bool needs_default; /* required by one of the transfers */
} wanted;

static bool look_at_users(ir_value *v, ir_op *func, wanted *out)
{
    ir_op *end = mpmd_end(func);
    *out = (wanted){.layout = text_attr(func, "auto"), .result = -1};
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        if (use->owner != end) {
            out->inner++;
            out->needs_default |= mpmd_is_transfer(use->owner) && needs_default(use->owner);
            continue;
        }
        size_t i = ir_operand_number(use);
        ir_attr layout = func_result_attr(func, i, MPMD_LAYOUT);
        if (!is_compatible(out->layout, layout))
            return ir_error_at_op(
                end,
                "Result #%lld is also returned as result #%zu, but with incompatible "
                "layouts: %s vs. %s",
                (long long)out->result, i, shown(func, out->layout), shown(func, layout));
        if (is_auto(layout))
            continue;
        out->layout = layout;
        out->result = (int64_t)i;
    }
    return true;
}

/* The layout of a value: the requested one, or the default where nothing else is
 * possible. An automatic one may have at most `free_uses` users that are no results. */
static ir_attr choose(ir_op *func, const wanted *w, ir_attr layout, size_t free_uses,
                      const char *what, uint32_t index, ir_loc loc)
{
    ir_attr plain = text_attr(func, "default");
    if (w->needs_default && !is_compatible(layout, plain))
        ir_warning(func->ctx, loc,
                   "%s #%u is used in a transfer op, but with a non-default layout: %s. "
                   "Forcing the layout to default.",
                   what, index, shown(func, layout));
    return w->needs_default || (is_auto(layout) && w->inner > free_uses) ? plain : layout;
}

static bool mark_argument(ir_op *func, ir_value *arg)
{
    wanted w;
    ir_attr layout = func_arg_attr(func, arg->index, MPMD_LAYOUT);
    if (!arg->uses)
        return true;
    if (!look_at_users(arg, func, &w))
        return false;
    if (!is_compatible(layout, w.layout))
        return ir_error_at_op(func,
                              "Arg #%u is returned as result #%lld, but with incompatible "
                              "layouts: %s vs. %s",
                              arg->index, (long long)w.result, shown(func, layout),
                              shown(func, w.layout));
    layout = choose(func, &w, is_auto(w.layout) ? layout : w.layout, 1, "Arg", arg->index,
                    ir_value_loc(arg));
    func_set_arg_attr(func, arg->index, MPMD_LAYOUT, is_default(layout) ? NULL : layout);
    set_of_users(arg, layout, func);
    return true;
}

static bool mark_result(ir_op *func, ir_op *fragment, uint32_t i)
{
    ir_value *v = &fragment->results[i];
    wanted w;
    if (!look_at_users(v, func, &w))
        return false;
    ir_attr layout = choose(func, &w, w.layout, 0, "Result", i, ir_value_loc(v));
    mpmd_set_io_attr(fragment, "res_attrs", fragment->n_results, i, MPMD_LAYOUT,
                     is_default(layout) ? NULL : layout);
    set_of_users(v, layout, func);
    return true;
}

bool mpmd_mark_input_output_with_layouts(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_entry(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    bool ok = true;
    for (uint32_t i = 0; ok && i < body->n_args; i++)
        ok = mark_argument(func, body->args[i]);
    for (ir_op *op = body->first; ok && op; op = op->next)
        for (uint32_t i = 0; ok && mpmd_is_fragment(op) && i < op->n_results; i++)
            ok = mark_result(func, op, i);
    return ok;
}
