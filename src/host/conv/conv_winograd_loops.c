/* conv_winograd_loops.c: see conv_winograd_loops.h. Vectors of 16 floats, which the
 * compiler splits to the target's width; KRN_WINOGRAD_LOOPS names the table that this build
 * fills. What is left of the channels is transformed in a block of its own. */
#include "host/conv/conv_winograd_loops.h"

#include <math.h>

#ifndef KRN_WINOGRAD_LOOPS
#define KRN_WINOGRAD_LOOPS krn_winograd_loops_plain
#endif

enum {
    LANES = 16,
    SIDE = KRN_WINOGRAD_SIDE,
    CELLS = SIDE * SIDE,
    TAPS = KRN_WINOGRAD_WINDOW,
    RESULTS = KRN_WINOGRAD_TILE,
    PART = KRN_WINOGRAD_TILE
};

typedef float vf __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));
typedef float vf_any __attribute__((vector_size(64), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define AT(p) (*(vf_any *)(p))
#define READ(p) ((vf) * (const vf_any *)(p))
#define PICK(mask, a, b) ((vf)(((mask) & (vi)(a)) | (~(mask) & (vi)(b))))

/* B' of four vectors, in place, `step` apart. */
INLINE void input_line(vf *d, int step)
{
    const vf a = d[0] - d[2 * step], b = d[step] + d[2 * step];
    const vf c = d[2 * step] - d[step], e = d[step] - d[3 * step];
    d[0] = a;
    d[step] = b;
    d[2 * step] = c;
    d[3 * step] = e;
}

INLINE void input_lanes(const float *const *in, int64_t c, float *to, int64_t to_step)
{
    vf d[CELLS];
    for (int i = 0; i < CELLS; i++)
        d[i] = READ(in[i] + c);
    for (int i = 0; i < SIDE; i++)
        input_line(d + i, SIDE);
    for (int i = 0; i < SIDE; i++)
        input_line(d + i * SIDE, 1);
    for (int i = 0; i < CELLS; i++)
        AT(to + i * to_step) = d[i];
}

typedef void lanes_fn(const float *const *in, int64_t c, float *to, int64_t to_step);

/* All channels of `lines` lines; what is left of them in a block of its own. */
INLINE void transform(lanes_fn *lanes, int lines, const float *const *in, float *to,
                      int64_t to_step, int64_t n)
{
    int64_t c = 0;
    for (; c + LANES <= n; c += LANES)
        lanes(in, c, to + c, to_step);
    if (c == n)
        return;
    float rest[CELLS][LANES] = {0}, done[CELLS][LANES];
    const float *left[CELLS];
    for (int i = 0; i < lines; i++) {
        memcpy(rest[i], in[i] + c, (size_t)(n - c) * sizeof(float));
        left[i] = rest[i];
    }
    lanes(left, 0, done[0], LANES);
    for (int i = 0; i < CELLS; i++)
        memcpy(to + i * to_step + c, done[i], (size_t)(n - c) * sizeof(float));
}

static void input(const float *const *in, float *to, int64_t to_step, int64_t n)
{
    transform(input_lanes, CELLS, in, to, to_step, n);
}

/* G of three vectors: four, in the order of rows. */
INLINE void weights_line(const vf *g, int step, vf *to, int to_step)
{
    const vf sum = 0.5f * (g[0] + g[2 * step]), middle = 0.5f * g[step];
    to[0] = g[0];
    to[to_step] = sum + middle;
    to[2 * to_step] = sum - middle;
    to[3 * to_step] = g[2 * step];
}

INLINE void weights_lanes(const float *w, int64_t w_step, float *to, int64_t to_step)
{
    vf g[TAPS * TAPS], half[SIDE * TAPS], u[CELLS];
    for (int i = 0; i < TAPS * TAPS; i++)
        g[i] = READ(w + i * w_step);
    for (int x = 0; x < TAPS; x++)
        weights_line(g + x, TAPS, half + x, TAPS);
    for (int y = 0; y < SIDE; y++)
        weights_line(half + y * TAPS, 1, u + y * SIDE, 1);
    for (int i = 0; i < CELLS; i++)
        AT(to + i * to_step) = u[i];
}

static void weights(const float *w, int64_t w_step, float *to, int64_t to_step, int64_t n)
{
    assert(n % LANES ==
           0); /* panels of kernels are as wide, or several rows together are */
    for (int64_t j = 0; j < n; j += LANES)
        weights_lanes(w + j, w_step, to + j, to_step);
}

/* Macros, since functions that return wide vectors cause notes about calling conventions;
 * these operand orders leave NaN. */
#define LIMITED(f, v) ABOVE(f, PICK((v) < (f)->floor, (vf){0} + (f)->floor, v))
#define ABOVE(f, v) PICK((v) > (f)->ceiling, (vf){0} + (f)->ceiling, v)

/* A' of four vectors: two. */
INLINE void output_line(const vf *m, int step, vf *to, int to_step)
{
    to[0] = m[0] + m[step] + m[2 * step];
    to[to_step] = m[step] - m[2 * step] - m[3 * step];
}

/* Adds zero to `wrong` where the four results are finite, else NaN. */
INLINE void output_lanes(const krn_winograd_finish *f, const float *scale,
                         const float *bias, const float *m, int64_t m_step,
                         float *const *out, int64_t c, vf *wrong)
{
    vf from[CELLS], half[RESULTS * SIDE], r[RESULTS * RESULTS];
    for (int i = 0; i < CELLS; i++)
        from[i] = READ(m + i * m_step);
    for (int x = 0; x < SIDE; x++)
        output_line(from + x, SIDE, half + x, SIDE);
    for (int y = 0; y < RESULTS; y++)
        output_line(half + y * SIDE, 1, r + y * RESULTS, 1);
    for (int i = 0; i < RESULTS * RESULTS; i++) {
        *wrong += 0 * r[i]; /* NaN of an infinity and of NaN */
        if (scale)
            r[i] *= READ(scale);
        if (bias)
            r[i] += READ(bias);
        AT(out[i] + c) = LIMITED(f, r[i]);
    }
}

static bool output(const krn_winograd_finish *f, const float *m, int64_t m_step,
                   float *const *out, int64_t n)
{
    vf wrong = {0};
    float sum = 0;
    int64_t c = 0;
    for (; c + LANES <= n; c += LANES)
        output_lanes(f, f->scale ? f->scale + c : NULL, f->bias ? f->bias + c : NULL, m + c,
                     m_step, out, c, &wrong);
    if (c < n) {
        const size_t bytes = (size_t)(n - c) * sizeof(float);
        float rest[CELLS][LANES] = {0}, scale[LANES] = {0}, bias[LANES] = {0};
        float done[RESULTS * RESULTS][LANES];
        float *lines[RESULTS * RESULTS];
        for (int i = 0; i < CELLS; i++)
            memcpy(rest[i], m + i * m_step + c, bytes);
        if (f->scale)
            memcpy(scale, f->scale + c, bytes);
        if (f->bias)
            memcpy(bias, f->bias + c, bytes);
        for (int i = 0; i < RESULTS * RESULTS; i++)
            lines[i] = done[i];
        output_lanes(f, f->scale ? scale : NULL, f->bias ? bias : NULL, rest[0], LANES,
                     lines, 0, &wrong);
        for (int i = 0; i < RESULTS * RESULTS; i++)
            memcpy(out[i] + c, done[i], bytes);
    }
    for (int i = 0; i < LANES; i++)
        sum += wrong[i];
    return sum == 0;
}

/* ---- gradients of weights */

/* A of two vectors: four. */
INLINE void part_line(const vf *p, int step, vf *to, int to_step)
{
    to[0] = p[0];
    to[to_step] = p[0] + p[step];
    to[2 * to_step] = p[0] - p[step];
    to[3 * to_step] = -p[step];
}

INLINE void part_lanes(const float *const *from, int64_t c, float *to, int64_t to_step)
{
    vf p[PART * PART], half[SIDE * PART], u[CELLS];
    for (int i = 0; i < PART * PART; i++)
        p[i] = READ(from[i] + c);
    for (int x = 0; x < PART; x++)
        part_line(p + x, PART, half + x, PART);
    for (int y = 0; y < SIDE; y++)
        part_line(half + y * PART, 1, u + y * SIDE, 1);
    for (int i = 0; i < CELLS; i++)
        AT(to + i * to_step) = u[i];
}

static void part(const float *const *from, float *to, int64_t to_step, int64_t n)
{
    transform(part_lanes, PART * PART, from, to, to_step, n);
}

/* G' of four vectors: three. */
INLINE void part_results_line(const vf *m, int step, vf *to, int to_step)
{
    const vf sum = 0.5f * (m[step] + m[2 * step]);
    to[0] = m[0] + sum;
    to[to_step] = 0.5f * (m[step] - m[2 * step]);
    to[2 * to_step] = sum + m[3 * step];
}

static bool part_results(const float *m, int64_t m_step, float *to, int64_t to_step,
                         int64_t n)
{
    vf wrong = {0};
    float sum = 0;
    assert(n % LANES == 0); /* callers fill whole vectors */
    for (int64_t c = 0; c < n; c += LANES) {
        vf from[CELLS], half[TAPS * SIDE], r[TAPS * TAPS];
        for (int i = 0; i < CELLS; i++)
            from[i] = READ(m + i * m_step + c);
        for (int x = 0; x < SIDE; x++)
            part_results_line(from + x, SIDE, half + x, SIDE);
        for (int y = 0; y < TAPS; y++)
            part_results_line(half + y * SIDE, 1, r + y * TAPS, 1);
        for (int i = 0; i < TAPS * TAPS; i++) {
            wrong += 0 * r[i];
            AT(to + i * to_step + c) = r[i];
        }
    }
    for (int i = 0; i < LANES; i++)
        sum += wrong[i];
    return sum == 0;
}

const krn_winograd_loops KRN_WINOGRAD_LOOPS = {input, weights, output, part, part_results};
