/* einsum.c: stablehlo.einsum and unary_einsum: what only one operand names is summed up
 * first, the rest is ttir.dot_general, whose result's dimensions are put in order. */
#include "ttir/build.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { MAX_LABELS = TTIR_MAX_DIMS };

/* A letter for each dimension. */
typedef struct labels {
    char at[MAX_LABELS];
    size_t n;
} labels;

static bool has(const labels *l, char c)
{
    return memchr(l->at, c, l->n) != NULL;
}

static size_t dim_of(const labels *l, char c)
{
    return (size_t)((const char *)memchr(l->at, c, l->n) - l->at);
}

/* Letters up to one of `ends`, each one once; *at moves behind it. */
static bool read_labels(tw_str text, size_t *at, const char *ends, labels *out)
{
    *out = (labels){0};
    for (; *at < text.size && !strchr(ends, text.data[*at]); (*at)++) {
        char c = text.data[*at];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter || out->n == MAX_LABELS || has(out, c))
            return false;
        out->at[out->n++] = c;
    }
    return true;
}

/* "ij,jk->ik", or of one operand "ij->i". Ellipses and diagonals ("ii") are not read. */
static bool read_equation(ir_op *op, labels in[2], labels *out)
{
    ir_attr config = ir_op_attr(op, "einsum_config");
    size_t at = 0;
    if (!ir_attr_is(config, IR_ATTR_STRING))
        return false;
    tw_str text = ir_attr_str(config);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if (i && (at >= text.size || text.data[at++] != ','))
            return false;
        if (!read_labels(text, &at, ",-", &in[i]) ||
            in[i].n != op->operands[i].value->type->count)
            return false;
    }
    if (at + 2 > text.size || memcmp(text.data + at, "->", 2) != 0)
        return false;
    at += 2;
    if (!read_labels(text, &at, "", out) || out->n != op->results[0].type->count)
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!has(&in[0], out->at[i]) && (op->n_operands < 2 || !has(&in[1], out->at[i])))
            return false;
    return true;
}

/* Sums over dimensions that neither the other operand nor the result names. */
static ir_value *sum_alone(ir_builder *b, ir_value *v, labels *l, const labels *other,
                           const labels *out)
{
    int64_t dims[MAX_LABELS], kept[MAX_LABELS];
    size_t n = 0, left = 0;
    for (size_t i = 0; i < l->n; i++)
        if (!has(out, l->at[i]) && !(other && has(other, l->at[i]))) {
            dims[n++] = (int64_t)i;
        } else {
            kept[left] = v->type->dims[i];
            l->at[left++] = l->at[i];
        }
    l->n = left;
    if (!n)
        return v;
    return s2t_reshape(b, ttir_build_reduce(b, TTIR_OP(sum), v, dims, n), kept, left);
}

/* Puts dimensions in the result's order. */
static ir_value *in_order(ir_builder *b, ir_value *v, const labels *l, const labels *out)
{
    int64_t order[MAX_LABELS];
    for (size_t i = 0; i < out->n; i++)
        order[i] = (int64_t)dim_of(l, out->at[i]);
    return s2t_permute(b, v, order, out->n);
}

/* Each dimension that is left is one of the result. */
static ir_value *multiply_operands(ir_op *op, ir_builder *b, ir_value *const *v,
                                   const labels in[2], const labels *out, labels *made)
{
    int64_t batch[2][MAX_LABELS], sum[2][MAX_LABELS], dims[MAX_LABELS];
    size_t n_batch = 0, n_sum = 0;
    for (size_t i = 0; i < in[0].n; i++) {
        char c = in[0].at[i];
        if (!has(&in[1], c))
            continue;
        bool kept = has(out, c);
        (kept ? batch : sum)[0][kept ? n_batch : n_sum] = (int64_t)i;
        (kept ? batch : sum)[1][kept ? n_batch++ : n_sum++] = (int64_t)dim_of(&in[1], c);
        if (kept)
            made->at[made->n++] = c;
    }
    for (size_t o = 0; o < 2; o++)
        for (size_t i = 0; i < in[o].n; i++)
            if (!has(&in[1 - o], in[o].at[i]))
                made->at[made->n++] = in[o].at[i];
    for (size_t i = 0; i < made->n; i++) {
        size_t o = has(&in[0], made->at[i]) ? 0 : 1;
        dims[i] = v[o]->type->dims[dim_of(&in[o], made->at[i])];
    }
    ir_type element = op->results[0].type->element;
    return ir_build1(
        b, TTIR_OP(dot_general), ir_tensor_type(element, dims, made->n, NULL), v, 2,
        IR_ATTRS({"batch_dims_lhs", ir_dense_i64_array(b->ctx, batch[0], n_batch)},
                 {"contract_dims_lhs", ir_dense_i64_array(b->ctx, sum[0], n_sum)},
                 {"batch_dims_rhs", ir_dense_i64_array(b->ctx, batch[1], n_batch)},
                 {"contract_dims_rhs", ir_dense_i64_array(b->ctx, sum[1], n_sum)}));
}

bool s2t_einsum(ir_op *op, ir_builder *b)
{
    labels in[2] = {0}, out, made = {0};
    ir_value *v[2] = {0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ir_type_is_tensor(op->operands[i].value->type) ||
            !ir_type_has_static_shape(op->operands[i].value->type))
            return false;
    if (!ir_type_is_tensor(op->results[0].type) || !read_equation(op, in, &out))
        return false;
    bool two = op->n_operands == 2;
    for (uint32_t i = 0; i < op->n_operands; i++)
        v[i] = sum_alone(b, op->operands[i].value, &in[i], two ? &in[1 - i] : NULL, &out);
    if (!two)
        return s2t_done(op, in_order(b, v[0], &in[0], &out));
    ir_value *product = multiply_operands(op, b, v, in, &out, &made);
    return s2t_done(op, in_order(b, product, &made, &out));
}
