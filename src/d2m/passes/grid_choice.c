/* grid_choice.c: chooses grids of tensors. */
#include "d2m/passes/grid_choice.h"

#include "ttcore/ttcore_tile.h"

bool d2m_shape_to_divide(ir_type tensor, const int64_t target[2], bool ttnn, d2m_shape *out)
{
    d2m_layout l;
    if (!d2m_layout_of(tensor, &l))
        return false;
    if (!ttnn)
        d2m_align_to_grid(&l, target);
    if (!d2m_physical_shape(&l, true, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->at[i] <= 0)
            return false;
    return out->n >= 2;
}

/* ---- grids -------------------------------------------------------------------------- */

static int64_t largest_divisor(int64_t of, int64_t limit)
{
    int64_t g = TW_MAX(TW_MIN(of, limit), 1);
    while (of % g != 0)
        g--;
    return g;
}

bool d2m_block_sharded_grid(const d2m_shape *physical, const int64_t target[2],
                            d2m_shape *out)
{
    if (physical->n < 2)
        return false;
    *out = (d2m_shape){.n = physical->n};
    for (uint32_t i = 0; i < physical->n; i++)
        out->at[i] = i + 2 < physical->n
                         ? 1
                         : largest_divisor(physical->at[i], target[i + 2 - physical->n]);
    return true;
}

static bool is_legal(int64_t volume, const int64_t target[2])
{
    int64_t cores[2];
    return d2m_physical_grid(volume, target, cores);
}

typedef struct grid_search {
    const d2m_shape *physical;
    const int64_t *target;
    int64_t most, best; /* cores allowed, cores of the best grid */
    d2m_shape at, found;
} grid_search;

/* Tries all divisors of dimension `dim` and those after it. */
static void try_divisors(grid_search *s, uint32_t dim, int64_t volume)
{
    if (dim == s->physical->n) {
        if (volume > s->best && is_legal(volume, s->target)) {
            s->best = volume;
            s->found = s->at;
        }
        return;
    }
    int64_t size = s->physical->at[dim];
    for (int64_t g = 1; g <= TW_MIN(size, s->most / volume); g++)
        if (size % g == 0) {
            s->at.at[dim] = g;
            try_divisors(s, dim + 1, volume * g);
        }
}

/* The dimension of two that is larger than the other, the first if none is. */
static uint32_t longest(const d2m_shape *physical)
{
    return physical->at[1] > physical->at[0] ? 1 : 0;
}

/* A grid of cores numbered through; false if too few of them would work. */
static bool virtual_grid(const d2m_shape *physical, const int64_t target[2], d2m_shape *out)
{
    int64_t most = target[0] * target[1];
    if (physical->n != 2) {
        grid_search s = {.physical = physical,
                         .target = target,
                         .most = most,
                         .at = {.n = physical->n},
                         .found = {.n = physical->n}};
        try_divisors(&s, 0, 1);
        *out = s.found;
        return s.best > 0;
    }
    uint32_t dim = longest(physical);
    int64_t size = physical->at[dim], best = TW_MIN(size, most);
    while (best > 0 && (size % best != 0 || !is_legal(best, target)))
        best--;
    *out = (d2m_shape){{1, 1}, 2};
    out->at[dim] = best;
    return best > most / 4;
}

bool d2m_choose_grid(ir_type tensor, const d2m_shape *physical, const int64_t target[2],
                     d2m_shape *out)
{
    d2m_layout l;
    d2m_shape blocks;
    if (target[0] <= 0 || target[1] <= 0 || target[0] > 1 << 15 || target[1] > 1 << 15 ||
        !d2m_layout_of(tensor, &l) || !d2m_block_sharded_grid(physical, target, &blocks))
        return false;
    bool idle = 2 * d2m_volume(&blocks) < target[0] * target[1];
    if (l.memory != TTCORE_TensorMemoryLayout_Interleaved && (physical->n != 2 || idle) &&
        virtual_grid(physical, target, out))
        return true;
    *out = blocks;
    return true;
}

/* ---- layouts for a grid ------------------------------------------------------------- */

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b, out;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x <= 0 || __builtin_mul_overflow(a / x, b, &out) ? -1 : out;
}

/* Aligns one interval so that `grid` cores divide it, in whole tiles if `tiles`. */
static bool align_interval(d2m_layout *l, const int64_t interval[2], int64_t grid,
                           bool is_tile_dim, bool tiles)
{
    if (interval[0] >= interval[1])
        return false;
    int64_t *alignment = &l->align.at[interval[0]];
    int64_t above = grid * (is_tile_dim ? D2M_TILE : 1);
    int64_t divisor = grid * (is_tile_dim && tiles ? D2M_TILE : 1);
    if (d2m_interval_size(l, interval) > above)
        *alignment = common_multiple(*alignment, above);
    int64_t base = *alignment, last = base > 0 ? common_multiple(base, divisor) : -1;
    for (; *alignment <= last; *alignment += base) {
        int64_t size = d2m_interval_size(l, interval);
        if (size >= 0 && size % divisor == 0)
            return true;
    }
    return false;
}

static bool align_to_selected(d2m_layout *l, const d2m_shape *grid, bool tiles)
{
    d2m_intervals intervals;
    d2m_align_to_tiles(l);
    if (l->logical.n == 0)
        return true;
    d2m_layout_intervals(l, &intervals);
    if (intervals.n != grid->n)
        return false;
    for (uint32_t i = 0; i < grid->n; i++)
        if (grid->at[i] > 1 &&
            !align_interval(l, intervals.at[i], grid->at[i], i + 2 >= grid->n, tiles))
            return false;
    return true;
}

ir_type d2m_tensor_on_grid(ir_type tensor, const d2m_shape *grid, bool ttnn, bool tiles)
{
    d2m_layout l;
    if (!d2m_layout_of(tensor, &l))
        return NULL;
    tiles |= ttcore_is_tile(tensor->element);
    if (ttnn) {
        l.align.n = l.logical.n;
        for (uint32_t i = 0; i < l.align.n; i++)
            l.align.at[i] = i + 2 >= l.align.n ? D2M_TILE : 1;
    } else if (!align_to_selected(&l, grid, tiles)) {
        return NULL;
    }
    return d2m_device_tensor(tensor->element, &l, grid);
}
