/* mapping.h: an affine map together with the values of its dimensions and symbols, and
 * their canonical form: affine.apply operations are composed into the map, dimensions that
 * are valid symbols become symbols, duplicates are merged, constants are folded. */
#ifndef TILEWRIGHT_MLIR_AFFINE_MAPPING_H
#define TILEWRIGHT_MLIR_AFFINE_MAPPING_H

#include "ir/affine.h"
#include "ir/op.h"

enum { AFFINE_MAPPING_CAPACITY = 64 };

/* A map or the conditions of a set, with the values of its dimensions and symbols. */
typedef struct affine_mapping {
    ir_context *ctx;
    uint32_t n_dims, n_symbols, n_results;
    ir_affine results[AFFINE_MAPPING_CAPACITY];
    ir_value *dims[AFFINE_MAPPING_CAPACITY], *symbols[AFFINE_MAPPING_CAPACITY];
    bool in_loops; /* bounds of surrounding loops may be used */
} affine_mapping;

/* Reads a map whose values are `op`'s operands from `first` on; false if it is too
 * large. */
bool affine_mapping_begin(const ir_op *op, ir_affine_map map, size_t first,
                          affine_mapping *m);
/* Canonicalizes without and with composing the defining operations. */
void affine_mapping_canonicalize(affine_mapping *m);
void affine_mapping_compose(affine_mapping *m);
ir_affine_map affine_mapping_map(const affine_mapping *m);
/* Writes dimensions, then symbols; returns their count. */
size_t affine_mapping_values(const affine_mapping *m,
                             ir_value *out[2 * AFFINE_MAPPING_CAPACITY]);
/* True if the operation has the mapping's values from operand `first` on. */
bool affine_mapping_same_values(const ir_op *op, size_t first, size_t count,
                                const affine_mapping *m);

#endif
