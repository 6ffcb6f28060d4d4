/* d2m_verify.c: what d2m.generic and d2m.spatial demand: maps, block factors and grids of
 * operands that fit each other, threads and regions that belong together; and where
 * operations of the vector and matrix units may stand. */
#include "dialect/d2m/d2m.h"
#include "dialect/d2m/d2m_hooks.h"
#include "dialect/ttcore/ttcore.h"
#include "support/strbuf.h"

enum { MOST_RANK = 32 };

typedef struct shape {
    int64_t at[MOST_RANK];
    uint32_t n;
} shape;

/* ---- operands and their grids ------------------------------------------------------- */

typedef struct generic {
    ir_op *op;
    size_t first_out, n_outs, n; /* outputs; inputs and outputs */
    ir_attr maps, factors, iterators, threads;
    shape grid;
} generic;

static uint32_t length(ir_attr list)
{
    return list ? list->count : 0;
}

static bool is_device_layout(ir_attr layout)
{
    return ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def->traits &&
           strstr(layout->def->traits, "DeviceLayoutInterface");
}

static ir_type operand_type(const generic *g, size_t i)
{
    return g->op->operands[i].value->type;
}

/* Half the dimensions are the grid, half a core's shard. */
static void half_of(ir_type type, bool shard, shape *out)
{
    uint32_t half = type->count / 2;
    out->n = TW_MIN(half, (uint32_t)MOST_RANK);
    for (uint32_t i = 0; i < out->n; i++)
        out->at[i] = type->dims[i + (shard ? half : 0)];
}

static bool is_explicit(const generic *g)
{
    return !length(g->maps) && !length(g->factors) && !length(g->iterators);
}

static bool begin(ir_op *op, generic *g)
{
    size_t first, n;
    *g = (generic){.op = op,
                   .maps = ir_op_attr(op, "indexing_maps"),
                   .factors = ir_op_attr(op, "block_factors"),
                   .iterators = ir_op_attr(op, "iterator_types"),
                   .threads = ir_op_attr(op, "threads")};
    if (!ir_op_operand_group(op, 0, &first, &n) ||
        !ir_op_operand_group(op, 1, &g->first_out, &g->n_outs))
        return false;
    g->n = n + g->n_outs;
    int64_t dims =
        ir_attr_ints(ir_attr_param(ir_op_attr(op, "grid"), "shape"), g->grid.at, MOST_RANK);
    g->grid.n = dims < 0 ? 0 : (uint32_t)TW_MIN(dims, (int64_t)MOST_RANK);
    return true;
}

/* ---- maps --------------------------------------------------------------------------- */

static ir_affine_map map_of(const generic *g, size_t i)
{
    return g->maps->items[i]->map;
}

/* The sizes that an operand gives the loop's dimensions, 0 where it gives none. */
static bool loop_sizes(ir_affine_map map, const shape *s, shape *out)
{
    if (map->n_dims > MOST_RANK || map->n_results != s->n)
        return false;
    *out = (shape){.n = map->n_dims};
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind == IR_AFFINE_DIM)
            out->at[map->results[i]->value] = s->at[i];
    return true;
}

static int64_t first_difference(const shape *a, const shape *b)
{
    for (uint32_t i = 0; i < TW_MIN(a->n, b->n); i++)
        if (a->at[i] != b->at[i] && a->at[i] != 0 && b->at[i] != 0)
            return i;
    return -1;
}

static const char *text_of(ir_context *ctx, const shape *s)
{
    tw_strbuf text = {0};
    for (uint32_t i = 0; i < s->n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)s->at[i]);
    const char *copy = tw_arena_printf(ir_context_arena(ctx), "%s",
                                       text.size ? tw_strbuf_text(&text) : "");
    tw_strbuf_free(&text);
    return copy;
}

static bool check_pairs(const generic *g, const char *what, const shape *shapes)
{
    ir_context *ctx = g->op->ctx;
    for (size_t a = 0; a < g->n; a++)
        for (size_t b = 0; b < g->n; b++) {
            shape x, y;
            int64_t dim;
            if (a == b || !loop_sizes(map_of(g, a), &shapes[a], &x) ||
                !loop_sizes(map_of(g, b), &shapes[b], &y) ||
                (dim = first_difference(&x, &y)) < 0)
                continue;
            return ir_op_error(g->op,
                               "%s shape mismatch between operand[%zu] %s_shape=[%s] and "
                               "operand[%zu] %s_shape=[%s] at affine dim d%lld",
                               what, a, what, text_of(ctx, &shapes[a]), b, what,
                               text_of(ctx, &shapes[b]), (long long)dim);
        }
    return true;
}

/* Grids of operands are the compute grid times the block factors. */
static bool check_blocking(const generic *g, const shape *grids)
{
    ir_context *ctx = g->op->ctx;
    shape factors;
    if (!length(g->factors) || !loop_sizes(map_of(g, g->first_out), &g->grid, &factors) ||
        factors.n != length(g->factors))
        return true;
    for (uint32_t i = 0; i < factors.n; i++)
        factors.at[i] = (factors.at[i] ? factors.at[i] : 1) * g->factors->items[i]->value;
    for (size_t i = 0; i < g->n; i++) {
        ir_affine_map map = map_of(g, i);
        shape wanted = {.n = TW_MIN(map->n_results, (uint32_t)MOST_RANK)};
        for (uint32_t k = 0; k < wanted.n; k++)
            if (!ir_affine_eval(map->results[k], factors.at, NULL, &wanted.at[k]))
                return true;
        if (wanted.n != grids[i].n)
            return ir_op_error(
                g->op,
                "grid rank mismatch for operand[%zu] grid_shape=[%s] expected "
                "grid_shape=[%s]",
                i, text_of(ctx, &grids[i]), text_of(ctx, &wanted));
        int64_t dim = first_difference(&grids[i], &wanted);
        if (dim >= 0)
            return ir_op_error(
                g->op,
                "grid dim unexpected for operand[%zu] grid_shape=[%s] expected "
                "grid_shape=[%s] at affine dim d%lld",
                i, text_of(ctx, &grids[i]), text_of(ctx, &wanted), (long long)dim);
    }
    return true;
}

/* Memory of operands has a layout on the device (a view has that of what it views). */
static bool check_layouts(const generic *g)
{
    for (size_t i = 0; i < g->n; i++) {
        ir_type type = operand_type(g, i);
        if (type->kind == IR_TYPE_MEMREF && !is_device_layout(type->encoding))
            return ir_op_error(g->op,
                               "memref operand must have a device layout attribute (e.g., "
                               "#ttcore.shard or #ttcore.interleaved), but got: '%s'",
                               ir_type_text(g->op->ctx, type));
        if (type->kind == IR_TYPE_TENSOR && !is_device_layout(type->encoding))
            return ir_op_error(g->op,
                               "tensor operand must have a metal layout encoding, but got: "
                               "'%s'",
                               ir_type_text(g->op->ctx, type));
    }
    return true;
}

static bool check_grids(const generic *g)
{
    enum { MOST_OPERANDS = 64 };
    shape grids[MOST_OPERANDS];
    ir_type out = operand_type(g, g->first_out);
    if ((out->kind != IR_TYPE_MEMREF && !out->encoding) || !length(g->maps))
        return true;
    if (!check_layouts(g))
        return false;
    if (length(g->maps) != g->n || g->n > MOST_OPERANDS)
        return true;
    for (size_t i = 0; i < g->n; i++)
        half_of(operand_type(g, i), false, &grids[i]);
    return check_pairs(g, "grid", grids) && check_blocking(g, grids);
}

static bool check_maps(const generic *g)
{
    for (uint32_t i = 1; i < length(g->maps); i++)
        if (map_of(g, i)->n_dims != map_of(g, 0)->n_dims)
            return ir_op_error(g->op,
                               "all indexing maps must have the same number of dimensions");
    if (length(g->iterators) && length(g->factors) != length(g->iterators))
        return ir_op_error(g->op,
                           "number of block factors[%u] must match the number of "
                           "iterators[%u]",
                           length(g->factors), length(g->iterators));
    for (size_t i = g->first_out + 1; i < g->first_out + g->n_outs; i++)
        if (i < length(g->maps) && map_of(g, i) != map_of(g, g->first_out))
            return ir_op_error(g->op,
                               "all output operands must share the same indexing map");
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

static bool check_tensor_form(const generic *g)
{
    const ir_op *op = g->op;
    for (size_t i = 0; i < g->n; i++)
        if (operand_type(g, i)->kind != IR_TYPE_TENSOR)
            return true;
    if (is_explicit(g))
        return true;
    if (op->n_regions != 1)
        return ir_op_error(g->op,
                           "generic op with pure tensor semantics must have exactly 1 "
                           "region when not in explicit data movement form");
    ir_block *body = ir_op_body(op, 0);
    if (!body)
        return true;
    if (!ir_op_is(body->last, D2M_OP(yield)))
        return ir_op_error(
            g->op, "generic op with pure tensor semantics must have yield terminator");
    return body->last->n_operands == op->n_results ||
           ir_op_error(g->op, "yield terminator must have the same number of arguments as "
                              "generic results");
}

static bool check_region(const generic *g, const ir_region *region)
{
    const ir_block *first = g->op->regions[0].first, *body = region->first;
    if (!body || body->next)
        return ir_op_error(g->op, "region must have a single block");
    if (body->n_args != first->n_args)
        return ir_op_error(g->op, "all regions must have the same number of arguments");
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_type type = body->args[i]->type;
        if (type->kind != IR_TYPE_DIALECT || type->def != D2M_TYPE(local_semaphore))
            return ir_op_error(g->op,
                               "region block arguments must be of local semaphore type");
        if (type != first->args[i]->type)
            return ir_op_error(g->op, "all regions must have the same argument types");
    }
    return is_explicit(g) || length(g->maps) ||
           ir_op_error(
               g->op,
               "indexing_maps must be non-empty unless in explicit datamovement form "
               "(all of block_factors, indexing_maps, and iterator_types are empty)");
}

static bool check_threads(const generic *g)
{
    if (g->n_outs == 0)
        return ir_op_error(g->op, "must have at least one output operand");
    if (length(g->threads) == 0)
        return ir_op_error(g->op, "must have at least one thread");
    if (g->op->n_regions && g->op->n_regions != length(g->threads))
        return ir_op_error(g->op, "number of regions must match the number of threads");
    for (size_t i = g->first_out; i < g->n; i++) {
        ir_type type = operand_type(g, i);
        shape grid;
        if (!is_device_layout(type->encoding))
            continue;
        half_of(type, false, &grid);
        for (uint32_t k = 0; k < TW_MIN(grid.n, g->grid.n); k++)
            if (g->grid.at[k] > 0 && grid.at[k] % g->grid.at[k] != 0)
                return ir_op_error(g->op,
                                   "output grid shape must be divisible by the generic "
                                   "op's grid shape");
    }
    return true;
}

bool d2m_verify_generic(ir_op *op)
{
    generic g;
    if (!begin(op, &g))
        return true;
    if (!check_tensor_form(&g) || !check_threads(&g) || !check_maps(&g) || !check_grids(&g))
        return false;
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!check_region(&g, &op->regions[r]))
            return false;
    for (uint32_t i = 0; op->n_regions == 0 && i < length(g.threads); i++)
        if (!ir_attr_param(g.threads->items[i], "kernelSymbol"))
            return ir_op_error(op,
                               "threads must have a kernel symbol in external symbol form "
                               "(i.e. without regions)");
    return true;
}

/* ---- spatial ------------------------------------------------------------------------ */

/* Rows and columns of cores, both ends included. */
typedef struct box {
    int64_t start[2], end[2];
} box;

static box box_of(ir_attr range)
{
    box b;
    const char *const names[] = {"y", "x"};
    for (int i = 0; i < 2; i++) {
        b.start[i] =
            ir_attr_int(ir_attr_param(ir_attr_param(range, "start_coord"), names[i]), 0);
        b.end[i] =
            ir_attr_int(ir_attr_param(ir_attr_param(range, "end_coord"), names[i]), 0);
    }
    return b;
}

/* Where the cores of a box are on the virtual grid. */
static bool project(const box *b, ir_affine_map map, box *out)
{
    uint32_t skip = map->n_results == 3;
    if (map->n_dims != 2 || map->n_results - skip != 2)
        return false;
    *out = (box){{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (int64_t y = b->start[0]; y <= b->end[0]; y++)
        for (int64_t x = b->start[1]; x <= b->end[1]; x++)
            for (uint32_t i = 0; i < 2; i++) {
                int64_t at;
                if (!ir_affine_eval(map->results[i + skip], (int64_t[]){y, x}, NULL, &at))
                    return false;
                out->start[i] = TW_MIN(out->start[i], at);
                out->end[i] = TW_MAX(out->end[i], at);
            }
    return true;
}

static bool check_part(ir_op *op, const ir_op *inner, const box *b)
{
    int64_t grid[MOST_RANK];
    ir_attr attr = ir_op_attr(inner, "grid");
    int64_t rank = ir_attr_ints(ir_attr_param(attr, "shape"), grid, MOST_RANK);
    ir_attr map = ir_attr_param(attr, "physicalToVirtMap");
    int64_t rows = b->end[0] - b->start[0] + 1, columns = b->end[1] - b->start[1] + 1;
    box virtual;
    if (rank != 2)
        return ir_op_error(op,
                           "d2m.generic inside d2m.spatial: only 2D grid is considered for "
                           "now, got %lldD",
                           (long long)rank);
    if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_results == 0)
        return (grid[0] <= rows && grid[1] <= columns) ||
               ir_op_error(
                   op,
                   "generic op grid shape [%lld, %lld] exceeds region CoreRange shape "
                   "[%lld, %lld]",
                   (long long)grid[0], (long long)grid[1], (long long)rows,
                   (long long)columns);
    if (!project(b, map->map, &virtual))
        return true;
    return (virtual.start[0] <= 0 && virtual.end[0] >= grid[0] - 1 &&
            virtual.start[1] <= 0 && virtual.end[1] >= grid[1] - 1) ||
           ir_op_error(
               op,
               "generic op grid not contained in region grid_ranges [%lld, %lld] to "
               "[%lld, %lld]",
               (long long)b->start[0], (long long)b->start[1], (long long)b->end[0],
               (long long)b->end[1]);
}

bool d2m_verify_spatial(ir_op *op)
{
    ir_attr ranges = ir_op_attr(op, "grid_ranges");
    if (length(ranges) == 0)
        return ir_op_error(op, "grid_ranges must contain at least one CoreRange");
    if (ranges->count != op->n_regions)
        return ir_op_error(
            op, "number of CoreRanges (%u) must match the number of Regions (%u)",
            ranges->count, op->n_regions);
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const ir_op *inner = NULL;
        unsigned n = 0;
        if (!op->regions[r].first)
            return ir_op_error(op, "each spatial region must not be empty");
        for (ir_op *o = op->regions[r].first->first; o; o = o->next)
            if (o->def == D2M_OP(generic)) {
                inner = o;
                n++;
            }
        if (n != 1)
            return ir_op_error(
                op, "each region must contain exactly one d2m.generic op, got %u", n);
        box b = box_of(ranges->items[r]);
        if (!check_part(op, inner, &b))
            return false;
    }
    return true;
}

/* ---- inside a generic --------------------------------------------------------------- */

/* Whether the thread that an operation is in is unified or of that kind; NULL around is. */
static bool is_in_thread(ir_op *op, int64_t kind)
{
    ir_op *at = op, *around = ir_op_parent(op);
    while (around && around->def != D2M_OP(generic)) {
        at = around;
        around = ir_op_parent(at);
    }
    if (!around)
        return true;
    size_t region = (size_t)(at->block->region - around->regions);
    ir_attr threads = ir_op_attr(around, "threads");
    if (!ir_attr_is(threads, IR_ATTR_ARRAY) || region >= threads->count)
        return true;
    int64_t found = ir_attr_int(ir_attr_param(threads->items[region], "threadType"), -1);
    return found == kind || found == D2M_ThreadType_Unified;
}

bool d2m_verify_compute(ir_op *op)
{
    return is_in_thread(op, D2M_ThreadType_Compute) ||
           ir_op_error(op, "expected to be in a compute or unified region");
}

/* Whether operand `name` is a tile of that kind of elements. */
static bool is_tile_of(const ir_op *op, const char *name, bool floats)
{
    const ir_value *v = ir_op_operand_named(op, name);
    ir_type element = v && v->type->kind == IR_TYPE_DIALECT && v->type->def->element
                          ? v->type->def->element(v->type)
                          : NULL;
    if (!element)
        return true; /* block floats and what is no tile: the constraints' affair */
    return floats ? element->kind == IR_TYPE_FLOAT
                  : element->kind == IR_TYPE_INTEGER && element->width == 32 &&
                        element->sign == IR_SIGNED;
}

bool d2m_verify_reduce(ir_op *op)
{
    return d2m_verify_compute(op) &&
           ((is_tile_of(op, "a", true) && is_tile_of(op, "b", true) &&
             is_tile_of(op, "c", true)) ||
            ir_op_error(op, "requires float tile element types; use the matching "
                            "tile_sfpu_reduce_* op for integer reductions"));
}

bool d2m_verify_sfpu_reduce(ir_op *op)
{
    return d2m_verify_compute(op) &&
           ((is_tile_of(op, "a", false) && is_tile_of(op, "c", false)) ||
            ir_op_error(op, "requires signed 32-bit integer tile element types; use the "
                            "matching tile_reduce_* op for float reductions"));
}

bool d2m_verify_datamovement(ir_op *op)
{
    return is_in_thread(op, D2M_ThreadType_Datamovement) ||
           ir_op_error(op, "expected to be in a datamovement or unified region");
}

/* A load or a store is of a buffer, or else through a circular buffer, in memory then. */
bool d2m_verify_remote(ir_op *op)
{
    bool cb = ir_op_operand_named(op, "cb") != NULL;
    bool local = ir_op_operand_named(op, "localBuffer") != NULL;
    ir_value *memory = ir_op_operand_named(op, "memref");
    if (!d2m_verify_datamovement(op))
        return false;
    if (cb && local)
        return ir_op_error(op,
                           "cannot have both circular buffer and local buffer; exactly one "
                           "must be present");
    if (!cb && !local)
        return ir_op_error(op,
                           "must have either circular buffer or local buffer; exactly one "
                           "must be present");
    if (cb && op->n_results)
        return ir_op_error(op, "explicit CB form cannot have a result; result must only be "
                               "present in implicit form.");
    return !(cb && memory && memory->type->kind == IR_TYPE_TENSOR) ||
           ir_op_error(op, "tensor parameters are not allowed in explicit CB form; memref "
                           "operand must be a memref type");
}
