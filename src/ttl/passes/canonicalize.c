/* canonicalize.c: the plan's forms become those that the passes work on.
 *
 *   blocks                   tensors tied to their circular buffer (ttl.attach_cb)
 *   block_add, block_exp, ...    ttl.add, ttl.exp, ...; a block_store attaches the result
 *   accessors, index_accessor    ttl.tensor_slice in the copy that uses them
 *   distributed tensors      tensors, and accessors of their shards (distribute.c)
 *   core, grid_size, core_linear, grid_slice    core_x, core_y and arithmetic
 *   compute_region, block_compute               what is in them
 *   programs, microcores         kernels with their two kinds of threads
 *   markers of DST           nothing: registers are assigned by liveness
 *   numbers and cores of semaphores' attributes   operands (connect.c)
 *
 * Products, reductions and broadcasts read circular buffers: a value that was computed in
 * DST gets a buffer of its own, which the thread fills and reads.
 *
 * Operations are visited in the order of the program, so that operands have been converted
 * before their users. */
#include "ttl/passes/canonicalize.h"

#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttl/passes/connect.h"
#include "ttl/passes/distribute.h"
#include "ttl/passes/kernels.h"
#include "ttl/ttl_info.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { MAX_RANK = 8 };

static const struct {
    const ir_op_def *from, *to;
} renamed[] = {
    {TTL_OP(block_add), TTL_OP(add)},     {TTL_OP(block_sub), TTL_OP(sub)},
    {TTL_OP(block_mul), TTL_OP(mul)},     {TTL_OP(block_div), TTL_OP(div)},
    {TTL_OP(block_pow), TTL_OP(pow)},     {TTL_OP(block_max), TTL_OP(max)},
    {TTL_OP(block_min), TTL_OP(min)},     {TTL_OP(block_matmul), TTL_OP(matmul)},
    {TTL_OP(block_exp), TTL_OP(exp)},     {TTL_OP(block_log), TTL_OP(log)},
    {TTL_OP(block_sqrt), TTL_OP(sqrt)},   {TTL_OP(block_rsqrt), TTL_OP(rsqrt)},
    {TTL_OP(block_recip), TTL_OP(recip)}, {TTL_OP(block_relu), TTL_OP(relu)},
    {TTL_OP(block_gelu), TTL_OP(gelu)},   {TTL_OP(block_sigmoid), TTL_OP(sigmoid)},
    {TTL_OP(block_tanh), TTL_OP(tanh)},   {TTL_OP(block_sin), TTL_OP(sin)},
    {TTL_OP(block_cos), TTL_OP(cos)},     {TTL_OP(block_tan), TTL_OP(tan)},
    {TTL_OP(block_abs), TTL_OP(abs)},     {TTL_OP(block_neg), TTL_OP(neg)},
};

static void replace(ir_op *op, ir_value *by)
{
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

static ir_value *compute_index(ir_builder *b, const ir_op_def *def, ir_value *x,
                               ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

/* ---- blocks */

static bool is_block(const ir_value *v)
{
    return v->type->kind == IR_TYPE_DIALECT && v->type->def == TTL_TYPE(block);
}

static bool convert_view(ir_op *op)
{
    if (!is_block(&op->results[0]))
        return true;
    ir_builder b = ir_builder_before(op);
    ir_value *cb = op->operands[0].value;
    ir_type tensor = ttl_block_tensor(op->results[0].type);
    ir_value *view = ir_build1(&b, op->def, tensor, &cb, 1, NULL, 0);
    replace(op, ir_build1(&b, TTL_OP(attach_cb), tensor, IR_VALUES(view, cb), NULL, 0));
    return true;
}

/* A pop or push of a block is one of its buffer. */
static bool convert_release(ir_op *op)
{
    ir_value *v = op->operands[0].value;
    ir_value *cb = v->type->kind == IR_TYPE_TENSOR ? ttl_attached_cb(v) : v;
    if (!cb || is_block(cb))
        return ir_op_error(op, "needs a block that cb_wait or cb_reserve gave");
    ir_op_set_operand(op, 0, cb);
    return true;
}

/* A buffer for a thread's own use, made in front of the thread. */
static ir_value *own_buffer(ir_op *thread, ir_type block)
{
    ir_attr dims[MAX_RANK], one = ir_raw_int(thread->ctx, 1);
    for (uint32_t i = 0; i < block->count; i++)
        dims[i] = ir_raw_int(thread->ctx, block->dims[i]);
    ir_attr params[] = {ir_array_attr(thread->ctx, dims, block->count),
                        ir_type_attr(block->element), one, NULL};
    ir_builder b = ir_builder_before(thread);
    return ir_build1(&b, TTL_OP(create_cb),
                     ir_dialect_type(thread->ctx, TTL_TYPE(cb), params, 4), NULL, 0, NULL,
                     0);
}

/* The compute thread around an operation, NULL outside one: only kernels can have one more
 * buffer. */
static ir_op *thread_around(ir_op *op)
{
    while (op && op->def != TTL_OP(compute_thread))
        op = ir_op_parent(op);
    return op;
}

/* Has all uses of an operand read it from a buffer that it is stored to where it is made.
 */
static bool read_from_buffer(ir_op *op, uint32_t operand)
{
    ir_value *v = op->operands[operand].value;
    ir_op *def = ir_value_def(v), *thread = thread_around(op);
    if (ttl_attached_cb(v) || !def)
        return true;
    ir_type block = v->type;
    if (!thread || block->kind != IR_TYPE_TENSOR || block->count > MAX_RANK ||
        !ttcore_is_tile(block->element))
        return ir_op_error(op,
                           "reads circular buffers, and operand %u is computed: store "
                           "it to a block first",
                           operand);
    ir_value *cb = own_buffer(thread, block);
    ir_builder before = ir_builder_before(def), after = ir_builder_after(def);
    ir_build1(&before, TTL_OP(cb_reserve), block, &cb, 1, NULL, 0);
    ir_value *stored =
        ir_build1(&after, TTL_OP(attach_cb), block, IR_VALUES(v, cb), NULL, 0);
    ir_build_op(&after, TTL_OP(cb_push), NULL, 0, &cb, 1, NULL, 0, 0);
    ir_value *view = ir_build1(&after, TTL_OP(cb_wait), block, &cb, 1, NULL, 0);
    ir_value *read =
        ir_build1(&after, TTL_OP(attach_cb), block, IR_VALUES(view, cb), NULL, 0);
    ir_value_replace_uses(v, read);
    ir_op_set_operand(ir_value_def(stored), 0, v);
    ir_op *last = def->block->last;
    ir_builder end = last->def->traits & IR_TERMINATOR
                         ? ir_builder_before(last)
                         : ir_builder_at_end(op->ctx, def->block, op->loc);
    ir_build_op(&end, TTL_OP(cb_pop), NULL, 0, &cb, 1, NULL, 0, 0);
    return true;
}

/* Element by element a result is what the operands have become. */
static bool convert_renamed(ir_op *op, const ir_op_def *to)
{
    const bool product = to == TTL_OP(matmul);
    for (uint32_t i = 0; product && i < op->n_operands; i++)
        if (!read_from_buffer(op, i))
            return false;
    ir_builder b = ir_builder_before(op);
    ir_value *operands[2] = {0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_type result = ttl_block_tensor(product ? op->results[0].type : operands[0]->type);
    replace(op, ir_build1(&b, to, result, operands, op->n_operands, NULL, 0));
    return true;
}

/* A block of one tile of ones, which the thread around an operation fills first and gives
 * back last; NULL where no kernel is around it that could have one more buffer. */
static ir_value *ones_for(ir_op *op, ir_type tile)
{
    ir_op *thread = thread_around(op);
    if (!thread)
        return NULL;
    ir_op *first = ir_op_body(thread, 0)->first;
    if (first->def == TTL_OP(cb_fill) &&
        ttl_cb_element(first->operands[0].value->type) == tile)
        return &first->next->next->results[0];
    ir_context *ctx = op->ctx;
    ir_type block = ir_tensor_type(tile, (int64_t[]){1, 1}, 2, NULL);
    ir_builder b = ir_builder_before(first);
    ir_value *cb = own_buffer(thread, block);
    ir_build_op(&b, TTL_OP(cb_fill), NULL, 0, &cb, 1,
                IR_ATTRS({"value", ir_float_attr(ir_float_type(ctx, IR_F32), 1.0)}), 0);
    ir_value *view = ir_build1(&b, TTL_OP(cb_wait), block, &cb, 1, NULL, 0);
    ir_value *ones = ir_build1(&b, TTL_OP(attach_cb), block, IR_VALUES(view, cb), NULL, 0);
    ir_builder end = ir_builder_at_end(ctx, ir_op_body(thread, 0), op->loc);
    ir_build_op(&end, TTL_OP(cb_pop), NULL, 0, &cb, 1, NULL, 0, 0);
    return ones;
}

static bool convert_reduce(ir_op *op)
{
    int64_t axis = ir_op_int(op, "axis", -1); /* none: the whole block becomes one number */
    if (!read_from_buffer(op, 0) || (op->n_operands == 2 && !read_from_buffer(op, 1)))
        return false;
    ir_value *scaler =
        op->n_operands == 2
            ? op->operands[1].value
            : ones_for(op, ttl_block_tensor(op->operands[0].value->type)->element);
    if (!scaler)
        return ir_op_error(op, "needs a scaling tile: hardware multiplies by it");
    ir_builder b = ir_builder_before(op);
    ir_attr dims = ir_dense_array(ir_integer_type(op->ctx, 64, IR_SIGNLESS),
                                  (int64_t[]){axis < 0 ? 0 : axis, 1}, axis < 0 ? 2 : 1);
    const ir_op_def *to =
        op->def == TTL_OP(block_reduce_sum) ? TTL_OP(reduce_sum) : TTL_OP(reduce_max);
    replace(op,
            ir_build1(&b, to, ttl_block_tensor(op->results[0].type),
                      IR_VALUES(op->operands[0].value, scaler), IR_ATTRS({"dims", dims})));
    return true;
}

/* The block that an expression is stored to in the end. */
static ir_value *stored_to(ir_value *v, int depth)
{
    for (ir_operand *use = v->uses; use && depth < 64; use = use->next_use) {
        if (use->owner->def == TTL_OP(block_store))
            return use->owner->operands[0].value;
        if (use->owner->n_results) {
            ir_value *found = stored_to(&use->owner->results[0], depth + 1);
            if (found)
                return found;
        }
    }
    return NULL;
}

static bool convert_bcast(ir_op *op)
{
    ir_value *out = stored_to(&op->results[0], 0);
    if (!out || !ttl_attached_cb(out))
        return ir_op_error(op,
                           "is not stored to a block: the broadcast's shape is not known");
    if (!read_from_buffer(op, 0))
        return false;
    int64_t axis = ir_op_int(op, "axis", -1);
    ir_builder b = ir_builder_before(op);
    ir_attr kind = ir_i32_attr(op->ctx, axis < 0    ? TTL_BcastType_Scalar
                                        : axis == 0 ? TTL_BcastType_Row
                                                    : TTL_BcastType_Col);
    replace(op, ir_build1(&b, TTL_OP(bcast), ttl_block_tensor(out->type),
                          IR_VALUES(op->operands[0].value, out),
                          IR_ATTRS({"bcast_type", kind})));
    return true;
}

static bool convert_store(ir_op *op)
{
    ir_value *to = op->operands[0].value, *from = op->operands[1].value;
    ir_value *cb = ttl_attached_cb(to);
    if (!cb)
        return ir_op_error(op, "needs a block that cb_reserve gave");
    ir_builder b = ir_builder_before(op);
    if (ttl_attached_cb(from)) /* what is packed has been through DST */
        from = ir_build1(&b, TTL_OP(typecast), from->type, &from, 1, NULL, 0);
    ir_build1(&b, TTL_OP(attach_cb), from->type, IR_VALUES(from, cb), NULL, 0);
    ir_op_erase(op);
    return true;
}

/* ---- copies */

/* Tiles of a shard, and shards side by side; one tile for tensors that are not sharded. */
static void shard_of(ir_op *accessor, int64_t tiles[2], int64_t *across)
{
    ir_attr layout = ir_op_attr(accessor, "layout");
    ir_attr grid = layout ? ir_attr_param(layout, "grid") : NULL;
    ir_attr shard = layout ? ir_attr_param(layout, "tiles_per_shard") : NULL;
    ir_type tensor = accessor->operands[0].value->type;
    bool sharded = ir_attr_is(grid, IR_ATTR_ARRAY) && grid->count == 2 && tensor->count > 1;
    bool given = ir_attr_is(shard, IR_ATTR_ARRAY) && shard->count == 2;
    for (uint32_t i = 0; i < 2; i++)
        tiles[i] = !sharded ? 1
                   : given  ? shard->items[i]->value
                            : tensor->dims[i] / TW_MAX(grid->items[i]->value, 1);
    *across = sharded ? grid->items[1]->value : tensor->count > 1 ? tensor->dims[1] : 1;
}

/* The slice that an element of an accessor names for a block of this buffer. */
static ir_value *slice_at(ir_op *op, ir_op *accessor, ir_value *const *at, size_t n,
                          ir_value *cb)
{
    ir_builder b = ir_builder_before(op);
    ir_value *tensor = accessor->operands[0].value, *corner[2];
    int64_t dims[2] = {1, 1}, tiles[2], across;
    if (n == 1) { /* the number of a shard, or of a tile */
        shard_of(accessor, tiles, &across);
        ir_value *width = arith_index(&b, across);
        for (uint32_t i = 0; i < 2; i++) {
            ir_value *size = arith_index(&b, tiles[i]);
            corner[i] =
                compute_index(&b, i ? ARITH_OP(remui) : ARITH_OP(divui), at[0], width);
            corner[i] = compute_index(&b, ARITH_OP(muli), corner[i], size);
        }
    } else {
        memcpy(corner, at, sizeof corner);
    }
    for (size_t i = 0; i < 2 && i < ttl_cb_rank(cb->type); i++)
        dims[i] = ttl_cb_dim(cb->type, i);
    ir_type part = ir_tensor_type(tensor->type->element, dims, 2, tensor->type->encoding);
    return ir_build1(&b, TTL_OP(tensor_slice), part,
                     IR_VALUES(tensor, corner[0], corner[1]), NULL, 0);
}

/* How an element of an accessor is moved: whole shards, where the tensor lies in those of
 * the block's shape (its own layout, if it has one, does not contradict), pages of
 * interleaved tensors, or tiles. */
static void unit_of(ir_op *accessor, size_t n, ir_value *cb, ir_attr *unit, ir_attr *shard)
{
    ir_context *ctx = accessor->ctx;
    ttnn_layout own;
    int64_t at[3];
    ir_attr layout = ir_op_attr(accessor, "layout");
    int64_t strategy = layout ? layout->params[0]->value : -1;
    shard_of(accessor, at, &at[2]);
    if (n == 1 && strategy == TTL_DistributionStrategy_Sharded &&
        (ir_op_attr(accessor, "laid_out") ||
         (ttnn_layout_of(accessor->operands[0].value->type, &own) &&
          ttnn_memory_is_sharded(own.memory))) &&
        ttl_cb_rank(cb->type) == 2 && ttl_cb_dim(cb->type, 0) == at[0] &&
        ttl_cb_dim(cb->type, 1) == at[1])
        *shard = ir_dense_array(ir_integer_type(ctx, 64, IR_SIGNLESS), at, 3);
    *unit = ir_string_attr(ctx, *shard ? TW_STR("shard")
                                : strategy == TTL_DistributionStrategy_Interleaved
                                    ? TW_STR("page")
                                    : TW_STR("tile"));
}

/* The element that src_coords or dst_coords name. */
static size_t coordinates(ir_op *op, uint32_t side, ir_value **at)
{
    ir_attr coords = ir_op_attr(op, side ? "dst_coords" : "src_coords");
    if (!ir_attr_is(coords, IR_ATTR_ARRAY) || coords->count > 2)
        return 0;
    ir_builder b = ir_builder_before(op);
    for (uint32_t i = 0; i < coords->count; i++)
        at[i] = arith_index(&b, ir_attr_int(coords->items[i], 0));
    return coords->count;
}

/* The accessor behind an operand of a copy, with its indices; NULL for other operands. */
static ir_op *accessor_of(ir_op *op, uint32_t side, ir_value **at, size_t *n)
{
    ir_op *def = ir_value_def(op->operands[side].value);
    size_t leading = (size_t)ir_op_int(op, "src_indices", 0), first = 2;
    *n = side ? op->n_operands - 2 - leading : leading;
    first += side ? leading : 0;
    ir_op *from = op;
    if (ir_op_is(def, TTL_OP(index_accessor))) {
        from = def;
        first = 1;
        *n = def->n_operands - 1;
        def = ir_value_def(def->operands[0].value);
    }
    if (!ir_op_is(def, TTL_OP(tensor_accessor)))
        return NULL;
    for (size_t i = 0; i < *n && i < 2; i++)
        at[i] = from->operands[first + i].value;
    if (*n == 0)
        *n = coordinates(op, side, at);
    return def;
}

static bool convert_copy(ir_op *op)
{
    ir_value *ends[2], *at[2][2], *cb = NULL;
    ir_attr unit = NULL, shard = NULL;
    ir_op *accessors[2];
    size_t n[2];
    bool plan = op->n_operands > 2;
    for (uint32_t i = 0; i < 2; i++) {
        ends[i] = op->operands[i].value;
        accessors[i] = accessor_of(op, i, at[i], &n[i]);
        ir_value *buffer = accessors[i] ? NULL : ttl_attached_cb(ends[i]);
        plan |= accessors[i] || buffer;
        ends[i] = buffer ? buffer : ends[i];
        if (ends[i]->type->kind == IR_TYPE_DIALECT && ends[i]->type->def == TTL_TYPE(cb))
            cb = ends[i];
    }
    if (!plan)
        return true;
    for (uint32_t i = 0; i < 2; i++) {
        if (!accessors[i])
            continue;
        if (!cb || (n[i] != 1 && n[i] != 2))
            return ir_op_error(op,
                               "copies between an element of an accessor, of one or two "
                               "indices, and a block");
        ends[i] = slice_at(op, accessors[i], at[i], n[i], cb);
        unit_of(accessors[i], n[i], cb, &unit, &shard);
    }
    ir_builder b = ir_builder_before(op);
    ir_attr kind =
        ir_raw_int(op->ctx, ends[0] == cb ? TTL_TransferKind_write : TTL_TransferKind_read);
    ir_type handle = ir_dialect_type(op->ctx, TTL_TYPE(transfer_handle), &kind, 1);
    ir_op *block = ir_value_def(ttl_behind_casts(op->operands[0].value));
    ir_op *view = ir_op_is(block, TTL_OP(attach_cb))
                      ? ir_value_def(block->operands[0].value)
                      : NULL; /* what goes into a pipe may be reserved still */
    bool reserved = ir_op_is(view, TTL_OP(cb_reserve)) && ends[0] == cb;
    replace(op, ir_build1(&b, TTL_OP(copy), handle, ends, 2,
                          IR_ATTRS({"reserved", reserved ? ir_unit_attr(b.ctx) : NULL},
                                   {"shard", shard}, {"unit", unit})));
    return true;
}

/* ---- the grid */

void ttl_grid_of(ir_op *op, int64_t sizes[2])
{
    sizes[0] = sizes[1] = 1;
    for (ir_op *p = op; p; p = ir_op_parent(p)) {
        ir_attr grid = ir_op_attr(p, "grid");
        if (ir_attr_is(grid, IR_ATTR_DIALECT))
            grid = ir_attr_param(grid, "dimensions");
        if (!ir_attr_is(grid, IR_ATTR_ARRAY))
            continue;
        for (uint32_t i = 0; i < 2 && i < grid->count; i++)
            sizes[i] = TW_MIN(TW_MAX(ir_attr_int(grid->items[i], grid->items[i]->value), 0),
                              INT32_MAX);
        return;
    }
}

static ir_value *core_at(ir_builder *b, int axis)
{
    return ir_build1(b, axis ? TTL_OP(core_y) : TTL_OP(core_x), ir_index_type(b->ctx), NULL,
                     0, NULL, 0);
}

static ir_value *linear_core(ir_builder *b, int64_t columns)
{
    ir_value *row = arith_index(b, columns);
    row = compute_index(b, ARITH_OP(muli), core_at(b, 1), row);
    return compute_index(b, ARITH_OP(addi), row, core_at(b, 0));
}

static bool convert_grid(ir_op *op)
{
    int64_t sizes[2], dims = ir_op_int(op, "dims", 2);
    ttl_grid_of(op, sizes);
    ir_builder b = ir_builder_before(op);
    if (op->def == TTL_OP(core_linear)) {
        replace(op, linear_core(&b, sizes[0]));
        return true;
    }
    if (dims != (int64_t)op->n_results)
        return ir_op_error(op, "has %u results, dims says %lld", op->n_results,
                           (long long)dims);
    bool size = op->def == TTL_OP(grid_size);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v;
        if (dims == 1) /* all cores count as one dimension */
            v = size ? arith_index(&b, sizes[0] * sizes[1]) : linear_core(&b, sizes[0]);
        else if (i < 2)
            v = size ? arith_index(&b, sizes[i]) : core_at(&b, (int)i);
        else
            v = arith_index(&b, size ? 1 : 0);
        ir_value_replace_uses(&op->results[i], v);
    }
    ir_op_erase(op);
    return true;
}

/* ---- regions */

/* What a region holds goes to where its operation stands. */
static bool inline_region(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(body->args[i], op->operands[i].value);
    for (ir_op *o = body->first, *next; o; o = next) {
        next = o->next;
        if (o->def == TTL_OP(yield)) {
            for (uint32_t i = 0; i < o->n_operands && i < op->n_results; i++)
                ir_value_replace_uses(&op->results[i], o->operands[i].value);
            ir_op_erase(o);
        } else {
            ir_op_remove(o);
            ir_op_insert_before(o, op);
        }
    }
    ir_op_erase(op);
    return true;
}

/* An operation with one region becomes another one. */
static ir_op *as(ir_op *op, const ir_op_def *def)
{
    ir_builder b = ir_builder_before(op);
    ir_op *fresh = ir_build_op(&b, def, NULL, 0, NULL, 0, NULL, 0, 1);
    ir_region_take(&fresh->regions[0], &op->regions[0]);
    return fresh;
}

static bool convert_program(ir_op *op)
{
    ir_op *kernel = as(op, TTL_OP(kernel));
    kernel->attrs = op->attrs;
    for (size_t i = 0; i < op->def->attrs.count; i++) {
        const char *name = op->def->attrs.at[i].name;
        ir_op_set_attr(kernel, name, ir_op_attr(op, name));
    }
    ir_op_erase(op);
    return true;
}

/* A thread on a microcore for mathematics computes; the others move data. */
static bool convert_microcore(ir_op *op)
{
    ir_attr role = ir_op_attr(op, "microcore_role")->items[0];
    tw_str name = ir_attr_str(role);
    bool computes = tw_str_is(name, "math") || tw_str_is(name, "compute") ||
                    tw_str_is(name, "unpack") || tw_str_is(name, "pack");
    ir_op *thread = as(op, computes ? TTL_OP(compute_thread) : TTL_OP(datamovement_thread));
    ir_op_set_attr(thread, "microcore_hint", ir_string_attr(op->ctx, name));
    ir_op_erase(op);
    return true;
}

/* ---- the pass */

static bool erase(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses)
            return op->def == TTL_OP(acquire_dst) ||
                   ir_op_error(op, "is used by what is not converted");
    ir_op_erase(op);
    return true;
}

static const struct {
    const ir_op_def *def;
    bool (*convert)(ir_op *op);
} table[] = {
    {TTL_OP(block_bcast), convert_bcast},
    {TTL_OP(block_compute), inline_region},
    {TTL_OP(block_reduce_max), convert_reduce},
    {TTL_OP(block_reduce_sum), convert_reduce},
    {TTL_OP(block_store), convert_store},
    {TTL_OP(cb_pop), convert_release},
    {TTL_OP(cb_push), convert_release},
    {TTL_OP(cb_reserve), convert_view},
    {TTL_OP(cb_wait), convert_view},
    {TTL_OP(compute_region), inline_region},
    {TTL_OP(copy), convert_copy},
    {TTL_OP(core), convert_grid},
    {TTL_OP(core_linear), convert_grid},
    {TTL_OP(get_remote_multicast_semaphore), ttl_connect_convert},
    {TTL_OP(get_remote_semaphore), ttl_connect_convert},
    {TTL_OP(grid_size), convert_grid},
    {TTL_OP(program), convert_program},
    {TTL_OP(release_dst), erase},
    {TTL_OP(require_dst), erase},
    {TTL_OP(semaphore_inc), ttl_connect_convert},
    {TTL_OP(semaphore_set), ttl_connect_convert},
    {TTL_OP(semaphore_wait), ttl_connect_convert},
    {TTL_OP(thread), convert_microcore},
    {TTL_OP(tile_proc), inline_region},
};

static bool convert(ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(renamed); i++)
        if (renamed[i].from == op->def)
            return convert_renamed(op, renamed[i].to);
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return table[i].convert(op);
    return true;
}

static bool is_ttl(const ir_op *op)
{
    return strncmp(op->def->name, "ttl.", 4) == 0;
}

/* What conversions leave when nothing reads it any more. */
static bool may_be_left(const ir_op *op)
{
    return op->def == TTL_OP(index_accessor) || op->def == TTL_OP(tensor_accessor) ||
           op->def == TTL_OP(acquire_dst);
}

typedef struct erased {
    ir_mapping *ops; /* a set */
    ir_free_listener before;
} erased;

static void note_erased(void *user, const void *thing)
{
    erased *e = user;
    ir_mapping_set(e->ops, thing, e);
    if (e->before.freed)
        e->before.freed(e->before.user, thing);
}

/* Converting an operation may erase others. */
static bool convert_all(ir_context *ctx, const ir_op_list *all)
{
    erased gone = {.ops = ir_mapping_create()};
    gone.before = ir_context_set_free_listener(ctx, (ir_free_listener){note_erased, &gone});
    bool ok = true;
    for (size_t i = 0; i < all->n && ok; i++)
        ok = ir_mapping_get(gone.ops, all->at[i]) || convert(all->at[i]);
    ir_context_set_free_listener(ctx, gone.before);
    ir_mapping_free(gone.ops);
    return ok;
}

bool ttl_canonicalize(ir_op *module)
{
    if (!ttl_settle_kernels(module) || !ttl_distribute(module))
        return false;
    ir_op_list all = ir_ops_in(module, is_ttl), left = {0};
    bool ok = convert_all(module->ctx, &all);
    if (ok) {
        left = ir_ops_in(module, may_be_left);
        for (size_t i = left.n; i-- > 0;)
            if (ir_op_is_unused(left.at[i]))
                ir_op_erase(left.at[i]);
    }
    ir_op_list_free(&all);
    ir_op_list_free(&left);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ttl_canonicalize(module);
}

const pass_def ttl_canonicalize_pass = {
    .name = "ttl-canonicalize",
    .summary =
        "Bring blocks, accessors and block operations to the forms that passes work on",
    .anchor = "builtin.module",
    .run = run,
};
