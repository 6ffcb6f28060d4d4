/* tensors.c: reductions, products of matrices, norms, and operations that move elements. */
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"
#include "ttir/to_stablehlo/meaning.h"

#include <math.h>

enum { DIMS = MEANING_DIMS };

static int64_t from_front(int64_t dim, int64_t rank)
{
    return dim < 0 ? dim + rank : dim;
}

static size_t integers(const meaning *m, const char *name, int64_t *out)
{
    const int64_t n = ir_attr_ints(ir_op_attr(m->op, name), out, DIMS);
    return n < 0 || n > DIMS ? 0 : (size_t)n;
}

static ir_value *to_shape(const meaning *m, ir_value *x, const int64_t *dims, size_t rank)
{
    return hlo_reshape(m->b, x, dims, rank);
}

static ir_value *to_result(const meaning *m, ir_value *x)
{
    return to_shape(m, x, m->type->dims, m->type->count);
}

/* ---- reductions ---------------------------------------------------------------------- */

/* Without the dimensions that are reduced. */
static ir_value *reduce(const meaning *m, const ir_op_def *def, ir_value *x, double from,
                        const int64_t *dims, size_t n)
{
    int64_t left[DIMS];
    size_t rank = 0;
    for (int64_t d = 0; d < x->type->count; d++) {
        bool reduced = false;
        for (size_t i = 0; i < n; i++)
            reduced |= dims[i] == d;
        if (!reduced)
            left[rank++] = x->type->dims[d];
    }
    ir_type element = x->type->element, scalar = hlo_scalar_type(element),
            type = ir_tensor_type(element, left, rank, NULL);
    ir_value *first = hlo_constant(m->b, ir_dense_splat(scalar, from));
    ir_op *op =
        ir_build_op(m->b, STABLEHLO_OP(reduce), &type, 1, IR_VALUES(x, first),
                    IR_ATTRS({"dimensions", ir_dense_i64_array(m->b->ctx, dims, n)}), 1);
    const ir_type arguments[] = {scalar, scalar};
    ir_block *body = hlo_add_block(op, 0, arguments, 2);
    ir_builder inside = ir_builder_at_end(m->b->ctx, body, op->loc);
    ir_value *sum =
        ir_build1(&inside, def, scalar, IR_VALUES(body->args[0], body->args[1]), NULL, 0);
    hlo_return(&inside, &sum, 1);
    return &op->results[0];
}

/* The dimensions that a reduction names, a list or one; all if it names none. */
static size_t reduced_dims(const meaning *m, int64_t rank, int64_t *out)
{
    ir_attr attr = ir_op_attr(m->op, "dim_arg");
    size_t n = integers(m, "dim_arg", out);
    if (attr && !n) {
        out[0] = ir_attr_int(attr, 0);
        n = 1;
    }
    for (; !attr && (int64_t)n < rank; n++)
        out[n] = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        out[i] = from_front(out[i], rank);
    return n;
}

/* What an empty maximum or minimum is. */
static double lowest(ir_type element)
{
    return element->kind == IR_TYPE_FLOAT ? -INFINITY
           : element->sign == IR_UNSIGNED ? 0
                                          : -ldexp(1, (int)element->width - 1);
}

static double highest(ir_type element)
{
    return element->kind == IR_TYPE_FLOAT ? INFINITY
           : element->sign == IR_UNSIGNED ? ldexp(1, (int)element->width) - 1
                                          : ldexp(1, (int)element->width - 1) - 1;
}

typedef enum fold { SUM, MEAN, MAX, MIN, PROD, OR, AND } fold;

static ir_value *fold_dims(const meaning *m, fold how)
{
    static const ir_op_def *const defs[] = {STABLEHLO_OP(add),      STABLEHLO_OP(add),
                                            STABLEHLO_OP(maximum),  STABLEHLO_OP(minimum),
                                            STABLEHLO_OP(multiply), STABLEHLO_OP(maximum),
                                            STABLEHLO_OP(minimum)};
    int64_t dims[DIMS];
    ir_value *x = m->op->operands[0].value;
    const size_t n = reduced_dims(m, x->type->count, dims);
    double count = 1;
    for (size_t i = 0; i < n; i++)
        count *= (double)x->type->dims[dims[i]];
    if (how == MEAN && x->type->element->kind != IR_TYPE_FLOAT)
        return NULL;
    if (how == OR || how == AND) /* of 0 and others: as 0 and 1 */
        x = meaning_convert(m,
                            meaning_compare(m, STABLEHLO_ComparisonDirection_NE, x,
                                            meaning_number(m, 0, x)),
                            x->type->element);
    else if (how != MAX && how != MIN)
        x = meaning_convert(m, x, meaning_wide(m, x->type->element));
    ir_type element = x->type->element;
    const double from = how == MAX                  ? lowest(element)
                        : how == MIN                ? highest(element)
                        : how == PROD || how == AND ? 1
                                                    : 0;
    ir_value *sum = reduce(m, defs[how], x, from, dims, n);
    if (how == MEAN)
        sum = meaning_binary(m, STABLEHLO_OP(divide), sum, meaning_number(m, count, sum));
    return to_result(m, sum);
}

#define FOLD(name, how)                                                                    \
    static ir_value *name(const meaning *m)                                                \
    {                                                                                      \
        return fold_dims(m, how);                                                          \
    }
FOLD(sum, SUM)
FOLD(mean, MEAN)
FOLD(maximum_of, MAX)
FOLD(minimum_of, MIN)
FOLD(product, PROD)
FOLD(reduce_or, OR)
FOLD(reduce_and, AND)

/* x op (a reduction of x over these dimensions, broadcast again) */
static ir_value *broadcast_back(const meaning *m, ir_value *reduced, ir_value *like,
                                const int64_t *dims, size_t n)
{
    int64_t kept[DIMS];
    memcpy(kept, like->type->dims, like->type->count * sizeof *kept);
    for (size_t i = 0; i < n; i++)
        kept[dims[i]] = 1;
    return meaning_broadcast(m, to_shape(m, reduced, kept, like->type->count),
                             like->type->dims, like->type->count);
}

/* exp(x) / sum(exp(x)); with numericStable of x less its maximum. */
static ir_value *softmax(const meaning *m)
{
    ir_value *x = m->op->operands[0].value;
    ir_attr attr = ir_op_attr(m->op, "dimension"), stable;
    if (!attr || x->type->element->kind != IR_TYPE_FLOAT)
        return NULL;
    const int64_t dim = from_front(ir_attr_int(attr, 0), x->type->count);
    x = meaning_convert(m, x, meaning_wide(m, x->type->element));
    stable = ir_op_attr(m->op, "numericStable");
    if (stable && ir_attr_int(stable, 0)) {
        ir_value *top = reduce(m, STABLEHLO_OP(maximum), x, -INFINITY, &dim, 1);
        x = meaning_binary(m, STABLEHLO_OP(subtract), x,
                           broadcast_back(m, top, x, &dim, 1));
    }
    ir_value *e = meaning_unary(m, STABLEHLO_OP(exponential), x),
             *total = reduce(m, STABLEHLO_OP(add), e, 0, &dim, 1);
    return meaning_binary(m, STABLEHLO_OP(divide), e, broadcast_back(m, total, e, &dim, 1));
}

/* layer_norm, and with `root` rms_norm: over the last dimensions. */
static ir_value *normalize(const meaning *m, bool root)
{
    int64_t dims[DIMS], of[DIMS];
    ir_value *x = meaning_in(m, "input"), *weight = meaning_in(m, "weight"),
             *bias = meaning_in(m, "bias");
    if (x->type->element->kind != IR_TYPE_FLOAT || !x->type->count)
        return NULL;
    const size_t named = integers(m, "normalized_shape", of), n = named ? named : 1;
    double count = 1;
    for (size_t i = 0; i < n; i++) {
        dims[i] = (int64_t)(x->type->count - n + i);
        count *= (double)x->type->dims[dims[i]];
    }
    x = meaning_convert(m, x, meaning_wide(m, x->type->element));
    ir_type element = x->type->element;
    if (!root) {
        ir_value *total = reduce(m, STABLEHLO_OP(add), x, 0, dims, n);
        total =
            meaning_binary(m, STABLEHLO_OP(divide), total, meaning_number(m, count, total));
        x = meaning_binary(m, STABLEHLO_OP(subtract), x,
                           broadcast_back(m, total, x, dims, n));
    }
    ir_value *squares = reduce(m, STABLEHLO_OP(add),
                               meaning_binary(m, STABLEHLO_OP(multiply), x, x), 0, dims, n);
    squares =
        meaning_binary(m, STABLEHLO_OP(divide), squares, meaning_number(m, count, squares));
    squares = meaning_binary(
        m, STABLEHLO_OP(add), squares,
        meaning_number(m, ir_attr_real(ir_op_attr(m->op, "epsilon"), 0), squares));
    x = meaning_binary(
        m, STABLEHLO_OP(multiply), x,
        broadcast_back(m, meaning_unary(m, STABLEHLO_OP(rsqrt), squares), x, dims, n));
    if (weight)
        x = meaning_binary(m, STABLEHLO_OP(multiply), x,
                           meaning_broadcast(m, meaning_convert(m, weight, element),
                                             x->type->dims, x->type->count));
    if (bias)
        x = meaning_binary(m, STABLEHLO_OP(add), x,
                           meaning_broadcast(m, meaning_convert(m, bias, element),
                                             x->type->dims, x->type->count));
    return x;
}

static ir_value *layer_norm(const meaning *m)
{
    return normalize(m, false);
}

static ir_value *rms_norm(const meaning *m)
{
    return normalize(m, true);
}

/* ---- products ------------------------------------------------------------------------ */

static ir_attr list(ir_context *ctx, const int64_t *values, size_t n)
{
    ir_attr items[DIMS];
    for (size_t i = 0; i < n; i++)
        items[i] = ir_raw_int(ctx, values[i]);
    return ir_array_attr(ctx, items, n);
}

static ir_value *dot(const meaning *m, ir_value *x, ir_value *y, const int64_t *batch_x,
                     const int64_t *batch_y, size_t n_batch, const int64_t *sum_x,
                     const int64_t *sum_y, size_t n_sum, ir_type type)
{
    ir_context *ctx = m->b->ctx;
    ir_attr numbers[] = {list(ctx, batch_x, n_batch), list(ctx, batch_y, n_batch),
                         list(ctx, sum_x, n_sum), list(ctx, sum_y, n_sum)};
    return ir_build1(m->b, STABLEHLO_OP(dot_general), type, IR_VALUES(x, y),
                     IR_ATTRS({"dot_dimension_numbers",
                               ir_dialect_attr(ctx, STABLEHLO_ATTR(dot), numbers, 4)}));
}

static bool flag(const meaning *m, const char *name)
{
    ir_attr attr = ir_op_attr(m->op, name);
    return attr && ir_attr_int(attr, 0) != 0;
}

/* Matrices in the last two dimensions, batches in those before, which are broadcast. */
static ir_value *matmul(const meaning *m)
{
    ir_value *x = meaning_in(m, "a"), *y = meaning_in(m, "b");
    const size_t rank = TW_MAX(x->type->count, y->type->count);
    if (x->type->count < 2 || y->type->count < 2 || rank > DIMS ||
        x->type->element->kind != IR_TYPE_FLOAT)
        return NULL;
    ir_type element = meaning_wide(m, x->type->element);
    const bool over = flag(m, "transpose_a"), under = flag(m, "transpose_b");
    int64_t dims_x[DIMS], dims_y[DIMS], batch[DIMS], out[DIMS];
    const size_t n = rank - 2;
    for (size_t i = 0; i < n; i++) {
        const int64_t at_x = (int64_t)i - (int64_t)(rank - x->type->count),
                      at_y = (int64_t)i - (int64_t)(rank - y->type->count),
                      a = at_x < 0 ? 1 : x->type->dims[at_x],
                      c = at_y < 0 ? 1 : y->type->dims[at_y];
        out[i] = dims_x[i] = dims_y[i] = TW_MAX(a, c);
        batch[i] = (int64_t)i;
    }
    memcpy(dims_x + n, x->type->dims + x->type->count - 2, 2 * sizeof *dims_x);
    memcpy(dims_y + n, y->type->dims + y->type->count - 2, 2 * sizeof *dims_y);
    const int64_t sum_x = (int64_t)n + !over, sum_y = (int64_t)n + under;
    out[n] = dims_x[n + over];
    out[n + 1] = dims_y[n + !under];
    x = meaning_broadcast(m, meaning_convert(m, x, element), dims_x, rank);
    y = meaning_broadcast(m, meaning_convert(m, y, element), dims_y, rank);
    if (!x || !y || dims_x[sum_x] != dims_y[sum_y])
        return NULL;
    return dot(m, x, y, batch, batch, n, &sum_x, &sum_y, 1,
               ir_tensor_type(element, out, rank, NULL));
}

/* A product, a bias, and an activation that TTNN fused into it. */
static ir_value *linear(const meaning *m)
{
    ir_value *x = matmul(m);
    ir_value *bias = ir_op_operand_if_named(m->op, "bias");
    ir_attr activation = ir_op_attr(m->op, "activation");
    const tw_str name = activation ? ir_attr_str(activation) : TW_STR("");
    if (x && bias)
        x = meaning_binary(m, STABLEHLO_OP(add), x,
                           meaning_broadcast(m, meaning_convert(m, bias, x->type->element),
                                             x->type->dims, x->type->count));
    x = x && x->type->count != m->type->count ? to_result(m, x) : x;
    return x && name.size ? meaning_of_activation(m, name, x) : x;
}

static ir_value *dot_general(const meaning *m)
{
    int64_t batch_x[DIMS], batch_y[DIMS], sum_x[DIMS], sum_y[DIMS];
    ir_value *x = meaning_in(m, "lhs"), *y = meaning_in(m, "rhs");
    const size_t n_batch = integers(m, "batch_dims_lhs", batch_x),
                 n_sum = integers(m, "contract_dims_lhs", sum_x);
    if (integers(m, "batch_dims_rhs", batch_y) != n_batch ||
        integers(m, "contract_dims_rhs", sum_y) != n_sum)
        return NULL;
    ir_type element = meaning_wide(m, x->type->element);
    y = meaning_convert(m, y, element);
    x = meaning_convert(m, x, element);
    return dot(m, x, y, batch_x, batch_y, n_batch, sum_x, sum_y, n_sum,
               ir_tensor_type(element, m->type->dims, m->type->count, NULL));
}

/* ---- movement ------------------------------------------------------------------------ */

/* Also of operations that only change where a tensor lies, or its type. */
static ir_value *reshape(const meaning *m)
{
    return to_result(m, m->op->operands[0].value);
}

static ir_value *transpose_by(const meaning *m, const int64_t *order)
{
    ir_value *x = m->op->operands[0].value;
    return ir_build1(
        m->b, STABLEHLO_OP(transpose),
        ir_tensor_type(x->type->element, m->type->dims, m->type->count, NULL), IR_VALUES(x),
        IR_ATTRS({"permutation", ir_dense_i64_array(m->b->ctx, order, m->type->count)}));
}

static ir_value *permute(const meaning *m)
{
    int64_t order[DIMS];
    return integers(m, "permutation", order) == m->type->count ? transpose_by(m, order)
                                                               : NULL;
}

static ir_value *transpose(const meaning *m)
{
    int64_t order[DIMS];
    const int64_t rank = m->type->count,
                  a = from_front(ir_attr_int(ir_op_attr(m->op, "dim0"), 0), rank),
                  b = from_front(ir_attr_int(ir_op_attr(m->op, "dim1"), 0), rank);
    if (rank > DIMS || a < 0 || a >= rank || b < 0 || b >= rank)
        return NULL;
    for (int64_t i = 0; i < rank; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return transpose_by(m, order);
}

static ir_value *broadcast(const meaning *m)
{
    return meaning_broadcast(m, m->op->operands[0].value, m->type->dims, m->type->count);
}

/* Copies beside each other, along one dimension after the other. */
static ir_value *repeat(const meaning *m)
{
    enum { MAX_COPIES = 64 };
    ir_value *x = m->op->operands[0].value;
    if (x->type->count != m->type->count)
        return NULL;
    for (int64_t d = 0; d < m->type->count; d++) {
        ir_value *parts[MAX_COPIES];
        const int64_t n = x->type->dims[d] ? m->type->dims[d] / x->type->dims[d] : 1;
        if (n < 1 || n > MAX_COPIES)
            return NULL;
        for (int64_t i = 0; i < n; i++)
            parts[i] = x;
        if (n > 1)
            x = hlo_concatenate(m->b, hlo_with_size(x->type, d, m->type->dims[d]), parts,
                                (size_t)n, d);
    }
    return x;
}

static ir_value *concat(const meaning *m)
{
    enum { MAX_PARTS = 64 };
    ir_value *parts[MAX_PARTS];
    const int64_t dim =
        from_front(ir_attr_int(ir_op_attr(m->op, "dim"), 0), m->type->count);
    if (!m->op->n_operands || m->op->n_operands > MAX_PARTS)
        return NULL;
    ir_type element = m->op->operands[0].value->type->element;
    for (size_t i = 0; i < m->op->n_operands; i++) {
        parts[i] = m->op->operands[i].value;
        if (parts[i]->type->element != element)
            return NULL;
    }
    return hlo_concatenate(m->b,
                           ir_tensor_type(element, m->type->dims, m->type->count, NULL),
                           parts, m->op->n_operands, dim);
}

static ir_value *slice(const meaning *m)
{
    int64_t begin[DIMS], end[DIMS], step[DIMS];
    ir_value *x = m->op->operands[0].value;
    const size_t rank = x->type->count;
    if (integers(m, "begins", begin) != rank || integers(m, "ends", end) != rank ||
        integers(m, "step", step) != rank)
        return NULL;
    for (size_t i = 0; i < rank; i++) {
        const int64_t size = x->type->dims[i];
        begin[i] = from_front(begin[i], size);
        end[i] = from_front(end[i], size);
        if (step[i] < 1 || begin[i] < 0 || begin[i] > end[i] || end[i] > size)
            return NULL;
    }
    return hlo_slice(m->b, x, begin, end, step);
}

static ir_value *pad(const meaning *m)
{
    int64_t sides[2 * DIMS], low[DIMS], high[DIMS], none[DIMS] = {0};
    ir_value *x = m->op->operands[0].value;
    const int64_t n = ir_attr_ints(ir_op_attr(m->op, "padding"), sides, 2 * DIMS);
    const size_t rank = x->type->count;
    if (rank > DIMS || n != 2 * (int64_t)rank)
        return NULL;
    for (size_t i = 0; i < rank; i++) {
        low[i] = sides[2 * i];
        high[i] = sides[2 * i + 1];
    }
    ir_value *by =
        hlo_constant(m->b, ir_dense_splat(hlo_scalar_type(x->type->element),
                                          ir_attr_real(ir_op_attr(m->op, "value"), 0)));
    return ir_build1(
        m->b, STABLEHLO_OP(pad),
        ir_tensor_type(x->type->element, m->type->dims, m->type->count, NULL),
        IR_VALUES(x, by),
        IR_ATTRS({"edge_padding_low", ir_dense_i64_array(m->b->ctx, low, rank)},
                 {"edge_padding_high", ir_dense_i64_array(m->b->ctx, high, rank)},
                 {"interior_padding", ir_dense_i64_array(m->b->ctx, none, rank)}));
}

/* ---- values -------------------------------------------------------------------------- */

static ir_value *constant(const meaning *m)
{
    ir_attr value = ir_op_attr(m->op, "value");
    const ir_type given = value->type;
    if (value->kind != IR_ATTR_DENSE || given->element->kind != m->type->element->kind ||
        given->element->width != m->type->element->width)
        return NULL;
    return hlo_constant(m->b, given == m->type ? value : ir_dense_reshape(value, m->type));
}

static ir_value *filled(const meaning *m, double number)
{
    return hlo_constant(m->b, ir_dense_splat(m->type, number));
}

static ir_value *full(const meaning *m)
{
    return filled(m, ir_attr_real(ir_op_attr(m->op, "fill_value"), 0));
}

static ir_value *zeros(const meaning *m)
{
    return filled(m, 0);
}

static ir_value *ones(const meaning *m)
{
    return filled(m, 1);
}

/* start + step * i */
static ir_value *arange(const meaning *m)
{
    ir_attr along = ir_op_attr(m->op, "arange_dimension");
    ir_value *i = hlo_iota(m->b, m->type, along ? ir_attr_int(along, 0) : 0);
    const int64_t start = ir_attr_int(ir_op_attr(m->op, "start"), 0),
                  step = ir_attr_int(ir_op_attr(m->op, "step"), 1);
    i = meaning_binary(m, STABLEHLO_OP(multiply), i, meaning_number(m, (double)step, i));
    return meaning_binary(m, STABLEHLO_OP(add), i, meaning_number(m, (double)start, i));
}

meaning_fn *meaning_of_tensor(tw_str name)
{
    static const struct {
        const char *name;
        meaning_fn *fn;
    } rows[] = {{"arange", arange},
                {"broadcast", broadcast},
                {"concat", concat},
                {"constant", constant},
                {"dot_general", dot_general},
                {"empty", zeros},
                {"from_device", reshape},
                {"full", full},
                {"layer_norm", layer_norm},
                {"linear", linear},
                {"matmul", linear},
                {"max", maximum_of},
                {"mean", mean},
                {"min", minimum_of},
                {"ones", ones},
                {"pad", pad},
                {"permute", permute},
                {"prod", product},
                {"reduce_and", reduce_and},
                {"reduce_or", reduce_or},
                {"repeat", repeat},
                {"reshape", reshape},
                {"rms_norm", rms_norm},
                {"slice_static", slice},
                {"softmax", softmax},
                {"squeeze", reshape},
                {"sum", sum},
                {"to_device", reshape},
                {"to_layout", reshape},
                {"to_memory_config", reshape},
                {"to_tensor_spec", reshape},
                {"transpose", transpose},
                {"typecast", reshape},
                {"unsqueeze", reshape},
                {"zeros", zeros}};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (tw_str_is(name, rows[i].name))
            return rows[i].fn;
    return NULL;
}
