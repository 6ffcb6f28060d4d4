/* tt_lang_verify.c: verifies operations that name a kernel of tt-lang.  `arg_roles` gives
 * the role of each operand, comma-separated: "in" or "out"; results correspond to "out". */
#include "ttcore/tt_lang_verify.h"

static tw_str trimmed(tw_str text)
{
    static const char blanks[] = " \t\n\v\f\r";
    while (text.size && memchr(blanks, text.data[0], sizeof blanks - 1))
        text.data++, text.size--;
    while (text.size && memchr(blanks, text.data[text.size - 1], sizeof blanks - 1))
        text.size--;
    return text;
}

static tw_str text_of(const ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    return ir_attr_is(a, IR_ATTR_STRING) ? ir_attr_str(a) : TW_STR("");
}

/* Splits off the text before the next comma. */
static tw_str next_role(tw_str *rest)
{
    const char *comma = rest->size ? memchr(rest->data, ',', rest->size) : NULL;
    tw_str role = {rest->data, comma ? (size_t)(comma - rest->data) : rest->size};
    size_t used = role.size + (comma != NULL);
    *rest = (tw_str){rest->data + used, rest->size - used};
    return trimmed(role);
}

static bool check_roles(ir_op *op, tw_str roles)
{
    uint32_t n = 1, outs = 0;
    for (size_t i = 0; i < roles.size; i++)
        n += roles.data[i] == ',';
    if (n != op->n_operands)
        return ir_op_error(op,
                           "`arg_roles` token count (%u) must match number of inputs (%u).",
                           n, op->n_operands);
    for (uint32_t i = 0; i < n; i++) {
        tw_str role = next_role(&roles);
        if (tw_str_is(role, "out")) {
            outs++;
        } else if (!tw_str_is(role, "in")) {
            return ir_op_error(
                op, "`arg_roles` token must be \"in\" or \"out\", got: \"%.*s\".",
                (int)role.size, role.data);
        } else if (outs) {
            return ir_op_error(
                op, "`arg_roles` must list all \"in\" operands before any \"out\" "
                    "operand (destination-passing-style ordering).");
        }
    }
    if (outs != op->n_results)
        return ir_op_error(
            op, "number of \"out\" roles (%u) must match number of results (%u).", outs,
            op->n_results);
    return outs ||
           ir_op_error(op, "tt-lang kernel must have at least one operand tagged "
                           "\"out\" (the destination buffer the runtime returns as the "
                           "kernel's output).");
}

/* The last operands are the destinations of the results. */
static bool check_destinations(ir_op *op)
{
    uint32_t n_ins = op->n_operands - op->n_results;
    for (uint32_t i = 0; op->n_operands >= op->n_results && i < op->n_results; i++) {
        ir_type out = op->operands[n_ins + i].value->type, result = op->results[i].type;
        if (out != result)
            return ir_op_error(op,
                               "expected type of operand #%u ('%s') to match type of "
                               "corresponding result ('%s')",
                               n_ins + i, ir_type_text(op->ctx, out),
                               ir_type_text(op->ctx, result));
    }
    return true;
}

bool tt_lang_verify(ir_op *op)
{
    if (ir_def_has(op->def, "DestinationStyleOpInterface") && !check_destinations(op))
        return false;
    tw_str roles = text_of(op, "arg_roles");
    if (op->n_operands == 0)
        return ir_op_error(op, "tt-lang kernel must have at least one input operand.");
    if (roles.size == 0)
        return ir_op_error(op, "`arg_roles` attribute must not be empty.");
    if (!check_roles(op, roles))
        return false;
    if (text_of(op, "kernel_id").size == 0)
        return ir_op_error(op, "`kernel_id` attribute must not be empty.");
    return text_of(op, "version_tag").size ||
           ir_op_error(op, "`version_tag` attribute must not be empty.");
}
