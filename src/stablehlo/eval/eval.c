/* eval.c: evaluates StableHLO functions operation by operation; see eval.h. */
#include "stablehlo/eval/eval.h"

#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

enum { MAX_STEPS = 200000000 };

const hlo_value *hlo_peek(const hlo_eval *e, const ir_op *op, size_t i)
{
    return ir_mapping_get(e->values, op->operands[i].value);
}

const hlo_value *hlo_operand(const hlo_eval *e, const ir_op *op, size_t i)
{
    return hlo_with_elements(hlo_peek(e, op, i));
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
        return hlo_stuck(e, op, "a body with other arguments");
    for (size_t i = 0; i < n_args; i++)
        ir_mapping_set(e->values, block->args[i], (void *)(uintptr_t)args[i]);
    const bool observed = e->observe && op->def == FUNC_OP(func);
    for (ir_op *o = block->first; o != block->last; o = o->next) {
        if (!run_op(e, o))
            return false;
        if (observed && o->n_results)
            e->observe(e->observer, o, ir_mapping_get(e->values, &o->results[0]));
    }
    ir_op *end = block->last;
    if (!end || !(end->def->traits & IR_TERMINATOR) || end->n_operands != n_out)
        return hlo_stuck(e, op, "a body with other results");
    for (size_t i = 0; i < n_out; i++)
        out[i] = hlo_peek(e, end, i);
    return true;
}

bool hlo_run_region(hlo_eval *e, ir_op *op, size_t region, const hlo_value *const *args,
                    size_t n_args, const hlo_value **out, size_t n_out)
{
    if (!run_block(e, op, ir_op_body(op, region), args, n_args, out, n_out))
        return false;
    for (size_t i = 0; i < n_out; i++)
        if (!(out[i] = hlo_with_elements(out[i])))
            return hlo_stuck(e, op, "a body that returns no value");
    return true;
}

static const hlo_value **list_of(hlo_eval *e, size_t n)
{
    return TW_ARENA_ARRAY(e->arena, const hlo_value *, n + 1);
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
    const hlo_value **out = list_of(e, op->n_results), *which = hlo_operand(e, op, 0);
    int64_t i = which->at[0].i;
    if (op->def == STABLEHLO_OP(if))
        i = i ? 0 : 1;
    if (i < 0 || i >= op->n_regions)
        i = op->n_regions - 1;
    return run_block(e, op, ir_op_body(op, (size_t)i), NULL, 0, out, op->n_results) &&
           set_all(e, op, out);
}

/* Copies the loop-carried values out of an iteration's arena. */
static void keep(hlo_eval *e, const hlo_value **state, size_t n, const tw_arena *first,
                 const tw_arena *second)
{
    for (size_t i = 0; i < n; i++)
        if (state[i]->home == first || state[i]->home == second)
            state[i] = hlo_copy(e, state[i]);
}

/* Each iteration allocates in an arena of its own; carried values are in `held`,
 * alternately. */
static bool eval_while(hlo_eval *e, ir_op *op)
{
    size_t n = op->n_operands, current = 0;
    tw_arena *outside = e->arena, work = {.gauge = outside->gauge},
             held[2] = {{.gauge = outside->gauge}, {.gauge = outside->gauge}};
    const hlo_value **state = list_of(e, n), *again;
    bool ok = true, more = true;
    for (size_t i = 0; i < n; i++)
        state[i] = hlo_peek(e, op, i);
    while (ok && more) {
        if (tw_is_cancelled(e->cancel)) { /* bodies without operations do not ask */
            ok = hlo_stuck(e, op, "a cancelled run");
            break;
        }
        e->arena = &work;
        ok = hlo_run_region(e, op, 0, state, n, &again, 1);
        more = ok && again->at[0].i;
        ok = !more || (ok && run_block(e, op, ir_op_body(op, 1), state, n, state, n));
        if (!ok)
            break;
        e->arena = more ? &held[current ^ 1] : outside;
        keep(e, state, n, &work, &held[current]);
        tw_arena_reset(&work);
        tw_arena_reset(&held[current]);
        current ^= 1;
    }
    e->arena = outside;
    tw_arena_free(&work);
    tw_arena_free(&held[0]);
    tw_arena_free(&held[1]);
    return ok && set_all(e, op, state);
}

/* Forwards a call to the caller's hook; false: the body must be evaluated here. */
static bool call_elsewhere(hlo_eval *e, ir_op *op, const hlo_value *const *args,
                           const hlo_value **out)
{
    const void **in = TW_ARENA_ARRAY(e->arena, const void *, op->n_operands + 1);
    void **to = TW_ARENA_ARRAY(e->arena, void *, op->n_results + 1);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!(in[i] = hlo_bytes(args[i])))
            return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        hlo_value *v = hlo_byte_size(t->element)
                           ? hlo_new_bare(e, op, t->element, t->dims, t->count)
                           : NULL;
        if (!v)
            return false;
        out[i] = v;
        v->bytes = to[i] = hlo_allocate(e, op, v->n * hlo_byte_size(t->element) + 1);
        if (!to[i])
            return false;
    }
    return e->call(e->user, op, in, to);
}

static bool call(hlo_eval *e, ir_op *op, const char *attr)
{
    const hlo_value **args = list_of(e, op->n_operands), **out = list_of(e, op->n_results);
    ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, attr));
    if (!callee || callee->def != FUNC_OP(func))
        return hlo_stuck(e, op, "a call of something other than a function");
    for (uint32_t i = 0; i < op->n_operands; i++)
        args[i] = hlo_peek(e, op, i);
    if (e->call && call_elsewhere(e, op, args, out))
        return set_all(e, op, out);
    for (const hlo_frame *f = e->frame; f; f = f->caller)
        if (f->function == callee)
            return hlo_stuck(e, op, "a function that calls itself");
    hlo_frame frame = {callee, e->frame};
    e->frame = &frame;
    bool ok = !e->stuck && run_block(e, op, ir_op_body(callee, 0), args, op->n_operands,
                                     out, op->n_results);
    e->frame = frame.caller;
    return ok && set_all(e, op, out);
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
        if (!hlo_set(e, op, i, hlo_peek(e, op, i)))
            return false;
    return true;
}

static hlo_value *token_of(hlo_eval *e, ir_type type)
{
    hlo_value *v = TW_ARENA_NEW(e->arena, hlo_value);
    v->home = e->arena;
    v->type = type;
    return v;
}

static bool eval_token(hlo_eval *e, ir_op *op)
{
    return hlo_set(e, op, 0, token_of(e, op->results[0].type));
}

static bool eval_tuple(hlo_eval *e, ir_op *op)
{
    hlo_value *v = TW_ARENA_NEW(e->arena, hlo_value);
    v->home = e->arena;
    v->type = op->results[0].type;
    v->n = op->n_operands;
    v->members = list_of(e, v->n);
    for (uint32_t i = 0; i < op->n_operands; i++)
        v->members[i] = hlo_peek(e, op, i);
    return hlo_set(e, op, 0, v);
}

static bool eval_member(hlo_eval *e, ir_op *op)
{
    const hlo_value *v = hlo_peek(e, op, 0);
    int64_t i = ir_op_int(op, "index", 0);
    return v->members && i >= 0 && (size_t)i < v->n
               ? hlo_set(e, op, 0, v->members[i])
               : hlo_stuck(e, op, "a member of something other than a tuple");
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

/* Data movement and control flow accept quantized elements as they are. */
static bool computes(hlo_fn *fn, size_t finder)
{
    enum { MATH, FOLD = 3 };
    return (finder == MATH && fn != hlo_find_math(STABLEHLO_OP(bitcast_convert))) ||
           finder >= FOLD;
}

static bool has_quantized(const hlo_eval *e, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type element = hlo_peek(e, op, i)->element;
        if (element && hlo_is_quantized(element))
            return true;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (hlo_is_quantized(ir_type_element(op->results[i].type)))
            return true;
    return false;
}

/* Quantized results have their declared type: moves change the axis of scales. */
static bool keep_types(hlo_eval *e, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        const hlo_value *v = ir_mapping_get(e->values, &op->results[i]);
        ir_type element = ir_type_element(op->results[i].type);
        if (!v || !hlo_is_quantized(element) || v->element == element)
            continue;
        hlo_value *copy = TW_ARENA_NEW(e->arena, hlo_value);
        *copy = *v;
        copy->home = e->arena;
        copy->element = element;
        hlo_set(e, op, i, copy);
    }
    return true;
}

static hlo_fn *(*const finders[])(const ir_op_def *) = {
    hlo_find_math, hlo_find_move,  find_control,       hlo_find_fold,  hlo_find_linear,
    hlo_find_norm, hlo_find_check, hlo_find_quantized, hlo_find_random};

bool hlo_computes(const ir_op *op)
{
    if (op->def == STABLEHLO_OP(custom_call))
        return hlo_knows_target(op);
    for (size_t i = 0; i < TW_COUNT(finders); i++)
        if (finders[i](op->def))
            return true;
    return false;
}

static bool run_op(hlo_eval *e, ir_op *op)
{
    if (e->stuck)
        return false;
    if (e->steps-- == 0)
        return hlo_stuck(e, op, "a run of this many steps");
    if (tw_is_cancelled(e->cancel))
        return hlo_stuck(e, op, "a cancelled run");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!hlo_peek(e, op, i))
            return hlo_stuck(e, op, "an operand without a value");
    for (size_t i = 0; i < TW_COUNT(finders); i++) {
        hlo_fn *fn = finders[i](op->def);
        if (fn && computes(fn, i) && has_quantized(e, op))
            return hlo_run_dequantized(e, op, fn);
        if (fn)
            return fn(e, op) && keep_types(e, op);
    }
    hlo_fn *parallel = hlo_find_parallel(op->def);
    return parallel ? parallel(e, op) : hlo_stuck(e, op, "this operation");
}

/* ---- entries ------------------------------------------------------------------------ */

bool hlo_run_function(hlo_eval *e, ir_op *function, const hlo_value *const *args,
                      size_t n_args, const hlo_value **out, size_t n_out)
{
    hlo_frame frame = {function, e->frame};
    e->frame = &frame;
    bool ok = run_block(e, function, ir_op_body(function, 0), args, n_args, out, n_out);
    e->frame = frame.caller;
    return ok;
}

hlo_outcome hlo_eval_function(ir_op *module, ir_op *function,
                              void (*report)(void *user, ir_op *check, const char *text),
                              void *user, ir_op **out_op, const char **out_why)
{
    tw_arena arena = {0};
    hlo_eval e = {.ctx = module->ctx,
                  .module = module,
                  .arena = &arena,
                  .values = ir_mapping_create(),
                  .steps = MAX_STEPS,
                  .report = report,
                  .user = user};
    ir_block *body = ir_op_body(function, 0);
    hlo_frame frame = {function, NULL};
    bool ok = body && body->n_args == 0;
    e.frame = &frame;
    for (ir_op *op = ok ? body->first : NULL; op && ok; op = op->next)
        ok = (op->def->traits & IR_TERMINATOR) || run_op(&e, op);
    if (!ok && !e.stuck)
        hlo_stuck(&e, function, "a function with arguments");
    *out_op = e.stuck;
    *out_why = e.why;
    ir_mapping_free(e.values);
    tw_arena_free(&arena);
    return e.stuck ? HLO_STUCK : e.failed ? HLO_FAILED : HLO_PASSED;
}

/* Returns false if the arguments could not be read or the results not written. */
static bool run_call(hlo_eval *e, const hlo_call *c)
{
    ir_block *body = ir_op_body(c->function, 0);
    size_t n = body ? body->n_args : 0, m = body ? body->last->n_operands : 0;
    const hlo_value **args = list_of(e, n), **out = list_of(e, m);
    for (size_t i = 0; i < n; i++) {
        ir_type t = body->args[i]->type;
        if (stablehlo_is_token(t)) {
            args[i] = token_of(e, t);
            continue;
        }
        hlo_value *v = ir_type_is_tensor(t) && hlo_byte_size(t->element)
                           ? hlo_new_bare(e, c->function, t->element, t->dims, t->count)
                           : NULL;
        if (!v)
            return hlo_stuck(e, c->function, "an argument of this type");
        v->bytes = c->inputs[i];
        args[i] = v;
    }
    hlo_frame frame = {c->function, NULL};
    e->frame = &frame;
    bool ok = run_block(e, c->function, body, args, n, out, m);
    e->frame = NULL;
    if (!ok)
        return false;
    for (size_t i = 0; i < m; i++) {
        if (!out[i]->element && stablehlo_is_token(out[i]->type))
            continue;
        const void *bytes = hlo_bytes(out[i]);
        if (!bytes)
            return hlo_stuck(e, c->function, "a result of this type");
        memcpy(c->outputs[i], bytes, out[i]->n * hlo_byte_size(out[i]->element));
    }
    return true;
}

hlo_outcome hlo_eval_call(const hlo_call *c, ir_op **out_op, const char **out_why)
{
    tw_gauge gauge = {0};
    tw_arena arena = {.gauge = &gauge};
    hlo_eval e = {.ctx = c->function->ctx,
                  .module = ir_nearest_symbol_table(ir_op_parent(c->function)),
                  .arena = &arena,
                  .values = ir_mapping_create(),
                  .steps = UINT64_MAX, /* loop bounds are the program's own */
                  .whole_windows = true,
                  .call = c->call,
                  .user = c->user,
                  .observe = c->observe,
                  .observer = c->observer,
                  .cancel = c->cancel};
    bool ok = run_call(&e, c);
    *out_op = e.stuck;
    *out_why = e.why;
    ir_mapping_free(e.values);
    tw_arena_free(&arena);
    if (c->out_peak)
        *c->out_peak = gauge.peak;
    return ok ? HLO_PASSED : HLO_STUCK;
}

static bool takes(ir_type declared, ir_type given)
{
    if (!ir_type_is_tensor(declared) || !ir_type_is_tensor(given) ||
        declared->element != given->element || declared->kind != IR_TYPE_TENSOR)
        return declared == given;
    bool ok = declared->count == given->count && ir_type_has_static_shape(given);
    for (size_t i = 0; ok && i < given->count; i++)
        ok = declared->dims[i] == IR_DYNAMIC || declared->dims[i] == given->dims[i];
    return ok;
}

static bool run_attrs(hlo_eval *e, ir_op *function, const ir_attr *inputs, ir_attr *outputs)
{
    ir_block *body = ir_op_body(function, 0);
    size_t n = body->n_args, m = body->last->n_operands;
    const hlo_value **args = list_of(e, n), **out = list_of(e, m);
    for (size_t i = 0; i < n; i++) {
        ir_type type = inputs[i]->type;
        if (!type || !takes(body->args[i]->type, type))
            return hlo_stuck(e, function, "an argument of another type");
        if (!(args[i] = hlo_from_attr(e, function, inputs[i], type)))
            return false;
    }
    hlo_frame frame = {function, NULL};
    e->frame = &frame;
    bool ok = run_block(e, function, body, args, n, out, m);
    e->frame = NULL;
    for (size_t i = 0; ok && i < m; i++) {
        const hlo_value *v = hlo_with_elements(out[i]);
        outputs[i] =
            v && v->class != HLO_OTHER
                ? hlo_to_attr(v, ir_tensor_type(v->element, v->dims, v->rank, NULL))
                : NULL;
        ok = outputs[i] || hlo_stuck(e, function, "a result of this type");
    }
    return ok;
}

hlo_outcome hlo_eval_attrs(ir_op *function, const ir_attr *inputs, ir_attr *outputs,
                           const volatile int *cancel, ir_op **out_op, const char **out_why)
{
    tw_arena arena = {0};
    hlo_eval e = {.ctx = function->ctx,
                  .module = ir_nearest_symbol_table(ir_op_parent(function)),
                  .arena = &arena,
                  .values = ir_mapping_create(),
                  .steps = UINT64_MAX,
                  .cancel = cancel};
    bool ok = run_attrs(&e, function, inputs, outputs);
    *out_op = e.stuck;
    *out_why = e.why;
    ir_mapping_free(e.values);
    tw_arena_free(&arena);
    return ok ? HLO_PASSED : HLO_STUCK;
}

ir_attr hlo_eval_constant(ir_op *op, const ir_attr *operands, bool splat)
{
    ir_type type = op->results[0].type;
    tw_arena arena = {0};
    hlo_eval e = {.ctx = op->ctx,
                  .module = op,
                  .arena = &arena,
                  .values = ir_mapping_create(),
                  .steps = MAX_STEPS};
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
        out = hlo_with_elements(ir_mapping_get(e.values, &op->results[0]));
    ir_attr result = out && !e.stuck ? hlo_to_attr(out, type) : NULL;
    ir_mapping_free(e.values);
    tw_arena_free(&arena);
    return result;
}
