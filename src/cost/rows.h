/* rows.h: operations with a form of their own, for the table of op_cost.c. */
#ifndef TILEWRIGHT_COST_ROWS_H
#define TILEWRIGHT_COST_ROWS_H

#include "cost/tensor.h"

/* products.c */
op_cost cost_matmul(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_convolution(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_attention(cost_model *m, const ir_op *op, const cost_tensor *out);
/* reductions.c */
op_cost cost_softmax(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_norm(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_scaling(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_reduction(cost_model *m, const ir_op *op, const cost_tensor *out);
op_cost cost_pool(cost_model *m, const ir_op *op, const cost_tensor *out);

#endif
