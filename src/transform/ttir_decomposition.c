/* ttir_decomposition.c: ttir-to-ttir-decomposition: operations that TTNN lacks.
 *
 * dot_general becomes matmul: operands are brought to batch, free, contracted (left) and
 * batch, contracted, free (right) order and flattened to one dimension each; the result
 * takes the declared shape again.  reduce_and and reduce_or become min and max, reverse an
 * embedding. */
#include "dialect/ttir/ttir.h"
#include "rewrite/rewrite.h"
#include "transform/transform.h"

#include <stdlib.h>

enum { MOST = 32 };

static int64_t product(const ir_type t, const int64_t *dims, size_t count)
{
    int64_t n = 1;
    for (size_t i = 0; i < count; i++)
        n *= t->dims[dims[i]];
    return n;
}

static bool contains(const int64_t *dims, int64_t count, int64_t d)
{
    for (int64_t i = 0; i < count; i++)
        if (dims[i] == d)
            return true;
    return false;
}

static ir_value *reshape(rw_rewriter *rw, ir_value *v, const int64_t *dims, size_t rank)
{
    ir_type type = ir_type_with_shape(v->type, dims, rank);
    if (type == v->type)
        return v;
    return ir_build1(&rw->b, TTIR_OP(reshape), type, IR_VALUES(v),
                     IR_ATTRS({"shape", ir_i32_array_attr(rw->b.ctx, dims, rank)}));
}

static ir_value *permute(rw_rewriter *rw, ir_value *v, const int64_t *order, size_t rank)
{
    int64_t dims[MOST];
    bool identity = true;
    for (size_t i = 0; i < rank; i++) {
        dims[i] = v->type->dims[order[i]];
        identity &= order[i] == (int64_t)i;
    }
    if (identity)
        return v;
    return ir_build1(&rw->b, TTIR_OP(permute), ir_type_with_shape(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"permutation", ir_dense_i64_array(rw->b.ctx, order, rank)}));
}

/* One side as [batch..., rows, columns]: rows and columns flattened. */
static ir_value *arrange(rw_rewriter *rw, ir_value *v, const int64_t *batch,
                         int64_t n_batch, const int64_t *contract, int64_t n_contract,
                         bool contract_last)
{
    int64_t order[MOST], free_dims[MOST], dims[MOST], n_free = 0, at = 0;
    ir_type t = v->type;
    for (int64_t d = 0; d < t->count; d++)
        if (!contains(batch, n_batch, d) && !contains(contract, n_contract, d))
            free_dims[n_free++] = d;
    for (int64_t i = 0; i < n_batch; i++)
        order[at++] = batch[i];
    for (int64_t i = 0; contract_last && i < n_free; i++)
        order[at++] = free_dims[i];
    for (int64_t i = 0; i < n_contract; i++)
        order[at++] = contract[i];
    for (int64_t i = 0; !contract_last && i < n_free; i++)
        order[at++] = free_dims[i];
    for (int64_t i = 0; i < n_batch; i++)
        dims[i] = t->dims[batch[i]];
    int64_t rows = product(t, free_dims, (size_t)n_free);
    int64_t inner = product(t, contract, (size_t)n_contract);
    dims[n_batch] = contract_last ? rows : inner;
    dims[n_batch + 1] = contract_last ? inner : rows;
    return reshape(rw, permute(rw, v, order, t->count), dims, (size_t)n_batch + 2);
}

static bool dot_general(ir_op *op, rw_rewriter *rw)
{
    int64_t lb[MOST], rb[MOST], lc[MOST], rc[MOST], dims[MOST];
    int64_t n_batch = ir_attr_ints(ir_op_attr(op, "batch_dims_lhs"), lb, MOST);
    int64_t n_contract = ir_attr_ints(ir_op_attr(op, "contract_dims_lhs"), lc, MOST);
    if (n_batch < 0 || n_contract < 0 ||
        ir_attr_ints(ir_op_attr(op, "batch_dims_rhs"), rb, MOST) != n_batch ||
        ir_attr_ints(ir_op_attr(op, "contract_dims_rhs"), rc, MOST) != n_contract)
        return false;
    ir_value *a = arrange(rw, op->operands[0].value, lb, n_batch, lc, n_contract, true);
    ir_value *b = arrange(rw, op->operands[1].value, rb, n_batch, rc, n_contract, false);
    for (int64_t i = 0; i < n_batch; i++)
        dims[i] = a->type->dims[i];
    dims[n_batch] = a->type->dims[n_batch];
    dims[n_batch + 1] = b->type->dims[n_batch + 1];
    ir_type type = ir_type_with_shape(op->results[0].type, dims, (size_t)n_batch + 2);
    ir_value *v = ir_build1(&rw->b, TTIR_OP(matmul), type, IR_VALUES(a, b), NULL, 0);
    rw_replace1(rw, op,
                reshape(rw, v, op->results[0].type->dims, op->results[0].type->count));
    return true;
}

static bool reduce_logical(ir_op *op, rw_rewriter *rw)
{
    const ir_op_def *to = op->def == TTIR_OP(reduce_and) ? TTIR_OP(min) : TTIR_OP(max);
    rw_replace1(rw, op,
                ir_build1(&rw->b, to, op->results[0].type, IR_VALUES(op->operands[0].value),
                          IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                                   {"dim_arg", ir_op_attr(op, "dim_arg")})));
    return true;
}

/* The reversed dimensions, brought to the front and joined, are rows taken from the last to
 * the first. */
static bool reverse(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[MOST], order[MOST], back[MOST], front[MOST];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dimensions"), dims, MOST), at = 0;
    ir_value *x = op->operands[0].value;
    ir_type t = x->type;
    if (n < 1 || t->count > MOST)
        return false;
    for (int64_t d = 0; d < t->count; d++)
        if (contains(dims, n, d))
            order[at++] = d;
    for (int64_t d = 0; d < t->count; d++)
        if (!contains(dims, n, d))
            order[at++] = d;
    for (int64_t d = 0; d < t->count; d++) {
        back[order[d]] = d;
        front[d] = t->dims[order[d]];
    }
    int64_t rows = product(t, order, (size_t)n);
    int64_t table[] = {rows, rows ? ir_type_num_elements(t) / rows : 0};
    if (rows == 0 || table[1] == 0)
        return false;
    x = reshape(rw, permute(rw, x, order, t->count), table, 2);
    ir_type index = ir_tensor_type(ir_integer_type(op->ctx, 32, IR_SIGNED), table, 1, NULL);
    int64_t *from = tw_xmalloc((size_t)rows * sizeof *from);
    for (int64_t i = 0; i < rows; i++)
        from[i] = rows - 1 - i;
    ir_value *ids = ir_build1(&rw->b, TTIR_OP(constant), index, NULL, 0,
                              IR_ATTRS({"value", ir_dense_i64(index, from, (size_t)rows)}));
    free(from);
    x = ir_build1(&rw->b, TTIR_OP(embedding), x->type, IR_VALUES(ids, x), NULL, 0);
    x = reshape(rw, x, front, t->count);
    rw_replace1(rw, op, permute(rw, x, back, t->count));
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {TTIR_OP(dot_general), dot_general},
        {TTIR_OP(reduce_and), reduce_logical},
        {TTIR_OP(reduce_or), reduce_logical},
        {TTIR_OP(reverse), reverse},
    };
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    return true;
}

const pass_def ttir_decomposition_pass = {
    .name = "ttir-to-ttir-decomposition",
    .summary = "Decompose TTIR operations into simpler ones",
    .anchor = "builtin.module",
    .run = run,
};
