/* commute_shape.c: permutes and reshapes are exchanged with operations that move
 * elements themselves: broadcast, concat, slice_static. */
#include "ttir/passes/commute.h"

static void permute_array(const int64_t *in, const int64_t *order, size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[order[i]];
}

static void inverse(const int64_t *order, size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[order[i]] = (int64_t)i;
}

static int64_t volume(const int64_t *dims, int64_t begin, int64_t end)
{
    int64_t n = 1;
    for (int64_t i = begin; i < end; i++)
        n *= dims[i];
    return n;
}

/* ---- broadcast ---------------------------------------------------------------------- */

/* Element-wise operations repeat their operands in the last six dimensions only. */
static bool broadcasts_implicitly(const int64_t *factors, size_t n)
{
    for (size_t i = 0; i + 6 < n; i++)
        if (factors[i] != 1)
            return false;
    return true;
}

ir_value *ttir_permute_above_broadcast(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t factors[TTIR_MAX_DIMS], order[TTIR_MAX_DIMS], moved[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(op, "broadcast_dimensions", factors);
    if (!broadcasts_implicitly(factors, n) ||
        ttir_numbers(mover, "permutation", order) != n)
        return NULL;
    permute_array(factors, order, n, moved);
    return ttir_build_broadcast(b, ttir_build_permute(b, op->operands[0].value, order),
                                moved);
}

/* A run of elements that are all repeated, or all the operand's own. */
typedef struct part {
    int64_t left; /* elements not yet given to a dimension of the reshape's result */
    bool own;
} part;

static size_t split(ir_type from, const int64_t *factors, part *parts)
{
    size_t n = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        bool own = factors[i] == 1;
        int64_t size = own ? from->dims[i] : factors[i];
        if (size == 1)
            continue;
        if (n && parts[n - 1].own == own)
            parts[n - 1].left *= size;
        else
            parts[n++] = (part){size, own};
    }
    return n;
}

/* Gives the parts to the dimensions of the result from the last to the first; no
 * dimension may hold elements of two parts. */
ir_value *ttir_reshape_above_broadcast(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t factors[TTIR_MAX_DIMS], dims[TTIR_MAX_DIMS], repeats[TTIR_MAX_DIMS];
    part parts[TTIR_MAX_DIMS];
    ir_value *x = op->operands[0].value;
    ir_type to = mover->results[0].type;
    size_t n = ttir_numbers(op, "broadcast_dimensions", factors);
    if (!broadcasts_implicitly(factors, n) || n != x->type->count ||
        to->count > TTIR_MAX_DIMS || ir_type_num_elements(to) == 0)
        return NULL;
    size_t at = split(x->type, factors, parts);
    for (uint32_t i = to->count; i-- > 0;) {
        dims[i] = to->dims[i];
        repeats[i] = 1;
        if (dims[i] == 1)
            continue;
        if (at == 0 || parts[at - 1].left % dims[i] != 0)
            return NULL;
        part *p = &parts[at - 1];
        p->left /= dims[i];
        if (!p->own) {
            repeats[i] = dims[i];
            dims[i] = 1;
        }
        if (p->left == 1)
            at--;
    }
    return at ? NULL
              : ttir_build_broadcast(b, ttir_build_reshape(b, x, dims, to->count), repeats);
}

/* ---- concat ------------------------------------------------------------------------- */

enum { MAX_PARTS = 64 };

ir_value *ttir_permute_above_concat(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS], position[TTIR_MAX_DIMS];
    ir_value *parts[MAX_PARTS];
    size_t n = ttir_numbers(mover, "permutation", order);
    if (op->n_operands > MAX_PARTS)
        return NULL;
    inverse(order, n, position);
    for (uint32_t i = 0; i < op->n_operands; i++)
        parts[i] = ttir_build_permute(b, op->operands[i].value, order);
    return ttir_build_concat(b, parts, op->n_operands,
                             position[ttir_dim(ir_op_int(op, "dim", 0), (int64_t)n)]);
}

ir_value *ttir_permute_below_concat(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS], back[TTIR_MAX_DIMS];
    ir_value *parts[MAX_PARTS];
    size_t n = ttir_numbers(mover, "permutation", order);
    if (op->n_operands > MAX_PARTS)
        return NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (!ttir_same_mover(ir_value_def(v), mover) && !ttir_traces_to_constants(v))
            return NULL;
    }
    inverse(order, n, back);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        parts[i] = ir_value_def(v) == mover ? mover->operands[0].value
                                            : ttir_build_permute(b, v, back);
    }
    int64_t dim = order[ttir_dim(ir_op_int(op, "dim", 0), (int64_t)n)];
    return ttir_build_permute(b, ttir_build_concat(b, parts, op->n_operands, dim), order);
}

ir_value *ttir_reshape_above_concat(ir_op *op, ir_op *mover, ir_builder *b)
{
    ir_type from = op->results[0].type, to = mover->results[0].type;
    ir_value *parts[MAX_PARTS];
    int64_t dims[TTIR_MAX_DIMS];
    int64_t dim = ttir_dim(ir_op_int(op, "dim", 0), from->count), at = 0;
    if (op->n_operands > MAX_PARTS || to->count > TTIR_MAX_DIMS)
        return NULL;
    for (; at < to->count; at++)
        if (to->dims[at] == from->dims[dim] &&
            volume(to->dims, 0, at) == volume(from->dims, 0, dim) &&
            volume(to->dims, at + 1, to->count) == volume(from->dims, dim + 1, from->count))
            break;
    if (at == to->count)
        return NULL;
    memcpy(dims, to->dims, to->count * sizeof *dims);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        dims[at] = op->operands[i].value->type->dims[dim];
        parts[i] = ttir_build_reshape(b, op->operands[i].value, dims, to->count);
    }
    return ttir_build_concat(b, parts, op->n_operands, at);
}

/* ---- slice_static ------------------------------------------------------------------- */

typedef struct cut {
    int64_t begin[TTIR_MAX_DIMS], end[TTIR_MAX_DIMS], step[TTIR_MAX_DIMS];
} cut;

/* Where the slice begins and ends, counted from the front. */
static bool read_cut(ir_op *op, cut *c)
{
    ir_type from = op->operands[0].value->type;
    if (from->count > TTIR_MAX_DIMS ||
        ttir_numbers(op, "begins", c->begin) != from->count ||
        ttir_numbers(op, "ends", c->end) != from->count ||
        ttir_numbers(op, "step", c->step) != from->count)
        return false;
    for (uint32_t i = 0; i < from->count; i++) {
        c->begin[i] = ttir_dim(c->begin[i], from->dims[i]);
        c->end[i] = ttir_dim(c->end[i], from->dims[i]);
        if (c->step[i] < 1)
            return false;
    }
    return true;
}

static ir_value *permuted_cut(ir_builder *b, ir_value *v, const cut *c,
                              const int64_t *order)
{
    cut moved;
    size_t n = v->type->count;
    permute_array(c->begin, order, n, moved.begin);
    permute_array(c->end, order, n, moved.end);
    permute_array(c->step, order, n, moved.step);
    return ttir_build_slice(b, v, moved.begin, moved.end, moved.step);
}

ir_value *ttir_permute_above_slice(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS];
    cut c;
    ttir_numbers(mover, "permutation", order);
    if (!read_cut(op, &c))
        return NULL;
    return permuted_cut(b, ttir_build_permute(b, op->operands[0].value, order), &c, order);
}

ir_value *ttir_permute_below_slice(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS], back[TTIR_MAX_DIMS];
    cut c;
    size_t n = ttir_numbers(mover, "permutation", order);
    if (!read_cut(op, &c))
        return NULL;
    inverse(order, n, back);
    return ttir_build_permute(b, permuted_cut(b, mover->operands[0].value, &c, back),
                              order);
}

/* How many trailing dimensions the reshape leaves as they are; -1: all dimensions. */
static int64_t untouched(const ir_op *mover)
{
    ir_type from = mover->operands[0].value->type, to = mover->results[0].type;
    int64_t n = 0, most = TW_MIN(from->count, to->count);
    if (ttir_same_shape(from, to))
        return -1;
    while (n < most && from->dims[from->count - 1 - n] == to->dims[to->count - 1 - n])
        n++;
    return n;
}

/* How many trailing dimensions reach to the first one that is cut; 0: none is. */
static int64_t trailing_cut(const cut *c, ir_type from)
{
    for (uint32_t i = 0; i < from->count; i++)
        if (c->begin[i] != 0 || c->end[i] != from->dims[i] || c->step[i] != 1)
            return from->count - i;
    return 0;
}

/* The last `n` dimensions cut as `c` says for those of `from`, the others whole. */
static ir_value *cut_behind(ir_builder *b, ir_value *v, const cut *c, ir_type from,
                            int64_t n)
{
    cut moved;
    int64_t rank = v->type->count;
    for (int64_t i = 0; i < rank; i++) {
        int64_t old = from->count - rank + i;
        bool whole = i < rank - n;
        moved.begin[i] = whole ? 0 : c->begin[old];
        moved.end[i] = whole ? v->type->dims[i] : c->end[old];
        moved.step[i] = whole ? 1 : c->step[old];
    }
    return ttir_build_slice(b, v, moved.begin, moved.end, moved.step);
}

ir_value *ttir_reshape_above_slice(ir_op *op, ir_op *mover, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type from = x->type, to = mover->results[0].type;
    int64_t dims[TTIR_MAX_DIMS], kept = untouched(mover);
    cut c;
    if (to->count > TTIR_MAX_DIMS || !read_cut(op, &c))
        return NULL;
    int64_t n = trailing_cut(&c, from);
    if (n == 0 || kept < n)
        return NULL;
    int64_t shift = (int64_t)from->count - to->count;
    for (int64_t i = 0; i < to->count; i++)
        dims[i] = i < to->count - kept ? to->dims[i] : from->dims[shift + i];
    return cut_behind(b, ttir_build_reshape(b, x, dims, to->count), &c, from, n);
}

ir_value *ttir_reshape_below_slice(ir_op *op, ir_op *mover, ir_builder *b)
{
    ir_value *x = mover->operands[0].value;
    ir_type from = op->operands[0].value->type, to = op->results[0].type;
    cut c;
    if (x->type->count > TTIR_MAX_DIMS || !read_cut(op, &c))
        return NULL;
    int64_t n = trailing_cut(&c, from);
    if (n == 0 || untouched(mover) < n)
        return NULL;
    return ttir_build_reshape(b, cut_behind(b, x, &c, from, n), to->dims, to->count);
}
