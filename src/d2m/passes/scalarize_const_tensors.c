/* scalarize_const_tensors.c: d2m-scalarize-const-tensors: a tile filled with a number,
 * where it is the right operand of an operation that takes a number, becomes that number.
 */
#include "d2m/generic.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "mlir/tensor/tensor.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"

#include <stdlib.h>

/* ---- fills -------------------------------------------------------------------------- */

static size_t linalg_inputs(const ir_op *linalg)
{
    size_t first, n;
    return ir_op_operand_group(linalg, 0, &first, &n) ? n : 0;
}

/* The only linalg.generic without inputs at the top of a generic's region, or NULL. */
static ir_op *only_fill(ir_op *generic)
{
    ir_block *body = ir_op_body(generic, 0);
    ir_op *found = NULL;
    for (ir_op *op = body ? body->first : NULL; op; op = op->next) {
        if (op->def != LINALG_OP(generic) || linalg_inputs(op) > 0)
            continue;
        if (found)
            return NULL;
        found = op;
    }
    return found;
}

/* The number that a generic fills its result with, or NULL if it does more or less. */
static ir_attr fill_of(ir_op *generic)
{
    ir_op *linalg = only_fill(generic);
    ir_block *body = linalg ? ir_op_body(linalg, 0) : NULL;
    const ir_op *fill = NULL;
    for (ir_op *op = body ? body->first : NULL; op; op = op->next) {
        if (op->def == D2M_OP(tile_fill)) {
            if (fill)
                return NULL;
            fill = op;
        } else if (op->def != ARITH_OP(constant) && op->def != LINALG_OP(yield)) {
            return NULL;
        }
    }
    const ir_op *number = fill ? ir_value_def(ir_op_operand(fill, 0)) : NULL;
    return ir_op_is(number, ARITH_OP(constant)) ? ir_op_attr(number, "value") : NULL;
}

/* ---- uses --------------------------------------------------------------------------- */

/* Operations in the order in which they were added, each once. */
typedef struct op_set {
    ir_op_list list;
    ir_mapping *known;
} op_set;

static bool add(op_set *set, ir_op *op)
{
    void **known = ir_mapping_at(set->known, op);
    if (*known)
        return false;
    *known = op;
    TW_PUSH(set->list.at, set->list.n, set->list.capacity, op);
    return true;
}

static void free_set(op_set *set)
{
    ir_op_list_free(&set->list);
    ir_mapping_free(set->known);
}

static bool is_layout(const ir_op *op)
{
    return op->n_results == 1 &&
           (op->def == D2M_OP(to_layout) || op->def == D2M_OP(view_layout) ||
            op->def == TTIR_OP(ttnn_metal_layout_cast));
}

static bool is_float_tile(ir_type t)
{
    switch (ttcore_tile_data_type(t)) {
    case TTCORE_DataType_Int32:
    case TTCORE_DataType_UInt32:
    case TTCORE_DataType_UInt16:
    case TTCORE_DataType_UInt8:
        return false;
    default:
        return true;
    }
}

/* True if the unit has the operation with a number: not for bitwise ones, and products of
 * floats only. */
static bool takes_number(const ir_operand *use)
{
    const ir_op *op = use->owner;
    const d2m_tile_op *row = d2m_tile_op_of(op);
    if (!row || !row->scalar || ir_operand_number(use) != 1)
        return false;
    if (op->def == D2M_OP(tile_bitwise_and) || op->def == D2M_OP(tile_bitwise_or) ||
        op->def == D2M_OP(tile_bitwise_xor))
        return false;
    return op->def != D2M_OP(tile_mul) || is_float_tile(ir_op_operand(op, 0)->type);
}

/* Uses the number in place of the argument of a linalg.generic's block where possible. */
static void use_number(ir_value *arg, ir_attr number)
{
    ir_block *block = arg->owner;
    ir_value *constant = NULL;
    for (ir_operand *use = arg->uses, *next; use; use = next) {
        next = use->next_use;
        if (!takes_number(use))
            continue;
        if (!constant) {
            ir_builder b = ir_builder_at_start(block->region->owner->ctx, block,
                                               block->region->owner->loc);
            constant = ir_build1(&b, ARITH_OP(constant), number->type, NULL, 0,
                                 IR_ATTRS({"value", number}));
        }
        ir_op_set_operand(use->owner, 1, constant);
    }
}

static bool is_linalg(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

/* The same for all arguments that are loaded from one input of a generic. */
static void use_number_in(ir_op *generic, ir_value *input, ir_attr number)
{
    ir_op_list all = ir_ops_in(generic, is_linalg);
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < linalg_inputs(all.at[i]); k++) {
            const ir_op *load = ir_value_def(ir_op_operand(all.at[i], k));
            if (ir_op_is(load, D2M_OP(remote_load)) &&
                ir_op_operand_named(load, "memref") == input &&
                k < ir_op_body(all.at[i], 0)->n_args)
                use_number(ir_op_body(all.at[i], 0)->args[k], number);
        }
    ir_op_list_free(&all);
}

/* Follows a filled tensor through layouts to the generics that read it; these and the
 * layouts, inner ones last, go to the sets. */
static void follow(ir_value *v, ir_attr number, op_set *layouts, op_set *generics)
{
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        if (is_layout(user)) {
            if (add(layouts, user))
                follow(&user->results[0], number, layouts, generics);
        } else if (user->def == D2M_OP(generic) &&
                   ir_operand_number(use) < d2m_group_size(user, "inputs")) {
            use_number_in(user, v, number);
            add(generics, user);
        }
    }
}

/* ---- what is no longer used --------------------------------------------------------- */

/* Rebuilds a linalg.generic without inputs that its body does not use. */
static void shrink_linalg(ir_op *op)
{
    size_t n_ins = linalg_inputs(op), n = 0;
    ir_block *body = ir_op_body(op, 0);
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    if (!body || body->n_args != op->n_operands || !ir_attr_is(maps, IR_ATTR_ARRAY) ||
        maps->count != op->n_operands)
        return;
    ir_attr *kept = tw_xmalloc((op->n_operands + 1) * sizeof *kept);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (i >= n_ins || !ir_value_unused(body->args[i]))
            kept[n++] = maps->items[i];
    bool shrinks = n < op->n_operands;
    for (size_t i = n_ins; shrinks && i-- > 0;) {
        ir_op *load = ir_value_def(ir_op_operand(op, i));
        if (!ir_value_unused(body->args[i]))
            continue;
        ir_block_erase_arg(body, i);
        ir_op_splice_operands(op, i, 1, NULL, 0);
        if (ir_op_is(load, D2M_OP(remote_load)) && ir_op_is_unused(load))
            ir_op_erase(load);
    }
    if (shrinks) {
        int64_t outs = op->n_results;
        int64_t sizes[] = {(int64_t)n - outs, outs};
        ir_op_set_attr(op, "operandSegmentSizes", ir_dense_i32_array(op->ctx, sizes, 2));
        ir_op_set_attr(op, "indexing_maps", ir_array_attr(op->ctx, kept, n));
    }
    free(kept);
}

static bool is_helper(const ir_op *op)
{
    return ir_op_is_unused(op) &&
           (op->def == ARITH_OP(constant) || op->def == TENSOR_OP(empty) ||
            op->def == D2M_OP(block_index) || is_layout(op));
}

static bool uses_inside(const ir_op *generic, const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner != generic && ir_op_is_ancestor(generic, use->owner))
            return true;
    return false;
}

/* Drops inputs of a generic, with their maps, that its regions do not use. */
static void shrink_generic(ir_op *op)
{
    d2m_generic g;
    ir_attr kept[64];
    uint32_t n = 0;
    if (!d2m_generic_of(op, &g) || d2m_length(g.maps) != g.n_io || g.n_io > TW_COUNT(kept))
        return;
    for (uint32_t i = 0; i < g.n_io; i++)
        if (i >= g.n_inputs || uses_inside(op, d2m_generic_operand(&g, i)))
            kept[n++] = g.maps->items[i];
    if (n == g.n_io)
        return;
    for (uint32_t i = g.n_inputs; i-- > 0;)
        if (!uses_inside(op, d2m_generic_operand(&g, i)))
            ir_op_splice_operands(op, i, 1, NULL, 0);
    int64_t sizes[] = {n - g.n_outputs, g.n_outputs, g.n_extra};
    ir_op_set_attr(op, "operandSegmentSizes", ir_dense_i32_array(op->ctx, sizes, 3));
    ir_op_set_attr(op, "indexing_maps", ir_array_attr(op->ctx, kept, n));
}

static void clean_generic(ir_op *generic)
{
    ir_op_list all = ir_ops_in(generic, is_linalg);
    for (size_t i = 0; i < all.n; i++)
        shrink_linalg(all.at[i]);
    ir_op_list_free(&all);
    for (bool changed = true; changed;) {
        changed = false;
        all = ir_ops_in(generic, is_helper);
        for (size_t i = 0; i < all.n; i++) {
            ir_op_erase(all.at[i]);
            changed = true;
        }
        ir_op_list_free(&all);
    }
    shrink_generic(generic);
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    op_set layouts = {.known = ir_mapping_create()};
    op_set generics = {.known = ir_mapping_create()};
    ir_op_list fills = {0}, all = d2m_generics_in(module);
    for (size_t i = 0; i < all.n; i++) {
        ir_attr number = fill_of(all.at[i]);
        if (!number || all.at[i]->n_results == 0 || number->kind == IR_ATTR_DENSE)
            continue;
        TW_PUSH(fills.at, fills.n, fills.capacity, all.at[i]);
        follow(&all.at[i]->results[0], number, &layouts, &generics);
    }
    ir_op_list_free(&all);
    for (size_t i = 0; i < generics.list.n; i++)
        clean_generic(generics.list.at[i]);
    for (size_t i = layouts.list.n; i-- > 0;)
        if (rw_is_trivially_dead(layouts.list.at[i]))
            ir_op_erase(layouts.list.at[i]);
    for (size_t i = fills.n; i-- > 0;)
        if (rw_is_trivially_dead(fills.at[i]))
            ir_op_erase(fills.at[i]);
    free_set(&layouts);
    free_set(&generics);
    ir_op_list_free(&fills);
    return true;
}

const pass_def d2m_scalarize_const_tensors_pass = {
    .name = "d2m-scalarize-const-tensors",
    .title = "D2MScalarizeConstTensors",
    .summary = "Use numbers in place of tiles that are filled with them",
    .anchor = "builtin.module",
    .run = run,
};
