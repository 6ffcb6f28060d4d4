/* trace.c: ttnn.capture_or_execute_trace as a function that remembers whether it has been
 * called:
 *
 *   global is_first_call, trace_id, global_input_0, ..., global_output_0, ...
 *   if is_first_call:
 *       is_first_call = False
 *       slots = allocate_slots(inputs on the device)   kept in globals
 *       trace_id = run_and_capture(inputs on the host, slots)
 *   else:
 *       the inputs on the host are copied into their slots
 *       execute(trace_id)
 *   return global_output_0, ...
 *
 * It runs before functions are converted: types still say where inputs are. */
#include "emitpy/emitpy.h"
#include "mlir/func/func.h"
#include "ttnn/layout.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_NUMBER = -1 };

typedef struct trace {
    ir_op *op;
    ir_context *ctx;
    tw_str suffix;
    uint32_t n_inputs, n_outputs;
    ir_value **inputs;
    ir_type tensor, *types;        /* of a tensor, and of as many as there are slots */
    ir_value *first, *id, **slots; /* the globals in the function: inputs, then outputs */
} trace;

/* "what_suffix", or with a number before the suffix. */
static tw_str named(const trace *t, const char *what, int64_t i)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, what);
    if (i != NO_NUMBER)
        tw_strbuf_printf(&text, "_%lld", (long long)i);
    tw_strbuf_printf(&text, "_%.*s", (int)t->suffix.size, t->suffix.data);
    const ir_ident name = ir_ident_get(t->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return ir_ident_str(name);
}

static tw_str slot_name(const trace *t, uint32_t i)
{
    return i < t->n_inputs ? named(t, "global_input", i)
                           : named(t, "global_output", i - t->n_inputs);
}

static void add_global(const trace *t, ir_builder *b, tw_str name, const char *initial)
{
    ir_build_op(b, EMITPY_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", ir_string_attr(t->ctx, name)},
                         {"initial_value", py_opaque_attr(t->ctx, initial)}),
                0);
}

static ir_value *use_global(const trace *t, ir_builder *b, tw_str name, ir_type type)
{
    return ir_build1(b, EMITPY_OP(global_statement), type, NULL, 0,
                     IR_ATTRS({"name", ir_symbol_ref(t->ctx, name)}));
}

static void assign(const trace *t, ir_builder *b, tw_str name, ir_value *value)
{
    ir_build_op(b, EMITPY_OP(assign_global), NULL, 0, IR_VALUES(value),
                IR_ATTRS({"name", ir_symbol_ref(t->ctx, name)}), 0);
}

static ir_op *call(ir_builder *b, ir_attr callee, const ir_type *types, uint32_t n_types,
                   ir_value *const *args, size_t n)
{
    return ir_build_op(b, EMITPY_OP(call_opaque), types, n_types, args, n,
                       IR_ATTRS({"callee", ir_string_attr(b->ctx, ir_symbol_leaf(callee))}),
                       0);
}

/* ---- the function -------------------------------------------------------------------- */

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

/* A function of one result gives the tensor itself, one of several a list. */
static void first_call(const trace *t, ir_builder *b, const ir_block *entry)
{
    const uint32_t n_slots = t->n_inputs + t->n_outputs;
    ir_value **args = tw_xmalloc((t->n_inputs + n_slots + 1u) * sizeof *args);
    ir_type boolean = py_opaque_type(t->ctx, "bool"), id = py_opaque_type(t->ctx, "int"),
            list = n_slots == 1 ? t->tensor : py_opaque_type(t->ctx, "[ttnn.Tensor]");
    assign(t, b, named(t, "is_first_call", NO_NUMBER),
           ir_build1(b, EMITPY_OP(constant), boolean, NULL, 0,
                     IR_ATTRS({"value", py_opaque_attr(t->ctx, "False")})));
    size_t n = arguments_on(t, entry, false, args);
    ir_op *slots = call(b, ir_op_attr(t->op, "allocate_slots_callee"), &list, 1, args, n);
    for (uint32_t i = 0; i < n_slots; i++)
        assign(t, b, slot_name(t, i),
               n_slots == 1 ? ir_op_result(slots, 0)
                            : py_element(b, ir_op_result(slots, 0), i));
    n = arguments_on(t, entry, true, args);
    for (uint32_t i = 0; i < n_slots; i++)
        args[n++] = t->slots[i];
    ir_op *captured = call(b, ir_op_attr(t->op, "capture_callee"), &id, 1, args, n);
    assign(t, b, named(t, "trace_id", NO_NUMBER), ir_op_result(captured, 0));
    free(args);
}

static void later_call(const trace *t, ir_builder *b, const ir_block *entry)
{
    ir_attr args[] = {ir_index_attr(t->ctx, 0), ir_index_attr(t->ctx, 1),
                      py_opaque_attr(t->ctx, "0")},
            names[] = {ir_string_attr(t->ctx, TW_STR("")),
                       ir_string_attr(t->ctx, TW_STR("")),
                       ir_string_attr(t->ctx, TW_STR("cq_id"))};
    for (uint32_t i = 0; i < t->n_inputs; i++) {
        ttnn_layout l;
        if (!ttnn_layout_of(t->inputs[i]->type, &l) || !ttnn_layout_on_host(&l))
            continue;
        ir_build_op(
            b, EMITPY_OP(call_opaque), NULL, 0, IR_VALUES(entry->args[i], t->slots[i]),
            IR_ATTRS({"callee",
                      ir_string_attr(t->ctx, TW_STR("ttnn.copy_host_to_device_tensor"))},
                     {"args", ir_array_attr(t->ctx, args, TW_COUNT(args))},
                     {"keyword_args", ir_array_attr(t->ctx, names, TW_COUNT(names))}),
            0);
    }
    call(b, ir_op_attr(t->op, "execute_callee"), NULL, 0, &t->id, 1);
}

static void add_function(trace *t, ir_builder *b, tw_str name)
{
    const uint32_t n_slots = t->n_inputs + t->n_outputs;
    ir_type type = ir_function_type(t->ctx, t->types, t->n_inputs, t->types, t->n_outputs);
    ir_block *entry =
        func_add_body(func_create(b, ir_string_attr(t->ctx, name), type, true));
    ir_builder in = ir_builder_at_end(t->ctx, entry, t->op->loc);
    t->first = use_global(t, &in, named(t, "is_first_call", NO_NUMBER),
                          py_opaque_type(t->ctx, "bool"));
    t->id =
        use_global(t, &in, named(t, "trace_id", NO_NUMBER), py_opaque_type(t->ctx, "int"));
    t->slots = tw_xmalloc((n_slots + 1u) * sizeof *t->slots);
    for (uint32_t i = 0; i < n_slots; i++)
        t->slots[i] = use_global(t, &in, slot_name(t, i), t->tensor);
    ir_op *branch =
        ir_build_op(&in, EMITPY_OP(if), NULL, 0, IR_VALUES(t->first),
                    IR_ATTRS({"condition", ir_string_attr(t->ctx, TW_STR("{}"))}), 2);
    for (uint16_t r = 0; r < 2; r++) {
        ir_block *side = ir_block_create(t->ctx);
        ir_region_append(&branch->regions[r], side);
        ir_builder inner = ir_builder_at_end(t->ctx, side, t->op->loc);
        if (r == 0)
            first_call(t, &inner, entry);
        else
            later_call(t, &inner, entry);
    }
    ir_build_op(&in, FUNC_OP(return ), NULL, 0, t->slots + t->n_inputs, t->n_outputs, NULL,
                0, 0);
    free(t->slots);
}

static bool convert(ir_op *module, ir_op *op)
{
    static const char prefix[] = "run_and_capture_";
    trace t = {.op = op, .ctx = op->ctx, .n_outputs = op->n_results};
    size_t start, count;
    if (!ir_op_operand_group(op, ir_op_operand_index(op->def, "semaphore_inputs"), &start,
                             &count) ||
        count || !op->n_results)
        return ttnn_no_form(&py_language, op);
    ir_op_operand_group(op, ir_op_operand_index(op->def, "inputs"), &start, &count);
    t.n_inputs = (uint32_t)count;
    t.inputs = tw_xmalloc((count + 1) * sizeof *t.inputs);
    for (size_t i = 0; i < count; i++)
        t.inputs[i] = ir_op_operand(op, start + i);
    t.suffix = ir_symbol_leaf(ir_op_attr(op, "capture_callee"));
    if (t.suffix.size > strlen(prefix) &&
        memcmp(t.suffix.data, prefix, strlen(prefix)) == 0)
        t.suffix = (tw_str){t.suffix.data + strlen(prefix), t.suffix.size - strlen(prefix)};
    t.tensor = py_opaque_type(t.ctx, "ttnn.Tensor");
    ir_builder top = ir_builder_at_start(t.ctx, ir_op_body(module, 0), op->loc);
    add_global(&t, &top, named(&t, "is_first_call", NO_NUMBER), "True");
    add_global(&t, &top, named(&t, "trace_id", NO_NUMBER), "None");
    for (uint32_t i = 0; i < t.n_inputs + t.n_outputs; i++)
        add_global(&t, &top, slot_name(&t, i), "None");
    const tw_str name = named(&t, "capture_or_execute", NO_NUMBER);
    t.types = tw_xmalloc((t.n_inputs + t.n_outputs) * sizeof *t.types);
    for (uint32_t i = 0; i < t.n_inputs + t.n_outputs; i++)
        t.types[i] = t.tensor;
    add_function(&t, &top, name);
    ir_builder b = ir_builder_before(op);
    ir_op *all =
        call(&b, ir_symbol_ref(t.ctx, name), t.types, t.n_outputs, t.inputs, t.n_inputs);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(all, i));
    ir_op_erase(op);
    free(t.types);
    free(t.inputs);
    return true;
}

static bool is_trace(const ir_op *op)
{
    return op->def == TTNN_OP(capture_or_execute_trace);
}

bool py_convert_traces(ir_op *module, bool device_is_argument)
{
    ir_op_list traces = ir_ops_in(module, is_trace);
    bool ok = true;
    for (size_t i = 0; ok && i < traces.n; i++) {
        ir_op *op = traces.at[i], *in = ir_op_parent(ir_op_parent(op));
        ok = device_is_argument ? ttnn_no_form(&py_language, op) : convert(in, op);
    }
    ir_op_list_free(&traces);
    return ok;
}
