/* chlo_scan.c: syntax and checks of chlo.scan.
 *
 *   "(" inputs ")" "inits" "(" inits ")" "dimension" "=" n [ "attributes" {...} ] region
 *       ":" function-type
 *
 * The body takes a slice of each input and the carried values; it returns a slice of each
 * output, then the carried values. */
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/stablehlo_verify.h"

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

static bool parse_values(ir_parser *p, ir_ssa_list *out)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    return ir_parse_ssa_list(p, out) && ir_expect_punct(p, ')');
}

static void add_segments(ir_parser *p, ir_parsed_op *op, const char *name, uint32_t first,
                         uint32_t second)
{
    const int64_t sizes[] = {first, second};
    ir_add_attr(p, op, name, ir_dense_i32_array(p->ctx, sizes, 2));
}

void chlo_scan_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list inputs = {0}, inits = {0};
    ir_type_list in = {0}, out = {0};
    int64_t dimension;
    const char *at = p->tok.at;
    if (!parse_values(p, &inputs) || !ir_expect_keyword(p, "inits") ||
        !parse_values(p, &inits) || !ir_expect_keyword(p, "dimension") ||
        !ir_expect_punct(p, '=') || !ir_parse_int(p, &dimension) ||
        !ir_parse_op_attr_dict_keyword(p, op) || !ir_parse_op_region(p, op, NULL, 0) ||
        !ir_expect_punct(p, ':') || !ir_parse_fn_type(p, &in, &out))
        return;
    if (in.count != inputs.count + inits.count) {
        ir_fail_own(p, at, "operand types must match the number of inputs and inits");
        return;
    }
    if (out.count < inits.count) {
        ir_fail_own(p, at, "not enough result types to cover the required carries");
        return;
    }
    if (!ir_add_operands(p, op, &inputs, in.at, inputs.count, at) ||
        !ir_add_operands(p, op, &inits, in.at + inputs.count, inits.count, at))
        return;
    ir_add_results(p, op, &out);
    ir_add_attr(p, op, "dimension", ir_i64_attr(p->ctx, dimension));
    add_segments(p, op, "operandSegmentSizes", inputs.count, inits.count);
    add_segments(p, op, "resultSegmentSizes", out.count - inits.count, inits.count);
}

static void put_values(ir_printer *p, ir_op *op, size_t group)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, group, &start, &count);
    ir_putc(p, '(');
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_value(p, op->operands[start + i].value);
    }
    ir_putc(p, ')');
}

void chlo_scan_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"dimension", "operandSegmentSizes",
                                         "resultSegmentSizes"};
    put_values(p, op, 0);
    ir_put(p, " inits ");
    put_values(p, op, 1);
    ir_putf(p, " dimension=%lld ", (long long)ir_op_int(op, "dimension", 0));
    ir_put_op_attr_dict_keyword(p, op, elided, TW_COUNT(elided));
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

/* ---- checks ------------------------------------------------------------------------- */

static bool check_inputs(ir_op *op, size_t n)
{
    int64_t dim = ir_op_int(op, "dimension", 0);
    int64_t size = ir_op_int(op, "scan_dim_size", IR_DYNAMIC);
    for (size_t i = 0; i < n; i++) {
        ir_type type = op->operands[i].value->type;
        if (!ir_type_is_tensor(type))
            return ir_op_error(op, "operand %zu is not ranked", i);
        if (dim >= type->count)
            return ir_op_error(op, "scan dimension of operand %zu is out of bounds", i);
        if (!stablehlo_sizes_fit(size, type->dims[dim]))
            return ir_op_error(op, "invalid scan dimension size of operand %zu", i);
        if (type->dims[dim] != IR_DYNAMIC)
            size = type->dims[dim];
    }
    return true;
}

/* The type of an operand as the body sees it: inputs without the dimension. */
static ir_type slice_of(ir_type type, int64_t dim)
{
    int64_t dims[64];
    size_t n = 0;
    for (uint32_t i = 0; i < type->count && i < 64; i++)
        if (i != dim)
            dims[n++] = type->dims[i];
    return ir_tensor_type(type->element, dims, n, NULL);
}

bool chlo_verify_scan(ir_op *op)
{
    size_t start, n;
    ir_block *body = ir_op_body(op, 0);
    if (!body || !ir_op_operand_group(op, 0, &start, &n))
        return true;
    size_t n_outputs = 0;
    ir_op_result_group(op, 0, &start, &n_outputs);
    if (!n && !n_outputs)
        return ir_op_error(op, "at least one of inputs or outputs must be present");
    if (!check_inputs(op, n))
        return false;
    if (body->n_args != op->n_operands)
        return ir_op_error(op, "expects %u arguments in the body, but got %u",
                           op->n_operands, body->n_args);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type type = op->operands[i].value->type;
        if (!ir_type_is_tensor(type))
            return ir_op_error(op, "operand %u is not ranked", i);
        if (i < n)
            type = slice_of(type, ir_op_int(op, "dimension", 0));
        if (!stablehlo_types_fit(type, body->args[i]->type))
            return ir_op_error(op, "operand and body argument %u are incompatible", i);
    }
    return true;
}

static int64_t scanned_size(const ir_op *op, int64_t dim, size_t n)
{
    int64_t size = ir_op_int(op, "scan_dim_size", IR_DYNAMIC);
    for (size_t i = 0; i < n && size == IR_DYNAMIC; i++)
        if (op->operands[i].value->type->count > dim)
            size = op->operands[i].value->type->dims[dim];
    return size;
}

bool chlo_infer_scan(ir_op *op, chk_types *out)
{
    size_t start, n, n_inits;
    int64_t dim = ir_op_int(op, "dimension", 0);
    ir_op *end = stablehlo_end_of(op, 0);
    if (!end)
        return FAIL("ScanOp region is empty");
    if (!ir_op_operand_group(op, 0, &start, &n) ||
        !ir_op_operand_group(op, 1, &start, &n_inits))
        return true;
    if (end->n_operands < n_inits)
        return FAIL("ScanOp body must return at least %zu values (carries)", n_inits);
    int64_t size = scanned_size(op, dim, n);
    for (uint32_t i = 0; i < end->n_operands && i < CHK_MAX_TYPES; i++) {
        int64_t dims[64];
        ir_type type = end->operands[i].value->type;
        size_t rank = 0;
        bool output = i < end->n_operands - n_inits;
        if (!ir_type_is_tensor(type))
            return FAIL("terminator operand %u is not ranked", i);
        if (type->count >= 63 || (output && dim > type->count))
            return true;
        for (uint32_t k = 0; k <= type->count; k++) {
            if (output && k == dim)
                dims[rank++] = size;
            if (k < type->count)
                dims[rank++] = type->dims[k];
        }
        out->at[out->n++] = ir_tensor_type(type->element, dims, rank, NULL);
    }
    out->known = true;
    return true;
}

/* Arguments of the body: slices of the inputs, then what is carried. */
void chlo_scan_names(ir_printer *p, ir_op *op)
{
    size_t start, inputs;
    ir_block *body = ir_op_body(op, 0);
    if (!body || !ir_op_operand_group(op, 0, &start, &inputs))
        return;
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_name_value(p, body->args[i], i < inputs ? "input" : "carry");
}
