/* fuse_shared.c: three or more products with one first operand become one product with
 * their second operands side by side, whose result is cut apart, as queries, keys and
 * values of attention are made. */
#include "ir/rewrite/effects.h"
#include "ttir/passes/fuse.h"

enum {
    MAX_PRODUCTS = 64,
    LEAST_PRODUCTS = 3,
    /* what one concatenation of biases still leaves room for in a core's memory */
    MAX_COLUMNS = 262144,
};

typedef struct shared {
    ir_op *products[MAX_PRODUCTS];
    size_t n;
    int64_t columns;
    bool biased, mixed; /* mixed: only some second operands are transposed */
} shared;

static bool is_transposed(const ir_op *op, const char *name)
{
    return ir_attr_bool(ir_op_attr(op, name));
}

static int64_t columns_of(const ir_op *op)
{
    ir_type t = op->results[0].type;
    return t->dims[t->count - 1];
}

/* Whether both products can be one: all but the columns of their second operands equal. */
static bool joinable(const ir_op *a, const ir_op *b)
{
    if (a->def != b->def || a->block != b->block || a->n_operands != b->n_operands)
        return false;
    ir_type x = a->operands[1].value->type, y = b->operands[1].value->type;
    ir_type p = a->results[0].type, q = b->results[0].type;
    if (x->count != y->count || p->count != q->count || p->element != q->element ||
        x->element != y->element ||
        is_transposed(a, "transpose_a") != is_transposed(b, "transpose_a") ||
        ir_op_attr(a, "ttcore.weight_dtype") != ir_op_attr(b, "ttcore.weight_dtype"))
        return false;
    for (uint32_t i = 0; i + 2 < x->count; i++)
        if (x->dims[i] != y->dims[i])
            return false;
    return p->count && memcmp(p->dims, q->dims, (p->count - 1) * sizeof *p->dims) == 0;
}

/* One number for each column. */
static bool has_row_bias(const ir_op *op)
{
    ir_type bias = op->operands[2].value->type;
    return bias->count == 1 && bias->dims[0] == columns_of(op);
}

static bool collect(ir_op *op, shared *s)
{
    ir_type b = op->operands[1].value->type;
    s->biased = op->n_operands == 3;
    if (b->count < 2)
        return false;
    for (ir_operand *u = op->operands[0].value->uses; u; u = u->next_use) {
        ir_op *user = u->owner;
        if (u != &user->operands[0] || !joinable(op, user))
            continue;
        if (s->n == MAX_PRODUCTS || (s->biased && !has_row_bias(user)))
            return false;
        s->mixed |= is_transposed(op, "transpose_b") != is_transposed(user, "transpose_b");
        s->columns += columns_of(user);
        s->products[s->n++] = user;
    }
    return s->n >= LEAST_PRODUCTS && s->columns <= MAX_COLUMNS;
}

/* ---- position */

/* Whether an operation of the block comes before `at`. */
static bool is_before(const ir_op *op, const ir_op *at)
{
    for (; op; op = op->next)
        if (op->next == at)
            return true;
    return false;
}

/* Whether a value is there before `at`, or operations of one operand lead from one that is
 * there to it, which can be moved; then they are. */
static bool bring_before(ir_value *v, ir_op *at, bool move)
{
    ir_op *def = ir_value_def(v);
    if (!def || def->block != at->block || is_before(def, at))
        return true;
    if (def == at || def->n_operands != 1 || def->n_regions || !ttir_is_op(def) ||
        !(def->def->traits & IR_NO_MEMORY_EFFECT) ||
        !bring_before(def->operands[0].value, at, move))
        return false;
    if (move) {
        ir_op_remove(def);
        ir_op_insert_before(def, at);
    }
    return true;
}

static ir_op *first_product(const shared *s)
{
    ir_op *first = s->products[0];
    for (size_t i = 1; i < s->n; i++)
        if (is_before(s->products[i], first))
            first = s->products[i];
    return first;
}

/* Whether nothing is written between the first product and the last, whose operands the
 * first then reads. */
static bool read_the_same(const shared *s, const ir_op *first)
{
    size_t left = s->n - 1;
    for (const ir_op *op = first->next; left; op = op->next) {
        if (rw_writes_tensors(op))
            return false;
        for (size_t i = 0; i < s->n; i++)
            left -= s->products[i] == op;
    }
    return true;
}

static bool gather_operands(const shared *s, ir_op *first, bool move)
{
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t k = 1; k < s->products[i]->n_operands; k++)
            if (!bring_before(s->products[i]->operands[k].value, first, move))
                return false;
    return true;
}

/* ---- the product --------------------------------------------------------------------- */

static ir_value *straight(ir_builder *b, const ir_op *op)
{
    ir_value *v = op->operands[1].value;
    int64_t order[TTIR_MAX_DIMS], rank = v->type->count;
    if (!is_transposed(op, "transpose_b"))
        return v;
    for (int64_t i = 0; i < rank; i++)
        order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    return ttir_build_permute(b, v, order);
}

static ir_value *side_by_side(ir_builder *b, const shared *s, uint32_t operand)
{
    ir_value *values[MAX_PRODUCTS];
    for (size_t i = 0; i < s->n; i++)
        values[i] = operand == 1 && s->mixed ? straight(b, s->products[i])
                                             : s->products[i]->operands[operand].value;
    int64_t rank = values[0]->type->count;
    bool transposed =
        operand == 1 && !s->mixed && is_transposed(s->products[0], "transpose_b");
    return ttir_build_concat(b, values, s->n, transposed ? rank - 2 : rank - 1);
}

bool ttir_fuse_shared_operand(ir_op *op, rw_rewriter *rw)
{
    shared s = {.n = 0};
    ir_type type = op->results[0].type;
    if (ttir_fuse_exact(rw) || type->count > TTIR_MAX_DIMS || !collect(op, &s))
        return false;
    ir_op *first = first_product(&s);
    if (!read_the_same(&s, first) || !gather_operands(&s, first, false))
        return false;
    gather_operands(&s, first, true);
    ir_builder b = ir_builder_before(first);
    int64_t dims[TTIR_MAX_DIMS], rank = type->count, from = 0;
    memcpy(dims, type->dims, type->count * sizeof *dims);
    dims[rank - 1] = s.columns;
    ir_value *operands[] = {first->operands[0].value, side_by_side(&b, &s, 1),
                            s.biased ? side_by_side(&b, &s, 2) : NULL};
    ir_op *made =
        ttir_build_like(&b, first, operands, ir_type_with_shape(type, dims, type->count));
    if (s.mixed)
        ir_op_set_attr(made, "transpose_b", ir_bool_attr(op->ctx, false));
    ir_value *parts[MAX_PRODUCTS];
    for (size_t i = 0; i < s.n; i++) {
        int64_t n = columns_of(s.products[i]);
        parts[i] = ttir_build_slice_dim(&b, &made->results[0], rank - 1, from, from + n);
        from += n;
    }
    for (size_t i = 0; i < s.n; i++)
        rw_replace1(rw, s.products[i], parts[i]);
    return true;
}
