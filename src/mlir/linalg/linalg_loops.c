/* linalg_loops.c: linalg.generic on memrefs as affine loops and as loops over tiles. */
#include "mlir/linalg/linalg_loops.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/scf/scf.h"

static ir_attr maps_of(const ir_op *op)
{
    return ir_op_attr(op, "indexing_maps");
}

/* True if maps and operands fit each other. */
static bool is_regular(const ir_op *op)
{
    ir_attr maps = maps_of(op);
    if (!ir_op_is(op, LINALG_OP(generic)) || !maps || maps->count != op->n_operands ||
        op->n_operands == 0 || op->n_results || !ir_op_body(op, 0) ||
        ir_op_body(op, 0)->n_args != op->n_operands)
        return false;
    for (uint32_t i = 0; i < maps->count; i++) {
        ir_affine_map map = maps->items[i]->map;
        ir_type type = ir_op_operand(op, i)->type;
        bool memref = type->kind == IR_TYPE_MEMREF;
        if (map->n_dims > LINALG_MAX_LOOPS || map->n_symbols ||
            map->n_results > LINALG_MAX_LOOPS ||
            map->n_results != (memref ? type->count : 0) ||
            (!memref && ir_type_is_shaped(type)))
            return false;
    }
    return true;
}

bool linalg_extents(const ir_op *op, int64_t out[LINALG_MAX_LOOPS], uint32_t *n)
{
    if (!is_regular(op))
        return false;
    ir_attr maps = maps_of(op);
    *n = maps->items[0]->map->n_dims;
    for (uint32_t d = 0; d < *n; d++)
        out[d] = -1;
    for (uint32_t i = 0; i < maps->count; i++) {
        ir_affine_map map = maps->items[i]->map;
        ir_type type = ir_op_operand(op, i)->type;
        for (uint32_t r = 0; r < map->n_results; r++)
            if (map->results[r]->kind == IR_AFFINE_DIM && out[map->results[r]->value] < 0)
                out[map->results[r]->value] = type->dims[r];
    }
    for (uint32_t d = 0; d < *n; d++)
        if (out[d] < 0)
            return false;
    return true;
}

/* ---- affine loops */

static ir_op *affine_loop(ir_builder *b, int64_t extent, ir_builder *out_body)
{
    ir_context *ctx = b->ctx;
    ir_affine bounds[] = {ir_affine_constant(ctx, 0), ir_affine_constant(ctx, extent)};
    ir_affine_map low = ir_affine_map_get(ctx, 0, 0, &bounds[0], 1);
    ir_affine_map high = ir_affine_map_get(ctx, 0, 0, &bounds[1], 1);
    ir_op *loop = ir_build_op(
        b, AFFINE_OP(for), NULL, 0, NULL, 0,
        IR_ATTRS({"lowerBoundMap", ir_affine_map_attr(ctx, low)},
                 {"upperBoundMap", ir_affine_map_attr(ctx, high)},
                 {"step", ir_index_attr(ctx, 1)},
                 {"operandSegmentSizes",
                  ir_dense_array(ir_integer_type(ctx, 32, IR_SIGNLESS), (int32_t[3]){0}, 3)}),
        1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&loop->regions[0], body);
    ir_block_add_arg(ctx, body, ir_index_type(ctx), b->loc);
    *out_body = ir_builder_at_end(ctx, body, b->loc);
    out_body->before =
        ir_build_op(out_body, AFFINE_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return loop;
}

/* A constant in front of the nest whose outermost variable is given. */
static ir_value *constant_outside(ir_value *outermost, int64_t value)
{
    ir_builder b = ir_builder_before(((ir_block *)outermost->owner)->region->owner);
    return arith_index(&b, value);
}

/* The value of an index expression over loop variables. */
static ir_value *index_value(ir_builder *b, ir_affine e, uint32_t n_dims,
                             ir_value *const *ivs)
{
    if (e->kind == IR_AFFINE_DIM)
        return ivs[e->value];
    if (e->kind == IR_AFFINE_CONSTANT)
        return constant_outside(ivs[0], e->value);
    ir_affine_map map = ir_affine_map_get(b->ctx, n_dims, 0, &e, 1);
    return ir_build1(b, AFFINE_OP(apply), ir_index_type(b->ctx), ivs, n_dims,
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, map)}));
}

static size_t access_operands(ir_builder *b, ir_op *op, size_t i, ir_value *const *ivs,
                              ir_value **out)
{
    ir_affine_map map = maps_of(op)->items[i]->map;
    size_t n = 0;
    out[n++] = ir_op_operand(op, i);
    for (uint32_t r = 0; r < map->n_results; r++)
        out[n++] = index_value(b, map->results[r], map->n_dims, ivs);
    return n;
}

static ir_attr identity(ir_context *ctx, size_t rank)
{
    return ir_affine_map_attr(ctx, ir_affine_identity(ctx, (uint32_t)rank));
}

/* Copies the body to the innermost loop: arguments are loaded, yielded values stored. */
static void build_body(ir_op *op, ir_builder *b, ir_value *const *ivs)
{
    ir_block *body = ir_op_body(op, 0);
    ir_mapping *map = ir_mapping_create();
    ir_value *access[LINALG_MAX_LOOPS + 2];
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *from = ir_op_operand(op, i);
        if (!body->args[i]->uses)
            continue;
        if (from->type->kind == IR_TYPE_MEMREF) {
            size_t n = access_operands(b, op, i, ivs, access);
            from = ir_build1(b, AFFINE_OP(load), from->type->element, access, n,
                             IR_ATTRS({"map", identity(b->ctx, n - 1)}));
        }
        ir_mapping_set(map, body->args[i], from);
    }
    for (ir_op *o = body->first; o != body->last; o = o->next) {
        if (o->def == LINALG_OP(index)) {
            ir_mapping_set(map, &o->results[0], ivs[ir_op_int(o, "dim", 0)]);
            continue;
        }
        ir_op *copy = ir_op_clone(o, map);
        ir_op_insert_before(copy, b->before);
        for (uint32_t r = 0; r < o->n_results; r++)
            ir_mapping_set(map, &o->results[r], &copy->results[r]);
    }
    size_t first = op->n_operands - body->last->n_operands;
    for (uint32_t i = 0; i < body->last->n_operands; i++) {
        ir_value *value = ir_op_operand(body->last, i), *to = ir_mapping_get(map, value);
        access[0] = to ? to : value;
        size_t n = 1 + access_operands(b, op, first + i, ivs, access + 1);
        ir_build_op(b, AFFINE_OP(store), NULL, 0, access, n,
                    IR_ATTRS({"map", identity(b->ctx, n - 2)}), 0);
    }
    ir_mapping_free(map);
}

static bool stores_to_memrefs(const ir_op *op)
{
    const ir_op *yield = ir_op_body(op, 0)->last;
    if (!ir_op_is(yield, LINALG_OP(yield)) || yield->n_operands > op->n_operands)
        return false;
    for (uint32_t i = op->n_operands - yield->n_operands; i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type->kind != IR_TYPE_MEMREF)
            return false;
    return true;
}

ir_op *linalg_to_affine_loops(ir_op *op)
{
    int64_t extents[LINALG_MAX_LOOPS];
    uint32_t n;
    ir_value *ivs[LINALG_MAX_LOOPS];
    if (!linalg_extents(op, extents, &n) || n == 0 || !stores_to_memrefs(op))
        return NULL;
    ir_builder b = ir_builder_before(op);
    ir_op *outermost = NULL;
    for (uint32_t i = 0; i < n; i++) {
        ir_builder body;
        ir_op *loop = affine_loop(&b, extents[i], &body);
        outermost = outermost ? outermost : loop;
        ivs[i] = ir_op_body(loop, 0)->args[0];
        b = body;
    }
    build_body(op, &b, ivs);
    ir_op_erase(op);
    return outermost;
}

/* ---- tiles */

static ir_op *scf_loop(ir_builder *b, ir_value *const bounds[3], ir_builder *out_body)
{
    ir_op *loop = ir_build_op(b, SCF_OP(for), NULL, 0, bounds, 3, NULL, 0, 1);
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(&loop->regions[0], body);
    ir_block_add_arg(b->ctx, body, ir_index_type(b->ctx), b->loc);
    *out_body = ir_builder_at_end(b->ctx, body, b->loc);
    out_body->before = ir_build_op(out_body, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return loop;
}

static bool is_tiled(ir_affine e, const int64_t *sizes, uint32_t n)
{
    for (uint32_t d = 0; d < n; d++)
        if (sizes[d] && ir_affine_mentions(e, IR_AFFINE_DIM, d))
            return true;
    return false;
}

typedef struct part {
    int64_t offset[LINALG_MAX_LOOPS], size[LINALG_MAX_LOOPS], one[LINALG_MAX_LOOPS];
    ir_value *dynamic[LINALG_MAX_LOOPS];
    size_t n_dynamic;
} part;

/* The extent of an expression over one tile if its values there are those of the first
 * tile, shifted by its value at the tile's start; 0 otherwise. */
static int64_t shifted_extent(ir_affine e, const int64_t *sizes, const int64_t *extents,
                              uint32_t n)
{
    int64_t zeros[LINALG_MAX_LOOPS] = {0}, start;
    if (e->kind == IR_AFFINE_DIM)
        return sizes[e->value];
    if (e->kind == IR_AFFINE_MOD && e->lhs->kind == IR_AFFINE_DIM &&
        e->rhs->kind == IR_AFFINE_CONSTANT && e->rhs->value > 0 &&
        (e->rhs->value % sizes[e->lhs->value] == 0 ||
         e->rhs->value >= extents[e->lhs->value]))
        return sizes[e->lhs->value];
    for (uint32_t d = 0; d < n; d++)
        if (ir_affine_mentions(e, IR_AFFINE_DIM, d) && sizes[d] != 1)
            return 0;
    return ir_affine_eval(e, zeros, NULL, &start) && start == 0;
}

/* The value of an expression over the variables of the loops that it mentions. */
static ir_value *shift_value(ir_builder *b, ir_affine e, uint32_t n, ir_value *const *ivs)
{
    ir_value *used[LINALG_MAX_LOOPS];
    ir_affine dims[LINALG_MAX_LOOPS];
    uint32_t n_used = 0;
    if (e->kind == IR_AFFINE_DIM)
        return ivs[e->value];
    for (uint32_t d = 0; d < n; d++) {
        dims[d] = ir_affine_dim(b->ctx, n_used);
        if (ir_affine_mentions(e, IR_AFFINE_DIM, d))
            used[n_used++] = ivs[d];
    }
    return index_value(b, ir_affine_replace(b->ctx, e, dims, NULL), n_used, used);
}

/* The part of an operand that one tile uses, with offsets as values if a builder is given;
 * false if an expression has no known extent over a tile. */
static bool part_of(ir_builder *b, ir_op *op, size_t i, const int64_t *sizes,
                    const int64_t *extents, ir_value *const *ivs, part *out)
{
    ir_affine_map map = maps_of(op)->items[i]->map;
    ir_type type = ir_op_operand(op, i)->type;
    out->n_dynamic = 0;
    for (uint32_t r = 0; r < map->n_results; r++) {
        ir_affine e = map->results[r];
        out->one[r] = 1;
        out->offset[r] = 0;
        out->size[r] = type->dims[r];
        if (!is_tiled(e, sizes, map->n_dims))
            continue;
        out->offset[r] = IR_DYNAMIC;
        out->size[r] = shifted_extent(e, sizes, extents, map->n_dims);
        if (!out->size[r])
            return false;
        if (b)
            out->dynamic[out->n_dynamic] = shift_value(b, e, map->n_dims, ivs);
        out->n_dynamic++;
    }
    return true;
}

static ir_type part_type(ir_type whole, const part *p)
{
    ir_type like =
        ir_memref_type(whole->element, p->size, whole->count, NULL, whole->space);
    return memref_part_type(whole, p->offset, p->size, p->one, like);
}

static ir_value *build_part(ir_builder *b, ir_value *whole, ir_type type, const part *p)
{
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_value *operands[LINALG_MAX_LOOPS + 1] = {whole};
    size_t rank = whole->type->count;
    memcpy(operands + 1, p->dynamic, p->n_dynamic * sizeof *operands);
    int32_t segments[] = {1, (int32_t)p->n_dynamic, 0, 0};
    ir_op_state state = {
        .def = MEMREF_OP(subview),
        .loc = b->loc,
        .operands = operands,
        .n_operands = 1 + p->n_dynamic,
        .results = &type,
        .n_results = 1,
        .attrs =
            (ir_named_attr[]){
                {ir_ident_get(b->ctx, TW_STR("static_offsets")),
                 ir_dense_array(i64, p->offset, rank)},
                {ir_ident_get(b->ctx, TW_STR("static_sizes")),
                 ir_dense_array(i64, p->size, rank)},
                {ir_ident_get(b->ctx, TW_STR("static_strides")),
                 ir_dense_array(i64, p->one, rank)},
                {ir_ident_get(b->ctx, TW_STR("operandSegmentSizes")),
                 ir_dense_array(ir_integer_type(b->ctx, 32, IR_SIGNLESS), segments, 4)},
            },
        .n_attrs = 4,
    };
    return &ir_build(b, &state)->results[0];
}

/* linalg.index counts from the start of the whole. */
static void shift_indices(ir_op *inner, const int64_t *sizes, ir_value *const *ivs)
{
    for (ir_op *o = ir_op_body(inner, 0)->first; o; o = o->next) {
        int64_t dim = o->def == LINALG_OP(index) ? ir_op_int(o, "dim", 0) : -1;
        if (dim < 0 || !sizes[dim])
            continue;
        ir_builder b = ir_builder_after(o);
        ir_value *sum = ir_build1(&b, ARITH_OP(addi), o->results[0].type,
                                  IR_VALUES(&o->results[0], ivs[dim]), NULL, 0);
        ir_value_replace_uses(&o->results[0], sum);
        ir_op_set_operand(ir_value_def(sum), 0, &o->results[0]);
    }
}

ir_op *linalg_tile(ir_op *op, const int64_t *sizes, ir_op **out_loops, size_t *out_n)
{
    int64_t extents[LINALG_MAX_LOOPS];
    uint32_t n;
    ir_value *ivs[LINALG_MAX_LOOPS] = {NULL};
    part p;
    *out_n = 0;
    if (!linalg_extents(op, extents, &n))
        return NULL;
    for (uint32_t d = 0; d < n; d++)
        if (sizes[d] < 0 || (sizes[d] && extents[d] % sizes[d]))
            return NULL;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!part_of(NULL, op, i, sizes, extents, NULL, &p) ||
            (p.n_dynamic && !part_type(ir_op_operand(op, i)->type, &p)))
            return NULL;
    ir_builder b = ir_builder_before(op);
    ir_value *bounds[LINALG_MAX_LOOPS][3];
    for (uint32_t d = 0; d < n; d++) {
        if (!sizes[d])
            continue;
        bounds[d][0] = arith_index(&b, 0);
        bounds[d][1] = arith_index(&b, extents[d]);
        bounds[d][2] = arith_index(&b, sizes[d]);
    }
    for (uint32_t d = 0; d < n; d++) {
        ir_builder body;
        if (!sizes[d])
            continue;
        out_loops[*out_n] = scf_loop(&b, bounds[d], &body);
        ivs[d] = ir_op_body(out_loops[(*out_n)++], 0)->args[0];
        b = body;
    }
    ir_op *inner = ir_op_clone(op, NULL);
    ir_op_insert_before(inner, b.before);
    b.before = inner;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *whole = ir_op_operand(op, i);
        part_of(&b, op, i, sizes, extents, ivs, &p);
        if (p.n_dynamic)
            ir_op_set_operand(inner, i,
                              build_part(&b, whole, part_type(whole->type, &p), &p));
    }
    shift_indices(inner, sizes, ivs);
    ir_op_erase(op);
    return inner;
}
