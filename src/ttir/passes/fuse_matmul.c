/* fuse_matmul.c: what matrix products take over from their neighbours. */
#include "ttir/passes/fuse.h"

enum { CAPACITY = 2 * TTIR_MAX_DIMS };

static bool is_product(const ir_op *op)
{
    return ir_op_is(op, TTIR_OP(matmul)) || ir_op_is(op, TTIR_OP(linear));
}

/* ---- bias --------------------------------------------------------------------------- */

/* The shape that two shapes broadcast to; false if they do not. */
static bool broadcast_shape(ir_type a, ir_type b, int64_t *dims, uint32_t *out_rank)
{
    uint32_t rank = TW_MAX(a->count, b->count);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t x = i + a->count < rank ? 1 : a->dims[i + a->count - rank];
        int64_t y = i + b->count < rank ? 1 : b->dims[i + b->count - rank];
        if (x != y && x != 1 && y != 1)
            return false;
        dims[i] = x == 1 ? y : x;
    }
    *out_rank = rank;
    return true;
}

static bool same_broadcast(ir_type product, ir_type a, ir_type b)
{
    int64_t x[CAPACITY], y[CAPACITY];
    uint32_t n, m;
    return broadcast_shape(product, a, x, &n) && broadcast_shape(product, b, y, &m) &&
           n == m && !memcmp(x, y, n * sizeof *x);
}

/* Whether the shapes differ by ones in front only. */
static bool only_leading_ones(ir_type a, ir_type b)
{
    while (a->count != b->count) {
        ir_type longer = a->count > b->count ? a : b;
        uint32_t extra = longer->count - TW_MIN(a->count, b->count);
        for (uint32_t i = 0; i < extra; i++)
            if (longer->dims[i] != 1)
                return false;
        ir_type shorter = a->count > b->count ? b : a;
        return shorter->count == 0 || !memcmp(longer->dims + extra, shorter->dims,
                                              shorter->count * sizeof *shorter->dims);
    }
    return ttir_same_shape(a, b);
}

/* The bias without what the addition would do to it anyway. */
static ir_value *peel_bias(ir_value *bias, ir_type product)
{
    for (;;) {
        ir_op *def = ttir_source(bias);
        if (!ir_op_is(def, TTIR_OP(broadcast)) && !ir_op_is(def, TTIR_OP(reshape)))
            return bias;
        ir_value *x = def->operands[0].value;
        bool same = def->def == TTIR_OP(reshape)
                        ? only_leading_ones(x->type, bias->type)
                        : same_broadcast(product, x->type, bias->type);
        if (!same || !ir_value_has_one_use(bias))
            return bias;
        bias = x;
    }
}

/* Whether the dimensions that the bias spans are the same in both types. */
static bool keeps_spanned(ir_type bias, ir_type a, ir_type b)
{
    uint32_t span = bias->count;
    while (span && bias->dims[bias->count - span] == 1)
        span--;
    return span <= a->count && span <= b->count &&
           (span == 0 || !memcmp(a->dims + a->count - span, b->dims + b->count - span,
                                 span * sizeof *a->dims));
}

/* A row: all dimensions but the last are 1, the last is the product's. */
static bool is_row(ir_type bias, ir_type product)
{
    for (uint32_t i = 0; i + 1 < bias->count; i++)
        if (bias->dims[i] != 1)
            return false;
    return bias->count && product->count &&
           bias->dims[bias->count - 1] == product->dims[product->count - 1];
}

/* product + bias is one operation; a reshape of the product comes after it then. */
bool ttir_fuse_bias(ir_op *op, rw_rewriter *rw)
{
    ir_type to = op->results[0].type;
    for (uint32_t i = 0; i < 2; i++) {
        ir_value *sum = op->operands[i].value, *bias = op->operands[1 - i].value;
        ir_op *reshape = ttir_only_producer(sum, TTIR_OP(reshape));
        ir_op *mm =
            ttir_only_producer(reshape ? reshape->operands[0].value : sum, TTIR_OP(matmul));
        int64_t dims[CAPACITY];
        uint32_t rank;
        if (!mm)
            continue;
        ir_type product = mm->results[0].type;
        bias = peel_bias(bias, reshape ? sum->type : product);
        if (reshape && !keeps_spanned(bias->type, product, sum->type))
            continue;
        if (product->count > TTIR_MAX_DIMS || bias->type->count > TTIR_MAX_DIMS ||
            product->element != ir_type_element(to) ||
            (ttir_fuse_exact(rw) && !is_row(bias->type, product)) ||
            !broadcast_shape(product, bias->type, dims, &rank))
            continue;
        ir_type type = ir_type_with_shape(product, dims, rank);
        if (ir_type_num_elements(type) != ir_type_num_elements(to))
            continue;
        if (bias->type->count == 0)
            bias = ttir_build_reshape(&rw->b, bias, &(const int64_t){1}, 1);
        ir_op *linear = ir_build_op(
            &rw->b, TTIR_OP(linear), &type, 1,
            (ir_value *[]){mm->operands[0].value, mm->operands[1].value, bias}, 3,
            IR_ATTRS({"transpose_a", ir_op_attr(mm, "transpose_a")},
                     {"transpose_b", ir_op_attr(mm, "transpose_b")},
                     {"ttcore.weight_dtype", ir_op_attr(mm, "ttcore.weight_dtype")}),
            0);
        rw_replace1(
            rw, op,
            ttir_build_reshape(&rw->b, ir_op_result(linear, 0), to->dims, to->count));
        return true;
    }
    return false;
}

/* ---- transposed operands ------------------------------------------------------------ */

static bool swaps_last_two(ir_op *op)
{
    int64_t order[TTIR_MAX_DIMS];
    int64_t rank = (int64_t)ttir_numbers(op, "permutation", order);
    if (rank < 2)
        return false;
    for (int64_t i = 0; i < rank - 2; i++)
        if (order[i] != i)
            return false;
    return order[rank - 2] == rank - 1 && order[rank - 1] == rank - 2;
}

bool ttir_absorb_permute(ir_op *op, rw_rewriter *rw)
{
    static const char *const flags[] = {"transpose_a", "transpose_b"};
    for (uint32_t i = 0; i < 2; i++) {
        ir_op *def = ttir_producer(op->operands[i].value, TTIR_OP(permute));
        if (!def || !swaps_last_two(def))
            continue;
        ir_op_set_attr(op, flags[i], ir_bool_attr(op->ctx, !ir_op_bool(op, flags[i])));
        ir_op_set_operand(op, i, def->operands[0].value);
        rw_modified(rw, op);
        return true;
    }
    return false;
}

/* ---- slices of products ------------------------------------------------------------- */

typedef struct narrowing {
    int64_t dim, begin, end, step, size; /* size: of what is left */
} narrowing;

/* The only dimension that the slice does not take whole. */
static bool find_narrowing(ir_op *slice, narrowing *n)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_type t = slice->operands[0].value->type;
    n->dim = -1;
    if (t->count > TTIR_MAX_DIMS || ttir_numbers(slice, "begins", begins) != t->count ||
        ttir_numbers(slice, "ends", ends) != t->count ||
        ttir_numbers(slice, "step", steps) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        int64_t begin = ttir_dim(begins[i], t->dims[i]),
                end = ttir_dim(ends[i], t->dims[i]);
        if (begin == 0 && end == t->dims[i] && steps[i] == 1)
            continue;
        if (n->dim >= 0 || steps[i] < 1 || end <= begin)
            return false;
        *n = (narrowing){i, begins[i], ends[i], steps[i], slice->results[0].type->dims[i]};
    }
    return n->dim >= 0;
}

/* The numbers stay as they were given, from the front or from the end. */
static ir_value *narrow(ir_builder *b, ir_value *v, int64_t dim, const narrowing *n)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    int64_t shape[TTIR_MAX_DIMS];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++) {
        bool cut = i == dim;
        begins[i] = cut ? n->begin : 0;
        ends[i] = cut ? n->end : v->type->dims[i];
        steps[i] = cut ? n->step : 1;
        shape[i] = cut ? n->size : v->type->dims[i];
    }
    return ir_build1(b, TTIR_OP(slice_static), ir_type_with_shape(v->type, shape, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"begins", ir_i32_array_attr(b->ctx, begins, rank)},
                              {"ends", ir_i32_array_attr(b->ctx, ends, rank)},
                              {"step", ir_i32_array_attr(b->ctx, steps, rank)}));
}

/* Rows or columns of a product are the product of rows or columns. */
bool ttir_slice_operands(ir_op *op, rw_rewriter *rw)
{
    ir_value *product = op->operands[0].value, *operands[3];
    ir_op *mm = ttir_source(product);
    narrowing n;
    if (!is_product(mm) || !ir_value_has_one_use(product) || !find_narrowing(op, &n))
        return false;
    int64_t rank = product->type->count;
    for (uint32_t i = 0; i < mm->n_operands; i++) {
        operands[i] = mm->operands[i].value;
        if (operands[i]->type->count > TTIR_MAX_DIMS)
            return false;
    }
    /* a vector has no rows or no columns, and the product neither */
    bool rows = operands[0]->type->count >= 2, columns = operands[1]->type->count >= 2;
    uint32_t side = columns && n.dim == rank - 1;
    if (!side && !(rows && n.dim == rank - 1 - columns))
        return false;
    int64_t last = operands[side]->type->count - 1;
    bool transposed = ir_op_bool(mm, side ? "transpose_b" : "transpose_a");
    operands[side] =
        narrow(&rw->b, operands[side], last - (side ? transposed : !transposed), &n);
    if (mm->n_operands > 2) {
        int64_t dim = n.dim - rank + operands[2]->type->count;
        if (dim >= 0 && operands[2]->type->dims[dim] != 1)
            operands[2] = narrow(&rw->b, operands[2], dim, &n);
    }
    ir_op *small =
        ir_build_op(&rw->b, mm->def, &op->results[0].type, 1, operands, mm->n_operands,
                    IR_ATTRS({"transpose_a", ir_op_attr(mm, "transpose_a")},
                             {"transpose_b", ir_op_attr(mm, "transpose_b")}),
                    0);
    rw_replace1(rw, op, ir_op_result(small, 0));
    return true;
}
