/* scratch_nests.c: see scratch_nests.h. */
#include "d2m/passes/scratch_nests.h"

#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* ---- nests -------------------------------------------------------------------------- */

static bool is_scratch_loop(const ir_op *op)
{
    return op->def == AFFINE_OP(for) && ir_op_attr(op, "d2m.scratch_space_loop") &&
           !ir_op_attr(op, "d2m.scratch_inserted");
}

static bool is_affine_loop(const ir_op *op)
{
    return op->def == AFFINE_OP(for);
}

static bool read_loop(ir_op *op, scratch_loop *out)
{
    affine_mapping low, high;
    *out = (scratch_loop){.op = op, .step = affine_for_step(op)};
    if (!affine_for_bound(op, true, &low) || !affine_for_bound(op, false, &high) ||
        low.n_results != 1 || high.n_results != 1 ||
        low.results[0]->kind != IR_AFFINE_CONSTANT ||
        high.results[0]->kind != IR_AFFINE_CONSTANT)
        return false;
    out->from = low.results[0]->value;
    out->trips = affine_for_trips(op);
    return out->step > 0 && out->trips > 0;
}

static bool read_nest(ir_op *root, scratch_nest *out)
{
    ir_op_list loops = ir_ops_in(root, is_affine_loop);
    bool ok = loops.n <= SCRATCH_MAX_LOOPS, has_root = false;
    *out = (scratch_nest){.n = loops.n};
    for (size_t i = 0; ok && i < loops.n; i++) {
        ok = read_loop(loops.at[i], &out->loops[i]);
        has_root |= i && ir_op_attr(loops.at[i], "d2m.linalg_root");
    }
    ir_op_list_free(&loops);
    return ok && has_root;
}

scratch_nest *scratch_nests_of(ir_op *generic, size_t *n)
{
    ir_op_list roots = ir_ops_in(generic, is_scratch_loop);
    scratch_nest *nests = tw_xmalloc((roots.n + 1) * sizeof *nests);
    *n = 0;
    for (size_t i = 0; i < roots.n; i++)
        *n += read_nest(roots.at[i], &nests[*n]);
    ir_op_list_free(&roots);
    return nests;
}

/* ---- indices ------------------------------------------------------------------------ */

/* The distance of a loop's variable from its start, as a new operand. */
static ir_affine distance(ir_context *ctx, const scratch_loop *loop, scratch_access *out)
{
    ir_affine dim = ir_affine_dim(ctx, (int64_t)out->n);
    out->operands[out->n++] = ir_op_body(loop->op, 0)->args[0];
    return ir_affine_binary(ctx, IR_AFFINE_ADD, dim, ir_affine_constant(ctx, -loop->from));
}

static ir_affine divided(ir_context *ctx, ir_affine e, int64_t by)
{
    return ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, e, ir_affine_constant(ctx, by));
}

static ir_affine remainder_of(ir_context *ctx, ir_affine e, int64_t by)
{
    return ir_affine_binary(ctx, IR_AFFINE_MOD, e, ir_affine_constant(ctx, by));
}

/* The number of the iteration. */
static ir_affine iteration(ir_context *ctx, const scratch_loop *loop, scratch_access *out)
{
    return divided(ctx, distance(ctx, loop, out), loop->step);
}

/* The loops around a nest that its producer counts among its own, outermost first. */
static bool read_outer(const scratch_nest *nest, size_t n, scratch_loop *out)
{
    ir_op *op = nest->loops[0].op;
    while (n) {
        op = ir_op_parent(op);
        if (!op || (op->def == AFFINE_OP(for) && !read_loop(op, &out[n - 1])))
            return false;
        n -= op->def == AFFINE_OP(for);
    }
    return true;
}

bool scratch_access_of(ir_context *ctx, const scratch_nest *producer,
                       const scratch_nest *nest, scratch_access *out)
{
    const scratch_loop *loops = nest->loops;
    ir_affine at[2 * SCRATCH_MAX_LOOPS];
    scratch_loop outer[SCRATCH_MAX_LOOPS];
    size_t n = nest->n, rank = 0, n_outer = producer->n > n ? producer->n - n : 0;
    int64_t row_step = producer->loops[0].step, column_step = producer->loops[1].step;
    /* Loops 0 and 1 walk over rows and columns in blocks; the last one walks within the
     * columns of a block, those between within its rows. */
    bool other_columns = n == producer->n && n >= 3 && loops[1].step != column_step;
    bool other_rows = n >= 4 && loops[0].step != row_step;
    out->n = 0;
    if (!read_outer(nest, n_outer, outer))
        return false;
    for (size_t i = 0; i < n_outer; i++)
        at[rank++] = iteration(ctx, &outer[i], out);
    if (other_columns) {
        at[rank++] = iteration(ctx, &loops[0], out);
        ir_affine column = distance(ctx, &loops[1], out);
        for (size_t i = 2; i + 1 < n; i++)
            at[rank++ + 1] = iteration(ctx, &loops[i], out);
        column =
            ir_affine_binary(ctx, IR_AFFINE_ADD, column, distance(ctx, &loops[n - 1], out));
        at[1] = divided(ctx, column, column_step);
        at[n - 1] = remainder_of(ctx, column, column_step);
        rank = n;
    } else if (other_rows) {
        ir_affine row = distance(ctx, &loops[0], out);
        ir_affine column = iteration(ctx, &loops[1], out);
        for (size_t i = 2; i + 1 < n; i++)
            row = ir_affine_binary(ctx, IR_AFFINE_ADD, row, distance(ctx, &loops[i], out));
        at[rank++] = divided(ctx, row, row_step);
        at[rank++] = column;
        for (size_t i = 2; i + 1 < n; i++)
            at[rank++] = remainder_of(ctx, row, row_step);
        at[rank++] = iteration(ctx, &loops[n - 1], out);
    } else {
        for (size_t i = 0; i < n && rank < producer->n; i++)
            at[rank++] = iteration(ctx, &loops[i], out);
    }
    if (rank != producer->n)
        return false;
    out->map = ir_affine_map_get(ctx, (uint32_t)out->n, 0, at, rank);
    return true;
}

/* ---- fusion ------------------------------------------------------------------------- */

enum { MAX_CHAIN = 16 };

/* The scf.for directly around one another and around a nest, outermost first. */
typedef struct loop_chain {
    ir_op *at[MAX_CHAIN];
    size_t n;
} loop_chain;

static bool read_chain(const ir_op *nest, loop_chain *out)
{
    ir_op *op = ir_op_parent(nest);
    out->n = 0;
    for (; ir_op_is(op, SCF_OP(for)); op = ir_op_parent(op)) {
        if (out->n == MAX_CHAIN)
            return false;
        out->at[out->n++] = op;
    }
    for (size_t i = 0; 2 * i + 1 < out->n; i++) {
        op = out->at[i];
        out->at[i] = out->at[out->n - 1 - i];
        out->at[out->n - 1 - i] = op;
    }
    return true;
}

static bool same_iterations(const ir_op *a, const ir_op *b)
{
    for (uint32_t i = 0; i < 3; i++) {
        int64_t x, y;
        if (!loop_constant(ir_op_operand(a, i), &x) ||
            !loop_constant(ir_op_operand(b, i), &y) || x != y)
            return false;
    }
    return !a->n_results && !b->n_results;
}

/* The loops from `level` on are one after another in one block, with equal bounds. */
static bool match(const loop_chain *chains, size_t n, size_t level)
{
    for (size_t i = 1; i < n; i++) {
        const ir_op *next = chains[i - 1].at[level]->next;
        while (next && next != chains[i].at[level])
            next = next->next;
        if (!next)
            return false;
        for (size_t k = level; k < chains[0].n; k++)
            if (!same_iterations(chains[0].at[k], chains[i].at[k]))
                return false;
    }
    return true;
}

static void move_before(ir_op *op, ir_op *before)
{
    ir_op_remove(op);
    ir_op_insert_before(op, before);
}

/* Moves what is before loop `from` (after loop `to`) out from between them: waits into the
 * end of `to`'s innermost loop, all else before `first`. */
static void clear_between(ir_op *first, ir_op *to, ir_op *from, ir_op *innermost)
{
    for (ir_op *op = to->next, *next; op != from; op = next) {
        next = op->next;
        move_before(op, op->def == D2M_OP(unpack_stall_on_pack)
                            ? ir_op_body(innermost, 0)->last
                            : first);
    }
}

/* Moves the bodies of a chain of loops into those of another; operations before an inner
 * loop stay before it, those after it after it. */
static void merge(const loop_chain *to, const loop_chain *from, size_t level)
{
    for (size_t k = level; k < to->n; k++) {
        ir_block *body = ir_op_body(from->at[k], 0), *target = ir_op_body(to->at[k], 0);
        ir_op *inner = k + 1 < to->n ? to->at[k + 1] : NULL;
        ir_value_replace_uses(body->args[0], target->args[0]);
        ir_op *before = inner ? inner : target->last;
        for (ir_op *op = body->first, *next; op != body->last; op = next) {
            next = op->next;
            if (inner && op == from->at[k + 1])
                before = target->last;
            else
                move_before(op, before);
        }
    }
    ir_op_erase(from->at[level]);
}

static bool fuse(loop_chain *chains, size_t n)
{
    size_t depth = chains[0].n, level = depth;
    for (size_t i = 1; i < n; i++) {
        size_t shared = 0;
        if (chains[i].n != depth)
            return false;
        while (shared < depth && chains[i].at[shared] == chains[0].at[shared])
            shared++;
        level = TW_MIN(level, shared);
    }
    if (level == depth)
        return true;
    if (!match(chains, n, level))
        return false;
    for (size_t i = 1; i < n; i++) {
        clear_between(chains[0].at[level], chains[0].at[level], chains[i].at[level],
                      chains[0].at[depth - 1]);
        merge(&chains[0], &chains[i], level);
    }
    for (size_t k = level; k < depth; k++)
        ir_op_set_attr(chains[0].at[k], "d2m.blocking_loop", NULL);
    return true;
}

bool scratch_fuse_loops(ir_op *generic)
{
    ir_op_list roots = ir_ops_in(generic, is_scratch_loop);
    loop_chain *chains = tw_xmalloc((roots.n + 1) * sizeof *chains);
    bool ok = true;
    for (size_t i = 0; ok && i < roots.n; i++)
        ok = read_chain(roots.at[i], &chains[i]);
    if (ok && roots.n > 1)
        ok = fuse(chains, roots.n);
    free(chains);
    ir_op_list_free(&roots);
    return ok;
}
