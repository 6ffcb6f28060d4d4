/* optimize_masks.c: d2m-optimize-masks: removes masks whose input has no padding, or whose
 * input's padding already holds the fill value. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/passes/mask_states.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"

static void propagate(d2m_mask_states *s, ir_op *op);

/* True if all maps of the operation are one permutation. */
static bool has_one_permutation(const ir_op *op)
{
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    for (uint32_t i = 0; i < d2m_length(maps); i++)
        if (!ir_attr_is(maps->items[i], IR_ATTR_AFFINE_MAP) ||
            maps->items[i] != maps->items[0] ||
            !ir_affine_map_is_permutation(maps->items[i]->map))
            return false;
    return d2m_length(maps) > 0;
}

static bool moves_elements(const ir_op *op)
{
    return op->def == D2M_OP(tile_bcast) || op->def == D2M_OP(tile_transpose) ||
           op->def == D2M_OP(tile_matmul) || op->def == D2M_OP(tile_matmul_block) ||
           (op->def == LINALG_OP(generic) && !has_one_permutation(op));
}

/* True if every element of a generic's result is computed from those at its position, so
 * that padding comes from padding alone. */
static bool keeps_positions(ir_op *generic)
{
    if (!generic || !has_one_permutation(generic))
        return false;
    ir_op_list moving = ir_ops_in(generic, moves_elements);
    bool none = moving.n == 0;
    ir_op_list_free(&moving);
    return none;
}

/* The results of a block's terminator are those of the operation around it. */
static void propagate_linalg(d2m_mask_states *s, ir_op *linalg)
{
    ir_block *body = ir_op_body(linalg, 0);
    if (!body)
        return;
    for (uint32_t i = 0; i < TW_MIN(body->n_args, linalg->n_operands); i++)
        d2m_set_mask_state(s, body->args[i], d2m_mask_state(s, ir_op_operand(linalg, i)));
    for (ir_op *op = body->first; op; op = op->next) {
        propagate(s, op);
        for (uint32_t i = 0;
             op->def == LINALG_OP(yield) && i < TW_MIN(op->n_operands, linalg->n_results);
             i++)
            d2m_set_mask_state(s, &linalg->results[i],
                               d2m_mask_state(s, ir_op_operand(op, i)));
    }
}

static void propagate(d2m_mask_states *s, ir_op *op)
{
    if (op->def == LINALG_OP(generic)) {
        propagate_linalg(s, op);
        return;
    }
    int64_t state = op->def == D2M_OP(remote_load)
                        ? d2m_mask_state(s, ir_op_operand_named(op, "memref"))
                        : d2m_mask_state_after(s, op);
    if (op->def == D2M_OP(remote_store)) {
        const ir_value *stored = ir_op_operand_named(op, "localBuffer");
        state = stored && keeps_positions(d2m_generic_around(op))
                    ? d2m_mask_state(s, stored)
                    : TTCORE_OOBVal_Undef;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (state != TTCORE_OOBVal_Undef)
            d2m_set_mask_state(s, &op->results[i], state);
}

/* Regions that yield different states leave the result undef. */
static void propagate_generic(d2m_mask_states *s, ir_op *generic)
{
    for (uint16_t r = 0; r < generic->n_regions; r++) {
        ir_block *body = ir_op_body(generic, r);
        for (ir_op *op = body ? body->first : NULL; op; op = op->next) {
            propagate(s, op);
            if (op->def != D2M_OP(yield))
                continue;
            for (uint32_t i = 0; i < TW_MIN(op->n_operands, generic->n_results); i++) {
                int64_t state = d2m_mask_state(s, ir_op_operand(op, i));
                if (r > 0 && d2m_mask_state(s, &generic->results[i]) != state)
                    state = TTCORE_OOBVal_Undef;
                d2m_set_mask_state(s, &generic->results[i], state);
            }
        }
    }
}

static bool is_redundant(const d2m_mask_states *s, const ir_op *mask)
{
    int64_t logical[D2M_MAX_RANK];
    const ir_value *in = ir_op_operand(mask, 0);
    int64_t fill = ir_enum_value(ir_op_attr(mask, "fill_value"), TTCORE_OOBVal_Undef);
    int64_t n = ir_attr_ints(ir_op_attr(mask, "logicalShape"), logical, D2M_MAX_RANK);
    if (mask->n_results != 1 || in->type != mask->results[0].type)
        return false;
    return fill == TTCORE_OOBVal_Undef || d2m_mask_state(s, in) == fill ||
           (n >= 0 && n <= D2M_MAX_RANK &&
            d2m_has_no_padding(in->type, logical, (size_t)n));
}

static void drop(ir_op *mask)
{
    ir_op *out = ir_value_def(ir_op_operand(mask, 1));
    ir_value_replace_uses(&mask->results[0], ir_op_operand(mask, 0));
    ir_op_erase(mask);
    if (ir_op_is(out, D2M_OP(empty)) && ir_op_is_unused(out))
        ir_op_erase(out);
}

/* True if a view shows padding where its input has padding. */
static bool keeps_padding(const ir_op *view)
{
    ir_attr map = ir_op_attr(view, "remapping");
    d2m_shape from, to;
    if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) ||
        !d2m_shape_of(ir_op_operand(view, 0)->type, &from) ||
        !d2m_shape_of(view->results[0].type, &to))
        return false;
    return ir_affine_map_is_permutation(map->map) ||
           map->map == d2m_reblock_map(view->ctx, &from, &to);
}

static void visit(d2m_mask_states *s, ir_op *op)
{
    if (op->def == D2M_OP(mask)) {
        if (is_redundant(s, op))
            drop(op);
        else if (op->n_results == 1)
            d2m_set_mask_state(
                s, &op->results[0],
                ir_enum_value(ir_op_attr(op, "fill_value"), TTCORE_OOBVal_Undef));
        return;
    }
    if (op->def == D2M_OP(generic)) {
        propagate_generic(s, op);
        return;
    }
    if (op->def == D2M_OP(view_layout) && keeps_padding(op))
        d2m_set_mask_state(s, &op->results[0], d2m_mask_state(s, ir_op_operand(op, 0)));
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *inner = b->first, *next; inner; inner = next) {
                next = inner->next;
                visit(s, inner);
            }
}

static bool run(ir_op *module, pass_run *run)
{
    d2m_mask_states states = {ir_mapping_create()};
    (void)run;
    visit(&states, module);
    ir_mapping_free(states.known);
    return true;
}

const pass_def d2m_optimize_masks_pass = {
    .name = "d2m-optimize-masks",
    .title = "D2MOptimizeMasks",
    .summary = "Remove masks of tensors whose padding holds the fill value already",
    .anchor = "builtin.module",
    .run = run,
};
