/* gemm_core.c: the blocked matrix product over the micro-kernels.
 *
 * The loop order follows Goto and van de Geijn ("Anatomy of high-performance matrix
 * multiplication", 2008), with one change, since B is packed as a whole: as many blocks of
 * k of A as fit the second-level cache are packed together, and all of them are multiplied
 * for one panel of B before the next, so that B is read sequentially and the tiles of C
 * stay in the first-level cache between blocks of k. */
#include "host/gemm/gemm_core.h"

#include "support/number.h"
#include "support/threadpool.h"

#include "host/isa.h"
#include "host/pool/pool_loops.h"

/* Bytes of A packed together, at most half a second-level cache; target number of rows. */
#define A_BLOCK_BYTES (512 * 1024)
#define A_BLOCK_ROWS 112
/* Rows of B packed at a time: a page of memory each, within the reach of the first-level
 * TLB. Even. */
#define PACK_ROWS 32
/* Upper bound on the tiles of a run of B that are memory-bound. */
#define FEW_TILES 4
/* Columns of a block of sums kept in scratch. */
#define SUM_COLUMNS 512

#if defined(__x86_64__)
const krn_pool_loops *krn_pool_loops_best(void)
{
    const krn_isa isa = krn_isa_chosen();
    return isa >= KRN_ISA_AVX512 ? &krn_pool_loops_avx512
           : isa >= KRN_ISA_AVX2 ? &krn_pool_loops_avx2
                                 : &krn_pool_loops_plain;
}

const krn_gemm_kernels *krn_gemm_kernels_f32(void)
{
    const krn_isa isa = krn_isa_chosen();
    return isa >= KRN_ISA_AVX512 ? &krn_gemm_avx512
           : isa >= KRN_ISA_AVX2 ? &krn_gemm_avx2
                                 : &krn_gemm_plain;
}

const krn_gemm_kernels *krn_gemm_kernels_bf16(void)
{
    return krn_isa_chosen() >= KRN_ISA_AVX512BF16 ? &krn_gemm_avx512bf16 : NULL;
}
#else
const krn_pool_loops *krn_pool_loops_best(void)
{
    return &krn_pool_loops_plain;
}

const krn_gemm_kernels *krn_gemm_kernels_f32(void)
{
    return &krn_gemm_plain;
}

const krn_gemm_kernels *krn_gemm_kernels_bf16(void)
{
    return NULL;
}
#endif

krn_gemm_cut krn_gemm_choose_cut(const krn_gemm_kernels *kernels, int64_t batches,
                                 int64_t m, int64_t n, int64_t k, int threads, bool block_c)
{
    const int64_t mr = kernels->mr, nr = kernels->nr, cell = kernels->cell;
    const int64_t cells = TW_MAX(tw_ceil_div(k, cell), 1);
    const int64_t kc = tw_ceil_div(cells, tw_ceil_div(cells, KRN_GEMM_KC_CELLS));
    const int64_t blocks_of_k = tw_ceil_div(cells, kc);
    const int64_t together =
        TW_MAX(1, A_BLOCK_BYTES / (kc * 4 * TW_MAX(TW_MIN(m, A_BLOCK_ROWS), 1)));
    const int64_t ks = tw_ceil_div(blocks_of_k, tw_ceil_div(blocks_of_k, together)) * kc;
    const int64_t mc_most =
        TW_MAX(A_BLOCK_BYTES / (ks * 4) / mr * mr, TW_MIN(m, A_BLOCK_ROWS / mr * mr));
    int64_t mc = tw_ceil_div(TW_MAX(m, 1), tw_ceil_div(TW_MAX(m, 1), mc_most));
    int64_t nc = block_c ? TW_MIN(n, SUM_COLUMNS) : n;

    if (threads > 1) {
        /* Enough blocks for threads to finish together; rows first, whose blocks share
         * B. */
        const int64_t wanted = 2 * threads;
        int64_t blocks = batches * tw_ceil_div(TW_MAX(m, 1), mc);
        if (blocks < wanted && m >= wanted * mr) {
            mc = tw_ceil_div(m, tw_ceil_div(tw_ceil_div(m, mc), threads) * threads);
            blocks = batches * tw_ceil_div(m, mc);
        }
        if (blocks < threads) {
            const int64_t panels = tw_ceil_div(n, nr);
            nc = TW_MIN(nc, tw_ceil_div(panels, TW_MIN(panels, wanted)) * nr);
        }
    }
    return (krn_gemm_cut){mc, tw_align_up((size_t)TW_MAX(nc, 1), (size_t)nr), kc * cell,
                          ks * cell};
}

void krn_gemm_pack_panels(const krn_gemm_kernels *kernels, const krn_lines *b,
                          bool transposed, int64_t k, int64_t n, int64_t panel,
                          int64_t panel_end, void *packed)
{
    const int nr = kernels->nr;
    const int64_t cells = tw_ceil_div(k, kernels->cell);

    /* Rows of B are read sequentially, some at a time, so that adjacent panels find them in
     * the cache. */
    const int64_t rows = transposed ? TW_MAX(k, 1) : PACK_ROWS;

    for (int64_t k0 = 0; k0 < k; k0 += rows)
        for (int64_t j = panel; j < panel_end; j++) {
            uint32_t *dst = (uint32_t *)packed + (j * cells + k0 / kernels->cell) * nr;
            const int count = (int)TW_MIN(nr, n - j * nr);
            const int64_t k_end = TW_MIN(k, k0 + rows);
            if (transposed)
                krn_pack_across(kernels, dst, nr, b, j * nr, count, k0, k_end);
            else
                krn_pack_along(kernels, dst, nr, b, j * nr, count, k0, k_end);
        }
}

/* Returns the first row of a panel in a block: the rows are distributed evenly, at most mr
 * per panel. */
static int64_t panel_row(int64_t rows, int64_t panels, int64_t panel)
{
    return rows * panel / panels;
}

static void pack_block(const krn_gemm_core *core, int64_t row, int64_t rows, int64_t k0,
                       int64_t k_end, uint32_t *a_pack)
{
    const int64_t panels = tw_ceil_div(rows, core->kernels->mr);
    const int64_t cells = tw_ceil_div(k_end - k0, core->kernels->cell);

    for (int64_t p = 0; p < panels; p++) {
        const int64_t first = panel_row(rows, panels, p);
        const int count = (int)(panel_row(rows, panels, p + 1) - first);
        core->pack_rows(core->pack_context, core->kernels, a_pack + first * cells,
                        row + first, count, k0, k_end);
    }
}

/* Multiplies the tiles of rows with a common stride, in one panel of B. */
static void strip(const krn_gemm_core *core, krn_gemm_tile *t, int64_t rows, float *c,
                  uint16_t *c16)
{
    const krn_gemm_kernels *kernels = core->kernels;
    const int64_t panels = tw_ceil_div(rows, kernels->mr);
    const bool in_place = core->a || core->line_at;
    const ptrdiff_t a_step = core->a_step ? core->a_step : 4;
    const char *const a = t->a;

    t->run = core->a_run ? core->run / kernels->cell : t->k;
    t->a_jump = core->a_run ? core->a_run - t->run * a_step : 0;
    for (int64_t p = 0; p < panels; p++) {
        const int64_t first = panel_row(rows, panels, p);
        t->rows = (int)(panel_row(rows, panels, p + 1) - first);
        t->a = a + first * (in_place ? core->a_row : 4 * t->k);
        t->a_row = in_place ? core->a_row : 4;
        t->a_step = in_place ? a_step : 4 * t->rows;
        t->c = c ? c + first * t->c_row : NULL;
        if (t->flags & KRN_TILE_BF16)
            t->c16 = c16 + first * t->c16_row;
        kernels->tile(t);
        t->ahead += t->k * t->ahead_step;
    }
}

/* Prefetches the next run of B while this one is multiplied, if by few tiles only: these
 * would wait for memory. Many tiles hide the latency themselves, and useless prefetches
 * cost them one percent. */
static void look_ahead(const krn_gemm_core *core, krn_gemm_tile *t, int64_t rows,
                       const char *next)
{
    const int64_t tiles = tw_ceil_div(rows, core->kernels->mr);
    const bool fetch = core->b_step == core->kernels->nr * 4 && tiles <= FEW_TILES;

    t->ahead = fetch ? next : t->b;
    t->ahead_step = fetch ? t->b_step / tiles + 1 : 0;
}

/* Returns the end of the block of k that begins at k0. */
static int64_t block_end(const krn_gemm_core *core, int64_t k0)
{
    const bool ends = core->run && !core->a_run;
    const int64_t run_end = ends ? (k0 / core->run + 1) * core->run : core->k;
    return TW_MIN(TW_MIN(core->k, run_end), k0 + core->kc);
}

/* Multiplies one panel of B by one block of k of the block's rows. t.c is at the block's
 * row 0 in this panel. */
static void sweep(const krn_gemm_core *core, krn_gemm_tile *t, int64_t row, int64_t rows,
                  int64_t column, int64_t k0, const uint32_t *a_pack)
{
    const int64_t line = core->line ? core->line : INT64_MAX;
    const bool ends = t->flags & KRN_TILE_BF16;
    float *const c = t->c;

    for (int64_t r = row, n; r < row + rows; r += n) {
        float *rows_c = c ? c + (r - row) * t->c_row : NULL;
        uint16_t *rows_c16 = ends ? core->c16 + r * t->c16_row + column : NULL;
        n = TW_MIN(row + rows - r, line - r % line);
        if (core->line_at)
            t->a = core->line_at(core->line_context, r / line, k0) + r % line * core->a_row;
        else if (core->a)
            t->a = core->a + r * core->a_row + k0 / core->kernels->cell * 4;
        else
            t->a = (const char *)a_pack;
        if (core->out_line_at && core->c)
            rows_c = (float *)core->out_line_at(core->line_context, r / line) +
                     r % line * t->c_row + column;
        else if (core->out_line_at && ends)
            rows_c16 = (uint16_t *)core->out_line_at(core->line_context, r / line) +
                       r % line * t->c16_row + column;
        strip(core, t, n, rows_c, rows_c16);
    }
    t->c = c;
}

/* Blocks of k from s0 to s_end, already packed, for one panel of B. */
static void panel_product(const krn_gemm_core *core, krn_gemm_tile t, int64_t row,
                          int64_t rows, int64_t column, int64_t s0, int64_t s_end,
                          const uint32_t *a_pack)
{
    const krn_gemm_kernels *kernels = core->kernels;
    const int64_t at = column / kernels->nr * core->b_panel;
    const char *const panel = at ? core->b + at : core->b;

    for (int64_t k0 = s0, k_end; k0 == s0 || k0 < s_end; k0 = k_end) {
        k_end = TW_MIN(block_end(core, k0), s_end);
        t.k = tw_ceil_div(k_end - k0, kernels->cell);
        t.b = k0 ? panel + k0 / kernels->cell * core->b_step : panel;
        t.flags = k0 > 0 || core->add ? KRN_TILE_ADD : 0;
        if (k_end == core->k)
            t.flags |= (core->scale ? KRN_TILE_SCALE : 0) |
                       (core->bias ? KRN_TILE_BIAS : 0) | (core->relu ? KRN_TILE_RELU : 0) |
                       (core->six ? KRN_TILE_SIX : 0) | (core->c16 ? KRN_TILE_BF16 : 0);
        look_ahead(core, &t, rows,
                   k_end < s_end ? t.b + t.k * t.b_step
                   : panel       ? panel + core->b_panel + s0 / kernels->cell * core->b_step
                                 : NULL);
        sweep(core, &t, row, rows, column, k0,
              a_pack ? a_pack + rows * (k0 - s0) / kernels->cell : NULL);
        if (k_end == k0)
            break;
    }
}

void krn_gemm_block(const krn_gemm_core *core, int64_t row, int64_t rows, int64_t column,
                    int64_t columns, uint32_t *a_pack, float *c_block)
{
    const int64_t nr = core->kernels->nr, cell = core->kernels->cell;
    const bool in_place = core->c != NULL;
    float *const c = in_place ? core->c + row * core->c_row + column : c_block;
    krn_gemm_tile t = {
        .b_step = core->b_step,
        .c_row = in_place ? core->c_row : columns,
        .c16_row = core->c16_row,
    };

    for (int64_t s0 = 0, s_end; s0 == 0 || s0 < core->k; s0 = s_end) {
        s_end = TW_MIN(core->k, s0 + core->ks);
        for (int64_t k0 = s0; core->pack_rows && k0 < s_end;) {
            const int64_t k_end = TW_MIN(block_end(core, k0), s_end);
            pack_block(core, row, rows, k0, k_end, a_pack + rows * (k0 - s0) / cell);
            k0 = k_end;
        }
        for (int64_t j = 0; j < columns; j += nr) {
            if (tw_threadpool_cancelled(core->pool))
                return;
            t.columns = (int)TW_MIN(nr, columns - j);
            t.c = c ? c + j : NULL;
            t.bias = core->bias ? core->bias + column + j : NULL;
            t.scale = core->scale ? core->scale + column + j : NULL;
            panel_product(core, t, row, rows, column + j, s0, s_end, a_pack);
        }
        if (s_end == s0)
            break;
    }
    if (core->finish)
        core->finish(core->finish_context, c, t.c_row, row, rows, column, columns);
}
