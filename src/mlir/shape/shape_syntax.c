/* shape_syntax.c: the hand-written text of assuming and const_shape, and verification. */
#include "ir/rules/rules.h"
#include "mlir/shape/shape.h"
#include "mlir/shape/shape_hooks.h"
#include "mlir/shared/region_flow.h"
#include "mlir/shared/shape_checks.h"

#include <stdio.h>

/* ---- assuming: witness [ "->" types ] region [ attr-dict ] -------------------------- */

void shape_assuming_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use witness;
    ir_type_list types = {0};
    if (!ir_parse_ssa(p, &witness) ||
        !ir_add_operand(p, op, witness,
                        ir_dialect_type(p->ctx, SHAPE_TYPE(witness), NULL, 0)) ||
        (p->tok.kind == IR_TOK_ARROW && !ir_parse_arrow_types(p, &types)))
        return;
    ir_add_results(p, op, &types);
    if (ir_parse_op_body(p, op))
        ir_parse_op_attr_dict(p, op);
}

void shape_assuming_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    if (op->n_results) {
        ir_put(p, " -> (");
        ir_put_result_types(p, op, 0, op->n_results);
        ir_putc(p, ')');
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, op->n_results > 0);
    ir_put_op_attr_dict(p, op, NULL, 0);
}

bool shape_verify_assuming_all(ir_op *op)
{
    return op->n_operands || ir_op_error(op, "no operands specified");
}

bool shape_verify_assuming(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    region_end from = region_yields(body->last, 0), to = region_results(op);
    return region_flows(op, &from, &to);
}

/* ---- const_shape: [ attr-dict ] "[" ints "]" ":" type ------------------------------- */

void shape_const_shape_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_dims dims = {0};
    if (!ir_parse_op_attr_dict(p, op) || !ir_parse_int_list(p, &dims))
        return;
    int64_t n = dims.count;
    ir_type t = ir_tensor_type(ir_index_type(p->ctx), &n, 1, NULL);
    ir_add_attr(p, op, "shape", ir_dense_i64(t, dims.at, dims.count));
    ir_type result = ir_parse_colon_type(p);
    if (result)
        ir_add_result(p, op, result);
}

void shape_const_shape_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"shape"};
    ir_attr shape = ir_op_attr(op, "shape");
    ir_put(p, " ");
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, "[");
    int64_t n = shape ? ir_type_num_elements(shape->type) : 0;
    for (int64_t i = 0; i < n; i++) {
        ir_put(p, i ? ", " : "");
        ir_put_int(p, ir_dense_int(shape, (size_t)i));
    }
    ir_put(p, "] : ");
    ir_put_type(p, op->results[0].type);
}

void shape_const_size_names(ir_printer *p, ir_op *op)
{
    char text[32];
    snprintf(text, sizeof text, "c%lld", (long long)ir_op_int(op, "value", 0));
    ir_name_value(p, &op->results[0], ir_ident_from(p->ctx, text)->text);
}

/* ---- verification ------------------------------------------------------------------- */

/* The result's length matches the shape's rank, or is dynamic. */
static bool has_length(ir_op *op, int64_t extents, bool exactly)
{
    ir_type result = op->results[0].type,
            inferred = ir_tensor_type(ir_index_type(op->ctx), &extents, 1, NULL);
    return result->kind != IR_TYPE_TENSOR || result == inferred ||
           (!exactly && shape_compatible(result, inferred)) ||
           ir_op_error(op,
                       "inferred type(s) '%s' are incompatible with return type(s) of "
                       "operation '%s'",
                       ir_type_text(op->ctx, inferred), ir_type_text(op->ctx, result));
}

bool shape_verify_const_shape(ir_op *op)
{
    return has_length(op, ir_type_num_elements(ir_op_attr(op, "shape")->type), true);
}

bool shape_verify_shape_of(ir_op *op)
{
    ir_type type = ir_op_operand(op, 0)->type;
    if (type->kind == IR_TYPE_DIALECT)
        return shape_verify_extents(op);
    return has_length(op, ir_type_is_ranked(type) ? type->count : IR_DYNAMIC, false);
}

/* A tensor of extents cannot represent an error. */
bool shape_verify_extents(ir_op *op)
{
    ir_type shape = ir_dialect_type(op->ctx, SHAPE_TYPE(shape), NULL, 0);
    ir_type value = ir_dialect_type(op->ctx, SHAPE_TYPE(value_shape), NULL, 0);
    bool some = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        some |= t == shape || t == value;
    }
    if (some && op->results[0].type != shape)
        return ir_op_error(op, "if at least one of the operands can hold error values then "
                               "the result must be of type `shape` to propagate them");
    return true;
}
