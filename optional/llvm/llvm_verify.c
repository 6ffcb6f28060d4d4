/* llvm_verify.c: verifies casts and constants of the llvm dialect.  Messages are MLIR's. */
#include "llvm/llvm_hooks.h"

static bool is_of(ir_type t, const ir_type_def *def)
{
    return t->kind == IR_TYPE_DIALECT && t->def == def;
}

static ir_type element_of(ir_type t)
{
    return t->kind == IR_TYPE_VECTOR ? t->element : t;
}

static bool is_scalable(ir_type vector)
{
    return vector->scalable && vector->scalable[0];
}

/* ---- casts -------------------------------------------------------------------------- */

bool llvm_widen_verify(ir_op *op)
{
    ir_type from = ir_op_operand(op, 0)->type, to = op->results[0].type;
    bool vectors = from->kind == IR_TYPE_VECTOR;
    if (vectors != (to->kind == IR_TYPE_VECTOR))
        return ir_error_at_op(
            op, vectors ? "input type is a vector but output type is an integer"
                        : "input type is an integer but output type is a vector");
    if (vectors && (from->dims[0] != to->dims[0] || is_scalable(from) != is_scalable(to)))
        return ir_error_at_op(op, "input and output vectors are of incompatible shape");
    return element_of(to)->width > element_of(from)->width ||
           ir_error_at_op(
               op, "integer width of the output type is smaller or equal to the integer "
                   "width of the input type");
}

bool llvm_bitcast_verify(ir_op *op)
{
    ir_type from = ir_op_operand(op, 0)->type, to = op->results[0].type;
    ir_type a = element_of(from), b = element_of(to);
    if (is_of(a, LLVM_TYPE(ptr)) != is_of(b, LLVM_TYPE(ptr)))
        return ir_op_error(op, "can only cast pointers from and to pointers");
    if (!is_of(a, LLVM_TYPE(ptr)))
        return true;
    if ((from->kind == IR_TYPE_VECTOR) != (to->kind == IR_TYPE_VECTOR))
        return ir_op_error(op, from->kind == IR_TYPE_VECTOR
                                   ? "cannot cast vector of pointers to pointer"
                                   : "cannot cast pointer to vector of pointers");
    return a == b ||
           ir_op_error(op, "cannot cast pointers of different address spaces, use "
                           "'llvm.addrspacecast' instead");
}

/* ---- constants ---------------------------------------------------------------------- */

static bool verify_string(ir_op *op, ir_attr value, ir_type type)
{
    int64_t size = (int64_t)ir_attr_str(value).size;
    return (is_of(type, LLVM_TYPE(array)) && type->params[LLVM_ARRAY_SIZE]->value == size &&
            ir_type_is_signless(type->params[LLVM_ARRAY_ELEMENT]->type, 8)) ||
           ir_op_error(op,
                       "expected array type of %lld i8 elements for the string constant",
                       (long long)size);
}

static bool verify_struct(ir_op *op, ir_attr value, ir_type type)
{
    ir_attr body = llvm_struct_get(type).members;
    if (!ir_attr_is(value, IR_ATTR_ARRAY))
        return ir_op_error(op, "expected array attribute for struct type");
    if (value->count != body->count)
        return ir_op_error(op, "expected array attribute of size %u", body->count);
    for (uint32_t i = 0; i < body->count; i++) {
        ir_type member = body->items[i]->type;
        ir_attr item = value->items[i];
        if (member->kind != IR_TYPE_FLOAT && member->kind != IR_TYPE_INDEX &&
            (member->kind != IR_TYPE_INTEGER || member->sign != IR_SIGNLESS))
            return ir_op_error(op,
                               "expected struct element types to be floating point type "
                               "or integer type");
        if (!ir_attr_is(item, IR_ATTR_INTEGER) && !ir_attr_is(item, IR_ATTR_FLOAT))
            return ir_op_error(op, "expected element of array attribute to be floating "
                                   "point or integer");
        if (item->type != member)
            return ir_op_error(op, "struct element at index %u is of wrong type", i);
    }
    return true;
}

static bool verify_number(ir_op *op, ir_attr value, ir_type type)
{
    if (value->kind == IR_ATTR_INTEGER)
        return type->kind == IR_TYPE_INTEGER || ir_op_error(op, "expected integer type");
    if (type->kind == IR_TYPE_FLOAT && value->type != type)
        return ir_op_error(op, "attribute and type have different float semantics");
    return type->kind != IR_TYPE_INTEGER || type->width == value->type->width ||
           ir_op_error(op, "expected integer type of width %u", value->type->width);
}

/* Array constants of structs, possibly nested in arrays of arrays. */
static bool verify_list(ir_op *op, ir_attr value, ir_type type)
{
    if (!is_of(type, LLVM_TYPE(array)))
        return ir_op_error(op, "expected array or struct type for array attribute");
    for (uint32_t dim = 0; is_of(type, LLVM_TYPE(array)); dim++) {
        int64_t size = type->params[LLVM_ARRAY_SIZE]->value;
        if (ir_attr_is(value, IR_ATTR_ARRAY) && value->count != size)
            return ir_op_error(op,
                               "array attribute size does not match array type size in "
                               "dimension %u: %u vs. %lld",
                               dim, value->count, (long long)size);
        value = ir_attr_is(value, IR_ATTR_ARRAY) && value->count ? value->items[0] : NULL;
        type = type->params[LLVM_ARRAY_ELEMENT]->type;
    }
    return is_of(type, LLVM_TYPE(struct)) ||
           ir_op_error(op, "for array with an array attribute must have a struct element "
                           "type");
}

static bool verify_elements(ir_op *op, ir_attr value, ir_type type)
{
    uint64_t count = 1, given = (uint64_t)ir_type_num_elements(value->type);
    if (type->kind != IR_TYPE_VECTOR && !is_of(type, LLVM_TYPE(array)))
        return ir_op_error(op, "expected vector or array type");
    for (; is_of(type, LLVM_TYPE(array)); type = type->params[LLVM_ARRAY_ELEMENT]->type)
        count *= (uint64_t)type->params[LLVM_ARRAY_SIZE]->value;
    if (type->kind == IR_TYPE_VECTOR)
        count *= (uint64_t)ir_type_num_elements(type);
    if (count != given)
        return ir_op_error(op,
                           "type and attribute have a different number of elements: %llu "
                           "vs. %llu",
                           (unsigned long long)count, (unsigned long long)given);
    ir_type element = ir_type_element(value->type);
    bool is_integer = element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_INDEX;
    return !is_integer || element_of(type)->kind == IR_TYPE_INTEGER ||
           ir_op_error(op, "expected integer element type for integer elements attribute");
}

bool llvm_constant_verify(ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type type = op->results[0].type;
    if (ir_attr_is(value, IR_ATTR_STRING))
        return verify_string(op, value, type);
    if (is_of(type, LLVM_TYPE(struct)))
        return verify_struct(op, value, type);
    switch (value->kind) {
    case IR_ATTR_INTEGER:
    case IR_ATTR_FLOAT:
        return verify_number(op, value, type);
    case IR_ATTR_ARRAY:
        return verify_list(op, value, type);
    case IR_ATTR_DENSE:
    case IR_ATTR_RESOURCE:
    case IR_ATTR_SPARSE:
        return verify_elements(op, value, type);
    default:
        return ir_op_error(op,
                           "only supports integer, float, string or elements attributes");
    }
}
