/* simplify_regions.c: removes unused operands of sorts, reductions and loops. */
#include "stablehlo/simplify/simplify.h"

#include "stablehlo/build.h"

/* ---- regions ------------------------------------------------------------------------ */

/* Marks the body's arguments on which the value depends. */
static void need(const ir_value *v, const ir_block *body, bool *needed)
{
    ir_op *def = ir_value_def(v);
    bool opaque = def && def->block == body && def->n_regions;
    for (uint32_t i = 0; i < body->n_args; i++)
        if (v == body->args[i] || opaque)
            needed[i] = true;
    for (uint32_t i = 0; def && def->block == body && i < def->n_operands; i++)
        need(hs_operand(def, i), body, needed);
}

/* Recreates the operation with the tensors in `kept`, whose body arguments are n apart (2
 * i and 2 i + 1 if `paired`). */
static bool keep_some(ir_op *op, rw_rewriter *rw, const bool *kept, bool paired)
{
    uint32_t n = op->n_results;
    ir_value *operands[2 * HS_CAPACITY], *results[HS_CAPACITY];
    ir_type types[HS_CAPACITY];
    size_t count = 0, n_operands = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept[i])
            types[count++] = op->results[i].type;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (kept[i % n])
            operands[n_operands++] = hs_operand(op, i);
    ir_op *made =
        ir_build_op(&rw->b, op->def, types, count, operands, n_operands, NULL, 0, 1);
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        if (op->props[i])
            ir_op_set_attr(made, ir_def_prop_name(op->def, i), op->props[i]);
    made->attrs = op->attrs;
    ir_region_take(&made->regions[0], &op->regions[0]);
    ir_block *body = ir_op_body(made, 0);
    for (uint32_t i = n; !paired && i-- > 0;)
        if (!kept[i])
            ir_op_splice_operands(body->last, i, 1, NULL, 0);
    for (bool again = true; again;) {
        again = false;
        for (ir_op *o = body->last->prev, *before; o; o = before) {
            before = o->prev;
            if (rw_is_trivially_dead(o)) {
                rw_erase(rw, o);
                again = true;
            }
        }
    }
    for (uint32_t i = body->n_args; i-- > 0;)
        if (!kept[paired ? i / 2 : i % n])
            ir_block_erase_arg(body, i);
    for (uint32_t i = 0, k = 0; i < n; i++)
        results[i] = kept[i] ? &made->results[k++] : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (results[i])
            rw_replace_uses(rw, &op->results[i], results[i]);
    rw_erase(rw, op);
    return true;
}

/* Drops sorted tensors whose results are unused and not compared. */
static bool drop_sorted(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    bool needed[2 * HS_CAPACITY] = {false}, kept[HS_CAPACITY];
    uint32_t n = op->n_results, count = 0;
    if (n < 2 || n > HS_CAPACITY || !body || body->n_args != 2 * n || op->n_operands != n)
        return false;
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        need(hs_operand(body->last, i), body, needed);
    for (uint32_t i = 0; i < n; i++) {
        kept[i] = op->results[i].uses || needed[2 * i] || needed[2 * i + 1];
        count += kept[i];
    }
    return count && count < n && keep_some(op, rw, kept, true);
}

/* Drops reduced tensors that neither users nor other results need. */
static bool drop_reduced(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    bool kept[HS_CAPACITY] = {false};
    uint32_t n = op->n_results, count = 0;
    if (n < 2 || n > HS_CAPACITY || !body || body->n_args != 2 * n ||
        op->n_operands != 2 * n || body->last->n_operands != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = op->results[i].uses != NULL;
    for (uint32_t step = 0; step < n; step++)
        for (uint32_t i = 0; i < n; i++) {
            bool needed[2 * HS_CAPACITY] = {false};
            if (kept[i])
                need(hs_operand(body->last, i), body, needed);
            for (uint32_t k = 0; k < 2 * n; k++)
                kept[k % n] = kept[k % n] || needed[k];
        }
    for (uint32_t i = 0; i < n; i++)
        count += kept[i];
    return count && count < n && keep_some(op, rw, kept, false);
}

bool hs_simplify_sort(ir_op *op, rw_rewriter *rw)
{
    if (drop_sorted(op, rw))
        return true;
    ir_type t = hs_operand(op, 0)->type;
    int64_t dim = ir_op_int(op, "dimension", -1);
    if (dim >= 0 || !ir_type_is_tensor(t))
        return false;
    ir_op_set_attr(op, "dimension", ir_i64_attr(op->ctx, dim + t->count));
    rw_modified(rw, op);
    return true;
}

bool hs_simplify_reduce(ir_op *op, rw_rewriter *rw)
{
    hs_integers dims;
    ir_value *values[HS_CAPACITY];
    uint32_t n = op->n_results;
    if (n > HS_CAPACITY || op->n_operands != 2 * n || !hs_list(op, "dimensions", &dims))
        return false;
    if (drop_reduced(op, rw))
        return true;
    bool empty = n > 0;
    for (uint32_t i = 0; i < n; i++)
        empty = empty && hs_has_nothing(hs_operand(op, i)->type) &&
                hs_is_static(op->results[i].type) &&
                hs_operand(op, n + i)->type->element == op->results[i].type->element;
    for (uint32_t i = 0; i < n; i++) {
        ir_type to = op->results[i].type;
        if (!empty && (dims.n || hs_operand(op, i)->type != to))
            return false;
        values[i] = !empty      ? hs_operand(op, i)
                    : to->count ? hlo_broadcast(&rw->b, hs_operand(op, n + i), to->dims,
                                                to->count, NULL, 0)
                                : hs_operand(op, n + i);
    }
    rw_replace(rw, op, values, n);
    return true;
}

/* The index of a loop-carried value that is invariant; n_operands if there is none. */
static uint32_t find_invariant(const ir_op *op)
{
    ir_block *body = ir_op_body(op, 1), *condition = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL;
    if (!end || !condition || end->n_operands != op->n_operands ||
        body->n_args != op->n_operands || condition->n_args != op->n_operands)
        return op->n_operands;
    uint32_t i = 0;
    while (i < op->n_operands && hs_operand(end, i) != body->args[i])
        i++;
    return i;
}

/* Replaces an invariant loop-carried value by its initial value. */
bool hs_simplify_while(ir_op *op, rw_rewriter *rw)
{
    uint32_t invariant = find_invariant(op), n = op->n_operands, kept = 0;
    if (invariant == n || n < 2 || n > HS_CAPACITY || op->n_results != n)
        return false;
    ir_value *operands[HS_CAPACITY], *results[HS_CAPACITY];
    ir_type types[HS_CAPACITY];
    for (uint32_t i = 0; i < n; i++)
        if (i != invariant) {
            operands[kept] = hs_operand(op, i);
            types[kept++] = op->results[i].type;
        }
    for (size_t r = 0; r < 2; r++) {
        ir_block *block = ir_op_body(op, r);
        rw_replace_uses(rw, block->args[invariant], hs_operand(op, invariant));
        if (r == 1)
            ir_op_splice_operands(block->last, invariant, 1, NULL, 0);
        ir_block_erase_arg(block, invariant);
    }
    ir_op *made =
        ir_build_op(&rw->b, STABLEHLO_OP(while), types, kept, operands, kept, NULL, 0, 2);
    for (size_t r = 0; r < 2; r++)
        ir_region_take(&made->regions[r], &op->regions[r]);
    made->attrs = op->attrs;
    for (uint32_t i = 0, k = 0; i < n; i++)
        results[i] = i == invariant ? hs_operand(op, invariant) : &made->results[k++];
    rw_replace(rw, op, results, n);
    return true;
}
