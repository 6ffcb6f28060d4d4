/* canonicalize_index.c: canonical forms of affine.linearize_index and
 * affine.delinearize_index: linearizing and delinearizing with the same sizes cancel out,
 * sizes of 1 and leading zeros are dropped. */
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/mixed_list.h"

/* A size for each index.  The first may be unbounded: a dynamic size without a value. */
typedef mixed_list basis;

static bool same_size(const basis *a, int64_t i, const basis *b, int64_t k)
{
    return a->number[i] == b->number[k] && a->value[i] == b->value[k];
}

static bool is_unbounded(const basis *of, int64_t i)
{
    return of->number[i] == IR_DYNAMIC && !of->value[i];
}

static void drop_sizes(basis *of, int64_t first, int64_t n)
{
    of->n -= n;
    for (int64_t i = first; i < of->n; i++) {
        of->number[i] = of->number[i + n];
        of->value[i] = of->value[i + n];
    }
}

static void append_size(basis *to, const basis *from, int64_t i)
{
    to->number[to->n] = from->number[i];
    to->value[to->n++] = from->value[i];
}

/* Reads the sizes of `n` indices. */
static bool read_basis(const ir_op *op, size_t n, basis *out)
{
    basis written;
    if (!mixed_read(op, "dynamic_basis", "static_basis", &written) || n > SHAPE_MAX_RANK)
        return false;
    *out = (basis){0};
    if (n > (size_t)written.n) {
        out->n = 1;
        out->number[0] = IR_DYNAMIC;
    }
    for (int64_t i = 0; i < written.n; i++)
        append_size(out, &written, i);
    return true;
}

/* A linearization: the operation, its indices and their sizes. */
typedef struct linear {
    ir_op *op;
    size_t n;
    ir_value *index[SHAPE_MAX_RANK];
    basis basis;
    bool disjoint;
} linear;

static bool read_linear(ir_op *op, linear *out)
{
    size_t first;
    if (!ir_op_operand_group(op, 0, &first, &out->n) ||
        !read_basis(op, out->n, &out->basis))
        return false;
    out->op = op;
    out->disjoint = ir_op_bool(op, "disjoint");
    for (size_t i = 0; i < out->n; i++)
        out->index[i] = ir_op_operand(op, first + i);
    return true;
}

/* ---- building ----------------------------------------------------------------------- */

/* The values of the basis and its static list, without an unbounded first size. */
static ir_attr write_basis(ir_context *ctx, const basis *of, ir_value **values, size_t *n)
{
    int64_t from = of->n > 0 && is_unbounded(of, 0);
    for (int64_t i = from; i < of->n; i++)
        if (of->value[i])
            values[(*n)++] = of->value[i];
    return ir_dense_i64_array(ctx, of->number + from, (size_t)(of->n - from));
}

static ir_value *build_linear(ir_builder b, const linear *l)
{
    ir_value *values[2 * SHAPE_MAX_RANK];
    size_t n = l->n;
    memcpy(values, l->index, n * sizeof *values);
    ir_attr sizes = write_basis(b.ctx, &l->basis, values, &n);
    int64_t segments[] = {(int64_t)l->n, (int64_t)(n - l->n)};
    b.loc = l->op->loc;
    return ir_build1(
        &b, AFFINE_OP(linearize_index), ir_index_type(b.ctx), values, n,
        IR_ATTRS({"disjoint", l->disjoint ? ir_unit_attr(b.ctx) : NULL},
                 {"operandSegmentSizes", ir_dense_i32_array(b.ctx, segments, 2)},
                 {"static_basis", sizes}));
}

static ir_op *build_parts(ir_builder b, ir_loc loc, ir_value *index, const basis *of)
{
    ir_value *values[SHAPE_MAX_RANK + 1] = {index};
    ir_type types[SHAPE_MAX_RANK];
    size_t n = 1;
    ir_attr sizes = write_basis(b.ctx, of, values, &n);
    for (int64_t i = 0; i < of->n; i++)
        types[i] = index->type;
    b.loc = loc;
    return ir_build_op(&b, AFFINE_OP(delinearize_index), types, (size_t)of->n, values, n,
                       IR_ATTRS({"static_basis", sizes}), 0);
}

/* ---- delinearizing ------------------------------------------------------------------ */

static bool drop_unit_parts(ir_op *op, rw_rewriter *rw)
{
    basis all, kept = {0};
    ir_value *values[SHAPE_MAX_RANK], *zero = NULL;
    if (!read_basis(op, op->n_results, &all))
        return false;
    for (int64_t i = 0; i < all.n; i++)
        if (all.number[i] != 1)
            append_size(&kept, &all, i);
    if (kept.n == all.n)
        return false;
    zero = mixed_index(rw, 0);
    ir_op *parts = kept.n ? build_parts(rw->b, op->loc, ir_op_operand(op, 0), &kept) : NULL;
    for (uint32_t i = 0, k = 0; i < op->n_results; i++)
        values[i] = all.number[i] == 1 ? zero : &parts->results[k++];
    rw_replace(rw, op, values, op->n_results);
    return true;
}

/* The disjoint linearization whose result the operation delinearizes, and the basis it
 * uses. */
static bool read_joined(ir_op *op, linear *out, basis *parts)
{
    ir_op *producer = ir_value_def(ir_op_operand(op, 0));
    return ir_op_is(producer, AFFINE_OP(linearize_index)) &&
           ir_op_bool(producer, "disjoint") && read_linear(producer, out) &&
           read_basis(op, op->n_results, parts);
}

/* Trailing indices with equal sizes on both sides cancel out. */
static bool cancel_equal_tail(ir_op *op, rw_rewriter *rw)
{
    linear l;
    basis parts;
    ir_value *values[SHAPE_MAX_RANK];
    int64_t same = 0;
    if (!read_joined(op, &l, &parts))
        return false;
    while (same < l.basis.n && same < parts.n &&
           !is_unbounded(&parts, parts.n - 1 - same) &&
           same_size(&l.basis, l.basis.n - 1 - same, &parts, parts.n - 1 - same))
        same++;
    if (same == 0)
        return false;
    size_t rest = l.n - (size_t)same, n = op->n_results - (size_t)same;
    memcpy(values + n, l.index + rest, (size_t)same * sizeof *values);
    if (rest == 1 && n == 1 && is_unbounded(&l.basis, 0) && is_unbounded(&parts, 0)) {
        values[0] = l.index[0];
    } else if (rest || n) {
        l.n = rest;
        drop_sizes(&l.basis, l.basis.n - same, same);
        drop_sizes(&parts, parts.n - same, same);
        ir_op *made = build_parts(rw->b, op->loc, build_linear(rw->b, &l), &parts);
        for (size_t i = 0; i < n; i++)
            values[i] = &made->results[i];
    }
    rw_replace(rw, op, values, op->n_results);
    return true;
}

/* Several trailing sizes whose product is the size of the last index delinearize only that
 * index. */
static bool split_last(ir_op *op, rw_rewriter *rw)
{
    linear l;
    basis parts, last = {0};
    ir_value *values[SHAPE_MAX_RANK];
    int64_t size = 1, from;
    if (!read_joined(op, &l, &parts) || l.n == 0)
        return false;
    int64_t target = l.basis.number[l.basis.n - 1];
    for (from = parts.n; from > 0 && size != target;) {
        int64_t part = parts.number[--from];
        if (part == IR_DYNAMIC || __builtin_mul_overflow(size, part, &size) ||
            size > target)
            return false;
    }
    if (size != target || parts.n - from < 2)
        return false;
    for (int64_t i = from; i < parts.n; i++)
        append_size(&last, &parts, i);
    ir_value *inner = l.index[--l.n];
    drop_sizes(&l.basis, l.basis.n - 1, 1);
    drop_sizes(&parts, from, last.n);
    ir_op *outer = build_parts(rw->b, op->loc, build_linear(rw->b, &l), &parts);
    ir_op *split = build_parts(rw->b, op->loc, inner, &last);
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = i < from ? &outer->results[i] : &split->results[i - from];
    rw_replace(rw, op, values, op->n_results);
    return true;
}

/* ---- linearizing -------------------------------------------------------------------- */

static bool replace_linear(rw_rewriter *rw, const linear *by)
{
    rw_replace1(rw, by->op, build_linear(rw->b, by));
    return true;
}

static bool is_zero(const ir_value *v)
{
    ir_attr a = rw_constant(v);
    return ir_attr_is(a, IR_ATTR_INTEGER) && a->value == 0;
}

static bool drop_leading_zero(ir_op *op, rw_rewriter *rw)
{
    linear l;
    if (!read_linear(op, &l) || l.n < 2 || !is_zero(l.index[0]))
        return false;
    l.n--;
    memmove(l.index, l.index + 1, l.n * sizeof *l.index);
    drop_sizes(&l.basis, 0, 1);
    return replace_linear(rw, &l);
}

/* An index below 1 is 0, and so contributes nothing. */
static bool drop_units(ir_op *op, rw_rewriter *rw)
{
    linear l;
    basis all;
    if (!read_linear(op, &l))
        return false;
    all = l.basis;
    l.n = 0;
    l.basis.n = 0;
    for (int64_t i = 0; i < all.n; i++) {
        if (all.number[i] == 1 && (l.disjoint || is_zero(l.index[i])))
            continue;
        l.index[l.n++] = l.index[i];
        append_size(&l.basis, &all, i);
    }
    if (l.basis.n == all.n)
        return false;
    if (l.n)
        return replace_linear(rw, &l);
    rw_replace1(rw, op, mixed_index(rw, 0));
    return true;
}

/* ---- linearizing delinearized indices ----------------------------------------------- */

/* Indices from `at` on that are the results of `parts` from `from` on, with the same
 * sizes. */
typedef struct run {
    ir_op *parts;
    int64_t at, from, n;
    ir_op *made; /* delinearizes the other results, NULL: there are none; the run's own */
    ir_op *rest;
} run;

/* The first size is irrelevant if it is the first on both sides, or if the linearization is
 * disjoint. */
static int64_t run_length(const linear *l, const run *r, const basis *parts)
{
    int64_t n = 1;
    bool fits = same_size(&l->basis, r->at, parts, r->from) ||
                (r->from == 0 && (r->at == 0 || (l->disjoint && is_unbounded(parts, 0))));
    while (fits && r->at + n < (int64_t)l->n && r->from + n < parts->n &&
           l->index[r->at + n] == &r->parts->results[r->from + n] &&
           same_size(&l->basis, r->at + n, parts, r->from + n))
        n++;
    return fits ? n : 0;
}

/* True if the value is defined before the operation, judged by blocks. */
static bool is_before(const ir_value *v, ir_op *op)
{
    for (; op; op = ir_op_parent(op))
        if (op->block == ir_value_block(v))
            return v->is_argument || ir_op_before(ir_value_def(v), op);
    return false;
}

/* The runs of at least two indices, one for each delinearizing operation. */
static size_t find_runs(const linear *l, run *runs)
{
    size_t n = 0;
    for (int64_t i = 0; i < (int64_t)l->n;) {
        const ir_value *v = l->index[i];
        run r = {.parts = ir_value_def(v), .at = i++, .from = v->index};
        basis parts;
        if (!ir_op_is(r.parts, AFFINE_OP(delinearize_index)) ||
            !read_basis(r.parts, r.parts->n_results, &parts) ||
            (r.n = run_length(l, &r, &parts)) < 2)
            continue;
        ir_value *size = l->basis.value[r.at];
        bool fits = !size || is_before(size, r.parts);
        for (size_t k = 0; k < n; k++)
            fits &= runs[k].parts != r.parts;
        if (!fits)
            continue;
        runs[n++] = r;
        i = r.at + r.n;
    }
    return n;
}

/* The product of the sizes from `first` on: a constant or an affine.apply; unbounded if the
 * first is. */
static void append_product(ir_builder *b, basis *to, const basis *from, int64_t first,
                           int64_t n)
{
    ir_affine product = ir_affine_constant(b->ctx, 1);
    ir_value *values[SHAPE_MAX_RANK], *made = NULL;
    uint32_t n_values = 0;
    if (is_unbounded(from, first)) {
        append_size(to, from, first);
        return;
    }
    for (int64_t i = first; i < first + n; i++) {
        ir_affine size = from->value[i] ? ir_affine_symbol(b->ctx, n_values)
                                        : ir_affine_constant(b->ctx, from->number[i]);
        product = ir_affine_binary(b->ctx, IR_AFFINE_MUL, product, size);
        if (from->value[i])
            values[n_values++] = from->value[i];
    }
    if (product->kind != IR_AFFINE_CONSTANT) {
        ir_affine_map map = ir_affine_map_get(b->ctx, 0, n_values, &product, 1);
        made = ir_build1(b, AFFINE_OP(apply), ir_index_type(b->ctx), values, n_values,
                         IR_ATTRS({"map", ir_affine_map_attr(b->ctx, map)}));
    }
    to->number[to->n] = made ? IR_DYNAMIC : product->value;
    to->value[to->n++] = made;
}

/* Replaces the run by one index, and the other results of its operation by a smaller
 * delinearization. */
static ir_value *merge_run(rw_rewriter *rw, const linear *l, run *r, basis *sizes)
{
    ir_builder b = rw->b;
    basis before, parts = {0}, own = {0};
    b.block = r->parts->block;
    b.before = r->parts;
    b.loc = l->op->loc;
    append_product(&b, sizes, &l->basis, r->at, r->n);
    if (r->n == r->parts->n_results)
        return ir_op_operand(r->parts, 0);
    read_basis(r->parts, r->parts->n_results, &before);
    for (int64_t i = 0; i < before.n; i++) {
        if (i == r->from)
            append_size(&parts, sizes, sizes->n - 1);
        if (i < r->from || i >= r->from + r->n)
            append_size(&parts, &before, i);
    }
    for (int64_t i = r->at; i < r->at + r->n; i++)
        append_size(&own, &l->basis, i);
    r->made = build_parts(b, r->parts->loc, ir_op_operand(r->parts, 0), &parts);
    r->rest = build_parts(b, r->parts->loc, &r->made->results[r->from], &own);
    return &r->made->results[r->from];
}

static void replace_parts(rw_rewriter *rw, const run *r)
{
    ir_value *values[SHAPE_MAX_RANK];
    for (int64_t i = 0; i < r->parts->n_results; i++)
        values[i] = i < r->from          ? &r->made->results[i]
                    : i < r->from + r->n ? &r->rest->results[i - r->from]
                                         : &r->made->results[i - r->n + 1];
    rw_replace(rw, r->parts, values, r->parts->n_results);
}

static bool join_parts(ir_op *op, rw_rewriter *rw)
{
    linear l, made = {.op = op};
    run runs[SHAPE_MAX_RANK / 2];
    size_t n, next = 0;
    if (!read_linear(op, &l) || (n = find_runs(&l, runs)) == 0)
        return false;
    made.disjoint = l.disjoint;
    for (int64_t i = 0; i < (int64_t)l.n;) {
        if (next < n && runs[next].at == i) {
            made.index[made.n++] = merge_run(rw, &l, &runs[next], &made.basis);
            i += runs[next++].n;
        } else {
            made.index[made.n++] = l.index[i];
            append_size(&made.basis, &l.basis, i++);
        }
    }
    replace_linear(rw, &made);
    for (size_t i = 0; i < n; i++)
        if (runs[i].made)
            replace_parts(rw, &runs[i]);
    return true;
}

static const rw_pattern patterns[] = {
    {AFFINE_OP(delinearize_index), cancel_equal_tail,
     "affine.CancelDelinearizeOfLinearizeDisjointExactTail"},
    {AFFINE_OP(delinearize_index), drop_unit_parts, "affine.DropUnitExtentBasis"},
    {AFFINE_OP(delinearize_index), split_last,
     "affine.SplitDelinearizeSpanningLastLinearizeArg"},
    {AFFINE_OP(linearize_index), join_parts, "affine.CancelLinearizeOfDelinearizePortion"},
    {AFFINE_OP(linearize_index), drop_leading_zero, "affine.DropLinearizeLeadingZero"},
    {AFFINE_OP(linearize_index), drop_units,
     "affine.DropLinearizeUnitComponentsIfDisjointOrZero"},
};

const rw_pattern_table canonicalize_affine_index = {patterns, TW_COUNT(patterns)};
