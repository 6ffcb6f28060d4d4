/* canonicalize_if.c: canonical forms of scf.if and scf.index_switch. */
#include "ir/rewrite/effects.h"
#include "mlir/arith/arith.h"
#include "mlir/passes/canonical.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

static bool is_bool_type(const ir_value *v, bool *out)
{
    ir_attr a = rw_constant(v);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return false;
    *out = a->value != 0;
    return true;
}

static ir_value *bool_constant(rw_rewriter *rw, bool value)
{
    ir_attr a = ir_bool_attr(rw->b.ctx, value);
    return ir_build1(&rw->b, ARITH_OP(constant), a->type, NULL, 0, IR_ATTRS({"value", a}));
}

static bool is_inside(const ir_op *op, const ir_op *around)
{
    return op != around && ir_op_is_ancestor(around, op);
}

/* ---- regions ------------------------------------------------------------------------ */

/* Folds a constant condition. */
static bool choose_side(ir_op *op, rw_rewriter *rw)
{
    bool condition;
    if (!is_bool_type(ir_op_operand(op, 0), &condition))
        return false;
    ir_block *side = ir_op_body(op, condition ? 0 : 1);
    if (!side && op->n_results)
        return false;
    if (side)
        rw_replace_by_block(rw, op, side);
    else
        rw_erase(rw, op);
    return true;
}

/* Recreates the operation with only the `kept` results; the others are replaced by
 * `instead` (NULL entries: they have no uses). */
static void keep_results(ir_op *op, rw_rewriter *rw, const bool *kept,
                         ir_value *const *instead)
{
    uint32_t n = op->n_results, k = 0;
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < n; i++)
        if (kept[i])
            types[k++] = op->results[i].type;
    ir_value *condition = ir_op_operand(op, 0);
    ir_op *made = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = &condition,
                                                  .n_operands = 1,
                                                  .results = types,
                                                  .n_results = k,
                                                  .n_regions = op->n_regions});
    made->attrs = op->attrs;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        if (!op->regions[r].first)
            continue;
        ir_op *yield = op->regions[r].first->last;
        for (uint32_t i = k = 0; i < n; i++)
            if (kept[i])
                values[k++] = ir_op_operand(yield, i);
        ir_op_splice_operands(yield, 0, n, values, k);
        rw_modified(rw, yield);
        ir_region_take(&made->regions[r], &op->regions[r]);
    }
    for (uint32_t i = k = 0; i < n; i++)
        values[i] = kept[i] ? &made->results[k++] : instead[i];
    for (uint32_t i = 0; i < n; i++)
        if (values[i])
            rw_replace_uses(rw, &op->results[i], values[i]);
    rw_erase(rw, op);
    free(values);
    free(types);
}

/* Removes unused results. */
static bool drop_unused(ir_op *op, rw_rewriter *rw)
{
    uint32_t used = 0;
    bool *kept = tw_xmalloc(op->n_results + 1);
    ir_value **none = tw_xcalloc(op->n_results + 1, sizeof *none);
    for (uint32_t i = 0; i < op->n_results; i++)
        used += kept[i] = op->results[i].uses != NULL;
    bool changes = used < op->n_results;
    if (changes)
        keep_results(op, rw, kept, none);
    free(kept);
    free(none);
    return changes;
}

/* Replaces the condition by a constant inside the branches. */
static bool propagate_condition(ir_op *op, rw_rewriter *rw)
{
    ir_value *condition = ir_op_operand(op, 0);
    if (!op->regions[0].first || rw_constant(condition))
        return false;
    bool changed = false;
    ir_value *known[2] = {NULL, NULL};
    for (ir_operand *use = condition->uses, *next; use; use = next) {
        next = use->next_use;
        for (uint16_t side = 0; side < 2; side++) {
            ir_op *at = use->owner;
            while (at && ir_op_parent(at) != op)
                at = ir_op_parent(at);
            if (!at || at->block->region != &op->regions[side])
                continue;
            if (!known[side])
                known[side] = bool_constant(rw, side == 0);
            rw_modified(rw, use->owner);
            ir_op_set_operand(use->owner, ir_operand_number(use), known[side]);
            changed = true;
        }
    }
    return changed;
}

/* Results whose yielded values are both defined outside become that value or an
 * arith.select. */
static bool replace_by_select(ir_op *op, rw_rewriter *rw)
{
    uint32_t n = op->n_results, moved = 0;
    ir_block *sides[] = {ir_op_body(op, 0), ir_op_body(op, 1)};
    if (n == 0 || !sides[0] || !sides[1])
        return false;
    bool *kept = tw_xmalloc(n + 1);
    ir_value **instead = tw_xcalloc(n + 1, sizeof *instead);
    for (uint32_t i = 0; i < n; i++) {
        ir_value *t = ir_op_operand(sides[0]->last, i),
                 *f = ir_op_operand(sides[1]->last, i);
        const ir_op *in[] = {ir_value_block(t)->region->owner,
                             ir_value_block(f)->region->owner};
        kept[i] =
            in[0] == op || in[1] == op || is_inside(in[0], op) || is_inside(in[1], op);
        moved += !kept[i];
    }
    for (uint32_t i = 0; moved && i < n; i++) {
        ir_value *t = ir_op_operand(sides[0]->last, i),
                 *f = ir_op_operand(sides[1]->last, i);
        if (kept[i])
            continue;
        instead[i] = t == f ? t
                            : ir_build1(&rw->b, ARITH_OP(select), t->type,
                                        IR_VALUES(ir_op_operand(op, 0), t, f), NULL, 0);
    }
    if (moved)
        keep_results(op, rw, kept, instead);
    free(kept);
    free(instead);
    return moved > 0;
}

/* A result that is true on one side and false on the other, or one value on both, is the
 * condition, its negation, or that value. */
static bool replace_by_condition(ir_op *op, rw_rewriter *rw)
{
    ir_block *sides[] = {ir_op_body(op, 0), ir_op_body(op, 1)};
    bool changed = false;
    if (!sides[0] || !sides[1])
        return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *t = ir_op_operand(sides[0]->last, i),
                 *f = ir_op_operand(sides[1]->last, i);
        bool a, b;
        if (!op->results[i].uses)
            continue;
        if (t == f && !ir_op_is_ancestor(op, ir_value_block(t)->region->owner)) {
            rw_replace_uses(rw, &op->results[i], t);
            changed = true;
        } else if (t->type->kind == IR_TYPE_INTEGER && t->type->width == 1 &&
                   is_bool_type(t, &a) && is_bool_type(f, &b) && a != b) {
            ir_value *c = ir_op_operand(op, 0);
            if (!a)
                c = ir_build1(&rw->b, ARITH_OP(xori), c->type,
                              IR_VALUES(c, bool_constant(rw, true)), NULL, 0);
            rw_replace_uses(rw, &op->results[i], c);
            changed = true;
        }
    }
    return changed;
}

static bool holds_only_terminator(const ir_block *b)
{
    return b->first == b->last;
}

static bool drop_empty_else(ir_op *op, rw_rewriter *rw)
{
    ir_block *other = ir_op_body(op, 1);
    if (!other || op->n_results || !holds_only_terminator(other))
        return false;
    rw_erase(rw, other->last);
    ir_block_erase(op->ctx, other);
    rw_modified(rw, op);
    return true;
}

/* Swaps the branches of a negated condition. */
static bool swap_negated(ir_op *op, rw_rewriter *rw)
{
    bool on;
    ir_op *not = ir_value_def(ir_op_operand(op, 0));
    ir_block *a = ir_op_body(op, 0), *b = ir_op_body(op, 1);
    if (!ir_op_is(not, ARITH_OP(xori)) || !a || !b ||
        !is_bool_type(ir_op_operand(not, 1), &on) || !on)
        return false;
    ir_op_set_operand(op, 0, ir_op_operand(not, 0));
    ir_block_remove(a);
    ir_block_remove(b);
    ir_region_append(&op->regions[0], b);
    ir_region_append(&op->regions[1], a);
    rw_modified(rw, op);
    rw_modified(rw, not );
    return true;
}

/* ---- pairs of scf.if ---------------------------------------------------------------- */

/* Appends the operations of `from` to `to`; both end in a yield. */
static void append_block(rw_rewriter *rw, ir_block *to, ir_block *from)
{
    ir_op *yield = to->last;
    ir_block_splice(to, NULL, from, from->first, from->last);
    rw_erase(rw, yield);
}

static ir_value *negated(const ir_value *v)
{
    bool on;
    const ir_op *not = ir_value_def(v);
    return ir_op_is(not, ARITH_OP(xori)) && is_bool_type(ir_op_operand(not, 1), &on) && on
               ? ir_op_operand(not, 0)
               : NULL;
}

/* Replaces uses of the first one's results in the second by its branch's yielded values. */
static void use_yielded(rw_rewriter *rw, ir_op *first, ir_op *second)
{
    for (uint32_t i = 0; i < first->n_results; i++)
        for (ir_operand *use = first->results[i].uses, *next; use; use = next) {
            next = use->next_use;
            for (uint16_t side = 0; side < 2; side++) {
                ir_op *at = use->owner;
                while (at && ir_op_parent(at) != second)
                    at = ir_op_parent(at);
                if (!at || at->block->region != &second->regions[side])
                    continue;
                ir_block *from = ir_op_body(first, side);
                if (!from)
                    continue;
                ir_op_set_operand(use->owner, ir_operand_number(use),
                                  ir_op_operand(from->last, i));
                rw_modified(rw, use->owner);
                break;
            }
        }
}

/* Merges two adjacent ones with equal or opposite conditions. */
static bool merge_pair(ir_op *op, rw_rewriter *rw)
{
    ir_op *first = op->prev;
    if (!ir_op_is(first, op->def))
        return false;
    ir_value *c = ir_op_operand(op, 0), *d = ir_op_operand(first, 0);
    bool opposite = negated(c) == d || negated(d) == c;
    if (c != d && !opposite)
        return false;
    ir_block *mine[] = {ir_op_body(op, opposite), ir_op_body(op, !opposite)};
    ir_block *theirs[] = {ir_op_body(first, 0), ir_op_body(first, 1)};
    if (opposite && first->n_results)
        return false; /* use_yielded requires matching branches */
    use_yielded(rw, first, op);
    uint32_t n = first->n_results + op->n_results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        types[i] = i < first->n_results ? first->results[i].type
                                        : op->results[i - first->n_results].type;
    ir_op *made = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = &d,
                                                  .n_operands = 1,
                                                  .results = types,
                                                  .n_results = n,
                                                  .n_regions = 2});
    for (uint16_t side = 0; side < 2; side++) {
        ir_block *a = theirs[side], *b = mine[side];
        if (!a && !b)
            continue;
        ir_block *to = a ? a : b;
        ir_op *from_first = a ? a->last : NULL, *from_op = b ? b->last : NULL;
        uint32_t k = 0;
        for (uint32_t i = 0; i < first->n_results; i++)
            values[k++] = ir_op_operand(from_first, i);
        for (uint32_t i = 0; i < op->n_results; i++)
            values[k++] = ir_op_operand(from_op, i);
        ir_block_remove(to);
        ir_region_append(&made->regions[side], to);
        if (a && b)
            append_block(rw, a, b);
        ir_op_splice_operands(to->last, 0, to->last->n_operands, values, k);
        rw_modified(rw, to->last);
    }
    for (uint32_t i = 0; i < n; i++)
        values[i] = &made->results[i];
    rw_replace(rw, op, values + first->n_results, op->n_results);
    rw_replace(rw, first, values, first->n_results);
    free(types);
    free(values);
    return true;
}

/* An if that is the only content of another's branch: merges both conditions. */
static bool merge_nested_if(ir_op *op, rw_rewriter *rw)
{
    ir_block *then = ir_op_body(op, 0), *other = ir_op_body(op, 1);
    if (!then || holds_only_terminator(then) || (other && !holds_only_terminator(other)))
        return false;
    ir_op *inner = then->first, *yield = then->last;
    if (inner->def != op->def || inner->next != yield)
        return false;
    ir_block *inner_then = ir_op_body(inner, 0), *inner_other = ir_op_body(inner, 1);
    if (inner_other && !holds_only_terminator(inner_other))
        return false;
    uint32_t n = op->n_results;
    for (uint32_t i = 0; i < n; i++) {
        ir_value *v = ir_op_operand(yield, i);
        ir_op *producer = ir_value_def(v);
        if (producer == inner &&
            ir_op_operand(inner_other->last, v->index) != ir_op_operand(other->last, i))
            return false;
    }
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    ir_value **out = tw_xmalloc((n + 1) * sizeof *out);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    uint32_t k = 0;
    ir_value *c = ir_op_operand(op, 0), *d = ir_op_operand(inner, 0);
    ir_value *both = ir_build1(&rw->b, ARITH_OP(andi), c->type, IR_VALUES(c, d), NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        ir_value *v = ir_op_operand(yield, i), *f = ir_op_operand(other->last, i);
        out[i] = NULL;
        if (ir_value_def(v) == inner) {
            values[k] = ir_op_operand(inner_then->last, v->index);
            types[k++] = op->results[i].type;
        } else { /* from outside */
            out[i] =
                ir_build1(&rw->b, ARITH_OP(select), v->type, IR_VALUES(c, v, f), NULL, 0);
        }
    }
    ir_op *made = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = &both,
                                                  .n_operands = 1,
                                                  .results = types,
                                                  .n_results = k,
                                                  .n_regions = 2});
    ir_block_remove(inner_then);
    ir_region_append(&made->regions[0], inner_then);
    ir_op_splice_operands(inner_then->last, 0, inner_then->last->n_operands, values, k);
    if (k && other) {
        uint32_t j = 0;
        for (uint32_t i = 0; i < n; i++)
            if (!out[i])
                values[j++] = ir_op_operand(other->last, i);
        ir_block_remove(other);
        ir_region_append(&made->regions[1], other);
        ir_op_splice_operands(other->last, 0, other->last->n_operands, values, k);
    }
    for (uint32_t i = k = 0; i < n; i++)
        out[i] = out[i] ? out[i] : &made->results[k++];
    rw_replace(rw, op, out, n);
    free(values);
    free(out);
    free(types);
    return true;
}

/* ---- scf.index_switch --------------------------------------------------------------- */

static bool choose_case(ir_op *op, rw_rewriter *rw)
{
    ir_attr value = rw_constant(ir_op_operand(op, 0)), cases = ir_op_attr(op, "cases");
    if (!ir_attr_is(value, IR_ATTR_INTEGER) || !ir_attr_is(cases, IR_ATTR_DENSE_ARRAY))
        return false;
    uint32_t chosen = 0; /* the default region is the first */
    for (uint32_t i = 0; i < cases->count && !chosen; i++)
        if (ir_dense_array_int(cases, i) == value->value)
            chosen = i + 1;
    ir_block *block = ir_op_body(op, chosen);
    if (!block)
        return false;
    rw_replace_by_block(rw, op, block);
    return true;
}

static const rw_pattern patterns[] = {
    {SCF_OP(if), swap_negated, "scf.SwapNegated"},
    {SCF_OP(if), merge_nested_if, "scf.CombineNestedIfs"},
    {SCF_OP(if), propagate_condition, "scf.ConditionPropagation"},
    {SCF_OP(if), replace_by_select, "scf.ConvertTrivialIfToSelect"},
    {SCF_OP(if), drop_empty_else, "scf.RemoveEmptyElseBranch"},
    {SCF_OP(if), choose_side, "scf.RemoveStaticCondition"},
    {SCF_OP(if), drop_unused, "scf.RemoveUnusedResults"},
    {SCF_OP(if), replace_by_condition, "scf.ReplaceIfYieldWithConditionOrValue"},
    {SCF_OP(if), merge_pair, "scf.CombineIfs"},
    {SCF_OP(index_switch), choose_case, "scf.FoldConstantCase"},
};

const rw_pattern_table canonicalize_scf_if = {patterns, TW_COUNT(patterns)};
