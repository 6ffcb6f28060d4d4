/* ttnn_trace_verify.c: a captured trace and its functions: one that allocates slots for
 * inputs and outputs, one that captures (and holds the call of the traced function), one
 * that executes. */
#include "mlir/func/func.h"
#include "ttnn/layout.h"
#include "ttnn/ttnn_hooks.h"

#include <stdlib.h>

typedef struct trace {
    ir_op *op;
    size_t first, n_inputs, n_semaphores; /* operands */
    ir_type *staged, *resident;           /* types of inputs on the host, on the device */
    size_t n_staged, n_resident;
    ir_type allocate, capture;
} trace;

static bool is_on_device(ir_type type)
{
    ttnn_layout layout;
    return ttnn_layout_of(type, &layout) && !ttnn_layout_on_host(&layout);
}

/* A scalar that names a trace. */
static bool is_trace_id(ir_type type)
{
    return type->kind == IR_TYPE_TENSOR && type->count == 0 &&
           ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
           type->encoding->def == TTNN_ATTR(trace_id);
}

/* The function that a symbol names; NULL after an error. */
static ir_op *function_of(ir_op *op, ir_attr ref)
{
    tw_str name = ir_symbol_leaf(ref);
    ir_op *found = ir_symbol_resolve(op, ref);
    if (ir_op_is(found, FUNC_OP(func)))
        return found;
    ir_op_error(op, "'%.*s' does not reference a function", (int)name.size, name.data);
    return NULL;
}

static ir_type type_of(const ir_op *function)
{
    return ir_op_attr(function, "function_type")->type;
}

static bool differs(ir_op *op, const char *what, size_t i, ir_type wanted, const char *by,
                    ir_type found)
{
    return ir_op_error(op, "%s %zu type mismatch: expected '%s'%s, but got '%s'", what, i,
                       ir_type_text(op->ctx, wanted), by, ir_type_text(op->ctx, found));
}

static bool check_allocation(trace *t)
{
    ir_attr ref = ir_op_attr(t->op, "allocate_slots_callee");
    ir_op *function = function_of(t->op, ref);
    const char *name = ref->items[0]->ident->text;
    if (!function)
        return false;
    t->allocate = type_of(function);
    const ir_type *slots = ir_function_results(t->allocate);
    if (t->allocate->count != t->n_resident)
        return ir_op_error(t->op,
                           "Slot allocation function '%s' must take %zu arguments (the "
                           "device-resident inputs), but has %u",
                           name, t->n_resident, t->allocate->count);
    for (size_t i = 0; i < t->n_resident; i++)
        if (t->allocate->types[i] != t->resident[i])
            return differs(t->op, "Slot allocation function argument", i, t->resident[i],
                           "", t->allocate->types[i]);
    if (t->allocate->results != t->n_inputs + t->op->n_results)
        return ir_op_error(t->op,
                           "Slot allocation function '%s' must return %zu slots (%zu input "
                           "slots + %u output slots), but returns %u",
                           name, t->n_inputs + t->op->n_results, t->n_inputs,
                           t->op->n_results, t->allocate->results);
    for (uint32_t i = 0; i < t->op->n_results; i++)
        if (slots[t->n_inputs + i] != t->op->results[i].type)
            return differs(t->op, "Slot allocation function output slot", i,
                           t->op->results[i].type, "", slots[t->n_inputs + i]);
    return true;
}

static bool check_capture_arguments(const trace *t, const char *name)
{
    const ir_type *slots = ir_function_results(t->allocate), *args = t->capture->types;
    size_t n_slots = t->allocate->results, total = t->n_staged + n_slots + t->n_semaphores;
    if (t->capture->count != total)
        return ir_op_error(t->op,
                           "Capture function '%s' must take %zu arguments (%zu host-staged "
                           "inputs + %zu slots + %zu semaphores), but has %u",
                           name, total, t->n_staged, n_slots, t->n_semaphores,
                           t->capture->count);
    for (size_t i = 0; i < t->n_staged; i++, args++)
        if (*args != t->staged[i])
            return differs(t->op, "Capture function host-staged input argument", i,
                           t->staged[i], "", *args);
    for (size_t i = 0; i < n_slots; i++, args++)
        if (*args != slots[i])
            return differs(t->op, "Capture function slot argument", i, slots[i],
                           " from slot allocation function", *args);
    for (size_t i = 0; i < t->n_semaphores; i++, args++) {
        ir_type type = t->op->operands[t->first + t->n_inputs + i].value->type;
        if (*args != type)
            return differs(t->op, "Semaphore input argument", i, *args,
                           " from capture function", type);
    }
    return true;
}

/* ---- the traced function ------------------------------------------------------------ */

static bool check_places(ir_op *op, ir_op *inner, bool results)
{
    uint32_t n = results ? inner->n_results : inner->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        ir_value *v = results ? &inner->results[i] : inner->operands[i].value;
        if (v->type->kind == IR_TYPE_TENSOR && !is_on_device(v->type))
            return ir_op_error(
                op,
                "All %s tensors of trace function must be on device.%s is not "
                "on device.",
                results ? "output" : "input", ir_type_text(op->ctx, v->type));
    }
    return true;
}

static ir_walk check_inner(ir_op *inner, void *user)
{
    ir_op *op = user, *device = ir_value_def(op->operands[0].value);
    if (inner->def == TTNN_OP(capture_or_execute_trace)) {
        ir_op_error(op,
                    "CaptureOrExecuteTraceOp op must not be nested within trace function");
        return IR_WALK_STOP;
    }
    if (ir_op_named(inner, "ttcore.load_cached")) {
        ir_op_error(op, "LoadCached op must not be nested within trace function");
        return IR_WALK_STOP;
    }
    if (inner->def == TTNN_OP(get_device)) {
        bool same = ir_op_is(device, TTNN_OP(get_device)) &&
                    ir_op_attr(device, "mesh_shape") == ir_op_attr(inner, "mesh_shape") &&
                    ir_op_attr(device, "mesh_offset") == ir_op_attr(inner, "mesh_offset");
        if (!same)
            ir_op_error(op,
                        "Device configuration of get_device op in callee must match device "
                        "configuration of trace op");
        return same ? IR_WALK_ON : IR_WALK_STOP;
    }
    if (inner->def == FUNC_OP(func))
        return IR_WALK_ON;
    return check_places(op, inner, false) && check_places(op, inner, true) ? IR_WALK_ON
                                                                           : IR_WALK_STOP;
}

static ir_walk find_call(ir_op *inner, void *user)
{
    if (inner->def != FUNC_OP(call))
        return IR_WALK_ON;
    *(ir_op **)user = inner;
    return IR_WALK_STOP;
}

static bool check_traced(ir_op *op, ir_op *capture)
{
    ir_op *call = NULL;
    ir_walk_pre(capture, find_call, &call);
    if (!call)
        return ir_op_error(op, "No trace function found in capture function");
    ir_op *traced = function_of(op, ir_op_attr(call, "callee"));
    if (!traced)
        return false;
    ir_type type = type_of(traced);
    tw_str name = ir_symbol_name(traced);
    if (type->results)
        return ir_op_error(op,
                           "Trace function '%.*s' must return no results; it stores its "
                           "outputs into the output slot arguments",
                           (int)name.size, name.data);
    for (uint32_t i = 0; i < type->count; i++) {
        ir_type arg = type->types[i];
        if (arg->kind == IR_TYPE_DIALECT && arg->def == TTNN_TYPE(global_semaphore))
            continue;
        if (arg->kind != IR_TYPE_TENSOR)
            return ir_op_error(op, "All input arguments of trace function must be ranked "
                                   "tensors or global semaphores");
        if (!is_on_device(arg))
            return ir_op_error(
                op,
                "All input arguments of trace function must be on device.%s is "
                "not on device.",
                ir_type_text(op->ctx, arg));
    }
    return ir_walk_pre(traced, check_inner, op) != IR_WALK_STOP;
}

static bool check_capture(trace *t)
{
    ir_attr ref = ir_op_attr(t->op, "capture_callee");
    ir_op *function = function_of(t->op, ref);
    const char *name = ref->items[0]->ident->text;
    if (!function)
        return false;
    t->capture = type_of(function);
    if (!check_capture_arguments(t, name))
        return false;
    if (t->capture->results != 1)
        return ir_op_error(
            t->op,
            "Capture function '%s' must return exactly one trace_id value, but "
            "returns %u",
            name, t->capture->results);
    if (!is_trace_id(ir_function_results(t->capture)[0]))
        return ir_op_error(
            t->op,
            "Capture function '%s' must return a trace_id tensor (scalar ui32 "
            "with TraceIdAttr encoding)",
            name);
    return check_traced(t->op, function);
}

static bool check_execution(const trace *t)
{
    ir_attr ref = ir_op_attr(t->op, "execute_callee");
    ir_op *function = function_of(t->op, ref);
    const char *name = ref->items[0]->ident->text;
    if (!function)
        return false;
    ir_type type = type_of(function);
    if (type->count != 1)
        return ir_op_error(
            t->op,
            "Execute function '%s' must take exactly one trace_id argument, but "
            "has %u arguments",
            name, type->count);
    return is_trace_id(type->types[0]) ||
           ir_op_error(
               t->op,
               "Execute function '%s' argument must be a trace_id tensor (scalar ui32 "
               "with TraceIdAttr encoding)",
               name);
}

bool ttnn_check_trace(ir_op *op)
{
    trace t = {.op = op};
    size_t first;
    if (!ir_op_operand_group(op, 1, &t.first, &t.n_inputs) ||
        !ir_op_operand_group(op, 2, &first, &t.n_semaphores))
        return true;
    t.staged = tw_xmalloc((t.n_inputs + 1) * sizeof *t.staged);
    t.resident = tw_xmalloc((t.n_inputs + 1) * sizeof *t.resident);
    for (size_t i = 0; i < t.n_inputs; i++) {
        ir_type type = op->operands[t.first + i].value->type;
        if (is_on_device(type))
            t.resident[t.n_resident++] = type;
        else
            t.staged[t.n_staged++] = type;
    }
    bool ok = check_allocation(&t) && check_capture(&t) && check_execution(&t);
    free(t.staged);
    free(t.resident);
    return ok;
}
