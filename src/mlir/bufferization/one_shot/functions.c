/* functions.c: functions and calls: callees are analyzed before their callers, which learn
 * from that which arguments are read and written, and which results are arguments. */
#include "mlir/bufferization/one_shot/state.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"

#include <stdlib.h>

/* ---- analysis of a module ----------------------------------------------------------- */

static ir_op *only_return(const ir_op *func)
{
    ir_op *found = NULL;
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        if (ir_op_is(b->last, FUNC_OP(return ))) {
            if (found)
                return NULL;
            found = b->last;
        }
    return found;
}

typedef struct written_query {
    buf_state *s;
    bool written;
} written_query;

static void note_write(ir_value *v, void *user)
{
    written_query *q = user;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        q->written |= buf_is_in_place(q->s, use) && buf_writes(q->s, use);
}

static void summarize(buf_state *s, buf_function *f)
{
    const ir_block *entry = ir_op_body(f->op, 0);
    const ir_op *ret = only_return(f->op);
    uint32_t n_args = entry->n_args, n_results = ret ? ret->n_operands : 0;
    f->reads = tw_xmalloc(n_args + 1);
    f->writes = tw_xmalloc(n_args + 1);
    f->equivalent = tw_xmalloc((n_results + 1) * sizeof *f->equivalent);
    f->aliases = tw_xmalloc((size_t)n_args * n_results + 1);
    for (uint32_t i = 0; i < n_args; i++) {
        written_query q = {s, false};
        f->reads[i] = f->writes[i] = false;
        if (!buf_is_tensor(entry->args[i]->type))
            continue;
        f->reads[i] = buf_is_read(s, entry->args[i]);
        buf_each_alias(s, entry->args[i], note_write, &q);
        f->writes[i] = q.written;
    }
    for (uint32_t k = 0; k < n_results; k++) {
        const ir_value *v = ir_op_operand(ret, k);
        f->equivalent[k] = -1;
        for (uint32_t i = 0; i < n_args; i++) {
            bool tensors = buf_is_tensor(v->type) && buf_is_tensor(entry->args[i]->type);
            f->aliases[(size_t)k * n_args + i] =
                tensors && buf_may_alias(s, v, entry->args[i]);
            if (tensors && buf_are_equivalent(s, v, entry->args[i]))
                f->equivalent[k] = i;
        }
    }
    f->is_analyzed = true;
}

static bool analyze_function(buf_state *s, size_t index)
{
    ir_op *op = s->functions[index].op;
    if (s->functions[index].is_done)
        return true;
    if (s->functions[index].is_in_progress)
        return ir_op_error(s->module,
                           "expected callgraph to be free of circular dependencies.");
    s->functions[index].is_in_progress = true;
    ir_op_list inside = ir_ops_in(op, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < inside.n; i++) {
        ir_op *callee =
            inside.at[i]->def == FUNC_OP(call) ? buf_callee(inside.at[i]) : NULL;
        const buf_function *f = buf_function_of(s, callee);
        if (f)
            ok = analyze_function(s, (size_t)(f - s->functions));
    }
    ir_op_list_free(&inside);
    if (s->options->copy_before_write)
        buf_copy_before_writes(s, op);
    else
        ok = ok && buf_analyze(s, op);
    if (ok && only_return(op))
        summarize(s, &s->functions[index]);
    s->functions[index].is_done = true;
    TW_PUSH(s->order, s->n_order, s->order_capacity, op);
    return ok;
}

static bool returns_tensors(const ir_op *func)
{
    ir_attr attr = ir_op_attr(func, "function_type");
    ir_type type = ir_attr_is(attr, IR_ATTR_TYPE) ? attr->type : NULL;
    for (uint32_t i = 0; type && i < type->results; i++)
        if (buf_is_tensor(ir_function_results(type)[i]))
            return true;
    return false;
}

bool buf_analyze_functions(buf_state *s)
{
    for (ir_op *op = ir_op_body(s->module, 0)->first; op; op = op->next) {
        if (op->def != FUNC_OP(func))
            continue;
        if (!ir_op_body(op, 0)) {
            if (returns_tensors(op))
                return ir_error_at_op(op, "cannot bufferize bodiless function that "
                                          "returns a tensor") ||
                       ir_error_at_op(op, "failed to bufferize op");
            continue;
        }
        buf_function f = {.op = op};
        TW_PUSH(s->functions, s->n_functions, s->functions_capacity, f);
        ir_mapping_set(s->function_index, op, (void *)(uintptr_t)s->n_functions);
    }
    for (size_t i = 0; i < s->n_functions; i++)
        if (!analyze_function(s, i))
            return false;
    for (ir_op *op = ir_op_body(s->module, 0)->first; op; op = op->next)
        if (op->def != FUNC_OP(func) && op->n_regions && !buf_analyze(s, op))
            return false;
    return true;
}

/* ---- func.func and func.return ------------------------------------------------------ */

static bool func_is_writable(buf_state *s, const ir_value *v)
{
    (void)s;
    const ir_block *block = ir_value_block(v);
    const ir_op *func = block->region->owner;
    if (block != func->regions[0].first)
        return true;
    ir_attr flag = func_arg_attr(func, v->index, "bufferization.writable");
    return flag ? ir_attr_bool(flag) : true;
}

static ir_type boundary_type(const buf_options *o, ir_type tensor)
{
    if (o->boundary_type)
        return o->boundary_type(tensor);
    return o->identity_boundaries ? buf_identity_type(tensor, NULL)
                                  : buf_dynamic_type(tensor, NULL);
}

/* The function's type with tensors as buffers; of results only if there is no body. */
static ir_type converted(const buf_options *o, ir_type function)
{
    size_t n = (size_t)function->count + function->results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (size_t i = 0; i < n; i++)
        types[i] = buf_is_tensor(function->types[i]) ? boundary_type(o, function->types[i])
                                                     : function->types[i];
    ir_type made = ir_function_type(function->ctx, types, function->count,
                                    types + function->count, function->results);
    free(types);
    return made;
}

static bool func_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_attr attr = ir_op_attr(op, "function_type");
    ir_block *entry = ir_op_body(op, 0);
    if (!entry) {
        if (ir_attr_is(attr, IR_ATTR_TYPE))
            ir_op_set_attr(op, "function_type",
                           ir_type_attr(converted(r->options, attr->type)));
        return true;
    }
    for (ir_block *b = entry; b; b = b->next)
        for (uint32_t i = 0; i < b->n_args; i++)
            if (buf_is_tensor(b->args[i]->type))
                buf_set_argument(r, b->args[i],
                                 boundary_type(r->options, b->args[i]->type));
    if (!buf_rewrite_region(r, &op->regions[0]))
        return false;
    for (uint32_t i = 0; i < entry->n_args; i++) {
        func_set_arg_attr(op, i, "bufferization.writable", NULL);
        func_set_arg_attr(op, i, "bufferization.access", NULL);
    }
    func_refresh_type(op);
    return true;
}

static bool return_bufferize(buf_rewrite *r, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        ir_type tensor = buf_tensor_type(r, v);
        if (!buf_is_tensor(tensor))
            continue;
        ir_value *buffer = buf_buffer(r, v);
        if (!r->options->infer_results)
            buffer = buf_cast(r, buffer, boundary_type(r->options, tensor));
        ir_op_set_operand(op, i, buffer);
    }
    return true;
}

/* ---- func.call ---------------------------------------------------------------------- */

static const buf_function *callee_of(buf_state *s, const ir_op *call)
{
    const buf_function *f = buf_function_of(s, buf_callee(call));
    return f && f->is_analyzed ? f : NULL;
}

static uint32_t arguments_of(const buf_function *f)
{
    return ir_op_body(f->op, 0)->n_args;
}

static bool call_reads(buf_state *s, const ir_operand *use)
{
    const buf_function *f = callee_of(s, use->owner);
    size_t i = ir_operand_number(use);
    return !f || i >= arguments_of(f) || f->reads[i];
}

static bool call_writes(buf_state *s, const ir_operand *use)
{
    const buf_function *f = callee_of(s, use->owner);
    size_t i = ir_operand_number(use);
    return !f || i >= arguments_of(f) || f->writes[i];
}

static void call_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    ir_op *op = use->owner;
    const buf_function *f = callee_of(s, op);
    size_t i = ir_operand_number(use);
    for (uint32_t k = 0; k < op->n_results; k++) {
        ir_value *result = ir_op_result(op, k);
        if (!buf_is_tensor(result->type))
            continue;
        if (!f) {
            buf_add_alias(out, result, use, false, false);
        } else if (f->aliases[(size_t)k * arguments_of(f) + i]) {
            bool same = f->equivalent[k] == (int64_t)i;
            buf_add_alias(out, result, use, same, same);
        }
    }
}

static bool call_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_op *callee = buf_callee(op);
    if (!callee)
        return ir_op_error(op, "calls no function of this module");
    ir_block *entry = ir_op_body(callee, 0);
    const ir_op *ret = entry ? only_return(callee) : NULL;
    size_t n = op->n_operands, m = op->n_results;
    ir_value **operands = tw_xmalloc((n + 1) * sizeof *operands);
    ir_value **buffers = tw_xmalloc((m + 1) * sizeof *buffers);
    ir_type *results = tw_xmalloc((m + 1) * sizeof *results);
    for (size_t i = 0; i < n; i++) {
        ir_value *v = ir_op_operand(op, i);
        ir_type tensor = buf_tensor_type(r, v);
        operands[i] = buf_is_tensor(tensor)
                          ? buf_cast(r, buf_buffer(r, v), boundary_type(r->options, tensor))
                          : v;
    }
    for (size_t i = 0; i < m; i++) {
        ir_type type = op->results[i].type;
        /* A callee before this function may return another layout than it declares. */
        ir_type made = ret && i < ret->n_operands ? ir_op_operand(ret, i)->type : type;
        results[i] = !buf_is_tensor(type) ? type
                     : buf_is_tensor(made) || made->kind != IR_TYPE_MEMREF
                         ? boundary_type(r->options, type)
                         : made;
    }
    ir_op *call = ir_build_op(&r->b, FUNC_OP(call), results, m, operands, n,
                              IR_ATTRS({"callee", ir_op_attr(op, "callee")}), 0);
    call->attrs = op->attrs;
    for (size_t i = 0; i < m; i++)
        buffers[i] = ir_op_result(call, i);
    buf_replace(r, op, buffers);
    free(operands);
    free(buffers);
    free(results);
    return true;
}

static const buf_model models[] = {
    {.def = FUNC_OP(func), .is_writable = func_is_writable, .bufferize = func_bufferize},
    {.def = FUNC_OP(return ), .reads = buf_always, .bufferize = return_bufferize},
    {.def = FUNC_OP(call),
     .reads = call_reads,
     .writes = call_writes,
     .aliases = call_aliases,
     .bufferize = call_bufferize},
};
const buf_model_table buf_func_models = {models, TW_COUNT(models)};
