/* fuse_attention.c: attention that is written out becomes one operation:
 *
 *     softmax(scale * (q @ k^T) + mask) @ v
 *
 * The scale may be on q, on k (on either side of its transposition) or on the scores; the
 * mask may be a bias of the first product. Repeated heads of k and v are read as they are
 * before, casts around the softmax are dropped, a column of sinks that is appended to the
 * scores and sliced off again becomes an operand. A selection that clears the rows of
 * queries which the mask hides entirely moves behind the operation. */
#include "ttir/passes/fuse.h"

#include <math.h>

enum { HEADS = 1, SEQUENCE = 2, SIZE = 3, RANK = 4 };

typedef struct attention {
    ir_value *query, *key, *value, *mask, *sink;
    ir_value *scores, *keys; /* the operands of the first product */
    bool key_transposed;     /* by the product itself */
    bool scaled;
    double scale;
    ir_value *hidden; /* where the rows are that are cleared; NULL: none are */
    bool from_scores; /* ... computed from the scores */
} attention;

/* ---- looking through ---------------------------------------------------------------- */

static ir_value *behind(ir_value *v, const ir_op_def *def)
{
    ir_op *op = ttir_producer(v, def);
    return op ? op->operands[0].value : v;
}

static ir_value *behind_cast(ir_value *v)
{
    return behind(v, TTIR_OP(typecast));
}

/* True for one number, seen through casts, broadcasts and reshapes. */
static bool number_of(ir_value *v, double *out)
{
    for (ir_op *d = ir_value_def(v);
         ir_op_is(d, TTIR_OP(typecast)) || ir_op_is(d, TTIR_OP(broadcast)) ||
         ir_op_is(d, TTIR_OP(reshape));
         d = ir_value_def(v))
        v = d->operands[0].value;
    return ttir_is_filled(v, out);
}

/* The value without a factor or divisor that is one number, by which *scale is multiplied.
 */
static ir_value *without_scale(ir_value *v, attention *a, bool *found)
{
    double number;
    ir_op *op = ttir_source(v);
    *found = true;
    if (ir_op_is(op, TTIR_OP(multiply)))
        for (uint32_t i = 0; i < 2; i++)
            if (number_of(op->operands[1 - i].value, &number)) {
                a->scale *= number;
                return op->operands[i].value;
            }
    if (ir_op_is(op, TTIR_OP(div)) && number_of(op->operands[1].value, &number) &&
        number != 0) {
        a->scale /= number;
        return op->operands[0].value;
    }
    *found = false;
    return v;
}

/* What an operation that exchanges the last two dimensions takes; NULL if v is no result of
 * one. */
static ir_value *transposed(ir_value *v)
{
    int64_t order[TTIR_MAX_DIMS];
    const int64_t rank = v->type->count;
    ir_op *op = ttir_source(v);
    if (ir_op_is(op, TTIR_OP(transpose))) {
        int64_t x = ttir_dim(ir_op_int(op, "dim0", 0), rank);
        int64_t y = ttir_dim(ir_op_int(op, "dim1", 0), rank);
        return TW_MIN(x, y) == rank - 2 && TW_MAX(x, y) == rank - 1 ? op->operands[0].value
                                                                    : NULL;
    }
    if (!ir_op_is(op, TTIR_OP(permute)) || rank < 2 ||
        ttir_numbers(op, "permutation", order) != (size_t)rank)
        return NULL;
    for (int64_t d = 0; d < rank - 2; d++)
        if (order[d] != d)
            return NULL;
    return order[rank - 2] == rank - 1 ? op->operands[0].value : NULL;
}

static bool is_tensor_of_rank(const ir_value *v, uint32_t rank)
{
    return ir_type_is_tensor(v->type) && v->type->count == rank;
}

/* ---- the parts ---------------------------------------------------------------------- */

/* True if it keeps all of a tensor but the last column. */
static bool drops_last_column(const ir_op *slice)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_type from = slice->operands[0].value->type;
    if (ttir_numbers(slice, "begins", begins) != from->count ||
        ttir_numbers(slice, "ends", ends) != from->count ||
        ttir_numbers(slice, "step", steps) != from->count)
        return false;
    for (uint32_t d = 0; d < from->count; d++)
        if (begins[d] != 0 || steps[d] != 1 ||
            ends[d] != from->dims[d] - (d + 1 == from->count))
            return false;
    return from->count > 0;
}

/* where(hidden, 0, softmax), the same for all keys of a query. */
static ir_value *without_selection(attention *a, ir_value *v)
{
    double zero;
    ir_op *where = ttir_producer(v, TTIR_OP(where));
    if (!where || !number_of(where->operands[1].value, &zero) || zero != 0)
        return v;
    ir_value *hidden = behind(where->operands[0].value, TTIR_OP(broadcast));
    if (!is_tensor_of_rank(hidden, RANK) || hidden->type->dims[SIZE] != 1)
        return v;
    a->hidden = hidden;
    return behind_cast(where->operands[2].value);
}

/* The scores without the column of sinks; NULL if they have none, or of another shape than
 * one number for each head. */
static ir_value *without_sinks(attention *a, ir_value *v)
{
    ir_op *concat = ttir_producer(v, TTIR_OP(concat));
    if (!concat || concat->n_operands != 2 || !is_tensor_of_rank(v, RANK) ||
        ttir_dim(ir_op_int(concat, "dim", 0), RANK) != SIZE)
        return NULL;
    a->sink = behind(concat->operands[1].value, TTIR_OP(broadcast));
    const int64_t *dims = a->sink->type->dims;
    if (!is_tensor_of_rank(a->sink, RANK) || dims[0] != 1 ||
        dims[HEADS] != v->type->dims[HEADS] || dims[SEQUENCE] != 1 || dims[SIZE] != 1)
        return NULL;
    return behind_cast(concat->operands[0].value);
}

static bool take_product(attention *a, ir_op *product, const ir_op *second)
{
    if (!product || product == second || ir_op_bool(product, "transpose_a"))
        return false;
    a->scores = product->operands[0].value;
    a->keys = product->operands[1].value;
    a->key_transposed = ir_op_bool(product, "transpose_b");
    return true;
}

/* scale * (q @ k^T) */
static bool take_scores(attention *a, ir_value *v, const ir_op *second)
{
    bool scaled;
    const double before = a->scale;
    ir_value *plain = without_scale(v, a, &scaled);
    if (take_product(a, ttir_producer(plain, TTIR_OP(matmul)), second)) {
        a->scaled = scaled;
        return true;
    }
    a->scale = before;
    return false;
}

static bool take_masked_scores(attention *a, ir_value *v, const ir_op *second)
{
    ir_op *linear = ttir_producer(v, TTIR_OP(linear)),
          *add = ttir_producer(v, TTIR_OP(add));
    if (linear) {
        a->mask = ir_op_operand_named(linear, "bias");
        return a->mask && take_product(a, linear, second);
    }
    for (uint32_t i = 0; add && i < 2; i++)
        if (take_scores(a, add->operands[i].value, second)) {
            a->mask = add->operands[1 - i].value;
            return true;
        }
    return !add && take_scores(a, v, second);
}

static bool take_query_and_key(attention *a)
{
    bool query, after, inside = false;
    a->query = without_scale(a->scores, a, &query);
    ir_value *keys = without_scale(a->keys, a, &after);
    a->key = a->key_transposed ? keys : transposed(keys);
    if (!a->key)
        return false;
    a->key = without_scale(a->key, a, &inside);
    return !(a->scaled && (query || after || inside));
}

/* The operation that repeats heads, behind at most one cast; NULL without one. */
static ir_op *repeated_heads(ir_value *v)
{
    ir_op *repeat = ttir_producer(behind_cast(v), TTIR_OP(repeat_interleave));
    bool ok = repeat && is_tensor_of_rank(repeat->operands[0].value, RANK) &&
              ttir_dim(ir_op_int(repeat, "dim", 0), RANK) == HEADS;
    return ok ? repeat : NULL;
}

static bool fits(const attention *a, ir_type result)
{
    if (!is_tensor_of_rank(a->query, RANK) || !is_tensor_of_rank(a->key, RANK) ||
        a->key->type != a->value->type || a->query->type != result)
        return false;
    const int64_t *q = a->query->type->dims, *k = a->key->type->dims;
    if (q[0] != k[0] || q[SIZE] != k[SIZE] || k[HEADS] == 0 || q[HEADS] % k[HEADS] != 0)
        return false;
    if (!a->mask)
        return true;
    const int64_t *m = a->mask->type->dims;
    return is_tensor_of_rank(a->mask, RANK) && (m[0] == 1 || m[0] == q[0]) &&
           (m[HEADS] == 1 || m[HEADS] == q[HEADS]) && m[SEQUENCE] == q[SEQUENCE] &&
           m[SIZE] == k[SEQUENCE];
}

/* True if v depends on a tensor of the shape of the scores. */
static bool reads_scores(ir_value *v, ir_type scores, int depth)
{
    if (ir_type_is_tensor(v->type) && ttir_same_shape(v->type, scores))
        return true;
    ir_op *op = depth ? ir_value_def(v) : NULL;
    for (uint32_t i = 0; op && i < op->n_operands; i++)
        if (reads_scores(op->operands[i].value, scores, depth - 1))
            return true;
    return false;
}

/* ---- the operation ------------------------------------------------------------------- */

/* Heads as they are before repetition, in the element type that they had behind it. */
static void share_heads(attention *a, ir_builder *b)
{
    ir_op *keys = repeated_heads(a->key), *values = repeated_heads(a->value);
    if (!keys || !values ||
        ir_op_int(keys, "repeats", 0) != ir_op_int(values, "repeats", 0))
        return;
    ir_type of_key = ir_type_element(a->key->type),
            of_value = ir_type_element(a->value->type);
    a->key = ttir_build_typecast(b, keys->operands[0].value, of_key);
    a->value = ttir_build_typecast(b, values->operands[0].value, of_value);
}

/* True where the mask hides every key of a query: its maximum is -inf. Only the mask can
 * make a score -inf, and this does not read the scores. */
static ir_value *hidden_by_mask(const attention *a, ir_builder *b)
{
    if (!a->mask || ir_type_element(a->mask->type)->kind != IR_TYPE_FLOAT)
        return a->hidden;
    static const int64_t last = SIZE;
    ir_value *most = ttir_build_reduce(b, TTIR_OP(max), a->mask, &last, 1);
    return ttir_build_binary(b, TTIR_OP(eq), most,
                             ttir_build_full(b, most->type, -(double)INFINITY));
}

static ir_value *clear_hidden(const attention *a, ir_builder *b, ir_value *y)
{
    ir_value *hidden = hidden_by_mask(a, b);
    hidden = ttir_build_broadcast_to(b, hidden, y->type->dims);
    ir_value *zeros = ttir_build_full(b, y->type, 0);
    return ir_build1(b, TTIR_OP(where), y->type, IR_VALUES(hidden, zeros, y), NULL, 0);
}

static bool find(attention *a, ir_op *second)
{
    ir_value *v = behind_cast(second->operands[0].value);
    ir_op *slice = ttir_producer(v, TTIR_OP(slice_static));
    a->value = second->operands[1].value;
    if (slice && drops_last_column(slice))
        v = behind_cast(slice->operands[0].value);
    else
        slice = NULL;
    v = without_selection(a, v);
    ir_op *softmax = ttir_producer(v, TTIR_OP(softmax));
    if (!softmax || !ir_value_has_one_use(v) || !is_tensor_of_rank(v, RANK) ||
        ttir_dim(ir_op_int(softmax, "dimension", 0), RANK) != SIZE)
        return false;
    ir_value *scores = behind_cast(softmax->operands[0].value);
    if (slice && !(scores = without_sinks(a, scores)))
        return false;
    a->from_scores = a->hidden && reads_scores(a->hidden, v->type, 32);
    return take_masked_scores(a, scores, second) && take_query_and_key(a);
}

bool ttir_fuse_attention(ir_op *op, rw_rewriter *rw)
{
    attention a = {.scale = 1};
    if (ttir_fuse_exact(rw) || ir_op_bool(op, "transpose_a") ||
        ir_op_bool(op, "transpose_b") || !find(&a, op))
        return false;
    if (!fits(&a, op->results[0].type))
        return false;
    ir_builder *b = &rw->b;
    share_heads(&a, b);
    ir_type types[] = {op->results[0].type};
    ir_op *made = ir_build_op(b, TTIR_OP(scaled_dot_product_attention), types, 1,
                              IR_VALUES(a.query, a.key, a.value, a.mask, a.sink),
                              IR_ATTRS({"is_causal", ir_bool_attr(op->ctx, false)},
                                       {"scale", ir_f32_attr(op->ctx, a.scale)}),
                              0);
    ir_value *y = &made->results[0];
    if (a.hidden && (a.mask || !a.from_scores)) /* without a mask, no score is -inf */
        y = clear_hidden(&a, b, y);
    rw_replace1(rw, op, y);
    return true;
}
