/* fuse_rope.c: rotary position embeddings that are written out become a composite, which
 * is TTNN's operation or its decomposition again (ttnn-resolve-composites). Three forms are
 * known:
 *
 *     x * cos + concat(-x[d/2:], x[:d/2]) * sin
 *     concat(x[:d/2] * c - x[d/2:] * s, x[d/2:] * c + x[:d/2] * s)
 *     pairs (x0, x1) of adjacent elements times 2x2 matrices [[c, -s], [s, c]]
 *
 * That the matrices of the third form are rotations is taken from the form: this pattern,
 * as all of these, is not part of exact fusing. */
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttir/passes/fuse.h"

enum { RANK = 4, LAST = 3, PAIRED_RANK = 6 };

static const char MARK[] = "tt.composite_decomposition"; /* on decompositions */

/* ---- questions ---------------------------------------------------------------------- */

static ir_op *parent_func(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}

static bool may_fuse(ir_op *op)
{
    ir_op *func = parent_func(op);
    return func && !ir_op_attr(func, MARK) && ir_op_parent(func);
}

static ir_value *behind_broadcasts(ir_value *v)
{
    for (ir_op *d; (d = ttir_producer(v, TTIR_OP(broadcast)));)
        v = d->operands[0].value;
    return v;
}

static bool moves(const ir_op *op)
{
    return ir_op_is(op, TTIR_OP(broadcast)) || ir_op_is(op, TTIR_OP(reshape)) ||
           ir_op_is(op, TTIR_OP(typecast));
}

static ir_value *behind_moves(ir_value *v)
{
    for (ir_op *d; moves(d = ttir_source(v));)
        v = d->operands[0].value;
    return v;
}

/* Whether both are one value, or come from one by equal moves. */
static bool same_value(ir_value *a, ir_value *b)
{
    while (a != b) {
        ir_op *x = ttir_source(a), *y = ttir_source(b);
        if (!moves(x) || !y || x->def != y->def || a->type != b->type)
            return false;
        a = x->operands[0].value;
        b = y->operands[0].value;
    }
    return true;
}

/* Whether a slice takes all of its operand but for one dimension, there [begin, end). */
static bool slices(const ir_op *op, uint32_t dim, int64_t begin, int64_t end)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_type t = op->operands[0].value->type;
    if (ttir_numbers(op, "begins", begins) != t->count ||
        ttir_numbers(op, "ends", ends) != t->count ||
        ttir_numbers(op, "step", steps) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (steps[i] != 1 || begins[i] != (i == dim ? begin : 0) ||
            ends[i] != (i == dim ? end : t->dims[i]))
            return false;
    return true;
}

/* The operand of which v is the first half (upper false) or the second of the last
 * dimension; NULL if it is neither. */
static ir_value *half_of(ir_value *v, bool upper)
{
    ir_op *slice = ttir_producer(v, TTIR_OP(slice_static));
    ir_value *x = slice ? slice->operands[0].value : NULL;
    if (!x || x->type->count != RANK || x->type->dims[LAST] % 2)
        return NULL;
    int64_t half = x->type->dims[LAST] / 2;
    return slices(slice, LAST, upper ? half : 0, upper ? 2 * half : half) ? x : NULL;
}

static bool joins_last(const ir_op *op)
{
    ir_type t = op->results[0].type;
    return op->n_operands == 2 && t->count == RANK &&
           ttir_dim(ir_op_int(op, "dim", -1), RANK) == LAST;
}

/* Cosines or sines as an operand of the composite: the size of a head, anything that is
 * broadcast in front of it. */
static ir_value *table_of(ir_value *v, const ir_value *x, int64_t size)
{
    ir_value *before = behind_broadcasts(v);
    v = before->type->count == RANK && before->type->dims[LAST] == size ? before : v;
    if (v->type->count != RANK || v->type->element != x->type->element ||
        v->type->dims[LAST] != size)
        return NULL;
    for (uint32_t i = 0; i < LAST; i++)
        if (v->type->dims[i] != 1 && v->type->dims[i] != x->type->dims[i])
            return NULL;
    return v;
}

/* ---- the composite ------------------------------------------------------------------ */

static bool is_doubled(const ir_value *v)
{
    ir_op *c = ttir_producer(v, TTIR_OP(concat));
    return c && joins_last(c) && c->operands[0].value == c->operands[1].value;
}

static ir_value *doubled(ir_builder *b, ir_value *half)
{
    return ttir_build_concat(b, (ir_value *[]){half, half}, 2, LAST);
}

static ir_value *half(ir_builder *b, ir_value *v, bool upper)
{
    int64_t size = v->type->dims[LAST] / 2;
    return ttir_build_slice_dim(b, v, LAST, upper ? size : 0, upper ? 2 * size : size);
}

static ir_value *multiply(ir_builder *b, ir_value *x, ir_value *table)
{
    return ttir_build_binary(b, TTIR_OP(multiply), x, table);
}

/* Doubled tables are read once, by each half of x. */
static ir_value *rotate_by_halves(ir_builder *b, ir_value *x, ir_value *cos, ir_value *sin)
{
    ir_value *lower = half(b, x, false), *upper = half(b, x, true);
    ir_value *c = half(b, cos, false), *s = half(b, sin, false);
    ir_value *parts[2], *of_sine = multiply(b, upper, s);
    parts[0] = ttir_build_binary(b, TTIR_OP(subtract), multiply(b, lower, c), of_sine);
    of_sine = multiply(b, lower, s);
    parts[1] = ttir_build_binary(b, TTIR_OP(add), multiply(b, upper, c), of_sine);
    return ttir_build_concat(b, parts, 2, LAST);
}

static ir_value *rotate(ir_builder *b, ir_value *x, ir_value *cos, ir_value *sin)
{
    ir_value *parts[2] = {ttir_build_unary(b, TTIR_OP(neg), half(b, x, true)),
                          half(b, x, false)};
    ir_value *turned = ttir_build_concat(b, parts, 2, LAST);
    ir_value *of_sine = multiply(b, turned, sin);
    return ttir_build_binary(b, TTIR_OP(add), multiply(b, x, cos), of_sine);
}

static ir_attr build_decomposition(ir_op *at, ir_type x, ir_type cos, ir_type sin,
                                   bool split)
{
    ir_context *ctx = at->ctx;
    ir_op *module = ir_op_parent(parent_func(at));
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), at->loc);
    ir_attr name = ir_symbol_free_name(module, "rotary_embedding_decomp");
    ir_type type = ir_function_type(ctx, (ir_type[]){x, cos, sin}, 3, &x, 1);
    ir_op *func = func_create(&b, name, type, true);
    ir_op_set_attr(func, MARK, ir_unit_attr(ctx));
    ir_block *body = func_add_body(func);
    b = ir_builder_at_end(ctx, body, at->loc);
    ir_value *y = (split ? rotate_by_halves : rotate)(&b, body->args[0], body->args[1],
                                                      body->args[2]);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, &y, 1, NULL, 0, 0);
    return ir_symbol_ref(ctx, ir_attr_str(name));
}

/* The composite of x and of tables as long as a head. */
static ir_value *build_composite(rw_rewriter *rw, ir_op *at, ir_value *x, ir_value *cos,
                                 ir_value *sin)
{
    ir_attr body = build_decomposition(at, x->type, cos->type, sin->type,
                                       is_doubled(cos) && is_doubled(sin));
    return ir_build1(
        &rw->b, TTCORE_OP(composite), x->type, IR_VALUES(x, cos, sin),
        IR_ATTRS({"composite_name", ir_string_attr(at->ctx, TW_STR("rotary_embedding"))},
                 {"decomposition", body}));
}

/* ---- x * cos + rotated(x) * sin ------------------------------------------------------ */

/* x if v is concat(-x[d/2:], x[:d/2]), which nothing else reads. */
static ir_value *rotated(ir_value *v)
{
    ir_op *concat = ttir_only_producer(v, TTIR_OP(concat));
    if (!concat || !joins_last(concat))
        return NULL;
    ir_op *neg = ttir_only_producer(concat->operands[0].value, TTIR_OP(neg));
    ir_value *x = neg ? half_of(neg->operands[0].value, true) : NULL;
    return x && x == half_of(concat->operands[1].value, false) ? x : NULL;
}

bool ttir_fuse_rope(ir_op *op, rw_rewriter *rw)
{
    ir_op *products[2] = {ttir_only_producer(op->operands[0].value, TTIR_OP(multiply)),
                          ttir_only_producer(op->operands[1].value, TTIR_OP(multiply))};
    if (!products[0] || !products[1] || products[0] == products[1] || !may_fuse(op))
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        const ir_op *with_sin = products[i / 2], *with_cos = products[1 - i / 2];
        ir_value *x = rotated(with_sin->operands[i % 2].value);
        if (!x || x->type != op->results[0].type)
            continue;
        bool second = with_cos->operands[1].value == x;
        if (!second && with_cos->operands[0].value != x)
            return false;
        int64_t size = x->type->dims[LAST];
        ir_value *cos = table_of(with_cos->operands[!second].value, x, size);
        ir_value *sin = table_of(with_sin->operands[1 - i % 2].value, x, size);
        if (!cos || !sin)
            return false;
        rw_replace1(rw, op, build_composite(rw, op, x, cos, sin));
        return true;
    }
    return false;
}

/* ---- a difference and a sum */

/* A product of half of x and a table. */
typedef struct part {
    ir_value *x, *table;
    bool upper;
} part;

static bool read_part(ir_value *v, part *out)
{
    ir_op *product = ttir_only_producer(v, TTIR_OP(multiply));
    for (uint32_t i = 0; product && i < 2; i++)
        for (uint32_t upper = 0; upper < 2; upper++) {
            out->x = half_of(product->operands[i].value, upper);
            out->upper = upper;
            out->table = product->operands[1 - i].value;
            if (out->x)
                return true;
        }
    return false;
}

bool ttir_fuse_rope_halves(ir_op *op, rw_rewriter *rw)
{
    part difference[2], sum[2];
    if (!joins_last(op) || !may_fuse(op))
        return false;
    ir_op *sub = ttir_only_producer(op->operands[0].value, TTIR_OP(subtract));
    ir_op *add = ttir_only_producer(op->operands[1].value, TTIR_OP(add));
    if (!sub || !add)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (!read_part(sub->operands[i].value, &difference[i]) ||
            !read_part(add->operands[i].value, &sum[i]))
            return false;
    ir_value *x = difference[0].x;
    uint32_t upper = sum[0].upper ? 0 : 1; /* which summand has the cosines */
    if (difference[1].x != x || sum[0].x != x || sum[1].x != x || difference[0].upper ||
        !difference[1].upper || sum[0].upper == sum[1].upper ||
        x->type != op->results[0].type ||
        !same_value(difference[0].table, sum[upper].table) ||
        !same_value(difference[1].table, sum[1 - upper].table))
        return false;
    int64_t size = x->type->dims[LAST] / 2;
    ir_value *cos = table_of(difference[0].table, x, size);
    ir_value *sin = table_of(difference[1].table, x, size);
    if (!cos || !sin)
        return false;
    cos = doubled(&rw->b, cos);
    sin = doubled(&rw->b, sin);
    rw_replace1(rw, op, build_composite(rw, op, x, cos, sin));
    return true;
}

/* ---- pairs */

/* One column of the matrices times one element of the pairs. */
typedef struct column {
    ir_value *pairs, *matrices;
    int64_t element, index; /* index: -1 if it is gathered */
} column;

static ir_op *slice_behind(ir_value *v)
{
    return ttir_producer(behind_moves(v), TTIR_OP(slice_static));
}

/* Which of two indices of the last dimension a slice takes; -1 if it does anything else. */
static int64_t index_of(const ir_op *slice)
{
    ir_type t = slice->operands[0].value->type;
    for (int64_t i = 0; t->count && t->dims[t->count - 1] == 2 && i < 2; i++)
        if (slices(slice, t->count - 1, i, i + 1))
            return i;
    return -1;
}

/* The matrices of which a column is looked up element by element. Which column is not
 * known here: the caller takes it to be the one that the other product does not read. */
static ir_value *gathered_from(ir_value *v)
{
    ir_op *lookup = ttir_producer(behind_moves(v), TTIR_OP(embedding));
    ir_value *from = lookup ? behind_moves(lookup->operands[1].value) : NULL;
    return from && ir_type_num_elements(from->type) ==
                       2 * ir_type_num_elements(lookup->operands[0].value->type)
               ? from
               : NULL;
}

static bool read_column(ir_value *v, column *out)
{
    ir_op *product = ttir_only_producer(v, TTIR_OP(multiply));
    for (uint32_t i = 0; product && i < 2; i++) {
        ir_op *pair = slice_behind(product->operands[i].value);
        ir_value *other = product->operands[1 - i].value;
        ir_op *matrix = slice_behind(other);
        ir_type t = pair ? pair->operands[0].value->type : NULL;
        if (!t || t->count != PAIRED_RANK || t->dims[4] != 1 || index_of(pair) < 0)
            continue;
        out->pairs = pair->operands[0].value;
        out->element = index_of(pair);
        out->index = matrix ? index_of(matrix) : -1;
        out->matrices = out->index >= 0 ? matrix->operands[0].value : gathered_from(other);
        if (out->matrices)
            return true;
    }
    return false;
}

static ir_value *behind_reshapes(ir_value *v)
{
    for (ir_op *d; (d = ttir_producer(v, TTIR_OP(reshape)));)
        v = d->operands[0].value;
    return v;
}

/* Both columns of one tensor of matrices, each times its own element of one tensor of
 * pairs. Returns the column that was sliced. */
static const column *match_columns(column *c)
{
    if (c[0].pairs != c[1].pairs ||
        behind_reshapes(c[0].matrices) != behind_reshapes(c[1].matrices) ||
        (c[0].index < 0 && c[1].index < 0))
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        c[i].index = c[i].index < 0 ? 1 - c[1 - i].index : c[i].index;
    return c[0].element != c[1].element && c[0].element == c[0].index &&
                   c[1].element == c[1].index
               ? &c[c[0].matrices->type->count != PAIRED_RANK]
               : NULL;
}

static ir_value *strided(ir_builder *b, ir_value *x, int64_t first)
{
    int64_t begins[RANK] = {0}, ends[RANK], steps[RANK] = {1, 1, 1, 2};
    memcpy(ends, x->type->dims, sizeof ends);
    begins[LAST] = first;
    return ttir_build_slice(b, x, begins, ends, steps);
}

/* The table of one row of the first columns: cosines in row 0, sines in row 1. */
static ir_value *table_of_row(ir_builder *b, ir_value *matrices, int64_t row)
{
    ir_value *v = ttir_build_slice_dim(b, matrices, 4, row, row + 1);
    v = ttir_build_slice_dim(b, v, 5, 0, 1);
    return doubled(b, ttir_build_reshape(b, v, matrices->type->dims, RANK));
}

bool ttir_fuse_rope_pairs(ir_op *op, rw_rewriter *rw)
{
    ir_op *sum = ttir_only_producer(op->operands[0].value, TTIR_OP(add));
    column columns[2];
    if (!sum || !may_fuse(op) || !read_column(sum->operands[0].value, &columns[0]) ||
        !read_column(sum->operands[1].value, &columns[1]))
        return false;
    const column *sliced = match_columns(columns);
    ir_op *split = sliced ? ttir_producer(sliced->pairs, TTIR_OP(reshape)) : NULL;
    ir_value *x = split ? split->operands[0].value : NULL;
    ir_value *matrices = sliced ? sliced->matrices : NULL;
    if (!x || x->type->count != RANK || x->type != op->results[0].type ||
        matrices->type->count != PAIRED_RANK || matrices->type->element != x->type->element)
        return false;
    const int64_t *dims = x->type->dims, *of = matrices->type->dims;
    int64_t size = dims[LAST] / 2;
    if (dims[LAST] != 2 * size || sliced->pairs->type->dims[LAST] != size ||
        of[LAST] != size || of[4] != 2 || of[5] != 2)
        return false;
    for (uint32_t i = 0; i < LAST; i++)
        if (of[i] != 1 && of[i] != dims[i])
            return false;
    ir_builder *b = &rw->b;
    ir_value *cos = table_of_row(b, matrices, 0), *sin = table_of_row(b, matrices, 1);
    ir_value *elements[2] = {strided(b, x, 0), strided(b, x, 1)};
    ir_value *y =
        build_composite(rw, op, ttir_build_concat(b, elements, 2, LAST), cos, sin);
    y = ttir_build_reshape(b, y, (int64_t[]){dims[0], dims[1], dims[2], 2, size}, RANK + 1);
    y = ttir_build_permute(b, y, (int64_t[]){0, 1, 2, 4, 3});
    rw_replace1(rw, op, ttir_build_reshape(b, y, dims, RANK));
    return true;
}
