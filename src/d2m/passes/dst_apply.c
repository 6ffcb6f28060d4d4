/* dst_apply.c: acquires DST, copies tiles between buffers and slots, and replaces accesses
 * to buffers by accesses to slots. */
#include "d2m/generic.h"
#include "d2m/passes/dst_access.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"

#include <stdlib.h>

/* ---- acquiring */

static int64_t bits_of(ir_type element)
{
    int64_t type = ttcore_tile_data_type(element);
    if (type < 0)
        return element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_FLOAT
                   ? (int64_t)element->width
                   : 0;
    return type == TTCORE_DataType_Float32 || type == TTCORE_DataType_Int32 ||
                   type == TTCORE_DataType_UInt32
               ? 32
           : type == TTCORE_DataType_UInt8 ? 8
                                           : 16;
}

/* The widest element of all accesses. */
static ir_type dst_element(const dst_plan *p)
{
    ir_type widest = NULL;
    for (size_t i = 0; i < p->n_loads + p->n_stores; i++) {
        const dst_access *a = i < p->n_loads ? &p->loads[i] : &p->stores[i - p->n_loads];
        ir_type type = d2m_access_memref(a->op)->type->element;
        if (!widest || bits_of(type) > bits_of(widest))
            widest = type;
    }
    return widest;
}

static ir_value *acquire(const dst_plan *p)
{
    ir_context *ctx = p->generic->ctx;
    ir_builder b = p->root ? ir_builder_before(p->root)
                           : ir_builder_at_start(ctx, p->region->first, p->generic->loc);
    if (ir_op_is(p->root, SCF_OP(for)))
        b = ir_builder_at_start(ctx, ir_op_body(p->root, 0), p->generic->loc);
    b.loc = p->generic->loc;
    ir_attr space =
        ir_enum_attr(ctx, TTCORE_ATTR(memory_space), TTCORE_MemorySpace_RegisterDst);
    ir_type type = ir_memref_type(dst_element(p), &p->capacity, 1, NULL, space);
    return ir_build1(&b, D2M_OP(acquire_dst), type, NULL, 0, NULL, 0);
}

/* ---- indices */

/* An affine map with its operands. */
typedef struct position {
    ir_affine_map map;
    ir_value *at[LOOP_CAPACITY];
    size_t n;
} position;

static position constant_position(ir_context *ctx, int64_t slot)
{
    ir_affine e = ir_affine_constant(ctx, slot);
    return (position){.map = ir_affine_map_get(ctx, 0, 0, &e, 1)};
}

static ir_affine scaled(ir_context *ctx, ir_affine e, int64_t by)
{
    return ir_affine_binary(ctx, IR_AFFINE_MUL, e, ir_affine_constant(ctx, by));
}

static ir_value *mapped(const ir_mapping *map, ir_value *v)
{
    ir_value *to = map ? ir_mapping_get(map, v) : NULL;
    return to ? to : v;
}

/* A slot holds a tile for each iteration of the nest around the operation. */
static position position_of_op(ir_op *op, int64_t slot, const ir_op *root,
                               const ir_mapping *map)
{
    ir_context *ctx = op->ctx;
    ir_op *loops[LOOP_CAPACITY];
    size_t n = d2m_nest_loops(op, root, loops, LOOP_CAPACITY);
    position p = constant_position(ctx, slot);
    ir_affine terms[LOOP_CAPACITY];
    int64_t from, step, trips, stride = 1;
    for (size_t i = n; i-- > 0;) {
        if (!d2m_constant_bounds(loops[i], &from, &step, &trips))
            return p;
        ir_affine e = ir_affine_dim(ctx, (int64_t)i);
        if (from)
            e = ir_affine_binary(ctx, IR_AFFINE_ADD, e, ir_affine_constant(ctx, -from));
        if (step != 1)
            e = ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, e, ir_affine_constant(ctx, step));
        terms[i] = scaled(ctx, e, stride);
        stride *= trips;
        p.at[i] = mapped(map, d2m_loop_variable(loops[i]));
    }
    if (n == 0)
        return p;
    ir_affine sum = ir_affine_constant(ctx, slot * stride);
    for (size_t i = 0; i < n; i++)
        sum = ir_affine_binary(ctx, IR_AFFINE_ADD, sum, terms[i]);
    p.map = ir_affine_map_get(ctx, (uint32_t)n, 0, &sum, 1);
    p.n = n;
    return p;
}

/* The only dimension that an expression uses; -1 for none or several. */
static int64_t only_dim(ir_affine e, uint32_t n_dims)
{
    int64_t found = -1;
    for (uint32_t d = 0; d < n_dims; d++)
        if (ir_affine_mentions(e, IR_AFFINE_DIM, d)) {
            if (found >= 0)
                return -1;
            found = d;
        }
    return found;
}

static bool is_in_root(const ir_value *v, const ir_op *root)
{
    const ir_op *owner =
        v->is_argument ? ((ir_block *)v->owner)->region->owner : (ir_op *)v->owner;
    return ir_op_is_ancestor(root, owner);
}

/* A slot holds a tile for each position of the buffer that the nest's loops reach. */
static position position_and_tiles(const dst_access *a, const ir_op *root,
                                   const ir_mapping *map, int64_t *out_tiles)
{
    if (a->by_iteration) {
        *out_tiles = a->tiles;
        return position_of_op(a->op, a->slot, root, map);
    }
    ir_context *ctx = a->op->ctx;
    size_t first = d2m_is_store(a->op) ? 2 : 1;
    ir_type type = d2m_access_memref(a->op)->type;
    position p = {.n = 0};
    int64_t dims[LOOP_CAPACITY], stride = 1;
    ir_attr attr = ir_op_attr(a->op, "map");
    for (uint32_t r = 0; r < attr->map->n_results && r < type->count && p.n < LOOP_CAPACITY;
         r++) {
        int64_t dim = only_dim(attr->map->results[r], attr->map->n_dims);
        if (dim < 0 || first + (size_t)dim >= a->op->n_operands)
            continue;
        ir_value *v = ir_op_operand(a->op, first + (size_t)dim);
        if (is_in_root(v, root)) {
            p.at[p.n] = mapped(map, v);
            dims[p.n++] = type->dims[r];
        }
    }
    int64_t strides[LOOP_CAPACITY];
    for (size_t i = p.n; i-- > 0; stride *= dims[i])
        strides[i] = stride;
    *out_tiles = stride;
    ir_affine sum = ir_affine_constant(ctx, a->slot * (a->tiles ? a->tiles : stride));
    for (size_t i = 0; i < p.n; i++)
        sum = ir_affine_binary(ctx, IR_AFFINE_ADD, sum,
                               scaled(ctx, ir_affine_dim(ctx, (int64_t)i), strides[i]));
    p.map = ir_affine_map_get(ctx, (uint32_t)p.n, 0, &sum, 1);
    return p;
}

static position position_in_slot(const dst_access *a, const ir_op *root,
                                 const ir_mapping *map)
{
    int64_t tiles;
    return position_and_tiles(a, root, map, &tiles);
}

int64_t d2m_slot_tiles(const dst_access *a, const ir_op *root)
{
    int64_t tiles = 1;
    if (root && (a->op->def == AFFINE_OP(load) || a->op->def == AFFINE_OP(store)))
        position_and_tiles(a, root, NULL, &tiles);
    return tiles;
}

int64_t d2m_slot_start(const dst_access *a, const ir_op *root)
{
    return a->slot * (a->tiles ? a->tiles : d2m_slot_tiles(a, root));
}

/* ---- building accesses */

static ir_value *load_at(ir_builder *b, ir_value *memref, const position *p)
{
    ir_value *operands[LOOP_CAPACITY + 1] = {memref};
    memcpy(operands + 1, p->at, p->n * sizeof *operands);
    return ir_build1(b, AFFINE_OP(load), memref->type->element, operands, p->n + 1,
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, p->map)}));
}

static void store_at(ir_builder *b, ir_value *value, ir_value *memref, const position *p)
{
    ir_value *operands[LOOP_CAPACITY + 2] = {value, memref};
    memcpy(operands + 2, p->at, p->n * sizeof *operands);
    ir_build_op(b, AFFINE_OP(store), NULL, 0, operands, p->n + 2,
                IR_ATTRS({"map", ir_affine_map_attr(b->ctx, p->map)}), 0);
}

static ir_value *retyped(ir_builder *b, ir_value *tile, ir_type type)
{
    return tile->type == type
               ? tile
               : ir_build1(b, D2M_OP(dst_reinterpret_cast), type, &tile, 1, NULL, 0);
}

/* The same access to the buffer, at the builder's position. */
static position position_in_buffer(const dst_access *a, const ir_mapping *map)
{
    size_t first = d2m_is_store(a->op) ? 2 : 1;
    position p = {.map = NULL};
    ir_attr attr = ir_op_attr(a->op, "map");
    p.map = attr ? attr->map : NULL;
    for (size_t i = first; i < a->op->n_operands && p.n < LOOP_CAPACITY; i++)
        p.at[p.n++] = mapped(map, ir_op_operand(a->op, i));
    return p;
}

static void copy_to_slot(ir_builder *b, const dst_access *a, ir_value *dst,
                         const position *slot, const ir_mapping *map)
{
    position from = position_in_buffer(a, map);
    ir_value *buffer = d2m_access_memref(a->op), *tile;
    if (a->op->def == AFFINE_OP(load)) {
        tile = load_at(b, buffer, &from);
    } else {
        ir_value *operands[LOOP_CAPACITY + 1] = {buffer};
        memcpy(operands + 1, from.at, from.n * sizeof *operands);
        tile = ir_build1(b, MEMREF_OP(load), buffer->type->element, operands, from.n + 1,
                         NULL, 0);
    }
    if (a->bcast) {
        ir_op *bcast = ir_op_clone(a->bcast, NULL);
        ir_op_insert_before(bcast, b->before);
        ir_op_set_operand(bcast, 0, tile);
        tile = &bcast->results[0];
    }
    store_at(b, retyped(b, tile, dst->type->element), dst, slot);
}

static void copy_from_slot(ir_builder *b, const dst_access *a, ir_value *dst,
                           const position *slot, const ir_mapping *map)
{
    position to = position_in_buffer(a, map);
    ir_value *buffer = d2m_access_memref(a->op);
    store_at(b, retyped(b, load_at(b, dst, slot), buffer->type->element), buffer, &to);
}

static void replace_load(dst_access *a, ir_value *dst, const position *slot)
{
    ir_builder b = ir_builder_before(a->op);
    ir_value *tile = load_at(&b, dst, slot);
    ir_op *replaced = a->bcast ? a->bcast : a->op;
    ir_value_replace_uses(&replaced->results[0], tile);
    ir_op_erase(replaced);
    if (a->bcast && ir_op_is_unused(a->op))
        ir_op_erase(a->op);
    a->op = NULL;
}

/* The tile is stored to its slot; a memref.store packs it at once. */
static void replace_store(dst_access *a, ir_value *dst, const position *slot)
{
    ir_builder b = ir_builder_before(a->op);
    ir_value *tile = retyped(&b, ir_op_operand(a->op, 0), dst->type->element);
    store_at(&b, tile, dst, slot);
    if (a->op->def == MEMREF_OP(store)) {
        ir_value *packed = load_at(&b, dst, slot);
        packed = retyped(&b, packed, d2m_access_memref(a->op)->type->element);
        ir_op_set_operand(a->op, 0, packed);
    } else {
        ir_op_erase(a->op);
    }
    a->op = NULL;
}

/* ---- nests of copies */

/* True for what positions are computed with. */
static bool is_of_indices(const ir_op *op)
{
    return op->def == AFFINE_OP(for) || op->def == AFFINE_OP(yield) ||
           (op->def->traits & IR_PURE && op->n_results == 1 &&
            op->results[0].type->kind == IR_TYPE_INDEX);
}

/* The loops of the nest without their work. */
static void build_skeleton(ir_op *root, ir_builder *b, ir_mapping *map)
{
    ir_op *copy = ir_op_clone(root, map);
    if (b->before)
        ir_op_insert_before(copy, b->before);
    else
        ir_block_append(b->block, copy);
    ir_op_list ops = ir_ops_in(copy, NULL);
    for (size_t i = ops.n; i-- > 0;)
        if (!is_of_indices(ops.at[i]) && ir_op_is_unused(ops.at[i]))
            ir_op_erase(ops.at[i]);
    ir_op_list_free(&ops);
}

/* The copied nest runs once where the access is to the same tile in every iteration. */
static void drop_repetitions(const dst_access *a, const ir_op *root, const ir_mapping *map)
{
    ir_op *loops[LOOP_CAPACITY];
    const size_t n = d2m_nest_loops(a->op, root, loops, LOOP_CAPACITY);
    int64_t from, step, trips;
    for (size_t i = 0; i < n; i++) {
        const ir_value *variable = ir_mapping_get(map, d2m_loop_variable(loops[i]));
        if (!variable || d2m_access_depends_on(a->op, d2m_loop_variable(loops[i])) ||
            !d2m_constant_bounds(loops[i], &from, &step, &trips) || trips < 2)
            continue;
        ir_affine end = ir_affine_constant(a->op->ctx, from + step);
        ir_affine_map once = ir_affine_map_get(a->op->ctx, 0, 0, &end, 1);
        ir_op_set_attr(((ir_block *)variable->owner)->region->owner, "upperBoundMap",
                       ir_affine_map_attr(a->op->ctx, once));
    }
}

/* True where one of the variables is not 0. */
static ir_value *any_later(ir_builder *b, const dst_access *a)
{
    enum { NE = 1 };
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    ir_value *any = NULL;
    for (size_t i = 0; i < a->n_guards; i++) {
        ir_value *later =
            ir_build1(b, ARITH_OP(cmpi), i1, IR_VALUES(a->guards[i], arith_index(b, 0)),
                      IR_ATTRS({"predicate", ir_i64_attr(b->ctx, NE)}));
        any = any ? ir_build1(b, ARITH_OP(ori), i1, IR_VALUES(any, later), NULL, 0) : later;
    }
    return any;
}

static ir_builder build_guard(ir_builder *b, const dst_access *a)
{
    ir_op *branch =
        ir_build_op(b, SCF_OP(if), NULL, 0, IR_VALUES(any_later(b, a)), NULL, 0, 2);
    ir_block *then = ir_block_create(b->ctx);
    ir_region_append(&branch->regions[0], then);
    ir_builder in = ir_builder_at_end(b->ctx, then, b->loc);
    in.before = ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return in;
}

/* Where the copy of an access stands in a copied nest. */
static ir_builder in_skeleton(const dst_access *a, const ir_mapping *map)
{
    ir_block *block = ir_mapping_get(map, a->op->block);
    ir_builder b = ir_builder_before(block->last);
    b.loc = a->op->loc;
    return b;
}

static void copy_in_place(dst_plan *p, dst_access *a, ir_value *dst, bool load, bool copies)
{
    ir_builder b = ir_builder_before(a->op);
    bool affine = ir_op_attr(a->op, "map") != NULL;
    position slot = affine ? position_in_slot(a, p->root ? p->root : a->op, NULL)
                           : constant_position(a->op->ctx, a->slot);
    if (load) {
        if (copies)
            copy_to_slot(&b, a, dst, &slot, NULL);
        replace_load(a, dst, &slot);
    } else {
        replace_store(a, dst, &slot);
    }
}

static void copy_loads(dst_plan *p, ir_value *dst, bool in_place, bool copies)
{
    ir_mapping *map = NULL;
    for (size_t i = 0; i < p->n_loads; i++) {
        dst_access *a = &p->loads[i];
        if (in_place || a->op->def == MEMREF_OP(load) || !p->root ||
            p->root->def != AFFINE_OP(for)) {
            copy_in_place(p, a, dst, true, copies);
            continue;
        }
        position slot = position_in_slot(a, p->root, NULL);
        if (copies) {
            bool guarded = a->n_guards > 0;
            ir_mapping *own = guarded || !map ? ir_mapping_create() : map;
            if (guarded) {
                ir_builder b = ir_builder_before(p->root), in = build_guard(&b, a);
                build_skeleton(p->root, &in, own);
                drop_repetitions(a, p->root, own);
            } else if (!map) {
                ir_builder b = ir_builder_before(p->root);
                build_skeleton(p->root, &b, own);
                map = own;
            }
            position copied = position_in_slot(a, p->root, own);
            ir_builder b = in_skeleton(a, own);
            copy_to_slot(&b, a, dst, &copied, own);
            if (guarded)
                ir_mapping_free(own);
        }
        replace_load(a, dst, &slot);
    }
    if (map)
        ir_mapping_free(map);
}

static void copy_stores(dst_plan *p, ir_value *dst)
{
    ir_mapping *map = NULL;
    for (size_t i = 0; i < p->n_stores; i++) {
        dst_access *a = &p->stores[i];
        const ir_op *root = p->root ? p->root : a->op;
        if (a->op->def == MEMREF_OP(store)) {
            copy_in_place(p, a, dst, false, true);
            continue;
        }
        position slot = position_in_slot(a, root, NULL);
        ir_builder b;
        if (p->root && p->root->def == AFFINE_OP(for)) {
            if (!map) {
                map = ir_mapping_create();
                b = ir_builder_after(p->root);
                build_skeleton(p->root, &b, map);
            }
            b = in_skeleton(a, map);
        } else {
            b = ir_builder_after(a->op);
        }
        position copied = position_in_slot(a, root, map);
        copy_from_slot(&b, a, dst, &copied, map);
        replace_store(a, dst, &slot);
    }
    if (map)
        ir_mapping_free(map);
}

/* ---- results in DST */

static void keep_result(const dst_result *r, ir_value *dst, const ir_op *root)
{
    position at = position_of_op(r->op, r->slot, root, NULL);
    ir_value *old = &r->op->results[0];
    ir_builder b = ir_builder_after(r->op);
    b.loc = r->op->loc;
    ir_operand **uses = NULL;
    size_t n = 0, capacity = 0;
    for (ir_operand *use = old->uses; use; use = use->next_use)
        TW_PUSH(uses, n, capacity, use);
    store_at(&b, retyped(&b, old, dst->type->element), dst, &at);
    ir_value *kept = retyped(&b, load_at(&b, dst, &at), old->type);
    for (size_t i = 0; i < n; i++)
        ir_op_set_operand(uses[i]->owner, ir_operand_number(uses[i]), kept);
    free(uses);
}

/* ---- sums in L1 */

static int64_t trips_of(const ir_op *loop)
{
    return loop->def == AFFINE_OP(for) ? affine_for_trips(loop) : scf_for_trips(loop);
}

/* The innermost loop around DST's section that sums up: a reduction blocking loop, or one
 * that no store depends on. */
static ir_op *summing_loop(const dst_plan *p, const ir_op *acquire)
{
    ir_value *variables[LOOP_CAPACITY];
    size_t n = d2m_outer_variables(acquire, variables, LOOP_CAPACITY);
    for (size_t i = n; i-- > 0;) {
        ir_op *loop = ((ir_block *)variables[i]->owner)->region->owner;
        int kind = d2m_blocking_kind(loop);
        bool stores = false;
        for (size_t s = 0; kind < 0 && s < p->n_stores; s++)
            stores |= d2m_access_depends_on(p->stores[s].op, variables[i]);
        int64_t trips = trips_of(loop);
        if (kind != 0 && !stores && (trips < 0 || trips > 1))
            return loop;
    }
    return NULL;
}

static void set_accumulate(ir_builder *b, ir_value *flag)
{
    ir_build_op(b, D2M_OP(set_l1_accumulate), NULL, 0, &flag, 1, NULL, 0, 0);
}

/* The packer overwrites in the loop's first iteration and adds in the others. */
static void accumulate_in(ir_op *loop, ir_op *acquire)
{
    enum { EQ = 0 };
    ir_builder b = ir_builder_after(acquire);
    int64_t from = 0, step, trips;
    ir_value *first;
    if (loop->def == SCF_OP(for)) {
        first = ir_op_operand(loop, 0);
    } else {
        d2m_constant_bounds(loop, &from, &step, &trips);
        first = arith_index(&b, from);
    }
    ir_value *is_first =
        ir_build1(&b, ARITH_OP(cmpi), ir_integer_type(b.ctx, 1, IR_SIGNLESS),
                  IR_VALUES(d2m_loop_variable(loop), first),
                  IR_ATTRS({"predicate", ir_i64_attr(b.ctx, EQ)}));
    ir_value *off = arith_i32(&b, 0), *on = arith_i32(&b, 1);
    set_accumulate(&b, ir_build1(&b, ARITH_OP(select), on->type,
                                 IR_VALUES(is_first, off, on), NULL, 0));
    b = ir_builder_after(loop);
    set_accumulate(&b, arith_i32(&b, 0));
}

/* ---- all */

static bool acquires(const ir_region *region)
{
    for (const ir_op *op = region->first->first; op; op = op->next)
        if (op->def == D2M_OP(acquire_dst))
            return true;
    return false;
}

static bool needs_dst(ir_op *op, const ir_op *acquire)
{
    for (ir_operand *use = acquire->results[0].uses; use; use = use->next_use)
        if (ir_op_is_ancestor(op, use->owner))
            return true;
    return d2m_tile_op_of(op) != NULL;
}

/* Without loops DST is acquired where it is needed first: by an access, or by an operation
 * that reads its operands where they are in L1. */
static void sink_acquire(ir_op *acquire)
{
    ir_op *op = acquire->next;
    while (op && !needs_dst(op, acquire))
        op = op->next;
    if (op) {
        ir_op_remove(acquire);
        ir_op_insert_before(acquire, op);
    }
}

bool d2m_apply_dst(dst_plan *p, bool in_place, bool accumulate)
{
    if ((!p->n_loads && !p->n_stores) || acquires(p->region))
        return false;
    ir_value *dst = acquire(p);
    ir_op *at = ir_value_def(dst);
    ir_op *loop = accumulate ? summing_loop(p, at) : NULL;
    copy_loads(p, dst, in_place, !loop);
    copy_stores(p, dst);
    if (loop)
        accumulate_in(loop, at);
    for (size_t i = 0; i < p->n_results; i++)
        keep_result(&p->results[i], dst, p->root);
    if (!p->root)
        sink_acquire(at);
    return true;
}
