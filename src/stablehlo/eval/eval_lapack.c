/* eval_lapack.c: the custom calls that JAX exports for matrix decompositions.
 *
 * They have LAPACK's names and conventions (signs of reflections, pivots from 1, `info`);
 * all four types, s, d, c and z, are computed as complex doubles. Eigenvectors and
 * singular vectors come from Jacobi rotations: they agree with LAPACK's up to a factor of
 * absolute value 1 each, which is arbitrary. */
#include "stablehlo/eval/eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex z;

enum { MAX_SWEEPS = 60 };

/* One matrix, row-major. */
typedef struct matrix {
    z *at;
    size_t rows, cols;
} matrix;

static matrix matrix_new(size_t rows, size_t cols)
{
    return (matrix){tw_xcalloc(rows * cols + 1, sizeof(z)), rows, cols};
}

static z *cell(const matrix *m, size_t i, size_t j)
{
    return &m->at[i * m->cols + j];
}

static double size_of(z x)
{
    return cabs(x);
}

/* The root of x x + y y, as hypot has it: cabs has one version in all C libraries, hypot
 * two. */
static double length(double x, double y)
{
    return cabs(hlo_complex(x, y));
}

/* ---- tensors ------------------------------------------------------------------------ */

static size_t rows_of(const hlo_value *v)
{
    return (size_t)v->dims[v->rank - 2];
}

static size_t cols_of(const hlo_value *v)
{
    return (size_t)v->dims[v->rank - 1];
}

static matrix matrix_of(const hlo_value *v, size_t batch)
{
    matrix m = matrix_new(rows_of(v), cols_of(v));
    size_t n = m.rows * m.cols;
    for (size_t i = 0; i < n; i++) {
        hlo_num x = v->at[batch * n + i];
        m.at[i] = hlo_complex(x.re, v->class == HLO_COMPLEX ? x.im : 0);
    }
    return m;
}

static void put(hlo_value *v, size_t at, z x)
{
    if (at < v->n)
        v->at[at] = hlo_round(v->element, (hlo_num){.re = creal(x), .im = cimag(x)});
}

static void put_matrix(hlo_value *v, size_t batch, const matrix *m)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        put(v, batch * m->rows * m->cols + i, m->at[i]);
}

static void put_info(hlo_value *v, size_t batch, int64_t info)
{
    if (batch < v->n)
        v->at[batch].i = info;
}

/* A character of the call's configuration. */
static int letter(const ir_op *op, const char *name, int otherwise)
{
    ir_attr config = ir_op_attr(op, "mhlo.backend_config");
    if (!ir_attr_is(config, IR_ATTR_DICT))
        config = ir_op_attr(op, "backend_config");
    ir_attr value =
        ir_attr_is(config, IR_ATTR_DICT) ? ir_dict_get(config, tw_str_from(name)) : NULL;
    return (int)ir_attr_int(value, otherwise);
}

/* ---- factors ------------------------------------------------------------------------ */

typedef struct call {
    hlo_eval *e;
    ir_op *op;
    const hlo_value *in[2];
    hlo_value *out[6];
} call;

/* potrf: the factor in one triangle; the other one is unchanged. */
static void potrf(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch);
    bool lower = letter(c->op, "uplo", 'L') == 'L';
    size_t n = a.rows;
    int64_t info = 0;
    for (size_t j = 0; j < n && !info; j++) {
        z *d = cell(&a, j, j);
        double s = creal(*d);
        for (size_t k = 0; k < j; k++) {
            double x = size_of(lower ? *cell(&a, j, k) : *cell(&a, k, j));
            s -= x * x;
        }
        if (!(s > 0))
            info = (int64_t)j + 1;
        *d = sqrt(s);
        for (size_t i = j + 1; i < n && !info; i++) {
            z *x = lower ? cell(&a, i, j) : cell(&a, j, i);
            for (size_t k = 0; k < j; k++)
                *x -= lower ? *cell(&a, i, k) * conj(*cell(&a, j, k))
                            : conj(*cell(&a, k, j)) * *cell(&a, k, i);
            *x /= *d;
        }
    }
    put_matrix(c->out[0], batch, &a);
    put_info(c->out[1], batch, info);
    free(a.at);
}

static void swap_rows(matrix *a, size_t i, size_t k)
{
    for (size_t j = 0; j < a->cols && i != k; j++) {
        z x = *cell(a, i, j);
        *cell(a, i, j) = *cell(a, k, j);
        *cell(a, k, j) = x;
    }
}

static void getrf(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch);
    size_t steps = TW_MIN(a.rows, a.cols);
    int64_t info = 0;
    for (size_t k = 0; k < steps; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < a.rows; i++) /* izamax: |re| + |im| */
            if (fabs(creal(*cell(&a, i, k))) + fabs(cimag(*cell(&a, i, k))) >
                fabs(creal(*cell(&a, best, k))) + fabs(cimag(*cell(&a, best, k))))
                best = i;
        put_info(c->out[1], batch * steps + k, (int64_t)best + 1);
        if (*cell(&a, best, k) == 0) {
            info = info ? info : (int64_t)k + 1;
            continue;
        }
        swap_rows(&a, k, best);
        for (size_t i = k + 1; i < a.rows; i++) {
            z f = *cell(&a, i, k) /= *cell(&a, k, k);
            for (size_t j = k + 1; j < a.cols; j++)
                *cell(&a, i, j) -= f * *cell(&a, k, j);
        }
    }
    put_matrix(c->out[0], batch, &a);
    put_info(c->out[2], batch, info);
    free(a.at);
}

/* The reflection of larfg: I - tau v v*, v[0] = 1, which zeroes column k below k. */
static z reflect(matrix *a, size_t k)
{
    z alpha = *cell(a, k, k);
    double rest = 0;
    for (size_t i = k + 1; i < a->rows; i++)
        rest = length(rest, size_of(*cell(a, i, k)));
    if (rest == 0 && cimag(alpha) == 0)
        return 0;
    double beta = -copysign(length(size_of(alpha), rest), creal(alpha));
    z tau = hlo_complex((beta - creal(alpha)) / beta, -cimag(alpha) / beta);
    for (size_t i = k + 1; i < a->rows; i++)
        *cell(a, i, k) /= alpha - beta;
    *cell(a, k, k) = beta;
    return tau;
}

/* Columns from `first` of b, rows from k: b - factor v (v* b), v being column k of a. */
static void apply(const matrix *a, size_t k, z factor, matrix *b, size_t first)
{
    for (size_t j = first; j < b->cols; j++) {
        z dot = *cell(b, k, j);
        for (size_t i = k + 1; i < b->rows; i++)
            dot += conj(*cell(a, i, k)) * *cell(b, i, j);
        dot *= factor;
        *cell(b, k, j) -= dot;
        for (size_t i = k + 1; i < b->rows; i++)
            *cell(b, i, j) -= *cell(a, i, k) * dot;
    }
}

static void geqrf(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch);
    size_t steps = TW_MIN(a.rows, a.cols);
    for (size_t k = 0; k < steps; k++) {
        z tau = reflect(&a, k);
        put(c->out[1], batch * steps + k, tau);
        apply(&a, k, conj(tau), &a, k + 1);
    }
    put_matrix(c->out[0], batch, &a);
    free(a.at);
}

/* The product of the reflections, limited to the available columns. */
static void orgqr(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch), q = matrix_new(a.rows, a.cols);
    size_t n = cols_of(c->in[1]);
    for (size_t i = 0; i < TW_MIN(q.rows, q.cols); i++)
        *cell(&q, i, i) = 1;
    for (size_t k = TW_MIN(n, TW_MIN(a.rows, a.cols)); k-- > 0;) {
        hlo_num t = c->in[1]->at[batch * n + k];
        apply(&a, k, hlo_complex(t.re, c->in[1]->class == HLO_COMPLEX ? t.im : 0), &q, k);
    }
    put_matrix(c->out[0], batch, &q);
    free(a.at);
    free(q.at);
}

/* op(a) x = b, or x op(a) = b. */
static void trsm(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch), b = matrix_of(c->in[1], batch);
    int trans = letter(c->op, "trans_x", 'N');
    bool left = letter(c->op, "side", 'L') == 'L', unit = letter(c->op, "diag", 'N') == 'U',
         lower = letter(c->op, "uplo", 'L') == 'L';
    size_t n = a.rows, lines = left ? b.cols : b.rows;
    /* x op(a) = b is op(a)^T x^T = b^T */
    bool flipped = (trans != 'N') == left, forward = lower != flipped;
    for (size_t line = 0; line < lines; line++)
        for (size_t step = 0; step < n; step++) {
            size_t i = forward ? step : n - 1 - step;
            z *x = left ? cell(&b, i, line) : cell(&b, line, i);
            for (size_t k = 0; k < step; k++) {
                size_t j = forward ? k : n - 1 - k;
                z f = flipped ? *cell(&a, j, i) : *cell(&a, i, j);
                *x -= (trans == 'C' ? conj(f) : f) *
                      *(left ? cell(&b, j, line) : cell(&b, line, j));
            }
            z d = unit ? 1 : *cell(&a, i, i);
            *x /= trans == 'C' ? conj(d) : d;
        }
    put_matrix(c->out[0], batch, &b);
    free(a.at);
    free(b.at);
}

/* ---- rotations ---------------------------------------------------------------------- */

typedef struct rotation {
    double c, s;
    z phase; /* of the second column, before */
} rotation;

/* Makes the off-diagonal element `off` between two diagonal ones vanish. */
static rotation rotation_for(double first, double second, z off)
{
    double size = size_of(off), theta = (second - first) / (2 * size);
    double t = copysign(1, theta) / (fabs(theta) + length(theta, 1));
    double c = 1 / length(t, 1);
    return (rotation){c, t * c, conj(off) / size};
}

static void rotate_columns(matrix *m, size_t p, size_t q, rotation r)
{
    for (size_t i = 0; i < m->rows; i++) {
        z x = *cell(m, i, p), y = r.phase * *cell(m, i, q);
        *cell(m, i, p) = r.c * x - r.s * y;
        *cell(m, i, q) = r.s * x + r.c * y;
    }
}

static void rotate_rows(matrix *m, size_t p, size_t q, rotation r)
{
    for (size_t j = 0; j < m->cols; j++) {
        z x = *cell(m, p, j), y = conj(r.phase) * *cell(m, q, j);
        *cell(m, p, j) = r.c * x - r.s * y;
        *cell(m, q, j) = r.s * x + r.c * y;
    }
}

static matrix identity(size_t n)
{
    matrix m = matrix_new(n, n);
    for (size_t i = 0; i < n; i++)
        *cell(&m, i, i) = 1;
    return m;
}

/* The indices that sort the values. */
static size_t *order_of(const double *x, size_t n, bool descending)
{
    size_t *order = tw_xmalloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        for (; k > 0 && (descending ? x[order[k - 1]] < x[i] : x[order[k - 1]] > x[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

/* The triangle in use, and its mirror image. */
static matrix hermitian_of(const hlo_value *v, size_t batch, bool lower)
{
    matrix a = matrix_of(v, batch);
    for (size_t i = 0; i < a.rows; i++) {
        *cell(&a, i, i) = creal(*cell(&a, i, i));
        for (size_t j = 0; j < i; j++)
            if (lower)
                *cell(&a, j, i) = conj(*cell(&a, i, j));
            else
                *cell(&a, i, j) = conj(*cell(&a, j, i));
    }
    return a;
}

static void syevd(const call *c, size_t batch)
{
    matrix a = hermitian_of(c->in[0], batch, letter(c->op, "uplo", 'L') == 'L');
    size_t n = a.rows;
    matrix v = identity(n);
    double all = 0;
    for (size_t i = 0; i < n * n; i++)
        all += creal(a.at[i] * conj(a.at[i]));
    bool again = isfinite(all);
    for (int sweep = 0; again && sweep < MAX_SWEEPS; sweep++) {
        again = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                z off = *cell(&a, p, q);
                if (size_of(off) * (double)n <= 1e-17 * sqrt(all))
                    continue;
                again = true;
                rotation r =
                    rotation_for(creal(*cell(&a, p, p)), creal(*cell(&a, q, q)), off);
                rotate_columns(&a, p, q, r);
                rotate_rows(&a, p, q, r);
                rotate_columns(&v, p, q, r);
            }
    }
    double *w = tw_xmalloc((n + 1) * sizeof *w);
    for (size_t i = 0; i < n; i++)
        w[i] = isfinite(all) ? creal(*cell(&a, i, i)) : NAN;
    size_t *order = order_of(w, n, false);
    for (size_t k = 0; k < n; k++) {
        put(c->out[1], batch * n + k, w[order[k]]);
        for (size_t i = 0; i < n; i++)
            put(c->out[0], batch * n * n + i * n + k,
                isfinite(all) ? *cell(&v, i, order[k]) : NAN);
    }
    put_info(c->out[2], batch, again);
    free(a.at);
    free(v.at);
    free(w);
    free(order);
}

/* ---- singular values ---------------------------------------------------------------- */

static z dot_columns(const matrix *a, size_t p, size_t q)
{
    z s = 0;
    for (size_t i = 0; i < a->rows; i++)
        s += conj(*cell(a, i, p)) * *cell(a, i, q);
    return s;
}

static double length_of(const matrix *a, size_t j)
{
    double s = 0;
    for (size_t i = 0; i < a->rows; i++)
        s = length(s, size_of(*cell(a, i, j)));
    return s;
}

static void scale_column(matrix *a, size_t j, double by)
{
    for (size_t i = 0; i < a->rows; i++)
        *cell(a, i, j) *= by;
}

/* Sets column k to the part of the i-th unit vector orthogonal to the columns before. */
static double try_unit(matrix *u, size_t k, size_t i)
{
    for (size_t r = 0; r < u->rows; r++)
        *cell(u, r, k) = r == i;
    for (int twice = 0; twice < 2; twice++)
        for (size_t j = 0; j < k; j++) {
            z s = dot_columns(u, j, k);
            for (size_t r = 0; r < u->rows; r++)
                *cell(u, r, k) -= s * *cell(u, r, j);
        }
    return length_of(u, k);
}

/* Fills the columns from k on with any that are orthonormal to all others. */
static void complete(matrix *u, size_t k)
{
    for (; k < u->cols && k < u->rows; k++) {
        size_t best = 0;
        double longest = -1;
        for (size_t i = 0; i < u->rows; i++) {
            double s = try_unit(u, k, i);
            if (s > longest)
                longest = s, best = i;
        }
        scale_column(u, k, 1 / try_unit(u, k, best));
    }
}

/* a = u diag(s) v*, a with at least as many rows as columns; additional columns of u are
 * arbitrary orthonormal ones.  False if it does not converge. */
static bool decompose(matrix *a, matrix *u, double *s, matrix *v)
{
    size_t n = a->cols, rank = 0;
    matrix rotations = identity(n);
    bool again = true;
    for (int sweep = 0; again && sweep < MAX_SWEEPS; sweep++) {
        again = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                z off = dot_columns(a, p, q);
                double x = length_of(a, p), y = length_of(a, q);
                if (!(size_of(off) > 1e-16 * x * y))
                    continue;
                again = true;
                rotation r = rotation_for(x * x, y * y, off);
                rotate_columns(a, p, q, r);
                rotate_columns(&rotations, p, q, r);
            }
    }
    double *length = tw_xmalloc((n + 1) * sizeof *length);
    for (size_t j = 0; j < n; j++)
        length[j] = length_of(a, j);
    size_t *order = order_of(length, n, true);
    for (size_t k = 0; k < n; k++) {
        s[k] = length[order[k]];
        for (size_t i = 0; i < n; i++)
            *cell(v, i, k) = *cell(&rotations, i, order[k]);
        if (k < u->cols && s[k] > 1e-300 && rank == k) {
            for (size_t i = 0; i < a->rows; i++)
                *cell(u, i, k) = *cell(a, i, order[k]) / s[k];
            rank = k + 1;
        }
    }
    complete(u, rank);
    free(length);
    free(order);
    free(rotations.at);
    return !again;
}

static matrix adjoint(const matrix *a)
{
    matrix t = matrix_new(a->cols, a->rows);
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < a->cols; j++)
            *cell(&t, j, i) = conj(*cell(a, i, j));
    return t;
}

/* Results: the overwritten a, s, u, v*, info.  A wide matrix is transposed first. */
static void gesdd(const call *c, size_t batch)
{
    matrix a = matrix_of(c->in[0], batch), lying = {0};
    put_matrix(c->out[0], batch, &a);
    bool wide = a.cols > a.rows;
    if (wide) {
        lying = a;
        a = adjoint(&lying);
    }
    size_t n = a.cols;
    const hlo_value *left = c->out[2], *right = c->out[3];
    bool vectors = letter(c->op, "mode", 'N') != 'N';
    /* vectors of the longer side: as many as requested */
    size_t wanted = !vectors ? n : wide ? rows_of(right) : cols_of(left);
    matrix u = matrix_new(a.rows, TW_MAX(wanted, n)), v = matrix_new(n, n);
    double *s = tw_xmalloc((n + 1) * sizeof *s);
    bool converged = decompose(&a, &u, s, &v);
    for (size_t k = 0; k < n; k++)
        put(c->out[1], batch * n + k, s[k]);
    const matrix *l = wide ? &v : &u, *r = wide ? &u : &v;
    for (size_t i = 0; vectors && i < l->rows; i++)
        for (size_t j = 0; j < l->cols; j++)
            put(c->out[2], (batch * l->rows + i) * l->cols + j, *cell(l, i, j));
    for (size_t i = 0; vectors && i < r->cols; i++)
        for (size_t j = 0; j < r->rows; j++)
            put(c->out[3], (batch * r->cols + i) * r->rows + j, conj(*cell(r, j, i)));
    put_info(c->out[4], batch, !converged);
    free(a.at);
    free(lying.at);
    free(u.at);
    free(v.at);
    free(s);
}

/* ---- calls -------------------------------------------------------------------------- */

/* Names without the type letter; integer results are pivots and `info`. */
static const struct routine {
    const char *name, *complex_name;
    void (*run)(const call *c, size_t batch);
    uint32_t operands, results;
} routines[] = {
    {"geqrf", "geqrf", geqrf, 1, 2}, {"gesdd", "gesdd", gesdd, 1, 5},
    {"getrf", "getrf", getrf, 1, 3}, {"orgqr", "ungqr", orgqr, 2, 1},
    {"potrf", "potrf", potrf, 1, 2}, {"syevd", "heevd", syevd, 1, 3},
    {"trsm", "trsm", trsm, 2, 1},
};

/* "lapack_sgetrf_ffi" */
static const struct routine *routine_of(const ir_op *op)
{
    char name[32];
    tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(routines); i++)
        for (const char *kind = "sdcz"; *kind; kind++) {
            bool real = *kind == 's' || *kind == 'd';
            snprintf(name, sizeof name, "lapack_%c%s_ffi", *kind,
                     real ? routines[i].name : routines[i].complex_name);
            if (tw_str_is(target, name) && op->n_operands == routines[i].operands &&
                op->n_results == routines[i].results)
                return &routines[i];
        }
    return NULL;
}

bool hlo_is_lapack(const ir_op *op)
{
    return routine_of(op) != NULL;
}

bool hlo_lapack(hlo_eval *e, ir_op *op)
{
    const struct routine *r = routine_of(op);
    call c = {.e = e, .op = op};
    for (uint32_t i = 0; i < op->n_operands; i++) {
        c.in[i] = hlo_operand(e, op, i);
        if (c.in[i]->class != HLO_FLOAT && c.in[i]->class != HLO_COMPLEX)
            return hlo_stuck(e, op, "elements of this type");
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!(c.out[i] = hlo_new_as(e, op, op->results[i].type, NULL)))
            return false;
    if (c.in[0]->rank < 2 || (op->n_operands > 1 && c.in[1]->rank + 1 < c.in[0]->rank))
        return hlo_stuck(e, op, "a tensor of this rank");
    size_t of_one = rows_of(c.in[0]) * cols_of(c.in[0]);
    for (size_t batch = 0; of_one && batch < c.in[0]->n / of_one; batch++)
        r->run(&c, batch);
    for (uint32_t i = 0; i < op->n_results; i++)
        hlo_set(e, op, i, c.out[i]);
    return true;
}
