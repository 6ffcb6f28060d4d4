/* eval_linear.c: dot products, convolutions, Fourier transforms and solvers of eval.h. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/stablehlo.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* ---- dot products ------------------------------------------------------------------- */

/* Accumulates in the result's type: integers wrap.  Single precision is rounded at every
 * step, which reference results with cancellation depend on; narrower floats once. */
typedef struct sum {
    hlo_class class;
    bool single;
    uint64_t i;
    double re, im;
} sum;

static void add_product(sum *s, const hlo_value *x, size_t a, const hlo_value *y, size_t b)
{
    hlo_num u = x->at[a], v = y->at[b];
    if (s->class == HLO_INT) {
        s->i += (uint64_t)u.i * (uint64_t)v.i;
        return;
    }
    double ure = hlo_real(x->element, u), vre = hlo_real(y->element, v);
    double uim = x->class == HLO_COMPLEX ? u.im : 0,
           vim = y->class == HLO_COMPLEX ? v.im : 0;
    if (s->single) {
        float ar = (float)ure, ai = (float)uim, br = (float)vre, bi = (float)vim;
        s->re = (float)s->re + (ar * br - ai * bi);
        s->im = (float)s->im + (ar * bi + ai * br);
        return;
    }
    s->re += ure * vre - uim * vim;
    s->im += ure * vim + uim * vre;
}

static sum no_sum(const hlo_value *out)
{
    ir_type t = out->class == HLO_COMPLEX ? out->element->element : out->element;
    return (sum){.class = out->class, .single = ir_type_is_float(t, IR_F32)};
}

static hlo_num total(const sum *s, ir_type element)
{
    hlo_num r = {.im = s->im};
    if (s->class == HLO_INT)
        r.i = element->width == 1 ? s->i != 0 : (int64_t)s->i;
    else
        r.re = s->re;
    return hlo_round(element, r);
}

/* One side of a dot product: batch, contracting and free dimensions. */
typedef struct side {
    const hlo_value *v;
    int64_t batch[HLO_MAX_RANK], contracting[HLO_MAX_RANK], open[HLO_MAX_RANK];
    size_t n_batch, n_contracting, n_open;
} side;

static void find_open(side *s)
{
    s->n_open = 0;
    for (size_t i = 0; i < s->v->rank; i++)
        if (!hlo_is_in((int64_t)i, s->batch, s->n_batch) &&
            !hlo_is_in((int64_t)i, s->contracting, s->n_contracting))
            s->open[s->n_open++] = (int64_t)i;
}

/* Offsets of the elements of a sum from its first one. */
static size_t *inner_offsets(const side *s, size_t n)
{
    int64_t inner[HLO_MAX_RANK], k[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK] = {0};
    size_t *out = tw_xmalloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < s->n_contracting; i++)
        inner[i] = s->v->dims[s->contracting[i]];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < s->n_contracting; j++)
            at[s->contracting[j]] = k[j];
        out[i] = hlo_offset(s->v, at);
        hlo_next(inner, s->n_contracting, k);
    }
    return out;
}

/* The offset of a sum's first element; `open` are the indices of the free dimensions. */
static size_t first_offset(const side *s, const int64_t *batch, const int64_t *open)
{
    int64_t at[HLO_MAX_RANK] = {0};
    for (size_t j = 0; j < s->n_batch; j++)
        at[s->batch[j]] = batch[j];
    for (size_t j = 0; j < s->n_open; j++)
        at[s->open[j]] = open[j];
    return hlo_offset(s->v, at);
}

static void read_sides(const ir_op *op, side *l, side *r)
{
    ir_attr n = ir_op_attr(op, "dot_dimension_numbers");
    if (n) {
        l->n_batch = hlo_integers(n, "lhsBatchingDimensions", l->batch);
        r->n_batch = hlo_integers(n, "rhsBatchingDimensions", r->batch);
        l->n_contracting = hlo_integers(n, "lhsContractingDimensions", l->contracting);
        r->n_contracting = hlo_integers(n, "rhsContractingDimensions", r->contracting);
    } else { /* dot */
        l->n_contracting = r->n_contracting = 1;
        l->contracting[0] = (int64_t)l->v->rank - 1;
        r->contracting[0] = 0;
    }
    find_open(l);
    find_open(r);
}

/* Columns whose sums are computed at once: each sum keeps its order. */
enum { COLUMNS = 16 };

static void sum_floats(const float *x, const float *y, size_t n, float sums[COLUMNS])
{
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < COLUMNS; c++)
            sums[c] += x[k] * y[k * COLUMNS + c];
}

static void sum_doubles(const double *x, const double *y, size_t n, double sums[COLUMNS])
{
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < COLUMNS; c++)
            sums[c] += x[k] * y[k * COLUMNS + c];
}

/* Factors of sums, every `step` elements of a list of floats or of doubles. */
static void gather(const hlo_num *v, const size_t *in, size_t n, bool single, void *list,
                   size_t step)
{
    for (size_t k = 0; k < n; k++)
        if (single)
            ((float *)list)[k * step] = (float)v[in[k]].re;
        else
            ((double *)list)[k * step] = v[in[k]].re;
}

/* What a dot product's sums have in common. */
typedef struct product {
    hlo_value *out;
    side l, r;
    const int64_t *dims; /* batch, free ones of l, of r */
    size_t n;            /* elements of a sum */
    const size_t *in_l, *in_r;
} product;

static size_t count_of(const int64_t *dims, size_t rank)
{
    size_t n = 1;
    for (size_t i = 0; i < rank; i++)
        n *= (size_t)dims[i];
    return n;
}

/* One matrix of a product of floats. */
static void multiply_floats(const product *p, const int64_t *batch, hlo_num *out)
{
    const bool single = no_sum(p->out).single;
    const int64_t *rows_of = p->dims + p->l.n_batch, *columns_of = rows_of + p->l.n_open;
    const size_t rows = count_of(rows_of, p->l.n_open),
                 columns = count_of(columns_of, p->r.n_open),
                 size = single ? sizeof(float) : sizeof(double);
    char *x = tw_xcalloc(p->n + 1, size), *y = tw_xcalloc(p->n * COLUMNS + 1, size);
    int64_t column[HLO_MAX_RANK] = {0};
    for (size_t j = 0; rows && j < columns; j += COLUMNS) {
        const size_t some = TW_MIN((size_t)COLUMNS, columns - j);
        int64_t row[HLO_MAX_RANK] = {0};
        for (size_t c = 0; c < some; c++) {
            gather(p->r.v->at + first_offset(&p->r, batch, column), p->in_r, p->n, single,
                   y + c * size, COLUMNS);
            hlo_next(columns_of, p->r.n_open, column);
        }
        for (size_t i = 0; i < rows; i++) {
            float narrow[COLUMNS] = {0};
            double wide[COLUMNS] = {0};
            gather(p->l.v->at + first_offset(&p->l, batch, row), p->in_l, p->n, single, x,
                   1);
            if (single)
                sum_floats((const float *)x, (const float *)y, p->n, narrow);
            else
                sum_doubles((const double *)x, (const double *)y, p->n, wide);
            for (size_t c = 0; c < some; c++) {
                const sum s = {.class = HLO_FLOAT,
                               .re = single ? (double)narrow[c] : wide[c]};
                out[i * columns + j + c] = total(&s, p->out->element);
            }
            hlo_next(rows_of, p->l.n_open, row);
        }
    }
    free(x);
    free(y);
}

/* One sum of any other type. */
static sum sum_products(const product *p, const int64_t *index)
{
    sum s = no_sum(p->out);
    const int64_t *rows = index + p->l.n_batch, *columns = rows + p->l.n_open;
    for (size_t k = 0; k < p->n; k++)
        add_product(&s, p->l.v, first_offset(&p->l, index, rows) + p->in_l[k], p->r.v,
                    first_offset(&p->r, index, columns) + p->in_r[k]);
    return s;
}

static void fill_product(const product *p, size_t rank)
{
    int64_t index[HLO_MAX_RANK] = {0};
    hlo_value *out = p->out;
    if (out->class == HLO_FLOAT && p->l.v->class == HLO_FLOAT &&
        p->r.v->class == HLO_FLOAT) {
        const size_t open = count_of(p->dims + p->l.n_batch, rank - p->l.n_batch);
        for (size_t i = 0; i < out->n; i += open) {
            multiply_floats(p, index, out->at + i);
            hlo_next(p->dims, p->l.n_batch, index);
        }
        return;
    }
    for (size_t i = 0; i < out->n; i++) {
        sum s = sum_products(p, index);
        out->at[i] = total(&s, out->element);
        hlo_next(p->dims, rank, index);
    }
}

static bool eval_dot(hlo_eval *e, ir_op *op)
{
    side l = {.v = hlo_operand(e, op, 0)}, r = {.v = hlo_operand(e, op, 1)};
    int64_t dims[HLO_MAX_RANK];
    size_t rank = 0, n = 1;
    read_sides(op, &l, &r);
    if (l.n_batch + l.n_open + r.n_open > HLO_MAX_RANK)
        return hlo_stuck(e, op, "a tensor of this rank");
    for (size_t i = 0; i < l.n_batch; i++)
        dims[rank++] = l.v->dims[l.batch[i]];
    for (size_t i = 0; i < l.n_open; i++)
        dims[rank++] = l.v->dims[l.open[i]];
    for (size_t i = 0; i < r.n_open; i++)
        dims[rank++] = r.v->dims[r.open[i]];
    for (size_t i = 0; i < l.n_contracting; i++)
        n *= (size_t)l.v->dims[l.contracting[i]];
    hlo_value *out = hlo_new(e, op, hlo_result_element(e, op, 0), dims, rank);
    size_t *in_l = inner_offsets(&l, n), *in_r = inner_offsets(&r, n);
    if (out && out->n)
        fill_product(&(product){out, l, r, dims, n, in_l, in_r}, rank);
    free(in_l);
    free(in_r);
    return hlo_set(e, op, 0, out);
}

/* ---- convolution -------------------------------------------------------------------- */

typedef struct conv {
    int64_t in[HLO_MAX_RANK], kernel[HLO_MAX_RANK], out[HLO_MAX_RANK];
    int64_t stride[HLO_MAX_RANK], base[HLO_MAX_RANK], dilation[HLO_MAX_RANK],
        low[HLO_MAX_RANK], high[HLO_MAX_RANK], flip[HLO_MAX_RANK];
    size_t n; /* number of spatial dimensions */
    int64_t features, batches;
} conv;

/* batch, feature and spatial dimensions; for kernels input and output features. */
static void read_dims(ir_attr n, const char *first, const char *second, const char *rest,
                      int64_t *out)
{
    out[0] = ir_attr_int(ir_attr_param(n, first), 0);
    out[1] = ir_attr_int(ir_attr_param(n, second), 0);
    hlo_integers(n, rest, out + 2);
}

static void read_or(const ir_op *op, const char *name, int64_t *out, size_t n,
                    int64_t other)
{
    if (!ir_op_attr(op, name) || hlo_ints(op, name, out) != n)
        for (size_t i = 0; i < n; i++)
            out[i] = other;
}

static void read_conv(const hlo_eval *e, const ir_op *op, conv *c)
{
    int64_t pads[2 * HLO_MAX_RANK] = {0};
    ir_attr n = ir_op_attr(op, "dimension_numbers");
    c->n = hlo_operand(e, op, 0)->rank - 2;
    read_dims(n, "inputBatchDimension", "inputFeatureDimension", "inputSpatialDimensions",
              c->in);
    read_dims(n, "kernelInputFeatureDimension", "kernelOutputFeatureDimension",
              "kernelSpatialDimensions", c->kernel);
    read_dims(n, "outputBatchDimension", "outputFeatureDimension",
              "outputSpatialDimensions", c->out);
    read_or(op, "window_strides", c->stride, c->n, 1);
    read_or(op, "lhs_dilation", c->base, c->n, 1);
    read_or(op, "rhs_dilation", c->dilation, c->n, 1);
    read_or(op, "window_reversal", c->flip, c->n, 0);
    if (op->def == STABLEHLO_OP(dynamic_conv)) {
        const hlo_value *p = hlo_operand(e, op, 2);
        for (size_t i = 0; i < p->n && i < TW_COUNT(pads); i++)
            pads[i] = p->at[i].i;
    } else if (ir_op_attr(op, "padding")) {
        ir_attr_ints(ir_op_attr(op, "padding"), pads, TW_COUNT(pads));
    }
    for (size_t i = 0; i < c->n; i++) {
        c->low[i] = pads[2 * i];
        c->high[i] = pads[2 * i + 1];
    }
    c->features = ir_op_int(op, "feature_group_count", 1);
    c->batches = ir_op_int(op, "batch_group_count", 1);
}

static int64_t dilated(int64_t size, int64_t by)
{
    return size == 0 ? 0 : (size - 1) * by + 1;
}

/* One element of the result: the sum over kernel positions and input features. */
static hlo_num convolve(const conv *c, const hlo_value *x, const hlo_value *k,
                        const hlo_value *out, const int64_t *index)
{
    int64_t sizes[HLO_MAX_RANK], at[HLO_MAX_RANK] = {0}, a[HLO_MAX_RANK], b[HLO_MAX_RANK];
    sum s = no_sum(out);
    int64_t channels = k->dims[c->kernel[0]], filters = k->dims[c->kernel[1]];
    int64_t filter = index[c->out[1]], batch = index[c->out[0]];
    int64_t group = filter / TW_MAX(filters / c->features, 1);
    int64_t part = filter / TW_MAX(filters / c->batches, 1);
    int64_t per_part = x->dims[c->in[0]] / c->batches;
    for (size_t i = 0; i < c->n; i++)
        sizes[i] = k->dims[c->kernel[i + 2]];
    sizes[c->n] = channels;
    do {
        bool inside = true;
        for (size_t i = 0; i < c->n; i++) {
            int64_t position =
                index[c->out[i + 2]] * c->stride[i] + at[i] * c->dilation[i] - c->low[i];
            inside &= position >= 0 && position % c->base[i] == 0;
            a[c->in[i + 2]] = position / c->base[i];
            b[c->kernel[i + 2]] = c->flip[i] ? sizes[i] - 1 - at[i] : at[i];
        }
        a[c->in[0]] = batch + (c->batches > 1 ? part * per_part : 0);
        a[c->in[1]] = at[c->n] + (c->features > 1 ? group * channels : 0);
        b[c->kernel[0]] = at[c->n];
        b[c->kernel[1]] = filter;
        if (inside && hlo_inside(x, a))
            add_product(&s, x, hlo_offset(x, a), k, hlo_offset(k, b));
    } while (hlo_next(sizes, c->n + 1, at));
    return total(&s, out->element);
}

static bool eval_convolution(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0), *k = hlo_operand(e, op, 1);
    int64_t dims[HLO_MAX_RANK], index[HLO_MAX_RANK] = {0};
    conv c;
    if (x->rank < 2 || x->rank >= HLO_MAX_RANK)
        return hlo_stuck(e, op, "a tensor of this rank");
    read_conv(e, op, &c);
    if (k->n == 0 || c.features < 1 || c.batches < 1)
        return hlo_stuck(e, op, "a kernel without elements");
    dims[c.out[0]] = x->dims[c.in[0]] / c.batches;
    dims[c.out[1]] = k->dims[c.kernel[1]];
    for (size_t i = 0; i < c.n; i++) {
        int64_t size = dilated(x->dims[c.in[i + 2]], c.base[i]) + c.low[i] + c.high[i];
        int64_t window = dilated(k->dims[c.kernel[i + 2]], c.dilation[i]);
        dims[c.out[i + 2]] =
            size <= 0 || window > size ? 0 : (size - window) / c.stride[i] + 1;
    }
    hlo_value *out = hlo_new(e, op, hlo_result_element(e, op, 0), dims, x->rank);
    for (size_t i = 0; out && i < out->n; i++) {
        out->at[i] = convolve(&c, x, k, out, index);
        hlo_next(dims, x->rank, index);
    }
    return hlo_set(e, op, 0, out);
}

/* ---- fft ---------------------------------------------------------------------------- */

/* Complex product without the handling of infinities that C's own has. */
static double complex multiply_z(double complex a, double complex b)
{
    return hlo_complex(creal(a) * creal(b) - cimag(a) * cimag(b),
                       creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Transforms n terms `stride` apart: splits in two while n is even, then sums directly.
 * `step` is the stride in the roots of the whole length. */
static void sum_up(const double complex *in, size_t stride, size_t n, double complex *out,
                   const double complex *roots, size_t step)
{
    if (n % 2 == 0) {
        size_t half = n / 2;
        sum_up(in, 2 * stride, half, out, roots, 2 * step);
        sum_up(in + stride, 2 * stride, half, out + half, roots, 2 * step);
        for (size_t k = 0; k < half; k++) {
            double complex t = multiply_z(roots[k * step], out[k + half]);
            out[k + half] = out[k] - t;
            out[k] += t;
        }
        return;
    }
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t j = 0; j < n; j++)
            out[k] += multiply_z(in[j * stride], roots[j * k % n * step]);
    }
}

static void transform_line(double complex *line, size_t n, bool inverse)
{
    double complex *out = tw_xmalloc((2 * n + 1) * sizeof *out), *roots = out + n;
    for (size_t k = 0; k < n; k++) {
        double angle = 2 * M_PI * (double)k / (double)n;
        roots[k] = hlo_complex(cos(angle), inverse ? sin(angle) : -sin(angle));
    }
    if (n)
        sum_up(line, 1, n, out, roots, 1);
    for (size_t k = 0; k < n; k++)
        line[k] = inverse ? out[k] / (double)n : out[k];
    free(out);
}

static void transform_along(double complex *data, const int64_t *dims, size_t rank,
                            size_t along, bool inverse)
{
    size_t n = (size_t)dims[along], stride = 1, all = 1;
    for (size_t i = 0; i < rank; i++)
        all *= (size_t)dims[i];
    for (size_t i = along + 1; i < rank; i++)
        stride *= (size_t)dims[i];
    double complex *line = tw_xmalloc((n + 1) * sizeof *line);
    for (size_t k = 0; n && k < all / n; k++) {
        size_t base = k / stride * stride * n + k % stride;
        for (size_t i = 0; i < n; i++)
            line[i] = data[base + i * stride];
        transform_line(line, n, inverse);
        for (size_t i = 0; i < n; i++)
            data[base + i * stride] = line[i];
    }
    free(line);
}

/* The full input of an inverse real transform: the second half are conjugates. */
static void fill_conjugates(const hlo_value *x, const int64_t *dims, size_t n_lengths,
                            double complex *data)
{
    int64_t index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    size_t all = 1, last = x->rank - 1;
    for (size_t i = 0; i < x->rank; i++)
        all *= (size_t)dims[i];
    for (size_t i = 0; i < all; i++) {
        bool mirrored = index[last] >= x->dims[last];
        memcpy(at, index, sizeof at);
        for (size_t d = x->rank - n_lengths; mirrored && d < x->rank; d++)
            at[d] = index[d] ? dims[d] - index[d] : 0;
        hlo_num v = x->at[hlo_offset(x, at)];
        data[i] = hlo_complex(v.re, mirrored ? -v.im : v.im);
        hlo_next(dims, x->rank, index);
    }
}

static bool eval_fft(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    int64_t lengths[HLO_MAX_RANK], dims[HLO_MAX_RANK], index[HLO_MAX_RANK] = {0};
    size_t n = hlo_ints(op, "fft_length", lengths), all = 1;
    int64_t kind = ir_enum_value(ir_op_attr(op, "fft_type"), 0);
    bool real_out = kind == STABLEHLO_FftType_IRFFT;
    bool inverse = real_out || kind == STABLEHLO_FftType_IFFT;
    if (n == 0 || n > x->rank)
        return hlo_stuck(e, op, "these lengths");
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    if (real_out)
        dims[x->rank - 1] = lengths[n - 1];
    for (size_t i = 0; i < x->rank; i++)
        all *= (size_t)dims[i];
    double complex *data = tw_xmalloc((all + 1) * sizeof *data);
    if (real_out)
        fill_conjugates(x, dims, n, data);
    else
        for (size_t i = 0; i < all; i++)
            data[i] = hlo_complex(x->at[i].re, x->class == HLO_COMPLEX ? x->at[i].im : 0);
    for (size_t i = x->rank - n; i < x->rank; i++)
        transform_along(data, dims, x->rank, i, inverse);
    int64_t kept[HLO_MAX_RANK];
    memcpy(kept, dims, x->rank * sizeof *dims);
    if (kind == STABLEHLO_FftType_RFFT && lengths[n - 1])
        kept[x->rank - 1] = lengths[n - 1] / 2 + 1;
    hlo_value *out = hlo_new(e, op, hlo_result_element(e, op, 0), kept, x->rank);
    for (size_t i = 0; out && i < out->n; i++) {
        size_t at = 0;
        for (size_t d = 0; d < x->rank; d++)
            at = at * (size_t)dims[d] + (size_t)index[d];
        hlo_num v = {.re = creal(data[at]), .im = cimag(data[at])};
        out->at[i] = hlo_round(out->element, v);
        hlo_next(kept, x->rank, index);
    }
    free(data);
    return hlo_set(e, op, 0, out);
}

/* ---- matrices ----------------------------------------------------------------------- */

static double complex z_of(hlo_num x, hlo_class class)
{
    return hlo_complex(x.re, class == HLO_COMPLEX ? x.im : 0);
}

static hlo_num num_of(ir_type element, double complex z)
{
    return hlo_round(element, (hlo_num){.re = creal(z), .im = cimag(z)});
}

/* L of a = L L*, or U of a = U* U; the other half is 0. */
static bool eval_cholesky(hlo_eval *e, ir_op *op)
{
    const hlo_value *a = hlo_operand(e, op, 0);
    bool lower = ir_op_bool(op, "lower");
    size_t n = (size_t)a->dims[a->rank - 1];
    hlo_value *out = hlo_new(e, op, a->element, a->dims, a->rank);
    double complex *l = tw_xcalloc(n * n + 1, sizeof *l);
    for (size_t m = 0; out && n && m < a->n / (n * n); m++) {
        const hlo_num *in = a->at + m * n * n;
        for (size_t j = 0; j < n; j++)
            for (size_t i = j; i < n; i++) {
                double complex s = z_of(in[lower ? i * n + j : j * n + i], a->class);
                if (!lower)
                    s = conj(s);
                for (size_t k = 0; k < j; k++)
                    s -= l[i * n + k] * conj(l[j * n + k]);
                l[i * n + j] = i == j ? sqrt(creal(s)) : s / l[j * n + j];
            }
        for (size_t j = 0; j < n; j++)
            for (size_t i = j; i < n; i++)
                out->at[m * n * n + (lower ? i * n + j : j * n + i)] =
                    num_of(a->element, lower ? l[i * n + j] : conj(l[i * n + j]));
    }
    free(l);
    return hlo_set(e, op, 0, out);
}

/* op(a) x = b or x op(a) = b, column by column (or row by row). */
static bool eval_triangular_solve(hlo_eval *e, ir_op *op)
{
    const hlo_value *a = hlo_operand(e, op, 0), *b = hlo_operand(e, op, 1);
    int64_t turned = ir_enum_value(ir_op_attr(op, "transpose_a"), 1);
    bool left = ir_op_bool(op, "left_side"), unit = ir_op_bool(op, "unit_diagonal");
    bool lower = ir_op_bool(op, "lower");
    bool transposed = turned != STABLEHLO_Transpose_NO_TRANSPOSE;
    bool conjugated = turned == STABLEHLO_Transpose_ADJOINT;
    size_t n = (size_t)a->dims[a->rank - 1], rows = (size_t)b->dims[b->rank - 2],
           cols = (size_t)b->dims[b->rank - 1], lines = left ? cols : rows;
    hlo_value *out = hlo_new(e, op, b->element, b->dims, b->rank);
    double complex *x = tw_xcalloc(n + 1, sizeof *x);
    /* x op(a) = b is op(a)^T x^T = b^T */
    bool flipped = transposed == left, forward = lower != (transposed == left);
    for (size_t m = 0; out && n && m < a->n / (n * n); m++)
        for (size_t line = 0; line < lines; line++) {
            for (size_t step = 0; step < n; step++) {
                size_t i = forward ? step : n - 1 - step;
                size_t at = m * rows * cols + (left ? i * cols + line : line * cols + i);
                double complex s = z_of(b->at[at], b->class), d = 1;
                for (size_t k = 0; k < step; k++) {
                    size_t j = forward ? k : n - 1 - k;
                    double complex c = z_of(
                        a->at[m * n * n + (flipped ? j * n + i : i * n + j)], a->class);
                    s -= (conjugated ? conj(c) : c) * x[j];
                }
                if (!unit)
                    d = z_of(a->at[m * n * n + i * n + i], a->class);
                x[i] = s / (conjugated ? conj(d) : d);
                out->at[at] = num_of(b->element, x[i]);
            }
        }
    free(x);
    return hlo_set(e, op, 0, out);
}

hlo_fn *hlo_find_linear(const ir_op_def *def)
{
    static const struct {
        uint16_t row;
        hlo_fn *fn;
    } rows[] = {
        {STABLEHLO_cholesky, eval_cholesky},
        {STABLEHLO_convolution, eval_convolution},
        {STABLEHLO_dot, eval_dot},
        {STABLEHLO_dot_general, eval_dot},
        {STABLEHLO_dynamic_conv, eval_convolution},
        {STABLEHLO_fft, eval_fft},
        {STABLEHLO_triangular_solve, eval_triangular_solve},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return rows[i].fn;
    return NULL;
}
