/* distribute.c: distributed tensors become tensors of tiles, and shards ranges in them.
 * So do plain tensors with an accessor: their layout is what that says of their memory.
 *
 *   !ttl.dist_tensor<grid, shard, ...>    tensor of grid x shard, interleaved in its memory
 *   extract_shard                         an accessor, and this core's origin in its copies
 *   redistribute                          nothing: the other strategy of the same numbers
 *
 * Accessors reach every page over the NoC, so numbers stay where they are; a strategy says
 * which of them a core calls its own: the shard of its number, or all of a replicated
 * tensor. */
#include "ttl/passes/distribute.h"

#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttl/ttl_info.h"
#include "ttnn/layout.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

/* LARGEST: of shards and of elements on an axis, so that products fit 64 bits. */
enum { TILE = 32, RANK = 2, LARGEST = 1 << 28 };

typedef struct distribution {
    int64_t grid[RANK], tiles[RANK]; /* of shards, and of one of them */
    int64_t strategy, space;
    ir_type tile, dense;
} distribution;

static bool is_distributed(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(dist_tensor);
}

/* False with an error at `op` where tiles cannot hold the tensor. */
static bool distribution_of(ir_op *op, ir_type t, distribution *d)
{
    int64_t dims[RANK], tiles[RANK];
    ir_type element = t->params[2]->type;
    d->tile = ttcore_tile_of(element);
    if (t->params[0]->count != RANK || !d->tile)
        return ir_op_error(op,
                           "needs a distributed tensor of two dimensions whose elements "
                           "tiles hold");
    for (int i = 0; i < RANK; i++) {
        int64_t extent = t->params[1]->items[i]->value;
        bool of_tiles = element == d->tile;
        if (!of_tiles && extent % TILE)
            return ir_op_error(op,
                               "needs shards of whole tiles, and %lld is no multiple of %d",
                               (long long)extent, TILE);
        d->grid[i] = t->params[0]->items[i]->value;
        if (d->grid[i] < 0 || d->grid[i] > LARGEST || extent < 0 || extent > LARGEST)
            return ir_op_error(
                op,
                "has %lld shards of %lld elements on axis %d; at most %d are "
                "possible",
                (long long)d->grid[i], (long long)extent, i, LARGEST);
        d->tiles[i] = of_tiles ? extent : extent / TILE;
        tiles[i] = d->grid[i] * d->tiles[i];
        dims[i] = tiles[i] * TILE;
    }
    d->strategy = t->params[3]->value;
    d->space = t->params[4]->value;
    ttnn_layout l = ttnn_layout_dram(ttcore_tile_data_type(d->tile));
    if (d->space == TTL_MemorySpace_L1)
        ttnn_layout_place(&l, TTNN_BufferType_L1, TTNN_TensorMemoryLayout_Interleaved);
    d->dense =
        ir_tensor_type(d->tile, tiles, RANK, ttnn_layout_attr(op->ctx, &l, dims, RANK));
    return true;
}

static ir_value *compute(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_attr ints(ir_context *ctx, const int64_t *values)
{
    ir_attr items[RANK];
    for (int i = 0; i < RANK; i++)
        items[i] = ir_raw_int(ctx, values[i]);
    return ir_array_attr(ctx, items, RANK);
}

/* The accessor of the whole tensor. */
static ir_value *accessor(ir_builder *b, ir_value *tensor, const distribution *d)
{
    ir_attr parts[] = {ir_raw_int(b->ctx, TTL_DistributionStrategy_Sharded),
                       ints(b->ctx, d->grid), ints(b->ctx, d->tiles)};
    ir_attr layout = ir_dialect_attr(b->ctx, TTL_ATTR(layout), parts, 3);
    ir_attr params[] = {ir_type_attr(d->dense), layout, ir_raw_int(b->ctx, d->space)};
    return ir_build1(
        b, TTL_OP(tensor_accessor), ir_dialect_type(b->ctx, TTL_TYPE(accessor), params, 3),
        &tensor, 1,
        IR_ATTRS({"layout", layout},
                 {"memory_space", ir_enum_attr(b->ctx, TTL_ATTR(memory_space), d->space)}));
}

/* First row and column of tiles of this core's part. */
static void origin_of(ir_builder *b, const distribution *d, ir_value *at[RANK])
{
    if (d->strategy == TTL_DistributionStrategy_Replicated) {
        at[0] = at[1] = arith_index(b, 0);
        return;
    }
    ir_value *core =
        ir_build1(b, TTL_OP(core_linear), ir_index_type(b->ctx), NULL, 0, NULL, 0);
    ir_value *across = arith_index(b, d->grid[1]);
    for (size_t i = 0; i < RANK; i++) {
        ir_value *size = arith_index(b, d->tiles[i]);
        at[i] = compute(b, i ? ARITH_OP(remui) : ARITH_OP(divui), core, across);
        at[i] = compute(b, ARITH_OP(muli), at[i], size);
    }
}

/* A copy from or to a shard, or a tile of it, becomes one of an accessor's element. */
static bool convert_copy(ir_op *copy, ir_op *shard, const distribution *d)
{
    ir_value *at[RANK];
    size_t side = copy->operands[0].value == &shard->results[0] ? 0 : 1, n = 2;
    size_t leading = (size_t)ir_op_int(copy, "src_indices", 0);
    size_t behind = copy->n_operands - 2 - leading, mine = side ? behind : leading;
    if (mine != 0 && mine != RANK)
        return ir_op_error(copy, "takes a row and a column of tiles of the shard, or none");
    ir_value *tensor = shard->operands[0].value;
    for (ir_op *def = ir_value_def(tensor); ir_op_is(def, TTL_OP(redistribute));
         def = ir_value_def(tensor))
        tensor = def->operands[0].value;
    ir_builder b = ir_builder_before(copy);
    ir_value **operands = tw_xmalloc((copy->n_operands + RANK) * sizeof *operands);
    operands[side] = accessor(&b, tensor, d);
    operands[1 - side] = copy->operands[1 - side].value;
    origin_of(&b, d, at);
    for (size_t i = 0; side && i < leading; i++)
        operands[n++] = copy->operands[2 + i].value;
    for (size_t i = 0; i < RANK; i++) {
        ir_value *index = mine ? copy->operands[2 + (side ? leading : 0) + i].value : NULL;
        operands[n++] = index ? compute(&b, ARITH_OP(addi), at[i], index) : at[i];
    }
    for (size_t i = 0; !side && i < behind; i++)
        operands[n++] = copy->operands[2 + leading + i].value;
    ir_value *fresh =
        ir_build1(&b, TTL_OP(copy), copy->results[0].type, operands, n,
                  IR_ATTRS({"src_indices",
                            ir_i64_attr(copy->ctx, (int64_t)(side ? leading : RANK))}));
    free(operands);
    ir_value_replace_uses(&copy->results[0], fresh);
    ir_op_erase(copy);
    return true;
}

static bool convert_shard(ir_op *shard)
{
    distribution d;
    int64_t cores[2];
    if (!distribution_of(shard, shard->operands[0].value->type, &d))
        return false;
    ttl_grid_of(shard, cores);
    int64_t shards = d.grid[0] * d.grid[1];
    if (d.strategy != TTL_DistributionStrategy_Replicated && shards != cores[0] * cores[1])
        return ir_op_error(shard,
                           "takes one of %lld shards on each of %lld cores; give the "
                           "kernel's grid as many cores",
                           (long long)shards, (long long)(cores[0] * cores[1]));
    while (shard->results[0].uses) {
        ir_op *user = shard->results[0].uses->owner;
        if (user->def != TTL_OP(copy))
            return ir_op_error(user, "takes a block, not a shard; ttl.copy it to one");
        if (!convert_copy(user, shard, &d))
            return false;
    }
    ir_op_erase(shard);
    return true;
}

/* ---- plain tensors */

/* Whether blocks of numbers, not of tiles, are copied from or to an accessor. */
static bool moves_numbers(const ir_value *accessor)
{
    for (const ir_operand *use = accessor->uses; use; use = use->next_use) {
        const ir_op *op = use->owner;
        if (op->def == TTL_OP(index_accessor) && moves_numbers(&op->results[0]))
            return true;
        for (uint32_t i = 0; op->def == TTL_OP(copy) && i < 2; i++) {
            ir_type t = ttl_buffer_of(op, i)->type;
            if (t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(cb))
                return !ttcore_is_tile(ttl_cb_element(t));
        }
    }
    return false;
}

/* A tensor of tiles in the shards that its accessor says, if it is made of them; ttnn has
 * no layout for blocks in DRAM: how many there are is `blocks` then. */
static void cut_in_shards(ir_op *accessor, const int64_t *tiles, ttnn_layout *l,
                          int64_t blocks[RANK])
{
    ir_attr layout = ir_op_attr(accessor, "layout");
    ir_attr grid = layout ? ir_attr_param(layout, "grid") : NULL;
    ir_attr shard = layout ? ir_attr_param(layout, "tiles_per_shard") : NULL;
    bool given = ir_attr_is(shard, IR_ATTR_ARRAY) && shard->count == RANK;
    if (!ir_attr_is(grid, IR_ATTR_ARRAY) || grid->count != RANK)
        return;
    for (int i = 0; i < RANK; i++) {
        int64_t shards = grid->items[i]->value;
        if (shards < 1 || tiles[i] % shards ||
            (given && shard->items[i]->value != tiles[i] / shards))
            return;
    }
    const int64_t rows = grid->items[0]->value, columns = grid->items[1]->value;
    const bool dram = l->buffer == TTNN_BufferType_DRAM;
    int64_t last[] = {0, 0, columns - 1, rows - 1};
    if (dram && rows > 1 && columns > 1) {
        blocks[0] = rows;
        blocks[1] = columns;
        return;
    }
    if (dram) {
        last[2] = rows * columns - 1;
        last[3] = 0;
    }
    l->memory = !dram         ? TTNN_TensorMemoryLayout_BlockSharded
                : columns > 1 ? TTNN_TensorMemoryLayout_WidthSharded
                              : TTNN_TensorMemoryLayout_HeightSharded;
    l->grid[0] = rows;
    l->grid[1] = columns;
    l->cores = ttnn_core_ranges(accessor->ctx, (const int64_t(*)[4]) & last, 1);
}

/* What the layout of a kernel's tensor does not say, for hosts that make it: its numbers'
 * rows and columns, and how many blocks it lies in, 0 where its layout says all.
 * The kernel's ttl.tensor_places has them for each argument, nothing where nothing is lost.
 */
static void note_extent(ir_op *kernel, uint32_t argument, const int64_t extent[2 * RANK])
{
    ir_context *ctx = kernel->ctx;
    const uint32_t n = ir_op_body(kernel, 0)->n_args;
    ir_type i64 = ir_integer_type(ctx, 64, IR_SIGNLESS);
    ir_attr known = ir_op_attr(kernel, "ttl.tensor_places");
    ir_attr *extents = tw_xmalloc((n + 1) * sizeof *extents);
    for (uint32_t i = 0; i < n; i++)
        extents[i] = known ? known->items[i] : ir_dense_array(i64, (int64_t[]){0}, 0);
    extents[argument] = ir_dense_array(i64, extent, 2 * RANK);
    ir_op_set_attr(kernel, "ttl.tensor_places", ir_array_attr(ctx, extents, n));
    free(extents);
}

/* The tensor as the device has it: tiles, or numbers in rows; NULL where it cannot be.
 * `extent` is as above, its first number 0 where nothing is lost. */
static ir_type on_device(ir_op *accessor, ir_type plain, int64_t extent[2 * RANK])
{
    const bool rows = moves_numbers(&accessor->results[0]);
    ir_type tile = ttcore_tile_of(plain->element);
    int64_t dims[RANK], units[RANK];
    if (!tile || !ir_type_has_static_shape(plain))
        return NULL;
    for (int i = 0; i < RANK; i++) {
        const bool whole = plain->element == tile;
        if (plain->dims[i] > INT64_MAX / TILE - TILE)
            return NULL;
        dims[i] = whole ? plain->dims[i] * TILE : plain->dims[i];
        units[i] = rows ? dims[i] : (dims[i] + TILE - 1) / TILE;
        extent[i] = dims[i];
        extent[RANK + i] = 0;
    }
    ttnn_layout l = ttnn_layout_dram(ttcore_tile_data_type(tile));
    l.tiled = !rows;
    if (ir_enum_value(ir_op_attr(accessor, "memory_space"), -1) == TTL_MemorySpace_L1)
        ttnn_layout_place(&l, TTNN_BufferType_L1, TTNN_TensorMemoryLayout_Interleaved);
    if (!rows)
        cut_in_shards(accessor, units, &l, extent + RANK);
    if (!extent[RANK] &&
        (rows || (dims[0] == units[0] * TILE && dims[1] == units[1] * TILE)))
        extent[0] = 0;
    return ir_tensor_type(rows ? plain->element : tile, units, RANK,
                          ttnn_layout_attr(accessor->ctx, &l, dims, RANK));
}

/* What it returns is among its arguments, where kernels have written it. */
static void set_signature(ir_op *func)
{
    const ir_block *entry = ir_op_body(func, 0);
    const ir_op *last = entry->last;
    const uint32_t n = entry->n_args,
                   results = ir_op_is(last, FUNC_OP(return )) ? last->n_operands : 0;
    ir_type *types =
        tw_arena_alloc(ir_context_arena(func->ctx), (n + results + 1) * sizeof *types);
    for (uint32_t i = 0; i < n; i++)
        types[i] = entry->args[i]->type;
    for (uint32_t i = 0; i < results; i++)
        types[n + i] = last->operands[i].value->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, n, types + n, results)));
}

/* A tensor without a layout, which a kernel's accessor names, gets one, and so do the
 * arguments that it comes from. */
static bool lay_out(ir_op *accessor)
{
    ir_value *v = accessor->operands[0].value;
    ir_type plain = v->type;
    if (plain->kind != IR_TYPE_TENSOR || plain->count != RANK || plain->encoding ||
        !v->is_argument)
        return true;
    int64_t extent[2 * RANK];
    ir_type type = on_device(accessor, plain, extent);
    if (!type)
        return ir_op_error(accessor, "needs a tensor whose elements tiles hold, got '%s'",
                           ir_type_text(accessor->ctx, plain));
    ir_op_set_attr(accessor, "laid_out", ir_unit_attr(accessor->ctx));
    while (v->is_argument) {
        ir_op *owner = ((ir_block *)v->owner)->region->owner;
        v->type = type;
        if (owner->def == FUNC_OP(func))
            set_signature(owner);
        if (owner->def == TTL_OP(kernel) && extent[0])
            note_extent(owner, v->index, extent);
        if (owner->def != TTL_OP(kernel) && owner->def != TTL_OP(program))
            break;
        if (v->index >= owner->n_operands)
            break;
        v = owner->operands[v->index].value;
        if (v->type != plain)
            break;
    }
    return true;
}

static bool is_accessor(const ir_op *op)
{
    return op->def == TTL_OP(tensor_accessor);
}

/* ---- types */

static bool retype(ir_op *op, ir_type *t)
{
    distribution d;
    if (!is_distributed(*t))
        return true;
    if (!distribution_of(op, *t, &d))
        return false;
    *t = d.dense;
    return true;
}

static bool retype_function(ir_op *func)
{
    ir_type signature = ir_op_attr(func, "function_type")->type;
    size_t inputs = ir_function_inputs(signature), all = inputs + signature->results;
    tw_arena *arena = ir_context_arena(func->ctx);
    ir_type *types = tw_arena_alloc(arena, (all + 1) * sizeof *types);
    for (size_t i = 0; i < all; i++) {
        types[i] =
            i < inputs ? signature->types[i] : ir_function_results(signature)[i - inputs];
        if (!retype(func, &types[i]))
            return false;
    }
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, inputs, types + inputs,
                                                 signature->results)));
    return true;
}

static ir_walk retype_arguments(ir_op *op, void *user)
{
    bool *ok = user;
    for (uint16_t r = 0; *ok && r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; *ok && i < b->n_args; i++)
                *ok = retype(op, &b->args[i]->type);
    if (*ok && op->def == FUNC_OP(func))
        *ok = retype_function(op);
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool is_shard(const ir_op *op)
{
    return op->def == TTL_OP(extract_shard);
}

static bool is_redistribution(const ir_op *op)
{
    return op->def == TTL_OP(redistribute);
}

bool ttl_distribute(ir_op *module)
{
    ir_op_list shards = ir_ops_in(module, is_shard);
    ir_op_list others = ir_ops_in(module, is_redistribution);
    bool ok = true;
    for (size_t i = 0; i < shards.n && ok; i++)
        ok = convert_shard(shards.at[i]);
    for (size_t i = others.n; i-- > 0 && ok;) {
        ok = ir_op_is_unused(others.at[i]) ||
             ir_op_error(others.at[i], "is used by what is no ttl.extract_shard");
        if (ok)
            ir_op_erase(others.at[i]);
    }
    if (ok)
        ir_walk_pre(module, retype_arguments, &ok);
    ir_op_list accessors = ir_ops_in(module, is_accessor);
    for (size_t i = 0; i < accessors.n && ok; i++)
        ok = lay_out(accessors.at[i]);
    ir_op_list_free(&accessors);
    ir_op_list_free(&shards);
    ir_op_list_free(&others);
    return ok;
}
