/* product.c: see product.h.
 *
 * bf16 tiles are multiplied in their memory format, by the processor's instruction, if its
 * sums are bit-identical (tile.h); everything else in source registers. */
#include "grid/units/product.h"

#include "host/tiles/tile.h"

void dev_load_source(tw_dtype format, const void *from, dev_tile *out)
{
    if (format == TW_F32)
        krn_tiles()->load_tf32(from, out->f);
    else
        dev_tile_load(format, from, out);
}

static void load_second(const dev_job *job, dev_tile *scratch, dev_tile *out)
{
    dev_load_source((tw_dtype)job->y, job->b, job->how ? scratch : out);
    if (job->how)
        krn_tiles()->transpose(scratch->f, out->f);
}

static bool takes_bf16(const dev_job *job)
{
    const dev_compute *c = job->unit;
    return krn_tiles()->product_bf16 && c->unit.level == DEV_VALUE &&
           c->dst.format != DEV_DST_F16 && job->x == TW_BF16 && job->y == TW_BF16 &&
           !job->how;
}

static void multiply(const dev_job *job)
{
    dev_compute *c = job->unit;
    float *out = job->out;
    if (takes_bf16(job) && krn_tiles()->product_bf16(job->a, job->b, job->adds ? out : NULL,
                                                     c->dst.format == DEV_DST_BF16, out))
        return;
    dev_load_source((tw_dtype)job->x, job->a, &c->a);
    load_second(job, &c->c, &c->b);
    dev_matrix_product(&c->unit, &c->a, &c->b, job->adds, job->out, c->scratch);
}

const dev_job_kind dev_product_job = {multiply, DEV_REGISTER, DEV_PAGE_X, DEV_PAGE_Y};

/* ---- prepared operands ------------------------------------------------------------- */

static void prepare_left_pairs(const dev_job *job)
{
    dev_prepared *to = job->out;
    to->tile = job->a;
    to->fits = krn_tiles()->pair_left(job->a, to->pairs);
}

static void prepare_right_pairs(const dev_job *job)
{
    dev_prepared *to = job->out;
    to->tile = job->a;
    to->fits = krn_tiles()->pair_right(job->a, to->pairs);
}

/* y: the format; how: whether to transpose. */
static void prepare_source(const dev_job *job)
{
    dev_tile scratch;
    dev_prepared *to = job->out;
    load_second(&(dev_job){.b = job->a, .y = job->y, .how = job->how}, &scratch,
                &to->source);
    to->fits = job->y == TW_BF16 && krn_tiles()->pairs_fit(job->a);
}

static void multiply_pairs(const dev_job *job)
{
    const dev_prepared *a = job->a, *b = job->b;
    dev_compute *c = job->unit;
    float *out = job->out;
    if (a->fits && b->fits) {
        krn_tiles()->product_pairs(a->pairs, b->pairs, job->adds ? out : NULL,
                                   c->dst.format == DEV_DST_BF16, out);
        return;
    }
    dev_job plain = *job;
    plain.a = a->tile;
    plain.b = b->tile;
    multiply(&plain);
}

/* Returns what to prefetch: operands of the tape's next job, or this one's again. */
static krn_next next_of(const dev_job *job)
{
    const dev_job *next = job->with ? job->with : job;
    const dev_prepared *a = next->a, *b = next->b;
    return (krn_next){&a->source, &b->source, next->out};
}

static void multiply_pairs_onto(const dev_job *job)
{
    const dev_prepared *a = job->a, *b = job->b;
    dev_compute *c = job->unit;
    if (a->fits && b->fits) {
        const krn_next next = next_of(job);
        krn_tiles()->product_pairs_onto(a->pairs, b->pairs, job->out, &next);
        return;
    }
    dev_job plain = *job;
    plain.out = &c->scratch[0]; /* products by value do not use it */
    plain.adds = false;
    multiply_pairs(&plain);
    krn_tiles()->sum_bf16(c->scratch[0].f, job->out);
}

/* True if nothing is truncated or rounded on the way to DST. */
static bool is_exact(const dev_compute *c)
{
    return c->unit.level == DEV_VALUE && c->dst.format == DEV_DST_F32;
}

static void multiply_sources(const dev_job *job)
{
    const dev_prepared *a = job->a, *b = job->b;
    dev_compute *c = job->unit;
    if (is_exact(c) && !job->adds) {
        const krn_next next = next_of(job);
        krn_tiles()->product_on_page(a->source.f, b->source.f, false, job->out, &next);
        return;
    }
    dev_matrix_product(&c->unit, &a->source, &b->source, job->adds, job->out, c->scratch);
}

static void multiply_sources_onto(const dev_job *job)
{
    const dev_prepared *a = job->a, *b = job->b;
    const krn_next next = next_of(job);
    krn_tiles()->product_on_page(a->source.f, b->source.f, true, job->out, &next);
}

static void multiply_sources_onto_half(const dev_job *job)
{
    const dev_prepared *a = job->a, *b = job->b;
    dev_compute *c = job->unit;
    if (a->fits && b->fits) {
        const krn_next next = next_of(job);
        krn_tiles()->product_onto_bf16(a->source.f, b->source.f, job->out, &next);
        return;
    }
    dev_tile *sum = &c->scratch[0]; /* products by value do not use it */
    dev_matrix_product(&c->unit, &a->source, &b->source, false, sum, c->scratch);
    krn_tiles()->sum_bf16(sum->f, job->out);
}

static const dev_job_kind
    prepare_left = {prepare_left_pairs, DEV_NO_BYTES, DEV_HALF, DEV_NO_BYTES},
    prepare_right = {prepare_right_pairs, DEV_NO_BYTES, DEV_HALF, DEV_NO_BYTES},
    prepare = {prepare_source, DEV_NO_BYTES, DEV_PAGE_Y, DEV_NO_BYTES},
    of_pairs = {multiply_pairs, DEV_REGISTER, DEV_HALF, DEV_HALF},
    of_pairs_onto = {multiply_pairs_onto, DEV_HALF, DEV_HALF, DEV_HALF},
    of_sources = {multiply_sources, DEV_REGISTER, DEV_REGISTER, DEV_REGISTER},
    of_sources_onto = {multiply_sources_onto, DEV_REGISTER, DEV_REGISTER, DEV_REGISTER},
    of_sources_onto_half = {multiply_sources_onto_half, DEV_HALF, DEV_REGISTER,
                            DEV_REGISTER};

dev_job dev_product_prepare(const dev_job *product, bool second)
{
    dev_job job = {.a = second ? product->b : product->a, .unit = product->unit};
    if (takes_bf16(product)) {
        job.kind = second ? &prepare_right : &prepare_left;
        return job;
    }
    job.kind = &prepare;
    job.y = second ? product->y : product->x;
    job.how = second && product->how;
    return job;
}

dev_job dev_product_of_prepared(const dev_job *product)
{
    dev_job job = *product;
    job.kind = takes_bf16(product) ? &of_pairs : &of_sources;
    return job;
}

/* Returns the job kind that adds a product to a page of this format; or NULL. */
static const dev_job_kind *kind_onto(const dev_job *product, tw_dtype page)
{
    const dev_compute *c = product->unit;
    if (product->kind != &of_pairs && product->kind != &of_sources)
        return NULL; /* another job; it may have no unit */
    const bool is_bf16 = c->dst.format == DEV_DST_BF16 && page == TW_BF16;
    if (product->kind == &of_pairs)
        return is_bf16 ? &of_pairs_onto : NULL;
    if (c->unit.level != DEV_VALUE)
        return NULL;
    return is_bf16                         ? &of_sources_onto_half
           : is_exact(c) && page == TW_F32 ? &of_sources_onto
                                           : NULL;
}

bool dev_product_join(const dev_job *product, const dev_job *pack, dev_job *out_job)
{
    const dev_job_kind *kind = kind_onto(product, (tw_dtype)pack->x);
    if (pack->kind != &dev_pack_job || !pack->adds || product->adds || !kind)
        return false;
    *out_job = *product;
    out_job->kind = kind;
    out_job->out = pack->out;
    out_job->adds = true;
    return true;
}

static bool is_of_prepared(const dev_job *job)
{
    return job->kind == &of_pairs || job->kind == &of_pairs_onto ||
           job->kind == &of_sources || job->kind == &of_sources_onto ||
           job->kind == &of_sources_onto_half;
}

const dev_job *dev_product_follow(const dev_job *last, dev_job *job)
{
    if (!is_of_prepared(job))
        return last;
    job->with = last;
    return job;
}
