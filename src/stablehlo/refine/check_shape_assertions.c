/* check_shape_assertions.c: erases custom calls of @shape_assertion that hold, and
 * reports others with the message that they carry; {0}, {1}, ... refer to further
 * operands. */
#include "ir/pass/pass.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

#include <ctype.h>
#include <stdlib.h>

enum { MAX_INPUTS = 32 };

static bool refuse(ir_op *op, const char *text)
{
    return ir_error(op->ctx, op->loc, "%s", text);
}

static bool is_scalar(ir_type t, uint32_t width)
{
    return ir_type_is_tensor(t) && t->count == 0 && ir_type_is_signless(t->element, width);
}

static bool is_known(tw_str name)
{
    static const char *const known[] = {"api_version", "backend_config", "call_target_name",
                                        "error_message", "has_side_effect"};
    for (size_t i = 0; i < TW_COUNT(known); i++)
        if (tw_str_is(name, known[i]))
            return true;
    return false;
}

static bool check_attributes(ir_op *op)
{
    for (size_t i = 0; i < ir_def_n_props(op->def); i++) {
        const char *name = ir_def_prop_name(op->def, i);
        if (op->props[i] && !is_known(tw_str_from(name)))
            return ir_error(op->ctx, op->loc, "\"%s\" is not a supported attribute", name);
    }
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++)
        if (!is_known(ir_ident_str(op->attrs->entries[i].name)))
            return ir_error(op->ctx, op->loc, "\"%s\" is not a supported attribute",
                            op->attrs->entries[i].name->text);
    ir_attr config = ir_op_attr(op, "backend_config");
    bool empty = !config || (config->kind == IR_ATTR_STRING && !ir_attr_str(config).size) ||
                 (config->kind == IR_ATTR_DICT && !config->count);
    return empty || refuse(op, "expects an empty backend_config");
}

/* Specifiers are {index}, {index,layout} or {index:format}. */
static bool check_message(ir_op *op, tw_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '{')
            continue;
        size_t end = i + 1;
        long index = 0;
        while (end < text.size && isdigit((unsigned char)text.data[end]) && index < 1000)
            index = index * 10 + (text.data[end++] - '0');
        bool is_index = end > i + 1 && end < text.size && strchr(",:}", text.data[end]);
        if (is_index && index >= (long)op->n_operands - 1)
            return ir_error(op->ctx, op->loc,
                            "expects error_message to contain format specifiers with "
                            "error_message_input index less than %u. Found specifier %.*s",
                            op->n_operands - 1, (int)(end - i + 1), text.data + i);
    }
    return true;
}

static bool is_well_formed(ir_op *op)
{
    if (op->n_operands < 1 || op->n_operands > 1 + MAX_INPUTS)
        return refuse(op, "expects 1 <= size(operands) <= 33");
    if (op->n_results)
        return refuse(op, "expects size(results) = 0");
    if (!check_attributes(op))
        return false;
    if (!is_scalar(op->operands[0].value->type, 1))
        return refuse(op, "expects assert_what (operand #0) to be a constant of type "
                          "tensor<i1>");
    for (uint32_t i = 1; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        if (!is_scalar(t, 32) && !is_scalar(t, 64))
            return ir_error(op->ctx, op->loc,
                            "expects error_message_input (operand #%u) to be a constant of "
                            "type tensor<i32> or tensor<i64>",
                            i);
    }
    ir_attr message = ir_op_attr(op, "error_message");
    if (!ir_attr_is(message, IR_ATTR_STRING))
        return refuse(op, "expects an error_message attribute");
    return check_message(op, ir_attr_str(message));
}

static void report(ir_op *op, tw_str text, const int64_t *values)
{
    tw_strbuf out = {0};
    for (size_t i = 0; i < text.size; i++) {
        char *end = NULL;
        long index = text.data[i] == '{' ? strtol(text.data + i + 1, &end, 10) : -1;
        const char *close =
            end ? memchr(end, '}', text.size - (size_t)(end - text.data)) : NULL;
        if (text.data[i] == '{' && end > text.data + i + 1 && close && index >= 0 &&
            index < (long)op->n_operands - 1) {
            tw_strbuf_i64(&out, values[index]);
            i = (size_t)(close - text.data);
        } else {
            tw_strbuf_putc(&out, text.data[i]);
        }
    }
    ir_error(op->ctx, op->loc, "%s", tw_strbuf_text(&out));
    tw_strbuf_free(&out);
}

/* True if nothing is wrong. */
static bool check(ir_op *op)
{
    int64_t holds, values[MAX_INPUTS] = {0};
    if (!is_well_formed(op))
        return false;
    if (stablehlo_ints(op->operands[0].value, &holds, 1) != 1)
        return refuse(op, "expects static assert_what (operand #0)");
    if (holds) {
        ir_op_erase(op);
        return true;
    }
    for (uint32_t i = 1; i < op->n_operands; i++)
        if (stablehlo_ints(op->operands[i].value, &values[i - 1], 1) != 1)
            return ir_error(op->ctx, op->loc,
                            "expects static error_message_input (operand #%u)", i);
    report(op, ir_attr_str(ir_op_attr(op, "error_message")), values);
    return false;
}

typedef struct walk {
    bool ok, checks;
} walk;

static ir_walk visit(ir_op *op, void *user)
{
    walk *w = user;
    ir_attr target = ir_op_attr(op, "call_target_name");
    if (op->def != STABLEHLO_OP(custom_call) || !ir_attr_is(target, IR_ATTR_STRING) ||
        !tw_str_is(ir_attr_str(target), "shape_assertion"))
        return IR_WALK_ON;
    if (!w->checks)
        ir_op_erase(op);
    else
        w->ok &= check(op);
    return IR_WALK_ON;
}

static bool run(ir_op *func, pass_run *run)
{
    walk w = {true, pass_option_bool(run, "enable-shape-assertions")};
    ir_walk_post(func, visit, &w);
    return w.ok;
}

const pass_def stablehlo_check_shape_assertions_pass = {
    .name = "stablehlo-check-shape-assertions",
    .title = "StablehloCheckShapeAssertionsPass",
    .summary = "Check stablehlo.custom_call @shape_assertion ops.",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def, {"enable-shape-assertions", PASS_BOOL, "true",
                                         "Whether shape assertions may generate errors."}),
};
