/* trace.c: ttnn.capture_or_execute_trace as a function that remembers whether it has been
 * called:
 *
 *   if (is_first_call) {
 *     is_first_call = false;
 *     slots = allocate_slots(inputs on the device);   kept in globals, with the outputs
 *     trace_id = run_and_capture(inputs on the host, slots);
 *   } else {
 *     execute(trace_id);
 *   }
 *   return the outputs' slots;
 *
 * It runs before functions are converted: types still say where inputs are. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "mlir/func/func.h"
#include "ttnn/layout.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/ttnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trace {
    ir_op *op;
    ir_context *ctx;
    const char *suffix;
    uint32_t n_inputs, n_outputs;
    ir_value **inputs;
    ir_type tensor, all; /* of one output and of all */
} trace;

/* ---- globals ------------------------------------------------------------------------- */

/* "what_suffix", or with a number before the suffix. */
static tw_str named(const trace *t, const char *what, uint32_t i)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, what);
    if (i != UINT32_MAX)
        tw_strbuf_printf(&text, "_%u", i);
    tw_strbuf_printf(&text, "_%s", t->suffix);
    const ir_ident name = ir_ident_get(t->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return ir_ident_str(name);
}

static void add_global(const trace *t, ir_builder *b, const char *what, uint32_t i,
                       ir_type type, ir_attr initial)
{
    const tw_str name = named(t, what, i);
    ir_build_op(b, EMITC_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", ir_string_attr(t->ctx, name)},
                         {"type", ir_type_attr(type)}, {"initial_value", initial}),
                0);
}

static ir_value *global_slot(const trace *t, ir_builder *b, const char *what, uint32_t i,
                             ir_type type)
{
    const tw_str name = named(t, what, i);
    return ir_build1(b, EMITC_OP(get_global), emitc_lvalue_type(type), NULL, 0,
                     IR_ATTRS({"name", ir_symbol_ref(t->ctx, name)}));
}

static ir_value *loaded(const trace *t, ir_builder *b, const char *what, uint32_t i,
                        ir_type type)
{
    return ir_build1(b, EMITC_OP(load), type, IR_VALUES(global_slot(t, b, what, i, type)),
                     NULL, 0);
}

static void assign(ir_builder *b, ir_value *to, ir_value *value)
{
    ir_build_op(b, EMITC_OP(assign), NULL, 0, IR_VALUES(to, value), NULL, 0, 0);
}

static ir_type bool_type(ir_context *ctx)
{
    return ir_integer_type(ctx, 1, IR_SIGNLESS);
}

static ir_type id_type(ir_context *ctx)
{
    return emitc_opaque_type(ctx, "ttnn::MeshTraceId");
}

static void add_globals(const trace *t, ir_op *module)
{
    ir_builder b = ir_builder_at_start(t->ctx, ir_op_body(module, 0), t->op->loc);
    add_global(t, &b, "is_first_call", UINT32_MAX, bool_type(t->ctx),
               ir_bool_attr(t->ctx, true));
    add_global(t, &b, "trace_id", UINT32_MAX, id_type(t->ctx), NULL);
    for (uint32_t i = 0; i < t->n_inputs; i++)
        add_global(t, &b, "global_input", i, t->tensor, NULL);
    for (uint32_t i = 0; i < t->n_outputs; i++)
        add_global(t, &b, "global_output", i, t->tensor, NULL);
}

/* ---- the function -------------------------------------------------------------------- */

static const char *callee_of(const ir_op *op, const char *name)
{
    return ir_ident_get(op->ctx, ir_symbol_leaf(ir_op_attr(op, name)))->text;
}

/* The function's arguments that are on the host, or on the device; how many. */
static size_t arguments_on(const trace *t, const ir_block *entry, bool host, ir_value **out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < t->n_inputs; i++) {
        ttnn_layout l;
        if (ttnn_layout_of(t->inputs[i]->type, &l) && ttnn_layout_on_host(&l) == host)
            out[n++] = entry->args[i];
    }
    return n;
}

/* The slots' tuple goes into the globals: inputs, then outputs. */
static void first_call(const trace *t, ir_builder *b, ir_block *entry,
                       ir_value *const *results)
{
    ir_value **args = tw_xmalloc((2u * t->n_inputs + t->n_outputs + 1u) * sizeof *args);
    ir_value *no = ir_build1(b, EMITC_OP(constant), bool_type(t->ctx), NULL, 0,
                             IR_ATTRS({"value", ir_bool_attr(t->ctx, false)}));
    assign(b, global_slot(t, b, "is_first_call", UINT32_MAX, bool_type(t->ctx)), no);
    size_t n = arguments_on(t, entry, false, args);
    ir_value *slots = cpp_call(b, callee_of(t->op, "allocate_slots_callee"),
                               emitc_opaque_type(t->ctx, "auto"), args, n, NULL, NULL);
    for (uint32_t i = 0; i < t->n_inputs; i++) {
        ir_value *slot = cpp_part(b, slots, i);
        assign(b, global_slot(t, b, "global_input", i, t->tensor), slot);
    }
    for (uint32_t i = 0; i < t->n_outputs; i++) {
        ir_value *slot = cpp_part(b, slots, t->n_inputs + i);
        assign(b, global_slot(t, b, "global_output", i, t->tensor), slot);
        assign(b, results[i], slot);
    }
    n = arguments_on(t, entry, true, args);
    for (uint32_t i = 0; i < t->n_inputs; i++)
        args[n++] = loaded(t, b, "global_input", i, t->tensor);
    for (uint32_t i = 0; i < t->n_outputs; i++)
        args[n++] = loaded(t, b, "global_output", i, t->tensor);
    ir_value *id = cpp_call(b, callee_of(t->op, "capture_callee"), id_type(t->ctx), args, n,
                            NULL, NULL);
    assign(b, global_slot(t, b, "trace_id", UINT32_MAX, id_type(t->ctx)), id);
    ir_build_op(b, EMITC_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    free(args);
}

static void later_call(const trace *t, ir_builder *b, ir_value *const *results)
{
    ir_value *id = loaded(t, b, "trace_id", UINT32_MAX, id_type(t->ctx));
    cpp_call(b, callee_of(t->op, "execute_callee"), NULL, &id, 1, NULL, NULL);
    for (uint32_t i = 0; i < t->n_outputs; i++)
        assign(b, results[i], loaded(t, b, "global_output", i, t->tensor));
    ir_build_op(b, EMITC_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
}

static ir_block *new_block(const trace *t, ir_op *op, uint16_t region)
{
    ir_block *block = ir_op_body(op, region);
    if (!block) {
        block = ir_block_create(t->ctx);
        ir_region_append(&op->regions[region], block);
    }
    return block;
}

static void add_function(const trace *t, const char *name)
{
    ir_builder b = ir_builder_before(ir_op_parent(t->op));
    ir_type *types = tw_xmalloc((t->n_inputs + 1u) * sizeof *types);
    ir_value **results = tw_xmalloc((t->n_outputs + 1u) * sizeof *results);
    for (uint32_t i = 0; i < t->n_inputs; i++)
        types[i] = cpp_type(t->inputs[i]->type);
    ir_type type = ir_function_type(t->ctx, types, t->n_inputs, &t->all, 1);
    ir_op *func =
        ir_build_op(&b, EMITC_OP(func), NULL, 0, NULL, 0,
                    IR_ATTRS({"sym_name", ir_string_attr(t->ctx, tw_str_from(name))},
                             {"function_type", ir_type_attr(type)}),
                    1);
    ir_block *entry = new_block(t, func, 0);
    for (uint32_t i = 0; i < t->n_inputs; i++)
        ir_block_add_arg(t->ctx, entry, types[i], t->op->loc);
    b = ir_builder_at_end(t->ctx, entry, t->op->loc);
    for (uint32_t i = 0; i < t->n_outputs; i++)
        results[i] =
            ir_build1(&b, EMITC_OP(variable), emitc_lvalue_type(t->tensor), NULL, 0,
                      IR_ATTRS({"value", emitc_opaque_attr(t->ctx, "::ttnn::Tensor()")}));
    ir_value *first = loaded(t, &b, "is_first_call", UINT32_MAX, bool_type(t->ctx));
    ir_op *branch = ir_build_op(&b, EMITC_OP(if), NULL, 0, IR_VALUES(first), NULL, 0, 2);
    for (uint16_t r = 0; r < 2; r++) {
        ir_block *side = new_block(t, branch, r);
        ir_builder inner = ir_builder_at_end(t->ctx, side, t->op->loc);
        if (r == 0)
            first_call(t, &inner, entry, results);
        else
            later_call(t, &inner, results);
    }
    for (uint32_t i = 0; i < t->n_outputs; i++)
        results[i] =
            ir_build1(&b, EMITC_OP(load), t->tensor, IR_VALUES(results[i]), NULL, 0);
    ir_value *tuple =
        cpp_call(&b, "::std::make_tuple", t->all, results, t->n_outputs, NULL, NULL);
    ir_build_op(&b, EMITC_OP(return ), NULL, 0, IR_VALUES(tuple), NULL, 0, 0);
    free(types);
    free(results);
}

static bool convert(ir_op *module, ir_op *op)
{
    static const char prefix[] = "run_and_capture_";
    trace t = {.op = op, .ctx = op->ctx, .n_outputs = op->n_results};
    size_t start, count;
    if (!ir_op_operand_group(op, ir_op_operand_index(op->def, "semaphore_inputs"), &start,
                             &count) ||
        count)
        return ttnn_no_form(&cpp_language, op);
    ir_op_operand_group(op, ir_op_operand_index(op->def, "inputs"), &start, &count);
    t.n_inputs = (uint32_t)count;
    t.inputs = tw_xmalloc((count + 1) * sizeof *t.inputs);
    for (size_t i = 0; i < count; i++)
        t.inputs[i] = ir_op_operand(op, start + i);
    const char *callee = callee_of(op, "capture_callee");
    bool prefixed = strncmp(callee, prefix, strlen(prefix)) == 0;
    t.suffix = callee + (prefixed ? strlen(prefix) : 0);
    t.tensor = emitc_opaque_type(t.ctx, CPP_TENSOR_TYPE);
    t.all = cpp_tuple_type(t.ctx, t.n_outputs);
    const char *name = named(&t, "capture_or_execute", UINT32_MAX).data;
    add_globals(&t, module);
    add_function(&t, name);
    ir_builder b = ir_builder_before(op);
    ir_value *all = cpp_call(&b, name, t.all, t.inputs, t.n_inputs, NULL, NULL);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], cpp_part(&b, all, i));
    ir_op_erase(op);
    free(t.inputs);
    return true;
}

static bool is_trace(const ir_op *op)
{
    return op->def == TTNN_OP(capture_or_execute_trace);
}

bool cpp_convert_traces(ir_op *module)
{
    ir_op_list traces = ir_ops_in(module, is_trace);
    bool ok = true;
    for (size_t i = 0; ok && i < traces.n; i++)
        ok = convert(module, traces.at[i]);
    ir_op_list_free(&traces);
    return ok;
}
