/* calls.c: operations of ttkernel become calls of the functions whose names they carry.
 * What their attributes say goes into template arguments, as a table tells. */
#include "convert/ttkernel_to_emitc/ttkernel_to_emitc.h"
#include "dialect/emitc/emitc.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttkernel/ttkernel_cpp.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- template arguments -------------------------------------------------------------- */

static ir_attr opaque_attr(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_attr(ctx, EMITC_ATTR(opaque), &param, 1);
}

/* NULL for none */
static ir_attr template_value(ir_op *op, const ttkernel_cpp_arg *arg)
{
    ir_attr value = arg->kind == TTKERNEL_CPP_TEXT ? NULL : ir_op_attr(op, arg->attr);
    char text[96];
    switch (arg->kind) {
    case TTKERNEL_CPP_BOOL:
        return ir_bool_attr(op->ctx, ir_attr_bool(value));
    case TTKERNEL_CPP_IF_TRUE:
        return ir_attr_bool(value) ? ir_bool_attr(op->ctx, true) : NULL;
    case TTKERNEL_CPP_NUMBER:
        return ir_i32_attr(op->ctx, ir_attr_int(value, 0));
    case TTKERNEL_CPP_TEXT:
        return opaque_attr(op->ctx, arg->attr);
    case TTKERNEL_CPP_CASE:
    case TTKERNEL_CPP_CASE_VALUE:
        for (const ttkernel_cpp_case *c = arg->cases; c->text; c++)
            if (c->value == ir_enum_value(value, -1)) {
                bool number = arg->kind == TTKERNEL_CPP_CASE_VALUE;
                snprintf(text, sizeof text, "%s%s%s",
                         number ? "static_cast<std::underlying_type_t<DataFormat>>(" : "",
                         c->text, number ? ")" : "");
                return opaque_attr(op->ctx, text);
            }
        return NULL;
    default:
        return NULL;
    }
}

static ir_attr template_args(ir_op *op)
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

static void replace(ir_op *op, ir_value *by)
{
    if (by)
        ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

static ir_value *literal(ir_builder *b, ir_type type, const char *text)
{
    return ir_build1(b, EMITC_OP(literal), type, NULL, 0,
                     IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
}

/* A compile-time argument is used where it stands: the API wants a constant there. */
static bool convert_compile_arg(ir_op *op)
{
    char text[64];
    ir_builder b = ir_builder_before(op);
    snprintf(text, sizeof text, "get_compile_time_arg_val(%lld)",
             (long long)ir_op_int(op, "arg_index", 0));
    replace(op, literal(&b, e_type(op->results[0].type), text));
    return true;
}

static bool known(const ir_value *v, long long *out)
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
    long long value;
    ir_attr text = ir_op_attr(op, expr);
    ir_op_operand_group(op, group, &start, &count);
    if (text) {
        tw_strbuf_str(out, ir_attr_str(text));
        return true;
    }
    if (count && known(op->operands[start].value, &value)) {
        tw_strbuf_printf(out, "%lld", value);
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

static ir_walk count_accessors(ir_op *op, void *user)
{
    static const char prefix[] = "auto tensor_accessor_args_";
    ir_attr value = op->def == EMITC_OP(verbatim) ? ir_op_attr(op, "value") : NULL;
    if (value && ir_attr_str(value).size > sizeof prefix &&
        memcmp(ir_attr_str(value).data, prefix, sizeof prefix - 1) == 0)
        ++*(unsigned *)user;
    return IR_WALK_ON;
}

static bool convert_accessor_args(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    tw_strbuf text = {0};
    char name[64];
    unsigned number = 0;
    ir_op *func = op;
    while (ir_op_parent(func) && !(func->def->traits & IR_FUNCTION_LIKE))
        func = ir_op_parent(func);
    ir_walk_pre(func, count_accessors, &number);
    snprintf(name, sizeof name, "tensor_accessor_args_%u", number);
    tw_strbuf_printf(&text, "auto %s = TensorAccessorArgs<", name);
    bool ok = accessor_offset(op, 0, "cta_expr", "next_compile_time_args_offset", &text);
    tw_strbuf_puts(&text, ", ");
    ok =
        ok && accessor_offset(op, 1, "crta_expr", "next_common_runtime_args_offset", &text);
    tw_strbuf_puts(&text, ">();");
    if (ok) {
        ir_attr value = ir_string_attr(op->ctx, (tw_str){text.data, text.size});
        ir_build_op(&b, EMITC_OP(verbatim), NULL, 0, NULL, 0, IR_ATTRS({"value", value}),
                    0);
        replace(op, literal(&b, e_opaque(op->ctx, "TensorAccessorArgs"), name));
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
        replace(op, NULL);
        return true;
    }
    if (op->def == TTKERNEL_OP(load_from_l1)) {
        ir_value *pointer = ir_op_operand_named(op, "l1_ptr");
        ir_value *from = element_of(&b, pointer, ir_op_operand_named(op, "offset"));
        ir_value *value = e_build(&b, EMITC_OP(load), pointee(pointer), &from, 1);
        replace(op, e_cast(&b, value, e_type(op->results[0].type)));
        return true;
    }
    ir_type type = e_type(op->results[0].type);
    tw_str pointed = ir_attr_str(type->params[0]->type->params[0]);
    char callee[64];
    snprintf(callee, sizeof callee, "reinterpret_cast<%.*s*>", (int)pointed.size,
             pointed.data);
    replace(op,
            ir_build1(&b, EMITC_OP(call_opaque), type, IR_VALUES(op->operands[0].value),
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
    attrs[1] = (ir_named_attr){ir_ident_from(op->ctx, "template_args"), template_args(op)};
    ir_op *call = ir_build(&b, &(ir_op_state){.def = EMITC_OP(call_opaque),
                                              .loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = &type,
                                              .n_results = op->n_results,
                                              .attrs = attrs,
                                              .n_attrs = attrs[1].value ? 2 : 1});
    free(operands);
    replace(op, op->n_results ? &call->results[0] : NULL);
    return true;
}

bool e_convert_kernel(ir_op *op, bool *failed)
{
    if (strncmp(op->def->name, "ttkernel.", 9) != 0)
        return false;
    bool ok;
    if (op->n_results > 1 || op->n_regions)
        ok = ir_op_error(op, "has no form in C++ yet");
    else if (op->def == TTKERNEL_OP(get_compile_time_arg_val))
        ok = convert_compile_arg(op);
    else if (op->def == TTKERNEL_OP(TensorAccessorArgs))
        ok = convert_accessor_args(op);
    else if (op->def == TTKERNEL_OP(store_to_l1) || op->def == TTKERNEL_OP(load_from_l1) ||
             op->def == TTKERNEL_OP(reinterpret_cast))
        ok = convert_l1(op);
    else
        ok = convert_call(op);
    *failed |= !ok;
    return ok;
}
