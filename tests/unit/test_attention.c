/* test_attention.c: attention in blocks and by single rows against its definition. */
#include <math.h>
#include <stdlib.h>

#include "kernel_test.h"

#include "host/attention/attention.h"

static void *random_data(tw_dtype dtype, int64_t count, double scale)
{
    void *data = malloc((size_t)count * tw_dtype_size(dtype) + 1);
    for (int64_t i = 0; i < count; i++)
        kt_set(data, dtype, i, scale * (double)kt_between(-100, 100) / 64);
    return data;
}

static krn_attention_strides dense(int64_t heads, int64_t rows, int64_t depth)
{
    return (krn_attention_strides){heads * rows * depth, rows * depth, depth};
}

/* Rows of all heads side by side, as a projection leaves them. */
static krn_attention_strides interleaved(int64_t heads, int64_t rows, int64_t depth)
{
    return (krn_attention_strides){heads * rows * depth, depth, heads * depth};
}

typedef struct tensors {
    void *q, *k, *v, *mask, *out, *other, *scratch;
    float *sink;
    int64_t *origin;
} tensors;

static krn_attention_args args_of(const tensors *t)
{
    return (krn_attention_args){t->q,    t->k,      t->v,   t->mask,
                                t->sink, t->origin, t->out, t->scratch};
}

/* One row in f64. */
static void expect(const krn_attention_desc *d, const tensors *t, int64_t b, int64_t h,
                   int64_t i, double *out)
{
    const int64_t kv = h / (d->heads / d->kv_heads), at = i + t->origin[b];
    double *logits = malloc((size_t)(d->keys + 1) * sizeof *logits);
    double most = -(double)INFINITY, sum = 0;
    for (int64_t j = 0; j < d->keys; j++) {
        double x = 0;
        for (int64_t c = 0; c < d->depth; c++)
            x += kt_get(t->q, d->q,
                        b * d->q_strides.batch + h * d->q_strides.head +
                            i * d->q_strides.row + c) *
                 kt_get(t->k, d->k,
                        b * d->k_strides.batch + kv * d->k_strides.head +
                            j * d->k_strides.row + c);
        x *= (double)d->scale;
        if (t->mask)
            x += kt_get(t->mask, d->mask,
                        b * d->mask_strides.batch + h * d->mask_strides.head +
                            i * d->mask_strides.row + (d->mask_of_key ? j : 0));
        const bool seen = (d->back == INT64_MAX || j >= at - d->back) &&
                          (d->ahead == INT64_MAX || j <= at + d->ahead);
        logits[j] = seen ? x : -(double)INFINITY;
        most = fmax(most, logits[j]);
    }
    for (int64_t s = 0; t->sink && s < d->sinks; s++)
        most = fmax(most, (double)t->sink[h * d->sinks + s]);
    for (int64_t s = 0; t->sink && s < d->sinks; s++)
        sum += exp((double)t->sink[h * d->sinks + s] - most);
    for (int64_t c = 0; c < d->value_depth; c++)
        out[c] = 0;
    for (int64_t j = 0; j < d->keys; j++) {
        const double p = logits[j] == -(double)INFINITY ? 0 : exp(logits[j] - most);
        sum += p;
        for (int64_t c = 0; c < d->value_depth; c++)
            out[c] += p * kt_get(t->v, d->v,
                                 b * d->v_strides.batch + kv * d->v_strides.head +
                                     j * d->v_strides.row + c);
    }
    for (int64_t c = 0; c < d->value_depth; c++)
        out[c] = sum == 0 ? 0 : out[c] / sum;
    free(logits);
}

static void compare(const krn_attention_desc *d, const tensors *t)
{
    const bool narrow = d->q == TW_BF16 && d->k == TW_BF16 && d->v == TW_BF16;
    /* Probabilities of bf16, results of bf16 or f16; values are below 1.6. */
    const double bound = narrow || d->out == TW_BF16 ? 1e-2
                         : d->out == TW_F16          ? 2e-3
                                                     : 4e-6;
    double *want = malloc((size_t)(d->value_depth + 1) * sizeof *want);
    for (int64_t b = 0; b < d->batch; b++)
        for (int64_t h = 0; h < d->heads; h++)
            for (int64_t i = 0; i < d->queries; i++) {
                expect(d, t, b, h, i, want);
                for (int64_t c = 0; c < d->value_depth; c++) {
                    const int64_t at = b * d->out_strides.batch + h * d->out_strides.head +
                                       i * d->out_strides.row + c;
                    const double got = kt_get(t->out, d->out, at);
                    if (!(fabs(got - want[c]) <= bound))
                        fail_msg("[%lld %lld %lld %lld] of q %lld keys %lld depth %lld: "
                                 "%g, not %g",
                                 (long long)b, (long long)h, (long long)i, (long long)c,
                                 (long long)d->queries, (long long)d->keys,
                                 (long long)d->depth, got, want[c]);
                }
            }
    free(want);
}

/* Runs with one thread and with three: the same bytes; then against the definition. */
static void check(krn_attention_desc d, bool masked, bool sinks)
{
    const int64_t q_rows = d.batch * d.heads * d.queries;
    const int64_t kv_rows = d.batch * d.kv_heads * d.keys;
    const int64_t outs = q_rows * d.value_depth;
    krn_attention_plan p;
    tensors t = {.q = random_data(d.q, q_rows * d.depth, 1),
                 .k = random_data(d.k, kv_rows * d.depth, 1),
                 .v = random_data(d.v, kv_rows * d.value_depth, 1),
                 .out = random_data(d.out, outs, 1),
                 .origin = malloc((size_t)d.batch * sizeof(int64_t))};
    if (masked)
        t.mask = random_data(d.mask, d.batch * d.heads * d.queries * d.keys, 1);
    if (masked) /* some keys are hidden, some rows as a whole */
        for (int64_t i = 0; i < d.batch * d.heads * d.queries * d.keys; i++)
            if (kt_between(0, 4) == 0)
                kt_set(t.mask, d.mask, i, -(double)INFINITY);
    if (sinks) {
        d.sinks = 2;
        t.sink = random_data(TW_F32, d.heads * 2, 1);
    }
    for (int64_t b = 0; b < d.batch; b++)
        t.origin[b] = kt_between(-2, d.keys);
    for (int threads = 1; threads <= 3; threads += 2) {
        d.threads = threads;
        tw_status s = krn_attention_prepare(&d, &p);
        if (s)
            fail_msg("%s", tw_status_message(s));
        t.scratch = aligned_alloc(64, tw_align_up(p.scratch_bytes + 64, 64));
        memset(t.scratch, 0xff, p.scratch_bytes); /* NaN: nothing unwritten is read */
        const krn_attention_args args = args_of(&t);
        krn_attention_run(&p, &args, threads > 1 ? kt_pool : NULL);
        free(t.scratch);
        if (threads == 1) {
            t.other = t.out;
            t.out = random_data(d.out, outs, 1);
        }
    }
    assert_memory_equal(t.out, t.other, (size_t)outs * tw_dtype_size(d.out));
    compare(&d, &t);
    void *all[] = {t.q, t.k, t.v, t.mask, t.out, t.other, t.sink, t.origin};
    for (size_t i = 0; i < TW_COUNT(all); i++)
        free(all[i]);
}

static int64_t one_of(const int64_t *sizes, size_t n)
{
    return sizes[kt_between(0, (int64_t)n - 1)];
}

static void test_random(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 2, 3, 7, 13, 31, 32, 61, 71, 97, 131, 257, 300};
    static const int64_t depths[] = {1, 3, 8, 16, 17, 32, 37, 64};
    static const tw_dtype types[] = {TW_F32, TW_BF16, TW_F16};
    for (int round = 0; round < 160; round++) {
        krn_attention_desc d = {.batch = kt_between(1, 3),
                                .kv_heads = kt_between(1, 3),
                                .queries = one_of(lengths, TW_COUNT(lengths)),
                                .keys = one_of(lengths, TW_COUNT(lengths)),
                                .depth = one_of(depths, TW_COUNT(depths)),
                                .value_depth = one_of(depths, TW_COUNT(depths)),
                                .scale = 0.5f,
                                .mask_of_key = kt_between(0, 3) > 0,
                                .back = INT64_MAX,
                                .ahead = INT64_MAX};
        if (round % 3 == 0)
            d.queries = kt_between(1, 4);
        d.heads = d.kv_heads * kt_between(1, 3);
        d.q = d.k = d.v = d.out = types[round / 3 % 3];
        if (kt_between(0, 3) == 0)
            d.k = types[kt_between(0, 2)];
        if (kt_between(0, 3) == 0)
            d.out = types[kt_between(0, 2)];
        d.mask = kt_between(0, 1) ? TW_F32 : TW_BF16;
        const int kind = (int)kt_between(0, 3);
        if (kind == 1)
            d.ahead = 0;
        if (kind == 2) {
            d.ahead = 0;
            d.back = kt_between(0, 40);
        }
        if (kind == 3)
            d.ahead = d.back = kt_between(0, 5);
        const bool side = kt_between(0, 1);
        d.q_strides = (side ? interleaved : dense)(d.heads, d.queries, d.depth);
        d.k_strides = (side ? interleaved : dense)(d.kv_heads, d.keys, d.depth);
        d.v_strides = dense(d.kv_heads, d.keys, d.value_depth);
        d.out_strides = (side ? interleaved : dense)(d.heads, d.queries, d.value_depth);
        d.mask_strides = dense(d.heads, d.queries, d.mask_of_key ? d.keys : 1);
        if (kt_between(0, 1))
            d.mask_strides.head = 0;
        check(d, kt_between(0, 1), kt_between(0, 3) == 0);
    }
}

/* Many heads with one query each share a key; depths that need several blocks of k. */
static void test_large(void **state)
{
    (void)state;
    static const tw_dtype types[] = {TW_F32, TW_BF16};
    for (size_t i = 0; i < TW_COUNT(types); i++) {
        krn_attention_desc d = {.batch = 2,
                                .heads = 40,
                                .kv_heads = 2,
                                .queries = 1,
                                .keys = 601,
                                .depth = 1101,
                                .value_depth = 70,
                                .scale = 0.03f,
                                .back = INT64_MAX,
                                .ahead = INT64_MAX};
        d.q = d.k = d.v = d.out = types[i];
        d.q_strides = dense(d.heads, 1, d.depth);
        d.k_strides = dense(d.kv_heads, d.keys, d.depth);
        d.v_strides = dense(d.kv_heads, d.keys, d.value_depth);
        d.out_strides = dense(d.heads, 1, d.value_depth);
        check(d, false, false);
    }
}

/* NaN in a query's logits is in its row, and in no other one. */
static void test_nan(void **state)
{
    (void)state;
    for (int64_t queries = 3; queries <= 80; queries += 77) {
        krn_attention_desc d = {.batch = 1,
                                .heads = 1,
                                .kv_heads = 1,
                                .queries = queries,
                                .keys = 5,
                                .depth = 4,
                                .value_depth = 4,
                                .scale = 1,
                                .back = INT64_MAX,
                                .ahead = INT64_MAX,
                                .q_strides = dense(1, queries, 4),
                                .k_strides = dense(1, 5, 4),
                                .v_strides = dense(1, 5, 4),
                                .out_strides = dense(1, queries, 4)};
        d.q = d.k = d.v = d.out = TW_F32;
        int64_t origin = 0;
        krn_attention_plan p;
        assert_true(krn_attention_prepare(&d, &p) == TW_SUCCESS);
        tensors t = {.q = random_data(TW_F32, queries * 4, 1),
                     .k = random_data(TW_F32, 20, 1),
                     .v = random_data(TW_F32, 20, 1),
                     .out = random_data(TW_F32, queries * 4, 1),
                     .origin = &origin,
                     .scratch = aligned_alloc(64, tw_align_up(p.scratch_bytes + 64, 64))};
        ((float *)t.q)[4] = NAN;
        const krn_attention_args args = args_of(&t);
        krn_attention_run(&p, &args, NULL);
        for (int64_t i = 0; i < queries * 4; i++)
            assert_int_equal(isnan(((float *)t.out)[i]), i / 4 == 1);
        void *all[] = {t.q, t.k, t.v, t.out, t.scratch};
        for (size_t i = 0; i < TW_COUNT(all); i++)
            free(all[i]);
    }
}

static void test_errors(void **state)
{
    (void)state;
    krn_attention_desc d = {.heads = 1, .kv_heads = 1, .k = TW_I32, .v = TW_F32};
    krn_attention_plan p;
    d.q = d.out = TW_F32;
    tw_status s = krn_attention_prepare(&d, &p);
    assert_int_equal(tw_status_code(s), TW_UNSUPPORTED);
    assert_non_null(strstr(tw_status_message(s), "i32"));
    tw_status_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, kt_start_pool, kt_end_pool);
}
