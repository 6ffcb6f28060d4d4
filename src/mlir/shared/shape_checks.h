/* shape_checks.h: checks shared by operations on tensors and on memrefs.  Messages are
 * MLIR's. */
#ifndef TILEWRIGHT_MLIR_SHARED_SHAPE_CHECKS_H
#define TILEWRIGHT_MLIR_SHARED_SHAPE_CHECKS_H

#include "ir/op.h"

enum { SHAPE_MAX_RANK = 64 };

/* The integers of a dense array, at most SHAPE_MAX_RANK; -1 if there are more or it is
 * absent. */
int64_t shape_ints(const ir_op *op, const char *attr, int64_t *out);
/* The number of values in an operand group, by its name. */
size_t shape_group_count(const ir_op *op, const char *group);
size_t shape_dynamic_dims(ir_type type);
/* The number of dynamic entries (IR_DYNAMIC) in a list of integers; NULL: an empty list. */
size_t shape_marks(ir_attr list);
/* Checks that an operand group has a value for each of them. */
bool shape_check_marks(ir_op *op, ir_attr list, size_t group, const char *name);
/* Checks offsets, sizes and strides, each partly static: `ranks` are their counts. */
bool shape_check_slice(ir_op *op, const size_t ranks[3]);
/* True if the slice type may be the whole type with unit dimensions dropped, given
 * static_sizes. */
bool shape_check_slice_type(ir_op *op, ir_type whole, ir_type slice);
/* True if ranks and static sizes agree where both types have them. */
bool shape_compatible(ir_type a, ir_type b);
bool shape_cast_error(ir_op *op);

/* Reassociation [[0, 1], [2]]: the dimensions that are collapsed into each. */
typedef struct shape_groups {
    size_t count, max_index; /* groups; one more than the highest index */
    size_t sizes[SHAPE_MAX_RANK];
    bool contiguous;      /* every index is one more than the previous one */
    size_t first_invalid; /* otherwise the group where that fails */
} shape_groups;
bool shape_groups_of(const ir_op *op, shape_groups *out);
/* The product of `n` dimensions from `first` on; IR_DYNAMIC if one of them is. */
int64_t shape_group_size(ir_type expanded, size_t first, size_t n);
/* Checks the shape operand of tensor.reshape and memref.reshape. */
bool shape_check_shape_operand(ir_op *op, const char *kind);

#endif
