/* tile.c: loops over tiles around loops within a tile. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

static void move_body(ir_op *to, ir_op *from)
{
    ir_block *body = ir_op_body(from, 0);
    if (body->last->prev)
        ir_block_splice(ir_op_body(to, 0), ir_op_body(to, 0)->last, body, body->first,
                        body->last->prev);
}

/* Creates an empty loop like `like` before `before`, without carried values. */
static ir_op *empty_loop(ir_op *like, ir_op *before, ir_value *const *operands, size_t n,
                         const ir_op_def *yield)
{
    ir_builder b = ir_builder_before(before);
    b.loc = like->loc;
    ir_context *ctx = like->ctx;
    ir_op *loop =
        like->def == SCF_OP(for)
            ? ir_build_op(&b, like->def, NULL, 0, operands, n, NULL, 0, 1)
            : ir_build_op(&b, like->def, NULL, 0, operands, n,
                          IR_ATTRS({"lowerBoundMap", ir_op_attr(like, "lowerBoundMap")},
                                   {"upperBoundMap", ir_op_attr(like, "upperBoundMap")},
                                   {"step", ir_op_attr(like, "step")},
                                   {"operandSegmentSizes",
                                    ir_op_attr(like, "operandSegmentSizes")}),
                          1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&loop->regions[0], body);
    ir_block_add_arg(ctx, body, ir_op_body(like, 0)->args[0]->type, like->loc);
    ir_builder in = ir_builder_at_end(ctx, body, like->loc);
    ir_build_op(&in, yield, NULL, 0, NULL, 0, NULL, 0, 0);
    return loop;
}

/* ---- scf.for ------------------------------------------------------------------------ */

/* Multiplies the steps by the sizes; loops in the innermost body iterate within a step. */
static ir_op *tile_scf(ir_op **loops, const int64_t *sizes, size_t n)
{
    ir_op *target = loops[n - 1];
    ir_value *grown[LOOP_CAPACITY];
    for (size_t i = 0; i < n; i++) {
        ir_builder b = ir_builder_before(loops[i]);
        ir_value *size =
            loop_build_constant(&b, ir_op_operand(loops[i], 2)->type, sizes[i]);
        grown[i] = loop_arith_folded(&b, ARITH_OP(muli), ir_op_operand(loops[i], 2), size);
    }
    for (size_t i = 0; i < n; i++) {
        ir_op *yield = ir_op_body(target, 0)->last;
        ir_value *counter = ir_op_body(loops[i], 0)->args[0];
        ir_builder b = ir_builder_before(yield);
        b.loc = target->loc;
        ir_value *next = loop_arith(&b, ARITH_OP(addi), counter, grown[i]);
        ir_value *end = loop_arith(&b, ARITH_OP(minsi), ir_op_operand(loops[i], 1), next);
        ir_op *inner = empty_loop(loops[i], yield,
                                  (ir_value *[]){counter, end, ir_op_operand(loops[i], 2)},
                                  3, SCF_OP(yield));
        ir_op_set_operand(loops[i], 2, grown[i]);
        /* everything but the new loop */
        ir_block *body = ir_op_body(target, 0);
        ir_op *made = ir_value_def(next);
        if (made->prev)
            ir_block_splice(ir_op_body(inner, 0), ir_op_body(inner, 0)->last, body,
                            body->first, made->prev);
        ir_value *fine = ir_op_body(inner, 0)->args[0];
        for (ir_operand *use = counter->uses, *next; use; use = next) {
            next = use->next_use;
            if (ir_op_is_ancestor(inner, use->owner) && use->owner != inner)
                ir_op_set_operand(use->owner, ir_operand_number(use), fine);
        }
        target = inner;
    }
    return loops[0];
}

/* ---- affine.for --------------------------------------------------------------------- */

/* True if the loop's bounds do not depend on the others' induction variables. */
static bool is_rectangular(const ir_op *loop, const ir_op *root)
{
    size_t first;
    loop_inits(loop, &first);
    for (size_t i = 0; i < first; i++)
        if (ir_op_is_ancestor(root, ir_value_block(ir_op_operand(loop, i))->region->owner))
            return false;
    return true;
}

/* Bounds of a tile: from its start up to the tile size or the loop's bound. */
static void set_inner_bounds(ir_op *loop, ir_op *outer, ir_op *inner, int64_t size)
{
    ir_context *ctx = loop->ctx;
    int64_t step = affine_for_step(loop), trips = affine_for_trips(loop);
    affine_mapping m = {.ctx = ctx, .n_dims = 1, .n_results = 1};
    m.dims[0] = ir_op_body(outer, 0)->args[0];
    m.results[0] = ir_affine_dim(ctx, 0);
    affine_for_set_bound(inner, true, &m);
    bool less = trips >= 0 && trips < size;
    if (!less && affine_for_divisor(loop) % (uint64_t)size != 0) {
        affine_mapping to;
        affine_for_bound(loop, false, &to);
        m = to;
        m.dims[m.n_dims++] = ir_op_body(outer, 0)->args[0];
        memmove(m.results + 1, to.results, to.n_results * sizeof *to.results);
        m.n_results++;
    }
    m.results[0] = ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_dim(ctx, m.n_dims - 1),
                                    ir_affine_constant(ctx, (less ? trips : size) * step));
    affine_for_set_bound(inner, false, &m);
}

static ir_op *tile_affine(ir_op **loops, const int64_t *sizes, size_t n)
{
    ir_op *made[2 * LOOP_CAPACITY], *before = loops[0];
    for (size_t i = 0; i < 2 * n; i++) {
        ir_op *like = loops[i % n];
        size_t first;
        loop_inits(like, &first);
        ir_value *operands[2 * AFFINE_MAPPING_CAPACITY];
        for (size_t k = 0; k < first; k++)
            operands[k] = ir_op_operand(like, k);
        made[i] = empty_loop(like, before, operands, first, AFFINE_OP(yield));
        before = ir_op_body(made[i], 0)->last;
        if (i < n)
            ir_op_set_attr(made[i], "step",
                           ir_index_attr(like->ctx, affine_for_step(like) * sizes[i]));
    }
    for (size_t i = 0; i < n; i++) {
        set_inner_bounds(loops[i], made[i], made[n + i], sizes[i]);
        ir_value_replace_uses(ir_op_body(loops[i], 0)->args[0],
                              ir_op_body(made[n + i], 0)->args[0]);
    }
    move_body(made[2 * n - 1], loops[n - 1]);
    ir_op_erase(loops[0]);
    return made[0];
}

/* True if every loop can be tiled with these sizes. */
static bool can_tile(ir_op *const *loops, const int64_t *sizes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t first;
        int64_t wide;
        affine_mapping to;
        if (loops[i]->n_results || loop_inits(loops[i], &first) || sizes[i] <= 0)
            return false;
        if (loops[i]->def == AFFINE_OP(for)) {
            if (!is_rectangular(loops[i], loops[0]) ||
                !affine_for_bound(loops[i], false, &to) ||
                first > AFFINE_MAPPING_CAPACITY ||
                to.n_results == AFFINE_MAPPING_CAPACITY ||
                to.n_dims == AFFINE_MAPPING_CAPACITY ||
                __builtin_mul_overflow(affine_for_step(loops[i]), sizes[i], &wide))
                return false;
            continue;
        }
        if (ir_op_attr(loops[i], "unsignedCmp"))
            return false;
        for (uint32_t k = 0; k < 3; k++)
            if (ir_op_is_ancestor(
                    loops[0], ir_value_block(ir_op_operand(loops[i], k))->region->owner))
                return false;
    }
    return true;
}

ir_op *loop_tile(ir_op *root, const int64_t *sizes, size_t n)
{
    ir_op *loops[LOOP_CAPACITY];
    size_t depth = loop_nest(root, loops, TW_MIN(n, (size_t)LOOP_CAPACITY));
    if (!depth || !can_tile(loops, sizes, depth))
        return NULL;
    return (root->def == SCF_OP(for) ? tile_scf : tile_affine)(loops, sizes, depth);
}
