/* group_combine.c: combines operations of a complete group that one pass over a strip can
 * do, with the same roundings. */
#include "runtime/group_impl.h"

#include <float.h>

/* Returns the only operation that reads operation i, or -1; a tail counts as a reader. */
static int only_reader(const group *g, int i)
{
    int reader = -1;
    if (g->tail.out && g->tail_of == i)
        return -1;
    for (int k = i + 1; k < g->n_ops; k++)
        for (int a = 0; a < g->ops[k].arity; a++)
            if (g->ops[k].in[a] == LEAVES + i) {
                if (reader >= 0)
                    return -1;
                reader = k;
            }
    return reader;
}

static bool inner_add(const group *g, int operand)
{
    if (operand < LEAVES)
        return false;
    const group_op *op = &g->ops[operand - LEAVES];
    return op->id == KRN_STRIP_add && !op->store && only_reader(g, operand - LEAVES) >= 0 &&
           (op->out->dtype == TW_F32 || op->out->dtype == TW_BF16);
}

static void remove_op(group *g, int at)
{
    for (int i = at; i + 1 < g->n_ops; i++) {
        g->ops[i] = g->ops[i + 1];
        for (int k = 0; k < g->ops[i].arity; k++)
            g->ops[i].in[k] = (int8_t)(g->ops[i].in[k] - (g->ops[i].in[k] > LEAVES + at));
    }
    g->n_ops--;
    g->tail_of -= g->tail.out && at < g->tail_of;
}

/* True if a store lies between two operations: a read must not be moved after it, since the
 * two may share memory. */
static bool stores_between(const group *g, int from, int to)
{
    bool stores = false;
    for (int i = from; i < to; i++)
        stores |= g->ops[i].store;
    return stores;
}

/* (a + b) + (c + d) in one pass over the strips, with the same roundings. */
static void join_adds(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        group_op *op = &g->ops[i];
        if (op->id != KRN_STRIP_add || !inner_add(g, op->in[0]) ||
            !inner_add(g, op->in[1]) || op->in[0] == op->in[1])
            continue;
        const int left = op->in[0] - LEAVES, right = op->in[1] - LEAVES;
        const group_op *l = &g->ops[left], *r = &g->ops[right];
        if (l->out->dtype != r->out->dtype || stores_between(g, TW_MIN(left, right), i))
            continue;
        op->id = l->out->dtype == TW_F32 ? KRN_STRIP_add4 : KRN_STRIP_add4_bf16;
        op->fn = g->set->fn[op->id];
        op->arity = 4;
        memcpy(op->in, (int8_t[]){l->in[0], l->in[1], r->in[0], r->in[1]}, 4);
        remove_op(g, TW_MAX(left, right));
        remove_op(g, TW_MIN(left, right));
        i -= 2;
    }
}

static bool is_number(const group *g, int operand, float lowest, float highest)
{
    float f;
    const rt_value *v = operand < LEAVES ? g->leaves[operand].value : NULL;
    if (!v ||
        !(g->leaves[operand].splat || (v->buffer->constant && v->count == 1 && rt_data(v))))
        return false;
    rt_load_f32(v->dtype, rt_data(v), 0, 1, &f);
    return f >= lowest && f <= highest;
}

static size_t readers(const group *g, int operand)
{
    size_t n = g->tail.out && g->tail_of == operand - LEAVES;
    for (int i = 0; i < g->n_ops; i++)
        for (int a = 0; a < g->ops[i].arity; a++)
            n += g->ops[i].in[a] == operand;
    return n;
}

/* Returns the operation at an operand index if it is of this kind and has exactly this many
 * readers. */
static const group_op *behind(const group *g, int operand, krn_strip_id id, size_t times)
{
    const group_op *op = operand >= LEAVES ? &g->ops[operand - LEAVES] : NULL;
    return op && op->id == id && !op->store && readers(g, operand) == times ? op : NULL;
}

static const group_op *inner(const group *g, int operand, krn_strip_id id)
{
    return behind(g, operand, id, 1);
}

/* Returns the operand x of a product of x and a constant in [lowest, highest], in either
 * order; -1 if there is none. */
static int scaled_operand(const group *g, const group_op *product, float lowest,
                          float highest)
{
    return !product                                        ? -1
           : is_number(g, product->in[0], lowest, highest) ? product->in[1]
           : is_number(g, product->in[1], lowest, highest) ? product->in[0]
                                                           : -1;
}

/* Removes the operations at these operand indices, all before `last`. */
static void remove_all(group *g, const int *operands, size_t count, int last)
{
    for (size_t i = 0; i < count; i++)
        g->ops[operands[i] - LEAVES].fn = NULL;
    for (int i = last - 1; i >= 0; i--)
        if (!g->ops[i].fn)
            remove_op(g, i);
}

/* Rewrites the operation to a function of `x` only. */
static void become_unary(const group *g, group_op *op, krn_strip_id id, int x)
{
    op->id = id;
    op->fn = g->set->fn[id];
    op->arity = 1;
    op->in[0] = (int8_t)x;
}

/* 0.5 x erfc(-x sqrt(1/2)), as JAX writes it, is gelu, which is rounded only once. */
static void join_gelu(group *g)
{
    const int last = g->n_ops - 1;
    group_op *op = &g->ops[last];
    for (int side = 0; side < 2 && g->n_ops >= 5; side++) {
        const group_op *half = inner(g, op->in[side], KRN_STRIP_multiply);
        const group_op *erfc = inner(g, op->in[1 - side], KRN_STRIP_erfc);
        if (op->id != KRN_STRIP_multiply || !half || !erfc)
            continue;
        const group_op *product = inner(g, erfc->in[0], KRN_STRIP_multiply);
        const int x = scaled_operand(g, half, 0.5f, 0.5f);
        const int turned = scaled_operand(g, product, 0.70703f, 0.70711f);
        const group_op *neg = turned < 0 ? NULL : inner(g, turned, KRN_STRIP_neg);
        if (x < 0 || !neg || neg->in[0] != x ||
            stores_between(g, x >= LEAVES ? x - LEAVES + 1 : 0, last))
            continue;
        const int gone[] = {op->in[0], op->in[1], erfc->in[0], turned};
        become_unary(g, op, KRN_STRIP_gelu, x);
        remove_all(g, gone, TW_COUNT(gone), last);
        return;
    }
}

/* Returns the argument x of exp(x - log 2), with the constant in any format; -1
 * otherwise. */
static int half_exp(const group *g, const group_op *op)
{
    const group_op *less = op ? inner(g, op->in[0], KRN_STRIP_subtract) : NULL;
    return less && is_number(g, less->in[1], 0.6914f, 0.6932f) ? less->in[0] : -1;
}

/* exp(x - log 2) + exp(-x - log 2), a common form, is cosh(x). */
static void join_cosh(group *g)
{
    const int last = g->n_ops - 1;
    group_op *op = &g->ops[last];
    for (int side = 0; side < 2 && op->id == KRN_STRIP_add; side++) {
        const group_op *up = inner(g, op->in[side], KRN_STRIP_exp);
        const group_op *down = inner(g, op->in[1 - side], KRN_STRIP_exp);
        const int x = half_exp(g, up), minus = half_exp(g, down);
        const group_op *neg = minus < 0 ? NULL : inner(g, minus, KRN_STRIP_neg);
        if (x < 0 || !neg || neg->in[0] != x ||
            stores_between(g, x >= LEAVES ? x - LEAVES + 1 : 0, last))
            continue;
        const int gone[] = {op->in[0], op->in[1], up->in[0], down->in[0], minus};
        become_unary(g, op, KRN_STRIP_cosh, x);
        remove_all(g, gone, TW_COUNT(gone), last);
        return;
    }
}

/* True if operations of these results round as the strips of f32 (or of bf16) do. */
static bool of_one_type(const group_op *const *ops, size_t count)
{
    const tw_dtype t = ops[0]->out->dtype;
    for (size_t i = 1; i < count; i++)
        if (ops[i]->out->dtype != t)
            return false;
    return t == TW_F32 || t == TW_BF16;
}

static tw_dtype operand_type(const group *g, int operand)
{
    return (operand < LEAVES ? g->leaves[operand].value : g->ops[operand - LEAVES].out)
        ->dtype;
}

/* exp(x) + exp(-x), both of one reduction, with the same roundings. */
static void join_exp_pair(group *g)
{
    for (int last = 0; last < g->n_ops; last++) {
        group_op *op = &g->ops[last];
        const group_op *up = inner(g, op->in[0], KRN_STRIP_exp);
        const group_op *down = op->arity == 2 ? inner(g, op->in[1], KRN_STRIP_exp) : NULL;
        const group_op *neg = up && down ? inner(g, down->in[0], KRN_STRIP_neg) : NULL;
        if (op->id != KRN_STRIP_add || !neg || neg->in[0] != up->in[0] ||
            !of_one_type((const group_op *[]){op, up, down, neg}, 4) ||
            operand_type(g, up->in[0]) != op->out->dtype)
            continue;
        const int x = up->in[0];
        if (stores_between(g, x >= LEAVES ? x - LEAVES + 1 : 0, last))
            continue;
        const int gone[] = {op->in[0], op->in[1], down->in[0]};
        become_unary(
            g, op, op->out->dtype == TW_F32 ? KRN_STRIP_exp_pair : KRN_STRIP_exp_pair_bf16,
            x);
        op->args[0] = 1;
        remove_all(g, gone, TW_COUNT(gone), last);
        last -= (int)TW_COUNT(gone);
    }
}

/* The sum takes over its product with a number. */
static void join_exp_pair_factor(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        group_op *op = &g->ops[i];
        for (int side = 0; side < 2 && op->id == KRN_STRIP_multiply; side++) {
            const int sum = op->in[side], number = op->in[1 - side];
            const krn_strip_id id =
                sum >= LEAVES ? g->ops[sum - LEAVES].id : KRN_STRIP_none;
            const group_op *pair = id == KRN_STRIP_exp_pair || id == KRN_STRIP_exp_pair_bf16
                                       ? inner(g, sum, id)
                                       : NULL;
            if (!pair || !is_number(g, number, -FLT_MAX, FLT_MAX) || pair->args[0] != 1 ||
                !of_one_type((const group_op *[]){op, pair}, 2) ||
                stores_between(g, sum - LEAVES, i))
                continue;
            const rt_value *v = g->leaves[number].value;
            become_unary(g, op, id, pair->in[0]);
            rt_load_f32(v->dtype, rt_data(v), 0, 1, &op->args[0]);
            remove_all(g, &sum, 1, i--);
            break;
        }
    }
}

/* Functions of |x| and of -x, of a sign that no one else reads. */
static void join_signs(group *g)
{
    static const struct {
        krn_strip_id of, of_abs, of_neg;
    } rows[] = {
#define OF_SIGNS(name)                                                                     \
    {KRN_STRIP_##name, KRN_STRIP_##name##_of_abs, KRN_STRIP_##name##_of_neg}
        OF_SIGNS(cos), OF_SIGNS(exp), OF_SIGNS(sigmoid), OF_SIGNS(sin), OF_SIGNS(tanh),
    };
    for (int i = 0; i < g->n_ops; i++)
        for (size_t r = 0; r < TW_COUNT(rows); r++) {
            group_op *op = &g->ops[i];
            const int sign = op->in[0];
            const group_op *abs =
                op->id == rows[r].of ? inner(g, sign, KRN_STRIP_abs) : NULL;
            const group_op *neg =
                op->id == rows[r].of ? inner(g, sign, KRN_STRIP_neg) : NULL;
            const group_op *of = abs ? abs : neg;
            if (!of || !of_one_type((const group_op *[]){op, of}, 2) ||
                operand_type(g, of->in[0]) != of->out->dtype ||
                stores_between(g, sign - LEAVES, i))
                continue;
            become_unary(g, op, abs ? rows[r].of_abs : rows[r].of_neg, of->in[0]);
            remove_all(g, &sign, 1, i--);
            break;
        }
}

/* Leaves that no operation reads any more are not loaded. */
static void remove_unused_leaves(group *g)
{
    for (int k = g->n_leaves - 1; k >= 0; k--) {
        if (readers(g, k))
            continue;
        for (int i = k; i + 1 < g->n_leaves; i++)
            g->leaves[i] = g->leaves[i + 1];
        g->n_leaves--;
        for (int i = 0; i < g->n_ops; i++)
            for (int a = 0; a < g->ops[i].arity; a++)
                g->ops[i].in[a] = (int8_t)(g->ops[i].in[a] - (g->ops[i].in[a] < LEAVES &&
                                                              g->ops[i].in[a] > k));
    }
}

/* h + 1 / (4 h) with h = e^|x| / 2, itself computed as (e^(|x| / 2) / 2) e^(|x| / 2):
 * returns x, and the operations no longer needed; -1 otherwise. */
static int cosh_of_roots(const group *g, const group_op *sum, int side, int gone[6])
{
    const group_op *quotient = inner(g, sum->in[1 - side], KRN_STRIP_div);
    const group_op *h = behind(g, sum->in[side], KRN_STRIP_multiply, 2);
    if (!quotient || !h || quotient->in[1] != sum->in[side] ||
        !is_number(g, quotient->in[0], 0.25f, 0.25f))
        return -1;
    const int half = h->in[0], root = h->in[1];
    const group_op *e = behind(g, root, KRN_STRIP_exp, 2);
    if (!e || scaled_operand(g, inner(g, half, KRN_STRIP_multiply), 0.5f, 0.5f) != root)
        return -1;
    const int size = scaled_operand(g, inner(g, e->in[0], KRN_STRIP_multiply), 0.5f, 0.5f);
    const group_op *magnitude = inner(g, size, KRN_STRIP_abs);
    if (!magnitude)
        return -1;
    const int all[] = {sum->in[0], sum->in[1], half, root, e->in[0], size};
    memcpy(gone, all, sizeof all);
    return magnitude->in[0];
}

/* CHLO's cosh as it is expanded for targets without the operation. */
static void join_cosh_of_roots(group *g)
{
    for (int last = g->n_ops - 1; last >= 0; last--) {
        group_op *op = &g->ops[last];
        int gone[6], x = -1;
        for (int side = 0; side < 2 && op->id == KRN_STRIP_add && x < 0; side++)
            x = cosh_of_roots(g, op, side, gone);
        if (x < 0 || stores_between(g, x >= LEAVES ? x - LEAVES + 1 : 0, last))
            continue;
        become_unary(g, op, KRN_STRIP_cosh, x);
        remove_all(g, gone, TW_COUNT(gone), last);
        return;
    }
}

/* ((a + b) + (c + d)) + ((e + f) + (g + h)): eight concurrent streams saturate the
 * memory. */
static void join_sums(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        group_op *op = &g->ops[i];
        const int left = op->in[0] - LEAVES, right = op->in[1] - LEAVES;
        if (op->id != KRN_STRIP_add || left < 0 || right < 0 || left == right ||
            g->ops[left].id != g->ops[right].id || g->ops[left].store ||
            g->ops[right].store || only_reader(g, left) < 0 || only_reader(g, right) < 0 ||
            stores_between(g, TW_MIN(left, right), i))
            continue;
        const group_op l = g->ops[left], r = g->ops[right];
        const bool is_bf16 = l.id == KRN_STRIP_add4_bf16 && op->out->dtype == TW_BF16 &&
                             l.out->dtype == TW_BF16 && r.out->dtype == TW_BF16;
        if (!is_bf16 &&
            (l.id != KRN_STRIP_add4 || l.out->dtype != TW_F32 || r.out->dtype != TW_F32))
            continue;
        op->id = is_bf16 ? KRN_STRIP_add8_bf16 : KRN_STRIP_add8;
        op->fn = g->set->fn[op->id];
        op->arity = 8;
        memcpy(op->in, l.in, 4);
        memcpy(op->in + 4, r.in, 4);
        remove_op(g, TW_MAX(left, right));
        remove_op(g, TW_MIN(left, right));
        i -= 2;
    }
}

/* True if later operations may read this operand in place of its cast to f32: a strip of
 * the group, or one that a leaf of another type is loaded to, whatever is stored since. */
static bool is_strip_of_f32(const group *g, int operand)
{
    return operand >= LEAVES || g->leaves[operand].value->dtype != TW_F32;
}

/* Removes a cast to f32 of a value of the group or of a leaf, which later operations read
 * as f32 anyway. */
static void skip_casts(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        const group_op *op = &g->ops[i];
        const int from = op->in[0];
        if (op->id != KRN_STRIP_copy || op->store || op->out->dtype != TW_F32 ||
            !is_strip_of_f32(g, from) ||
            (from < LEAVES && ((g->tail.out && g->tail_of == i) || g->n_ops == 1)))
            continue;
        for (int k = i + 1; k < g->n_ops; k++)
            for (int a = 0; a < g->ops[k].arity; a++)
                if (g->ops[k].in[a] == LEAVES + i)
                    g->ops[k].in[a] = (int8_t)from;
        if (g->tail.out && g->tail_of == i)
            g->tail_of = from - LEAVES;
        remove_op(g, i--);
    }
}

void rt_group_combine(group *g)
{
    skip_casts(g);
    join_adds(g);
    join_sums(g);
    join_gelu(g);
    join_cosh(g);
    join_cosh_of_roots(g);
    join_exp_pair(g);
    join_exp_pair_factor(g);
    join_signs(g);
    remove_unused_leaves(g);
}

/* Functions whose result has no more significant digits than their operands. */
static bool keeps_digits(krn_strip_id id)
{
    switch (id) {
    case KRN_STRIP_abs:
    case KRN_STRIP_ceil:
    case KRN_STRIP_copy:
    case KRN_STRIP_eq:
    case KRN_STRIP_floor:
    case KRN_STRIP_ge:
    case KRN_STRIP_gt:
    case KRN_STRIP_isfinite:
    case KRN_STRIP_le:
    case KRN_STRIP_logical_and:
    case KRN_STRIP_logical_not:
    case KRN_STRIP_logical_or:
    case KRN_STRIP_logical_xor:
    case KRN_STRIP_lt:
    case KRN_STRIP_maximum:
    case KRN_STRIP_minimum:
    case KRN_STRIP_ne:
    case KRN_STRIP_neg:
    case KRN_STRIP_relu:
    case KRN_STRIP_relu6:
    case KRN_STRIP_sign:
    case KRN_STRIP_where:
        return true;
    default:
        return false;
    }
}

static bool reads_halves_only(const group *g, const group_op *op)
{
    bool is_bf16 = true;
    for (int k = 0; k < op->arity; k++)
        is_bf16 &= (op->in[k] < LEAVES ? g->leaves[op->in[k]].value
                                       : g->ops[op->in[k] - LEAVES].out)
                       ->dtype == TW_BF16;
    return is_bf16;
}

/* Rounds in the same pass if a function can, and not at all where rounding has no
 * effect. */
void rt_group_round(group *g)
{
    for (int i = 0; i < g->n_ops; i++) {
        group_op *op = &g->ops[i];
        op->rounded = false;
        if (op->out->dtype != TW_BF16 || (op->store && !op->reread))
            continue;
        if (keeps_digits(op->id) && reads_halves_only(g, op)) {
            op->rounded = true;
        } else if (g->set->rounded[op->id]) {
            op->fn = g->set->rounded[op->id];
            op->rounded = true;
        }
    }
}

/* A single function from bf16 to bf16 needs no strips of f32. */
void rt_group_read_raw(group *g)
{
    group_op *op = &g->ops[0];
    const int last = g->walk.rank - 1;
    bool fits = g->n_ops == 1 && !g->tail.out && g->set->bf16[op->id] && op->store &&
                op->out->dtype == TW_BF16;
    for (int i = 0; fits && i < g->n_leaves; i++)
        fits = g->leaves[i].value->dtype == TW_BF16 &&
               (last < 0 || g->leaves[i].walk_strides[last] == 1 ||
                g->leaves[i].walk_strides[last] == 0);
    op->raw = fits;
    for (int i = 0; i < g->n_leaves; i++)
        g->leaves[i].raw = fits;
}
