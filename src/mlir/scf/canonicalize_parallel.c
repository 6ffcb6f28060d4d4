/* canonicalize_parallel.c: canonical forms of scf.parallel and scf.forall, which drop
 * dimensions of zero or one iteration, and of scf.execute_region. */
#include "mlir/cf/cf.h"
#include "mlir/passes/canonical.h"
#include "mlir/scf/scf.h"
#include "mlir/shared/mixed_list.h"

#include <stdlib.h>

enum { MAX_DIMS = 64 };

/* A bound: a known integer, or a value. */
typedef struct bound {
    bool known;
    int64_t number;
    ir_value *value; /* NULL: static */
} bound;

static bound bound_of(ir_value *v)
{
    ir_attr a = rw_constant(v);
    bool known = ir_attr_is(a, IR_ATTR_INTEGER);
    return (bound){known, known ? a->value : 0, v};
}

/* The trip count of a dimension, -1 if it is not known. */
static int64_t trips(const bound *from, const bound *to, const bound *step)
{
    int64_t span;
    if (from->value && from->value == to->value)
        return 0;
    if (!from->known || !to->known || !step->known || step->number <= 0 ||
        __builtin_sub_overflow(to->number, from->number, &span))
        return -1;
    return span <= 0 ? 0 : span / step->number + (span % step->number != 0);
}

/* ---- scf.parallel ------------------------------------------------------------------- */

/* All dimensions run once: inlines the body, with reductions of the initial values. */
static void inline_parallel(ir_op *op, rw_rewriter *rw, ir_value *const *inits)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *reduce = body->last;
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    if (reduce->prev)
        ir_block_splice(op->block, op, body, body->first, reduce->prev);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_block *step = ir_op_body(reduce, i);
        ir_op *last = step->last;
        rw_replace_uses(rw, step->args[0], inits[i]);
        rw_replace_uses(rw, step->args[1], ir_op_operand(reduce, i));
        values[i] = ir_op_operand(last, 0);
        if (last->prev)
            ir_block_splice(op->block, op, step, step->first, last->prev);
    }
    rw_replace(rw, op, values, op->n_results);
    free(values);
}

static bool drop_single_dims(ir_op *op, rw_rewriter *rw)
{
    size_t first, n, from_inits, n_inits;
    if (!ir_op_operand_group(op, 0, &first, &n) || n > MAX_DIMS ||
        !ir_op_operand_group(op, 3, &from_inits, &n_inits) || !ir_op_body(op, 0))
        return false;
    ir_block *body = ir_op_body(op, 0);
    ir_value *kept[3][MAX_DIMS], *inits[MAX_DIMS];
    bool single[MAX_DIMS];
    size_t k = 0;
    if (n_inits > MAX_DIMS)
        return false;
    for (size_t i = 0; i < n_inits; i++)
        inits[i] = ir_op_operand(op, from_inits + i);
    for (size_t d = 0; d < n; d++) {
        ir_value *v[] = {ir_op_operand(op, d), ir_op_operand(op, n + d),
                         ir_op_operand(op, 2 * n + d)};
        bound b[] = {bound_of(v[0]), bound_of(v[1]), bound_of(v[2])};
        int64_t times = trips(&b[0], &b[1], &b[2]);
        if (times == 0) {
            rw_replace(rw, op, inits, op->n_results);
            return true;
        }
        single[d] = times == 1;
        for (int i = 0; !single[d] && i < 3; i++)
            kept[i][k] = v[i];
        k += !single[d];
    }
    if (k == n)
        return false;
    for (size_t d = 0; d < n; d++)
        if (single[d])
            rw_replace_uses(rw, body->args[d], ir_op_operand(op, d));
    if (k == 0) {
        inline_parallel(op, rw, inits);
        return true;
    }
    for (size_t d = n; d-- > 0;)
        if (single[d])
            ir_block_erase_arg(body, d);
    for (size_t group = 0; group < 3; group++)
        ir_op_set_operand_group(op, group, kept[group], k);
    rw_modified(rw, op);
    return true;
}

/* Merges perfectly nested loops if the inner bounds do not depend on the outer loop. */
static bool merge_nested(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *inner = body ? body->first : NULL;
    size_t n, m, first;
    if (!ir_op_is(inner, op->def) || inner->next != body->last || op->n_results ||
        inner->n_results || !ir_op_operand_group(op, 0, &first, &n) ||
        !ir_op_operand_group(inner, 0, &first, &m) || n + m > MAX_DIMS)
        return false;
    for (uint32_t i = 0; i < inner->n_operands; i++) {
        const ir_value *v = ir_op_operand(inner, i);
        if (ir_value_block(v) == body)
            return false;
    }
    ir_value *bounds[MAX_DIMS];
    ir_block *inner_body = ir_op_body(inner, 0);
    for (size_t group = 0; group < 3; group++) {
        if (!ir_op_operand_group(op, group, &first, &n))
            return false;
        for (size_t d = 0; d < n; d++)
            bounds[d] = ir_op_operand(op, first + d);
        for (size_t d = 0; d < m; d++)
            bounds[n + d] = ir_op_operand(inner, group * m + d);
        ir_op_set_operand_group(op, group, bounds, n + m);
    }
    for (size_t d = 0; d < m; d++) {
        ir_value *arg = ir_block_add_arg(op->ctx, body, inner_body->args[d]->type,
                                         inner_body->args[d]->loc);
        rw_replace_uses(rw, inner_body->args[d], arg);
    }
    if (inner_body->last->prev)
        ir_block_splice(body, inner, inner_body, inner_body->first, inner_body->last->prev);
    rw_erase(rw, inner);
    rw_modified(rw, op);
    return true;
}

/* ---- scf.forall --------------------------------------------------------------------- */

static const char *const static_names[] = {"staticLowerBound", "staticUpperBound",
                                           "staticStep"};

/* The bounds of a group, static and dynamic ones; returns their count, -1 if too many. */
static int64_t forall_bounds(const ir_op *op, size_t group, bound *out)
{
    int64_t statics[MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, static_names[group]), statics, MAX_DIMS);
    size_t first, count, next = 0;
    if (n < 0 || n > MAX_DIMS || !ir_op_operand_group(op, group, &first, &count))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        if (statics[i] != IR_DYNAMIC)
            out[i] = (bound){true, statics[i], NULL};
        else if (next < count)
            out[i] = bound_of(ir_op_operand(op, first + next++));
        else
            return -1;
    }
    return n;
}

static void set_forall_bounds(ir_op *op, size_t group, const bound *bounds, size_t n)
{
    int64_t statics[MAX_DIMS];
    ir_value *values[MAX_DIMS];
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        statics[i] = bounds[i].known ? bounds[i].number : IR_DYNAMIC;
        if (!bounds[i].known)
            values[k++] = bounds[i].value;
    }
    ir_op_set_attr(op, static_names[group], ir_dense_i64_array(op->ctx, statics, n));
    ir_op_set_operand_group(op, group, values, k);
}

/* Constant bounds become static. */
static bool write_known_bounds(ir_op *op, rw_rewriter *rw)
{
    bool changed = false;
    for (size_t group = 0; group < 3; group++) {
        bound b[MAX_DIMS];
        int64_t n = forall_bounds(op, group, b);
        bool known = false;
        for (int64_t i = 0; i < n; i++)
            known |= b[i].known && b[i].value;
        if (known)
            set_forall_bounds(op, group, b, (size_t)n);
        changed |= known;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

static bool drop_single_iterations(ir_op *op, rw_rewriter *rw)
{
    bound b[3][MAX_DIMS];
    bool single[MAX_DIMS];
    ir_block *body = ir_op_body(op, 0);
    int64_t n = forall_bounds(op, 0, b[0]), left = 0;
    size_t first, count;
    if (n < 0 || forall_bounds(op, 1, b[1]) != n || forall_bounds(op, 2, b[2]) != n ||
        !body || ir_op_attr(op, "mapping") || !ir_op_operand_group(op, 3, &first, &count))
        return false;
    for (int64_t d = 0; d < n; d++) {
        int64_t times = trips(&b[0][d], &b[1][d], &b[2][d]);
        if (times == 0) {
            ir_value **outs = tw_xmalloc((count + 1) * sizeof *outs);
            for (size_t i = 0; i < count; i++)
                outs[i] = ir_op_operand(op, first + i);
            rw_replace(rw, op, outs, op->n_results);
            free(outs);
            return true;
        }
        single[d] = times == 1;
        left += !single[d];
    }
    /* a body that writes its outputs at the end keeps one dimension */
    if (left == n || (left == 0 && op->n_results))
        return false;
    for (int64_t d = n; d-- > 0;)
        if (single[d]) {
            ir_value *at = b[0][d].value ? b[0][d].value : mixed_index(rw, b[0][d].number);
            rw_replace_uses(rw, body->args[d], at);
            if (left)
                ir_block_erase_arg(body, (size_t)d);
        }
    if (left == 0) {
        if (body->last->prev)
            ir_block_splice(op->block, op, body, body->first, body->last->prev);
        rw_erase(rw, op);
        return true;
    }
    for (size_t group = 0; group < 3; group++) {
        size_t k = 0;
        for (int64_t d = 0; d < n; d++)
            if (!single[d])
                b[group][k++] = b[group][d];
        set_forall_bounds(op, group, b[group], k);
    }
    rw_modified(rw, op);
    return true;
}

/* ---- scf.execute_region ------------------------------------------------------------- */

static bool inline_single_block(ir_op *op, rw_rewriter *rw)
{
    ir_block *block = ir_op_body(op, 0);
    if (!block || block->next || ir_op_attr(op, "no_inline") ||
        !ir_op_is(block->last, SCF_OP(yield)))
        return false;
    rw_replace_by_block(rw, op, block);
    return true;
}

static void branch(ir_builder *b, ir_block *to, ir_value *const *values, size_t n)
{
    ir_build(b, &(ir_op_state){.def = CF_OP(br),
                               .loc = b->loc,
                               .operands = values,
                               .n_operands = n,
                               .successors = &to,
                               .n_successors = 1});
}

/* In a function its blocks are moved into the function's region. */
static bool inline_blocks(ir_op *op, rw_rewriter *rw)
{
    ir_op *parent = ir_op_parent(op);
    ir_block *first = ir_op_body(op, 0), *before = op->block;
    if (!first || !first->next || ir_op_attr(op, "no_inline") || !parent ||
        (!ir_def_has(parent->def, "FunctionOpInterface") && parent->def != op->def))
        return false;
    ir_block *after = ir_block_create(op->ctx);
    if (before->next)
        ir_block_insert_before(after, before->next);
    else
        ir_region_append(before->region, after);
    ir_block_splice(after, NULL, before, op, before->last);
    ir_value **values = tw_xmalloc((op->n_results + 1) * sizeof *values);
    ir_builder b = rw->b;
    b.block = before;
    b.before = NULL;
    branch(&b, first, NULL, 0);
    for (ir_block *block; (block = op->regions[0].first);) {
        ir_op *yield = block->last;
        if (ir_op_is(yield, SCF_OP(yield))) {
            for (uint32_t i = 0; i < op->n_results; i++)
                values[i] = ir_op_operand(yield, i);
            b.block = block;
            b.before = yield;
            b.loc = yield->loc;
            branch(&b, after, values, op->n_results);
            rw_erase(rw, yield);
        }
        ir_block_remove(block);
        ir_block_insert_before(block, after);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = ir_block_add_arg(op->ctx, after, op->results[i].type, op->loc);
    rw_replace(rw, op, values, op->n_results);
    free(values);
    return true;
}

static const rw_pattern patterns[] = {
    {SCF_OP(parallel), drop_single_dims, "scf.ParallelOpSingleOrZeroIterationDimsFolder"},
    {SCF_OP(parallel), merge_nested, "scf.MergeNestedParallelLoops"},
    {SCF_OP(forall), write_known_bounds, "scf.ForallOpControlOperandsFolder"},
    {SCF_OP(forall), drop_single_iterations, "scf.ForallOpSingleOrZeroIterationDimsFolder"},
    {SCF_OP(execute_region), inline_single_block, "scf.SingleBlockExecuteInliner"},
    {SCF_OP(execute_region), inline_blocks, "scf.MultiBlockExecuteInliner"},
};

const rw_pattern_table canonicalize_scf_parallel = {patterns, TW_COUNT(patterns)};
