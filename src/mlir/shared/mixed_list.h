/* mixed_list.h: lists of integers that are partly static (an attribute), partly operands:
 * offsets, sizes, strides, padding, bounds. */
#ifndef TILEWRIGHT_MLIR_SHARED_MIXED_LIST_H
#define TILEWRIGHT_MLIR_SHARED_MIXED_LIST_H

#include "ir/rewrite/rewrite.h"
#include "mlir/shared/shape_checks.h"

typedef struct mixed_list {
    int64_t n;
    int64_t number[SHAPE_MAX_RANK]; /* IR_DYNAMIC: the value */
    ir_value *value[SHAPE_MAX_RANK];
} mixed_list;

/* Reads the operand group `group` and the attribute `attr`. */
bool mixed_read(const ir_op *op, const char *group, const char *attr, mixed_list *out);
/* Folds constant operands to static integers (with not_negative, only those >= 0); returns
 * whether any was folded. */
bool mixed_fold(mixed_list *list, bool not_negative);
/* Builds a constant of index type. */
ir_value *mixed_index(rw_rewriter *rw, int64_t n);
void mixed_write(ir_op *op, const char *group, const char *attr, const mixed_list *list);

/* Rebuilds an operation with dynamic sizes (operand group `group`) with constant ones made
 * static in its type; NULL if none is constant.  The results then need a cast. */
ir_op *mixed_fold_sizes(rw_rewriter *rw, ir_op *op, size_t group);

/* The offsets, sizes and strides of subviews and slices. */
typedef struct mixed_part {
    mixed_list offsets, sizes, strides;
} mixed_part;

bool mixed_part_read(const ir_op *op, mixed_part *out);
bool mixed_part_fold(mixed_part *part);
void mixed_part_write(ir_op *op, const mixed_part *part);

#endif
