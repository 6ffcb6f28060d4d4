/* cut.c: see ttl/passes/compute.h.
 *
 * A value that goes through a buffer is reserved room for, computed, pushed, waited for and
 * given back by the same thread, around the computation that reads it:
 *
 *     cb_reserve  compute (the part)  cb_push  cb_wait  compute (the rest)  cb_pop */
#include "mlir/func/func.h"
#include "mlir/tensor/tensor.h"
#include "ttl/passes/compute.h"

enum { MAX_RANK = 8 };

/* ---- buffers ------------------------------------------------------------------------- */

static bool is_bind(const ir_op *op)
{
    return op->def == TTL_OP(bind_cb);
}

/* Whether a buffer is given back behind an operation: it is full until then. */
static bool is_taken(const ir_op *bind, const ir_op *at)
{
    for (const ir_operand *use = bind->results[0].uses; use; use = use->next_use)
        for (const ir_op *op = at; op && use->owner->def == TTL_OP(cb_pop); op = op->next)
            if (op == use->owner)
                return true;
    return false;
}

ir_value *ttl_scratch_buffer(ir_op *at, ir_type block)
{
    ir_context *ctx = at->ctx;
    ir_op *func = ttl_function_of(at);
    ir_attr dims[MAX_RANK], base = ir_op_attr(func, "ttl.base_cta_index");
    for (uint32_t i = 0; i < block->count; i++)
        dims[i] = ir_raw_int(ctx, block->dims[i]);
    ir_attr params[] = {ir_array_attr(ctx, dims, block->count),
                        ir_type_attr(block->element), ir_raw_int(ctx, 1), NULL};
    ir_type type = ir_dialect_type(ctx, TTL_TYPE(cb), params, 4);
    int64_t number = ir_attr_int(base, 0);
    ir_op_list all = ir_ops_in(func, is_bind);
    ir_value *found = NULL;
    for (size_t i = 0; i < all.n && !found; i++) {
        ir_op *bind = all.at[i];
        number = TW_MAX(number, ir_op_int(bind, "cb_index", 0) + 1);
        if (ir_op_attr(bind, "ttl.scratch") && bind->results[0].type == type &&
            !is_taken(bind, at))
            found = &bind->results[0];
    }
    ir_op_list_free(&all);
    if (!found && number >= TTL_MAX_BUFFERS) {
        ir_op_error(at,
                    "needs one more circular buffer for a part of what it computes; a "
                    "core has %d",
                    TTL_MAX_BUFFERS);
        return NULL;
    }
    if (found)
        return found;
    ir_builder b = ir_builder_before(ir_op_body(func, 0)->first);
    b.loc = at->loc;
    return ir_build1(&b, TTL_OP(bind_cb), type, NULL, 0,
                     IR_ATTRS({"cb_index", ir_index_attr(ctx, number)},
                              {"buffer_factor", ir_i64_attr(ctx, 1)},
                              {"ttl.scratch", ir_unit_attr(ctx)}));
}

static ir_type block_type(ir_type element, const int64_t *dims, size_t rank)
{
    return ir_tensor_type(element, dims, rank, NULL);
}

static ir_value *attached(ir_builder *b, ir_value *tensor, ir_value *cb)
{
    return ir_build1(b, TTL_OP(attach_cb), tensor->type, IR_VALUES(tensor, cb), NULL, 0);
}

/* What has been stored is forwarded, and read until after `last`. */
static ir_value *read_back(ir_builder *b, ir_value *cb, ir_type block, ir_op *last)
{
    ir_build_op(b, TTL_OP(cb_push), NULL, 0, &cb, 1, NULL, 0, 0);
    ir_value *view = ir_build1(b, TTL_OP(cb_wait), block, &cb, 1, NULL, 0);
    ir_builder after = last->def->traits & IR_TERMINATOR ? ir_builder_before(last)
                                                         : ir_builder_after(last);
    ir_build_op(&after, TTL_OP(cb_pop), NULL, 0, &cb, 1, NULL, 0, 0);
    return attached(b, view, cb);
}

/* ---- operations on blocks ------------------------------------------------------------ */

static bool reads_buffers(const ir_op *op)
{
    return ttl_buffer_op_of(op->def) && op->def != TTL_OP(bcast);
}

static bool is_computed(ir_value *v)
{
    ir_op *def = ttl_attached_cb(v) ? NULL : ir_value_def(v);
    return def && v->type->kind == IR_TYPE_TENSOR && ir_type_has_static_shape(v->type) &&
           (ttl_buffer_op_of(def->def) || ttl_elementwise_of(def->def));
}

/* All that read a block read it from a buffer. */
static bool store_block(ir_value *v)
{
    ir_op *def = ir_value_def(v);
    ir_type tile = ttcore_tile_of(v->type->element);
    if (!tile || v->type->count > MAX_RANK)
        return ir_op_error(def, "gives '%s', which no circular buffer of tiles holds",
                           ir_type_text(def->ctx, v->type));
    ir_value *cb = ttl_scratch_buffer(def, block_type(tile, v->type->dims, v->type->count));
    if (!cb)
        return false;
    ir_type block = block_type(v->type->element, v->type->dims, v->type->count);
    ir_builder before = ir_builder_before(def), after = ir_builder_after(def);
    ir_build1(&before, TTL_OP(cb_reserve), block, &cb, 1, NULL, 0);
    ir_value *stored = attached(&after, v, cb);
    ir_value *read = read_back(&after, cb, block, def->block->last);
    ir_value_replace_uses(v, read);
    ir_op_set_operand(ir_value_def(stored), 0, v);
    return true;
}

bool ttl_cut_block_operands(ir_op *func)
{
    ir_op_list all = ir_ops_in(func, reads_buffers);
    bool ok = true;
    for (size_t i = 0; i < all.n; i++)
        for (uint32_t k = 0; k < all.at[i]->n_operands && ok; k++)
            if (is_computed(all.at[i]->operands[k].value))
                ok = store_block(all.at[i]->operands[k].value);
    ir_op_list_free(&all);
    return ok;
}

/* ---- ttl.compute --------------------------------------------------------------------- */

ttl_compute ttl_compute_begin(ir_builder *b, ir_value *const *operands, size_t n_inputs,
                              size_t n_outputs, ir_attr maps, ir_attr iterator_types,
                              const ir_type *results)
{
    ir_context *ctx = b->ctx;
    const size_t n = n_inputs + n_outputs;
    int32_t segments[] = {(int32_t)n_inputs, (int32_t)n_outputs};
    const ir_named_attr attrs[] = {
        {ir_ident_from(ctx, "indexing_maps"), maps},
        {ir_ident_from(ctx, "iterator_types"), iterator_types},
        {ir_ident_from(ctx, "operandSegmentSizes"),
         ir_dense_array(ir_integer_type(ctx, 32, IR_SIGNLESS), segments, 2)},
    };
    ttl_compute c = {.op = ir_build(b, &(ir_op_state){.def = TTL_OP(compute),
                                                      .loc = b->loc,
                                                      .operands = operands,
                                                      .n_operands = n,
                                                      .results = results,
                                                      .n_results = n_outputs,
                                                      .attrs = attrs,
                                                      .n_attrs = TW_COUNT(attrs),
                                                      .n_regions = 1}),
                     .block = ir_block_create(ctx)};
    ir_region_append(&c.op->regions[0], c.block);
    for (size_t i = 0; i < n; i++) {
        ir_type element = operands[i]->type->element, tile = ttcore_tile_of(element);
        ir_block_add_arg(ctx, c.block, tile ? tile : element, b->loc);
    }
    c.body = ir_builder_at_end(ctx, c.block, b->loc);
    return c;
}

static size_t inputs_of(const ir_op *compute)
{
    size_t start, n;
    ir_op_operand_group(compute, 0, &start, &n);
    return n;
}

static void copy_configuration(ir_op *to, const ir_op *from)
{
    static const char *const names[] = {"fp32_dest_acc_en", "dst_full_sync_en", "ttl.acc"};
    for (size_t i = 0; i < TW_COUNT(names); i++)
        ir_op_set_attr(to, names[i], ir_op_attr(from, names[i]));
}

/* The same compute with one more input, behind its others; its tile. */
static ir_value *add_input(ir_op **compute, ir_value *block, ir_attr map)
{
    ir_op *old = *compute;
    const size_t n = inputs_of(old), all = old->n_operands;
    ir_value *operands[2 * TTL_MAX_INPUTS];
    ir_attr maps[2 * TTL_MAX_INPUTS], known = ir_op_attr(old, "indexing_maps");
    for (size_t i = 0; i < all; i++) {
        operands[i + (i >= n)] = old->operands[i].value;
        maps[i + (i >= n)] = known->items[i];
    }
    operands[n] = block;
    maps[n] = map;
    ir_type results[TTL_MAX_INPUTS];
    for (uint32_t i = 0; i < old->n_results; i++)
        results[i] = old->results[i].type;
    ir_builder b = ir_builder_before(old);
    ttl_compute c = ttl_compute_begin(&b, operands, n + 1, all - n,
                                      ir_array_attr(old->ctx, maps, all + 1),
                                      ir_op_attr(old, "iterator_types"), results);
    copy_configuration(c.op, old);
    ir_block *body = ir_op_body(old, 0);
    for (size_t i = 0; i < all; i++)
        ir_value_replace_uses(body->args[i], c.block->args[i + (i >= n)]);
    for (ir_op *op = body->first, *next; op; op = next) {
        next = op->next;
        ir_op_remove(op);
        ir_block_append(c.block, op);
    }
    for (uint32_t i = 0; i < old->n_results; i++)
        ir_value_replace_uses(&old->results[i], &c.op->results[i]);
    ir_op_erase(old);
    *compute = c.op;
    return c.block->args[n];
}

/* From an operation backwards those whose results are unused now. */
static void erase_unused(ir_op *last)
{
    for (ir_op *op = last, *prev; op; op = prev) {
        prev = op->prev;
        if (ttl_is_tile_compute(op) && ir_op_is_unused(op))
            ir_op_erase(op);
    }
}

/* ---- what a value is computed from --------------------------------------------------- */

typedef struct slice {
    ir_op *ops[TTL_MAX_INPUTS * 2]; /* operands before their users */
    size_t n;
    bool inputs[TTL_MAX_INPUTS * 2]; /* of the compute: those that it reads */
} slice;

static bool holds(const slice *s, const ir_op *op)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->ops[i] == op)
            return true;
    return false;
}

/* Operations on tiles alone, which read inputs. */
static bool trace(slice *s, ir_block *body, ir_value *v, size_t n_inputs)
{
    if (v->is_argument) {
        if (v->owner != body || v->index >= n_inputs)
            return false;
        s->inputs[v->index] = true;
        return true;
    }
    ir_op *op = ir_value_def(v);
    if (holds(s, op))
        return true;
    if (s->n == TW_COUNT(s->ops) || !ttcore_is_tile(v->type) ||
        !(ttl_elementwise_of(op->def) || ttl_buffer_op_of_tile(op->def)))
        return false;
    const uint32_t n = ttl_reads_cb(op) ? op->n_operands - 1 : op->n_operands;
    for (uint32_t i = 0; i < n; i++)
        if (!trace(s, body, op->operands[i].value, n_inputs))
            return false;
    s->ops[s->n++] = op;
    return true;
}

/* The same in the order of the body: what adds to its register comes first there. */
static bool trace_in_order(slice *s, ir_op *compute, ir_value *v)
{
    ir_block *body = ir_op_body(compute, 0);
    if (!trace(s, body, v, inputs_of(compute)))
        return false;
    const slice found = *s;
    s->n = 0;
    for (ir_op *op = body->first; op; op = op->next)
        if (holds(&found, op))
            s->ops[s->n++] = op;
    return true;
}

/* ---- operands of tile operations that read buffers ----------------------------------- */

static const ir_op_def *form_for_blocks(const ir_op_def *tile)
{
    const ttl_buffer_op *row = ttl_buffer_op_of_tile(tile);
    return row ? row->tensor : ttl_elementwise_of(tile)->tensor;
}

/* Extents agree where they are equal or one of them is 1. */
static bool spread(int64_t into[2], int64_t rows, int64_t columns)
{
    const int64_t dims[2] = {rows, columns};
    for (int i = 0; i < 2; i++) {
        if (into[i] != 1 && dims[i] != 1 && into[i] != dims[i])
            return false;
        into[i] = TW_MAX(into[i], dims[i]);
    }
    return true;
}

/* The extents of the block that a traced value is a tile of: those of the inputs broadcast
 * over each other, and of what operations make of their buffers. */
static bool extents_of(const ir_op *compute, const slice *s, int64_t out[2])
{
    ir_block *body = ir_op_body((ir_op *)compute, 0);
    bool ok = true;
    out[0] = out[1] = 1;
    for (size_t i = 0; i < s->n && ok; i++) {
        const ir_op *op = s->ops[i];
        ir_type t[2] = {NULL, NULL};
        for (uint32_t k = 0; k < op->n_operands && k < 2; k++) {
            const ir_value *v = op->operands[k].value;
            if (v->is_argument && v->owner == body)
                t[k] = compute->operands[v->index].value->type;
            ok &= !t[k] || (t[k]->count == 2 && ir_type_has_static_shape(t[k]));
        }
        int64_t dims[2];
        const int64_t n = ir_attr_ints(ir_op_attr(op, "dims"), dims, 2);
        if (!ok)
            break;
        if (op->def == TTL_OP(tile_matmul) && t[0] && t[1])
            ok = spread(out, t[0]->dims[0], t[1]->dims[1]);
        else if (op->def == TTL_OP(tile_transpose) && t[0])
            ok = spread(out, t[0]->dims[1], t[0]->dims[0]);
        else if (n > 0 && t[0])
            ok = spread(out, dims[0] == 0 ? 1 : t[0]->dims[0],
                        dims[n - 1] == 1 ? 1 : t[0]->dims[1]);
        else
            for (int k = 0; k < (op->def == TTL_OP(tile_bcast) ? 1 : 2) && ok; k++)
                ok = !t[k] || spread(out, t[k]->dims[0], t[k]->dims[1]);
    }
    return ok;
}

/* The traced operations on whole blocks, in front of the compute; the last one's result. */
static ir_value *as_blocks(ir_op *compute, const slice *s, const int64_t dims[2],
                           ir_value *out)
{
    ir_builder b = ir_builder_before(compute);
    ir_value *made[TW_COUNT(s->ops)];
    for (size_t i = 0; i < s->n; i++) {
        const ir_op *op = s->ops[i];
        ir_value *operands[3];
        for (uint32_t k = 0; k < op->n_operands; k++) {
            ir_value *v = op->operands[k].value;
            ir_op *def = ir_value_def(v);
            operands[k] = v->is_argument ? compute->operands[v->index].value : NULL;
            for (size_t j = 0; j < i && def; j++)
                operands[k] = s->ops[j] == def ? made[j] : operands[k];
        }
        uint32_t n = op->n_operands - (ttl_reads_cb(op) && op->def != TTL_OP(tile_bcast));
        if (op->def == TTL_OP(tile_bcast))
            operands[1] = out;
        b.loc = op->loc;
        made[i] = ir_build1(&b, form_for_blocks(op->def),
                            block_type(op->results[0].type, dims, 2), operands, n, NULL, 0);
        static const char *const names[] = {"bcast_type", "dims", "value", "min", "max"};
        for (size_t k = 0; k < TW_COUNT(names); k++)
            ir_op_set_attr(ir_value_def(made[i]), names[k], ir_op_attr(op, names[k]));
    }
    return made[s->n - 1];
}

/* The map by which the operation finds its block: that of an input of the same extents,
 * since the value replaces it, else what the operation asks for. */
static ir_attr map_of(const ir_op *compute, const slice *s, const ir_op *op,
                      uint32_t operand, ir_type block)
{
    ir_attr maps = ir_op_attr(compute, "indexing_maps");
    for (size_t i = 0; i < inputs_of(compute); i++) {
        ir_type t = compute->operands[i].value->type;
        if (s->inputs[i] && t->count == 2 && t->dims[0] == block->dims[0] &&
            t->dims[1] == block->dims[1] && ttcore_is_tile(t->element))
            return maps->items[i];
    }
    return ttl_compute_map_for(op, operand, block,
                               compute->operands[inputs_of(compute)].value->type);
}

static bool store_operand(ir_op **compute, ir_op *op, uint32_t operand)
{
    slice s = {.n = 0};
    int64_t dims[2];
    ir_value *v = op->operands[operand].value;
    if ((*compute)->n_operands >= TTL_MAX_INPUTS || !(*compute)->n_results ||
        (*compute)->results[0].type->count != 2 || !trace_in_order(&s, *compute, v) ||
        !extents_of(*compute, &s, dims))
        return ir_op_error(op,
                           "reads circular buffers, and operand %u is computed from what "
                           "makes no block of two dimensions: store it to a buffer first",
                           operand);
    ir_type block = block_type(v->type, dims, 2);
    ir_value *cb = ttl_scratch_buffer(*compute, block);
    if (!cb)
        return false;
    ir_builder b = ir_builder_before(*compute);
    ir_value *view = ir_build1(&b, TTL_OP(cb_reserve), block, &cb, 1, NULL, 0);
    ir_value *result = as_blocks(*compute, &s, dims, attached(&b, view, cb));
    ir_op *chain = ir_value_def(result), *stored;
    stored = ir_value_def(attached(&b, result, cb));
    if (!ttl_compute_chain(chain))
        return false;
    ir_op *part = ir_value_def(stored->operands[0].value);
    copy_configuration(part, *compute);
    ir_op_set_attr(part, "ttl.acc", NULL);
    for (ir_op *at = chain, *prev; at && at != ir_value_def(view); at = prev) {
        prev = at->prev; /* what the chain was made of has been taken along */
        if (at != stored && at->def != TTL_OP(compute) && ir_op_is_unused(at) &&
            (ttl_elementwise_of(at->def) || ttl_buffer_op_of(at->def)))
            ir_op_erase(at);
    }
    ir_attr map = map_of(*compute, &s, op, operand, block);
    ir_value *read = read_back(&b, cb, block, *compute);
    ir_op_set_operand(op, operand, add_input(compute, read, map));
    erase_unused(op->prev);
    return true;
}

bool ttl_cut_tile_operands(ir_op *compute)
{
    for (ir_op *op = ir_op_body(compute, 0)->first, *next; op; op = next) {
        next = op->next;
        for (uint32_t i = 0; ttl_reads_cb(op) && i + 1 < op->n_operands; i++) {
            const ir_op *def = ir_value_def(op->operands[i].value);
            if (def && ttl_is_tile_compute(def) && !store_operand(&compute, op, i))
                return false;
        }
    }
    return true;
}

/* ---- two for one --------------------------------------------------------------------- */

/* A compute over all tiles of its only output, not yet split. */
static bool can_be_cut(const ir_op *compute)
{
    ir_attr kinds = ir_op_attr(compute, "iterator_types");
    const size_t n = inputs_of(compute);
    ir_type out = compute->operands[n].value->type;
    if (compute->n_operands != n + 1 || compute->n_operands >= TTL_MAX_INPUTS ||
        out->count != kinds->count || out->count > MAX_RANK ||
        !ir_type_has_static_shape(out))
        return false;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (!tw_str_is(ir_attr_str(kinds->items[i]), "parallel"))
            return false;
    for (const ir_op *op = compute->prev; op && op->def != TTL_OP(compute); op = op->prev)
        if (op->def == TTL_OP(tile_regs_acquire))
            return false;
    return true;
}

/* How many operations the rest of a body consists of when a value is read from a buffer. */
static size_t rest_without(ir_block *body, ir_value *v)
{
    size_t n = 0;
    bool needed[TTL_MAX_INPUTS * 4] = {false};
    size_t at = 0;
    for (ir_op *op = body->last; op && at < TW_COUNT(needed); op = op->prev, at++) {
        bool used = op == body->last || !ttl_is_tile_compute(op);
        size_t user_at = 0;
        for (ir_op *user = body->last; user != op && !used; user = user->prev, user_at++)
            for (uint32_t i = 0; i < user->n_operands && needed[user_at]; i++)
                used |= op->n_results && user->operands[i].value == &op->results[0];
        needed[at] = used && !(op->n_results && &op->results[0] == v);
        n += needed[at];
    }
    return n;
}

/* The value in the middle: both parts are as short as can be. */
static ir_value *best_cut(ir_op *compute, slice *out)
{
    ir_block *body = ir_op_body(compute, 0);
    ir_type tile = body->args[inputs_of(compute)]->type;
    ir_value *best = NULL;
    size_t least = SIZE_MAX;
    for (ir_op *op = body->first; op != body->last; op = op->next) {
        slice s = {.n = 0};
        ir_value *v = op->n_results == 1 ? &op->results[0] : NULL;
        if (!v || !ttl_is_tile_compute(op) || !v->uses || !trace_in_order(&s, compute, v))
            continue;
        bool fits = true, whole = false;
        for (size_t i = 0; i < s.n; i++) /* to whose packer does it speak? */
            fits &= !ttl_reads_cb(s.ops[i]) || v->type == tile;
        for (const ir_operand *use = v->uses; use; use = use->next_use)
            whole |= use->owner == body->last || !ttl_is_tile_compute(use->owner);
        const size_t rest = rest_without(body, v), longer = TW_MAX(s.n, rest);
        if (fits && !whole && s.n > 0 && longer < least) {
            least = longer;
            best = v;
            *out = s;
        }
    }
    return best;
}

/* The part as a compute of its own in front of the other. */
static ir_op *compute_part(ir_op *compute, const slice *s, ir_value *v, ir_value *cb)
{
    ir_context *ctx = compute->ctx;
    ir_block *body = ir_op_body(compute, 0);
    ir_builder b = ir_builder_before(compute);
    const size_t all = inputs_of(compute);
    ir_type shape = compute->operands[all].value->type;
    ir_type block = block_type(v->type, shape->dims, shape->count);
    ir_build1(&b, TTL_OP(cb_reserve), block, &cb, 1, NULL, 0);
    ir_value *operands[TTL_MAX_INPUTS + 1];
    ir_attr maps[TTL_MAX_INPUTS + 1], known = ir_op_attr(compute, "indexing_maps");
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        if (s->inputs[i] || (i + 1 == all && n == 0)) {
            operands[n] = compute->operands[i].value;
            maps[n++] = known->items[i];
        }
    operands[n] =
        attached(&b, ir_build1(&b, TENSOR_OP(empty), block, NULL, 0, NULL, 0), cb);
    maps[n] = known->items[all];
    ttl_compute c = ttl_compute_begin(&b, operands, n, 1, ir_array_attr(ctx, maps, n + 1),
                                      ir_op_attr(compute, "iterator_types"), &block);
    copy_configuration(c.op, compute);
    ir_op_set_attr(c.op, "ttl.acc", NULL);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0, k = 0; i <= all; i++)
        if (i == all || s->inputs[i] || (i + 1 == all && k == 0))
            ir_mapping_set(map, body->args[i], c.block->args[k++]);
    for (size_t i = 0; i < s->n; i++) {
        ir_op *copy = ir_op_clone(s->ops[i], map);
        ir_block_append(c.block, copy);
        ir_mapping_set(map, &s->ops[i]->results[0], &copy->results[0]);
    }
    ir_value *made = ir_mapping_get(map, v);
    ir_mapping_free(map);
    c.body.loc = compute->loc;
    ir_build_op(&c.body, TTL_OP(yield), NULL, 0, &made, 1, NULL, 0, 0);
    attached(&b, &c.op->results[0], cb);
    return c.op;
}

bool ttl_cut_in_two(ir_op *compute, ir_op **out_first, ir_op **out_second)
{
    slice s;
    ir_value *v = can_be_cut(compute) ? best_cut(compute, &s) : NULL;
    *out_first = NULL;
    if (!v)
        return true;
    ir_type shape = compute->operands[inputs_of(compute)].value->type;
    ir_type block = block_type(v->type, shape->dims, shape->count);
    ir_value *cb = ttl_scratch_buffer(compute, block);
    if (!cb)
        return false;
    ir_attr map = ir_op_attr(compute, "indexing_maps")->items[inputs_of(compute)];
    *out_first = compute_part(compute, &s, v, cb);
    ir_builder b = ir_builder_before(compute);
    ir_value *read = read_back(&b, cb, block, compute);
    ir_value *tile = add_input(&compute, read, map);
    ir_value_replace_uses(v, tile);
    erase_unused(ir_op_body(compute, 0)->last);
    *out_second = compute;
    return true;
}
