/* cf_syntax.c: the text form of cf.switch, and the verification of branches.
 *
 *   cf.switch %flag : i32, [
 *     default: ^bb1(%a : i32),
 *     42: ^bb2
 *   ] */
#include "mlir/cf/cf_syntax.h"

#include "mlir/cf/cf.h"

/* ---- reading ------------------------------------------------------------------------ */

/* A successor and its operands, whose count is returned in *out_values. */
static bool parse_target(ir_parser *p, ir_parsed_op *op, int32_t *out_values)
{
    ir_block *block;
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    *out_values = 0;
    if (!ir_parse_successor(p, &block))
        return false;
    ir_add_successor(p, op, block);
    if (!ir_accept_punct(p, '('))
        return true;
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses) || !ir_expect_punct(p, ':') ||
        !ir_parse_type_list(p, &types) || !ir_expect_punct(p, ')'))
        return false;
    *out_values = (int32_t)uses.count;
    return ir_add_operands(p, op, &uses, types.at, types.count, at);
}

typedef struct case_list {
    int64_t *values;
    int32_t *segments;
    uint32_t count, capacity;
} case_list;

static void add_case(ir_parser *p, case_list *list, int64_t value, int32_t operands)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 8;
        int64_t *values = ir_scratch(p, capacity * sizeof *values);
        int32_t *segments = ir_scratch(p, capacity * sizeof *segments);
        if (list->count) {
            memcpy(values, list->values, list->count * sizeof *values);
            memcpy(segments, list->segments, list->count * sizeof *segments);
        }
        *list = (case_list){values, segments, list->count, capacity};
    }
    list->values[list->count] = value;
    list->segments[list->count++] = operands;
}

static void add_cases(ir_parser *p, ir_parsed_op *op, ir_type flag, const case_list *cases)
{
    int64_t n = cases->count;
    size_t size = ir_dense_element_size(flag);
    ir_type i32 = ir_integer_type(p->ctx, 32, IR_SIGNLESS);
    if (n) {
        char *bytes = ir_scratch(p, (size_t)n * size);
        for (int64_t i = 0; i < n; i++) {
            int64_t bits = ir_integer_attr(flag, cases->values[i])->value;
            memcpy(bytes + (size_t)i * size, &bits, size);
        }
        ir_add_attr(
            p, op, "case_values",
            ir_dense_attr(ir_vector_type(flag, &n, 1, NULL), bytes, (size_t)n * size));
    }
    ir_add_attr(p, op, "case_operand_segments",
                ir_dense_array(i32, cases->segments, cases->count));
}

void cf_switch_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use flag;
    case_list cases = {0};
    int32_t sizes[3] = {1, 0, 0};
    if (!ir_parse_ssa(p, &flag) || !ir_expect_punct(p, ':'))
        return;
    const char *at = p->tok.at;
    ir_type type = ir_parse_a_type(p);
    if (!type || !ir_add_operand(p, op, flag, type) || !ir_expect_punct(p, ',') ||
        !ir_expect_punct(p, '[') || !ir_expect_keyword(p, "default") ||
        !ir_expect_punct(p, ':') || !parse_target(p, op, &sizes[1]))
        return;
    if (type->kind != IR_TYPE_INTEGER || type->width > 64) {
        ir_fail(p, at, "expected an integer type of at most 64 bits, but found '%s'",
                ir_type_text(p->ctx, type));
        return;
    }
    while (ir_accept_punct(p, ',')) {
        int64_t value;
        int32_t operands;
        if (!ir_parse_int(p, &value) || !ir_expect_punct(p, ':') ||
            !parse_target(p, op, &operands))
            return;
        add_case(p, &cases, value, operands);
        sizes[2] += operands;
    }
    if (!ir_expect_punct(p, ']') || !ir_parse_op_attr_dict(p, op))
        return;
    add_cases(p, op, type, &cases);
    ir_add_operand_segments(p, op, sizes, TW_COUNT(sizes));
}

/* ---- printing ----------------------------------------------------------------------- */

static void put_target(ir_printer *p, const ir_op *op, size_t successor, size_t first,
                       size_t count)
{
    ir_put_block_name(p, op->successors[successor]);
    if (!count)
        return;
    ir_putc(p, '(');
    ir_put_operands(p, op, first, count);
    ir_put(p, " : ");
    ir_put_operand_types(p, op, first, count);
    ir_putc(p, ')');
}

void cf_switch_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"case_values", "case_operand_segments",
                                         "operandSegmentSizes"};
    ir_attr values = ir_op_attr(op, "case_values");
    ir_attr segments = ir_op_attr(op, "case_operand_segments");
    size_t first, count;
    ir_op_operand_group(op, 1, &first, &count);
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    ir_put(p, " : ");
    ir_put_operand_types(p, op, 0, 1);
    ir_put(p, ", [");
    ir_put_newline(p);
    ir_put(p, "  default: ");
    put_target(p, op, 0, first, count);
    first += count;
    int64_t n = values ? ir_type_num_elements(values->type) : 0;
    for (int64_t i = 0; i < n && i + 1 < op->n_successors; i++) {
        unsigned spare = 64 - values->type->element->width;
        uint64_t bits = (uint64_t)ir_dense_int(values, (size_t)i) << spare >> spare;
        ir_putc(p, ',');
        ir_put_newline(p);
        ir_putf(p, "  %llu: ", (unsigned long long)bits);
        count = (size_t)ir_dense_array_int(segments, (size_t)i);
        put_target(p, op, (size_t)i + 1, first, count);
        first += count;
    }
    if (values) /* as in mlir-opt: not after the default alone */
        ir_put_newline(p);
    ir_putc(p, ']');
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

/* ---- verification ------------------------------------------------------------------- */

/* Checks the successor operands against the block arguments. */
static bool check_target(ir_op *op, uint16_t successor, size_t first, size_t count)
{
    const ir_block *to = op->successors[successor];
    if (count != to->n_args)
        return ir_error_at_op(
            op, "branch has %zu operands for successor #%u, but target block has %u", count,
            successor, to->n_args);
    for (uint32_t i = 0; i < to->n_args; i++)
        if (ir_op_operand(op, first + i)->type != to->args[i]->type)
            return ir_error_at_op(op, "type mismatch for bb argument #%u of successor #%u",
                                  i, successor);
    return true;
}

/* Of branches of two dialects: unconditional, or conditional with two successors. */
bool cf_branch_verify(ir_op *op)
{
    size_t conditions = op->n_successors > 1, first, count;
    for (uint16_t i = 0; i < op->n_successors; i++)
        if (ir_op_operand_group(op, conditions + i, &first, &count) &&
            !check_target(op, i, first, count))
            return false;
    return true;
}

static bool check_cases(ir_op *op)
{
    ir_attr segments = ir_op_attr(op, "case_operand_segments");
    size_t first, count;
    if (!ir_op_operand_group(op, 1, &first, &count) || !check_target(op, 0, first, count) ||
        segments->count + 1 != op->n_successors)
        return false;
    first += count;
    for (uint16_t i = 1; i < op->n_successors; i++) {
        count = (size_t)ir_dense_array_int(segments, i - 1u);
        if (first + count > op->n_operands || !check_target(op, i, first, count))
            return false;
        first += count;
    }
    return true;
}

bool cf_switch_verify(ir_op *op)
{
    ir_attr values = ir_op_attr(op, "case_values");
    ir_type flag = ir_op_operand(op, 0)->type;
    uint32_t cases = op->n_successors - 1u;
    int64_t n = values ? ir_type_num_elements(values->type) : 0;
    if (values && values->type->element != flag)
        return ir_op_error(op, "'flag' type ('%s') should match case value type ('%s')",
                           ir_type_text(op->ctx, flag),
                           ir_type_text(op->ctx, values->type->element));
    return n == cases
               ? check_cases(op)
               : ir_op_error(op,
                             "number of case values (%lld) should match number of case "
                             "destinations (%u)",
                             (long long)n, cases);
}
