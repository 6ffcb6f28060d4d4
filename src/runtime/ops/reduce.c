/* reduce.c: reductions over any dimensions.
 *
 * Sums of floats are accumulated in double precision, or in f32 within strips and then in
 * double; integers are added as integers. */
#include "host/strips/strip.h"
#include "runtime/group.h"
#include "runtime/plan.h"
#include "ttnn/ttnn.h"

#include <math.h>

enum { CAPACITY = RT_MAX_RANK, TASK = 1 << 14 }; /* elements per task, approximately */

/* ---- reductions over any dimensions ------------------------------------------------- */

typedef enum reduction { SUM, MEAN, MAX, MIN, PROD, ARGMAX } reduction;

typedef struct reduce {
    reduction kind;
    int kept, reduced; /* number of kept and reduced dimensions */
    int64_t kept_dims[CAPACITY], kept_strides[CAPACITY], dims[CAPACITY], strides[CAPACITY];
    int64_t count;              /* elements per result */
    bool all, chosen[CAPACITY]; /* the reduced dimensions */
    const krn_strip_set *set;
} reduce;

static double start_of(reduction kind)
{
    return kind == PROD                    ? 1
           : kind == MAX || kind == ARGMAX ? -INFINITY
           : kind == MIN                   ? INFINITY
                                           : 0;
}

/* NaN propagates in max and min. */
static void take(reduction kind, double x, int64_t at, double *acc, int64_t *where)
{
    switch (kind) {
    case SUM:
    case MEAN:
        *acc += x;
        break;
    case PROD:
        *acc *= x;
        break;
    case MIN:
        if (x < *acc || x != x)
            *acc = x;
        break;
    default:
        if (!(*acc != *acc) && (x > *acc || x != x)) {
            *acc = x;
            *where = at;
        }
        break;
    }
}

static double number(const rt_value *v, int64_t at)
{
    if (v->dtype == TW_F32)
        return ((const float *)rt_data(v))[at];
    if (rt_is_float(v->dtype)) {
        float f;
        rt_load_f32(v->dtype, rt_data(v), (size_t)at, 1, &f);
        return f;
    }
    int64_t i;
    rt_load_i64(v->dtype, rt_data(v), (size_t)at, 1, &i);
    return (double)i;
}

static bool advance(int64_t *index, const int64_t *dims, const int64_t *strides, int rank,
                    int64_t *at)
{
    for (int d = rank - 1; d >= 0; d--) {
        *at += strides[d];
        if (++index[d] < dims[d])
            return true;
        *at -= strides[d] * dims[d];
        index[d] = 0;
    }
    return false;
}

/* Checks for cancellation at intervals. */
static bool stopped(const rt_step *step, int64_t done)
{
    return done % TASK == 0 && rt_stopped(step);
}

/* The results of a task, and the offset of the elements of the first. */
typedef struct part {
    int64_t at, end, base, outer[CAPACITY];
} part;

/* Returns the number of results, each of `elements` elements, that one task computes. */
static int64_t together(int64_t elements)
{
    return TW_MAX(TASK / TW_MAX(elements, 1), 1);
}

static part part_of(const reduce *r, int64_t units, int64_t elements, int kept,
                    int64_t task)
{
    part p = {.at = task * together(elements)};
    p.end = TW_MIN(p.at + together(elements), units);
    for (int64_t d = kept - 1, i = p.at; d >= 0; i /= r->kept_dims[d--]) {
        p.outer[d] = i % r->kept_dims[d];
        p.base += p.outer[d] * r->kept_strides[d];
    }
    return p;
}

static void each_part(const rt_step *step, int64_t units, int64_t elements, tw_task_fn run)
{
    const int64_t n = together(elements);
    rt_parallel(step, (units + n - 1) / n, run, (void *)(uintptr_t)step);
}

static void reduce_part(void *context, int64_t task, int thread)
{
    const rt_step *step = context;
    const reduce *r = step->state;
    const rt_value *in = step->in[0];
    bool real = rt_is_float(step->out->dtype);
    part p = part_of(r, step->out->count, r->count, r->kept, task);
    (void)thread;
    for (int64_t i = p.at; i < p.end; i++) {
        int64_t inner[CAPACITY] = {0}, at = p.base, n = 0, where = 0;
        double acc = start_of(r->kind);
        if (r->count)
            do
                take(r->kind, number(in, at), n++, &acc, &where);
            while (advance(inner, r->dims, r->strides, r->reduced, &at) &&
                   !stopped(step, n));
        if (r->kind == MEAN)
            acc /= (double)r->count;
        if (r->kind == ARGMAX) {
            rt_store_i64(step->out->dtype, &where, 1, rt_data(step->out), (size_t)i);
        } else if (real) {
            float f = (float)acc;
            rt_store_f32(step->out->dtype, &f, 1, rt_data(step->out), (size_t)i);
        } else {
            int64_t whole = (int64_t)acc;
            rt_store_i64(step->out->dtype, &whole, 1, rt_data(step->out), (size_t)i);
        }
        advance(p.outer, r->kept_dims, r->kept_strides, r->kept, &p.base);
    }
}

static void run_reduce(const rt_step *step)
{
    const reduce *r = step->state;
    each_part(step, step->out->count, r->count, reduce_part);
}

/* Integers wrap to their type's width when stored. */
static void take_int(reduction kind, int64_t x, int64_t *acc)
{
    switch (kind) {
    case MAX:
        *acc = TW_MAX(*acc, x);
        break;
    case MIN:
        *acc = TW_MIN(*acc, x);
        break;
    case PROD:
        *acc = (int64_t)((uint64_t)*acc * (uint64_t)x);
        break;
    default:
        *acc = (int64_t)((uint64_t)*acc + (uint64_t)x);
        break;
    }
}

static void integers_part(void *context, int64_t task, int thread)
{
    const rt_step *step = context;
    const reduce *r = step->state;
    const rt_value *in = step->in[0];
    part p = part_of(r, step->out->count, r->count, r->kept, task);
    (void)thread;
    for (int64_t i = p.at; i < p.end; i++) {
        int64_t inner[CAPACITY] = {0}, at = p.base, n = 0;
        int64_t acc = r->kind == MAX    ? INT64_MIN
                      : r->kind == MIN  ? INT64_MAX
                      : r->kind == PROD ? 1
                                        : 0;
        if (r->count)
            do {
                int64_t x;
                rt_load_i64(in->dtype, rt_data(in), (size_t)at, 1, &x);
                take_int(r->kind, x, &acc);
            } while (advance(inner, r->dims, r->strides, r->reduced, &at) &&
                     !stopped(step, ++n));
        rt_store_i64(step->out->dtype, &acc, 1, rt_data(step->out), (size_t)i);
        advance(p.outer, r->kept_dims, r->kept_strides, r->kept, &p.base);
    }
}

static void run_integers(const rt_step *step)
{
    const reduce *r = step->state;
    each_part(step, step->out->count, r->count, integers_part);
}

static const float *strip_of(const rt_value *v, int64_t at, size_t n, float *room)
{
    if (v->dtype == TW_F32)
        return (const float *)rt_data(v) + at;
    rt_load_f32(v->dtype, rt_data(v), (size_t)at, n, room);
    return room;
}

/* The last dimension is reduced: each of its strips gives one value. */
static void rows_part(void *context, int64_t task, int thread)
{
    const rt_step *step = context;
    const reduce *r = step->state;
    const rt_value *in = step->in[0];
    const int64_t length = r->dims[r->reduced - 1];
    part p = part_of(r, step->out->count, r->count, r->kept, task);
    float room[KRN_STRIP];
    rt_tail tail;
    (void)thread;
    rt_reduce_as_tail(step, &tail);
    for (int64_t i = p.at; i < p.end; i++) {
        int64_t inner[CAPACITY] = {0}, at = p.base;
        double acc = tail.start;
        do {
            for (int64_t k = 0; k < length && !stopped(step, k); k += KRN_STRIP) {
                const size_t n = (size_t)TW_MIN((int64_t)KRN_STRIP, length - k);
                acc = rt_tail_take(r->set, &tail, strip_of(in, at + k, n, room), n, acc);
            }
        } while (advance(inner, r->dims, r->strides, r->reduced - 1, &at));
        const float f = (float)(acc / tail.share);
        rt_store_f32(step->out->dtype, &f, 1, rt_data(step->out), (size_t)i);
        advance(p.outer, r->kept_dims, r->kept_strides, r->kept, &p.base);
    }
}

static void run_rows(const rt_step *step)
{
    const reduce *r = step->state;
    each_part(step, step->out->count, r->count, rows_part);
}

double rt_tail_take(const krn_strip_set *set, const rt_tail *tail, const float *strip,
                    size_t n, double sum)
{
    const float part = tail->kind == MAX   ? set->most(strip, n)
                       : tail->kind == MIN ? set->least(strip, n)
                                           : set->sum(strip, n);
    int64_t where = 0;
    take(tail->kind, (double)part, 0, &sum, &where);
    return sum;
}

bool rt_reduce_as_tail(const rt_step *step, rt_tail *out)
{
    const reduce *r = step->state;
    const rt_value *in = step->n_in == 1 ? step->in[0] : NULL;
    if (step->run != run_rows)
        return false;
    *out = (rt_tail){.out = step->out,
                     .kind = r->kind,
                     .start = start_of(r->kind),
                     .share = r->kind == MEAN ? (double)r->count : 1};
    int64_t stride = 1;
    for (int d = in->rank - 1; d >= 0; d--) {
        out->strides[d] = r->all || r->chosen[d] ? 0 : stride;
        stride *= r->all || r->chosen[d] ? 1 : in->dims[d];
    }
    return true;
}

/* The last dimension is kept: strips of results are accumulated together. */
static void reduce_columns(const rt_step *step, int64_t base, size_t n, float *results)
{
    const reduce *r = step->state;
    const bool extreme = r->kind == MAX || r->kind == MIN;
    const krn_strip_id id = r->kind == MAX ? KRN_STRIP_maximum : KRN_STRIP_minimum;
    double sums[KRN_STRIP] = {0};
    float room[KRN_STRIP];
    int64_t inner[CAPACITY] = {0}, at = base;
    for (size_t i = 0; i < n && extreme; i++)
        results[i] = (float)start_of(r->kind);
    do {
        const float *x = strip_of(step->in[0], at, n, room);
        const float *two[3] = {results, x, NULL};
        if (extreme)
            r->set->fn[id](two, results, n, NULL);
        else
            r->set->add_to(x, n, sums);
    } while (advance(inner, r->dims, r->strides, r->reduced, &at) && !rt_stopped(step));
    const double share = r->kind == MEAN ? (double)r->count : 1;
    for (size_t i = 0; i < n && !extreme; i++)
        results[i] = (float)(sums[i] / share);
}

static void columns_part(void *context, int64_t task, int thread)
{
    const rt_step *step = context;
    const reduce *r = step->state;
    const int64_t width = r->kept_dims[r->kept - 1];
    const int64_t strips = (width + KRN_STRIP - 1) / KRN_STRIP;
    const int64_t each = together(r->count * KRN_STRIP);
    const int64_t end = TW_MIN((task + 1) * each, step->out->count / width * strips);
    float results[KRN_STRIP];
    (void)thread;
    for (int64_t i = task * each; i < end; i++) {
        const int64_t row = i / strips, k = i % strips * KRN_STRIP;
        const size_t n = (size_t)TW_MIN((int64_t)KRN_STRIP, width - k);
        int64_t base = k;
        for (int64_t d = r->kept - 2, left = row; d >= 0; left /= r->kept_dims[d--])
            base += left % r->kept_dims[d] * r->kept_strides[d];
        reduce_columns(step, base, n, results);
        rt_store_f32(step->out->dtype, results, n, rt_data(step->out),
                     (size_t)(row * width + k));
    }
}

static void run_columns(const rt_step *step)
{
    const reduce *r = step->state;
    const int64_t width = r->kept_dims[r->kept - 1];
    if (width)
        each_part(step, step->out->count / width * ((width + KRN_STRIP - 1) / KRN_STRIP),
                  r->count * KRN_STRIP, columns_part);
}

/* Coalesces adjacent contiguous dimensions. */
static int merge(int64_t *dims, int64_t *strides, int rank)
{
    int kept = 0;
    for (int d = 0; d < rank; d++)
        if (kept && strides[kept - 1] == dims[d] * strides[d]) {
            dims[kept - 1] *= dims[d];
            strides[kept - 1] = strides[d];
        } else {
            dims[kept] = dims[d];
            strides[kept++] = strides[d];
        }
    return kept;
}

typedef void run_fn(const rt_step *step);

static run_fn *choose(reduce *r, const rt_step *step)
{
    const bool real = rt_is_float(step->in[0]->dtype) && rt_is_float(step->out->dtype);
    const bool strips = real && step->in[0]->dtype != TW_F64 && r->kind != PROD && r->count;
    r->set = krn_strips();
    r->kept = merge(r->kept_dims, r->kept_strides, r->kept);
    r->reduced = merge(r->dims, r->strides, r->reduced);
    const bool rows = r->reduced && r->strides[r->reduced - 1] == 1;
    const bool columns = r->kept && r->kept_strides[r->kept - 1] == 1;
    return r->kind == ARGMAX         ? run_reduce
           : strips && rows          ? run_rows
           : strips && columns       ? run_columns
           : real || r->kind == MEAN ? run_reduce
                                     : run_integers;
}

tw_status rt_prepare_reduce(rt_plan *plan, ir_op *op, rt_step *step)
{
    static const struct {
        uint16_t row;
        reduction kind;
    } kinds[] = {{TTNN_sum, SUM}, {TTNN_mean, MEAN}, {TTNN_max, MAX},
                 {TTNN_min, MIN}, {TTNN_prod, PROD}, {TTNN_argmax, ARGMAX}};
    const rt_value *in = step->in[0];
    reduce *r = TW_ARENA_NEW(&plan->arena, reduce);
    ir_attr dim_arg = ir_op_attr(op, op->def == TTNN_OP(argmax) ? "dim" : "dim_arg");
    int64_t dims[CAPACITY], n = dim_arg ? ir_attr_ints(dim_arg, dims, CAPACITY) : 0,
                            stride = 1;
    int64_t strides[CAPACITY];
    bool *chosen = r->chosen;
    for (size_t i = 0; i < TW_COUNT(kinds); i++)
        if (&ttnn_ops[kinds[i].row] == op->def)
            r->kind = kinds[i].kind;
    if (dim_arg && ir_attr_is(dim_arg, IR_ATTR_INTEGER)) {
        n = 1;
        dims[0] = dim_arg->value;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t d = dims[i] < 0 ? dims[i] + in->rank : dims[i];
        if (d < 0 || d >= in->rank)
            return tw_error(TW_INVALID, "'%s': dimension %lld of %d", op->def->name,
                            (long long)dims[i], in->rank);
        chosen[d] = true;
    }
    for (int d = in->rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= in->dims[d];
    }
    r->count = 1;
    r->all = n <= 0;
    for (int d = 0; d < in->rank; d++) {
        if (n <= 0 || chosen[d]) {
            r->dims[r->reduced] = in->dims[d];
            r->strides[r->reduced++] = strides[d];
            r->count *= in->dims[d];
        } else {
            r->kept_dims[r->kept] = in->dims[d];
            r->kept_strides[r->kept++] = strides[d];
        }
    }
    step->run = choose(r, step);
    step->state = r;
    return TW_SUCCESS;
}
