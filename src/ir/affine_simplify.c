/* affine_simplify.c: affine expressions as sums: every dimension and symbol, then every
 * remaining division, with its coefficient, and a constant.  Expressions rebuilt from equal
 * sums are identical; x mod c is represented as x - (x floordiv c) * c.  Expressions that
 * multiply or divide by symbols are left unchanged. */
#include "ir/affine.h"

#include <stdlib.h>

enum { MAX_TERMS = 64 };

typedef struct sum {
    int64_t factor[2 * MAX_TERMS]; /* dimensions, symbols; from MAX_TERMS on divisions */
    int64_t constant;
} sum;

typedef struct flattening {
    ir_context *ctx;
    uint32_t n_dims, n_symbols, n_divisions;
    ir_affine divisions[MAX_TERMS];
    bool failed;
} flattening;

static int64_t product(flattening *f, int64_t a, int64_t b)
{
    int64_t out = 0;
    f->failed |= __builtin_mul_overflow(a, b, &out);
    return out;
}

static int64_t total(flattening *f, int64_t a, int64_t b)
{
    int64_t out = 0;
    f->failed |= __builtin_add_overflow(a, b, &out);
    return out;
}

static ir_affine add_term(flattening *f, ir_affine to, ir_affine e, int64_t factor)
{
    if (factor == 0)
        return to;
    return ir_affine_binary(
        f->ctx, IR_AFFINE_ADD, to,
        ir_affine_binary(f->ctx, IR_AFFINE_MUL, e, ir_affine_constant(f->ctx, factor)));
}

static ir_affine written(flattening *f, const sum *s)
{
    ir_affine e = ir_affine_constant(f->ctx, 0);
    for (uint32_t i = 0; i < f->n_dims; i++)
        e = add_term(f, e, ir_affine_dim(f->ctx, i), s->factor[i]);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        e = add_term(f, e, ir_affine_symbol(f->ctx, i), s->factor[f->n_dims + i]);
    for (uint32_t i = 0; i < f->n_divisions; i++)
        e = add_term(f, e, f->divisions[i], s->factor[MAX_TERMS + i]);
    return s->constant ? ir_affine_binary(f->ctx, IR_AFFINE_ADD, e,
                                          ir_affine_constant(f->ctx, s->constant))
                       : e;
}

/* The index of a division among those of the sum. */
static uint32_t division(flattening *f, ir_affine e)
{
    for (uint32_t i = 0; i < f->n_divisions; i++)
        if (f->divisions[i] == e)
            return i;
    if (f->n_divisions == MAX_TERMS) {
        f->failed = true;
        return 0;
    }
    f->divisions[f->n_divisions] = e;
    return f->n_divisions++;
}

static uint64_t common(uint64_t a, int64_t b)
{
    uint64_t r = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (r) {
        uint64_t rest = a % r;
        a = r;
        r = rest;
    }
    return a;
}

/* Cancels the common divisor of the sum and the divisor. */
static void cancel(sum *s, int64_t *divisor)
{
    uint64_t by = common((uint64_t)*divisor, s->constant);
    for (size_t i = 0; i < TW_COUNT(s->factor); i++)
        by = common(by, s->factor[i]);
    for (size_t i = 0; i < TW_COUNT(s->factor); i++)
        s->factor[i] /= (int64_t)by;
    s->constant /= (int64_t)by;
    *divisor /= (int64_t)by;
}

static sum flatten(flattening *f, ir_affine e);

static sum flatten_division(flattening *f, ir_affine_kind kind, sum s, int64_t by)
{
    sum rest = s;
    int64_t divisor = by;
    bool modulo = kind == IR_AFFINE_MOD;
    cancel(&s, &divisor);
    if (divisor == 1)
        return modulo ? (sum){0} : s;
    ir_affine quotient =
        ir_affine_binary(f->ctx, modulo ? IR_AFFINE_FLOORDIV : kind, written(f, &s),
                         ir_affine_constant(f->ctx, divisor));
    uint32_t i = division(f, quotient);
    if (!modulo)
        rest = (sum){0};
    int64_t *factor = &rest.factor[MAX_TERMS + i];
    *factor = total(f, *factor, modulo ? -by : 1);
    return rest;
}

/* Flattens a chain of additions iteratively: sums nest to the left, to any depth. */
static sum flatten_sum(flattening *f, ir_affine e)
{
    size_t n = 0, left;
    for (ir_affine at = e; at->kind == IR_AFFINE_ADD; at = at->lhs)
        n++;
    ir_affine *terms = tw_xmalloc(n * sizeof *terms);
    for (left = n; left > 0; e = e->lhs)
        terms[--left] = e->rhs;
    sum s = flatten(f, e);
    for (size_t k = 0; k < n; k++) {
        const sum r = flatten(f, terms[k]);
        for (size_t i = 0; i < TW_COUNT(s.factor); i++)
            s.factor[i] = total(f, s.factor[i], r.factor[i]);
        s.constant = total(f, s.constant, r.constant);
    }
    free(terms);
    return s;
}

static sum flatten(flattening *f, ir_affine e)
{
    sum s = {0};
    switch ((ir_affine_kind)e->kind) {
    case IR_AFFINE_CONSTANT:
        s.constant = e->value;
        return s;
    case IR_AFFINE_DIM:
        s.factor[e->value] = 1;
        return s;
    case IR_AFFINE_SYMBOL:
        s.factor[f->n_dims + (uint32_t)e->value] = 1;
        return s;
    case IR_AFFINE_ADD:
        return flatten_sum(f, e);
    default:
        break;
    }
    if (e->rhs->kind != IR_AFFINE_CONSTANT ||
        (e->kind != IR_AFFINE_MUL && e->rhs->value <= 0)) {
        f->failed = true;
        return s;
    }
    s = flatten(f, e->lhs);
    if (f->failed)
        return s;
    if (e->kind != IR_AFFINE_MUL)
        return flatten_division(f, (ir_affine_kind)e->kind, s, e->rhs->value);
    for (size_t i = 0; i < TW_COUNT(s.factor); i++)
        s.factor[i] = product(f, s.factor[i], e->rhs->value);
    s.constant = product(f, s.constant, e->rhs->value);
    return s;
}

ir_affine ir_affine_simplify(ir_context *ctx, ir_affine e, uint32_t n_dims,
                             uint32_t n_symbols)
{
    flattening f = {.ctx = ctx, .n_dims = n_dims, .n_symbols = n_symbols};
    if (n_dims + n_symbols > MAX_TERMS)
        return e;
    sum s = flatten(&f, e);
    return f.failed ? e : written(&f, &s);
}

bool ir_affine_factors(ir_context *ctx, ir_affine e, uint32_t n_dims, uint32_t n_symbols,
                       int64_t *out)
{
    flattening f = {.ctx = ctx, .n_dims = n_dims, .n_symbols = n_symbols};
    if (n_dims + n_symbols > MAX_TERMS)
        return false;
    const sum s = flatten(&f, e);
    if (f.failed || f.n_divisions)
        return false;
    memcpy(out, s.factor, (n_dims + n_symbols) * sizeof *out);
    out[n_dims + n_symbols] = s.constant;
    return true;
}

ir_affine ir_affine_replace(ir_context *ctx, ir_affine e, const ir_affine *dims,
                            const ir_affine *symbols)
{
    switch ((ir_affine_kind)e->kind) {
    case IR_AFFINE_CONSTANT:
        return e;
    case IR_AFFINE_DIM:
        return dims && dims[e->value] ? dims[e->value] : e;
    case IR_AFFINE_SYMBOL:
        return symbols && symbols[e->value] ? symbols[e->value] : e;
    default: {
        ir_affine lhs = ir_affine_replace(ctx, e->lhs, dims, symbols);
        ir_affine rhs = ir_affine_replace(ctx, e->rhs, dims, symbols);
        return ir_affine_binary(ctx, (ir_affine_kind)e->kind, lhs, rhs);
    }
    }
}
