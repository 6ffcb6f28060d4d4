/* rule_builder.h: builds an operation's sharding rule: factors, each with a size and a
 * kind, and the dimensions of operands and results that they map to. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_RULE_BUILDER_H
#define TILEWRIGHT_SDY_PROPAGATION_RULE_BUILDER_H

#include "ir/op.h"
#include "support/arena.h"

enum { SDY_NO_DIM = -1 };

/* Effect on the data when a factor is sharded. */
typedef enum sdy_factor_kind {
    SDY_PASS,      /* pass-through: each device computes its shard */
    SDY_REDUCE,    /* results are sums over the devices */
    SDY_REPLICATE, /* every device needs all of it */
    SDY_PERMUTE,   /* devices exchange shards */
} sdy_factor_kind;

typedef struct sdy_rule_factor_def {
    int64_t size;
    sdy_factor_kind kind;
    bool blocked; /* propagation along it is blocked */
} sdy_rule_factor_def;

typedef struct sdy_rule_factor_use {
    uint32_t tensor, dim, factor;
} sdy_rule_factor_use;

typedef struct sdy_rule_builder {
    size_t n_operands, n_tensors; /* tensors: operands, then results */
    ir_type *types;
    sdy_rule_factor_def *factors;
    size_t n_factors, factors_capacity;
    sdy_rule_factor_use *uses; /* factors of a dimension, major first */
    size_t n_uses, uses_capacity;
} sdy_rule_builder;

void sdy_rule_begin(sdy_rule_builder *b, ir_op *op);
void sdy_rule_begin_types(sdy_rule_builder *b, const ir_type *types, size_t n_operands,
                          size_t n_results);
/* Gives dimensions without a factor one of size 1.  Frees the builder's memory. */
ir_attr sdy_rule_end(sdy_rule_builder *b, ir_context *ctx);

uint32_t sdy_rule_factor(sdy_rule_builder *b, int64_t size, sdy_factor_kind kind,
                         bool blocked);
/* Maps a dimension (SDY_NO_DIM: none) of a tensor to this factor, minor to those mapped
 * before.  A factor of size 1 is omitted after others. */
void sdy_rule_use(sdy_rule_builder *b, size_t tensor, int64_t dim, uint32_t factor);
static inline size_t sdy_rule_result(const sdy_rule_builder *b, size_t i)
{
    return b->n_operands + i;
}
/* The same dimension of all tensors that have dimensions, of all operands, of all
 * results. */
void sdy_rule_all(sdy_rule_builder *b, int64_t dim, int64_t size, sdy_factor_kind kind,
                  bool blocked);
void sdy_rule_operands(sdy_rule_builder *b, int64_t dim, int64_t size,
                       sdy_factor_kind kind);
void sdy_rule_results(sdy_rule_builder *b, int64_t dim, int64_t size, sdy_factor_kind kind);
/* A factor of operand 0, operand 1 and result 0. */
void sdy_rule_product(sdy_rule_builder *b, int64_t lhs, int64_t rhs, int64_t out,
                      int64_t size, sdy_factor_kind kind);
/* A factor of operand 0, the only one used, and result 0. */
void sdy_rule_pair(sdy_rule_builder *b, int64_t in, int64_t out, int64_t size,
                   sdy_factor_kind kind, bool blocked);

#endif
