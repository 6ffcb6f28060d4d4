/* offload.c: marks arguments and results of fragments that are in host memory, and checks
 * them against the function's own. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "stablehlo/stablehlo.h"

enum { MAX_HOPS = 100000 /* through calls that may be cyclic */ };

static bool calls(const ir_op *op, const char *target)
{
    ir_attr name =
        op->def == STABLEHLO_OP(custom_call) ? ir_op_attr(op, "call_target_name") : NULL;
    return ir_attr_is(name, IR_ATTR_STRING) && tw_str_is(ir_attr_str(name), target);
}

static bool is_one(int64_t size)
{
    return size == 1;
}

/* True for reshapes that only add or drop unit dimensions. */
static bool is_trivial_reshape(const ir_op *op)
{
    if (op->def != STABLEHLO_OP(reshape) && op->def != STABLEHLO_OP(broadcast_in_dim))
        return false;
    ir_type a = op->operands[0].value->type, b = op->results[0].type;
    uint32_t i = 0, k = 0;
    for (;;) {
        while (i < a->count && is_one(a->dims[i]))
            i++;
        while (k < b->count && is_one(b->dims[k]))
            k++;
        if (i == a->count || k == b->count)
            return i == a->count && k == b->count;
        if (a->dims[i++] != b->dims[k++])
            return false;
    }
}

static ir_value *yielded(ir_block *body, uint32_t i)
{
    return body && body->last && i < body->last->n_operands ? body->last->operands[i].value
                                                            : NULL;
}

/* The operand whose memory this result shares; NULL if it is newly allocated. */
static ir_value *same_memory(ir_op *op, uint32_t result)
{
    if (op->def == STABLEHLO_OP(optimization_barrier))
        return op->operands[result].value;
    if (op->def == STABLEHLO_OP(while))
        return yielded(ir_op_body(op, 1), result);
    if (op->def == STABLEHLO_OP(dynamic_update_slice))
        return op->operands[1].value;
    if (is_trivial_reshape(op) ||
        (op->n_operands && (calls(op, "Sharding") || calls(op, "SPMDShardToFullShape") ||
                            calls(op, "SPMDFullToShardShape"))))
        return op->operands[0].value;
    ir_op *callee = op->def == FUNC_OP(call) ? mpmd_callee(op) : NULL;
    return callee ? yielded(ir_op_body(callee, 0), result) : NULL;
}

static ir_attr frontend_text(const ir_op *op, const char *name)
{
    ir_attr dict = ir_op_attr(op, "mhlo.frontend_attributes");
    ir_attr text =
        ir_attr_is(dict, IR_ATTR_DICT) ? ir_dict_get(dict, tw_str_from(name)) : NULL;
    return ir_attr_is(text, IR_ATTR_STRING) ? text : NULL;
}

/* For values inside a fragment. */
static bool is_in_host_memory(ir_value *v)
{
    for (int hops = 0; v && hops < MAX_HOPS; hops++) {
        ir_op *op = ir_value_def(v);
        if (!op)
            return false;
        ir_attr where = frontend_text(op, "_xla_compute_type");
        if (where)
            return tw_str_is(ir_attr_str(where), "host");
        v = same_memory(op, v->index);
        if (v || !calls(op, "annotate_device_placement"))
            continue;
        where = frontend_text(op, "_xla_buffer_placement");
        return where && tw_str_is(ir_attr_str(where), MPMD_PINNED_HOST);
    }
    return false;
}

/* For values outside, by the attributes of the function or another fragment. */
static bool comes_from_host(const ir_op *func, const ir_value *v)
{
    ir_op *producer = ir_value_def(v);
    if (!producer)
        return mpmd_is_host(func_arg_attr(func, v->index, MPMD_MEMORY_KIND));
    return mpmd_is_fragment(producer) &&
           mpmd_is_host(mpmd_io_attr(producer, "res_attrs", v->index, MPMD_MEMORY_KIND));
}

static void mark_fragment(ir_op *func, ir_op *f)
{
    ir_attr host = ir_string_attr(func->ctx, TW_STR(MPMD_PINNED_HOST));
    ir_op *end = mpmd_end(f);
    mpmd_default_io_attrs(f, "arg_attrs", f->n_operands);
    for (uint32_t i = 0; i < f->n_operands; i++)
        if (comes_from_host(func, f->operands[i].value))
            mpmd_set_io_attr(f, "arg_attrs", f->n_operands, i, MPMD_MEMORY_KIND, host);
    mpmd_default_io_attrs(f, "res_attrs", f->n_results);
    for (uint32_t i = 0; i < f->n_results; i++)
        if (is_in_host_memory(end->operands[i].value))
            mpmd_set_io_attr(f, "res_attrs", f->n_results, i, MPMD_MEMORY_KIND, host);
}

/* ---- the function's attributes ------------------------------------------------------ */

static const char *shown(const ir_op *func, ir_attr kind)
{
    return kind ? ir_attr_text(func->ctx, kind) : "<<NULL ATTRIBUTE>>";
}

static bool is_on_device(ir_attr kind)
{
    return !ir_attr_is(kind, IR_ATTR_STRING) || tw_str_is(ir_attr_str(kind), "device");
}

static ir_attr kind_at_use(const ir_op *func, const ir_operand *use)
{
    size_t i = ir_operand_number(use);
    if (mpmd_is_fragment(use->owner))
        return mpmd_io_attr(use->owner, "arg_attrs", i, MPMD_MEMORY_KIND);
    return use->owner->def == FUNC_OP(return ) ? func_result_attr(func, i, MPMD_MEMORY_KIND)
                                               : NULL;
}

static bool check_argument(const ir_op *func, const ir_value *arg)
{
    ir_attr own = func_arg_attr(func, arg->index, MPMD_MEMORY_KIND);
    ir_attr first = arg->uses ? kind_at_use(func, arg->uses) : NULL;
    bool ok = true;
    for (ir_operand *use = arg->uses ? arg->uses->next_use : NULL; use; use = use->next_use)
        if (kind_at_use(func, use) != first)
            ok = ir_error(func->ctx, ir_value_loc(arg),
                          "Memory kind mismatch between users of arg %u: %s vs %s",
                          arg->index, shown(func, first),
                          shown(func, kind_at_use(func, use)));
    if (arg->uses && is_on_device(own) != is_on_device(first))
        ok = ir_error(func->ctx, ir_value_loc(arg),
                      "Memory kind mismatch between arg %u and users: %s vs %s", arg->index,
                      shown(func, own), shown(func, first));
    return ok;
}

static bool check_result(const ir_op *func, uint32_t i)
{
    ir_op *end = mpmd_end(func);
    ir_value *v = end->operands[i].value;
    ir_op *producer = ir_value_def(v);
    ir_attr own = func_result_attr(func, i, MPMD_MEMORY_KIND), kind = NULL;
    if (!producer)
        kind = func_arg_attr(func, v->index, MPMD_MEMORY_KIND);
    else if (mpmd_is_fragment(producer))
        kind = mpmd_io_attr(producer, "res_attrs", v->index, MPMD_MEMORY_KIND);
    return is_on_device(own) == is_on_device(kind) ||
           ir_error_at_op(
               end, "Memory kind mismatch between result %u and defining op: %s vs %s", i,
               shown(func, own), shown(func, kind));
}

bool mpmd_mark_offloaded_input_output(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_entry(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    bool ok = true;
    for (ir_op *op = body->first; op; op = op->next)
        if (mpmd_is_fragment(op))
            mark_fragment(func, op);
    for (uint32_t i = 0; i < body->n_args; i++)
        ok &= check_argument(func, body->args[i]);
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        ok &= check_result(func, i);
    return ok;
}
