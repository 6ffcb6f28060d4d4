/* ir/affine.h: affine expressions, maps and integer sets; interned in the context. */
#ifndef TILEWRIGHT_IR_AFFINE_H
#define TILEWRIGHT_IR_AFFINE_H

#include "ir/context.h"

typedef enum ir_affine_kind {
    IR_AFFINE_DIM,
    IR_AFFINE_SYMBOL,
    IR_AFFINE_CONSTANT,
    IR_AFFINE_ADD,
    IR_AFFINE_MUL,
    IR_AFFINE_MOD,
    IR_AFFINE_FLOORDIV,
    IR_AFFINE_CEILDIV,
} ir_affine_kind;

typedef const struct ir_affine_data {
    uint8_t kind;
    bool is_symbolic; /* no dimension inside */
    uint32_t hash;
    int64_t value;   /* constant, or position of a dim or symbol */
    int64_t divisor; /* the largest known divisor of the expression's value */
    const struct ir_affine_data *lhs, *rhs;
} * ir_affine;

typedef const struct ir_affine_map_data {
    uint32_t n_dims, n_symbols, n_results;
    uint32_t hash;
    const ir_affine *results;
} * ir_affine_map;

typedef const struct ir_integer_set_data {
    uint32_t n_dims, n_symbols, n_constraints;
    uint32_t hash;
    const ir_affine *constraints;
    const bool *is_equality; /* else `>= 0` */
} * ir_integer_set;

ir_affine ir_affine_dim(ir_context *ctx, int64_t position);
ir_affine ir_affine_symbol(ir_context *ctx, int64_t position);
ir_affine ir_affine_constant(ir_context *ctx, int64_t value);
/* Simplified and ordered as MLIR does when it builds expressions. */
ir_affine ir_affine_binary(ir_context *ctx, ir_affine_kind kind, ir_affine lhs,
                           ir_affine rhs);

ir_affine_map ir_affine_map_get(ir_context *ctx, uint32_t n_dims, uint32_t n_symbols,
                                const ir_affine *results, size_t n_results);
ir_affine_map ir_affine_identity(ir_context *ctx, uint32_t n_dims);
/* (d0, ..., d{n-1}) -> (d{p[0]}, ...) */
ir_affine_map ir_affine_permutation(ir_context *ctx, const int64_t *positions,
                                    size_t count);
bool ir_affine_map_is_identity(ir_affine_map map);
bool ir_affine_map_is_permutation(ir_affine_map map);
ir_integer_set ir_integer_set_get(ir_context *ctx, uint32_t n_dims, uint32_t n_symbols,
                                  const ir_affine *constraints, const bool *is_equality,
                                  size_t count);

/* The expression as a sum in the order of dimensions, symbols, divisions, constant;
 * returned unchanged if it multiplies or divides by symbols. */
ir_affine ir_affine_simplify(ir_context *ctx, ir_affine e, uint32_t n_dims,
                             uint32_t n_symbols);
/* The factors of dimensions and symbols (64 at most) and the constant of a sum; false if it
 * has divisions or products with symbols. */
bool ir_affine_factors(ir_context *ctx, ir_affine e, uint32_t n_dims, uint32_t n_symbols,
                       int64_t *out);
/* Replaces dimensions and symbols by expressions (NULL entries are kept). */
ir_affine ir_affine_replace(ir_context *ctx, ir_affine e, const ir_affine *dims,
                            const ir_affine *symbols);
/* True if the expression uses that dimension or symbol. */
bool ir_affine_mentions(ir_affine expr, ir_affine_kind kind, int64_t position);
/* The value at a point; false on division by zero or overflow. */
bool ir_affine_eval(ir_affine expr, const int64_t *dims, const int64_t *symbols,
                    int64_t *out);

#endif
