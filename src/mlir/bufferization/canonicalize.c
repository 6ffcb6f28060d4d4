/* canonicalize.c: canonical forms of deallocation: frees each memref once, and only where
 * needed. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/memref/memref.h"
#include "mlir/passes/canonical.h"

enum { MEMREFS, CONDITIONS, RETAINED, CAPACITY = 64 };

typedef struct lists {
    ir_value *memrefs[CAPACITY], *conditions[CAPACITY];
    size_t first, conditions_at, n;
} lists;

static bool read_lists(const ir_op *op, lists *l)
{
    size_t n;
    if (!ir_op_operand_group(op, MEMREFS, &l->first, &l->n) ||
        !ir_op_operand_group(op, CONDITIONS, &l->conditions_at, &n) || l->n != n ||
        n > CAPACITY)
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

/* Without memrefs to free, the retained ones need no ownership either. */
static bool drop_empty(ir_op *op, rw_rewriter *rw)
{
    lists l;
    ir_value *answers[CAPACITY], *no = NULL;
    if (!read_lists(op, &l) || l.n || op->n_results > CAPACITY)
        return false;
    if (op->n_results)
        no = ir_build1(&rw->b, ARITH_OP(constant), op->results[0].type, NULL, 0,
                       IR_ATTRS({"value", ir_bool_attr(op->ctx, false)}));
    for (uint32_t i = 0; i < op->n_results; i++)
        answers[i] = no;
    rw_replace(rw, op, answers, op->n_results);
    return true;
}

/* Merges duplicate retained memrefs. */
static bool merge_retained(ir_op *op, rw_rewriter *rw)
{
    ir_value *kept[CAPACITY], *answers[CAPACITY];
    size_t first, n, k = 0, at[CAPACITY];
    if (!ir_op_operand_group(op, RETAINED, &first, &n) || n > CAPACITY ||
        n != op->n_results)
        return false;
    for (size_t i = 0; i < n; i++) {
        at[i] = 0;
        while (at[i] < k && kept[at[i]] != ir_op_operand(op, first + i))
            at[i]++;
        if (at[i] == k)
            kept[k++] = ir_op_operand(op, first + i);
    }
    lists l;
    if (k == n || !read_lists(op, &l))
        return false;
    ir_value *operands[3 * CAPACITY];
    memcpy(operands, l.memrefs, l.n * sizeof *operands);
    memcpy(operands + l.n, l.conditions, l.n * sizeof *operands);
    memcpy(operands + 2 * l.n, kept, k * sizeof *operands);
    const int64_t groups[] = {(int64_t)l.n, (int64_t)l.n, (int64_t)k};
    ir_type types[CAPACITY];
    for (size_t i = 0; i < k; i++)
        types[i] = op->results[0].type;
    ir_op *made = ir_build_op(
        &rw->b, op->def, types, k, operands, 2 * l.n + k,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(op->ctx, groups, 3)}), 0);
    for (size_t i = 0; i < n; i++)
        answers[i] = &made->results[at[i]];
    rw_replace(rw, op, answers, n);
    return true;
}

static bool allocates(const ir_value *v)
{
    const ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, MEMREF_OP(alloc)) || ir_op_is(producer, MEMREF_OP(alloca));
}

/* Replaces a base buffer by the memref itself. */
static bool skip_metadata(ir_op *op, rw_rewriter *rw)
{
    lists l;
    bool changed = false;
    if (!read_lists(op, &l))
        return false;
    for (size_t i = 0; i < l.n; i++) {
        const ir_op *producer = ir_value_def(l.memrefs[i]);
        if (!ir_op_is(producer, MEMREF_OP(extract_strided_metadata)) ||
            !allocates(ir_op_operand(producer, 0)))
            continue;
        l.memrefs[i] = ir_op_operand(producer, 0);
        changed = true;
    }
    if (changed)
        write_lists(op, &l, l.n, rw);
    return changed;
}

/* Erases allocations that are only freed. */
static bool drop_pairs(ir_op *op, rw_rewriter *rw)
{
    lists l;
    ir_op *unused[CAPACITY];
    size_t kept = 0, n = 0;
    if (!read_lists(op, &l))
        return false;
    for (size_t i = 0; i < l.n; i++) {
        if (allocates(l.memrefs[i]) && ir_value_has_one_use(l.memrefs[i])) {
            unused[n++] = ir_value_def(l.memrefs[i]);
            continue;
        }
        l.memrefs[kept] = l.memrefs[i];
        l.conditions[kept++] = l.conditions[i];
    }
    if (!n)
        return false;
    write_lists(op, &l, kept, rw);
    for (size_t i = 0; i < n; i++)
        rw_erase(rw, unused[i]);
    return true;
}

static const rw_pattern patterns[] = {
    {BUFFERIZATION_OP(dealloc), merge_equal,
     "bufferization.DeallocRemoveDuplicateDeallocMemrefs"},
    {BUFFERIZATION_OP(dealloc), merge_retained,
     "bufferization.DeallocRemoveDuplicateRetainedMemrefs"},
    {BUFFERIZATION_OP(dealloc), drop_empty, "bufferization.EraseEmptyDealloc"},
    {BUFFERIZATION_OP(dealloc), drop_never_freed, "bufferization.EraseAlwaysFalseDealloc"},
    {BUFFERIZATION_OP(dealloc), skip_metadata, "bufferization.SkipExtractMetadataOfAlloc"},
    {BUFFERIZATION_OP(dealloc), drop_pairs,
     "bufferization.RemoveAllocDeallocPairWhenNoOtherUsers"},
};

const rw_pattern_table canonicalize_bufferization = {patterns, TW_COUNT(patterns)};
