/* tosa_verify_control.c: verifies branches, loops, variables and clamps.  Messages are
 * MLIR's. */
#include "mlir/shared/shape_checks.h"
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"

#include <math.h>

/* ---- lists of values ----------------------------------------------------------------- */

/* Values of an operation or a block, and their name in messages. */
typedef struct values {
    const char *name;
    const ir_operand *operands;
    ir_value *const *args;
    const ir_value *results;
    size_t n;
} values;

static ir_type type_of(const values *v, size_t i)
{
    return v->operands ? v->operands[i].value->type
           : v->args   ? v->args[i]->type
                       : v->results[i].type;
}

static values args_of(ir_op *op, uint32_t region, const char *name)
{
    const ir_block *b = op->regions[region].first;
    return (values){.name = name, .args = b->args, .n = b->n_args};
}

static values yielded(ir_op *op, uint32_t region, const char *name)
{
    const ir_op *yield = op->regions[region].first->last;
    return (values){.name = name, .operands = yield->operands, .n = yield->n_operands};
}

static bool check_types_match(ir_op *op, ir_type a, const char *a_name, ir_type b,
                              const char *b_name)
{
    if (a->element != b->element)
        return ir_op_error(op, "require same element type for %s ('%s') and %s ('%s')",
                           a_name, ir_type_text(op->ctx, a->element), b_name,
                           ir_type_text(op->ctx, b->element));
    return shape_compatible(a, b) ||
           ir_op_error(op, "require same shapes for %s ('%s') and %s ('%s')", a_name,
                       ir_type_text(op->ctx, a), b_name, ir_type_text(op->ctx, b));
}

static bool check_match(ir_op *op, values a, values b)
{
    if (a.n != b.n)
        return ir_op_error(op, "require same number of values in %s (%zu) and %s (%zu)",
                           a.name, a.n, b.name, b.n);
    for (size_t i = 0; i < a.n; i++) {
        ir_type x = type_of(&a, i), y = type_of(&b, i);
        if (!ir_type_is_shaped(x) || !ir_type_is_shaped(y))
            return ir_op_error(op, "require tensors for %s ('%s') and %s ('%s')", a.name,
                               ir_type_text(op->ctx, x), b.name, ir_type_text(op->ctx, y));
        if (!check_types_match(op, x, a.name, y, b.name))
            return false;
    }
    return true;
}

static bool is_one(ir_type t)
{
    return !ir_type_is_ranked(t) || ir_type_num_elements(t) < 0 ||
           ir_type_num_elements(t) == 1;
}

bool tosa_check_cond_if(ir_op *op)
{
    values inputs = {
        .name = "'input_list'", .operands = op->operands + 1, .n = op->n_operands - 1};
    values outputs = {.name = "'output_list'", .results = op->results, .n = op->n_results};
    ir_type condition = ir_op_operand(op, 0)->type;
    return check_match(op, args_of(op, 0, "'then_graph' arguments"), inputs) &&
           check_match(op, args_of(op, 1, "'else_graph' arguments"), inputs) &&
           check_match(op, yielded(op, 0, "'then_graph' results"), outputs) &&
           check_match(op, yielded(op, 1, "'else_graph' results"), outputs) &&
           (is_one(condition) ||
            ir_op_error(op, "'condition' must be a size 1 tensor, got '%s'",
                        ir_type_text(op->ctx, condition)));
}

bool tosa_check_while_loop(ir_op *op)
{
    values inputs = {.name = "'input_list'", .operands = op->operands, .n = op->n_operands};
    values outputs = {.name = "'output_list'", .results = op->results, .n = op->n_results};
    values condition = yielded(op, 0, "'cond_graph' results");
    if (!check_match(op, inputs, outputs) ||
        !check_match(op, args_of(op, 0, "'cond_graph' arguments"), inputs) ||
        !check_match(op, args_of(op, 1, "'body_graph' arguments"), inputs) ||
        !check_match(op, yielded(op, 1, "'body_graph' results"), inputs))
        return false;
    if (condition.n != 1)
        return ir_op_error(op, "require 'cond_graph' only have one result");
    ir_type type = type_of(&condition, 0);
    if (!is_one(type))
        return ir_op_error(op, "'cond_graph' result must be a size 1 tensor, got '%s'",
                           ir_type_text(op->ctx, type));
    return ir_type_is_signless(ir_type_element(type), 1) ||
           ir_op_error(op, "'cond_graph' result must be a boolean tensor, got '%s'",
                       ir_type_text(op->ctx, type));
}

/* ---- variables ----------------------------------------------------------------------- */

typedef struct declaration {
    const ir_op *user;
    ir_ident name;
    const ir_op *found;
} declaration;

static ir_walk look(ir_op *op, void *user)
{
    declaration *d = user;
    if (op == d->user)
        return IR_WALK_STOP;
    ir_attr name = op->def == TOSA_OP(variable) ? ir_op_attr(op, "sym_name") : NULL;
    if (!name || name->ident != d->name)
        return IR_WALK_ON;
    d->found = op;
    return IR_WALK_STOP;
}

/* The variable of that name declared before the operation in its module. */
static const ir_op *declared_before(ir_op *op, ir_ident name)
{
    ir_op *module = ir_op_parent(op);
    while (module && strcmp(module->def->name, "builtin.module") != 0)
        module = ir_op_parent(module);
    declaration d = {.user = op, .name = name};
    if (module)
        ir_walk_pre(module, look, &d);
    return d.found;
}

/* The type of a variable's value; reports and returns NULL if its attributes are
 * invalid. */
static ir_type variable_type(ir_op *op, const ir_op *variable)
{
    int64_t dims[SHAPE_MAX_RANK], rank = shape_ints(variable, "var_shape", dims);
    ir_attr element = ir_op_attr(variable, "type");
    bool fine = rank >= 0 && ir_attr_is(element, IR_ATTR_TYPE) &&
                ir_type_is_tensor_element(element->type);
    for (int64_t i = 0; i < rank; i++) {
        fine &= dims[i] >= -1;
        dims[i] = dims[i] < 0 ? IR_DYNAMIC : dims[i];
    }
    if (fine)
        return ir_tensor_type(element->type, dims, (size_t)rank, NULL);
    ir_op_error(op, "needs a variable whose 'var_shape' (sizes, -1 where they are unknown) "
                    "and 'type' make a tensor");
    return NULL;
}

bool tosa_check_variable(ir_op *op)
{
    ir_ident name = ir_op_attr(op, "sym_name")->ident;
    if (declared_before(op, name))
        return ir_op_error(op, "illegal to have multiple declaration of '%s'", name->text);
    return variable_type(op, op) != NULL;
}

bool tosa_check_variable_use(ir_op *op)
{
    ir_ident name = ir_op_attr(op, "name")->ident;
    const ir_op *variable = declared_before(op, name);
    if (!variable)
        return ir_op_error(op, "'%s' has not been declared by 'tosa.variable'", name->text);
    ir_type type = variable_type(op, variable);
    if (!type)
        return false;
    return op->n_results ? check_types_match(op, op->results[0].type, "'output1'", type,
                                             "the input tensor")
                         : check_types_match(op, ir_op_operand(op, 0)->type, "'input1'",
                                             type, "the input tensor");
}

/* ---- clamp --------------------------------------------------------------------------- */

static ir_type storage_of(ir_type t)
{
    ir_type element = t->element;
    ir_attr storage = element->kind == IR_TYPE_DIALECT &&
                              strcmp(element->def->mnemonic, "quant.uniform") == 0
                          ? ir_type_param(element, "storageType")
                          : NULL;
    return storage ? storage->type : element;
}

static bool bounds_error(ir_op *op, const char *what, ir_attr min, ir_attr max)
{
    return ir_op_error(op, "%s, got min_val=%s, max_val=%s", what,
                       ir_attr_text(op->ctx, min), ir_attr_text(op->ctx, max));
}

bool tosa_check_clamp(ir_op *op)
{
    ir_type type = storage_of(ir_op_operand(op, 0)->type);
    ir_attr min = ir_op_attr(op, "min_val"), max = ir_op_attr(op, "max_val");
    if (type != storage_of(op->results[0].type))
        return ir_op_error(op, "input/output element types are incompatible.");
    bool whole = type->kind == IR_TYPE_INTEGER;
    ir_attr_kind kind = whole ? IR_ATTR_INTEGER : IR_ATTR_FLOAT;
    if (!ir_attr_is(min, kind) || !ir_attr_is(max, kind) || min->type != type ||
        max->type != type)
        return ir_op_error(op, "min/max attributes types are incompatible with "
                               "input/output element types.");
    if (whole) {
        int64_t low = ir_attr_int(min, 0), high = ir_attr_int(max, 0);
        bool unsigned_order = type->sign == IR_UNSIGNED || type->width == 1;
        bool wrong = unsigned_order ? (uint64_t)high < (uint64_t)low : high < low;
        return !wrong || bounds_error(op, "expected min_val <= max_val", min, max);
    }
    double low = ir_attr_real(min, 0), high = ir_attr_real(max, 0);
    if (isnan(low) || isnan(high))
        return bounds_error(op, "min/max attributes should not be 'NaN'", min, max);
    return high >= low || bounds_error(op, "expected min_val <= max_val", min, max);
}
