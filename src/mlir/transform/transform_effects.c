/* transform_effects.c: see transform_effects.h.
 *
 * Steps in functional style consume all their handles, those that navigate or match none;
 * for the others the table lists which consume their first one. */
#include "mlir/transform/transform_effects.h"

#include "mlir/transform/transform.h"

bool transform_is_step(const ir_op *op)
{
    return ir_def_has(op->def, "TransformOpInterface") ||
           ir_def_has(op->def, "MatchOpInterface");
}

bool transform_argument_is(const ir_op *sequence, size_t i, const char *name)
{
    ir_attr list = ir_op_attr(sequence, "arg_attrs");
    ir_attr dict =
        ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count ? list->items[i] : NULL;
    return ir_attr_is(dict, IR_ATTR_DICT) && ir_dict_get(dict, tw_str_from(name));
}

/* Steps that consume their target, and the attribute that prevents it. */
static const struct {
    int row;
    const char *unless;
} consumers[] = {
    {TRANSFORM_affine_simplify_bounded_affine_ops, NULL},
    {TRANSFORM_affine_simplify_min_max_affine_ops, NULL},
    {TRANSFORM_apply_conversion_patterns, "preserve_handles"},
    {TRANSFORM_apply_registered_pass, NULL},
    {TRANSFORM_foreach_match, NULL},
    {TRANSFORM_loop_promote_if_one_iteration, NULL},
    {TRANSFORM_structured_bufferize_to_allocation, "bufferize_destination_only"},
    {TRANSFORM_structured_fuse, NULL},
    {TRANSFORM_structured_fuse_into_containing_op, NULL},
    {TRANSFORM_structured_pack, NULL},
    {TRANSFORM_structured_pack_greedily, NULL},
    {TRANSFORM_structured_replace, NULL},
    {TRANSFORM_structured_split, NULL},
    {TRANSFORM_structured_tile_using_for, NULL},
    {TRANSFORM_structured_tile_using_forall, NULL},
    {TRANSFORM_structured_vectorize, NULL},
};

static bool consumes_target(const ir_op *op)
{
    for (size_t k = 0; k < TW_COUNT(consumers); k++)
        if (op->def == &transform_ops[consumers[k].row])
            return !consumers[k].unless || !ir_op_attr(op, consumers[k].unless);
    return false;
}

bool transform_consumes(const ir_op *op, size_t i)
{
    if (op->def == TRANSFORM_OP(alternatives) ||
        ir_def_has(op->def, "FunctionalStyleTransformOpTrait"))
        return true;
    if (op->def == TRANSFORM_OP(include)) {
        const ir_op *callee = ir_symbol_resolve((ir_op *)op, ir_op_attr(op, "target"));
        return ir_op_is(callee, TRANSFORM_OP(named_sequence)) &&
               transform_argument_is(callee, i, "transform.consumed");
    }
    if (op->def == TRANSFORM_OP(foreach) || op->def == TRANSFORM_OP(sequence)) {
        const ir_block *body = ir_op_body(op, 0);
        return body && i < body->n_args && transform_consumed_in(body, body->args[i]);
    }
    return i == 0 && consumes_target(op);
}

/* True if it consumes the handle as any of its operands. */
static bool consumes_handle(const ir_op *op, const ir_value *handle)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_op_operand(op, i) == handle && transform_consumes(op, i))
            return true;
    return false;
}

bool transform_consumed_in(const ir_block *block, const ir_value *handle)
{
    for (const ir_operand *use = handle->uses; use; use = use->next_use)
        if (use->owner->block == block && use->owner != block->last &&
            transform_is_step(use->owner) && consumes_handle(use->owner, handle))
            return true;
    return false;
}

bool transform_consumed_once(ir_op *op, const ir_value *handle, bool named,
                             const char *what, size_t index)
{
    const ir_operand *other = NULL;
    for (const ir_operand *use = handle->uses; use; use = use->next_use) {
        /* users that are not steps might consume it */
        if (transform_is_step(use->owner) && !consumes_handle(use->owner, handle))
            continue;
        if (!other) {
            other = use;
            continue;
        }
        static const char text[] = "%s #%zu has more than one potential consumer";
        if (named)
            ir_op_error(op, text, what, index);
        else
            ir_error_at_op(op, text, what, index);
        ir_note(op->ctx, other->owner->loc, "used here as operand #%zu",
                ir_operand_number(other));
        return ir_note(op->ctx, use->owner->loc, "used here as operand #%zu",
                       ir_operand_number(use));
    }
    return true;
}
