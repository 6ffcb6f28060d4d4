/* emitc_verify_types.c: verifies the components of emitc types.  Messages are MLIR's. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_constraints.h"
#include "mlir/emitc/emitc_hooks.h"

static bool is_of(ir_type t, const ir_type_def *def)
{
    return t->kind == IR_TYPE_DIALECT && t->def == def;
}

bool emitc_verify_array(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_type element = type->params[1]->type;
    if (!type->params[0]->count)
        return ir_error(ctx, loc, "shape must not be empty");
    for (uint32_t i = 0; i < type->params[0]->count; i++)
        if (type->params[0]->items[i]->value < 0)
            return ir_error(ctx, loc, "dimensions must have non-negative size");
    bool fits =
        element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_FLOAT
            ? ir_type_satisfies(element, &C_EmitCType)
            : element->kind == IR_TYPE_INDEX ||
                  (element->kind == IR_TYPE_DIALECT && !is_of(element, EMITC_TYPE(array)) &&
                   ir_type_satisfies(element, &C_EmitCType));
    return fits || ir_error(ctx, loc, "invalid array element type ''%s''",
                            ir_type_text(ctx, element));
}

bool emitc_verify_lvalue(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_type held = type->params[0]->type;
    if (!ir_type_satisfies(held, &C_EmitCType))
        return ir_error(ctx, loc,
                        "!emitc.lvalue must wrap supported emitc type, but got '%s'",
                        ir_type_text(ctx, held));
    return !is_of(held, EMITC_TYPE(array)) ||
           ir_error(ctx, loc, "!emitc.lvalue cannot wrap !emitc.array type");
}

bool emitc_verify_ptr(ir_context *ctx, ir_loc loc, ir_type type)
{
    return !is_of(type->params[0]->type, EMITC_TYPE(lvalue)) ||
           ir_error(ctx, loc, "pointers to lvalues are not allowed");
}

bool emitc_verify_opaque(ir_context *ctx, ir_loc loc, ir_type type)
{
    tw_str name = ir_attr_str(type->params[0]);
    if (!name.size)
        return ir_error(ctx, loc, "expected non empty string in !emitc.opaque type");
    return name.data[name.size - 1] != '*' ||
           ir_error(ctx, loc,
                    "pointer not allowed as outer type with !emitc.opaque, use !emitc.ptr "
                    "instead");
}
