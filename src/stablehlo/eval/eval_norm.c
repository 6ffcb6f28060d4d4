/* eval_norm.c: batch norms of eval.h, computed in double precision and rounded once. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/stablehlo.h"

#include <math.h>

/* A tensor whose features are along one dimension: `each` elements for every feature. */
typedef struct features {
    const hlo_value *x;
    size_t outer, n, inner;
    double each, epsilon;
} features;

static bool read_features(hlo_eval *e, ir_op *op, features *out)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    const int64_t at = ir_op_int(op, "feature_index", 0);
    if (x->class != HLO_FLOAT)
        return hlo_stuck(e, op, "a batch norm of this element type");
    *out = (features){.x = x,
                      .outer = 1,
                      .inner = 1,
                      .n = (size_t)x->dims[at],
                      .epsilon = ir_op_real(op, "epsilon", 0)};
    for (size_t d = 0; d < x->rank; d++)
        if ((int64_t)d != at)
            *((int64_t)d < at ? &out->outer : &out->inner) *= (size_t)x->dims[d];
    out->each = (double)out->outer * (double)out->inner;
    return true;
}

/* The index of the k-th element of a feature. */
static size_t element_of(const features *f, size_t feature, size_t k)
{
    return (k / f->inner * f->n + feature) * f->inner + k % f->inner;
}

static double at(const hlo_value *v, size_t i)
{
    return v->at[i].re;
}

static void store(hlo_value *v, size_t i, double x)
{
    v->at[i] = hlo_round(v->element, (hlo_num){.re = x});
}

static void statistics(const features *f, size_t c, double *mean, double *variance)
{
    const size_t count = f->outer * f->inner;
    double sum = 0, square = 0;
    for (size_t k = 0; k < count; k++)
        sum += at(f->x, element_of(f, c, k));
    *mean = sum / f->each;
    for (size_t k = 0; k < count; k++) {
        const double d = at(f->x, element_of(f, c, k)) - *mean;
        square += d * d;
    }
    *variance = square / f->each;
}

static void normalize(const features *f, size_t c, double mean, double variance,
                      double scale, double offset, hlo_value *out)
{
    const double deviation = sqrt(variance + f->epsilon);
    for (size_t k = 0; k < f->outer * f->inner; k++) {
        const size_t i = element_of(f, c, k);
        store(out, i, (at(f->x, i) - mean) / deviation * scale + offset);
    }
}

static bool eval_inference(hlo_eval *e, ir_op *op)
{
    features f;
    if (!read_features(e, op, &f))
        return false;
    const hlo_value *scale = hlo_operand(e, op, 1), *offset = hlo_operand(e, op, 2),
                    *mean = hlo_operand(e, op, 3), *variance = hlo_operand(e, op, 4);
    hlo_value *out = hlo_new(e, op, f.x->element, f.x->dims, f.x->rank);
    for (size_t c = 0; out && c < f.n; c++)
        normalize(&f, c, at(mean, c), at(variance, c), at(scale, c), at(offset, c), out);
    return hlo_set(e, op, 0, out);
}

static bool eval_training(hlo_eval *e, ir_op *op)
{
    features f;
    if (!read_features(e, op, &f))
        return false;
    const hlo_value *scale = hlo_operand(e, op, 1), *offset = hlo_operand(e, op, 2);
    hlo_value *out = hlo_new(e, op, f.x->element, f.x->dims, f.x->rank),
              *mean = hlo_new(e, op, scale->element, scale->dims, 1),
              *variance = hlo_new(e, op, scale->element, scale->dims, 1);
    for (size_t c = 0; out && mean && variance && c < f.n; c++) {
        double m, v;
        statistics(&f, c, &m, &v);
        normalize(&f, c, m, v, at(scale, c), at(offset, c), out);
        store(mean, c, m);
        store(variance, c, v);
    }
    return hlo_set(e, op, 0, out) && hlo_set(e, op, 1, mean) && hlo_set(e, op, 2, variance);
}

static bool eval_grad(hlo_eval *e, ir_op *op)
{
    features f;
    if (!read_features(e, op, &f))
        return false;
    const hlo_value *scale = hlo_operand(e, op, 1), *mean = hlo_operand(e, op, 2),
                    *variance = hlo_operand(e, op, 3), *given = hlo_operand(e, op, 4);
    hlo_value *out = hlo_new(e, op, f.x->element, f.x->dims, f.x->rank),
              *of_scale = hlo_new(e, op, scale->element, scale->dims, 1),
              *of_offset = hlo_new(e, op, scale->element, scale->dims, 1);
    const size_t count = f.outer * f.inner;
    for (size_t c = 0; out && of_scale && of_offset && c < f.n; c++) {
        const double wide = at(variance, c) + f.epsilon, deviation = sqrt(wide);
        double sum = 0, along = 0;
        for (size_t k = 0; k < count; k++) {
            const size_t i = element_of(&f, c, k);
            sum += at(given, i);
            along += at(given, i) * (at(f.x, i) - at(mean, c));
        }
        for (size_t k = 0; k < count; k++) {
            const size_t i = element_of(&f, c, k);
            const double centred = at(f.x, i) - at(mean, c);
            store(out, i,
                  at(scale, c) / deviation / f.each *
                      (f.each * at(given, i) - sum - along * centred / wide));
        }
        store(of_scale, c, along / deviation);
        store(of_offset, c, sum);
    }
    return hlo_set(e, op, 0, out) && hlo_set(e, op, 1, of_scale) &&
           hlo_set(e, op, 2, of_offset);
}

hlo_fn *hlo_find_norm(const ir_op_def *def)
{
    return def == STABLEHLO_OP(batch_norm_inference)  ? eval_inference
           : def == STABLEHLO_OP(batch_norm_training) ? eval_training
           : def == STABLEHLO_OP(batch_norm_grad)     ? eval_grad
                                                      : NULL;
}
