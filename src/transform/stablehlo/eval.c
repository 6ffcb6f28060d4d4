/* eval.c: runs functions of StableHLO operation by operation; see eval.h. */
#include "transform/stablehlo/eval.h"

#include "dialect/func/func.h"
#include "dialect/stablehlo/stablehlo.h"

enum { MOST_VALUES = 64, MOST_STEPS = 200000000 };

const hlo_value *hlo_operand(const hlo_eval *e, const ir_op *op, size_t i)
{
    return ir_mapping_get(e->values, op->operands[i].value);
}

bool hlo_set(hlo_eval *e, ir_op *op, size_t result, const hlo_value *v)
{
    if (!v)
        return false;
    ir_mapping_set(e->values, &op->results[result], (void *)(uintptr_t)v);
    return true;
}

static bool run_op(hlo_eval *e, ir_op *op);

/* ---- blocks ------------------------------------------------------------------------- */

static bool run_block(hlo_eval *e, ir_op *op, ir_block *block, const hlo_value *const *args,
                      size_t n_args, const hlo_value **out, size_t n_out)
{
    if (!block || block->n_args != n_args)
        return hlo_stuck(e, op, "a body that takes other arguments");
    for (size_t i = 0; i < n_args; i++)
        ir_mapping_set(e->values, block->args[i], (void *)(uintptr_t)args[i]);
    for (ir_op *o = block->first; o != block->last; o = o->next)
        if (!run_op(e, o))
            return false;
    ir_op *end = block->last;
    if (!end || !(end->def->traits & IR_TERMINATOR) || end->n_operands != n_out)
        return hlo_stuck(e, op, "a body that returns something else");
    for (size_t i = 0; i < n_out; i++)
        out[i] = hlo_operand(e, end, i);
    return true;
}

bool hlo_run_region(hlo_eval *e, ir_op *op, size_t region, const hlo_value *const *args,
                    size_t n_args, const hlo_value **out, size_t n_out)
{
    return run_block(e, op, ir_op_body(op, region), args, n_args, out, n_out);
}

static bool set_all(hlo_eval *e, ir_op *op, const hlo_value *const *values)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!hlo_set(e, op, i, values[i]))
            return false;
    return true;
}

/* ---- control flow ------------------------------------------------------------------- */

static bool eval_branch(hlo_eval *e, ir_op *op)
{
    const hlo_value *out[MOST_VALUES], *which = hlo_operand(e, op, 0);
    int64_t i = which->at[0].i;
    if (op->n_results > MOST_VALUES)
        return hlo_stuck(e, op, "so many results");
    if (op->def == STABLEHLO_OP(if))
        i = i ? 0 : 1;
    if (i < 0 || i >= op->n_regions)
        i = op->n_regions - 1;
    return hlo_run_region(e, op, (size_t)i, NULL, 0, out, op->n_results) &&
           set_all(e, op, out);
}

static bool eval_while(hlo_eval *e, ir_op *op)
{
    const hlo_value *state[MOST_VALUES], *again;
    size_t n = op->n_operands;
    if (n > MOST_VALUES)
        return hlo_stuck(e, op, "so many carried values");
    for (size_t i = 0; i < n; i++)
        state[i] = hlo_operand(e, op, i);
    for (;;) {
        if (!hlo_run_region(e, op, 0, state, n, &again, 1))
            return false;
        if (!again->at[0].i)
            return set_all(e, op, state);
        if (!hlo_run_region(e, op, 1, state, n, state, n))
            return false;
    }
}

static bool call(hlo_eval *e, ir_op *op, const char *attr)
{
    const hlo_value *args[MOST_VALUES], *out[MOST_VALUES];
    ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, attr));
    if (!callee || callee->def != FUNC_OP(func) || op->n_operands > MOST_VALUES ||
        op->n_results > MOST_VALUES)
        return hlo_stuck(e, op, "a call of something else than a function");
    for (uint32_t i = 0; i < op->n_operands; i++)
        args[i] = hlo_operand(e, op, i);
    return run_block(e, op, ir_op_body(callee, 0), args, op->n_operands, out,
                     op->n_results) &&
           set_all(e, op, out);
}

static bool eval_call(hlo_eval *e, ir_op *op)
{
    return call(e, op, "callee");
}

static bool eval_composite(hlo_eval *e, ir_op *op)
{
    return call(e, op, "decomposition");
}

/* ---- values ------------------------------------------------------------------------- */

static bool eval_constant(hlo_eval *e, ir_op *op)
{
    return hlo_set(e, op, 0,
                   hlo_from_attr(e, op, ir_op_attr(op, "value"), op->results[0].type));
}

static bool eval_same(hlo_eval *e, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!hlo_set(e, op, i, hlo_operand(e, op, i)))
            return false;
    return true;
}

static bool eval_token(hlo_eval *e, ir_op *op)
{
    hlo_value *v = TW_ARENA_NEW(&e->arena, hlo_value);
    v->type = op->results[0].type;
    return hlo_set(e, op, 0, v);
}

static bool eval_tuple(hlo_eval *e, ir_op *op)
{
    hlo_value *v = TW_ARENA_NEW(&e->arena, hlo_value);
    v->type = op->results[0].type;
    v->n = op->n_operands;
    v->members = TW_ARENA_ARRAY(&e->arena, const hlo_value *, v->n + 1);
    for (uint32_t i = 0; i < op->n_operands; i++)
        v->members[i] = hlo_operand(e, op, i);
    return hlo_set(e, op, 0, v);
}

static bool eval_member(hlo_eval *e, ir_op *op)
{
    const hlo_value *v = hlo_operand(e, op, 0);
    int64_t i = ir_op_int(op, "index", 0);
    return v->members && i >= 0 && (size_t)i < v->n
               ? hlo_set(e, op, 0, v->members[i])
               : hlo_stuck(e, op, "a member of something else than a tuple");
}

/* ---- dispatch ----------------------------------------------------------------------- */

static hlo_fn *find_control(const ir_op_def *def)
{
    static const struct {
        uint16_t row;
        hlo_fn *fn;
    } rows[] = {
        {STABLEHLO_after_all, eval_token},     {STABLEHLO_case, eval_branch},
        {STABLEHLO_composite, eval_composite}, {STABLEHLO_constant, eval_constant},
        {STABLEHLO_create_token, eval_token},  {STABLEHLO_get_tuple_element, eval_member},
        {STABLEHLO_if, eval_branch},           {STABLEHLO_optimization_barrier, eval_same},
        {STABLEHLO_tuple, eval_tuple},         {STABLEHLO_while, eval_while},
    };
    if (def == FUNC_OP(call))
        return eval_call;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return rows[i].fn;
    return NULL;
}

/* Moves and control flow take quantized elements as they are. */
static bool computes(hlo_fn *fn, size_t finder)
{
    enum { MATH, FOLD = 3 };
    return (finder == MATH && fn != hlo_find_math(STABLEHLO_OP(bitcast_convert))) ||
           finder >= FOLD;
}

static bool has_quantized(const hlo_eval *e, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type element = hlo_operand(e, op, i)->element;
        if (element && hlo_is_quantized(element))
            return true;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (hlo_is_quantized(ir_type_element(op->results[i].type)))
            return true;
    return false;
}

/* Quantized results are of their declared type: moves change the axis of scales. */
static bool keep_types(hlo_eval *e, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        const hlo_value *v = ir_mapping_get(e->values, &op->results[i]);
        ir_type element = ir_type_element(op->results[i].type);
        if (!v || !hlo_is_quantized(element) || v->element == element)
            continue;
        hlo_value *copy = TW_ARENA_NEW(&e->arena, hlo_value);
        *copy = *v;
        copy->element = element;
        hlo_set(e, op, i, copy);
    }
    return true;
}

static bool run_op(hlo_eval *e, ir_op *op)
{
    static hlo_fn *(*const finders[])(const ir_op_def *) = {
        hlo_find_math,   hlo_find_move,  find_control,      hlo_find_fold,
        hlo_find_linear, hlo_find_check, hlo_find_quantized};
    if (e->stuck)
        return false;
    if (e->steps-- == 0)
        return hlo_stuck(e, op, "so many steps");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!hlo_operand(e, op, i))
            return hlo_stuck(e, op, "an operand without a value");
    for (size_t i = 0; i < TW_COUNT(finders); i++) {
        hlo_fn *fn = finders[i](op->def);
        if (fn && computes(fn, i) && has_quantized(e, op))
            return hlo_run_dequantized(e, op, fn);
        if (fn)
            return fn(e, op) && keep_types(e, op);
    }
    return hlo_stuck(e, op, "this operation");
}

hlo_outcome hlo_eval_function(ir_op *module, ir_op *function,
                              void (*report)(void *user, ir_op *check, const char *text),
                              void *user, ir_op **out_op, const char **out_why)
{
    hlo_eval e = {.ctx = module->ctx,
                  .module = module,
                  .values = ir_mapping_create(),
                  .steps = MOST_STEPS,
                  .report = report,
                  .user = user};
    ir_block *body = ir_op_body(function, 0);
    bool ok = body && body->n_args == 0;
    for (ir_op *op = ok ? body->first : NULL; op && ok; op = op->next)
        ok = (op->def->traits & IR_TERMINATOR) || run_op(&e, op);
    if (!ok && !e.stuck)
        hlo_stuck(&e, function, "a function with arguments");
    *out_op = e.stuck;
    *out_why = e.why;
    ir_mapping_free(e.values);
    tw_arena_free(&e.arena);
    return e.stuck ? HLO_STUCK : e.failed ? HLO_FAILED : HLO_PASSED;
}

ir_attr hlo_eval_constant(ir_op *op, const ir_attr *operands, bool splat)
{
    ir_type type = op->results[0].type;
    hlo_eval e = {
        .ctx = op->ctx, .module = op, .values = ir_mapping_create(), .steps = MOST_STEPS};
    bool ok = op->n_results == 1 && op->n_regions == 0 && ir_type_has_static_shape(type);
    for (uint32_t i = 0; ok && i < op->n_operands; i++) {
        ir_type t = operands[i]->type;
        hlo_value *v = hlo_from_attr(&e, op, operands[i],
                                     splat ? ir_tensor_type(t->element, NULL, 0, NULL) : t);
        ok = v != NULL;
        ir_mapping_set(e.values, op->operands[i].value, v);
    }
    const hlo_value *out = NULL;
    if (ok && run_op(&e, op))
        out = ir_mapping_get(e.values, &op->results[0]);
    ir_attr result = out && !e.stuck ? hlo_to_attr(out, type) : NULL;
    ir_mapping_free(e.values);
    tw_arena_free(&e.arena);
    return result;
}
