/* linalg_dims_syntax.c: the hand-written text of map, reduce, transpose and broadcast.
 *
 *   map     = [payload] ins outs attr-dict [ args region ]
 *   reduce  = [payload] ins outs "dimensions" "=" ints attr-dict [ args region ]
 *   payload = "{" op-name attr-dict "}": the body is that one operation
 *   transpose, broadcast = ins outs ( "permutation" | "dimensions" ) "=" ints attr-dict */
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"

static const char *dims_name(const ir_op_def *def)
{
    return def == LINALG_OP(map)         ? NULL
           : def == LINALG_OP(transpose) ? "permutation"
                                         : "dimensions";
}

static bool parse_dims(ir_parser *p, ir_parsed_op *op)
{
    const char *name = dims_name(op->def);
    ir_dims dims = {0};
    if (!name)
        return true;
    if (!ir_expect_keyword(p, name) || !ir_expect_punct(p, '=') ||
        !ir_parse_int_list(p, &dims))
        return false;
    ir_add_attr(p, op, name, ir_dense_i64_array(p->ctx, dims.at, dims.count));
    return true;
}

static void put_dims(ir_printer *p, const ir_op *op)
{
    const char *name = dims_name(op->def);
    if (!name)
        return;
    ir_putf(p, " %s = ", name);
    ir_put_dense_array_bare(p, ir_op_attr(op, name));
    ir_putc(p, ' ');
}

static void put_dict(ir_printer *p, const ir_op *op)
{
    static const char *const elided[] = {"permutation", "dimensions",
                                         "operandSegmentSizes"};
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
}

/* ---- transpose, broadcast ----------------------------------------------------------- */

void linalg_dims_parse(ir_parser *p, ir_parsed_op *op)
{
    int32_t sizes[2];
    if (!linalg_parse_ins_outs(p, op, sizes) || !parse_dims(p, op) ||
        !ir_parse_op_attr_dict(p, op))
        return;
    linalg_add_tensor_results(p, op, (uint32_t)sizes[0]);
    ir_add_empty_region(p, op);
    linalg_build_body(p, op, op->regions[0]);
}

void linalg_dims_print(ir_printer *p, ir_op *op)
{
    linalg_put_ins_outs(p, op, op->n_operands ? op->n_operands - 1 : 0);
    put_dims(p, op);
    put_dict(p, op);
}

/* ---- map, reduce
 * ---------------------------------------------------------------------------
 *
 * The payload's operands are the body's arguments: of reduce the accumulators first, of
 * map the inputs only. */

typedef struct payload {
    const ir_op_def *def;
    ir_attr_list attrs;
} payload;

static bool parse_payload(ir_parser *p, payload *out)
{
    tw_str name;
    const char *at;
    if (!ir_accept_punct(p, '{'))
        return !p->failed;
    at = p->tok.at;
    if (!ir_parse_keyword(p, &name))
        return false;
    out->def = ir_context_op_def(p->ctx, name);
    if (!out->def)
        return ir_fail_own(p, at, "op '%.*s' is unknown", (int)name.size, name.data);
    return (!ir_at_punct(p, '{') || ir_parse_attr_dict(p, &out->attrs)) &&
           ir_expect_punct(p, '}');
}

static ir_type element_of(ir_type type)
{
    ir_type element = ir_type_element(type);
    return element ? element : type;
}

static void build_payload(ir_parser *p, ir_parsed_op *op, const payload *body,
                          uint32_t n_inputs)
{
    ir_add_empty_region(p, op);
    ir_block *block = ir_block_create(p->ctx);
    ir_value **operands = ir_scratch(p, (op->n_operands + 1) * sizeof *operands);
    uint32_t count = 0;
    ir_region_append(op->regions[0], block);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_block_add_arg(p->ctx, block, element_of(op->operands[i]->type), op->loc);
    if (op->def == LINALG_OP(reduce))
        for (uint32_t i = n_inputs; i < block->n_args; i++)
            operands[count++] = block->args[i];
    for (uint32_t i = 0; i < n_inputs; i++)
        operands[count++] = block->args[i];
    ir_type result = block->args[block->n_args - 1]->type;
    ir_op *work = ir_op_create(p->ctx, &(ir_op_state){.def = body->def,
                                                      .loc = op->loc,
                                                      .operands = operands,
                                                      .n_operands = count,
                                                      .results = &result,
                                                      .n_results = 1,
                                                      .attrs = body->attrs.at,
                                                      .n_attrs = body->attrs.count});
    ir_block_append(block, work);
    ir_value *value = ir_op_result(work, 0);
    ir_block_append(block, ir_op_create(p->ctx, &(ir_op_state){.def = LINALG_OP(yield),
                                                               .loc = op->loc,
                                                               .operands = &value,
                                                               .n_operands = 1}));
}

void linalg_body_parse(ir_parser *p, ir_parsed_op *op)
{
    payload body = {0};
    ir_arg_list args = {0};
    int32_t sizes[2];
    if (!parse_payload(p, &body) || !linalg_parse_ins_outs(p, op, sizes))
        return;
    linalg_add_tensor_results(p, op, (uint32_t)sizes[0]);
    if (!parse_dims(p, op) || !ir_parse_op_attr_dict(p, op))
        return;
    if (body.def) {
        if (!op->n_operands)
            ir_fail_own(p, op->at, "expected at least one operand");
        else
            build_payload(p, op, &body, (uint32_t)sizes[0]);
        return;
    }
    if (ir_parse_arg_list(p, &args))
        ir_parse_op_region(p, op, args.at, args.count);
}

static bool operands_are(const ir_op *work, const ir_block *body, size_t n_inputs,
                         bool accumulators_first)
{
    uint32_t next = 0;
    if (accumulators_first)
        for (size_t i = n_inputs; i < body->n_args; i++, next++)
            if (next >= work->n_operands || work->operands[next].value != body->args[i])
                return false;
    for (size_t i = 0; i < n_inputs && i < body->n_args; i++, next++)
        if (next >= work->n_operands || work->operands[next].value != body->args[i])
            return false;
    return next == work->n_operands;
}

/* The single operation of the body, NULL if there are more. */
static const ir_op *find_payload(const ir_op *op, size_t n_inputs)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!body || !body->first || body->first->next != body->last)
        return NULL;
    const ir_op *work = body->first, *yield = body->last;
    bool reduce = op->def == LINALG_OP(reduce);
    if (work == yield || work->n_regions || work->n_results != 1 ||
        yield->n_operands != 1 || yield->operands[0].value != &work->results[0] ||
        (reduce && op->n_operands != n_inputs + 1))
        return NULL;
    return operands_are(work, body, n_inputs, reduce) ? work : NULL;
}

static void put_payload(ir_printer *p, const ir_op *work)
{
    static const char *const elided[] = {"fastmath"};
    ir_attr fast = ir_op_attr(work, "fastmath");
    bool plain = fast && fast->kind == IR_ATTR_DIALECT && fast->params[0]->value == 0;
    ir_put(p, " { ");
    ir_put(p, work->def->name);
    ir_put_op_attr_dict(p, work, elided, plain);
    ir_put(p, " }");
}

void linalg_body_print(ir_printer *p, ir_op *op)
{
    size_t start = 0, n_inputs = 0;
    ir_op_operand_group(op, 0, &start, &n_inputs);
    const ir_op *work = find_payload(op, n_inputs);
    if (work)
        put_payload(p, work);
    linalg_put_ins_outs(p, op, n_inputs);
    put_dims(p, op);
    put_dict(p, op);
    if (work)
        return;
    const ir_block *body = ir_op_body(op, 0);
    p->indent += 2;
    ir_put_newline(p);
    ir_putc(p, '(');
    for (uint32_t i = 0; i < body->n_args; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_arg(p, body->args[i], NULL, true);
    }
    ir_put(p, ") ");
    ir_put_region(p, &op->regions[0], false, true);
    p->indent -= 2;
}

/* ---- names -------------------------------------------------------------------------- */

static void name_all(ir_printer *p, ir_op *op, const char *result)
{
    const ir_block *body = ir_op_body(op, 0);
    size_t start = 0, n_inputs = 0;
    ir_op_operand_group(op, 0, &start, &n_inputs);
    if (op->n_results)
        ir_name_value(p, &op->results[0], result);
    for (uint32_t i = 0; body && i < body->n_args; i++)
        ir_name_value(p, body->args[i], i < n_inputs ? "in" : "init");
}

void linalg_map_names(ir_printer *p, ir_op *op)
{
    name_all(p, op, "mapped");
}

void linalg_reduce_names(ir_printer *p, ir_op *op)
{
    name_all(p, op, "reduced");
}

void linalg_transpose_names(ir_printer *p, ir_op *op)
{
    name_all(p, op, "transposed");
}

void linalg_broadcast_names(ir_printer *p, ir_op *op)
{
    name_all(p, op, "broadcasted");
}
