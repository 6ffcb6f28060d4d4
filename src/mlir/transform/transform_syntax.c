/* transform_syntax.c: the hand-written text of structured.split, and verification.
 *
 *   ssa "after" ( ssa | int ) attr-dict ":" type [ "," type of the point ] */
#include "mlir/transform/transform.h"
#include "mlir/transform/transform_hooks.h"

void transform_split_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use target, point;
    int64_t size = IR_DYNAMIC;
    if (!ir_parse_ssa(p, &target) || !ir_expect_keyword(p, "after"))
        return;
    bool dynamic = ir_accept_ssa(p, &point);
    if (p->failed || (!dynamic && !ir_parse_int(p, &size)) || !ir_parse_op_attr_dict(p, op))
        return;
    ir_type type = ir_parse_colon_type(p), of_point = NULL;
    if (!type || !ir_add_operand(p, op, target, type))
        return;
    if (dynamic && (!ir_expect_punct(p, ',') || !(of_point = ir_parse_a_type(p)) ||
                    !ir_add_operand(p, op, point, of_point)))
        return;
    ir_add_attr(p, op, "static_chunk_sizes", ir_i64_attr(p->ctx, size));
    ir_add_result(p, op, type);
}

void transform_split_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"static_chunk_sizes"};
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    ir_put(p, " after ");
    if (op->n_operands > 1)
        ir_put_operands(p, op, 1, 1);
    else
        ir_put_int(p, ir_op_int(op, "static_chunk_sizes", 0));
    ir_putc(p, ' ');
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_operand_types(p, op, 0, op->n_operands);
}

bool transform_split_verify(ir_op *op)
{
    bool dynamic = ir_op_int(op, "static_chunk_sizes", 0) == IR_DYNAMIC;
    return dynamic == (op->n_operands > 1) ||
           ir_op_error(op, "expects either a dynamic or a static split point to be "
                           "provided");
}

/* Checks the selection of operands or results: all, some, or all but some. */
bool transform_match_dims_verify(ir_op *op)
{
    ir_attr list = ir_op_attr(op, "raw_position_list");
    bool all = ir_op_attr(op, "is_all"), inverted = ir_op_attr(op, "is_inverted");
    if (all && inverted)
        return ir_op_error(op, "cannot request both 'all' and 'inverted' values in the "
                               "list");
    if (all && list->count)
        return ir_op_error(op, "cannot both request 'all' and specific values in the list");
    if (!all && !list->count)
        return ir_op_error(op, "must request specific values in the list if 'all' is not "
                               "specified");
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (ir_dense_array_int(list, i) == ir_dense_array_int(list, k))
                return ir_op_error(op, "expected the listed values to be unique");
    return true;
}

bool transform_foreach_match_verify(ir_op *op)
{
    ir_attr matchers = ir_op_attr(op, "matchers"), actions = ir_op_attr(op, "actions");
    if (matchers->count != actions->count)
        return ir_op_error(op, "expected the same number of matchers and actions");
    if (!matchers->count)
        return ir_op_error(op, "expected at least one match/action pair");
    for (uint32_t i = 0; i < matchers->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (matchers->items[k] == matchers->items[i]) {
                ir_warning(op->ctx, op->loc,
                           "matcher %s is used more than once, only the first match will "
                           "apply",
                           ir_attr_text(op->ctx, matchers->items[i]));
                break;
            }
    return true;
}

/* Marks the dynamic options that an option refers to; false if the index is out of
 * range. */
static bool note_operands(ir_op *op, ir_attr option, bool *used, uint32_t count)
{
    for (uint32_t i = 0; option->kind == IR_ATTR_ARRAY && i < option->count; i++)
        if (!note_operands(op, option->items[i], used, count))
            return false;
    if (option->kind != IR_ATTR_DIALECT || option->def != TRANSFORM_ATTR(param_operand))
        return true;
    int64_t index = ir_attr_int(option->params[0], -1);
    if (index < 0 || index >= count)
        return ir_op_error(op,
                           "dynamic option index %lld is out of bounds for the number of "
                           "dynamic options: %u",
                           (long long)index, count);
    used[index] = true;
    return true;
}

bool transform_registered_pass_verify(ir_op *op)
{
    ir_attr options = ir_op_attr(op, "options");
    uint32_t count = op->n_operands - 1;
    bool used[64] = {false};
    if (count > TW_COUNT(used))
        return ir_op_error(op, "has more than %zu dynamic options", TW_COUNT(used));
    for (uint32_t i = 0; options && i < options->count; i++)
        if (!note_operands(op, options->entries[i].value, used, count))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (!used[i])
            return ir_op_error(op,
                               "a param operand does not have a corresponding dynamic "
                               "option: #%u",
                               i);
    return true;
}
