/* ttir_to_stablehlo.c: see ttir_to_stablehlo.h. */
#include "ttir/to_stablehlo/ttir_to_stablehlo.h"

#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"
#include "ttcore/ttcore.h"
#include "ttir/to_stablehlo/meaning.h"
#include "ttir/ttir.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

/* ---- what the files of this folder share --------------------------------------------- */

ir_value *meaning_in(const meaning *m, const char *operand)
{
    return ir_op_operand_named(m->op, operand);
}

ir_value *meaning_convert(const meaning *m, ir_value *x, ir_type element)
{
    if (x->type->element == element)
        return x;
    return ir_build1(m->b, STABLEHLO_OP(convert), ir_type_with_element(x->type, element),
                     IR_VALUES(x), NULL, 0);
}

ir_type meaning_wide(const meaning *m, ir_type element)
{
    return element->kind == IR_TYPE_FLOAT && element->width < 32
               ? ir_float_type(m->b->ctx, IR_F32)
               : element;
}

ir_value *meaning_broadcast(const meaning *m, ir_value *x, const int64_t *dims, size_t rank)
{
    int64_t at[MEANING_DIMS];
    const ir_type t = x->type;
    if (t->count > rank || rank > MEANING_DIMS)
        return NULL;
    bool same = t->count == rank;
    for (size_t i = 0; i < t->count; i++) {
        at[i] = (int64_t)(rank - t->count + i);
        if (t->dims[i] != 1 && t->dims[i] != dims[at[i]])
            return NULL;
        same &= t->dims[i] == dims[at[i]];
    }
    return same ? x : hlo_broadcast(m->b, x, dims, rank, at, t->count);
}

ir_value *meaning_number(const meaning *m, double number, ir_value *like)
{
    return hlo_constant(m->b, ir_dense_splat(like->type, number));
}

ir_value *meaning_binary(const meaning *m, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return x && y ? ir_build1(m->b, def, x->type, IR_VALUES(x, y), NULL, 0) : NULL;
}

ir_value *meaning_unary(const meaning *m, const ir_op_def *def, ir_value *x)
{
    return ir_build1(m->b, def, x->type, IR_VALUES(x), NULL, 0);
}

ir_value *meaning_compare(const meaning *m, int64_t direction, ir_value *x, ir_value *y)
{
    ir_attr how = ir_enum_attr(m->b->ctx, STABLEHLO_ATTR(comparison_direction), direction);
    return ir_build1(m->b, STABLEHLO_OP(compare), ir_type_i1_like(x->type), IR_VALUES(x, y),
                     IR_ATTRS({"comparison_direction", how}));
}

ir_value *meaning_select(const meaning *m, ir_value *pick, ir_value *yes, ir_value *no)
{
    return ir_build1(m->b, STABLEHLO_OP(select), yes->type, IR_VALUES(pick, yes, no), NULL,
                     0);
}

/* ---- types */

/* A tensor of numbers without encoding, in StableHLO's integers; NULL for other types. */
static ir_type plain_type(ir_context *ctx, ir_type t)
{
    if (!ir_type_is_tensor(t) || t->count > MEANING_DIMS)
        return NULL;
    ir_type element = t->element;
    if (element->kind == IR_TYPE_INTEGER && element->sign == IR_SIGNED)
        element = ir_integer_type(ctx, element->width, IR_SIGNLESS);
    else if (element->kind != IR_TYPE_INTEGER && element->kind != IR_TYPE_FLOAT)
        return NULL;
    for (size_t i = 0; i < t->count; i++)
        if (t->dims[i] == IR_DYNAMIC)
            return NULL;
    return ir_tensor_type(element, t->dims, t->count, NULL);
}

/* Arguments become plain; false if the signature has other types. */
static bool make_signature_plain(ir_op *function)
{
    ir_context *ctx = function->ctx;
    ir_type type = ir_op_attr(function, "function_type")->type;
    ir_block *body = ir_op_body(function, 0);
    const size_t n = type->count + type->results;
    ir_type *plain = tw_xcalloc(n + 1, sizeof *plain);
    bool ok = body != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = (plain[i] = plain_type(ctx, type->types[i])) != NULL;
    for (size_t i = 0; i < type->count && ok; i++)
        body->args[i]->type = plain[i];
    if (ok)
        ir_op_set_attr(function, "function_type",
                       ir_type_attr(ir_function_type(ctx, plain, type->count,
                                                     plain + type->count, type->results)));
    free(plain);
    return ok;
}

/* ---- operations */

static bool is_of(const ir_op *op, const ir_op_def *rows, size_t n)
{
    return op->def >= rows && op->def < rows + n;
}

/* Gives the value the result's type, rounding to it, and replaces the result by it. */
static bool finish(const meaning *m, ir_value *v)
{
    if (!v || v->type->count != m->type->count)
        return false;
    for (size_t i = 0; i < m->type->count; i++)
        if (v->type->dims[i] != m->type->dims[i])
            return false;
    v = meaning_convert(m, v, m->type->element);
    ir_op *made = ir_value_def(v);
    if (made && !ir_op_attr(made, TTIR_MEANS))
        ir_op_set_attr(made, TTIR_MEANS,
                       ir_string_attr(made->ctx, tw_str_from(m->op->def->name)));
    ir_value_replace_uses(&m->op->results[0], v);
    ir_op_erase(m->op);
    return true;
}

static bool convert(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    const tw_str name = tw_str_from(strchr(op->def->name, '.') + 1);
    if (op->n_results != 1)
        return false;
    const meaning m = {&b, op, plain_type(op->ctx, op->results[0].type)};
    meaning_fn *fn = meaning_of_element(name);
    fn = fn ? fn : meaning_of_tensor(name);
    return fn && m.type && finish(&m, fn(&m));
}

typedef struct rewriting {
    ir_op **stuck;
    int depth; /* of calls */
} rewriting;

static bool convert_function(rewriting *r, ir_op *function);

/* Calls of functions that compute constants, and others. */
static bool convert_call(rewriting *r, ir_op *op)
{
    ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
    if (!callee || callee->def != FUNC_OP(func) || op->n_results != 1)
        return false;
    ir_type plain = plain_type(op->ctx, op->results[0].type);
    if (!plain || !convert_function(r, callee))
        return false;
    ir_value *operands[MEANING_DIMS];
    if (op->n_operands > MEANING_DIMS)
        return false;
    for (size_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_builder b = ir_builder_before(op);
    ir_value *v = ir_build1(&b, FUNC_OP(call), plain, operands, op->n_operands,
                            IR_ATTRS({"callee", ir_op_attr(op, "callee")}));
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    return true;
}

static bool is_device(const ir_op *op)
{
    return op->def == TTNN_OP(get_device);
}

static bool convert_op(rewriting *r, ir_op *op)
{
    if (op->def == FUNC_OP(return ) || is_device(op))
        return true;
    if (op->def == TTNN_OP(deallocate)) {
        ir_op_erase(op);
        return true;
    }
    if (op->def == TTCORE_OP(load_cached) || op->def == FUNC_OP(call))
        return convert_call(r, op);
    return (is_of(op, ttir_ops, TTIR_OP_COUNT) || is_of(op, ttnn_ops, TTNN_OP_COUNT)) &&
           convert(op);
}

/* Devices have no users left. */
static void erase_devices(ir_block *body)
{
    for (ir_op *op = body->last, *before; op; op = before) {
        before = op->prev;
        if (is_device(op))
            ir_op_erase(op);
    }
}

static bool is_plain(const ir_op *function)
{
    for (const ir_op *op = ir_op_body(function, 0)->first; op; op = op->next)
        if (is_of(op, ttir_ops, TTIR_OP_COUNT) || is_of(op, ttnn_ops, TTNN_OP_COUNT) ||
            op->def == TTCORE_OP(load_cached))
            return false;
    return true;
}

static bool convert_function(rewriting *r, ir_op *function)
{
    enum { MAX_DEPTH = 16 }; /* deeper calls may be endless */
    ir_block *body = ir_op_body(function, 0);
    *r->stuck = function;
    if (!body || body->next || r->depth == MAX_DEPTH)
        return false;
    const bool was_plain = is_plain(function);
    if (!make_signature_plain(function))
        return false;
    if (was_plain)
        return true;
    r->depth++;
    for (ir_op *op = body->first, *next; op; op = next) {
        next = op->next;
        *r->stuck = op;
        if (!convert_op(r, op))
            return false;
    }
    r->depth--;
    erase_devices(body);
    return true;
}

bool ttir_to_stablehlo(ir_op *function, ir_op **out_stuck)
{
    rewriting r = {.stuck = out_stuck};
    return convert_function(&r, function);
}
