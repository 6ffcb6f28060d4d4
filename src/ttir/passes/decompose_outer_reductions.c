/* decompose_outer_reductions.c: ttir-decompose-outer-reductions: a reduction of dimensions
 * in front of the last two becomes element-wise operations on its first and its second
 * part.
 *
 * ttir-to-d2m has a form for such reductions, which is tt-mlir's; it is wrong as soon as
 * the reduced dimension is divided into blocks (tt-mlir's issue 8290). */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

static const ir_op_def *combiner(const ir_op *op)
{
    return op->def == TTIR_OP(max)   ? TTIR_OP(maximum)
           : op->def == TTIR_OP(min) ? TTIR_OP(minimum)
                                     : TTIR_OP(add);
}

/* One element along the dimension: its first and second part are combined until one is
 * left; an odd last one is combined at the end. */
static ir_value *combine(ir_builder *b, const ir_op_def *with, ir_value *v, int64_t dim)
{
    ir_value *rests[64];
    size_t n_rests = 0;
    for (int64_t n = v->type->dims[dim]; n > 1; n /= 2) {
        int64_t half = n / 2;
        if (n % 2)
            rests[n_rests++] = ttir_build_slice_dim(b, v, dim, n - 1, n);
        ir_value *first = ttir_build_slice_dim(b, v, dim, 0, half);
        v = ttir_build_binary(b, with, first,
                              ttir_build_slice_dim(b, v, dim, half, 2 * half));
    }
    while (n_rests > 0)
        v = ttir_build_binary(b, with, v, rests[--n_rests]);
    return v;
}

/* The value with the layout that the reduction's result has. */
static ir_value *laid_out_as(ir_builder *b, ir_value *v, ir_type type)
{
    if (v->type == type || !type->encoding)
        return v;
    ir_value *operands[] = {v, ir_build1(b, TTIR_OP(empty), type, NULL, 0, NULL, 0)};
    return ir_build1(b, TTIR_OP(to_layout), type, operands, 2, NULL, 0);
}

/* A vector is reduced as a matrix of one row: tiles have two dimensions. */
static bool reduce_vector(ir_op *op, rw_rewriter *rw)
{
    const int64_t one = 1, row[] = {1, ir_op_operand(op, 0)->type->dims[0]}, along = 1;
    ir_type out = op->results[0].type;
    ir_value *v = ttir_build_reshape(&rw->b, ir_op_operand(op, 0), row, 2);
    v = ttir_build_reshape(&rw->b, ttir_build_reduce(&rw->b, op->def, v, &along, 1), &one,
                           1);
    rw_replace1(rw, op, laid_out_as(&rw->b, v, out));
    return true;
}

static bool decompose(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS], inner[2];
    ir_value *v = ir_op_operand(op, 0);
    ir_type out = op->results[0].type;
    int64_t rank = v->type->count, count = 1;
    bool mean = op->def == TTIR_OP(mean), outer = false;
    size_t n_inner = 0;
    if (rank == 1 && out->count == 1 && out->element == v->type->element &&
        v->type->dims[0] > 0)
        return reduce_vector(op, rw);
    if (rank < 3 || rank > TTIR_MAX_DIMS || !ir_op_bool(op, "keep_dim") ||
        out->count != rank || v->type->element != out->element ||
        (mean && v->type->element->kind != IR_TYPE_FLOAT))
        return false;
    size_t n = ttir_reduced_dims(op, dims);
    for (size_t i = 0; i < n; i++) {
        if (dims[i] < 0 || dims[i] >= rank || v->type->dims[dims[i]] < 1)
            return false;
        outer |= dims[i] < rank - 2;
        count *= v->type->dims[dims[i]];
    }
    if (!outer || !ttir_are_dims(dims, n, rank))
        return false;
    for (size_t i = 0; i < n; i++)
        if (dims[i] < rank - 2)
            v = combine(&rw->b, combiner(op), v, dims[i]);
        else
            inner[n_inner++] = dims[i];
    if (n_inner)
        v = ttir_build_reduce(&rw->b, mean ? TTIR_OP(sum) : op->def, v, inner, n_inner);
    if (mean)
        v = ttir_build_binary(&rw->b, TTIR_OP(multiply), v,
                              ttir_build_full(&rw->b, v->type, 1.0 / (double)count));
    rw_replace1(rw, op, laid_out_as(&rw->b, v, out));
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {TTIR_OP(max), decompose, NULL},
        {TTIR_OP(mean), decompose, NULL},
        {TTIR_OP(min), decompose, NULL},
        {TTIR_OP(sum), decompose, NULL},
    };
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    return true;
}

const pass_def ttir_decompose_outer_reductions_pass = {
    .name = "ttir-decompose-outer-reductions",
    .summary = "Reduce dimensions in front of the last two by element-wise operations",
    .anchor = "builtin.module",
    .run = run,
};
