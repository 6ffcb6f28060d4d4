/* coalesce.c: one loop over all iterations of a perfect nest. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

/* Moves the inner loop's body before it and erases the loop. */
static void inline_inner(ir_op *inner)
{
    ir_block *body = ir_op_body(inner, 0);
    ir_op *yield = body->last;
    size_t first, n = loop_inits(inner, &first);
    for (size_t i = 0; i < n; i++)
        ir_value_replace_uses(body->args[1 + i], ir_op_operand(inner, first + i));
    for (uint32_t i = 0; i < inner->n_results; i++)
        ir_value_replace_uses(&inner->results[i], ir_op_operand(yield, i));
    if (yield->prev)
        ir_block_splice(inner->block, inner, body, body->first, yield->prev);
    ir_op_erase(inner);
}

/* ---- scf.for ------------------------------------------------------------------------ */

/* True if all bounds of the loop are defined before the other loop. */
static bool bounds_above(const ir_op *loop, const ir_op *other)
{
    for (uint32_t i = 0; i < 3; i++)
        if (ir_op_is_ancestor(other, ir_value_block(ir_op_operand(loop, i))->region->owner))
            return false;
    return true;
}

/* True if the inner loop carries exactly the values that the outer one carries. */
static bool carries_same_values(const ir_op *outer, const ir_op *inner)
{
    const ir_block *body = ir_op_body(outer, 0);
    if (outer->n_results != inner->n_results)
        return false;
    for (uint32_t i = 0; i < outer->n_results; i++)
        if (ir_op_operand(inner, 3 + i) != body->args[1 + i] ||
            ir_op_operand(body->last, i) != &inner->results[i])
            return false;
    return true;
}

static ir_value *scf_count(ir_builder *b, ir_value *from, ir_value *to, ir_value *step)
{
    int64_t n;
    if (from->type->kind == IR_TYPE_INDEX) {
        ir_context *ctx = b->ctx;
        ir_affine less = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_symbol(ctx, 0),
                                          ir_affine_constant(ctx, -1));
        ir_affine span =
            ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_symbol(ctx, 1), less);
        ir_affine e =
            ir_affine_binary(ctx, IR_AFFINE_CEILDIV, span, ir_affine_symbol(ctx, 2));
        return loop_affine_folded(b, e, (ir_value *[]){from, to, step}, 3);
    }
    ir_value *span = to;
    if (!loop_constant(from, &n) || n != 0)
        span = loop_arith_folded(b, ARITH_OP(subi), to, from);
    if (loop_constant(step, &n) && n == 1)
        return span;
    return loop_arith_folded(b, ARITH_OP(ceildivsi), span, step);
}

/* Replaces the induction variable, which now counts from 0 in steps of 1, by its old value,
 * computed at the start of the body. */
static void scale_counter(ir_op *loop, ir_block *body, ir_value *from, ir_value *step)
{
    ir_value *counter = ir_op_body(loop, 0)->args[0], *was;
    ir_builder b = ir_builder_at_start(loop->ctx, body, loop->loc);
    int64_t first, by;
    bool zero = loop_constant(from, &first) && first == 0;
    bool one = loop_constant(step, &by) && by == 1;
    ir_operand *old = counter->uses;
    if (zero && one)
        return;
    if (counter->type->kind == IR_TYPE_INDEX) {
        ir_context *ctx = b.ctx;
        affine_mapping m = {.ctx = ctx, .n_dims = 1, .n_symbols = 2, .n_results = 1};
        ir_affine scaled = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, 0),
                                            ir_affine_symbol(ctx, 1));
        m.dims[0] = counter;
        m.symbols[0] = from;
        m.symbols[1] = step;
        m.results[0] =
            ir_affine_binary(ctx, IR_AFFINE_ADD, scaled, ir_affine_symbol(ctx, 0));
        affine_mapping_compose(&m);
        was = loop_affine_value(&b, &m);
    } else {
        was = one ? counter : loop_arith(&b, ARITH_OP(muli), counter, step);
        was = zero ? was : loop_arith(&b, ARITH_OP(addi), was, from);
    }
    /* only the existing uses; new ones are at the list's front */
    for (ir_operand *use = old, *next; use; use = next) {
        next = use->next_use;
        ir_op_set_operand(use->owner, ir_operand_number(use), was);
    }
}

static ir_value *product(ir_builder *b, ir_value *const *counts, size_t n)
{
    ir_context *ctx = b->ctx;
    int64_t number;
    ir_value *all = NULL;
    if (counts[0]->type->kind == IR_TYPE_INDEX) {
        number = 1; /* product of the constant trip counts so far */
        for (size_t i = 0; i < n; i++) {
            affine_mapping m = {.ctx = ctx, .n_symbols = all ? 2 : 1, .n_results = 1};
            m.symbols[0] = all ? all : counts[i];
            m.symbols[1] = counts[i];
            m.results[0] = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_symbol(ctx, 0),
                                            all ? ir_affine_symbol(ctx, 1)
                                                : ir_affine_constant(ctx, number));
            affine_mapping_compose(&m);
            bool known = m.results[0]->kind == IR_AFFINE_CONSTANT;
            number = known ? m.results[0]->value : 1;
            all = known ? NULL : loop_affine_value(b, &m);
        }
        return all ? all : loop_build_constant(b, counts[0]->type, number);
    }
    for (size_t i = 0; i < n; i++)
        if (!loop_constant(counts[i], &number) || number != 1)
            all = all ? loop_arith(b, ARITH_OP(muli), all, counts[i]) : counts[i];
    return all ? all : loop_build_constant(b, counts[0]->type, 1);
}

/* Recovers the induction variables of all loops from the iteration index. */
static void split_index(ir_builder *b, ir_value *iteration, ir_value *const *counts,
                        size_t n, ir_value **out)
{
    int64_t sizes[LOOP_CAPACITY];
    ir_value *operands[LOOP_CAPACITY + 1] = {iteration};
    ir_type types[LOOP_CAPACITY];
    size_t n_operands = 1;
    for (size_t i = 0; i < n; i++) {
        types[i] = iteration->type;
        if (!loop_constant(counts[i], &sizes[i])) {
            sizes[i] = IR_DYNAMIC;
            operands[n_operands++] = counts[i];
        }
    }
    ir_op *op =
        ir_build_op(b, AFFINE_OP(delinearize_index), types, n, operands, n_operands,
                    IR_ATTRS({"static_basis", ir_dense_i64_array(b->ctx, sizes, n)}), 0);
    for (size_t i = 0; i < n; i++)
        out[i] = &op->results[i];
}

/* The same by integer divisions; trip counts of one are omitted. */
static void split_integer(ir_builder *b, ir_value *iteration, ir_value *const *counts,
                          size_t n, ir_value **out)
{
    bool one[LOOP_CAPACITY];
    size_t leading = 0;
    int64_t number;
    for (size_t i = 0; i < n; i++)
        one[i] = loop_constant(counts[i], &number) && number == 1;
    for (; leading < n && one[leading]; leading++)
        out[leading] = loop_build_constant(b, iteration->type, 0);
    ir_value *left = iteration;
    for (size_t i = n; i-- > leading;) {
        if (i + 1 < n && !one[i + 1])
            left = loop_arith(b, ARITH_OP(divsi), left, counts[i + 1]);
        if (i == leading)
            out[i] = left;
        else
            out[i] = one[i] ? loop_build_constant(b, iteration->type, 0)
                            : loop_arith(b, ARITH_OP(remsi), left, counts[i]);
    }
}

/* Makes the loop run from 0 in steps of 1, with bounds before the outermost loop; returns
 * its trip count. */
static ir_value *normalize(ir_op *loop, ir_op *outer, ir_block *inner)
{
    ir_value *from = ir_op_operand(loop, 0), *step = ir_op_operand(loop, 2);
    ir_builder b = ir_builder_before(outer);
    int64_t first, by;
    b.loc = loop->loc;
    if (from->type->kind != IR_TYPE_INDEX && loop_constant(from, &first) && first == 0 &&
        loop_constant(step, &by) && by == 1)
        return ir_op_operand(loop, 1);
    ir_op *last = outer->prev;
    ir_value *count = scf_count(&b, from, ir_op_operand(loop, 1), step);
    ir_value *zero = loop_build_constant(&b, from->type, 0);
    /* a constant trip count is placed after the first bound, as other bounds are */
    if (loop_constant(count, &by) && ir_value_def(count)->next == ir_value_def(zero) &&
        ir_value_def(count)->prev == last)
        ir_op_insert_before(ir_value_def(zero), ir_value_def(count));
    ir_op_set_operand(loop, 0, zero);
    ir_op_set_operand(loop, 1, count);
    ir_op_set_operand(loop, 2, loop_build_constant(&b, from->type, 1));
    scale_counter(loop, inner, from, step);
    return count;
}

static void fuse_scf(ir_op **loops, size_t n)
{
    ir_value *counts[LOOP_CAPACITY], *counters[LOOP_CAPACITY];
    ir_block *inner = ir_op_body(loops[n - 1], 0);
    ir_op *outer = loops[0];
    ir_type type = ir_op_operand(outer, 0)->type;
    ir_builder b = ir_builder_before(outer);
    for (size_t i = 0; i < n; i++)
        counts[i] = normalize(loops[i], outer, inner);
    b.loc = outer->loc;
    ir_op_set_operand(outer, 1, product(&b, counts, n));
    ir_value *iteration = ir_op_body(outer, 0)->args[0];
    ir_operand *old = iteration->uses;
    ir_builder in = ir_builder_at_start(outer->ctx, ir_op_body(outer, 0), outer->loc);
    (type->kind == IR_TYPE_INDEX ? split_index : split_integer)(&in, iteration, counts, n,
                                                                counters);
    for (ir_operand *use = old, *next; use; use = next) {
        next = use->next_use;
        ir_op_set_operand(use->owner, ir_operand_number(use), counters[0]);
    }
    for (size_t i = n; i-- > 1;) {
        ir_value_replace_uses(ir_op_body(loops[i], 0)->args[0], counters[i]);
        inline_inner(loops[i]);
    }
}

/* Coalesces bands of the nest whose bounds are all defined before them, innermost first. */
static bool coalesce_scf(ir_op *root)
{
    ir_op *loops[LOOP_CAPACITY];
    size_t above[LOOP_CAPACITY], chain[LOOP_CAPACITY];
    size_t n = loop_nest(root, loops, LOOP_CAPACITY);
    bool changed = false;
    for (size_t i = 0; i < n; i++) {
        above[i] = 0;
        while (above[i] < i && !bounds_above(loops[i], loops[above[i]]))
            above[i]++;
        chain[i] = i && carries_same_values(loops[i - 1], loops[i]) ? chain[i - 1] : i;
    }
    for (size_t end = n; end > 0; end--) {
        size_t start = 0;
        for (; start + 1 < end; start++) {
            size_t last = 0;
            int64_t step;
            bool fits = chain[end - 1] <= start;
            for (size_t i = start; i < end; i++) {
                last = TW_MAX(last, above[i]);
                fits &= !loop_constant(ir_op_operand(loops[i], 2), &step) || step != 0;
                fits &= ir_op_operand(loops[i], 0)->type ==
                            ir_op_operand(loops[start], 0)->type &&
                        !ir_op_attr(loops[i], "unsignedCmp");
            }
            if (last > start || !fits)
                continue;
            fuse_scf(loops + start, end - start);
            changed = true;
            break;
        }
        if (start + 1 != end)
            end = start + 1;
    }
    return changed;
}

/* ---- affine.for --------------------------------------------------------------------- */

/* True if it runs from 0 in steps of 1 to bounds independent of the nest's loops. */
static bool is_normal(const ir_op *loop, const ir_op *root)
{
    affine_mapping from, to;
    size_t first, n = loop_inits(loop, &first);
    if (n || affine_for_step(loop) != 1 || !affine_for_bound(loop, true, &from) ||
        !affine_for_bound(loop, false, &to) || from.n_results != 1 ||
        from.results[0]->kind != IR_AFFINE_CONSTANT || from.results[0]->value != 0)
        return false;
    for (size_t i = 0; i < first; i++)
        if (ir_op_is_ancestor(root, ir_value_block(ir_op_operand(loop, i))->region->owner))
            return false;
    return true;
}

static ir_value *apply(ir_builder *b, const ir_op_def *def, const affine_mapping *m)
{
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    return ir_build1(b, def, ir_index_type(b->ctx), values,
                     affine_mapping_values(m, values),
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, affine_mapping_map(m))}));
}

/* (d0)[s0] -> (d0 op s0) */
static ir_value *apply_binary(ir_builder *b, ir_affine_kind kind, ir_value *x, ir_value *y)
{
    affine_mapping m = {.ctx = b->ctx, .n_dims = 1, .n_symbols = 1, .n_results = 1};
    m.dims[0] = x;
    m.symbols[0] = y;
    m.results[0] = ir_affine_binary(b->ctx, kind, ir_affine_dim(b->ctx, 0),
                                    ir_affine_symbol(b->ctx, 0));
    return apply(b, AFFINE_OP(apply), &m);
}

static bool coalesce_affine(ir_op *root)
{
    ir_op *loops[LOOP_CAPACITY];
    ir_value *counts[LOOP_CAPACITY];
    affine_mapping to;
    size_t n = loop_nest(root, loops, LOOP_CAPACITY);
    if (n < 2)
        return true;
    for (size_t i = 0; i < n; i++)
        if (!is_normal(loops[i], root))
            return false;
    ir_builder b = ir_builder_before(root);
    ir_value *all = NULL;
    for (size_t i = 0; i < n; i++) {
        affine_for_bound(loops[i], false, &to);
        counts[i] = apply(&b, to.n_results == 1 ? AFFINE_OP(apply) : AFFINE_OP(min), &to);
        all = all ? apply_binary(&b, IR_AFFINE_MUL, all, counts[i]) : counts[i];
    }
    affine_mapping end = {
        .ctx = root->ctx, .n_symbols = 1, .n_results = 1, .symbols = {all}};
    end.results[0] = ir_affine_symbol(root->ctx, 0);
    affine_for_set_bound(root, false, &end);
    ir_value *left = ir_op_body(root, 0)->args[0];
    ir_operand *old = left->uses;
    ir_builder in = ir_builder_before(loops[1]);
    for (size_t i = n; i-- > 1;) {
        ir_value *counter = apply_binary(&in, IR_AFFINE_MOD, left, counts[i]);
        left = apply_binary(&in, IR_AFFINE_FLOORDIV, left, counts[i]);
        ir_value_replace_uses(ir_op_body(loops[i], 0)->args[0], counter);
    }
    for (ir_operand *use = old, *next; use; use = next) {
        next = use->next_use;
        ir_op_set_operand(use->owner, ir_operand_number(use), left);
    }
    for (size_t i = n; i-- > 1;)
        inline_inner(loops[i]);
    return true;
}

bool loop_coalesce(ir_op *loop)
{
    if (loop->def == SCF_OP(for))
        return coalesce_scf(loop);
    return loop->def == AFFINE_OP(for) && coalesce_affine(loop);
}
