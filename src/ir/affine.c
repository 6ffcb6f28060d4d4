/* affine.c: builds, simplifies and evaluates affine expressions.
 *
 * Expressions are simplified as they are built, by MLIR's rules, since printed text shows
 * the result. */
#include "ir/affine.h"

#include "ir/context_impl.h"

#include <stdlib.h>

enum {
    EXPR,
    MAP,
    SET
}; /* one intern set for all three; the hash's seed distinguishes them */

static bool is_constant(ir_affine e)
{
    return e->kind == IR_AFFINE_CONSTANT;
}

/* The largest known divisor of the value of an expression with these operands. */
static int64_t divisor_of(uint8_t kind, int64_t value, ir_affine lhs, ir_affine rhs)
{
    int64_t a, b;
    switch (kind) {
    case IR_AFFINE_CONSTANT:
        return value == INT64_MIN ? 1 : llabs(value);
    case IR_AFFINE_MUL:
        return __builtin_mul_overflow(lhs->divisor, rhs->divisor, &a) ? 1 : a;
    case IR_AFFINE_ADD:
    case IR_AFFINE_MOD:
        a = lhs->divisor;
        b = rhs->divisor;
        while (b) {
            int64_t r = a % b;
            a = b;
            b = r;
        }
        return a ? a : 1;
    default:
        return 1;
    }
}

static ir_affine intern_expr(ir_context *ctx, uint8_t kind, int64_t value, ir_affine lhs,
                             ir_affine rhs)
{
    uint64_t h = tw_hash_mix(tw_hash_mix(EXPR, kind), (uint64_t)value);
    uint32_t hash = tw_hash_end(tw_hash_ptr(tw_hash_ptr(h, lhs), rhs)) & ~3u, cursor = hash;
    ir_affine known;
    while ((known = ir_intern_next(&ctx->affine, hash, &cursor)))
        if (known->kind == kind && known->value == value && known->lhs == lhs &&
            known->rhs == rhs)
            return known;
    struct ir_affine_data *e = TW_ARENA_NEW(&ctx->arena, struct ir_affine_data);
    *e = (struct ir_affine_data){.kind = kind,
                                 .is_symbolic = lhs ? lhs->is_symbolic && rhs->is_symbolic
                                                    : kind != IR_AFFINE_DIM,
                                 .hash = hash,
                                 .value = value,
                                 .divisor = divisor_of(kind, value, lhs, rhs),
                                 .lhs = lhs,
                                 .rhs = rhs};
    ir_intern_add(&ctx->affine, hash, e);
    return e;
}

ir_affine ir_affine_dim(ir_context *ctx, int64_t position)
{
    return intern_expr(ctx, IR_AFFINE_DIM, position, NULL, NULL);
}

ir_affine ir_affine_symbol(ir_context *ctx, int64_t position)
{
    return intern_expr(ctx, IR_AFFINE_SYMBOL, position, NULL, NULL);
}

ir_affine ir_affine_constant(ir_context *ctx, int64_t value)
{
    return intern_expr(ctx, IR_AFFINE_CONSTANT, value, NULL, NULL);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool fold(ir_affine_kind kind, int64_t a, int64_t b, int64_t *out)
{
    switch (kind) {
    case IR_AFFINE_ADD:
        return !__builtin_add_overflow(a, b, out);
    case IR_AFFINE_MUL:
        return !__builtin_mul_overflow(a, b, out);
    default:
        if (b < 1)
            return false;
        *out = kind == IR_AFFINE_FLOORDIV  ? floor_div(a, b)
               : kind == IR_AFFINE_CEILDIV ? -floor_div(-a, b)
                                           : a - floor_div(a, b) * b;
        return a != INT64_MIN;
    }
}

static ir_affine simplify_add(ir_context *ctx, ir_affine lhs, ir_affine rhs)
{
    /* constants and symbols move right; the canonical order makes equal sums identical */
    if (is_constant(lhs) || (lhs->is_symbolic && !rhs->is_symbolic))
        return ir_affine_binary(ctx, IR_AFFINE_ADD, rhs, lhs);
    if (is_constant(rhs) && rhs->value == 0)
        return lhs;
    bool inner_constant = lhs->kind == IR_AFFINE_ADD && is_constant(lhs->rhs);
    int64_t sum;
    if (inner_constant && is_constant(rhs) &&
        fold(IR_AFFINE_ADD, lhs->rhs->value, rhs->value, &sum))
        return ir_affine_binary(ctx, IR_AFFINE_ADD, lhs->lhs, ir_affine_constant(ctx, sum));

    /* x * a + x * b = x * (a + b) */
    ir_affine left_part = lhs, right_part = rhs;
    int64_t left_times = 1, right_times = 1;
    if (lhs->kind == IR_AFFINE_MUL && is_constant(lhs->rhs)) {
        left_part = lhs->lhs;
        left_times = lhs->rhs->value;
    }
    if (rhs->kind == IR_AFFINE_MUL && is_constant(rhs->rhs)) {
        right_part = rhs->lhs;
        right_times = rhs->rhs->value;
    }
    if (left_part == right_part && !is_constant(left_part) &&
        fold(IR_AFFINE_ADD, left_times, right_times, &sum))
        return ir_affine_binary(ctx, IR_AFFINE_MUL, left_part,
                                ir_affine_constant(ctx, sum));

    /* (x + c) + y = (x + y) + c */
    if (inner_constant)
        return ir_affine_binary(ctx, IR_AFFINE_ADD,
                                ir_affine_binary(ctx, IR_AFFINE_ADD, lhs->lhs, rhs),
                                lhs->rhs);

    /* x + (x floordiv c) * -c = x mod c */
    if (rhs->kind == IR_AFFINE_MUL && is_constant(rhs->rhs) &&
        rhs->lhs->kind == IR_AFFINE_FLOORDIV && rhs->lhs->lhs == lhs &&
        is_constant(rhs->lhs->rhs) && rhs->rhs->value == -rhs->lhs->rhs->value)
        return ir_affine_binary(ctx, IR_AFFINE_MOD, lhs, rhs->lhs->rhs);
    return intern_expr(ctx, IR_AFFINE_ADD, 0, lhs, rhs);
}

static ir_affine simplify_mul(ir_context *ctx, ir_affine lhs, ir_affine rhs)
{
    int64_t product;
    if (!rhs->is_symbolic || is_constant(lhs))
        return ir_affine_binary(ctx, IR_AFFINE_MUL, rhs, lhs);
    if (is_constant(rhs)) {
        if (rhs->value == 1)
            return lhs;
        if (rhs->value == 0)
            return rhs;
        if (lhs->kind == IR_AFFINE_MUL && is_constant(lhs->rhs) &&
            fold(IR_AFFINE_MUL, lhs->rhs->value, rhs->value, &product))
            return ir_affine_binary(ctx, IR_AFFINE_MUL, lhs->lhs,
                                    ir_affine_constant(ctx, product));
    }
    /* (x * c) * y = (x * y) * c */
    if (!is_constant(rhs) && lhs->kind == IR_AFFINE_MUL && is_constant(lhs->rhs))
        return ir_affine_binary(ctx, IR_AFFINE_MUL,
                                ir_affine_binary(ctx, IR_AFFINE_MUL, lhs->lhs, rhs),
                                lhs->rhs);
    return intern_expr(ctx, IR_AFFINE_MUL, 0, lhs, rhs);
}

static ir_affine simplify_div(ir_context *ctx, ir_affine_kind kind, ir_affine lhs,
                              ir_affine rhs)
{
    if (!is_constant(rhs) || rhs->value < 1)
        return intern_expr(ctx, (uint8_t)kind, 0, lhs, rhs);
    int64_t by = rhs->value;
    if (by == 1)
        return lhs;
    if (lhs->kind == IR_AFFINE_MUL && is_constant(lhs->rhs) && lhs->rhs->value % by == 0)
        return ir_affine_binary(ctx, IR_AFFINE_MUL, lhs->lhs,
                                ir_affine_constant(ctx, lhs->rhs->value / by));
    if (kind == IR_AFFINE_FLOORDIV && lhs->kind == IR_AFFINE_ADD &&
        (lhs->lhs->divisor % by == 0 || lhs->rhs->divisor % by == 0))
        return ir_affine_binary(ctx, IR_AFFINE_ADD,
                                ir_affine_binary(ctx, kind, lhs->lhs, rhs),
                                ir_affine_binary(ctx, kind, lhs->rhs, rhs));
    return intern_expr(ctx, (uint8_t)kind, 0, lhs, rhs);
}

static ir_affine simplify_mod(ir_context *ctx, ir_affine lhs, ir_affine rhs)
{
    if (is_constant(rhs) && rhs->value >= 1) {
        if (lhs->divisor % rhs->value == 0)
            return ir_affine_constant(ctx, 0);
        if (lhs->kind == IR_AFFINE_ADD) {
            if (lhs->lhs->divisor % rhs->value == 0)
                return ir_affine_binary(ctx, IR_AFFINE_MOD, lhs->rhs, rhs);
            if (lhs->rhs->divisor % rhs->value == 0)
                return ir_affine_binary(ctx, IR_AFFINE_MOD, lhs->lhs, rhs);
        }
        if (lhs->kind == IR_AFFINE_MOD && is_constant(lhs->rhs) && lhs->rhs->value >= 1 &&
            lhs->rhs->value % rhs->value == 0)
            return ir_affine_binary(ctx, IR_AFFINE_MOD, lhs->lhs, rhs);
    }
    return intern_expr(ctx, IR_AFFINE_MOD, 0, lhs, rhs);
}

ir_affine ir_affine_binary(ir_context *ctx, ir_affine_kind kind, ir_affine lhs,
                           ir_affine rhs)
{
    int64_t value;
    if (is_constant(lhs) && is_constant(rhs)) {
        if (fold(kind, lhs->value, rhs->value, &value))
            return ir_affine_constant(ctx, value);
        return intern_expr(ctx, (uint8_t)kind, 0, lhs, rhs);
    }
    switch (kind) {
    case IR_AFFINE_ADD:
        return simplify_add(ctx, lhs, rhs);
    case IR_AFFINE_MUL:
        if (!lhs->is_symbolic && !rhs->is_symbolic)
            return intern_expr(ctx, IR_AFFINE_MUL, 0, lhs, rhs); /* the reader rejects it */
        return simplify_mul(ctx, lhs, rhs);
    case IR_AFFINE_MOD:
        return simplify_mod(ctx, lhs, rhs);
    default:
        return simplify_div(ctx, kind, lhs, rhs);
    }
}

ir_affine_map ir_affine_map_get(ir_context *ctx, uint32_t n_dims, uint32_t n_symbols,
                                const ir_affine *results, size_t n_results)
{
    uint64_t h =
        tw_hash_mix(tw_hash_mix(MAP, n_dims), (uint64_t)n_symbols << 32 | n_results);
    for (size_t i = 0; i < n_results; i++)
        h = tw_hash_ptr(h, results[i]);
    uint32_t hash = (tw_hash_end(h) & ~3u) | MAP, cursor = hash;
    ir_affine_map known;
    while ((known = ir_intern_next(&ctx->affine, hash, &cursor)))
        if (known->hash == hash && known->n_dims == n_dims &&
            known->n_symbols == n_symbols && known->n_results == n_results &&
            (n_results == 0 ||
             memcmp(known->results, results, n_results * sizeof *results) == 0))
            return known;
    struct ir_affine_map_data *map = TW_ARENA_NEW(&ctx->arena, struct ir_affine_map_data);
    *map = (struct ir_affine_map_data){n_dims, n_symbols, (uint32_t)n_results, hash, NULL};
    map->results = (const ir_affine *)(void *)tw_arena_copy(&ctx->arena, results,
                                                            n_results * sizeof *results);
    ir_intern_add(&ctx->affine, hash, map);
    return map;
}

ir_affine_map ir_affine_identity(ir_context *ctx, uint32_t n_dims)
{
    ir_affine *results = tw_xmalloc(n_dims * sizeof *results);
    for (uint32_t i = 0; i < n_dims; i++)
        results[i] = ir_affine_dim(ctx, i);
    ir_affine_map map = ir_affine_map_get(ctx, n_dims, 0, results, n_dims);
    free(results);
    return map;
}

ir_affine_map ir_affine_permutation(ir_context *ctx, const int64_t *positions, size_t count)
{
    ir_affine *results = tw_xmalloc(count * sizeof *results);
    for (size_t i = 0; i < count; i++)
        results[i] = ir_affine_dim(ctx, positions[i]);
    ir_affine_map map = ir_affine_map_get(ctx, (uint32_t)count, 0, results, count);
    free(results);
    return map;
}

bool ir_affine_map_is_identity(ir_affine_map map)
{
    if (map->n_dims != map->n_results)
        return false;
    for (uint32_t i = 0; i < map->n_results; i++)
        if (map->results[i]->kind != IR_AFFINE_DIM || map->results[i]->value != i)
            return false;
    return true;
}

bool ir_affine_map_is_permutation(ir_affine_map map)
{
    uint64_t seen = 0;
    if (map->n_dims != map->n_results || map->n_dims > 64 || map->n_symbols)
        return false;
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (map->results[i]->kind != IR_AFFINE_DIM || (seen >> map->results[i]->value & 1))
            return false;
        seen |= (uint64_t)1 << map->results[i]->value;
    }
    return true;
}

ir_integer_set ir_integer_set_get(ir_context *ctx, uint32_t n_dims, uint32_t n_symbols,
                                  const ir_affine *constraints, const bool *is_equality,
                                  size_t count)
{
    uint64_t h = tw_hash_mix(tw_hash_mix(SET, n_dims), (uint64_t)n_symbols << 32 | count);
    for (size_t i = 0; i < count; i++)
        h = tw_hash_mix(tw_hash_ptr(h, constraints[i]), is_equality[i]);
    uint32_t hash = (tw_hash_end(h) & ~3u) | SET, cursor = hash;
    ir_integer_set known;
    while ((known = ir_intern_next(&ctx->affine, hash, &cursor)))
        if (known->hash == hash && known->n_dims == n_dims &&
            known->n_symbols == n_symbols && known->n_constraints == count &&
            (count == 0 ||
             (memcmp(known->constraints, constraints, count * sizeof *constraints) == 0 &&
              memcmp(known->is_equality, is_equality, count * sizeof *is_equality) == 0)))
            return known;
    struct ir_integer_set_data *set = TW_ARENA_NEW(&ctx->arena, struct ir_integer_set_data);
    *set =
        (struct ir_integer_set_data){n_dims, n_symbols, (uint32_t)count, hash, NULL, NULL};
    set->constraints = (const ir_affine *)(void *)tw_arena_copy(
        &ctx->arena, constraints, count * sizeof *constraints);
    set->is_equality =
        (const bool *)(void *)tw_arena_copy(&ctx->arena, is_equality, count * sizeof(bool));
    ir_intern_add(&ctx->affine, hash, set);
    return set;
}

bool ir_affine_eval(ir_affine e, const int64_t *dims, const int64_t *symbols, int64_t *out)
{
    int64_t a, b;
    switch (e->kind) {
    case IR_AFFINE_DIM:
        *out = dims[e->value];
        return true;
    case IR_AFFINE_SYMBOL:
        *out = symbols[e->value];
        return true;
    case IR_AFFINE_CONSTANT:
        *out = e->value;
        return true;
    default:
        return ir_affine_eval(e->lhs, dims, symbols, &a) &&
               ir_affine_eval(e->rhs, dims, symbols, &b) && fold(e->kind, a, b, out);
    }
}

bool ir_affine_mentions(ir_affine expr, ir_affine_kind kind, int64_t position)
{
    if (expr->kind <= IR_AFFINE_SYMBOL)
        return expr->kind == kind && expr->value == position;
    return expr->kind != IR_AFFINE_CONSTANT &&
           (ir_affine_mentions(expr->lhs, kind, position) ||
            ir_affine_mentions(expr->rhs, kind, position));
}
