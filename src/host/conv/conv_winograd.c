/* conv_winograd.c: convolutions of 3x3 windows by Winograd's algorithm, in f32.
 *
 * Tiles of 2x2 results are taken some at a time. Their inputs are transformed to 16
 * matrices [tile][channel], each is multiplied by the matrix [channel][output] of its
 * element of the transformed weights, and the 16 products of a tile give its results. No
 * padded copy of the image is made: what lies outside is read from a line of zeros.
 *
 * Where an input is infinite, the differences that the algorithm forms would turn infinite
 * results into NaN; such tiles are computed by the definition. */
#include "host/conv/conv_run.h"
#include "host/conv/conv_winograd_loops.h"
#include "host/gemm/gemm_core.h"
#include "host/isa.h"
#include "host/parallel.h"
#include "support/number.h"

#include <math.h>

enum { Y = KRN_CONV_MAX_SPATIAL - 2, X = KRN_CONV_MAX_SPATIAL - 1 };
enum {
    SIDE = KRN_WINOGRAD_SIDE,
    CELLS = SIDE * SIDE,
    TAPS = KRN_WINOGRAD_WINDOW,
    RESULTS = KRN_WINOGRAD_TILE
};

#define ALIGN 64
/* Floats of a transformed input matrix that stay in the second-level cache. */
#define MATRIX_FLOATS 65536
/* Taken together. */
#define MIN_TILES 8
#define MAX_TILES 256

const krn_winograd_loops *krn_winograd_loops_best(void)
{
#if defined(__x86_64__)
    const krn_isa isa = krn_isa_chosen();
    if (isa >= KRN_ISA_AVX512)
        return &krn_winograd_loops_avx512;
    if (isa >= KRN_ISA_AVX2)
        return &krn_winograd_loops_avx2;
#endif
    return &krn_winograd_loops_plain;
}

/* ---- planning */

static int64_t tiles_along(const krn_conv_plan *p, int axis)
{
    return tw_ceil_div(p->out_size[axis], RESULTS);
}

static int64_t tile_count(const krn_conv_plan *p)
{
    return p->batch * tiles_along(p, Y) * tiles_along(p, X);
}

static bool has_taps(const krn_conv_plan *p, int axis, int64_t taps)
{
    return p->taps[axis] == taps && krn_conv_is_plain_axis(p, axis);
}

bool krn_conv_winograd_fits(const krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;
    /* Fewer channels or tiles do not pay for the transformations, and the transformed
     * weights take 16/9 of the memory. */
    enum { CHANNELS = 16, TILES = 48 };
    return d->in == TW_F32 && d->weights == TW_F32 && d->out == TW_F32 && p->groups == 1 &&
           p->in.feature == 1 && p->out.feature == 1 && p->channels >= CHANNELS &&
           p->outputs >= CHANNELS && tile_count(p) >= TILES && has_taps(p, Y, TAPS) &&
           has_taps(p, X, TAPS) && has_taps(p, 0, 1) && p->in_size[0] == 1 &&
           p->out_size[0] == 1 && p->pad[0] == 0;
}

/* Tiles are taken together by one thread from their inputs to their results, so that what
 * lies between stays in its caches; as many as fit there, fewer where threads would have
 * nothing to do. Blocks are equal to one tile, and not small: kernels of one to three rows
 * add in another order, and results do not depend on the number of threads. */
static int64_t block_count(const krn_conv_plan *p)
{
    const int64_t tiles = tile_count(p), threads = p->desc.threads;
    const int64_t most =
        TW_MIN(TW_MAX(MATRIX_FLOATS / p->channels, 2 * p->kernels->mr), MAX_TILES);
    const int64_t wanted = tw_ceil_div(tw_ceil_div(tiles, most), threads) * threads;
    return TW_MAX(1, TW_MIN(wanted, tiles / MIN_TILES));
}

static int64_t block_start(const krn_conv_plan *p, int64_t blocks, int64_t i)
{
    return tile_count(p) * i / blocks;
}

/* Scratch memory: a line of zeros, and for each thread a line for results outside the
 * image, the transformed inputs and the products of some tiles. */
typedef struct room {
    size_t zeros, outside, inputs, products, bytes;
    int64_t input_step, product_step; /* floats from one element's matrix to the next */
} room;

static room plan_room(const krn_conv_plan *p)
{
    const int64_t together = tw_ceil_div(tile_count(p), block_count(p));
    room r;
    size_t at = 0;
    r.input_step = krn_winograd_step(together * p->channels);
    r.product_step = krn_winograd_step(together * p->outputs);
    const int64_t floats[] = {p->channels, p->outputs, CELLS * r.input_step,
                              CELLS * r.product_step};
    size_t *const starts[] = {&r.zeros, &r.outside, &r.inputs, &r.products};
    for (size_t i = 0; i < TW_COUNT(floats); i++) {
        *starts[i] = at;
        at += tw_align_up((size_t)floats[i] * 4, ALIGN);
    }
    r.bytes = at;
    return r;
}

void krn_conv_winograd_plan(krn_conv_plan *p)
{
    const int64_t panels = tw_ceil_div(p->outputs, p->kernels->nr);
    p->path = KRN_CONV_WINOGRAD;
    p->channels_padded = p->channels;
    p->k = TAPS * TAPS * p->channels;
    p->weights_group_bytes = CELLS * panels * p->kernels->nr * p->channels * 4;
    p->mc = TW_MAX(p->m, 1);
    p->nc = p->outputs;
    p->image_bytes = (size_t)p->desc.threads * plan_room(p).bytes;
}

/* ---- weights: [element of the tile][panel][channel][nr] */

typedef struct pack_job {
    const krn_conv_plan *plan;
    const krn_winograd_loops *loops;
    const float *weights;
    float *packed;
} pack_job;

/* One panel: nr output channels, all input channels. */
static void pack_panel(void *context, int64_t task, int thread)
{
    enum { WIDTH = KRN_GEMM_MAX_NR };
    const pack_job *job = context;
    const krn_conv_plan *p = job->plan;
    const int64_t nr = p->kernels->nr, panel = nr * p->channels, first = task * nr;
    const int64_t count = TW_MIN(nr, p->outputs - first);
    const int64_t step = tw_ceil_div(p->outputs, nr) * panel;
    float taps[TAPS * TAPS][WIDTH] = {0}, cells[CELLS][WIDTH];
    (void)thread;

    for (int64_t c = 0; c < p->channels; c++) {
        for (int t = 0; t < TAPS * TAPS; t++) {
            const int64_t y = t / TAPS, x = t % TAPS;
            const int64_t tap[] = {0, p->reverse[Y] ? TAPS - 1 - y : y,
                                   p->reverse[X] ? TAPS - 1 - x : x};
            const float *from = job->weights + krn_conv_weight_at(p, 0, tap, c, first);
            for (int64_t j = 0; j < count; j++)
                taps[t][j] = from[j * p->weights.feature];
        }
        job->loops->weights(taps[0], WIDTH, cells[0], WIDTH, WIDTH);
        for (int i = 0; i < CELLS; i++)
            memcpy(job->packed + i * step + task * panel + c * nr, cells[i],
                   (size_t)nr * sizeof(float));
    }
}

void krn_conv_winograd_pack(const krn_conv_plan *p, const void *weights, void *packed,
                            struct tw_threadpool *pool)
{
    pack_job job = {p, krn_winograd_loops_best(), weights, packed};
    krn_parallel(pool, p->desc.threads, tw_ceil_div(p->outputs, p->kernels->nr), pack_panel,
                 &job);
}

/* ---- running */

typedef struct winograd_job {
    const krn_conv_plan *plan;
    const krn_gemm_args *args;
    const krn_winograd_loops *loops;
    const float *weights;
    char *scratch; /* of thread 0 */
    room room;
    int64_t blocks;
    krn_winograd_finish finish;
    const struct tw_threadpool *pool;
} winograd_job;

/* The tiles that a thread takes together, and its scratch memory. */
typedef struct block {
    const winograd_job *job;
    int64_t first, count;
    const float *zeros;
    float *outside, *inputs, *products;
} block;

/* Batch and first result of a tile. */
static krn_conv_position tile_position(const krn_conv_plan *p, int64_t tile)
{
    const int64_t across = tiles_along(p, X), down = tiles_along(p, Y);
    return (krn_conv_position){
        .batch = tile / (across * down),
        .at = {0, tile / across % down * RESULTS, tile % across * RESULTS}};
}

static void find_inputs(const block *b, const krn_conv_position *at, const float **in)
{
    const krn_conv_plan *p = b->job->plan;
    const float *const image = (const float *)b->job->args->a + at->batch * p->in.batch;
    for (int i = 0; i < CELLS; i++) {
        const int64_t y = at->at[Y] - p->pad[Y] + i / SIDE;
        const int64_t x = at->at[X] - p->pad[X] + i % SIDE;
        in[i] = y >= 0 && y < p->in_size[Y] && x >= 0 && x < p->in_size[X]
                    ? image + y * p->in.spatial[Y] + x * p->in.spatial[X]
                    : b->zeros;
    }
}

static void transform_inputs(const block *b)
{
    const int64_t channels = b->job->plan->channels;
    for (int64_t t = 0; t < b->count; t++) {
        const krn_conv_position at = tile_position(b->job->plan, b->first + t);
        const float *in[CELLS];
        find_inputs(b, &at, in);
        b->job->loops->input(in, b->inputs + t * channels, b->job->room.input_step,
                             channels);
    }
}

static void multiply(const block *b)
{
    const krn_conv_plan *p = b->job->plan;
    const int64_t nr = p->kernels->nr, panel = nr * p->channels;
    const int64_t step = tw_ceil_div(p->outputs, nr) * panel;
    for (int64_t i = 0; i < CELLS; i++) {
        const krn_gemm_core core = {
            .kernels = p->kernels,
            .k = p->channels,
            .kc = TW_MIN(p->channels, KRN_GEMM_KC_CELLS),
            .ks = p->channels,
            .a = (const char *)(b->inputs + i * b->job->room.input_step),
            .a_row = p->channels * 4,
            .b = (const char *)(b->job->weights + i * step),
            .b_panel = panel * 4,
            .b_step = nr * 4,
            .c = b->products + i * b->job->room.product_step,
            .c_row = p->outputs,
            .pool = b->job->pool,
        };
        krn_gemm_block(&core, 0, b->count, 0, p->outputs, NULL, NULL);
    }
}

static bool any_infinite(const float *const *in, int64_t channels)
{
    for (int i = 0; i < CELLS; i++)
        for (int64_t c = 0; c < channels; c++)
            if (isinf(in[i][c]))
                return true;
    return false;
}

/* A weight from its transformed form, of which the corners are weights, and sums and
 * differences of others give the rest. */
static float weight_of(const winograd_job *job, int64_t channel, int64_t output, int tap)
{
    const krn_conv_plan *p = job->plan;
    const int64_t nr = p->kernels->nr, panel = nr * p->channels;
    const int64_t step = tw_ceil_div(p->outputs, nr) * panel;
    const float *u = job->weights + output / nr * panel + channel * nr + output % nr;
    static const struct {
        int first, second, sign; /* the middle tap is the difference of elements 1 and 2 */
    } axis[TAPS] = {{0, 0, 0}, {1, 2, -1}, {3, 3, 0}};
    const int y = tap / TAPS, x = tap % TAPS;
    float v = u[(axis[y].first * SIDE + axis[x].first) * step];
    if (axis[x].sign)
        v -= u[(axis[y].first * SIDE + axis[x].second) * step];
    if (axis[y].sign) {
        float w = u[(axis[y].second * SIDE + axis[x].first) * step];
        if (axis[x].sign)
            w -= u[(axis[y].second * SIDE + axis[x].second) * step];
        v -= w;
    }
    return v;
}

/* The four results of a tile as the definition has them. */
static void by_definition(const winograd_job *job, const float *const *in,
                          float *const *out)
{
    const krn_conv_plan *p = job->plan;
    const krn_winograd_finish *f = &job->finish;
    for (int64_t o = 0; o < p->outputs; o++)
        for (int r = 0; r < RESULTS * RESULTS; r++) {
            float sum = 0;
            for (int tap = 0; tap < TAPS * TAPS; tap++) {
                const int y = r / RESULTS + tap / TAPS, x = r % RESULTS + tap % TAPS;
                for (int64_t c = 0; c < p->channels; c++)
                    sum += in[y * SIDE + x][c] * weight_of(job, c, o, tap);
            }
            sum = sum * (f->scale ? f->scale[o] : 1) + (f->bias ? f->bias[o] : 0);
            sum = sum < f->floor ? f->floor : sum;
            out[r][o] = sum > f->ceiling ? f->ceiling : sum;
        }
}

static void transform_results(const block *b)
{
    const winograd_job *job = b->job;
    const krn_conv_plan *p = job->plan;
    const int64_t outputs = p->outputs;
    for (int64_t t = 0; t < b->count; t++) {
        const krn_conv_position at = tile_position(p, b->first + t);
        float *out[RESULTS * RESULTS];
        for (int r = 0; r < RESULTS * RESULTS; r++) {
            const krn_conv_position result = {
                at.batch, {0, at.at[Y] + r / RESULTS, at.at[X] + r % RESULTS}};
            out[r] = result.at[Y] < p->out_size[Y] && result.at[X] < p->out_size[X]
                         ? (float *)job->args->c + krn_conv_offset(&p->out, &result)
                         : b->outside;
        }
        if (!job->loops->output(&job->finish, b->products + t * outputs,
                                job->room.product_step, out, outputs)) {
            const float *in[CELLS];
            find_inputs(b, &at, in);
            if (any_infinite(in, p->channels))
                by_definition(job, in, out);
        }
        for (int r = 0; r < RESULTS * RESULTS && p->desc.act == KRN_GEMM_CALL; r++)
            if (out[r] != b->outside)
                job->args->act(job->args->act_context, out[r], (size_t)outputs);
    }
}

static void run_block(void *context, int64_t task, int thread)
{
    const winograd_job *job = context;
    char *const scratch = job->scratch + (size_t)thread * job->room.bytes;
    const int64_t first = block_start(job->plan, job->blocks, task);
    const block b = {
        .job = job,
        .first = first,
        .count = block_start(job->plan, job->blocks, task + 1) - first,
        .zeros = (float *)(scratch + job->room.zeros),
        .outside = (float *)(scratch + job->room.outside),
        .inputs = (float *)(scratch + job->room.inputs),
        .products = (float *)(scratch + job->room.products),
    };
    memset(scratch + job->room.zeros, 0, (size_t)job->plan->channels * sizeof(float));
    transform_inputs(&b);
    multiply(&b);
    transform_results(&b);
}

void krn_conv_winograd_run(const krn_conv_plan *p, const krn_gemm_args *args, char *scratch,
                           const float *bias, const void *weights,
                           struct tw_threadpool *pool)
{
    const bool limited = p->desc.act == KRN_GEMM_RELU || p->desc.act == KRN_GEMM_RELU6;
    winograd_job job = {
        .plan = p,
        .args = args,
        .loops = krn_winograd_loops_best(),
        .weights = weights,
        .scratch = scratch,
        .room = plan_room(p),
        .blocks = block_count(p),
        .finish = {.scale = args->scale,
                   .bias = bias,
                   .floor = limited ? 0 : -INFINITY,
                   .ceiling = p->desc.act == KRN_GEMM_RELU6 ? 6 : INFINITY},
        .pool = pool,
    };
    krn_parallel(pool, p->desc.threads, job.blocks, run_block, &job);
}
