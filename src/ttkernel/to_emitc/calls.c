/* calls.c: operations of ttkernel become calls of the functions whose names they carry.
 * What their attributes say goes into template arguments, by a table. */
#include "mlir/emitc/emitc.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_cpp.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- template arguments -------------------------------------------------------------- */

/* NULL for none */
static ir_attr template_value(ir_op *op, const ttkernel_cpp_arg *arg)
{
    ir_attr value = arg->kind == TTKERNEL_CPP_TEXT ? NULL : ir_op_attr(op, arg->attr);
    char text[96];
    switch (arg->kind) {
    case TTKERNEL_CPP_BOOL:
        return ir_bool_attr(op->ctx, ir_attr_bool(value));
    case TTKERNEL_CPP_IF_TRUE:
        return ir_attr_bool(value) ? emitc_opaque_attr(op->ctx, "true") : NULL;
    case TTKERNEL_CPP_NUMBER:
        snprintf(text, sizeof text, "%lld", (long long)ir_attr_int(value, 0));
        return emitc_opaque_attr(op->ctx, text);
    case TTKERNEL_CPP_TEXT:
        return emitc_opaque_attr(op->ctx, arg->attr);
    case TTKERNEL_CPP_CASE:
    case TTKERNEL_CPP_CASE_VALUE:
        for (const ttkernel_cpp_case *c = arg->cases; c->text; c++)
            if (c->value == ir_enum_value(value, -1)) {
                bool number = arg->kind == TTKERNEL_CPP_CASE_VALUE;
                snprintf(text, sizeof text, "%s%s%s",
                         number ? "static_cast<std::underlying_type_t<DataFormat>>(" : "",
                         c->text, number ? ")" : "");
                return emitc_opaque_attr(op->ctx, text);
            }
        return NULL;
    default:
        return NULL;
    }
}

static ir_attr template_args_of(ir_op *op)
{
    const ttkernel_cpp_arg *args = ttkernel_cpp_args(op->def);
    ir_attr values[TTKERNEL_CPP_ARGS];
    size_t n = 0;
    for (size_t k = 0; args && k < TTKERNEL_CPP_ARGS; k++) {
        ir_attr value = template_value(op, &args[k]);
        if (value)
            values[n++] = value;
    }
    return n ? ir_array_attr(op->ctx, values, n) : NULL;
}

static ir_attr callee_of(const ir_op *op)
{
    tw_strbuf text = {0};
    ttkernel_cpp_name(op->def, &text);
    ir_attr attr = ir_string_attr(op->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return attr;
}

/* ---- converting ---------------------------------------------------------------------- */

void e_replace(ir_op *op, ir_value *by)
{
    if (by)
        ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

void e_push(e_call *c, ir_value *v)
{
    assert(c->count < E_CAPACITY);
    c->at[c->count++] = v;
}

void e_push_group(const ir_op *op, const char *name, e_call *c)
{
    size_t start, count, index = ir_op_operand_index(op->def, name);
    if (index == SIZE_MAX || !ir_op_operand_group(op, index, &start, &count))
        return;
    for (size_t i = 0; i < count; i++)
        e_push(c, ir_op_operand(op, start + i));
}

void e_statement(ir_builder *b, const char *text, ir_value *const *args, size_t n)
{
    ir_attr value = ir_string_attr(b->ctx, tw_str_from(text));
    ir_build_op(b, EMITC_OP(verbatim), NULL, 0, args, n, IR_ATTRS({"value", value}), 0);
}

ir_value *e_float_of(ir_builder *b, e_state *s, const char *expression, ir_value *bits)
{
    char name[24], text[256];
    snprintf(name, sizeof name, "_rc%u", s->names++);
    snprintf(text, sizeof text,
             "uint32_t %s_src = %s; float %s; __builtin_memcpy(&%s, &%s_src, sizeof(%s));",
             name, expression, name, name, name, name);
    e_statement(b, text, &bits, 1);
    return emitc_literal(b, ir_float_type(b->ctx, IR_F32), name);
}

void e_refuse(ir_op *op, e_state *s)
{
    ir_error(op->ctx, op->loc, "failed to legalize operation '%s': unsupported in C++",
             op->def->name);
    s->failed = true;
}

ir_value *e_call_opaque(ir_builder *b, const char *callee, ir_type type, const e_call *c,
                        ir_attr template_args)
{
    ir_named_attr attrs[] = {
        {ir_ident_from(b->ctx, "callee"), ir_string_attr(b->ctx, tw_str_from(callee))},
        {ir_ident_from(b->ctx, "template_args"), template_args}};
    ir_op *op = ir_build(b, &(ir_op_state){.def = EMITC_OP(call_opaque),
                                           .loc = b->loc,
                                           .operands = c->at,
                                           .n_operands = c->count,
                                           .results = &type,
                                           .n_results = type != NULL,
                                           .attrs = attrs,
                                           .n_attrs = template_args ? 2 : 1});
    return type ? &op->results[0] : NULL;
}

/* A compile-time argument is used where it stands: the API wants a constant there. */
static bool convert_compile_arg(ir_op *op, const e_state *s)
{
    char text[64];
    ir_builder b = ir_builder_before(op);
    if (s->readable)
        e_constant_name(s, op, text);
    else
        snprintf(text, sizeof text, "get_compile_time_arg_val(%lld)",
                 (long long)ir_op_int(op, "arg_index", 0));
    e_replace(op, emitc_literal(&b, e_type(op->results[0].type), text));
    return true;
}

bool e_known(const ir_value *v, int64_t *out)
{
    ir_op *def = ir_value_def(v);
    ir_attr value = def ? ir_op_attr(def, "value") : NULL;
    *out = ir_attr_int(value, 0);
    return ir_attr_is(value, IR_ATTR_INTEGER);
}

/* The offsets of a tensor's arguments: constants, expressions given as text, or what the
 * accessor before it leaves. */
static bool accessor_offset(ir_op *op, size_t group, const char *expr, const char *next,
                            tw_strbuf *out)
{
    size_t start, count;
    int64_t value;
    ir_attr text = ir_op_attr(op, expr);
    ir_op_operand_group(op, group, &start, &count);
    if (text) {
        tw_strbuf_str(out, ir_attr_str(text));
        return true;
    }
    if (count && e_known(op->operands[start].value, &value)) {
        tw_strbuf_printf(out, "%lld", (long long)value);
        return true;
    }
    ir_op_operand_group(op, 2, &start, &count);
    ir_op *before = count ? ir_value_def(op->operands[start].value) : NULL;
    if (!ir_op_is(before, EMITC_OP(literal)))
        return ir_op_error(op,
                           "has no constant offset; give constants, %s or an accessor "
                           "before it",
                           expr);
    tw_strbuf_printf(out, "%.*s.%s()", (int)ir_attr_str(ir_op_attr(before, "value")).size,
                     ir_attr_str(ir_op_attr(before, "value")).data, next);
    return true;
}

static bool convert_accessor_args(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    tw_strbuf text = {0};
    char name[64];
    if (!op->results[0].uses) {
        ir_op_erase(op);
        return true;
    }
    if (!s->readable || !e_accessor_name(s, op, name))
        snprintf(name, sizeof name, "tensor_accessor_args_%u", s->names++);
    tw_strbuf_printf(&text, "constexpr auto %s = TensorAccessorArgs<", name);
    bool ok = accessor_offset(op, 0, "cta_expr", "next_compile_time_args_offset", &text);
    tw_strbuf_puts(&text, ", ");
    ok =
        ok && accessor_offset(op, 1, "crta_expr", "next_common_runtime_args_offset", &text);
    tw_strbuf_puts(&text, ">();");
    if (ok) {
        ir_attr value = ir_string_attr(op->ctx, (tw_str){text.data, text.size});
        ir_build_op(&b, EMITC_OP(verbatim), NULL, 0, NULL, 0, IR_ATTRS({"value", value}),
                    0);
        e_replace(
            op, emitc_literal(&b, emitc_opaque_type(op->ctx, "TensorAccessorArgs"), name));
    }
    tw_strbuf_free(&text);
    return ok;
}

static ir_type pointee(const ir_value *pointer)
{
    return pointer->type->params[0]->type;
}

/* ptr[offset], as an lvalue */
static ir_value *element_of(ir_builder *b, ir_value *pointer, ir_value *offset)
{
    ir_attr param = ir_type_attr(pointee(pointer));
    ir_type type = ir_dialect_type(b->ctx, EMITC_TYPE(lvalue), &param, 1);
    return e_build(b, EMITC_OP(subscript), type, IR_VALUES(pointer, offset));
}

static bool convert_l1(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (op->def == TTKERNEL_OP(store_to_l1)) {
        ir_value *pointer = ir_op_operand_named(op, "l1_ptr");
        ir_value *value = e_cast(&b, ir_op_operand_named(op, "value"), pointee(pointer));
        ir_value *to = element_of(&b, pointer, ir_op_operand_named(op, "offset"));
        ir_build_op(&b, EMITC_OP(assign), NULL, 0, (ir_value *[]){to, value}, 2, NULL, 0,
                    0);
        e_replace(op, NULL);
        return true;
    }
    if (op->def == TTKERNEL_OP(load_from_l1)) {
        ir_value *pointer = ir_op_operand_named(op, "l1_ptr");
        ir_value *from = element_of(&b, pointer, ir_op_operand_named(op, "offset"));
        ir_value *value = e_build(&b, EMITC_OP(load), pointee(pointer), &from, 1);
        e_replace(op, e_cast(&b, value, e_type(op->results[0].type)));
        return true;
    }
    ir_type type = e_type(op->results[0].type);
    tw_str pointed = ir_attr_str(type->params[0]->type->params[0]);
    char callee[64];
    snprintf(callee, sizeof callee, "reinterpret_cast<%.*s*>", (int)pointed.size,
             pointed.data);
    e_replace(
        op, ir_build1(&b, EMITC_OP(call_opaque), type, IR_VALUES(op->operands[0].value),
                      IR_ATTRS({"callee", ir_string_attr(op->ctx, tw_str_from(callee))})));
    return true;
}

static bool convert_call(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_type type = op->n_results ? e_type(op->results[0].type) : NULL;
    ir_named_attr attrs[2] = {{ir_ident_from(op->ctx, "callee"), callee_of(op)}};
    attrs[1] =
        (ir_named_attr){ir_ident_from(op->ctx, "template_args"), template_args_of(op)};
    ir_op *call = ir_build(&b, &(ir_op_state){.def = EMITC_OP(call_opaque),
                                              .loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = &type,
                                              .n_results = op->n_results,
                                              .attrs = attrs,
                                              .n_attrs = attrs[1].value ? 2 : 1});
    free(operands);
    if (ir_op_attr(op, "ttkernel.cb_arg_idx"))
        ir_op_set_attr(call, "ttkernel.cb_arg_idx", ir_op_attr(op, "ttkernel.cb_arg_idx"));
    e_replace(op, op->n_results ? &call->results[0] : NULL);
    return true;
}

/* ---- exponentials -------------------------------------------------------------------- */

enum { ONE = 0x3F800000 }; /* as f32 */

/* Template arguments of exp_tile_init (approximate, scale, clamping) and exp_tile
 * (approximate, whether there is a scale, clamping, iterations), up to the last that the
 * operation says something about. */
static ir_attr exp_args(ir_op *op, bool scaled)
{
    bool init = op->def == TTKERNEL_OP(exp_tile_init);
    ir_attr scale = ir_op_attr(op, "scale"), clamping = ir_op_attr(op, "input_clamping");
    ir_attr iterations = init ? NULL : ir_op_attr(op, "iterations");
    size_t n = iterations                        ? 4
               : clamping                        ? 3
               : (init ? scale != NULL : scaled) ? 2
               : ir_op_attr(op, "approx")        ? 1
                                                 : 0;
    bool none = ir_enum_value(clamping, TTKERNEL_InputClamping_ClampToNegative) ==
                TTKERNEL_InputClamping_None;
    char number[24], count[24];
    snprintf(number, sizeof number, "%u", (unsigned)ir_attr_int(scale, ONE));
    snprintf(count, sizeof count, "%lld", (long long)ir_attr_int(iterations, 8));
    const char *texts[] = {ir_op_bool(op, "approx") ? "true" : "false",
                           init     ? number
                           : scaled ? "true"
                                    : "false",
                           none ? "InputClamping::None" : "InputClamping::ClampToNegative",
                           count};
    ir_attr args[TW_COUNT(texts)];
    for (size_t i = 0; i < n; i++)
        args[i] = emitc_opaque_attr(op->ctx, texts[i]);
    return n ? ir_array_attr(op->ctx, args, n) : NULL;
}

/* The scale is a number at run time, too: its bf16. */
static bool convert_exp(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    bool init = op->def == TTKERNEL_OP(exp_tile_init);
    uint32_t scale = (uint32_t)ir_op_int(op, "scale", ONE);
    e_call c = {0};
    if (!init)
        e_push(&c, ir_op_operand(op, 0));
    if (!init && scale != ONE) {
        char text[48];
        snprintf(text, sizeof text, "static_cast<uint16_t>(%uu)", scale >> 16);
        e_push(&c, emitc_literal(&b, emitc_opaque_type(op->ctx, "VectorMode"),
                                 "VectorMode::RC"));
        e_push(&c, emitc_literal(&b, emitc_opaque_type(op->ctx, "uint16_t"), text));
    }
    e_call_opaque(&b, init ? "exp_tile_init" : "exp_tile", NULL, &c,
                  exp_args(op, !init && scale != ONE));
    e_replace(op, NULL);
    return true;
}

/* ---- all ----------------------------------------------------------------------------- */

static ir_walk note_operand(ir_op *op, void *user)
{
    unsigned *ports = user;
    bool is_port = op->n_results == 1 && ttkernel_is_cb(op->results[0].type);
    if (is_port &&
        (op->def == TTKERNEL_OP(get_arg_val) || op->def == TTKERNEL_OP(get_common_arg_val)))
        ir_op_set_attr(op, "ttkernel.cb_arg_idx", ir_i32_attr(op->ctx, (*ports)++));
    if (op->def != TTKERNEL_OP(experimental_write_row_mask_tile) &&
        op->def != TTKERNEL_OP(experimental_write_col_mask_tile) &&
        op->def != TTKERNEL_OP(experimental_fill_arange_tile))
        return IR_WALK_ON;
    ir_attr element = ir_type_param(ir_op_operand_named(op, "cb")->type, "element_type");
    if (ir_attr_is(element, IR_ATTR_TYPE) && ir_type_param(element->type, "dataType"))
        ir_op_set_attr(op, "data_format", ir_type_param(element->type, "dataType"));
    return IR_WALK_ON;
}

void e_note_operands(e_state *s)
{
    unsigned ports = 0;
    ir_walk_pre(s->func, note_operand, &ports);
}

bool e_convert_kernel(ir_op *op, e_state *s)
{
    if (strncmp(op->def->name, "ttkernel.", 9) != 0)
        return false;
    bool ok;
    if (op->n_results > 1 || op->n_regions) {
        e_refuse(op, s);
        return false;
    }
    if (op->def == TTKERNEL_OP(unreachable)) { /* what is called ends no block */
        ir_builder b = ir_builder_at_end(op->ctx, op->block, op->loc);
        ir_build_op(&b, FUNC_OP(return ), NULL, 0, NULL, 0, NULL, 0, 0);
    }
    if (op->def == TTKERNEL_OP(get_compile_time_arg_val))
        ok = convert_compile_arg(op, s);
    else if (op->def == TTKERNEL_OP(TensorAccessorArgs))
        ok = convert_accessor_args(op, s);
    else if (op->def == TTKERNEL_OP(store_to_l1) || op->def == TTKERNEL_OP(load_from_l1) ||
             op->def == TTKERNEL_OP(reinterpret_cast))
        ok = convert_l1(op);
    else if (op->def == TTKERNEL_OP(exp_tile) || op->def == TTKERNEL_OP(exp_tile_init))
        ok = convert_exp(op);
    else
        ok = convert_call(op);
    s->failed |= !ok;
    return ok;
}
