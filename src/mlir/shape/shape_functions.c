/* shape_functions.c: shape.reduce over extents, libraries of shape functions, and the
 * result type of shape.meet. */
#include "mlir/shape/shape.h"
#include "mlir/shape/shape_hooks.h"
#include "mlir/shared/shape_checks.h"

/* ---- reduce: "(" shape { "," value } ")" ":" type [ "->" types ] region [ attr-dict ] */

void shape_reduce_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    ir_ssa_use use;
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '('))
        return;
    while (!ir_at_punct(
        p, ')')) { /* a comma after the last argument is allowed, as it is printed */
        if (!ir_parse_ssa(p, &use))
            return;
        ir_ssa_list_add(p, &uses, use);
        if (!ir_accept_punct(p, ','))
            break;
    }
    ir_type shape = ir_expect_punct(p, ')') ? ir_parse_colon_type(p) : NULL;
    if (!shape || !ir_accept_arrow_types(p, &types))
        return;
    if (uses.count != types.count + 1) {
        ir_fail_counts(p, at, uses.count ? uses.count - 1 : 0, types.count);
        return;
    }
    for (uint32_t i = 0; i < uses.count; i++)
        if (!ir_add_operand(p, op, uses.at[i], i ? types.at[i - 1] : shape))
            return;
    ir_add_results(p, op, &types);
    if (ir_parse_op_region(p, op, NULL, 0))
        ir_parse_op_attr_dict(p, op);
}

void shape_reduce_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, '(');
    ir_put_operands(p, op, 0, 1);
    ir_put(p, ", ");
    ir_put_operands(p, op, 1, op->n_operands - 1);
    ir_put(p, ") : ");
    ir_put_operand_types(p, op, 0, 1);
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    ir_put_op_attr_dict(p, op, NULL, 0);
}

bool shape_verify_reduce(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_type index = ir_index_type(op->ctx);
    ir_type size = ir_dialect_type(op->ctx, SHAPE_TYPE(size), NULL, 0);
    bool extents = ir_op_operand(op, 0)->type->kind == IR_TYPE_TENSOR;
    if (body->n_args != op->n_operands + 1)
        return ir_op_error(op, "ReduceOp body is expected to have %u arguments",
                           op->n_operands + 1);
    if (body->args[0]->type != index)
        return ir_op_error(op, "argument 0 of ReduceOp body is expected to be of "
                               "IndexType");
    if (body->args[1]->type != (extents ? index : size))
        return ir_op_error(op,
                           "argument 1 of ReduceOp body is expected to be of %s if the "
                           "ReduceOp operates on %s",
                           extents ? "IndexType" : "SizeType",
                           extents ? "an extent tensor" : "a ShapeType");
    for (uint32_t i = 2; i < body->n_args; i++)
        if (body->args[i]->type != ir_op_operand(op, i - 1)->type)
            return ir_op_error(op,
                               "type mismatch between argument %u of ReduceOp body and "
                               "initial value %u",
                               i, i - 2);
    return true;
}

bool shape_verify_yield(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    if (op->n_operands != around->n_results)
        return ir_op_error(op, "number of operands does not match number of results of its "
                               "parent");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type != around->results[i].type)
            return ir_op_error(op, "types mismatch between yield op and its parent");
    return true;
}

/* ---- function_library: @name [ "attributes" dict ] region "mapping" dict ------------- */

void shape_library_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr name;
    if (!ir_parse_symbol_name(p, &name))
        return;
    ir_add_attr(p, op, "sym_name", name);
    if (!ir_parse_op_attr_dict_keyword(p, op) || !ir_parse_op_body(p, op) ||
        !ir_expect_keyword(p, "mapping"))
        return;
    ir_attr mapping = ir_parse_an_attr(p, NULL);
    if (mapping)
        ir_add_attr(p, op, "mapping", mapping);
}

void shape_library_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name", "mapping"};
    ir_putc(p, ' ');
    ir_put_symbol(p, ir_symbol_name(op));
    ir_put_op_attr_dict_keyword(p, op, elided, TW_COUNT(elided));
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], false, false);
    ir_put(p, " mapping ");
    ir_put_attr(p, ir_op_attr(op, "mapping"));
}

/* ---- meet --------------------------------------------------------------------------- */

static bool is_type_of(ir_type t, const ir_type_def *def)
{
    return t->kind == IR_TYPE_DIALECT && t->def == def;
}

/* The common type of the two: sizes and indices, or shapes and extents. */
static ir_type met(ir_op *op, ir_type a, ir_type b)
{
    bool own = is_type_of(a, SHAPE_TYPE(shape)) || is_type_of(a, SHAPE_TYPE(size));
    ir_type l = own ? a : b, r = own ? b : a;
    bool number = is_type_of(l, SHAPE_TYPE(size)) || l->kind == IR_TYPE_INDEX;
    bool other = is_type_of(r, SHAPE_TYPE(size)) || r->kind == IR_TYPE_INDEX;
    if (number != other) {
        ir_error(op->ctx, op->loc, "requires all sizes or shapes");
        return NULL;
    }
    if (number || is_type_of(l, SHAPE_TYPE(shape)))
        return l;
    if (l->dims[0] == IR_DYNAMIC || r->dims[0] == IR_DYNAMIC || l == r)
        return l->dims[0] == IR_DYNAMIC ? r : l;
    ir_error(op->ctx, op->loc, "unequal shape cardinality");
    return NULL;
}

bool shape_verify_meet(ir_op *op)
{
    ir_type type = met(op, ir_op_operand(op, 0)->type, ir_op_operand(op, 1)->type);
    ir_type result = op->results[0].type;
    if (!type)
        return false;
    bool number = is_type_of(type, SHAPE_TYPE(size)) || type->kind == IR_TYPE_INDEX;
    bool other = is_type_of(result, SHAPE_TYPE(size)) || result->kind == IR_TYPE_INDEX;
    bool tensors = type->kind == IR_TYPE_TENSOR && result->kind == IR_TYPE_TENSOR;
    bool fits = number == other && (!tensors || shape_compatible(type, result));
    return fits || ir_op_error(op,
                               "inferred type(s) '%s' are incompatible with return type(s) "
                               "of operation '%s'",
                               ir_type_text(op->ctx, type), ir_type_text(op->ctx, result));
}
