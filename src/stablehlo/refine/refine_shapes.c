/* refine_shapes.c: stablehlo-refine-shapes: refines shapes from those of the arguments,
 * through calls, and folds the shape computations on the way.
 *
 * A function is refined once, for the single way it is called: leading tokens, then sizes
 * that are constants at the call (they move into the function), then the types of the
 * rest. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/refine/refine.h"
#include "stablehlo/simplify/optimize.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

typedef struct signature { /* the signature with which a function is called */
    ir_op *func;
    size_t n_tokens, n_sizes, n_types;
    ir_attr *sizes;
    ir_type *types; /* excluding sizes, including tokens */
    bool in_progress;
} signature;

typedef struct refinement {
    hlo_optimize fold; /* must be first: patterns of the folder read it */
    signature *signatures;
    size_t n_signatures, capacity;
    ir_mapping *effects; /* function -> effect */
    bool failed;
} refinement;

enum effect { UNKNOWN, VISITING, NONE, SOME };

/* ---- effects, through calls --------------------------------------------------------- */

static bool is_effect_free(refinement *r, ir_op *func);

static bool op_is_free(refinement *r, ir_op *op)
{
    if (op->def == FUNC_OP(call)) {
        ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
        return callee && callee->def == FUNC_OP(func) && is_effect_free(r, callee);
    }
    if (op->def->traits & IR_CALL_LIKE)
        return false;
    if (!(op->def->traits & IR_RECURSIVE_EFFECTS))
        return rw_effects(op) == 0 || (op->def->traits & IR_TERMINATOR);
    for (uint16_t i = 0; i < op->n_regions; i++)
        for (ir_block *b = op->regions[i].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                if (!op_is_free(r, o))
                    return false;
    return true;
}

static bool is_effect_free(refinement *r, ir_op *func)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(r->effects, func);
    ir_block *body = ir_op_body(func, 0);
    if (known != UNKNOWN)
        return known == NONE;
    ir_mapping_set(r->effects, func, (void *)(uintptr_t)VISITING);
    bool none = body && !body->next;
    for (ir_op *o = none ? body->first : NULL; o && none; o = o->next)
        none = op_is_free(r, o);
    ir_mapping_set(r->effects, func, (void *)(uintptr_t)(none ? NONE : SOME));
    return none;
}

/* ---- call signatures ---------------------------------------------------------------- */

static void free_signature(signature *w)
{
    free(w->sizes);
    free(w->types);
}

static ir_attr size_of(const ir_value *v)
{
    ir_type t = v->type;
    return ir_type_is_tensor(t) && t->count == 0 && t->element->kind == IR_TYPE_INTEGER
               ? hlo_dense_of(v)
               : NULL;
}

static signature signature_of(const ir_op *call, ir_op *func)
{
    signature w = {.func = func};
    uint32_t i = 0;
    w.sizes = tw_xmalloc((call->n_operands + 1u) * sizeof *w.sizes);
    w.types = tw_xmalloc((call->n_operands + 1u) * sizeof *w.types);
    for (; i < call->n_operands && stablehlo_is_token(call->operands[i].value->type); i++)
        w.types[w.n_types++] = call->operands[i].value->type;
    w.n_tokens = i;
    for (ir_attr size; i < call->n_operands && (size = size_of(call->operands[i].value));
         i++)
        w.sizes[w.n_sizes++] = size;
    for (; i < call->n_operands; i++)
        w.types[w.n_types++] = call->operands[i].value->type;
    return w;
}

static void put_signature(tw_strbuf *out, const signature *w)
{
    tw_str name = ir_symbol_name(w->func);
    tw_strbuf_printf(out, "RefinementKey(%.*s, toks=%zu, dim_args=[", (int)name.size,
                     name.data, w->n_tokens);
    for (size_t i = 0; i < w->n_sizes; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "",
                         (long long)ir_dense_int(w->sizes[i], 0));
    tw_strbuf_puts(out, "], fn_args=[");
    for (size_t i = w->n_tokens; i < w->n_types; i++) {
        tw_strbuf_puts(out, i > w->n_tokens ? ", " : "");
        ir_print_type(w->types[i], out);
    }
    tw_strbuf_puts(out, "])");
}

static bool differ(const signature *now, const signature *before)
{
    tw_strbuf a = {0}, b = {0};
    put_signature(&a, now);
    put_signature(&b, before);
    ir_op_error(now->func,
                "refined with incompatible refinement keys:\n  curr=%s\n  prev=%s",
                tw_strbuf_text(&a), tw_strbuf_text(&b));
    tw_strbuf_free(&a);
    tw_strbuf_free(&b);
    return false;
}

/* A call that was refined before has no size operands left. */
static bool is_same(const signature *now, const signature *before)
{
    bool same = now->n_types == before->n_types;
    for (size_t i = 0; same && i < now->n_types; i++)
        same = now->types[i] == before->types[i];
    if (now->n_sizes)
        same &= now->n_sizes == before->n_sizes;
    for (size_t i = 0; same && i < now->n_sizes; i++)
        same = now->sizes[i] == before->sizes[i];
    return same;
}

static signature *find_signature(refinement *r, const ir_op *func)
{
    for (size_t i = 0; i < r->n_signatures; i++)
        if (r->signatures[i].func == func)
            return &r->signatures[i];
    return NULL;
}

/* ---- functions ---------------------------------------------------------------------- */

static bool refine_any(ir_op *op, rw_rewriter *rw);

static void bring_sizes_in(const signature *w)
{
    ir_block *body = ir_op_body(w->func, 0);
    ir_builder b = ir_builder_at_start(w->func->ctx, body, w->func->loc);
    for (size_t i = 0; i < w->n_sizes; i++) {
        ir_value *arg = body->args[w->n_tokens];
        ir_value_replace_uses(arg, hlo_constant(&b, w->sizes[i]));
        func_erase_arg(w->func, w->n_tokens);
    }
}

/* Takes ownership of `w`.  False after an error. */
static bool refine_function(refinement *r, signature w)
{
    static const rw_pattern any = {NULL, refine_any, "refine"};
    ir_block *body = ir_op_body(w.func, 0);
    signature *before = find_signature(r, w.func);
    if (before) {
        tw_str name = ir_symbol_name(w.func);
        bool ok = is_same(&w, before) || differ(&w, before);
        if (ok && before->in_progress)
            ok = ir_op_error(w.func, "Function %.*s is being refined recursively\n",
                             (int)name.size, name.data);
        free_signature(&w);
        return ok;
    }
    size_t at = r->n_signatures;
    w.in_progress = true;
    TW_PUSH(r->signatures, r->n_signatures, r->capacity, w);
    if (!body || body->next)
        return ir_op_error(w.func, "must have exactly one block");
    bring_sizes_in(&w);
    if (!hlo_refine_arguments(w.func, w.types, w.n_types))
        return false;
    rw_greedy(w.func, &any, 1, &(rw_options){.user = r});
    r->signatures[at].in_progress = false;
    return true;
}

/* ---- calls -------------------------------------------------------------------------- */

static ir_op *return_of(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op *end = body ? body->last : NULL;
    return end && end->def == FUNC_OP(return ) ? end : NULL;
}

/* An integer constant returned by a function, or NULL. */
static ir_attr constant_result(const ir_op *end, uint32_t i)
{
    ir_attr c = i < end->n_operands ? hlo_dense_of(end->operands[i].value) : NULL;
    return c && c->type->element->kind == IR_TYPE_INTEGER ? c : NULL;
}

static ir_attr without(ir_attr list, size_t start, size_t count)
{
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count < start + count)
        return list;
    ir_attr *items = tw_xmalloc((list->count + 1u) * sizeof *items);
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        if (i < start || i >= start + count)
            items[n++] = list->items[i];
    ir_attr result = ir_array_attr(list->ctx, items, n);
    free(items);
    return result;
}

static bool use_constants(ir_op *call, rw_rewriter *rw, const ir_op *end)
{
    bool any = false;
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_attr c = constant_result(end, i);
        if (!c || !call->results[i].uses)
            continue;
        rw_replace_uses(rw, &call->results[i], hlo_constant(&rw->b, c));
        any = true;
    }
    return any;
}

static bool refine_call(ir_op *call, rw_rewriter *rw)
{
    refinement *r = rw->user;
    ir_op *callee = ir_symbol_resolve(call, ir_op_attr(call, "callee"));
    if (!callee || callee->def != FUNC_OP(func) || !ir_op_body(callee, 0) || r->failed)
        return false;
    signature w = signature_of(call, callee);
    size_t n_tokens = w.n_tokens, n_sizes = w.n_sizes;
    bool free_of_effects = is_effect_free(r, callee);
    if (!refine_function(r, w)) {
        r->failed = true;
        return false;
    }
    ir_op *end = return_of(callee);
    if (!end || end->n_operands != call->n_results)
        return false;
    bool all = true;
    for (uint32_t i = 0; i < call->n_results; i++)
        all &= constant_result(end, i) != NULL;
    if (all && free_of_effects) {
        use_constants(call, rw, end);
        rw_erase(rw, call);
        return true;
    }
    ir_type type = ir_op_attr(callee, "function_type")->type;
    bool changed = hlo_refine_results(call, rw, ir_function_results(type), type->results);
    if (n_sizes) {
        ir_attr attrs = ir_op_attr(call, "arg_attrs");
        ir_op_splice_operands(call, n_tokens, n_sizes, NULL, 0);
        if (attrs)
            ir_op_set_attr(call, "arg_attrs", without(attrs, n_tokens, n_sizes));
        rw_modified(rw, call);
        changed = true;
    }
    return use_constants(call, rw, end) || changed;
}

/* Operations used in shape computations; only these are folded. */
static bool is_about_sizes(const ir_op *op)
{
    static const uint16_t rows[] = {
        STABLEHLO_add,      STABLEHLO_and,     STABLEHLO_broadcast_in_dim,
        STABLEHLO_clamp,    STABLEHLO_compare, STABLEHLO_concatenate,
        STABLEHLO_convert,  STABLEHLO_divide,  STABLEHLO_dynamic_slice,
        STABLEHLO_maximum,  STABLEHLO_minimum, STABLEHLO_get_dimension_size,
        STABLEHLO_multiply, STABLEHLO_or,      STABLEHLO_remainder,
        STABLEHLO_reshape,  STABLEHLO_select,  STABLEHLO_set_dimension_size,
        STABLEHLO_sign,     STABLEHLO_slice,   STABLEHLO_subtract,
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return false;
}

static bool refine_any(ir_op *op, rw_rewriter *rw)
{
    if (op->def == FUNC_OP(call))
        return refine_call(op, rw);
    return hlo_refine_op(op, rw) || (is_about_sizes(op) && hlo_fold_any.apply(op, rw));
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    size_t errors = ir_context_error_count(module->ctx);
    ir_op *func = hlo_refinement_target(module);
    if (!func)
        return ir_context_error_count(module->ctx) == errors;
    ir_block *body = ir_op_body(func, 0);
    if (!body || body->next)
        return ir_op_error(func, "must have exactly one block");
    refinement r = {.fold = {.most_elements = INT64_MAX}, .effects = ir_mapping_create()};
    signature w = {.func = func, .n_types = body->n_args};
    w.types = tw_xmalloc((body->n_args + 1u) * sizeof *w.types);
    for (uint32_t i = 0; i < body->n_args; i++)
        w.types[i] = body->args[i]->type;
    bool ok = refine_function(&r, w);
    if (r.failed) /* calls that could not be refined report their location */
        ok = ir_verify(module) && false;
    for (size_t i = 0; i < r.n_signatures; i++)
        free_signature(&r.signatures[i]);
    free(r.signatures);
    ir_mapping_free(r.effects);
    return ok;
}

const pass_def stablehlo_refine_shapes_pass = {
    .name = "stablehlo-refine-shapes",
    .title = "StablehloRefineShapesPass",
    .summary = "Refines shapes of the program from those of main's arguments.",
    .anchor = "builtin.module",
    .run = run,
};
