/* sfpu_tile_loop_fission.c: d2m-sfpu-tile-loop-fission: a nest with several stores becomes
 * one nest for each, so that each init can be hoisted out of its loops. */
#include "d2m/generic.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"

static ir_op *innermost(ir_op *root)
{
    for (ir_op *op = ir_op_body(root, 0)->first; op; op = op->next)
        if (op->def == AFFINE_OP(for))
            return innermost(op);
    return root;
}

/* Gives an operation loads of its own where a store stands between them and it. */
static void reload_operands(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *load = ir_value_def(ir_op_operand(op, i));
        bool near = false;
        for (ir_op *at = op->prev; at && at->def != AFFINE_OP(store); at = at->prev)
            near |= at == load;
        if (near || !ir_op_is(load, AFFINE_OP(load)))
            continue;
        ir_op *copy = ir_op_clone(load, NULL);
        ir_op_insert_before(copy, op);
        for (uint32_t j = i; j < op->n_operands; j++)
            if (ir_op_operand(op, j) == &load->results[0])
                ir_op_set_operand(op, j, &copy->results[0]);
    }
}

/* The operation with several results that a value comes from through casts, or NULL. */
static ir_op *shared_source(ir_value *v)
{
    ir_op *def = ir_value_def(v);
    while (def && def->n_results == 1 && def->n_operands == 1 &&
           ir_value_def(ir_op_operand(def, 0)))
        def = ir_value_def(ir_op_operand(def, 0));
    return def && def->n_results > 1 ? def : NULL;
}

/* The store that ends the first part: of several results of one operation the last. */
static ir_op *first_end(ir_block *body)
{
    ir_op *store = body->first;
    while (store && store->def != AFFINE_OP(store))
        store = store->next;
    ir_op *source = store ? shared_source(ir_op_operand(store, 0)) : NULL;
    for (ir_op *op = source ? store->next : NULL; op; op = op->next)
        if (op->def == AFFINE_OP(store) && shared_source(ir_op_operand(op, 0)) == source)
            store = op;
    return store;
}

static size_t position_of(const ir_op *op)
{
    size_t n = 0;
    for (const ir_op *at = op->prev; at; at = at->prev)
        n++;
    return n;
}

/* Erases from the end what has no use; values that later parts need are computed again. */
static void keep_from(ir_block *body, size_t first)
{
    ir_op *at = body->first;
    for (size_t i = 0; at && i < first; i++)
        at = at->next;
    for (ir_op *op = at ? at->prev : NULL, *prev; op; op = prev) {
        prev = op->prev;
        if (ir_op_is_unused(op))
            ir_op_erase(op);
    }
}

/* Splits behind the first store; returns the nest of the rest, or NULL. */
static ir_op *split(ir_op *root)
{
    ir_block *body = ir_op_body(innermost(root), 0);
    ir_op *end = first_end(body);
    if (!end || end->next == body->last)
        return NULL;
    size_t rest = position_of(end) + 1;
    ir_op *later = ir_op_clone(root, NULL);
    ir_op_insert_after(later, root);
    while (end->next != body->last)
        ir_op_erase(body->last->prev);
    keep_from(ir_op_body(innermost(later), 0), rest);
    return later;
}

static void fission(ir_op *root)
{
    while (root) {
        ir_block *body = ir_op_body(innermost(root), 0);
        for (ir_op *op = body->first; op; op = op->next)
            if (d2m_is_compute(op))
                reload_operands(op);
        root = split(root);
    }
}

static bool is_root(const ir_op *op)
{
    return op->def == AFFINE_OP(for) && ir_op_attr(op, "d2m.linalg_root");
}

static bool is_relevant(const ir_op *op)
{
    return d2m_is_compute(op) || op->def == AFFINE_OP(for);
}

/* True for a generic whose threads all compute, without tilizing. */
static bool is_wanted(ir_op *generic)
{
    d2m_generic g;
    bool computes = false;
    if (!d2m_generic_of(generic, &g) || !generic->n_regions)
        return false;
    for (uint16_t r = 0; r < generic->n_regions; r++)
        if (d2m_generic_thread(&g, r) != D2M_ThreadType_Compute)
            return false;
    ir_op_list ops = ir_ops_in(generic, is_relevant);
    bool layout = false;
    for (size_t i = 0; i < ops.n; i++) {
        computes |= d2m_is_compute(ops.at[i]);
        layout |= ops.at[i]->def == D2M_OP(tile_tilize_block) ||
                  ops.at[i]->def == D2M_OP(tile_untilize_block);
    }
    ir_op_list_free(&ops);
    return computes && !layout;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    for (size_t i = 0; i < generics.n; i++) {
        if (!is_wanted(generics.at[i]))
            continue;
        ir_op_list roots = ir_ops_in(generics.at[i], is_root);
        for (size_t r = 0; r < roots.n; r++)
            fission(roots.at[r]);
        ir_op_list_free(&roots);
    }
    ir_op_list_free(&generics);
    return true;
}

const pass_def d2m_sfpu_tile_loop_fission_pass = {
    .name = "d2m-sfpu-tile-loop-fission",
    .summary = "Split nests of tile operations at their stores",
    .anchor = "builtin.module",
    .run = run,
};
