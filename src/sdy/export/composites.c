/* composites.c: flatten-or-convert-composites.
 *
 * Shardings do not propagate into a composite.  A composite with its own sharding rule
 * becomes a custom call with that rule; others are inlined, with marks to find them
 * again: the composite they belong to, and the operands and results of the composite that
 * each op uses and produces. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/passes/symbol_refs.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"

#include <stdlib.h>

#define MARK "reoutline."

/* Composites with a rule; `rank`: the only supported rank of the first operand, or 0. */
static const struct ruled {
    const char *name;
    uint32_t rank;
} ruled[] = {
    {"tenstorrent.rms_norm", 0},    {"tenstorrent.topk", 2},
    {"tenstorrent.topk_values", 2}, {"tenstorrent.topk_indices", 2},
    {"tenstorrent.argmax", 0},      {"tenstorrent.scaled_dot_product_attention", 0},
    {"tenstorrent.gather", 0},      {"tenstorrent.gather_dim", 0},
};

static bool has_rule(const ir_op *op)
{
    tw_str name = ir_attr_str(ir_op_attr(op, "name"));
    for (size_t i = 0; i < TW_COUNT(ruled); i++)
        if (tw_str_equal(name, tw_str_from(ruled[i].name)))
            return !ruled[i].rank ||
                   (op->n_operands &&
                    sdy_rank(op->operands[0].value->type) == ruled[i].rank);
    return false;
}

typedef struct ops {
    ir_op **at;
    size_t n, capacity;
} ops;

static void replace(ir_op *op, ir_value **values)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], values[i]);
    ir_op_erase(op);
}

static void make_call(ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_builder b = ir_builder_before(op);
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    ir_value **values = tw_xmalloc((op->n_results + op->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = op->operands[i].value;
    ir_op *call = ir_build(&b, &(ir_op_state){.def = STABLEHLO_OP(custom_call),
                                              .loc = op->loc,
                                              .operands = values,
                                              .n_operands = op->n_operands,
                                              .results = types,
                                              .n_results = op->n_results});
    ir_op_set_attr(call, "call_target_name", ir_op_attr(op, "name"));
    ir_op_set_attr(call, "tt.composite_attributes", ir_op_attr(op, "composite_attributes"));
    ir_op_set_attr(call, "tt.has_custom_sharding", ir_unit_attr(ctx));
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = &call->results[i];
    replace(op, values);
    free(types);
    free(values);
}

/* For each operand of `part` its number among the composite's operands, -1 for others. */
static void mark_operands(ir_op *part, const ir_op *composite)
{
    int64_t *at = tw_xmalloc((part->n_operands + 1u) * sizeof *at);
    bool any = false;
    for (uint32_t i = 0; i < part->n_operands; i++) {
        at[i] = -1;
        for (uint32_t k = 0; k < composite->n_operands && at[i] < 0; k++)
            if (composite->operands[k].value == part->operands[i].value)
                at[i] = k;
        any |= at[i] >= 0;
    }
    if (any)
        ir_op_set_attr(part, MARK "arg_operand_indices",
                       ir_dense_i64_array(part->ctx, at, part->n_operands));
    free(at);
}

static void mark_result(ir_value *value, int64_t position)
{
    ir_op *part = ir_value_def(value);
    if (!part)
        return;
    ir_attr known = ir_op_attr(part, MARK "result_pos");
    int64_t *at = tw_xmalloc(part->n_results * sizeof *at);
    for (uint32_t i = 0; i < part->n_results; i++)
        at[i] = known ? ir_dense_array_int(known, i) : -1;
    at[value->index] = position;
    ir_op_set_attr(part, MARK "result_pos",
                   ir_dense_i64_array(part->ctx, at, part->n_results));
    free(at);
}

static ir_op *decomposition(ir_op *module, ir_op *op)
{
    ir_attr name = ir_op_attr(op, "decomposition");
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next)
        if (f->def == FUNC_OP(func) && ir_op_body(f, 0) && ir_op_body(f, 0)->last &&
            ir_symbol_ref(op->ctx, ir_symbol_name(f)) == name)
            return f;
    return NULL;
}

/* `nth`: number of earlier composites with the same decomposition. */
static bool flatten(ir_op *module, ir_op *op, size_t nth)
{
    ir_context *ctx = op->ctx;
    ir_op *func = decomposition(module, op);
    ir_block *body = func ? ir_op_body(func, 0) : NULL;
    if (!body)
        return ir_op_error(op, "has no decomposition with a body");
    if (body->n_args != op->n_operands || body->last->n_operands != op->n_results)
        return ir_op_error(op, "and its decomposition differ in operands or results");
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "composite_");
    tw_strbuf_str(&text, ir_symbol_name(func));
    if (nth) /* a group of its own each */
        tw_strbuf_printf(&text, "_%zu", nth);
    ir_attr group = ir_string_attr(ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    ir_mapping *map = ir_mapping_create();
    ir_value **values = tw_xmalloc((op->n_results + 1u) * sizeof *values);
    bool first = true;
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], op->operands[i].value);
    for (ir_op *inner = body->first; inner != body->last; inner = inner->next) {
        ir_op *part = ir_op_clone(inner, map);
        ir_op_insert_before(part, op);
        ir_op_set_attr(part, MARK "group", group);
        mark_operands(part, op);
        if (!first)
            continue;
        first = false;
        ir_attr own = ir_op_attr(op, "composite_attributes");
        ir_op_set_attr(part, MARK "seed", ir_unit_attr(ctx));
        ir_op_set_attr(part, MARK "orig_name", ir_op_attr(op, "name"));
        ir_op_set_attr(part, MARK "comp_attrs", own ? own : ir_dict_attr(ctx, NULL, 0));
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *from = body->last->operands[i].value, *to = ir_mapping_get(map, from);
        values[i] = to ? to : from;
        mark_result(values[i], i);
    }
    replace(op, values);
    ir_mapping_free(map);
    free(values);
    return true;
}

static bool any_sharded(const ir_op *func, const char *attr, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ir_attr s = sdy_site_get(&(sdy_site){(ir_op *)func, attr, i});
        for (uint32_t d = 0; s && d < sdy_sharding_rank(s); d++)
            if (sdy_length(sdy_dim_at(s, d)->params[SDY_DIM_AXES]))
                return true;
    }
    return false;
}

static bool is_sharded(ir_op *module)
{
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next) {
        ir_type type =
            f->def == FUNC_OP(func) ? ir_op_attr(f, "function_type")->type : NULL;
        if (type && (any_sharded(f, "arg_attrs", type->count) ||
                     any_sharded(f, "res_attrs", type->results)))
            return true;
    }
    return false;
}

typedef struct sought {
    ir_attr name;
    bool found;
} sought;

static void compare(ir_op *op, ir_attr ref, void *user)
{
    sought *s = user;
    (void)op;
    s->found |= ref == s->name;
}

static void drop_unused(ir_op *module)
{
    for (ir_op *f = ir_op_body(module, 0)->first, *next; f; f = next) {
        next = f->next;
        if (f->def != FUNC_OP(func) || !ir_symbol_is_private(f))
            continue;
        sought s = {ir_symbol_ref(f->ctx, ir_symbol_name(f)), false};
        for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
            if (op != f)
                symbol_refs_below(op, compare, &s);
        if (!s.found)
            ir_op_erase(f);
    }
}

static size_t before(const ir_attr *names, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < i; k++)
        n += names[k] == names[i];
    return n;
}

static bool run_composites(ir_op *module, pass_run *run)
{
    (void)run;
    ops list = {.n = 0};
    bool ok = true;
    if (!is_sharded(module))
        return true;
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next)
        for (ir_op *op = f->def == FUNC_OP(func) && ir_op_body(f, 0)
                             ? ir_op_body(f, 0)->first
                             : NULL;
             op; op = op->next)
            if (op->def == STABLEHLO_OP(composite))
                TW_PUSH(list.at, list.n, list.capacity, op);
    ir_attr *names = tw_xmalloc((list.n + 1) * sizeof *names);
    for (size_t i = 0; i < list.n; i++)
        names[i] = ir_op_attr(list.at[i], "decomposition");
    for (size_t i = 0; i < list.n && ok; i++) {
        if (has_rule(list.at[i]))
            make_call(list.at[i]);
        else
            ok = flatten(module, list.at[i], before(names, i));
    }
    if (ok)
        drop_unused(module);
    free(names);
    free(list.at);
    return ok;
}

const pass_def flatten_or_convert_composites_pass = {
    .name = "flatten-or-convert-composites",
    .title = "FlattenOrConvertCompositesPass",
    .summary =
        "Converts composites with sharding rules to custom calls, and inlines the others.",
    .anchor = "builtin.module",
    .run = run_composites,
};
