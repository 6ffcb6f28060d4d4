/* block_factors.c: see block_factors.h.
 *
 * A candidate is a scale for each loop, a divisor of the loop's extent in a shard.  It is
 * legal if operands still divide and no buffer falls below four elements.  Element-wise
 * generics take the candidate with the most blocks, reductions the one with the smallest
 * circular buffers. */
#include "d2m/allocation/block_factors.h"

#include "d2m/allocation/buffer_memory.h"
#include "d2m/metal_layout.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore_tile.h"

#include <stdlib.h>

enum {
    MIN_ELEMENTS = 4, /* of a block */
    BEAM = 64,
    SCALES_PER_LOOP = 5, /* of element-wise generics */
    MAX_SCALES = 256,
    MAX_CANDIDATES = 1 << 16, /* of an exhaustive search */
};

typedef struct scale_list {
    int64_t at[MAX_SCALES];
    uint32_t n;
} scale_list;

typedef struct search {
    const d2m_generic *g;
    bool reduces;
    d2m_shape grid, shard;        /* extents of the loops */
    uint32_t loops[D2M_MAX_RANK]; /* that may be divided */
    uint32_t n_loops;
    scale_list scales[D2M_MAX_RANK]; /* of each of those */
    ir_op_list intermediates;        /* buffers with a blocking map */
    /* the best candidate */
    bool found;
    int64_t volume, bytes;
    d2m_shape best;
} search;

/* ---- classification ----------------------------------------------------------------- */

static bool depends_on(ir_affine_map map, uint32_t loop)
{
    for (uint32_t k = 0; k < map->n_results; k++)
        if (ir_affine_mentions(map->results[k], IR_AFFINE_DIM, loop))
            return true;
    return false;
}

static bool is_tilize_of(const ir_op *op, bool from_tiles)
{
    return op->def ==
           (from_tiles ? D2M_OP(tile_untilize_block) : D2M_OP(tile_tilize_block));
}

static bool is_tilize(const ir_op *op)
{
    return is_tilize_of(op, false);
}

static bool is_untilize(const ir_op *op)
{
    return is_tilize_of(op, true);
}

static bool has_inside(ir_op *op, ir_op_test *test)
{
    ir_op_list found = ir_ops_in(op, test);
    bool any = found.n > 0;
    ir_op_list_free(&found);
    return any;
}

/* True for tiles throughout, scalars throughout, or (without reductions) a conversion of
 * one to the other. */
static bool has_searchable_elements(const d2m_generic *g, bool reduces)
{
    size_t tiled = 0;
    for (uint32_t i = 0; i < g->n_io; i++)
        tiled += d2m_is_tiled(d2m_generic_operand(g, i)->type);
    if (tiled == 0 || tiled == g->n_io)
        return true;
    return !reduces && g->n_inputs == 1 && g->n_outputs == 1 &&
           has_inside(g->op, d2m_is_tiled(d2m_generic_operand(g, 0)->type) ? is_untilize
                                                                           : is_tilize);
}

/* True if some operands, but not all, have the loop as a dimension. */
static bool is_panel_loop(const d2m_generic *g, uint32_t loop)
{
    uint32_t users = 0;
    for (uint32_t i = 0; i < g->n_io; i++)
        users += d2m_map_result_of(d2m_generic_map(g, i), loop) >= 0;
    return users > 0 && users < g->n_io;
}

/* Collects the loops to divide; false if the generic keeps its factors. */
static bool classify(search *s, block_policy policy)
{
    const d2m_generic *g = s->g;
    uint32_t reductions = 0;
    if (d2m_generic_is_dma_only(g) || g->n_outputs != 1)
        return false;
    for (uint32_t d = 0; d < g->n_loops; d++)
        reductions += d2m_generic_is_reduction_loop(g, d);
    s->reduces = reductions > 0;
    if (reductions > 1 || !has_searchable_elements(g, s->reduces))
        return false;
    for (uint32_t d = 0; d < g->n_loops; d++) {
        bool wanted = !s->reduces
                          ? depends_on(d2m_generic_output_map(g), d) && s->shard.at[d] > 1
                      : policy == BLOCK_AUTO_MN ? s->shard.at[d] > 1 && is_panel_loop(g, d)
                                                : d2m_generic_is_reduction_loop(g, d);
        if (wanted)
            s->loops[s->n_loops++] = d;
    }
    return s->n_loops > 0;
}

/* ---- scales ------------------------------------------------------------------------- */

static void divisors(int64_t n, scale_list *out)
{
    out->n = 0;
    for (int64_t d = 1; d <= n / d; d++)
        if (n % d == 0 && out->n < MAX_SCALES)
            out->at[out->n++] = d;
    for (uint32_t i = out->n; i-- > 0 && out->n < MAX_SCALES;)
        if (out->at[i] != n / out->at[i])
            out->at[out->n++] = n / out->at[i];
}

/* The divisors nearest to the middle one, 1 always among them. */
static void moderate(scale_list *list)
{
    scale_list order = {.n = 0};
    int64_t middle = ((int64_t)list->n - 1) / 2;
    for (int64_t distance = 0; distance <= (int64_t)list->n; distance++) {
        int64_t above = middle + distance, below = middle - distance;
        bool has_above = above < (int64_t)list->n;
        if (has_above)
            order.at[order.n++] = list->at[above];
        if (distance && below >= 0 && order.n < MAX_SCALES)
            order.at[order.n++] = list->at[below];
    }
    bool has_one = false;
    order.n = TW_MIN(order.n, (uint32_t)SCALES_PER_LOOP);
    for (uint32_t i = 0; i < order.n; i++)
        has_one |= order.at[i] == 1;
    if (!has_one)
        order.at[order.n - 1] = 1;
    *list = order;
}

/* ---- candidates --------------------------------------------------------------------- */

typedef struct tile_shape {
    int64_t at[2];
} tile_shape;

static tile_shape tile_of(const ir_value *v)
{
    return d2m_is_tiled(v->type) ? (tile_shape){{D2M_TILE, D2M_TILE}}
                                 : (tile_shape){{1, 1}};
}

static bool is_affected(const search *s, ir_affine_map map, const bool *divided)
{
    for (uint32_t d = 0; d < s->g->n_loops; d++)
        if (divided[d] && depends_on(map, d))
            return true;
    return false;
}

/* Adds the bytes of that block, of which circular buffers hold equally many; false if it is
 * too small. */
static bool add_buffer(ir_type element, const d2m_shape *block, int64_t *bytes)
{
    ir_type shard = ir_memref_type(element, block->at, block->n, NULL, NULL);
    if (d2m_volume(block) < MIN_ELEMENTS)
        return false;
    const int64_t one = d2m_buffer_bytes(shard, TTCORE_MemorySpace_DeviceL1);
    if (__builtin_add_overflow(*bytes, one, bytes))
        *bytes = INT64_MAX;
    return true;
}

static bool add_operand(const search *s, uint32_t i, const d2m_shape *grid,
                        const d2m_shape *shard, int64_t *bytes)
{
    const d2m_generic *g = s->g;
    const ir_value *v = d2m_generic_operand(g, i);
    d2m_shape operand_grid, block;
    ir_affine_map map = d2m_map_of_extents(g->op->ctx, d2m_generic_map(g, i));
    if (v->type->kind != IR_TYPE_MEMREF || !d2m_map_eval(map, grid->at, &operand_grid) ||
        !d2m_map_eval(map, shard->at, &block))
        return false;
    if (d2m_generic_is_output(g, i) && block.n >= 2) {
        tile_shape in = tile_of(d2m_generic_operand(g, 0));
        tile_shape out = tile_of(d2m_generic_operand(g, g->n_io - 1));
        for (uint32_t t = 0; t < 2; t++)
            block.at[block.n - 2 + t] = block.at[block.n - 2 + t] * in.at[t] / out.at[t];
    }
    return d2m_reblocked(v->type, &operand_grid) &&
           add_buffer(v->type->element, &block, bytes);
}

static bool add_intermediate(const search *s, const ir_op *alloc, const bool *divided,
                             const d2m_shape *shard, int64_t *bytes, bool *affects)
{
    d2m_shape block;
    ir_attr map = ir_op_attr(alloc, "d2m.blocking_map");
    if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_dims != s->g->n_loops ||
        !is_affected(s, map->map, divided))
        return true;
    *affects = true;
    return d2m_map_eval(d2m_map_of_extents(alloc->ctx, map->map), shard->at, &block) &&
           add_buffer(alloc->results[0].type->element, &block, bytes);
}

static bool is_larger(const d2m_shape *a, const d2m_shape *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] > b->at[i];
    return false;
}

static bool is_better(const search *s, int64_t volume, int64_t bytes,
                      const d2m_shape *scales)
{
    if (!s->found)
        return true;
    bool fewer = bytes<s->bytes, more = volume> s->volume;
    if (s->reduces ? bytes != s->bytes : volume != s->volume)
        return s->reduces ? fewer : more;
    if (s->reduces ? volume != s->volume : bytes != s->bytes)
        return s->reduces ? more : fewer;
    return is_larger(scales, &s->best);
}

/* Takes the candidate if it is legal and better than the best one. */
static void consider(search *s, const d2m_shape *scales, bool or_identity)
{
    const d2m_generic *g = s->g;
    d2m_shape grid = s->grid, shard = s->shard;
    bool divided[D2M_MAX_RANK] = {false}, any = false, affects = false;
    int64_t volume = 1, bytes = 0;
    for (uint32_t d = 0; d < g->n_loops; d++) {
        if (__builtin_mul_overflow(grid.at[d], scales->at[d], &grid.at[d]) ||
            __builtin_mul_overflow(volume, scales->at[d], &volume))
            return;
        shard.at[d] /= scales->at[d];
        divided[d] = scales->at[d] > 1;
        any |= divided[d];
    }
    if (!any && !or_identity)
        return;
    for (uint32_t i = 0; !any && i < s->n_loops; i++)
        divided[s->loops[i]] = true;
    for (uint32_t i = 0; i < g->n_io; i++)
        if (is_affected(s, d2m_generic_map(g, i), divided)) {
            affects = true;
            if (!add_operand(s, i, &grid, &shard, &bytes))
                return;
        }
    for (size_t i = 0; i < s->intermediates.n; i++)
        if (!add_intermediate(s, s->intermediates.at[i], divided, &shard, &bytes, &affects))
            return;
    if (!affects || !is_better(s, volume, bytes, scales))
        return;
    s->found = true;
    s->volume = volume;
    s->bytes = bytes;
    s->best = *scales;
}

/* ---- searches ----------------------------------------------------------------------- */

static void search_all(search *s, uint32_t at, d2m_shape *scales)
{
    if (at == s->n_loops) {
        consider(s, scales, false);
        return;
    }
    for (uint32_t i = 0; i < s->scales[at].n; i++) {
        scales->at[s->loops[at]] = s->scales[at].at[i];
        search_all(s, at + 1, scales);
    }
    scales->at[s->loops[at]] = 1;
}

/* Scales of the first loops, ranked by how far they are from moderate ones. */
typedef struct partial {
    d2m_shape scales;
    int64_t volume, penalty;
    size_t order;
} partial;

static int nearer_first(const void *x, const void *y)
{
    const partial *a = x, *b = y;
    if (a->penalty != b->penalty)
        return a->penalty < b->penalty ? -1 : 1;
    if (a->volume != b->volume)
        return a->volume > b->volume ? -1 : 1;
    if (is_larger(&a->scales, &b->scales))
        return -1;
    if (is_larger(&b->scales, &a->scales))
        return 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void search_beam(search *s, const d2m_shape *ones)
{
    partial *beam = tw_xmalloc((size_t)BEAM * (MAX_SCALES + 1) * sizeof *beam), *wider;
    wider = tw_xmalloc((size_t)BEAM * (MAX_SCALES + 1) * sizeof *wider);
    size_t n = 1;
    beam[0] = (partial){.scales = *ones, .volume = 1};
    for (uint32_t at = 0; at < s->n_loops; at++) {
        size_t count = 0;
        for (size_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < s->scales[at].n; i++) {
                partial p = beam[k];
                int64_t scale = s->scales[at].at[i];
                p.scales.at[s->loops[at]] = scale;
                p.volume = tw_saturating_product(p.volume, scale);
                p.penalty += i;
                p.order = count;
                wider[count++] = p;
            }
        qsort(wider, count, sizeof *wider, nearer_first);
        n = TW_MIN(count, (size_t)BEAM);
        memcpy(beam, wider, n * sizeof *beam);
    }
    for (size_t k = 0; k < n; k++)
        consider(s, &beam[k].scales, false);
    free(beam);
    free(wider);
}

static bool has_blocking_map(const ir_op *op)
{
    return op->def == MEMREF_OP(alloc) && ir_op_attr(op, "d2m.blocking_map");
}

static void run_search(search *s, block_policy policy)
{
    d2m_shape ones = {.n = s->g->n_loops};
    uint64_t candidates = 1;
    for (uint32_t d = 0; d < ones.n; d++)
        ones.at[d] = 1;
    for (uint32_t i = 0; i < s->n_loops; i++) {
        divisors(s->shard.at[s->loops[i]], &s->scales[i]);
        if (!s->reduces)
            moderate(&s->scales[i]);
        candidates = TW_MIN(candidates * s->scales[i].n, (uint64_t)2 * MAX_CANDIDATES);
    }
    s->intermediates = ir_ops_in(s->g->op, has_blocking_map);
    if (s->reduces)
        consider(s, &ones, true);
    if (candidates > MAX_CANDIDATES ||
        (policy == BLOCK_BOUNDED && !s->reduces && candidates > BEAM)) {
        search_beam(s, &ones);
    } else {
        d2m_shape scales = ones;
        search_all(s, 0, &scales);
    }
    ir_op_list_free(&s->intermediates);
}

/* ---- policies ----------------------------------------------------------------------- */

static void loop_extents_of(const d2m_generic *g, bool shards, d2m_shape *out)
{
    d2m_shape *shapes = tw_xmalloc((g->n_io + 1) * sizeof *shapes);
    ir_affine_map *maps = tw_xmalloc((g->n_io + 1) * sizeof *maps);
    for (uint32_t i = 0; i < g->n_io; i++) {
        maps[i] = d2m_generic_map(g, i);
        d2m_half_of(d2m_generic_operand(g, i)->type, shards, &shapes[i]);
    }
    d2m_loop_extents(maps, shapes, g->n_io, false, out);
    free(shapes);
    free(maps);
}

void d2m_choose_block_factors(const d2m_generic *g, block_policy policy, d2m_shape *out)
{
    *out = (d2m_shape){.n = g->n_loops};
    for (uint32_t d = 0; d < g->n_loops; d++)
        out->at[d] = d2m_generic_factor(g, d);
    if (policy == BLOCK_MAX)
        return;
    search *s = tw_xmalloc(sizeof *s);
    *s = (search){.g = g};
    loop_extents_of(g, false, &s->grid);
    loop_extents_of(g, true, &s->shard);
    s->best = (d2m_shape){.n = g->n_loops};
    for (uint32_t d = 0; d < g->n_loops; d++)
        s->best.at[d] = policy == BLOCK_MIN && !depends_on(d2m_generic_output_map(g), d)
                            ? s->shard.at[d]
                            : 1;
    if (policy != BLOCK_MIN && classify(s, policy))
        run_search(s, policy);
    for (uint32_t d = 0; d < g->n_loops; d++)
        out->at[d] = tw_saturating_product(out->at[d], s->best.at[d]);
    free(s);
}
