/* pool_loops.c: see pool_loops.h. Vectors of 16 floats, which the compiler splits to the
 * target's width; KRN_POOL_LOOPS names the table that this build fills. */
#include "host/pool/pool_loops.h"

#ifndef KRN_POOL_LOOPS
#define KRN_POOL_LOOPS krn_pool_loops_plain
#endif

#define LANES 16

typedef float vf __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));
typedef float vf_any __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint16_t vh_any __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint32_t vu __attribute__((vector_size(64)));

#define INLINE static inline __attribute__((always_inline))

/* Macros, since functions that take wide vectors cause notes about calling conventions. */
#define LOAD_F32(p) ((vf) * (const vf_any *)(p))
#define LOAD_BF16(p) ((vf)(__builtin_convertvector(*(const vh_any *)(p), vu) << 16))
#define PICK(mask, a, b) ((vf)(((mask) & (vi)(a)) | (~(mask) & (vi)(b))))
/* NaN propagates. */
#define COMBINE(kind, acc, x)                                                              \
    ((kind) == KRN_LOOP_SUM   ? (acc) + (x)                                                \
     : (kind) == KRN_LOOP_MAX ? PICK(((x) > (acc)) | ((x) != (x)), x, acc)                 \
                              : PICK(((x) < (acc)) | ((x) != (x)), x, acc))

INLINE float combine_one(krn_loop_kind kind, float acc, float x)
{
    if (kind == KRN_LOOP_SUM)
        return acc + x;
    if (kind == KRN_LOOP_MAX)
        return x > acc || x != x ? x : acc;
    return x < acc || x != x ? x : acc;
}

INLINE float one_f32(const float *p)
{
    return *p;
}

INLINE float one_bf16(const uint16_t *p)
{
    const uint32_t bits = (uint32_t)*p << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* These operand orders hand NaN on. */
#define LIMIT(x) (PICK((x) < floor, floor, PICK((x) > ceiling, ceiling, x)))

/* Some pixels of one vector of channels: a weight is loaded once for all of them. */
#define WEIGHTED_PIXELS(load, some)                                                        \
    for (; x + (some) <= l->pixels; x += (some)) {                                         \
        vf acc[some];                                                                      \
        for (int i = 0; i < (some); i++)                                                   \
            acc[i] = start;                                                                \
        for (int64_t t = 0; t < l->taps; t++) {                                            \
            const vf w = LOAD_F32(weights[t] + c);                                         \
            for (int i = 0; i < (some); i++)                                               \
                acc[i] += load(in[t] + c + (x + i) * l->in_step) * w;                      \
        }                                                                                  \
        for (int i = 0; i < (some); i++)                                                   \
            *(vf_any *)(out + c + (x + i) * l->out_step) = LIMIT(acc[i]);                  \
    }

#define WEIGHTED(name, type, load, one)                                                    \
    static void name(const krn_pool_line *l, const type *const *in,                        \
                     const float *const *weights, float *out)                              \
    {                                                                                      \
        const vf floor = (vf){0} + l->floor, ceiling = (vf){0} + l->ceiling;               \
        int64_t c = 0;                                                                     \
        for (; c + LANES <= l->channels; c += LANES) {                                     \
            vf start = {0};                                                                \
            int64_t x = 0;                                                                 \
            if (l->start)                                                                  \
                start = LOAD_F32(l->start + c);                                            \
            WEIGHTED_PIXELS(load, 4)                                                       \
            WEIGHTED_PIXELS(load, 1)                                                       \
        }                                                                                  \
        for (; c < l->channels; c++)                                                       \
            for (int64_t x = 0; x < l->pixels; x++) {                                      \
                float acc = l->start ? l->start[c] : 0;                                    \
                for (int64_t t = 0; t < l->taps; t++)                                      \
                    acc += one(in[t] + c + x * l->in_step) * weights[t][c];                \
                acc = acc > l->ceiling ? l->ceiling : acc;                                 \
                out[c + x * l->out_step] = acc < l->floor ? l->floor : acc;                \
            }                                                                              \
    }

#define POOL_KIND(type, load, one, kind)                                                   \
    for (; c + LANES <= channels; c += LANES) {                                            \
        vf acc = (vf){0} + start;                                                          \
        for (int64_t t = 0; t < taps; t++) {                                               \
            const vf x = load(in[t] + c);                                                  \
            acc = COMBINE(kind, acc, x);                                                   \
        }                                                                                  \
        *(vf_any *)(out + c) = acc * scale;                                                \
    }                                                                                      \
    for (; c < channels; c++) {                                                            \
        float acc = start;                                                                 \
        for (int64_t t = 0; t < taps; t++)                                                 \
            acc = combine_one(kind, acc, one(in[t] + c));                                  \
        out[c] = acc * scale;                                                              \
    }                                                                                      \
    break;

#define POOL(name, type, load, one)                                                        \
    static void name(krn_loop_kind kind, float *out, const type *const *in, int64_t taps,  \
                     int64_t channels, float start, float scale)                           \
    {                                                                                      \
        int64_t c = 0;                                                                     \
        switch (kind) {                                                                    \
        case KRN_LOOP_SUM:                                                                 \
            POOL_KIND(type, load, one, KRN_LOOP_SUM)                                       \
        case KRN_LOOP_MAX:                                                                 \
            POOL_KIND(type, load, one, KRN_LOOP_MAX)                                       \
        case KRN_LOOP_MIN:                                                                 \
            POOL_KIND(type, load, one, KRN_LOOP_MIN)                                       \
        }                                                                                  \
    }

WEIGHTED(weighted_f32, float, LOAD_F32, one_f32)
WEIGHTED(weighted_bf16, uint16_t, LOAD_BF16, one_bf16)
POOL(pool_f32, float, LOAD_F32, one_f32)
POOL(pool_bf16, uint16_t, LOAD_BF16, one_bf16)

const krn_pool_loops KRN_POOL_LOOPS = {weighted_f32, weighted_bf16, pool_f32, pool_bf16};
