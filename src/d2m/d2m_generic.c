/* d2m_generic.c: verifies d2m.generic: indexing maps, block factors and grids of operands
 * that are consistent with each other, matching threads and regions, virtual grids, and
 * the values that regions use from outside. */
#include "d2m/metal_layout.h"
#include "ir/rules/rules.h"
#include "ttnn/layout.h"

/* ---- operands and their grids ------------------------------------------------------- */

typedef struct generic {
    ir_op *op;
    size_t first_out, n_outs, n; /* outputs; inputs and outputs */
    ir_attr maps, factors, iterators, threads;
    d2m_shape grid;
} generic;

static ir_type operand_type(const generic *g, size_t i)
{
    return g->op->operands[i].value->type;
}

static bool is_explicit(const generic *g)
{
    return !d2m_length(g->maps) && !d2m_length(g->factors) && !d2m_length(g->iterators);
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
    int64_t dims = ir_attr_ints(ir_attr_param(ir_op_attr(op, "grid"), "shape"), g->grid.at,
                                D2M_MAX_RANK);
    g->grid.n = dims < 0 ? 0 : (uint32_t)TW_MIN(dims, (int64_t)D2M_MAX_RANK);
    return true;
}

/* ---- maps --------------------------------------------------------------------------- */

static ir_affine_map map_of(const generic *g, size_t i)
{
    return g->maps->items[i]->map;
}

/* The sizes that an operand implies for the loop dimensions, 0 where unknown. */
static bool loop_sizes(ir_affine_map map, const d2m_shape *s, d2m_shape *out)
{
    if (map->n_dims > D2M_MAX_RANK || map->n_results != s->n)
        return false;
    *out = (d2m_shape){.n = map->n_dims};
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind == IR_AFFINE_DIM)
            out->at[map->results[i]->value] = s->at[i];
    return true;
}

static int64_t first_difference(const d2m_shape *a, const d2m_shape *b)
{
    for (uint32_t i = 0; i < TW_MIN(a->n, b->n); i++)
        if (a->at[i] != b->at[i] && a->at[i] != 0 && b->at[i] != 0)
            return i;
    return -1;
}

static bool check_pairs(const generic *g, const char *what, const d2m_shape *shapes)
{
    ir_context *ctx = g->op->ctx;
    for (size_t a = 0; a < g->n; a++)
        for (size_t b = 0; b < g->n; b++) {
            d2m_shape x, y;
            int64_t dim;
            if (a == b || !loop_sizes(map_of(g, a), &shapes[a], &x) ||
                !loop_sizes(map_of(g, b), &shapes[b], &y) ||
                (dim = first_difference(&x, &y)) < 0)
                continue;
            return ir_op_error(g->op,
                               "%s shape mismatch between operand[%zu] %s_shape=[%s] and "
                               "operand[%zu] %s_shape=[%s] at affine dim d%lld",
                               what, a, what, d2m_shape_text(ctx, &shapes[a]), b, what,
                               d2m_shape_text(ctx, &shapes[b]), (long long)dim);
        }
    return true;
}

/* Checks that the grids of operands are the compute grid times the block factors. */
static bool check_blocking(const generic *g, const d2m_shape *grids)
{
    ir_context *ctx = g->op->ctx;
    d2m_shape factors;
    if (!d2m_length(g->factors) ||
        !loop_sizes(map_of(g, g->first_out), &g->grid, &factors) ||
        factors.n != d2m_length(g->factors))
        return true;
    for (uint32_t i = 0; i < factors.n; i++)
        factors.at[i] = (factors.at[i] ? factors.at[i] : 1) * g->factors->items[i]->value;
    for (size_t i = 0; i < g->n; i++) {
        ir_affine_map map = map_of(g, i);
        d2m_shape wanted = {.n = TW_MIN(map->n_results, (uint32_t)D2M_MAX_RANK)};
        for (uint32_t k = 0; k < wanted.n; k++)
            if (!ir_affine_eval(map->results[k], factors.at, NULL, &wanted.at[k]))
                return true;
        if (wanted.n != grids[i].n)
            return ir_op_error(
                g->op,
                "grid rank mismatch for operand[%zu] grid_shape=[%s] expected "
                "grid_shape=[%s]",
                i, d2m_shape_text(ctx, &grids[i]), d2m_shape_text(ctx, &wanted));
        int64_t dim = first_difference(&grids[i], &wanted);
        if (dim >= 0)
            return ir_op_error(
                g->op,
                "grid dim unexpected for operand[%zu] grid_shape=[%s] expected "
                "grid_shape=[%s] at affine dim d%lld",
                i, d2m_shape_text(ctx, &grids[i]), d2m_shape_text(ctx, &wanted),
                (long long)dim);
    }
    return true;
}

/* Checks that operand memory has a device layout (a view has that of its source). */
static bool check_layouts(const generic *g)
{
    for (size_t i = 0; i < g->n; i++) {
        ir_type type = operand_type(g, i);
        if (type->kind == IR_TYPE_MEMREF && !d2m_is_device_layout(type->encoding))
            return ir_op_error(g->op,
                               "memref operand must have a device layout attribute (e.g., "
                               "#ttcore.shard or #ttcore.interleaved), but got: '%s'",
                               ir_type_text(g->op->ctx, type));
        if (type->kind == IR_TYPE_TENSOR && !d2m_is_device_layout(type->encoding))
            return ir_op_error(g->op,
                               "tensor operand must have a metal layout encoding, but got: "
                               "'%s'",
                               ir_type_text(g->op->ctx, type));
    }
    return true;
}

/* True if every operand uses every loop dimension. */
static bool uses_all_loops(const generic *g)
{
    for (size_t i = 0; i < g->n; i++) {
        ir_affine_map map = map_of(g, i);
        for (uint32_t d = 0; d < map->n_dims; d++) {
            bool used = false;
            for (uint32_t k = 0; k < map->n_results; k++)
                used |= ir_affine_mentions(map->results[k], IR_AFFINE_DIM, d);
            if (!used)
                return false;
        }
    }
    return true;
}

/* The shape of a core's shard in elements rather than tiles. */
static void shard_of(ir_type type, d2m_shape *out)
{
    int64_t tile[2];
    d2m_half_of(type, true, out);
    if (d2m_is_tiled(type) && out->n >= 2 &&
        ir_attr_ints(ir_type_param(type->element, "shape"), tile, 2) == 2)
        for (uint32_t i = 0; i < 2; i++)
            out->at[out->n - 2 + i] *= tile[i];
}

static bool check_grids(const generic *g)
{
    enum { MAX_OPERANDS = 64 };
    d2m_shape grids[MAX_OPERANDS], shards[MAX_OPERANDS];
    ir_type out = operand_type(g, g->first_out);
    if ((out->kind != IR_TYPE_MEMREF && !out->encoding) || !d2m_length(g->maps))
        return true;
    if (!check_layouts(g))
        return false;
    if (d2m_length(g->maps) != g->n || g->n > MAX_OPERANDS)
        return true;
    for (size_t i = 0; i < g->n; i++)
        d2m_half_of(operand_type(g, i), false, &grids[i]);
    for (size_t i = 0; i < g->n; i++)
        shard_of(operand_type(g, i), &shards[i]);
    return check_pairs(g, "grid", grids) &&
           (!uses_all_loops(g) || check_pairs(g, "shard", shards)) &&
           check_blocking(g, grids);
}

static bool check_maps(const generic *g)
{
    for (uint32_t i = 1; i < d2m_length(g->maps); i++)
        if (map_of(g, i)->n_dims != map_of(g, 0)->n_dims)
            return ir_op_error(g->op,
                               "all indexing maps must have the same number of dimensions");
    if (d2m_length(g->iterators) && d2m_length(g->factors) != d2m_length(g->iterators))
        return ir_op_error(g->op,
                           "number of block factors[%u] must match the number of "
                           "iterators[%u]",
                           d2m_length(g->factors), d2m_length(g->iterators));
    for (size_t i = g->first_out + 1; i < g->first_out + g->n_outs; i++)
        if (i < d2m_length(g->maps) && map_of(g, i) != map_of(g, g->first_out))
            return ir_op_error(g->op,
                               "all output operands must share the same indexing map");
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

static bool check_tensor_form(const generic *g)
{
    const ir_op *op = g->op;
    if (!d2m_is_of_tensors(op) || is_explicit(g))
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
    return is_explicit(g) || d2m_length(g->maps) ||
           ir_op_error(
               g->op,
               "indexing_maps must be non-empty unless in explicit datamovement form "
               "(all of block_factors, indexing_maps, and iterator_types are empty)");
}

static bool check_threads(const generic *g)
{
    if (g->n_outs == 0)
        return ir_op_error(g->op, "must have at least one output operand");
    if (d2m_length(g->threads) == 0)
        return ir_op_error(g->op, "must have at least one thread");
    if (g->op->n_regions && g->op->n_regions != d2m_length(g->threads))
        return ir_op_error(g->op, "number of regions must match the number of threads");
    for (size_t i = g->first_out; i < g->n; i++) {
        ir_type type = operand_type(g, i);
        d2m_shape grid;
        if (!d2m_is_device_layout(type->encoding))
            continue;
        d2m_half_of(type, false, &grid);
        for (uint32_t k = 0; k < TW_MIN(grid.n, g->grid.n); k++)
            if (g->grid.at[k] > 0 && grid.at[k] % g->grid.at[k] != 0)
                return ir_op_error(g->op,
                                   "output grid shape must be divisible by the generic "
                                   "op's grid shape");
    }
    return true;
}

/* ---- virtual grids ------------------------------------------------------------------ */

static bool is_in_dram(ir_type type)
{
    ir_attr space = type->kind == IR_TYPE_MEMREF
                        ? type->space
                        : ir_attr_param(type->encoding, "memory_space");
    return ir_enum_value(space, -1) == TTCORE_MemorySpace_DeviceDRAM;
}

/* The rows and columns of cores that hold an output, through views of it. */
static bool cores_of_output(const ir_value *v, d2m_shape *out)
{
    d2m_shape whole;
    const ir_op *view = ir_value_def(v);
    for (; ir_op_is(view, D2M_OP(view_layout)); view = ir_value_def(v))
        v = ir_op_operand(view, 0);
    ir_affine_map forward = d2m_virtual_grid_of(v).forward;
    if (!forward || forward->n_results < 2 || !d2m_shape_of(v->type, &whole) ||
        forward->n_dims != whole.n) {
        d2m_half_of(v->type, false, out);
        return out->n == 2;
    }
    if (!d2m_map_shape(forward, &whole, out))
        return false;
    out->n = 2;
    return true;
}

/* The grid of an output: of a view of memory, that of the memory as seen by the view. */
static bool grid_of_output(const ir_value *v, d2m_shape *out)
{
    d2m_shape whole;
    const ir_op *view = ir_value_def(v);
    ir_affine_map map = NULL;
    d2m_half_of(v->type, false, out);
    if (v->type->kind != IR_TYPE_MEMREF || !d2m_shape_of(v->type, &whole))
        return true;
    for (; ir_op_is(view, D2M_OP(view_layout)); view = ir_value_def(v)) {
        ir_attr step = ir_op_attr(view, "remapping");
        v = ir_op_operand(view, 0);
        if (!ir_attr_is(step, IR_ATTR_AFFINE_MAP) || step->map->n_symbols ||
            (map && step->map->n_dims != map->n_results))
            return false;
        map = map ? d2m_compose(view->ctx, step->map, map) : step->map;
    }
    if (!map)
        return true;
    uint32_t rank = v->type->count / 2;
    if (map->n_results < rank || !d2m_map_shape(map, &whole, out))
        return false;
    out->n = rank;
    return true;
}

/* Checks that the map makes the output's grid of the cores that hold it. */
static bool check_implied_grid(ir_op *op, ir_affine_map inverse, const ir_value *output)
{
    d2m_shape cores, implied, grid;
    ir_affine_map grid_only = ir_affine_map_get(
        op->ctx, inverse->n_dims, 0, inverse->results + 1, inverse->n_results - 1);
    if (!cores_of_output(output, &cores) || !d2m_map_shape(grid_only, &cores, &implied) ||
        !grid_of_output(output, &grid))
        return true; /* maps of another kind are checked where they are used */
    return d2m_shape_equal(&grid, &implied) ||
           ir_op_error(op,
                       "output grid shape does not match implied virtual grid shape from "
                       "physical grid and inverse mapping");
}

static bool check_virtual_grid(const generic *g)
{
    ir_op *op = g->op;
    ir_attr map = ir_attr_param(ir_op_attr(op, "grid"), "physicalToVirtMap");
    int64_t cores[2];
    const int64_t wanted = d2m_volume(&g->grid);
    if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_results == 0)
        return true;
    CHK_ERROR_IF(map->map->n_dims + map->map->n_symbols != 2,
                 "GenericOp virtual grid affine map must have 2 inputs, or be empty.");
    bool on_device = ttnn_device_grid(op, false, cores);
    if (on_device)
        CHK_ERROR_IF(wanted > cores[0] * cores[1],
                     "grid volume (%lld) exceeds device worker grid capacity (%lld)",
                     (long long)wanted, (long long)(cores[0] * cores[1]));
    for (size_t i = g->first_out; i < g->n; i++) {
        const ir_value *output = ir_op_operand(op, i);
        ir_affine_map of_output = d2m_virtual_grid_of(output).inverse;
        if (is_in_dram(operand_type(g, i)))
            continue;
        CHK_ERROR_IF(!of_output, "grid has an inverse map but output operand does not have "
                                 "a VGM");
        CHK_ERROR_IF(of_output != map->map,
                     "grid inverse map does not match output operand's inverse VGM");
        if (on_device && !check_implied_grid(op, map->map, output))
            return false;
    }
    return true;
}

/* ---- values used by bodies ---------------------------------------------------------- */

/* Every thread of a unified region runs all of it, so each would count a semaphore
 * operation. */
static bool check_semaphores(ir_block *block)
{
    static const struct {
        uint16_t row;
        const char *what, *does;
    } racing[] = {{D2M_semaphore_inc, "semaphore_inc", "increment the semaphore"},
                  {D2M_semaphore_set, "semaphore_set", "set the semaphore"},
                  {D2M_semaphore_wait, "semaphore_wait with reset", "execute the reset"}};
    for (ir_op *op = block ? block->first : NULL; op; op = op->next) {
        for (size_t i = 0; i < TW_COUNT(racing); i++)
            if (op->def == &d2m_ops[racing[i].row] &&
                (op->def != D2M_OP(semaphore_wait) || op->n_operands == 3))
                return ir_error_at_op(
                    op,
                    "%s is not supported in regions that will be replicated "
                    "across multiple threads, as all threads would %s, creating "
                    "a race condition on the shared semaphore.",
                    racing[i].what, racing[i].does);
        for (uint16_t r = 0; r < op->n_regions; r++)
            if (!check_semaphores(op->regions[r].first))
                return false;
    }
    return true;
}

static ir_walk check_uses(ir_op *op, void *user)
{
    ir_op *generic = user;
    for (uint32_t i = 0; op != generic && i < op->n_operands; i++) {
        const ir_value *v = ir_op_operand(op, i);
        const ir_op *producer = ir_value_def(v);
        bool known = !producer || ir_op_is_ancestor(generic, producer);
        for (uint32_t k = 0; !known && k < generic->n_operands; k++)
            known = ir_op_operand(generic, k) == v;
        if (!known) {
            ir_op_error(generic,
                        "region uses value defined outside that is not an operand of this "
                        "generic op: result %u of '%s'",
                        v->index, producer->def->name);
            return IR_WALK_STOP;
        }
    }
    return IR_WALK_ON;
}

static bool is_unified(const generic *g)
{
    return g->op->n_regions == 1 && d2m_length(g->threads) == 1 &&
           ir_attr_int(ir_attr_param(g->threads->items[0], "threadType"), -1) ==
               D2M_ThreadType_Unified;
}

bool d2m_check_generic(ir_op *op)
{
    generic g;
    if (!begin(op, &g))
        return true;
    if (!check_tensor_form(&g) || !check_threads(&g) || !check_virtual_grid(&g) ||
        !check_maps(&g) || !check_grids(&g) ||
        (is_unified(&g) && !check_semaphores(ir_op_body(op, 0))))
        return false;
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!check_region(&g, &op->regions[r]))
            return false;
    for (uint32_t i = 0; op->n_regions == 0 && i < d2m_length(g.threads); i++)
        if (!ir_attr_param(g.threads->items[i], "kernelSymbol"))
            return ir_op_error(op,
                               "threads must have a kernel symbol in external symbol form "
                               "(i.e. without regions)");
    return ir_walk_pre(op, check_uses, op) != IR_WALK_STOP;
}
