/* shape_checks.h: checks that operations on tensors and on memrefs share.  Messages are
 * MLIR's. */
#ifndef TILEWRIGHT_MLIR_SHARED_SHAPE_CHECKS_H
#define TILEWRIGHT_MLIR_SHARED_SHAPE_CHECKS_H

#include "ir/op.h"

enum { SHAPE_MOST_RANK = 64 };

/* The integers of a dense array, at most SHAPE_MOST_RANK; -1 if they are more or none. */
int64_t shape_ints(const ir_op *op, const char *attr, int64_t *out);
/* How many values an operand group has, by its name. */
size_t shape_group_count(const ir_op *op, const char *group);
size_t shape_dynamic_dims(ir_type type);
/* Offsets, sizes and strides, each partly static: `ranks` says how many of each. */
bool shape_check_slice(ir_op *op, const size_t ranks[3]);
/* Can a type be the other with dimensions of 1 left out, its sizes those of static_sizes?
 */
bool shape_check_slice_type(ir_op *op, ir_type whole, ir_type slice);
/* Ranks and sizes agree where both say them. */
bool shape_compatible(ir_type a, ir_type b);
bool shape_cast_error(ir_op *op);

/* Reassociation [[0, 1], [2]]: which dimensions become one. */
typedef struct shape_groups {
    size_t count, max_index; /* groups; one more than the highest index */
    size_t sizes[SHAPE_MOST_RANK];
    bool contiguous;      /* every index follows the one before */
    size_t first_invalid; /* else the group where that ends */
} shape_groups;
bool shape_groups_of(const ir_op *op, shape_groups *out);
/* What `n` dimensions from `first` on are together; IR_DYNAMIC if one of them is. */
int64_t shape_group_size(ir_type expanded, size_t first, size_t n);
/* The operand that holds the shape of what tensor.reshape and memref.reshape give. */
bool shape_check_shape_operand(ir_op *op, const char *kind);

#endif
