/* hoisted.c: functions that passes moved to the host become part of their callers again:
 * the embedded device computes what the host would, with the program's element types. */
#include "runtime/hoisted.h"

#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "pipelines/registry.h"
#include "runtime/program_impl.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/ttnn.h"

/* As programs are lowered (program.c): no type and no function is replaced by a similar
 * one. */
static const char exact_pipeline[] =
    "stablehlo-to-ttir-pipeline{enable-cpu-fallback=false "
    "enable-aggressive-simplification=false},"
    "ttnn-ttir-passes{enable-element-type-normalization=false enable-exact-fusing=true "
    "canonicalize-disable-patterns=ttir.MergeTypecasts},"
    "ttnn-lowering-passes{signed-integers=true}";

static ir_op *cpu_module_of(ir_op *module)
{
    ir_block *body = ir_op_body(module, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == TTCORE_OP(cpu_module))
            return op;
    return NULL;
}

static bool is_hoisted_call(const ir_op *op)
{
    return op->def == FUNC_OP(call) && (ir_op_attr(op, "ttir.cpu_hoist_call") ||
                                        ir_op_attr(op, "ttir.cpu_hoisted_call"));
}

static bool has_layout(const ir_op *call)
{
    ttnn_layout l;
    const ir_value *v = call->n_operands  ? call->operands[0].value
                        : call->n_results ? &call->results[0]
                                          : NULL;
    return v && ttnn_layout_of(v->type, &l);
}

static bool fits(ir_type wanted, ir_type found)
{
    tw_dtype a, b;
    if (!ir_type_is_tensor(wanted) || !ir_type_is_tensor(found) ||
        wanted->count != found->count || !rt_dtype_of(ir_type_element(wanted), true, &a) ||
        !rt_dtype_of(ir_type_element(found), true, &b) || a != b)
        return false;
    for (uint32_t i = 0; i < wanted->count; i++)
        if (wanted->dims[i] != found->dims[i])
            return false;
    return true;
}

static tw_status check_call(ir_op *call, ir_op *func, tw_str name)
{
    ir_block *body = func && func->def == FUNC_OP(func) ? ir_op_body(func, 0) : NULL;
    int n = (int)TW_MIN(name.size, (size_t)100);
    if (!body || body->next || !body->last || body->last->def != FUNC_OP(return ))
        return tw_error(TW_INVALID, "'%.*s' is called on the host, but has no body there",
                        n, name.data);
    bool ok = body->n_args == call->n_operands && body->last->n_operands == call->n_results;
    for (uint32_t i = 0; ok && i < body->n_args; i++)
        ok = fits(body->args[i]->type, call->operands[i].value->type);
    for (uint32_t i = 0; ok && i < call->n_results; i++)
        ok = fits(body->last->operands[i].value->type, call->results[i].type);
    return ok ? TW_SUCCESS
              : tw_error(TW_INVALID,
                         "'%.*s' is called on the host with tensors of other types than "
                         "it has there",
                         n, name.data);
}

/* A result that is an argument, or shares its memory, outlives the argument. */
static void keep_alive(ir_value *v)
{
    for (ir_operand *use = v->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner->def == TTNN_OP(deallocate))
            ir_op_erase(use->owner);
    }
}

/* Replaces the call by a copy of the body; its last operation is observed instead. */
static void inline_call(ir_op *call, ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *map = ir_mapping_create();
    ir_op *last = NULL;
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_mapping_set(map, body->args[i], call->operands[i].value);
        keep_alive(call->operands[i].value);
    }
    for (ir_op *op = body->first; op != body->last; op = op->next) {
        ir_op *copy = ir_op_clone(op, map);
        copy->loc = call->loc;
        ir_op_set_attr(copy, RT_UNOBSERVED, ir_unit_attr(call->ctx));
        ir_op_insert_before(copy, call);
        last = copy->n_results ? copy : last;
    }
    if (last) {
        fb_copy_place(last, call);
        ir_op_set_attr(last, RT_UNOBSERVED, NULL);
    }
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_value *v = body->last->operands[i].value;
        ir_value *made = ir_mapping_get(map, v);
        ir_value_replace_uses(&call->results[i], made ? made : v);
    }
    ir_mapping_free(map);
    ir_op_erase(call);
}

static void erase_declarations(ir_op *module)
{
    ir_op_list all = ir_ops_in(module, NULL);
    for (size_t i = 0; i < all.n; i++) {
        ir_attr type = ir_op_attr(all.at[i], "tt.function_type");
        if (all.at[i]->def == FUNC_OP(func) && !ir_op_body(all.at[i], 0) &&
            ir_attr_is(type, IR_ATTR_STRING) &&
            tw_str_is(ir_attr_str(type), "forward_cpu_declaration"))
            ir_op_erase(all.at[i]);
    }
    ir_op_list_free(&all);
}

static tw_status inline_calls(const ir_op_list *calls, ir_op *cpu)
{
    for (size_t i = 0; i < calls->n; i++) {
        ir_op *call = calls->at[i];
        tw_str name = ir_symbol_leaf(ir_op_attr(call, "callee"));
        ir_op *func = ir_symbol_lookup(cpu, name);
        TW_TRY(check_call(call, func, name));
        inline_call(call, func);
    }
    return TW_SUCCESS;
}

tw_status rt_inline_hoisted(ir_op *module, bool *out_ok)
{
    ir_op *holder = cpu_module_of(module);
    ir_op *cpu = holder && ir_op_body(holder, 0) ? ir_op_body(holder, 0)->first : NULL;
    *out_ok = true;
    if (!cpu)
        return TW_SUCCESS;
    ir_op_list calls = ir_ops_in(module, is_hoisted_call);
    ir_op_remove(cpu);
    ir_op_erase(holder);
    *out_ok =
        !calls.n || !has_layout(calls.at[0]) || rt_run_passes(cpu, exact_pipeline, NULL);
    tw_status status = *out_ok ? inline_calls(&calls, cpu) : TW_SUCCESS;
    ir_op_list_free(&calls);
    ir_op_erase(cpu);
    if (*out_ok && !status)
        erase_declarations(module);
    return status;
}
