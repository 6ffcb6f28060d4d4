/* decompose_complex.c: two passes that take movements apart into ones that tiles have.
 *
 * ttir-decompose-complex-permute: a permute either swaps the last two dimensions or leaves
 * the last one where it is; any other is up to three of those.
 * ttir-decompose-complex-reshape: a reshape that moves the last dimension of size 1 away
 * from the end, or to it, transposes; written as one, it is a permute between reshapes. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

#include <stdlib.h>

/* ---- permutes ----------------------------------------------------------------------- */

static bool is_identity(const int64_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (order[i] != (int64_t)i)
            return false;
    return true;
}

/* The parts carry a mark, or folding would put them together again. */
static ir_value *part(rw_rewriter *rw, ir_value *v, const int64_t *order)
{
    ir_value *y = ttir_build_permute(&rw->b, v, order);
    if (y != v)
        ir_op_set_attr(ir_value_def(y), "decomposed", ir_unit_attr(rw->b.ctx));
    return y;
}

static bool permute(ir_op *op, rw_rewriter *rw)
{
    int64_t order[TTIR_MAX_DIMS], first[TTIR_MAX_DIMS], inner[TTIR_MAX_DIMS],
        last[TTIR_MAX_DIMS];
    int64_t n = (int64_t)ttir_numbers(op, "permutation", order);
    if (n < 2 || order[n - 1] == n - 1)
        return false;
    for (int64_t i = 0; i < n; i++)
        first[i] = inner[i] = i;
    inner[n - 2] = n - 1;
    inner[n - 1] = n - 2;
    if (!memcmp(order, inner, (size_t)n * sizeof *order))
        return false;
    ir_value *x = op->operands[0].value;
    if (order[n - 2] == n - 1) {
        memcpy(first, order, (size_t)n * sizeof *order);
        first[n - 2] = order[n - 1];
        first[n - 1] = n - 1;
        rw_replace1(rw, op, part(rw, part(rw, x, first), inner));
        return true;
    }
    int64_t k = order[n - 1];
    first[n - 2] = k;
    first[k] = n - 2;
    for (int64_t i = 0; i < n - 1; i++)
        last[i] = order[i] == n - 2 ? k : order[i] == n - 1 ? n - 2 : order[i];
    last[n - 1] = n - 1;
    x = is_identity(first, (size_t)n) ? x : part(rw, x, first);
    rw_replace1(rw, op, part(rw, part(rw, x, inner), last));
    return true;
}

static bool run_permute(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{TTIR_OP(permute), permute, NULL}};
    const rw_options options = {.no_fold = true, .no_constant_cse = true};
    rw_greedy(module, patterns, 1, &options);
    return true;
}

const pass_def ttir_decompose_complex_permute_pass = {
    .name = "ttir-decompose-complex-permute",
    .summary = "Take permutes apart into ones of whole tiles and ones within tiles",
    .anchor = "builtin.module",
    .run = run_permute,
};

/* ---- reshapes ----------------------------------------------------------------------- */

static void swapped(ir_type t, int64_t *dims)
{
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[t->count - 1] = t->dims[t->count - 2];
    dims[t->count - 2] = t->dims[t->count - 1];
}

/* True if exchanging the last two dimensions gives another shape but the same order of
 * elements: exactly one of them is 1. */
static bool swap_changes(ir_type t)
{
    return t->count >= 2 && (t->dims[t->count - 1] == 1) != (t->dims[t->count - 2] == 1);
}

static ir_value *swap_last_two(ir_builder *b, ir_value *v)
{
    int64_t order[TTIR_MAX_DIMS], n = v->type->count;
    for (int64_t i = 0; i < n; i++)
        order[i] = i < n - 2 ? i : 2 * n - 3 - i;
    return ttir_build_permute(b, v, order);
}

static ir_value *to_shape(ir_builder *b, ir_value *v, ir_type like)
{
    return ttir_build_reshape(b, v, like->dims, like->count);
}

/* Whether the dimensions other than 1 are the same, in order. */
static bool same_but_for_ones(ir_type a, ir_type b)
{
    uint32_t i = 0, k = 0;
    for (;;) {
        while (i < a->count && a->dims[i] == 1)
            i++;
        while (k < b->count && b->dims[k] == 1)
            k++;
        if (i == a->count || k == b->count)
            return i == a->count && k == b->count;
        if (a->dims[i++] != b->dims[k++])
            return false;
    }
}

/* The one at the end comes or goes: a transposition of one row or column. */
static ir_value *move_one(ir_builder *b, ir_value *x, ir_type to)
{
    int64_t dims[TTIR_MAX_DIMS];
    ir_type from = x->type;
    if (to->dims[to->count - 1] == 1) {
        if (swap_changes(to)) {
            swapped(to, dims);
            return swap_last_two(b, ttir_build_reshape(b, x, dims, to->count));
        }
        if (swap_changes(from))
            return to_shape(b, swap_last_two(b, x), to);
        if (from->count >= TTIR_MAX_DIMS)
            return NULL;
        memcpy(dims, from->dims, from->count * sizeof *dims);
        dims[from->count] = dims[from->count - 1];
        dims[from->count - 1] = 1;
        x = ttir_build_reshape(b, x, dims, from->count + 1);
        return to_shape(b, swap_last_two(b, x), to);
    }
    if (swap_changes(from))
        return to_shape(b, swap_last_two(b, x), to);
    if (!swap_changes(to))
        return NULL;
    swapped(to, dims);
    return swap_last_two(b, ttir_build_reshape(b, x, dims, to->count));
}

static uint32_t leading_ones(ir_type t)
{
    uint32_t n = 0;
    while (n < t->count && t->dims[n] == 1)
        n++;
    return n;
}

/* NULL: it stays. */
static ir_value *reshape(ir_op *op, ir_builder *b)
{
    static const int64_t order[] = {1, 0};
    ir_value *x = op->operands[0].value;
    ir_type from = x->type, to = op->results[0].type;
    if (from->count == 0 || to->count == 0 || from->count > TTIR_MAX_DIMS ||
        to->count > TTIR_MAX_DIMS)
        return NULL;
    bool one_before = from->dims[from->count - 1] == 1;
    bool one_after = to->dims[to->count - 1] == 1;
    if (same_but_for_ones(from, to))
        return one_before != one_after ? move_one(b, x, to) : NULL;
    if (!one_before || one_after || leading_ones(to) <= leading_ones(from))
        return NULL;
    const int64_t column[] = {ir_type_num_elements(from), 1};
    x = ttir_build_permute(b, ttir_build_reshape(b, x, column, 2), order);
    return to_shape(b, x, to);
}

static ir_walk collect(ir_op *op, void *user)
{
    ir_op ***end = user;
    if (op->def == TTIR_OP(reshape))
        *(*end)++ = op;
    return IR_WALK_ON;
}

static ir_walk count_reshapes(ir_op *op, void *user)
{
    *(size_t *)user += op->def == TTIR_OP(reshape);
    return IR_WALK_ON;
}

/* Every reshape once: the new ones are what remains. */
static bool run_reshape(ir_op *module, pass_run *run)
{
    size_t n = 0;
    (void)run;
    ir_walk_pre(module, count_reshapes, &n);
    ir_op **ops = tw_xmalloc((n + 1) * sizeof(ir_op *)), **end = ops;
    ir_walk_pre(module, collect, &end);
    for (size_t i = 0; i < n; i++) {
        ir_builder b = ir_builder_before(ops[i]);
        ir_value *y = reshape(ops[i], &b);
        if (y) {
            ir_value_replace_uses(&ops[i]->results[0], y);
            ir_op_erase(ops[i]);
        }
    }
    free(ops);
    return true;
}

const pass_def ttir_decompose_complex_reshape_pass = {
    .name = "ttir-decompose-complex-reshape",
    .summary = "Say of reshapes that transpose that they do",
    .anchor = "builtin.module",
    .run = run_reshape,
};
