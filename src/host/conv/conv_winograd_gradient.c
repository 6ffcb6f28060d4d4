/* conv_winograd_gradient.c: convolutions with 3x3 results of a large window, in f32, by
 * Winograd's algorithm: the gradient of 3x3 weights is one, whose window is the whole image
 * and whose batch is the layer's channels.
 *
 * The window is cut into 2x2 parts; a part and the 4x4 inputs that it meets are transformed
 * to 16 elements each (conv_winograd_loops.h). For each element the sum over all parts and
 * input channels is a matrix product [batch][part] by [part][output]; nine results come
 * from the 16 sums. The product reads the image and the packed weights of KRN_CONV_PRODUCT,
 * which computes the whole again where a result is not finite. */
#include "host/conv/conv_run.h"
#include "host/conv/conv_winograd_loops.h"
#include "host/gemm/gemm_core.h"
#include "host/parallel.h"
#include "support/number.h"

enum { Y = KRN_CONV_MAX_SPATIAL - 2, X = KRN_CONV_MAX_SPATIAL - 1 };
enum {
    SIDE = KRN_WINOGRAD_SIDE,
    CELLS = SIDE * SIDE,
    RESULTS = KRN_WINOGRAD_WINDOW,
    PART = KRN_WINOGRAD_TILE
};

#define ALIGN 64
/* Rows of the batch, and output channels, of one task: its sums stay in the second-level
 * cache. */
#define BLOCK 64
/* Floats of one task's transformed parts and inputs of one step. */
#define STEP_FLOATS 65536
/* Tasks wanted. Where fewer blocks exist, the depth is split; never by the number of
 * threads, on which results do not depend. */
#define TASKS 8
/* Least terms of a task's sums. */
#define DEPTH 64

static bool has_results(const krn_conv_plan *p, int axis)
{
    return p->out_size[axis] == RESULTS && krn_conv_is_plain_axis(p, axis);
}

/* ---- planning */

/* How a convolution is cut: into blocks of the batch by blocks of output channels by
 * stretches of the depth. */
typedef struct cut {
    int64_t rows, columns, stretches;   /* counts */
    int64_t panels;                     /* of output channels, in all */
    int64_t across, depth;              /* parts along the window's row; terms of a sum */
    int64_t step;                       /* terms transformed at a time */
    int64_t input_step, part_step;      /* floats from one element to the next */
    size_t inputs, parts, thread_bytes; /* scratch memory of a thread: offsets, size */
    int64_t sums;                       /* floats of a stretch's sums */
} cut;

static cut plan_cut(const krn_conv_plan *p)
{
    cut c;
    const int64_t nr = p->kernels->nr;
    c.panels = tw_ceil_div(p->outputs, nr);
    c.rows = tw_ceil_div(p->batch, BLOCK);
    c.columns = tw_ceil_div(c.panels, TW_MAX(BLOCK / nr, 1));
    c.across = tw_ceil_div(p->taps[X], PART);
    c.depth = tw_ceil_div(p->taps[Y], PART) * c.across * p->channels;
    c.stretches =
        TW_MAX(1, TW_MIN(tw_ceil_div(TASKS, c.rows * c.columns), c.depth / DEPTH));
    const int64_t rows = tw_ceil_div(p->batch, c.rows);
    const int64_t columns = tw_ceil_div(c.panels, c.columns) * nr;
    c.step = TW_MAX(STEP_FLOATS / CELLS / (rows + columns), 8);
    c.inputs = 0;
    c.input_step = krn_winograd_step(c.step * rows);
    c.part_step = krn_winograd_step(c.step * columns);
    c.parts = tw_align_up((size_t)(CELLS * c.input_step) * 4, ALIGN);
    c.thread_bytes = c.parts + tw_align_up((size_t)(CELLS * c.part_step) * 4, ALIGN);
    c.sums = CELLS * p->batch * c.panels * nr;
    return c;
}

bool krn_conv_winograd_gradient_fits(const krn_conv_plan *p)
{
    const krn_conv_desc *d = &p->desc;
    enum { CHANNELS = 16, TAPS = 4 };
    return d->in == TW_F32 && d->weights == TW_F32 && d->out == TW_F32 && p->groups == 1 &&
           d->act == KRN_GEMM_NONE && !d->bias && !d->constant_weights &&
           p->batch >= CHANNELS && p->outputs >= CHANNELS && p->taps[Y] >= TAPS &&
           p->taps[X] >= TAPS && has_results(p, Y) && has_results(p, X) &&
           p->taps[0] == 1 && p->out_size[0] == 1 && plan_cut(p).depth >= DEPTH;
}

void krn_conv_winograd_gradient_plan(krn_conv_plan *p)
{
    const cut c = plan_cut(p);
    p->path = KRN_CONV_WINOGRAD_GRADIENT;
    p->gradient_bytes =
        tw_align_up((size_t)p->desc.threads * c.thread_bytes +
                        (size_t)(c.stretches * c.sums) * sizeof(float) + (size_t)p->batch,
                    ALIGN);
}

/* ---- running */

typedef struct gradient_job {
    const krn_conv_plan *plan;
    const krn_winograd_loops *loops;
    cut cut;
    const float *image, *weights;
    char *scratch; /* of thread 0 */
    float *sums;   /* [stretch][element][row of the batch][panel][nr] */
    float *out;
    const struct tw_threadpool *pool;
    bool *wrong; /* by row of the batch */
} gradient_job;

/* What one task takes. */
typedef struct block {
    const gradient_job *job;
    int64_t row, rows, panel, panels, stretch;
    float *inputs, *parts; /* [element][term][row], [element][panel][term][nr] */
    int64_t terms;         /* in this step */
} block;

static const float zeros[KRN_GEMM_MAX_NR > BLOCK ? KRN_GEMM_MAX_NR : BLOCK];

/* A part of the window and the inputs that it meets: addresses of the first channel, and
 * the floats to the next; none where a line of zeros replaces what is outside. */
typedef struct addresses {
    const float *in[CELLS], *part[PART * PART];
    int64_t in_step[CELLS], part_step[PART * PART];
} addresses;

static void find_addresses(const block *b, int64_t at, addresses *out)
{
    const gradient_job *job = b->job;
    const krn_conv_plan *p = job->plan;
    const int64_t nr = p->kernels->nr;
    const int64_t y = at / job->cut.across * PART, x = at % job->cut.across * PART;

    for (int cell = 0; cell < CELLS; cell++) {
        const int64_t iy = y + cell / SIDE, ix = x + cell % SIDE;
        const bool inside = iy < p->taps[Y] + RESULTS - 1 && ix < p->taps[X] + RESULTS - 1;
        out->in_step[cell] = inside ? p->image.feature : 0;
        out->in[cell] = inside ? job->image + iy * p->image.spatial[Y] +
                                     ix * p->image.spatial[X] + b->row
                               : zeros;
    }
    for (int t = 0; t < PART * PART; t++) {
        const int64_t ty = y + t / PART, tx = x + t % PART;
        const bool inside = ty < p->taps[Y] && tx < p->taps[X];
        out->part_step[t] = inside ? nr : 0;
        out->part[t] = inside ? job->weights + b->panel * p->k * nr +
                                    (ty * p->taps[X] + tx) * p->channels * nr
                              : zeros;
    }
}

/* Transforms the terms [first, first + b->terms): input channels of parts of the window. */
static void transform(const block *b, int64_t first)
{
    const gradient_job *job = b->job;
    const krn_conv_plan *p = job->plan;
    const int64_t nr = p->kernels->nr;
    int64_t at = first / p->channels, channel = first % p->channels;
    addresses here;

    find_addresses(b, at, &here);
    for (int64_t i = 0; i < b->terms; i++) {
        const float *in[CELLS], *part[PART * PART];
        for (int cell = 0; cell < CELLS; cell++)
            in[cell] = here.in[cell] + channel * here.in_step[cell];
        job->loops->input(in, b->inputs + i * b->rows, job->cut.input_step, b->rows);
        for (int64_t panel = 0; panel < b->panels; panel++) {
            for (int t = 0; t < PART * PART; t++)
                part[t] = here.part[t] + channel * here.part_step[t] +
                          (here.part_step[t] ? panel * p->k * nr : 0);
            job->loops->part(part, b->parts + (panel * b->terms + i) * nr,
                             job->cut.part_step, nr);
        }
        if (++channel == p->channels) {
            channel = 0;
            find_addresses(b, ++at, &here);
        }
    }
}

static void multiply(const block *b, bool add)
{
    const krn_conv_plan *p = b->job->plan;
    const cut *c = &b->job->cut;
    const int64_t nr = p->kernels->nr, row = c->panels * nr;
    float *sums = b->job->sums + b->stretch * c->sums + b->row * row + b->panel * nr;

    for (int64_t i = 0; i < CELLS; i++, sums += p->batch * row) {
        const krn_gemm_core core = {
            .kernels = p->kernels,
            .k = b->terms,
            .kc = TW_MIN(b->terms, KRN_GEMM_KC_CELLS),
            .ks = b->terms,
            .a = (const char *)(b->inputs + i * c->input_step),
            .a_row = 4,
            .a_step = b->rows * 4,
            .b = (const char *)(b->parts + i * c->part_step),
            .b_panel = b->terms * nr * 4,
            .b_step = nr * 4,
            .c = sums,
            .c_row = row,
            .add = add,
            .pool = b->job->pool,
        };
        krn_gemm_block(&core, 0, b->rows, 0, b->panels * nr, NULL, NULL);
    }
}

static void sum_block(void *context, int64_t task, int thread)
{
    const gradient_job *job = context;
    const cut *c = &job->cut;
    const int64_t stretch = task % c->stretches, column = task / c->stretches % c->columns;
    const int64_t row = task / c->stretches / c->columns;
    char *const scratch = job->scratch + (size_t)thread * c->thread_bytes;
    const int64_t first = c->depth * stretch / c->stretches;
    const int64_t end = c->depth * (stretch + 1) / c->stretches;
    block b = {
        .job = job,
        .row = job->plan->batch * row / c->rows,
        .panel = c->panels * column / c->columns,
        .stretch = stretch,
        .inputs = (float *)(scratch + c->inputs),
        .parts = (float *)(scratch + c->parts),
    };
    b.rows = job->plan->batch * (row + 1) / c->rows - b.row;
    b.panels = c->panels * (column + 1) / c->columns - b.panel;
    for (int64_t term = first; term < end; term += b.terms) {
        b.terms = TW_MIN(c->step, end - term);
        transform(&b, term);
        multiply(&b, term > first);
    }
}

/* The nine results of one row of the batch. */
static void finish_row(void *context, int64_t row, int thread)
{
    const gradient_job *job = context;
    const krn_conv_plan *p = job->plan;
    const cut *c = &job->cut;
    const int64_t nr = p->kernels->nr, width = c->panels * nr;
    const krn_conv_view *o = &p->out;
    float sums[CELLS][KRN_GEMM_MAX_NR] = {0}, results[RESULTS * RESULTS][KRN_GEMM_MAX_NR];
    (void)thread;

    for (int64_t panel = 0; panel < c->panels; panel++) {
        const int64_t count = TW_MIN(nr, p->outputs - panel * nr);
        for (int cell = 0; cell < CELLS; cell++) {
            const float *from = job->sums + (cell * p->batch + row) * width + panel * nr;
            memcpy(sums[cell], from, (size_t)nr * sizeof(float));
            for (int64_t s = 1; s < c->stretches; s++)
                for (int64_t j = 0; j < nr; j++)
                    sums[cell][j] += from[s * c->sums + j];
        }
        job->wrong[row] |= !job->loops->part_results(sums[0], KRN_GEMM_MAX_NR, results[0],
                                                     KRN_GEMM_MAX_NR, KRN_GEMM_MAX_NR);
        for (int r = 0; r < RESULTS * RESULTS; r++) {
            float *to = job->out + row * o->batch + r / RESULTS * o->spatial[Y] +
                        r % RESULTS * o->spatial[X] + panel * nr * o->feature;
            for (int64_t j = 0; j < count; j++)
                to[j * o->feature] = results[r][j];
        }
    }
}

bool krn_conv_winograd_gradient_run(const krn_conv_plan *p, const krn_gemm_args *args,
                                    const void *image, const void *weights, char *scratch,
                                    struct tw_threadpool *pool)
{
    gradient_job job = {
        .plan = p,
        .loops = krn_winograd_loops_best(),
        .cut = plan_cut(p),
        .image = image,
        .weights = weights,
        .scratch = scratch,
        .out = args->c,
        .pool = pool,
    };
    const cut *c = &job.cut;
    job.sums = (float *)(scratch + (size_t)p->desc.threads * c->thread_bytes);
    job.wrong = (bool *)(job.sums + c->stretches * c->sums);
    memset(job.wrong, 0, (size_t)p->batch); /* also of a run that is cancelled */
    krn_parallel(pool, p->desc.threads, c->rows * c->columns * c->stretches, sum_block,
                 &job);
    krn_parallel(pool, p->desc.threads, p->batch, finish_row, &job);
    for (int64_t row = 0; row < p->batch; row++)
        if (job.wrong[row])
            return false;
    return true;
}
