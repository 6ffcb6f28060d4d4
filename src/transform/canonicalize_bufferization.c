/* canonicalize_bufferization.c: canonical forms of freeing memory: each memory once, and
 * only where it may be. */
#include "dialect/arith/arith.h"
#include "dialect/bufferization/bufferization.h"
#include "transform/canonical.h"

enum { MEMREFS, CONDITIONS, MOST = 64 };

typedef struct lists {
    ir_value *memrefs[MOST], *conditions[MOST];
    size_t first, conditions_at, n;
} lists;

static bool read_lists(const ir_op *op, lists *l)
{
    size_t n;
    if (!ir_op_operand_group(op, MEMREFS, &l->first, &l->n) ||
        !ir_op_operand_group(op, CONDITIONS, &l->conditions_at, &n) || l->n != n ||
        n > MOST)
        return false;
    for (size_t i = 0; i < n; i++) {
        l->memrefs[i] = ir_op_operand(op, l->first + i);
        l->conditions[i] = ir_op_operand(op, l->conditions_at + i);
    }
    return true;
}

static void write_lists(ir_op *op, const lists *l, size_t n, rw_rewriter *rw)
{
    ir_op_set_operand_group(op, CONDITIONS, l->conditions, n);
    ir_op_set_operand_group(op, MEMREFS, l->memrefs, n);
    rw_modified(rw, op);
}

/* dealloc (%a, %a) if (%c, %d) frees %a if one of both holds. */
static bool merge_equal(ir_op *op, rw_rewriter *rw)
{
    lists l;
    size_t kept = 0;
    if (!read_lists(op, &l))
        return false;
    for (size_t i = 0; i < l.n; i++) {
        size_t k = 0;
        while (k < kept && l.memrefs[k] != l.memrefs[i])
            k++;
        if (k == kept) {
            l.memrefs[kept] = l.memrefs[i];
            l.conditions[kept++] = l.conditions[i];
        } else if (l.conditions[k] != l.conditions[i]) {
            l.conditions[k] =
                ir_build1(&rw->b, ARITH_OP(ori), l.conditions[k]->type,
                          IR_VALUES(l.conditions[k], l.conditions[i]), NULL, 0);
        }
    }
    if (kept == l.n)
        return false;
    write_lists(op, &l, kept, rw);
    return true;
}

static bool drop_never_freed(ir_op *op, rw_rewriter *rw)
{
    lists l;
    size_t kept = 0;
    if (!read_lists(op, &l))
        return false;
    for (size_t i = 0; i < l.n; i++) {
        ir_attr known = rw_constant(l.conditions[i]);
        if (ir_attr_is(known, IR_ATTR_INTEGER) && !known->value)
            continue;
        l.memrefs[kept] = l.memrefs[i];
        l.conditions[kept++] = l.conditions[i];
    }
    if (kept == l.n)
        return false;
    write_lists(op, &l, kept, rw);
    return true;
}

/* Where nothing is freed nothing that is retained is anybody's to free. */
static bool drop_empty(ir_op *op, rw_rewriter *rw)
{
    lists l;
    ir_value *answers[MOST], *no = NULL;
    if (!read_lists(op, &l) || l.n || op->n_results > MOST)
        return false;
    if (op->n_results)
        no = ir_build1(&rw->b, ARITH_OP(constant), op->results[0].type, NULL, 0,
                       IR_ATTRS({"value", ir_bool_attr(op->ctx, false)}));
    for (uint32_t i = 0; i < op->n_results; i++)
        answers[i] = no;
    rw_replace(rw, op, answers, op->n_results);
    return true;
}

static const rw_pattern patterns[] = {
    {BUFFERIZATION_OP(dealloc), merge_equal,
     "bufferization.DeallocRemoveDuplicateDeallocMemrefs"},
    {BUFFERIZATION_OP(dealloc), drop_empty, "bufferization.EraseEmptyDealloc"},
    {BUFFERIZATION_OP(dealloc), drop_never_freed, "bufferization.EraseAlwaysFalseDealloc"},
};

const rw_pattern_table canonicalize_bufferization = {patterns, TW_COUNT(patterns)};
