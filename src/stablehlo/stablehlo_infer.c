/* stablehlo_infer.c: infers result types from operands and attributes, including bounds
 * of dynamic sizes in encodings, if rules (stablehlo_rules.c) cannot express them.
 *
 * Two sizes that must be equal merge to the more specific one (a size before a bound, the
 * smaller bound); results of alternative branches merge to the most general type.  Sizes
 * and bounds of concatenated tensors add up. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#include <stdio.h>

enum { CAPACITY = STABLEHLO_MAX_RANK, MANY = STABLEHLO_MAX_VALUES };

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

/* ---- sizes and bounds --------------------------------------------------------------- */

typedef struct sized {
    int64_t dims[CAPACITY], bounds[CAPACITY];
    size_t n;
    bool bounded;     /* some operand has bounds */
    ir_attr encoding; /* template for bounds, or kept if there are none */
} sized;

static bool sized_of(ir_type t, sized *out)
{
    if (!ir_type_is_tensor(t) || t->count > CAPACITY)
        return false;
    out->n = t->count;
    out->encoding = t->encoding;
    for (size_t i = 0; i < out->n; i++) {
        out->dims[i] = t->dims[i];
        out->bounds[i] = IR_DYNAMIC;
    }
    out->bounded = stablehlo_bounds(t, out->bounds, out->n) > 0;
    return true;
}

static ir_type type_of(const sized *s, ir_type element)
{
    ir_attr items[CAPACITY], encoding = s->bounded ? NULL : s->encoding;
    for (size_t i = 0; i < s->n; i++) {
        items[i] = ir_raw_int(element->ctx, s->bounds[i]);
        if (s->bounded && s->bounds[i] != IR_DYNAMIC)
            encoding = s->encoding;
    }
    if (s->bounded && encoding) {
        ir_attr list = ir_array_attr(element->ctx, items, s->n);
        encoding = ir_dialect_attr(element->ctx, STABLEHLO_ATTR(type_extensions), &list, 1);
    }
    return ir_tensor_type(element, s->dims, s->n, encoding);
}

static bool merge_specific(ir_op *op, sized *a, const sized *b, size_t dim, size_t from)
{
    int64_t *size = &a->dims[dim], other = b->dims[from];
    int64_t *bound = &a->bounds[dim], other_bound = b->bounds[from];
    if (*size == IR_DYNAMIC && other == IR_DYNAMIC) {
        if (*bound == IR_DYNAMIC || (other_bound != IR_DYNAMIC && other_bound < *bound))
            *bound = other_bound;
        return true;
    }
    if (*size != IR_DYNAMIC && other != IR_DYNAMIC && *size != other)
        return FAIL("Mismatched dimension sizes %lld and %lld in dimension %zu",
                    (long long)*size, (long long)other, dim);
    int64_t known = *size != IR_DYNAMIC ? *size : other;
    int64_t upper = *bound != IR_DYNAMIC ? *bound : other_bound;
    if (upper != IR_DYNAMIC && known > upper)
        return FAIL("Mismatched dimension size %lld and bound %lld in dimension %zu",
                    (long long)known, (long long)upper, dim);
    *size = known;
    *bound = IR_DYNAMIC;
    return true;
}

static bool merge_general(ir_op *op, sized *a, const sized *b, size_t dim)
{
    int64_t size = a->dims[dim], other = b->dims[dim];
    if (size != IR_DYNAMIC && other != IR_DYNAMIC)
        return size == other ||
               FAIL("Mismatched dimension sizes %lld and %lld in dimension %zu",
                    (long long)size, (long long)other, dim);
    int64_t x = size != IR_DYNAMIC ? size : a->bounds[dim];
    int64_t y = other != IR_DYNAMIC ? other : b->bounds[dim];
    a->dims[dim] = IR_DYNAMIC;
    a->bounds[dim] = x == IR_DYNAMIC || y == IR_DYNAMIC ? IR_DYNAMIC : TW_MAX(x, y);
    return true;
}

static void join(sized *a, const sized *b, size_t dim)
{
    int64_t x = a->dims[dim] != IR_DYNAMIC ? a->dims[dim] : a->bounds[dim];
    int64_t y = b->dims[dim] != IR_DYNAMIC ? b->dims[dim] : b->bounds[dim];
    bool both = a->dims[dim] != IR_DYNAMIC && b->dims[dim] != IR_DYNAMIC;
    int64_t total = x == IR_DYNAMIC || y == IR_DYNAMIC
                        ? IR_DYNAMIC
                        : (int64_t)((uint64_t)x + (uint64_t)y);
    a->dims[dim] = both ? total : IR_DYNAMIC;
    a->bounds[dim] = both ? IR_DYNAMIC : total;
}

bool stablehlo_merge_types(ir_op *op, const ir_type *types, size_t n, bool general,
                           ir_type *out)
{
    sized all, one;
    if (!n || !sized_of(types[0], &all)) {
        *out = n ? types[0] : NULL;
        return true;
    }
    for (size_t i = 1; i < n; i++) {
        if (!sized_of(types[i], &one))
            continue;
        if (one.n != all.n)
            return FAIL("Mismatched ranks of types%zu vs %zu", all.n, one.n);
        for (size_t d = 0; d < all.n; d++)
            if (!(general ? merge_general(op, &all, &one, d)
                          : merge_specific(op, &all, &one, d, d)))
                return false;
        if (!all.encoding)
            all.encoding = one.encoding;
        all.bounded |= one.bounded;
    }
    *out = type_of(&all, types[0]->element);
    return true;
}

/* ---- results ------------------------------------------------------------------------ */

static bool set_result(chk_types *out, ir_type type)
{
    if (type && out->n < CHK_MAX_TYPES) {
        out->at[out->n++] = type;
        out->known = true;
    }
    return true;
}

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

/* An operand's shape with another element type. */
static bool set_result_like(chk_types *out, ir_type type, ir_type element)
{
    return set_result(out, ir_type_with_element(type, element));
}

static ir_type real_part(ir_type element)
{
    return element->kind == IR_TYPE_COMPLEX ? element->element : element;
}

/* ---- element-wise ------------------------------------------------------------------- */

bool stablehlo_infer_same(ir_op *op, chk_types *out)
{
    ir_type types[MANY], merged = NULL;
    size_t n = TW_MIN(op->n_operands, (uint32_t)MANY);
    for (size_t i = 0; i < n; i++)
        types[i] = operand(op, i);
    return stablehlo_merge_types(op, types, n, false, &merged) && set_result(out, merged);
}

bool stablehlo_infer_real(ir_op *op, chk_types *out)
{
    return set_result_like(out, operand(op, 0), real_part(operand(op, 0)->element));
}

bool stablehlo_infer_complex(ir_op *op, chk_types *out)
{
    return set_result_like(out, operand(op, 0), ir_complex_type(operand(op, 0)->element));
}

bool stablehlo_infer_boolean(ir_op *op, chk_types *out)
{
    return set_result_like(out, operand(op, 0), ir_integer_type(op->ctx, 1, IR_SIGNLESS));
}

bool stablehlo_infer_dequantized(ir_op *op, chk_types *out)
{
    ir_type t = operand(op, 0);
    ir_type expressed = ir_type_param(t->element, "expressedType")->type;
    return set_result(out, ir_tensor_type(expressed, t->dims, t->count, NULL));
}

bool stablehlo_infer_operands(ir_op *op, chk_types *out)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        set_result(out, operand(op, i));
    return true;
}

bool stablehlo_infer_select(ir_op *op, chk_types *out)
{
    ir_type types[] = {operand(op, 1), operand(op, 2)}, merged = NULL;
    return stablehlo_merge_types(op, types, 2, false, &merged) && set_result(out, merged);
}

/* ---- small ops ---------------------------------------------------------------------- */

bool stablehlo_infer_token(ir_op *op, chk_types *out)
{
    return set_result(out, ir_dialect_type(op->ctx, STABLEHLO_TYPE(token), NULL, 0));
}

bool stablehlo_infer_id(ir_op *op, chk_types *out)
{
    return set_result(out, stablehlo_scalar(ir_integer_type(op->ctx, 32, IR_UNSIGNED)));
}

bool stablehlo_infer_size(ir_op *op, chk_types *out)
{
    return set_result(out, stablehlo_scalar(ir_integer_type(op->ctx, 32, IR_SIGNLESS)));
}

bool stablehlo_infer_constant(ir_op *op, chk_types *out)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type type = value ? value->type : NULL, result = op->results[0].type;
    if (!ir_type_is_shaped(type) || !ir_type_is_shaped(result))
        return set_result(out, type);
    /* a quantized constant is stored with its storage type */
    ir_attr storage = stablehlo_is_quantized(result->element)
                          ? ir_type_param(result->element, "storageType")
                          : NULL;
    return storage && storage->type == type->element
               ? set_result_like(out, type, result->element)
               : set_result(out, type);
}

bool stablehlo_infer_member(ir_op *op, chk_types *out)
{
    ir_type t = operand(op, 0);
    int64_t i = ir_op_int(op, "index", 0);
    if (t->kind != IR_TYPE_TUPLE || i < 0)
        return true;
    if (i >= t->count)
        return FAIL("index %lld is out of bounds of operand with size %u", (long long)i,
                    t->count);
    return set_result(out, t->types[i]);
}

bool stablehlo_infer_tuple(ir_op *op, chk_types *out)
{
    ir_type types[MANY];
    if (op->n_operands > MANY)
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        types[i] = operand(op, i);
    return set_result(out, ir_tuple_type(op->ctx, types, op->n_operands));
}

int64_t stablehlo_ints(const ir_value *v, int64_t *out, size_t max)
{
    ir_op *op = ir_value_def(v);
    if (!op || !(op->def->traits & IR_CONSTANT_LIKE))
        return -1;
    ir_attr value = ir_op_attr(op, "value");
    /* shape.const_shape has another attribute name */
    return ir_attr_ints(value ? value : ir_op_attr(op, "shape"), out, max);
}

bool stablehlo_infer_rng(ir_op *op, chk_types *out)
{
    int64_t dims[CAPACITY];
    ir_attr kind = ir_op_attr(op, "rng_distribution");
    ir_type shape = operand(op, 2);
    if (kind && ir_enum_value(kind, 0) == STABLEHLO_RngDistribution_NORMAL &&
        (operand(op, 0)->element->kind != IR_TYPE_FLOAT ||
         operand(op, 1)->element->kind != IR_TYPE_FLOAT))
        return FAIL("mu and sigma must be floats");
    if (!ir_type_is_tensor(shape) || shape->count != 1 || shape->dims[0] < 0 ||
        shape->dims[0] > CAPACITY)
        return true;
    if (stablehlo_ints(op->operands[2].value, dims, CAPACITY) < 0)
        for (int64_t i = 0; i < shape->dims[0]; i++)
            dims[i] = IR_DYNAMIC;
    for (int64_t i = 0; i < shape->dims[0]; i++)
        if (dims[i] < 0 && dims[i] != IR_DYNAMIC)
            return true;
    return set_result(
        out, ir_tensor_type(operand(op, 1)->element, dims, (size_t)shape->dims[0], NULL));
}

/* ---- shapes ------------------------------------------------------------------------- */

/* Reads exactly n integers of an attribute. */
static bool read_list(const ir_op *op, const char *name, int64_t *out, size_t n)
{
    int64_t found = ir_attr_ints(ir_op_attr(op, name), out, CAPACITY);
    return n <= CAPACITY && found == (int64_t)n;
}

bool stablehlo_infer_transpose(ir_op *op, chk_types *out)
{
    sized in, s = {.n = 0};
    int64_t order[CAPACITY];
    if (!sized_of(operand(op, 0), &in) || !read_list(op, "permutation", order, in.n))
        return true;
    s = in;
    for (size_t i = 0; i < in.n; i++) {
        s.dims[i] = in.dims[order[i]];
        s.bounds[i] = in.bounds[order[i]];
    }
    return set_result(out, type_of(&s, operand(op, 0)->element));
}

bool stablehlo_infer_slice(ir_op *op, chk_types *out)
{
    sized s;
    int64_t from[CAPACITY], to[CAPACITY], step[CAPACITY];
    if (!sized_of(operand(op, 0), &s) || !read_list(op, "start_indices", from, s.n) ||
        !read_list(op, "limit_indices", to, s.n) || !read_list(op, "strides", step, s.n))
        return true;
    for (size_t i = 0; i < s.n; i++) {
        int64_t span = to[i] - from[i];
        if (s.bounds[i] != IR_DYNAMIC && to[i] > s.bounds[i])
            return FAIL("limit index %lld is larger than dimension bound %lld in dimension "
                        "%zu",
                        (long long)to[i], (long long)s.bounds[i], i);
        s.dims[i] = span / step[i] + (span % step[i] != 0);
        s.bounds[i] = IR_DYNAMIC;
    }
    return set_result(out, type_of(&s, operand(op, 0)->element));
}

bool stablehlo_infer_pad(ir_op *op, chk_types *out)
{
    sized s;
    int64_t low[CAPACITY], high[CAPACITY], inner[CAPACITY];
    if (!sized_of(operand(op, 0), &s) || !read_list(op, "edge_padding_low", low, s.n) ||
        !read_list(op, "edge_padding_high", high, s.n) ||
        !read_list(op, "interior_padding", inner, s.n))
        return true;
    for (size_t i = 0; i < s.n; i++) {
        bool sized = s.dims[i] != IR_DYNAMIC;
        int64_t *size = sized ? &s.dims[i] : &s.bounds[i];
        if (*size == IR_DYNAMIC)
            continue;
        uint64_t gaps = (uint64_t)TW_MAX(*size - 1, 0) * (uint64_t)inner[i];
        *size = (int64_t)((uint64_t)*size + (uint64_t)low[i] + (uint64_t)high[i] + gaps);
        if (*size < 0)
            return FAIL("Padding result in negative %s for dimension %zu",
                        sized ? "size" : "bound", i);
    }
    return set_result(out, type_of(&s, operand(op, 0)->element));
}

bool stablehlo_infer_concatenate(ir_op *op, chk_types *out)
{
    sized all = {.n = 0}, one;
    int64_t along = ir_op_int(op, "dimension", 0);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if (!sized_of(operand(op, i), &one) || along < 0 || along >= (int64_t)one.n)
            return true;
        for (size_t d = 0; i && d < all.n; d++) {
            if ((int64_t)d == along)
                join(&all, &one, d);
            else if (!merge_specific(op, &all, &one, d, d))
                return false;
        }
        if (i == 0)
            all = one;
        if (!all.encoding)
            all.encoding = one.encoding;
        all.bounded |= one.bounded;
    }
    return op->n_operands == 0 || set_result(out, type_of(&all, operand(op, 0)->element));
}

bool stablehlo_infer_set_dimension_size(ir_op *op, chk_types *out)
{
    sized s;
    int64_t d = ir_op_int(op, "dimension", 0), size = -1;
    if (!sized_of(operand(op, 0), &s) || d < 0 || d >= (int64_t)s.n)
        return true;
    if (s.dims[d] != IR_DYNAMIC)
        s.bounds[d] = s.dims[d];
    s.dims[d] = IR_DYNAMIC;
    if (stablehlo_ints(op->operands[1].value, &size, 1) == 1 && size == s.bounds[d]) {
        s.dims[d] = size;
        s.bounds[d] = IR_DYNAMIC;
    }
    s.bounded = true;
    if (!s.encoding) /* any encoding that is written as bounds */
        s.encoding = ir_unit_attr(op->ctx);
    return set_result(out, type_of(&s, operand(op, 0)->element));
}

/* Results of batch norm: the operand's type, and vectors of the feature count. */
bool stablehlo_infer_batch_norm(ir_op *op, chk_types *out)
{
    sized s, f = {.n = 1};
    int64_t feature = ir_op_int(op, "feature_index", 0);
    ir_type t = operand(op, 0);
    if (!sized_of(t, &s) || feature < 0 || feature >= (int64_t)s.n)
        return true;
    f.dims[0] = s.dims[feature];
    f.bounds[0] = s.bounds[feature];
    f.bounded = s.bounded;
    f.encoding = s.bounded ? s.encoding : NULL;
    set_result(out, t);
    for (uint32_t i = 1; i < op->def->results.count; i++)
        set_result(out, type_of(&f, t->element));
    return true;
}

/* ---- fft ---------------------------------------------------------------------------- */

static bool fail_fft(ir_op *op, const char *what, const sized *s, const int64_t *lengths,
                     size_t n, const char *tail)
{
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s. Got: ", what);
    for (size_t i = 0; i < s->n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)s->dims[i]);
    tw_strbuf_puts(&text, " but wanted ");
    for (size_t i = 0; i < n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)lengths[i]);
    FAIL("%s%s.", tw_strbuf_text(&text), tail);
    tw_strbuf_free(&text);
    return false;
}

static bool check_lengths(ir_op *op, int64_t kind, const sized *s, const int64_t *lengths,
                          size_t n)
{
    bool inverse = kind == STABLEHLO_FftType_IRFFT;
    char tail[64] = "";
    for (size_t i = 0; i + inverse < n; i++) {
        int64_t size = s->dims[s->n - n + i];
        if (stablehlo_sizes_fit(size, lengths[i]))
            continue;
        if (inverse)
            snprintf(tail, sizeof tail, ", and %lld != %lld", (long long)size,
                     (long long)lengths[i]);
        return fail_fft(op,
                        inverse ? "IRFFT requires non-final dimensions to be compatible "
                                  "with fft_length"
                                : "RFFT requires innermost dimensions to be compatible "
                                  "with fft_length",
                        s, lengths, n, tail);
    }
    int64_t last = s->dims[s->n - 1], length = lengths[n - 1];
    if (!inverse || (stablehlo_sizes_fit(last, 0) && length == 0) ||
        stablehlo_sizes_fit(last, length / 2 + 1))
        return true;
    tw_strbuf text = {0};
    for (size_t i = 0; i < n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)lengths[i]);
    FAIL("IRFFT requires innermost dimension to be compatible with fft_length[-1]/2+1. "
         "Got: %lld but fft_length is %s.",
         (long long)last, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

bool stablehlo_infer_fft(ir_op *op, chk_types *out)
{
    int64_t lengths[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "fft_length"), lengths, CAPACITY);
    int64_t kind = ir_enum_value(ir_op_attr(op, "fft_type"), 0);
    ir_type t = operand(op, 0), element = t->element;
    sized s;
    if (n < 1 || n > 3)
        return FAIL("rank must be between 1 and 3, but got %lld.", (long long)n);
    if (kind == STABLEHLO_FftType_RFFT && !ir_type_is_float(element, IR_F32) &&
        !ir_type_is_float(element, IR_F64))
        return FAIL("RFFT requires f32 or f64 input type, but is given '%s'.",
                    ir_type_text(op->ctx, element));
    if (kind != STABLEHLO_FftType_RFFT && element->kind != IR_TYPE_COMPLEX)
        return FAIL("FFT/IFFT/IRFFT take a complex tensor as input, but is given '%s'.",
                    ir_type_text(op->ctx, t));
    if (t->count < n)
        return FAIL("operand rank must not be less than fft rank of %lld for operand of "
                    "type '%s'.",
                    (long long)n, ir_type_text(op->ctx, t));
    if (!sized_of(t, &s))
        return true;
    if (kind != STABLEHLO_FftType_RFFT && kind != STABLEHLO_FftType_IRFFT)
        return set_result(out, t);
    if (!check_lengths(op, kind, &s, lengths, (size_t)n))
        return false;
    int64_t last = lengths[n - 1];
    if (kind == STABLEHLO_FftType_IRFFT || last)
        s.dims[s.n - 1] = kind == STABLEHLO_FftType_IRFFT ? last : last / 2 + 1;
    s.bounds[s.n - 1] = IR_DYNAMIC;
    return set_result(out,
                      type_of(&s, kind == STABLEHLO_FftType_RFFT ? ir_complex_type(element)
                                                                 : element->element));
}

/* ---- gather ------------------------------------------------------------------------- */

static size_t param_list(ir_attr numbers, const char *name, int64_t *out)
{
    int64_t n = ir_attr_ints(ir_attr_param(numbers, name), out, CAPACITY);
    return n < 0 || n > CAPACITY ? 0 : (size_t)n;
}

static bool is_in(int64_t x, const int64_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* Offset dimensions come from the slice sizes, the others from the indices. */
bool stablehlo_infer_gather(ir_op *op, chk_types *out)
{
    int64_t offset[CAPACITY], dropped[2 * CAPACITY], sizes[CAPACITY], kept[CAPACITY];
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    sized indices, s = {.n = 0};
    size_t n_kept = 0, rank = operand(op, 0)->count;
    if (!sized_of(operand(op, 1), &indices) || rank > CAPACITY)
        return true;
    size_t n_offset = param_list(numbers, "offsetDims", offset);
    size_t n_dropped = param_list(numbers, "collapsedSliceDims", dropped);
    n_dropped += param_list(numbers, "operandBatchingDims", dropped + n_dropped);
    int64_t vector = ir_attr_int(ir_attr_param(numbers, "indexVectorDim"), 0);
    int64_t known = op->def == STABLEHLO_OP(gather)
                        ? ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, CAPACITY)
                        : stablehlo_ints(op->operands[2].value, sizes, CAPACITY);
    for (size_t i = 0; i < rank; i++)
        if (!is_in((int64_t)i, dropped, n_dropped))
            kept[n_kept++] = known == (int64_t)rank ? sizes[i] : IR_DYNAMIC;
    s.n = n_offset + indices.n - (vector == (int64_t)indices.n ? 0 : 1);
    s.bounded = indices.bounded;
    s.encoding = indices.bounded ? indices.encoding : NULL;
    if (s.n > CAPACITY || n_kept != n_offset)
        return true;
    for (size_t i = 0, o = 0, b = 0; i < s.n; i++) {
        bool is_offset = is_in((int64_t)i, offset, n_offset);
        b += !is_offset && (int64_t)b == vector;
        s.dims[i] = is_offset ? kept[o++] : indices.dims[b];
        s.bounds[i] = is_offset ? IR_DYNAMIC : indices.bounds[b];
        b += !is_offset;
        if (s.dims[i] < 0 && s.dims[i] != IR_DYNAMIC)
            return true;
    }
    return set_result(out, type_of(&s, operand(op, 0)->element));
}

/* ---- dot products ------------------------------------------------------------------- */

static void push(sized *s, const sized *from, size_t dim)
{
    if (s->n < CAPACITY) {
        s->dims[s->n] = from->dims[dim];
        s->bounds[s->n++] = from->bounds[dim];
    }
}

static bool two_sides(ir_op *op, sized *lhs, sized *rhs, sized *s)
{
    if (!sized_of(operand(op, 0), lhs) || !sized_of(operand(op, 1), rhs))
        return false;
    *s = (sized){.n = 0};
    s->encoding = lhs->encoding ? lhs->encoding : rhs->encoding;
    s->bounded = lhs->bounded || rhs->bounded;
    return true;
}

/* dot: vectors and matrices; contracts the last dimension of the left side with the first
 * of the right. */
bool stablehlo_infer_dot(ir_op *op, chk_types *out)
{
    sized lhs, rhs, s;
    if (!two_sides(op, &lhs, &rhs, &s))
        return true;
    if (lhs.n < 1 || lhs.n > 2 || rhs.n < 1 || rhs.n > 2 ||
        !stablehlo_sizes_fit(lhs.dims[lhs.n - 1], rhs.dims[0]))
        return FAIL("expected both lhs/rhs ranks to be either 1 or 2");
    if (lhs.n == 2)
        push(&s, &lhs, 0);
    if (rhs.n == 2)
        push(&s, &rhs, 1);
    return set_result(out, type_of(&s, op->results[0].type->element));
}

bool stablehlo_infer_dot_general(ir_op *op, chk_types *out)
{
    sized sides[2], s;
    int64_t batch[2][CAPACITY], contracting[2][CAPACITY];
    size_t n_batch[2], n_contracting[2];
    ir_attr n = ir_op_attr(op, "dot_dimension_numbers");
    if (!two_sides(op, &sides[0], &sides[1], &s))
        return true;
    for (int k = 0; k < 2; k++) {
        n_batch[k] =
            param_list(n, k ? "rhsBatchingDimensions" : "lhsBatchingDimensions", batch[k]);
        n_contracting[k] = param_list(
            n, k ? "rhsContractingDimensions" : "lhsContractingDimensions", contracting[k]);
    }
    for (size_t i = 0; i < n_batch[0] && i < n_batch[1]; i++) {
        push(&s, &sides[0], (size_t)batch[0][i]);
        if (!merge_specific(op, &s, &sides[1], i, (size_t)batch[1][i]))
            return false;
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sides[k].n; i++)
            if (!is_in((int64_t)i, batch[k], n_batch[k]) &&
                !is_in((int64_t)i, contracting[k], n_contracting[k]))
                push(&s, &sides[k], i);
    return set_result(out, type_of(&s, op->results[0].type->element));
}
