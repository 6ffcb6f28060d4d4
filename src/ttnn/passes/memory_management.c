/* memory_management.c: ttnn-memory-management: slices move in front of what they cut,
 * repetitions and reshapes to shapes that fill their tiles, and tensors whose padding to
 * tiles would take more than 2^30 elements pass their permutation as rows.
 *
 * No pattern changes a value: each computes the same elements in other shapes. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "support/number.h"
#include "ttnn/build.h"

enum { MAX_OPERANDS = 4, MAX_SIBLINGS = 64 };

static const int64_t MUCH_PADDING = (int64_t)1 << 30;

/* ---- shapes and slices -------------------------------------------------------------- */

typedef struct slice {
    int64_t begins[TTNN_MAX_RANK], ends[TTNN_MAX_RANK], steps[TTNN_MAX_RANK];
} slice;

static bool read_slice(const ir_op *op, slice *s)
{
    ir_type t = op->operands[0].value->type;
    if (t->count > TTNN_MAX_RANK ||
        tnb_ints(op, "begins", s->begins, TTNN_MAX_RANK) != t->count ||
        tnb_ints(op, "ends", s->ends, TTNN_MAX_RANK) != t->count ||
        tnb_ints(op, "step", s->steps, TTNN_MAX_RANK) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        s->begins[i] += s->begins[i] < 0 ? t->dims[i] : 0;
        s->ends[i] += s->ends[i] < 0 ? t->dims[i] : 0;
        if (s->begins[i] < 0 || s->begins[i] > s->ends[i] || s->ends[i] > t->dims[i] ||
            s->steps[i] < 1)
            return false;
    }
    return true;
}

static int64_t extent(const slice *s, uint32_t dim)
{
    return (s->ends[dim] - s->begins[dim] + s->steps[dim] - 1) / s->steps[dim];
}

static void take_all(slice *s, uint32_t dim, int64_t size)
{
    s->begins[dim] = 0;
    s->ends[dim] = size;
    s->steps[dim] = 1;
}

static bool takes_all(const slice *s, uint32_t dim, int64_t size)
{
    return s->begins[dim] == 0 && s->ends[dim] == size && s->steps[dim] == 1;
}

static ir_attr numbers(ir_context *ctx, const int64_t *values, uint32_t n)
{
    ir_attr items[TTNN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        items[i] = ir_i32_attr(ctx, values[i]);
    return ir_array_attr(ctx, items, n);
}

/* The slice of v, of the given result type or of the type that follows. */
static ir_value *build_slice(rw_rewriter *rw, ir_value *v, const slice *s, ir_type result)
{
    ir_context *ctx = rw->b.ctx;
    uint32_t rank = v->type->count;
    int64_t dims[TTNN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = extent(s, i);
    return ir_build1(&rw->b, TTNN_OP(slice_static),
                     result ? result : ttnn_tensor_reshaped(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"begins", numbers(ctx, s->begins, rank)},
                              {"ends", numbers(ctx, s->ends, rank)},
                              {"step", numbers(ctx, s->steps, rank)}));
}

/* The producer of a slice's operand if it has that row and all its users are slices. */
static ir_op *sliced_producer(const ir_op *op, const ir_op_def *def)
{
    ir_op *producer = ir_value_def(op->operands[0].value);
    if (!ir_op_is(producer, def))
        return NULL;
    for (ir_operand *use = producer->results[0].uses; use; use = use->next_use)
        if (use->owner->def != TTNN_OP(slice_static))
            return NULL;
    return producer;
}

static int64_t volume(const int64_t *dims, uint32_t rank, bool in_tiles)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t d = in_tiles && i + 2 >= rank ? tnb_round_up(dims[i], TTNN_TILE) : dims[i];
        n = tw_saturating_product(n, d);
    }
    return n;
}

static int64_t type_volume(ir_type t, bool in_tiles)
{
    return volume(t->dims, t->count, in_tiles);
}

static bool is_tiled(ir_type t, ttnn_layout *out)
{
    return ttnn_layout_of(t, out) && out->tiled;
}

/* Runs of dimensions of two shapes with one product. An added dimension of 1 has no
 * counterpart. */
typedef struct group {
    uint32_t from, n_from, to, n_to;
} group;

/* Returns how many groups there are; 0 if the shapes have no such runs. */
static uint32_t match_groups(ir_type from, ir_type to, group *out)
{
    uint32_t i = 0, j = 0, n = 0;
    if (from->count > TTNN_MAX_RANK || to->count > TTNN_MAX_RANK)
        return 0;
    while (i < from->count || j < to->count) {
        if (j < to->count && to->dims[j] == 1 && (i == from->count || from->dims[i] != 1)) {
            out[n++] = (group){i, 0, j++, 1};
            continue;
        }
        if (i == from->count || j == to->count)
            return 0;
        group g = {i, 0, j, 0};
        int64_t a = from->dims[i++], b = to->dims[j++];
        while (a != b) {
            if (a < b ? i == from->count : j == to->count)
                return 0;
            if (a < b)
                a *= from->dims[i++];
            else
                b *= to->dims[j++];
        }
        g.n_from = i - g.from;
        g.n_to = j - g.to;
        out[n++] = g;
    }
    return n;
}

/* ---- slices in front of moves */

static bool slice_before_permute(ir_op *op, rw_rewriter *rw)
{
    ir_op *permute = sliced_producer(op, TTNN_OP(permute));
    slice s, before;
    int64_t order[TTNN_MAX_RANK];
    uint32_t rank = op->results[0].type->count;
    if (!permute || !read_slice(op, &s) ||
        tnb_ints(permute, "permutation", order, TTNN_MAX_RANK) != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        before.begins[order[i]] = s.begins[i];
        before.ends[order[i]] = s.ends[i];
        before.steps[order[i]] = s.steps[i];
    }
    ir_value *v = build_slice(rw, permute->operands[0].value, &before, NULL);
    rw_replace1(
        rw, op,
        ir_op_result(tnb_clone(&rw->b, NULL, permute, &v, &op->results[0].type), 0));
    return true;
}

/* Only dimensions that the reshape keeps may be cut. */
static bool slice_before_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_op *reshape = sliced_producer(op, TTNN_OP(reshape));
    group groups[2 * TTNN_MAX_RANK];
    slice s, before;
    if (!reshape || !read_slice(op, &s))
        return false;
    ir_value *x = reshape->operands[0].value;
    ir_type to = reshape->results[0].type, result = op->results[0].type;
    uint32_t n = match_groups(x->type, to, groups);
    if (n == 0)
        return false;
    for (uint32_t i = 0; i < x->type->count; i++)
        take_all(&before, i, x->type->dims[i]);
    for (uint32_t g = 0; g < n; g++) {
        bool cut = false;
        for (uint32_t i = groups[g].to; i < groups[g].to + groups[g].n_to; i++)
            cut |= extent(&s, i) != to->dims[i];
        if (!cut)
            continue;
        if (groups[g].n_from != 1 || groups[g].n_to != 1)
            return false;
        before.begins[groups[g].from] = s.begins[groups[g].to];
        before.ends[groups[g].from] = s.ends[groups[g].to];
        before.steps[groups[g].from] = s.steps[groups[g].to];
    }
    ir_value *v = build_slice(rw, x, &before, NULL);
    v = ir_build1(&rw->b, TTNN_OP(reshape), result, IR_VALUES(v),
                  IR_ATTRS({"shape", numbers(op->ctx, result->dims, result->count)}));
    rw_replace1(rw, op, v);
    return true;
}

/* How often ttnn.repeat repeats each dimension: #ttnn.shape. */
static bool read_times(const ir_op *op, int64_t *out)
{
    ir_attr shape = ir_op_attr(op, "repeat_dims");
    return shape && ir_attr_ints(shape->params[0], out, TTNN_MAX_RANK) ==
                        (int64_t)op->results[0].type->count;
}

/* The repeated dimensions must be taken whole. */
static bool slice_before_repeat(ir_op *op, rw_rewriter *rw)
{
    ir_op *repeat = sliced_producer(op, TTNN_OP(repeat));
    slice s;
    int64_t times[TTNN_MAX_RANK];
    uint32_t rank = op->results[0].type->count;
    if (!repeat || rank < 2 || !read_slice(op, &s) || !read_times(repeat, times))
        return false;
    ir_value *x = repeat->operands[0].value;
    for (uint32_t i = 0; i < rank; i++) {
        if (times[i] == 1)
            continue;
        if (!takes_all(&s, i, repeat->results[0].type->dims[i]))
            return false;
        take_all(&s, i, x->type->dims[i]);
    }
    ir_value *v = build_slice(rw, x, &s, NULL);
    rw_replace1(rw, op,
                ir_op_result(tnb_clone(&rw->b, NULL, repeat, &v, &op->results[0].type), 0));
    return true;
}

/* ---- slices of one index that a reshape drops */

typedef struct siblings {
    ir_op *slices[MAX_SIBLINGS], *reshapes[MAX_SIBLINGS];
    int64_t at[MAX_SIBLINGS]; /* the index that each takes */
    uint32_t n, dim;
} siblings;

/* Whether the slice takes one index of one dimension, and all of the others. */
static bool takes_one_index(const ir_op *op, uint32_t *out_dim, int64_t *out_at)
{
    slice s;
    ir_type t = op->operands[0].value->type;
    uint32_t cuts = 0;
    if (!read_slice(op, &s))
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (!takes_all(&s, i, t->dims[i])) {
            cuts++;
            *out_dim = i;
        }
    if (cuts != 1 || s.steps[*out_dim] != 1 || extent(&s, *out_dim) != 1)
        return false;
    *out_at = s.begins[*out_dim];
    return true;
}

/* Every user of the slice's operand must be such a slice with a reshape to one type; the
 * first of them in the block does the work. */
static bool collect_siblings(const ir_op *op, siblings *all)
{
    all->n = 0;
    for (ir_operand *use = op->operands[0].value->uses; use; use = use->next_use) {
        ir_op *s = use->owner;
        uint32_t dim;
        if (s->def != TTNN_OP(slice_static) || s->block != op->block ||
            !ir_value_has_one_use(&s->results[0]) || all->n == MAX_SIBLINGS ||
            (s != op && !ir_op_before((ir_op *)op, s)))
            return false;
        ir_op *r = s->results[0].uses->owner;
        if (r->def != TTNN_OP(reshape) || r->block != op->block ||
            !takes_one_index(s, &dim, &all->at[all->n]) || (all->n && dim != all->dim) ||
            (all->n && r->results[0].type != all->reshapes[0]->results[0].type))
            return false;
        all->dim = dim;
        all->slices[all->n] = s;
        all->reshapes[all->n++] = r;
    }
    return all->n >= 2 && all->dim > 0;
}

static bool reshape_before_slices(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_type from = x->type;
    siblings all;
    ttnn_layout layout;
    int64_t joined[TTNN_MAX_RANK], dropped[TTNN_MAX_RANK];
    uint32_t rank = from->count - 1;
    if (from->count < 2 || from->count > TTNN_MAX_RANK || !is_tiled(from, &layout) ||
        !collect_siblings(op, &all))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        joined[i] = dropped[i] = from->dims[i + (i >= all.dim)];
    joined[all.dim - 1] *= from->dims[all.dim];
    ir_type to = all.reshapes[0]->results[0].type;
    int64_t before = (int64_t)all.n * type_volume(op->results[0].type, true);
    if (to->count != rank || memcmp(to->dims, dropped, rank * sizeof *dropped) != 0 ||
        volume(joined, rank, true) >= before)
        return false;
    ir_value *whole = tnb_reshape(&rw->b, NULL, x, joined, rank);
    for (uint32_t k = 0; k < all.n; k++) {
        slice s;
        for (uint32_t i = 0; i < rank; i++)
            take_all(&s, i, joined[i]);
        s.begins[all.dim - 1] = all.at[k];
        s.steps[all.dim - 1] = from->dims[all.dim];
        rw_replace1(rw, all.reshapes[k], build_slice(rw, whole, &s, to));
    }
    for (uint32_t k = 0; k < all.n; k++)
        rw_erase(rw, all.slices[k]);
    return true;
}

/* ---- repetitions along the tiles */

static bool only_ones_between(ir_type t, uint32_t after, uint32_t before)
{
    for (uint32_t i = after + 1; i < before; i++)
        if (t->dims[i] != 1)
            return false;
    return true;
}

/* repeat([8, 1, 1, 1]) of 1x1x1x2 before a reshape is repeat([1, 1, 8, 1]). */
static bool repeat_inside(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_type from = x->type, to = op->results[0].type;
    int64_t times[TTNN_MAX_RANK], dims[TTNN_MAX_RANK];
    uint32_t rank = from->count;
    bool moved = false;
    if (rank < 3 || !read_times(op, times) ||
        (to->dims[rank - 1] % TTNN_TILE == 0 && to->dims[rank - 2] % TTNN_TILE == 0))
        return false;
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def != TTNN_OP(reshape))
            return false;
    for (uint32_t i = 0; i + 2 < rank; i++)
        for (uint32_t j = rank - 2; j < rank && times[i] > 1 && from->dims[i] == 1; j++)
            if (from->dims[j] == 1 && times[j] == 1 && only_ones_between(from, i, j)) {
                times[j] = times[i];
                times[i] = 1;
                moved = true;
            }
    if (!moved)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = from->dims[i] * times[i];
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTNN_OP(repeat), ttnn_tensor_reshaped(from, dims, rank),
                          IR_VALUES(x),
                          IR_ATTRS({"repeat_dims", tnb_shape(op->ctx, times, rank)})));
    return true;
}

/* ---- element by element */

static ir_op *elementwise_producer(const ir_op *op)
{
    static const uint16_t rows[] = {TTNN_add, TTNN_multiply, TTNN_subtract, TTNN_divide};
    ir_op *producer = ir_value_def(op->operands[0].value);
    for (size_t i = 0; producer && i < TW_COUNT(rows); i++)
        if (producer->def == &ttnn_ops[rows[i]])
            return producer->n_operands <= MAX_OPERANDS ? producer : NULL;
    return NULL;
}

/* Each operand is cut where it is not broadcast. */
static bool slice_before_elementwise(ir_op *op, rw_rewriter *rw)
{
    ir_op *e = elementwise_producer(op);
    ir_value *operands[MAX_OPERANDS];
    slice cuts[MAX_OPERANDS], s;
    bool needed[MAX_OPERANDS] = {false};
    if (!e || !sliced_producer(op, e->def) || !read_slice(op, &s))
        return false;
    ir_type whole = e->results[0].type;
    for (uint32_t k = 0; k < e->n_operands; k++) {
        ir_type t = e->operands[k].value->type;
        if (!ir_type_is_tensor(t) || t->count != whole->count)
            return false;
        cuts[k] = s;
        for (uint32_t i = 0; i < t->count; i++) {
            if (t->dims[i] != whole->dims[i] && t->dims[i] != 1)
                return false;
            if (t->dims[i] == 1)
                take_all(&cuts[k], i, 1);
            needed[k] |= !takes_all(&cuts[k], i, t->dims[i]);
        }
    }
    for (uint32_t k = 0; k < e->n_operands; k++)
        operands[k] = needed[k] ? build_slice(rw, e->operands[k].value, &cuts[k], NULL)
                                : e->operands[k].value;
    rw_replace1(
        rw, op,
        ir_op_result(tnb_clone(&rw->b, NULL, e, operands, &op->results[0].type), 0));
    return true;
}

/* The operand's shape where the result gets the shape `to`: each group whole, or 1. Returns
 * the rank; 0 if there is none. */
static uint32_t operand_shape(ir_type t, ir_type to, const group *groups, uint32_t n,
                              int64_t *out)
{
    uint32_t rank = 0;
    for (uint32_t g = 0; g < n; g++) {
        int64_t has = volume(t->dims + groups[g].from, groups[g].n_from, false);
        int64_t wants = volume(to->dims + groups[g].to, groups[g].n_to, false);
        bool whole = has == wants && groups[g].n_from;
        if (!whole && has != 1)
            return 0;
        for (uint32_t i = 0; i < groups[g].n_to; i++)
            out[rank++] = whole ? to->dims[groups[g].to + i] : 1;
    }
    return rank;
}

/* The operands are reshaped where the result's tiles have less padding. */
static bool reshape_before_elementwise(ir_op *op, rw_rewriter *rw)
{
    ir_op *e = elementwise_producer(op);
    group groups[2 * TTNN_MAX_RANK];
    int64_t shapes[MAX_OPERANDS][TTNN_MAX_RANK];
    ir_value *operands[MAX_OPERANDS];
    ir_type to = op->results[0].type;
    if (!e || !ir_value_has_one_use(&e->results[0]))
        return false;
    ir_type from = e->results[0].type;
    uint32_t n = match_groups(from, to, groups);
    if (type_volume(to, true) >= type_volume(from, true) || n == 0)
        return false;
    for (uint32_t k = 0; k < e->n_operands; k++) {
        ir_type t = e->operands[k].value->type;
        if (!ir_type_is_tensor(t) || t->count != from->count ||
            operand_shape(t, to, groups, n, shapes[k]) != to->count)
            return false;
    }
    for (uint32_t k = 0; k < e->n_operands; k++) {
        ir_value *v = e->operands[k].value;
        ir_op *reshape = ir_value_def(v);
        if (ir_op_is(reshape, TTNN_OP(reshape)) && ir_value_has_one_use(v))
            v = reshape->operands[0].value;
        bool same = v->type->count == to->count &&
                    !memcmp(v->type->dims, shapes[k], to->count * sizeof *shapes[k]);
        operands[k] = same ? v : tnb_reshape(&rw->b, NULL, v, shapes[k], to->count);
    }
    rw_replace1(rw, op, ir_op_result(tnb_clone(&rw->b, NULL, e, operands, &to), 0));
    return true;
}

/* ---- rows in place of tiles with padding */

static ir_type in_rows(ir_type t)
{
    ttnn_layout l;
    ttnn_layout_of(t, &l);
    l.tiled = false;
    return ttnn_tensor_with(t, &l);
}

/* A chain of operations of one operand, each the only user of the one before; the first
 * gets its operand as rows, the last's result becomes tiles again. */
static void run_in_rows(rw_rewriter *rw, ir_op *const *chain, size_t n)
{
    ir_value *v = chain[0]->operands[0].value;
    ttnn_layout l;
    if (is_tiled(v->type, &l) && !ir_op_is(ir_value_def(v), TTNN_OP(to_layout))) {
        l.tiled = false;
        v = tnb_to_spec(&rw->b, "_input_row_major", v, &l);
    }
    for (size_t i = 0; i < n; i++) {
        ir_type t = in_rows(chain[i]->results[0].type);
        v = ir_op_result(tnb_clone(&rw->b, NULL, chain[i], &v, &t), 0);
    }
    ir_type back = chain[n - 1]->results[0].type;
    rw_replace1(rw, chain[n - 1],
                tnb_op(&rw->b, "_restore_layout", TTNN_OP(to_tensor_spec), back,
                       IR_VALUES(v), NULL, 0));
    for (size_t i = n - 1; i-- > 0;)
        rw_erase(rw, chain[i]);
}

static ir_op *only_user(const ir_op *op, const ir_op_def *def)
{
    if (!op || !ir_value_has_one_use(&op->results[0]))
        return NULL;
    ir_op *user = op->results[0].uses->owner;
    return user->def == def && user->block == op->block ? user : NULL;
}

/* The rewriter builds in front of the matched operation: the chain's operand is there, and
 * its last operation comes later, with no other user in between. */
static bool permute_in_rows(ir_op *op, rw_rewriter *rw)
{
    ir_op *repeat = only_user(op, TTNN_OP(repeat));
    ir_op *reshape = only_user(repeat ? repeat : op, TTNN_OP(reshape));
    ir_op *chain[3] = {op, repeat ? repeat : reshape, reshape};
    size_t n = repeat ? 3 : 2;
    int64_t tiles = 0, rows = 0;
    ttnn_layout l;
    if (!reshape)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_tiled(chain[i]->results[0].type, &l))
            return false;
    for (size_t i = 0; i + 1 < n; i++) {
        tiles = TW_MAX(tiles, type_volume(chain[i]->results[0].type, true));
        rows = TW_MAX(rows, type_volume(chain[i]->results[0].type, false));
    }
    if (tiles - rows < MUCH_PADDING)
        return false;
    run_in_rows(rw, chain, n);
    return true;
}

static bool reshape_in_rows(ir_op *op, rw_rewriter *rw)
{
    ir_op *permute = only_user(op, TTNN_OP(permute));
    ttnn_layout l;
    if (!permute || !is_tiled(op->results[0].type, &l) ||
        !is_tiled(permute->results[0].type, &l))
        return false;
    ir_type reshaped = op->results[0].type, permuted = permute->results[0].type;
    if (type_volume(permuted, true) != type_volume(permuted, false) ||
        type_volume(reshaped, true) - type_volume(reshaped, false) < MUCH_PADDING)
        return false;
    run_in_rows(rw, (ir_op *[]){op, permute}, 2);
    return true;
}

/* ---- the pass */

static bool run(ir_op *module, pass_run *run)
{
    const rw_pattern patterns[] = {
        {TTNN_OP(slice_static), slice_before_permute, NULL},
        {TTNN_OP(slice_static), slice_before_reshape, NULL},
        {TTNN_OP(slice_static), reshape_before_slices, NULL},
        {TTNN_OP(slice_static), slice_before_repeat, NULL},
        {TTNN_OP(repeat), repeat_inside, NULL},
        /* aggressive-memory-saving */
        {TTNN_OP(slice_static), slice_before_elementwise, NULL},
        {TTNN_OP(reshape), reshape_before_elementwise, NULL},
        {TTNN_OP(permute), permute_in_rows, NULL},
        {TTNN_OP(reshape), reshape_in_rows, NULL},
    };
    enum { ALWAYS = 5 };
    bool all = pass_option_bool(run, "aggressive-memory-saving");
    rw_greedy(module, patterns, all ? TW_COUNT(patterns) : ALWAYS, NULL);
    return true;
}

const pass_def ttnn_memory_management_pass = {
    .name = "ttnn-memory-management",
    .title = "TTNNMemoryManagement",
    .summary = "Slice early, and avoid shapes that are mostly padding",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"aggressive-memory-saving", PASS_BOOL, "true",
                                  "Move element-wise operations too, and permute in rows"}),
};
