/* ttnn_layout.c: the pass ttnn-layout: gives every tensor its layout on the device.
 *
 * First every type gets one: tiles in DRAM, rows for what functions are given as inputs,
 * the host for what a mesh is sharded from.  Then operations are made to read tiles in
 * DRAM: ttir.to_layout goes in front of those that would read something else.
 *
 * TTNN has no signed integers of 8 and 16 bits: their bits are held as unsigned ones.  Who
 * runs the program where they exist keeps them (signed-integers). */
#include "mlir/func/func.h"
#include "mlir/quant/quant.h"
#include "ttcore/ttcore.h"
#include "ttir/build.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"
#include "ttir/ttir.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"

#include <stdio.h>
#include <stdlib.h>

/* The data type that an element has on the device. */
static int64_t device_dtype(ir_type element)
{
    int64_t dtype = ttnn_dtype_of(element);
    return dtype == TTCORE_DataType_Bool ? TTCORE_DataType_BFloat16 : dtype;
}

static bool has_device_form(ir_type t)
{
    if (!ir_type_is_tensor(t) || !ir_type_has_static_shape(t) || t->count > TTNN_MAX_RANK)
        return false;
    return t->element->kind == IR_TYPE_FLOAT || t->element->kind == IR_TYPE_INTEGER ||
           t->element->kind == IR_TYPE_INDEX || quant_is_uniform(t->element);
}

ir_type ttnn_device_type(ir_type t)
{
    ttnn_layout l;
    if (!has_device_form(t) || ttnn_layout_of(t, &l))
        return t;
    l = ttnn_layout_dram(device_dtype(t->element));
    if (ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
        t->encoding->def == TTCORE_ATTR(tensor_mesh))
        l.mesh = t->encoding;
    return ttnn_tensor_with(t, &l);
}

/* The tensor in rows, or on the host; the mesh that it lies on stays. */
static ir_type in_rows(ir_type t, bool host)
{
    ttnn_layout old, l;
    if (!ttnn_layout_of(t, &old))
        return t;
    l = host ? ttnn_layout_host(old.dtype) : ttnn_layout_dram(old.dtype);
    if (!host && ttnn_layout_on_host(&old))
        l = ttnn_layout_host(old.dtype);
    l.tiled = false;
    l.mesh = old.mesh;
    return ttnn_tensor_with(t, &l);
}

/* ---- types -------------------------------------------------------------------------- */

static bool has_user(const ir_value *v, const ir_op_def *def)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner->def == def)
            return true;
    return false;
}

static bool function_is(const ir_op *func, const char *type)
{
    ir_attr attr = ir_op_attr(func, "tt.function_type");
    return ir_attr_is(attr, IR_ATTR_STRING) && tw_str_is(ir_attr_str(attr), type);
}

static ir_type argument_type(ir_op *func, size_t i, ir_value *arg)
{
    ir_type t = arg->type;
    bool cache = func_arg_attr(func, i, "ttcore.kv_cache") != NULL;
    bool sharded = has_user(arg, TTIR_OP(mesh_shard));
    if (func_arg_attr(func, i, "ttir.conv2d_weight") ||
        (sharded && !cache && !function_is(func, "const_eval")))
        t = in_rows(t, true);
    int64_t kind = ir_enum_value(func_arg_attr(func, i, "ttcore.argument_type"), -1);
    if (kind == TTCORE_ArgumentType_Input && !cache && !sharded &&
        !has_user(arg, TTIR_OP(tt_lang_op)))
        t = in_rows(t, false);
    return t;
}

static ir_type first_type(ir_type t, bool keep_sign)
{
    ir_type e = has_device_form(t) ? t->element : NULL;
    if (e && e->kind == IR_TYPE_INTEGER && (e->width == 8 || e->width == 16) &&
        e->sign != IR_UNSIGNED) {
        ttnn_layout l;
        if (ttnn_layout_of(t, &l))
            return t;
        t = ir_type_with_element(
            t, ir_integer_type(t->ctx, e->width, keep_sign ? IR_SIGNED : IR_UNSIGNED));
    }
    return ttnn_device_type(t);
}

static ir_type signature_type(ir_type t, void *user)
{
    return first_type(t, *(const bool *)user);
}

static ir_type host_signature_type(ir_type t, void *user)
{
    return in_rows(signature_type(t, user), true);
}

static ir_walk set_types(ir_op *op, void *user)
{
    const bool *keep_sign = user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = first_type(op->results[i].type, *keep_sign);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = first_type(b->args[i]->type, *keep_sign);
    if (op->def == TTIR_OP(constant)) {
        ir_attr value = ttnn_convert_elements(ir_op_attr(op, "value"), op->results[0].type);
        ir_op_set_attr(op, "value", value);
    }
    if (op->def == FUNC_OP(func))
        func_convert_types(op,
                           function_is(op, "forward_cpu_declaration") ? host_signature_type
                                                                      : signature_type,
                           user);
    return IR_WALK_ON;
}

static ir_walk set_arguments(ir_op *op, void *user)
{
    (void)user;
    ir_block *entry = op->def == FUNC_OP(func) ? ir_op_body(op, 0) : NULL;
    for (uint32_t i = 0; entry && i < entry->n_args; i++)
        entry->args[i]->type = argument_type(op, i, entry->args[i]);
    if (entry)
        func_refresh_type(op);
    return IR_WALK_ON;
}

/* ---- operations --------------------------------------------------------------------- */

/* What the tensor would be in tiles or rows, in DRAM or on the host; the same type where
 * memory, element type and memory layout match already. */
static ir_type wanted_type(ir_type t, bool host, bool tiled)
{
    ttnn_layout l;
    if (!ttnn_layout_of(t, &l))
        return t;
    int64_t buffer = host ? TTNN_BufferType_SystemMemory : TTNN_BufferType_DRAM;
    int64_t memory = host ? TTNN_ON_HOST : TTNN_TensorMemoryLayout_Interleaved;
    int64_t dtype = device_dtype(t->element);
    if (l.buffer == buffer && l.memory == memory && l.tiled == tiled && l.dtype == dtype)
        return t;
    ttnn_layout_place(&l, buffer, memory);
    l.tiled = tiled;
    l.dtype = dtype;
    return ttnn_tensor_with(t, &l);
}

static void convert_operand(ir_op *op, uint32_t i, bool host, bool tiled)
{
    ir_value *v = op->operands[i].value;
    ir_type want = wanted_type(v->type, host, tiled);
    if (want == v->type)
        return;
    char suffix[32];
    snprintf(suffix, sizeof suffix, "_in_%u_layout", i);
    ir_builder b = ir_builder_before(op);
    b.loc = tnb_suffix(op->ctx, op->loc, suffix);
    ir_value *empty = ir_build1(&b, TTIR_OP(empty), want, NULL, 0, NULL, 0);
    ir_op_set_operand(
        op, i, ir_build1(&b, TTIR_OP(to_layout), want, IR_VALUES(v, empty), NULL, 0));
}

static void lay_out_operation(ir_op *op)
{
    if (op->def == TTIR_OP(mesh_shard) || op->def == TTIR_OP(mesh_partition)) {
        bool host = op->def == TTIR_OP(mesh_shard);
        convert_operand(op, 0, host, false);
        op->results[0].type = in_rows(op->results[0].type, host);
        return;
    }
    if (op->def == TTIR_OP(to_layout) || ir_def_has(op->def, "TTCore_CreationOpTrait"))
        return;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *from = ir_value_def(op->operands[i].value);
        if (from && (from->def == TTIR_OP(broadcast) || from->def == TTIR_OP(to_layout)))
            continue;
        convert_operand(op, i, false, true);
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        ttnn_layout l;
        bool tiled = op->def != TTIR_OP(conv3d);
        if (op->def == TTIR_OP(reshape) && ttnn_layout_of(op->results[i].type, &l))
            tiled = l.tiled;
        op->results[i].type = wanted_type(op->results[i].type, false, tiled);
    }
}

static void lay_out_return(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *from = ir_value_def(op->operands[i].value);
        bool host = from && from->def == TTIR_OP(mesh_shard);
        convert_operand(op, i, host, !host);
    }
}

/* Results of calls of parts of this module are what those return. */
static void take_results(ir_op *op, const char *callee)
{
    ir_op *func = ir_symbol_resolve(op, ir_op_attr(op, callee));
    if (!func || func->def != FUNC_OP(func))
        return;
    ir_type f = ir_op_attr(func, "function_type")->type;
    for (uint32_t i = 0; i < op->n_results && i < f->results; i++)
        op->results[i].type = ir_function_results(f)[i];
    if (op->def != TTCORE_OP(composite))
        return;
    for (uint32_t i = 0; i < op->n_operands && i < f->count; i++) {
        ttnn_layout l;
        if (ttnn_layout_of(f->types[i], &l) && op->operands[i].value->type != f->types[i])
            convert_operand(op, i, ttnn_layout_on_host(&l), l.tiled);
    }
}

static void lay_out_hoisted_call(ir_op *op)
{
    ir_op_set_attr(op, "ttir.cpu_hoisted_call", NULL);
    ir_op_set_attr(op, "ttir.cpu_hoist_call", ir_unit_attr(op->ctx));
    for (uint32_t i = 0; i < op->n_operands; i++)
        convert_operand(op, i, true, false);
    take_results(op, "callee");
}

static void lay_out_block(ir_block *block)
{
    for (ir_op *op = block->first; op; op = op->next) {
        for (uint16_t r = 0; r < op->n_regions; r++)
            for (ir_block *b = op->regions[r].first; b; b = b->next)
                lay_out_block(b);
        if (ttir_is_op(op))
            lay_out_operation(op);
        else if (op->def == FUNC_OP(return ))
            lay_out_return(op);
        else if (op->def == FUNC_OP(call) && ir_op_attr(op, "ttir.cpu_hoisted_call"))
            lay_out_hoisted_call(op);
        else if (op->def == TTCORE_OP(load_cached))
            take_results(op, "callee");
        else if (op->def == TTCORE_OP(composite))
            take_results(op, "decomposition");
        else if (op->def == FUNC_OP(func))
            func_refresh_type(op);
    }
}

static bool run(ir_op *module, pass_run *run)
{
    bool keep_sign = pass_option_bool(run, "signed-integers");
    ir_walk_pre(module, set_types, &keep_sign);
    ir_walk_pre(module, set_arguments, NULL);
    for (ir_block *b = module->regions[0].first; b; b = b->next)
        lay_out_block(b);
    return true;
}

const pass_def ttnn_layout_pass = {
    .name = "ttnn-layout",
    .summary = "Give every tensor its TTNN layout",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"signed-integers", PASS_BOOL, "false",
                                         "Keep the sign of integers of 8 and 16 bits"}),
};
