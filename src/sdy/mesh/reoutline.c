/* reoutline.c: reoutline-composite: rebuilds composites that were inlined, with local
 * shapes, from the marks of flatten-or-convert-composites. Only if the ops of a composite
 * are still adjacent; otherwise they stay. */
#include "ir/pass/pass.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"

#include <stdlib.h>

#define GROUP "reoutline.group"

typedef struct values {
    ir_value **at;
    int64_t *position; /* position in the composite, -1 if unknown */
    size_t n, capacity;
} values;

static void add(values *list, ir_value *v, int64_t position)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == v) {
            if (position >= 0)
                list->position[i] = position;
            return;
        }
    size_t capacity = list->capacity;
    TW_PUSH(list->at, list->n, list->capacity, v);
    if (list->capacity != capacity)
        list->position =
            tw_xrealloc(list->position, list->capacity * sizeof *list->position);
    list->position[list->n - 1] = position;
}

/* Sorts known positions first; others keep their order. */
static void sort(values *list)
{
    for (size_t i = 1; i < list->n; i++)
        for (size_t k = i; k > 0; k--) {
            int64_t a = list->position[k - 1], b = list->position[k];
            if (b < 0 || (a >= 0 && a <= b))
                break;
            ir_value *v = list->at[k];
            list->at[k] = list->at[k - 1];
            list->position[k] = a;
            list->at[k - 1] = v;
            list->position[k - 1] = b;
        }
}

static void free_values(values *list)
{
    free(list->at);
    free(list->position);
}

static int64_t mark_at(const ir_op *op, const char *name, uint32_t i)
{
    ir_attr list = ir_op_attr(op, name);
    return ir_attr_is(list, IR_ATTR_DENSE_ARRAY) && i < list->count
               ? ir_dense_array_int(list, i)
               : -1;
}

typedef struct group {
    ir_op **ops;
    size_t n;
    values in, out;
} group;

/* True if the operation is in the group. */
static bool holds(const group *g, ir_op *op)
{
    for (; op; op = ir_op_parent(op))
        for (size_t i = 0; i < g->n; i++)
            if (g->ops[i] == op)
                return true;
    return false;
}

static ir_op *owner_of(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    return def ? def : ir_value_block(v)->region->owner;
}

static void add_inputs(group *g, ir_op *part, ir_op *top)
{
    for (uint32_t i = 0; i < part->n_operands; i++) {
        ir_value *v = part->operands[i].value;
        if (!holds(g, owner_of(v)))
            add(&g->in, v,
                part == top ? mark_at(part, "reoutline.arg_operand_indices", i) : -1);
    }
}

static void find_values(group *g)
{
    for (size_t k = 0; k < g->n; k++) {
        ir_op *op = g->ops[k];
        ir_op_list all = ir_ops_in(op, NULL);
        for (size_t i = 0; i < all.n; i++)
            add_inputs(g, all.at[i], op);
        ir_op_list_free(&all);
        for (uint32_t r = 0; r < op->n_results; r++) {
            bool escapes = false;
            for (ir_operand *u = op->results[r].uses; u; u = u->next_use)
                escapes |= !holds(g, u->owner);
            if (escapes)
                add(&g->out, &op->results[r], mark_at(op, "reoutline.result_pos", r));
        }
    }
    sort(&g->in);
    sort(&g->out);
}

/* "outlined_<group>", with a number appended if that is taken. */
static void name_of(ir_op *module, ir_attr mark, tw_strbuf *name)
{
    for (unsigned n = 0;; n++) {
        name->size = 0;
        tw_strbuf_puts(name, "outlined_");
        tw_strbuf_str(name, ir_attr_str(mark));
        if (n)
            tw_strbuf_printf(name, "_%u", n);
        if (!ir_symbol_lookup(module, (tw_str){name->data, name->size}))
            return;
    }
}

static void outline(ir_op *module, group *g, ir_attr mark)
{
    ir_context *ctx = module->ctx;
    tw_strbuf text = {0};
    name_of(module, mark, &text);
    ir_op *func = mesh_outline(module, (tw_str){text.data, text.size}, g->in.at, g->in.n,
                               g->out.at, g->out.n, g->ops, g->n);
    tw_strbuf_free(&text);
    ir_attr name = ir_string_attr(ctx, ir_symbol_name(func));
    ir_attr own = ir_dict_attr(ctx, NULL, 0);
    for (size_t i = 0; i < g->n; i++)
        if (ir_op_attr(g->ops[i], "reoutline.seed")) {
            ir_attr was = ir_op_attr(g->ops[i], "reoutline.orig_name");
            ir_attr had = ir_op_attr(g->ops[i], "reoutline.comp_attrs");
            name = was ? was : name;
            own = had ? had : own;
        }
    ir_type *types = tw_xmalloc((g->out.n + 1) * sizeof *types);
    for (size_t i = 0; i < g->out.n; i++)
        types[i] = g->out.at[i]->type;
    ir_builder b = ir_builder_before(g->ops[0]);
    ir_op *made =
        ir_build_op(&b, STABLEHLO_OP(composite), types, g->out.n, g->in.at, g->in.n,
                    IR_ATTRS({"name", name}, {"composite_attributes", own},
                             {"decomposition", ir_symbol_ref(ctx, ir_symbol_name(func))}),
                    0);
    free(types);
    for (size_t i = 0; i < g->out.n; i++)
        ir_value_replace_uses(g->out.at[i], &made->results[i]);
    for (size_t i = g->n; i > 0; i--)
        ir_op_erase(g->ops[i - 1]);
}

/* Outlines adjacent operations with one mark if no other op has it. */
static void try_group(ir_op *module, ir_op *func, ir_op *first)
{
    ir_attr mark = ir_op_attr(first, GROUP);
    group g = {.n = 0};
    size_t capacity = 0, all = 0;
    for (ir_op *op = first; op && ir_op_attr(op, GROUP) == mark; op = op->next)
        TW_PUSH(g.ops, g.n, capacity, op);
    ir_op_list list = ir_ops_in(func, NULL);
    for (size_t i = 0; i < list.n; i++)
        all += ir_op_attr(list.at[i], GROUP) == mark;
    ir_op_list_free(&list);
    if (all == g.n) {
        find_values(&g);
        if (g.out.n)
            outline(module, &g, mark);
    }
    free(g.ops);
    free_values(&g.in);
    free_values(&g.out);
}

static ir_op *next_seed(ir_op *func, const ir_attr *seen, size_t n)
{
    ir_op_list all = ir_ops_in(func, NULL);
    ir_op *found = NULL;
    for (size_t i = 0; i < all.n && !found; i++) {
        ir_attr mark = ir_op_attr(all.at[i], GROUP);
        bool known = !ir_attr_is(mark, IR_ATTR_STRING);
        for (size_t k = 0; k < n; k++)
            known |= seen[k] == mark;
        found = known ? NULL : all.at[i];
    }
    ir_op_list_free(&all);
    return found;
}

static bool run_reoutline(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list funcs = ir_ops_in(module, mesh_is_function);
    for (size_t f = 0; f < funcs.n; f++) {
        ir_attr *seen = NULL;
        size_t n = 0, capacity = 0;
        for (ir_op *op; (op = next_seed(funcs.at[f], seen, n));) {
            TW_PUSH(seen, n, capacity, ir_op_attr(op, GROUP));
            try_group(module, funcs.at[f], op);
        }
        free(seen);
    }
    ir_op_list_free(&funcs);
    return true;
}

const pass_def reoutline_composite_pass = {
    .name = "reoutline-composite",
    .title = "ReoutlineCompositePass",
    .summary = "Rebuilds composites from the operations they were flattened to.",
    .anchor = "builtin.module",
    .run = run_reoutline,
};
