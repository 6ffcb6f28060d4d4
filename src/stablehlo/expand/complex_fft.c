/* complex_fft.c: Fourier transforms as dot products with matrices of cosines and sines.
 *
 * Each transformed dimension is contracted with a matrix and becomes the last one: after
 * all of the last k dimensions, they are in their original order. */
#include "stablehlo/build.h"
#include "stablehlo/expand/complex_parts.h"
#include "stablehlo/stablehlo.h"

#include <math.h>
#include <stdlib.h>

/* Matrices of longer transforms would need more memory than the tensors. */
enum { LONGEST = 2048, MAX_AXES = 3 };

typedef struct transform {
    ir_builder *b;
    ir_type element;
    int64_t axis; /* the contracted one, always the first of those transformed */
} transform;

/* One entry for input j and output k of a transform of length n. */
typedef struct wave {
    int64_t n, from, to; /* length, rows, columns */
    double scale;
    bool mirrored; /* inputs other than the first and the middle one count twice */
} wave;

static ir_value *matrix(const transform *t, const wave *w, double (*of)(double))
{
    const double pi = acos(-1);
    const int64_t dims[] = {w->from, w->to};
    const bool wide = t->element->sign == IR_F64;
    const size_t size = wide ? sizeof(double) : sizeof(float);
    char *data = tw_xmalloc((size_t)(w->from * w->to) * size + 1);
    for (int64_t j = 0; j < w->from; j++)
        for (int64_t k = 0; k < w->to; k++) {
            const int64_t phase = j * k % w->n;
            const bool twice = w->mirrored && j > 0 && 2 * j != w->n;
            double v =
                of(2 * pi * (double)phase / (double)w->n) * w->scale * (twice ? 2 : 1);
            if (4 * phase % w->n == 0) /* exact: 1, 0 and -1 */
                v = nearbyint(v / w->scale) * w->scale;
            const float narrow = (float)v;
            memcpy(data + (size_t)(j * w->to + k) * size,
                   wide ? (const void *)&v : (const void *)&narrow, size);
        }
    ir_attr value = ir_dense_attr(ir_tensor_type(t->element, dims, 2, NULL), data,
                                  (size_t)(w->from * w->to) * size);
    free(data);
    return hlo_constant(t->b, value);
}

static ir_value *contract(const transform *t, ir_value *x, ir_value *by)
{
    int64_t dims[HLO_PARTS_RANK];
    const ir_type type = x->type;
    size_t n = 0;
    for (int64_t d = 0; d < type->count; d++)
        if (d != t->axis)
            dims[n++] = type->dims[d];
    dims[n] = by->type->dims[1];
    ir_attr at = ir_raw_int(t->b->ctx, t->axis), zero = ir_raw_int(t->b->ctx, 0);
    ir_attr none = ir_array_attr(t->b->ctx, NULL, 0);
    ir_attr numbers[] = {none, none, ir_array_attr(t->b->ctx, &at, 1),
                         ir_array_attr(t->b->ctx, &zero, 1)};
    return ir_build1(
        t->b, STABLEHLO_OP(dot_general), ir_tensor_type(type->element, dims, n + 1, NULL),
        IR_VALUES(x, by),
        IR_ATTRS({"dot_dimension_numbers",
                  ir_dialect_attr(t->b->ctx, STABLEHLO_ATTR(dot), numbers, 4)}));
}

/* p * c + q * s or p * c - q * s; a NULL q is 0. */
static ir_value *mix(const transform *t, ir_value *p, ir_value *c, ir_value *q, ir_value *s,
                     bool minus)
{
    ir_value *first = contract(t, p, c);
    return q ? hlo_real_op(t->b, minus ? STABLEHLO_subtract : STABLEHLO_add, first,
                           contract(t, q, s))
             : first;
}

bool hlo_fft_by_products(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    int64_t length[MAX_AXES];
    const int64_t kind = ir_enum_value(ir_op_attr(op, "fft_type"), -1);
    const int64_t axes = ir_attr_ints(ir_op_attr(op, "fft_length"), length, MAX_AXES);
    const bool inverse = kind == STABLEHLO_FftType_IFFT || kind == STABLEHLO_FftType_IRFFT;
    ir_value *x = op->operands[0].value;
    hlo_parts p = {.re = x};
    if (kind != STABLEHLO_FftType_RFFT)
        p = *hlo_parts_of(c, x);
    transform t = {b, p.re->type->element, (int64_t)p.re->type->count - axes};
    if (axes < 1 || axes > MAX_AXES || !ir_type_has_static_shape(x->type))
        return false;
    for (int64_t i = 0; i < axes; i++)
        if (length[i] < 1 || length[i] > LONGEST)
            return false;
    for (int64_t i = 0; i < axes; i++) {
        const bool last = i == axes - 1;
        const int64_t half = length[i] / 2 + 1;
        const bool to_real = last && kind == STABLEHLO_FftType_IRFFT;
        const wave w = {.n = length[i],
                        .from = to_real ? half : length[i],
                        .to = last && kind == STABLEHLO_FftType_RFFT ? half : length[i],
                        .scale = inverse ? 1 / (double)length[i] : 1,
                        .mirrored = to_real};
        ir_value *cosines = matrix(&t, &w, cos), *sines = matrix(&t, &w, sin);
        ir_value *re = mix(&t, p.re, cosines, p.im, sines, inverse);
        if (to_real) {
            ir_value_replace_uses(&op->results[0], re);
            return true;
        }
        ir_value *im =
            p.im ? mix(&t, p.im, cosines, p.re, sines, !inverse)
                 : hlo_real_op(b, STABLEHLO_negate, contract(&t, p.re, sines), NULL);
        p.re = re;
        p.im = im;
    }
    hlo_set_parts(c, &op->results[0], p.re, p.im);
    return true;
}
