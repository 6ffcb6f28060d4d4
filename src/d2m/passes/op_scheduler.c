/* op_scheduler.c: d2m-op-scheduler: orders the operations of fused nests such that few
 * tiles live at once: the subtree that needs more slots of DST is computed first. */
#include "d2m/generic.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"
#include "support/arena.h"

#include <stdlib.h>

enum { MAX_CHILDREN = 3, MAX_DEPTH = 4096 };

/* Slots of the operations of one block; memory is an operation's position. */
typedef struct schedule {
    ir_block *block;
    ir_mapping *weights; /* operation -> its weight, as a pointer */
    ir_mapping *moved;
    ir_op *at; /* operations are moved behind it, or to the start (NULL) */
} schedule;

/* The operations in the block that define an operation's operands. */
static size_t children(const schedule *s, const ir_op *op, ir_op *out[MAX_CHILDREN])
{
    size_t n = 0;
    if (op->def == AFFINE_OP(load))
        return 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(ir_op_operand(op, i));
        if (!def || def->block != s->block)
            continue;
        if (n == MAX_CHILDREN)
            return 0;
        out[n++] = def;
    }
    return n;
}

static void sort_down(uintptr_t *w, ir_op **ops, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && w[j] > w[j - 1]; j--) {
            uintptr_t t = w[j];
            ir_op *o = ops[j];
            w[j] = w[j - 1], ops[j] = ops[j - 1];
            w[j - 1] = t, ops[j - 1] = o;
        }
}

static uintptr_t weight_of(const schedule *s, const ir_op *op)
{
    return (uintptr_t)ir_mapping_get(s->weights, op);
}

/* The children, those with the larger weights first; equal ones stay in their order. */
static size_t by_weight(const schedule *s, const ir_op *op, ir_op *out[MAX_CHILDREN],
                        uintptr_t w[MAX_CHILDREN])
{
    size_t n = children(s, op, out);
    for (size_t i = 0; i < n; i++)
        w[i] = weight_of(s, out[i]);
    sort_down(w, out, n);
    return n;
}

/* Slots that an operation's tree needs, each result being kept in one. */
static void compute_weights(schedule *s)
{
    for (ir_op *op = s->block->first; op; op = op->next) {
        ir_op *child[MAX_CHILDREN];
        uintptr_t w[MAX_CHILDREN], weight = 1;
        size_t n = by_weight(s, op, child, w);
        for (size_t i = 0; i < n; i++)
            weight = TW_MAX(weight, w[i] + i);
        ir_mapping_set(s->weights, op, (void *)weight);
    }
}

static void append(schedule *s, ir_op *op)
{
    ir_op_remove(op);
    if (s->at)
        ir_op_insert_after(op, s->at);
    else
        ir_block_prepend(s->block, op);
    s->at = op;
    ir_mapping_set(s->moved, op, op);
}

static void order(schedule *s, ir_op *op, int depth)
{
    ir_op *child[MAX_CHILDREN];
    uintptr_t w[MAX_CHILDREN];
    if (ir_mapping_get(s->moved, op) || depth > MAX_DEPTH)
        return;
    size_t n = by_weight(s, op, child, w);
    for (size_t i = 0; i < n; i++)
        order(s, child[i], depth + 1);
    append(s, op);
}

/* True if moving the block's operations changes no value: nothing is read that the block
 * writes before, but for the result of its only store. */
static bool is_one_tree(const ir_block *block)
{
    size_t stores = 0;
    for (const ir_op *op = block->first; op; op = op->next) {
        stores += op->def == AFFINE_OP(store) || op->def == MEMREF_OP(store);
        if (op->n_regions)
            return false;
    }
    return stores == 1;
}

static ir_op *innermost(ir_op *root)
{
    for (ir_op *op = ir_op_body(root, 0)->first; op; op = op->next)
        if (op->def == AFFINE_OP(for))
            return innermost(op);
    return root;
}

static void reorder(ir_op *root)
{
    schedule s = {.block = ir_op_body(innermost(root), 0)};
    ir_op *store = s.block->first;
    while (store && store->def != AFFINE_OP(store))
        store = store->next;
    ir_op *tree = store ? ir_value_def(ir_op_operand(store, 0)) : NULL;
    if (!tree || tree->block != s.block || !is_one_tree(s.block))
        return;
    s.weights = ir_mapping_create();
    s.moved = ir_mapping_create();
    compute_weights(&s);
    order(&s, tree, 0);
    ir_mapping_free(s.weights);
    ir_mapping_free(s.moved);
}

static bool is_new_root(const ir_op *op)
{
    return op->def == AFFINE_OP(for) && ir_op_attr(op, "d2m.linalg_root") &&
           !ir_op_attr(op, "d2m.scheduled");
}

static bool is_tile_op(const ir_op *op)
{
    return d2m_tile_op_of(op) != NULL;
}

/* True if the nest computes several tiles, all of them from tiles in DST. */
static bool is_joined(ir_op *root)
{
    ir_op_list ops = ir_ops_in(root, is_tile_op);
    bool joined = ops.n > 1;
    for (size_t i = 0; i < ops.n; i++)
        joined &= d2m_dst_loads(ops.at[i]) != 0 && !d2m_runs_on_fpu(ops.at[i]) &&
                  !d2m_skips_fusion(ops.at[i]) && !d2m_dst_scratch(ops.at[i]) &&
                  d2m_dst_stride(ops.at[i]) == 1;
    ir_op_list_free(&ops);
    return joined;
}

static bool run(ir_op *module, pass_run *run)
{
    if (!pass_option_bool(run, "enable-op-scheduler"))
        return true;
    ir_op_list generics = d2m_generics_in(module);
    for (size_t i = 0; i < generics.n; i++) {
        d2m_generic g;
        if (!d2m_generic_of(generics.at[i], &g))
            continue;
        const bool fused = d2m_generic_is_fused(&g);
        ir_op_list roots = ir_ops_in(generics.at[i], is_new_root);
        for (size_t r = 0; r < roots.n; r++) {
            if (!fused && !is_joined(roots.at[r]))
                continue;
            ir_op_set_attr(roots.at[r], "d2m.scheduled", ir_unit_attr(module->ctx));
            reorder(roots.at[r]);
        }
        ir_op_list_free(&roots);
    }
    ir_op_list_free(&generics);
    return true;
}

const pass_def d2m_op_scheduler_pass = {
    .name = "d2m-op-scheduler",
    .summary = "Order the operations of fused generics to keep few tiles alive",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"enable-op-scheduler", PASS_BOOL, "true",
                                         "Enable the scheduler", NULL, NULL}),
};
