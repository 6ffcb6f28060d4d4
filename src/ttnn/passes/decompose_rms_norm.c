/* decompose_rms_norm.c: ttnn.distributed_rms_norm, whose kernel takes 32 rows and a weight
 * as rows of 32; other shapes become sums of squares that are gathered over the chips. */
#include "ttnn/build.h"
#include "ttnn/passes/decomposition.h"

enum { RANK = 4 };

static bool kernel_takes(const ir_op *op)
{
    ir_type t = op->operands[0].value->type;
    if (!ir_op_operand_named(op, "weight") || t->count < 2 ||
        t->dims[t->count - 2] != TTNN_TILE || t->dims[t->count - 1] % TTNN_TILE)
        return false;
    for (uint32_t i = 0; i + 2 < t->count; i++)
        if (t->dims[i] != 1)
            return false;
    return true;
}

/* [n] -> [n / 32, 32]; any other weight as it is. */
static ir_value *weight_in_rows(ir_builder *b, ir_value *weight)
{
    if (!weight || weight->type->count != 1 || weight->type->dims[0] % TTNN_TILE)
        return weight;
    int64_t dims[] = {weight->type->dims[0] / TTNN_TILE, TTNN_TILE};
    return tnb_reshape(b, NULL, weight, dims, 2);
}

/* The same norm of a tensor of four dimensions: ones in front, or none of those beyond. */
static void norm_in_rank_4(ir_op *op, rw_rewriter *rw, ir_value *weight)
{
    ir_builder *b = &rw->b;
    ir_value *x = op->operands[0].value, *residual = ir_op_operand_named(op, "residual");
    ir_type t = x->type, result = op->results[0].type;
    int64_t dims[RANK] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < RANK && i < t->count; i++)
        dims[RANK - 1 - i] = t->dims[t->count - 1 - i];
    if (t->count != RANK) {
        x = tnb_reshape(b, NULL, x, dims, RANK);
        residual = residual ? tnb_reshape(b, NULL, residual, dims, RANK) : NULL;
    }
    ir_op *norm = ir_build_op(
        b, op->def, &(ir_type){ttnn_tensor_reshaped(result, dims, RANK)}, 1,
        IR_VALUES(x, weight, residual, ir_op_operand_named(op, "stats"),
                  ir_op_operand_named(op, "semaphore"), ir_op_operand_named(op, "device")),
        IR_ATTRS({"cluster_axis", ir_op_attr(op, "cluster_axis")},
                 {"epsilon", ir_op_attr(op, "epsilon")},
                 {"sub_device_id", ir_op_attr(op, "sub_device_id")},
                 {"num_links", ir_op_attr(op, "num_links")},
                 {"topology", ir_op_attr(op, "topology")},
                 {"compute_config", ir_op_attr(op, "compute_config")},
                 {"program_config", ir_op_attr(op, "program_config")}),
        0);
    norm->attrs = op->attrs;
    ir_value *y = ir_op_result(norm, 0);
    if (t->count != RANK)
        y = tnb_reshape(b, NULL, y, result->dims, result->count);
    y->type = result;
    rw_replace1(rw, op, y);
}

/* Of each row [.., n] the sum of squares on one chip, on average over the chips. */
static ir_value *mean_sum_of_squares(ir_builder *b, ir_op *op, ir_value *x)
{
    ir_type t = x->type;
    int64_t mesh[2], dims[RANK + 1], zero[RANK + 1] = {0}, last = RANK - 1;
    ttnn_device_mesh(op, mesh);
    ir_op *device = ir_value_def(ir_op_operand_named(op, "device"));
    ir_attr shape = device ? ir_op_attr(device, "mesh_shape") : NULL;
    if (shape) {
        mesh[0] = ir_attr_int(ir_attr_param(shape, "y"), 1);
        mesh[1] = ir_attr_int(ir_attr_param(shape, "x"), 1);
    }
    const int64_t chips = mesh[ir_op_int(op, "cluster_axis", 0)];
    memcpy(dims, t->dims, RANK * sizeof *dims);
    dims[last] = TTNN_TILE;
    ir_value *v = tnb_op(b, "_pre_all_gather", TTNN_OP(rms_norm_pre_all_gather),
                         ttnn_tensor_reshaped(t, dims, RANK), IR_VALUES(x, NULL), NULL, 0);
    dims[last] = TTNN_TILE * chips;
    v = tnb_op(b, "_all_gather", TTNN_OP(all_gather), ttnn_tensor_reshaped(t, dims, RANK),
               IR_VALUES(v),
               IR_ATTRS({"all_gather_dim", ir_si32_attr(b->ctx, last)},
                        {"cluster_axis", ir_op_attr(op, "cluster_axis")},
                        {"num_links", ir_op_attr(op, "num_links")},
                        {"topology", ir_op_attr(op, "topology")}));
    /* Only the first of a chip's 32 columns has a sum. */
    dims[last] = chips;
    dims[RANK] = TTNN_TILE;
    v = tnb_reshape(b, "_reshape_stats", v, dims, RANK + 1);
    dims[RANK] = 1;
    v = tnb_slice(b, "_slice_ex2", v, zero, dims);
    v = tnb_reshape(b, "_flatten_stats", v, dims, RANK);
    dims[last] = 1;
    return tnb_op(b, "_global_mean", TTNN_OP(mean), ttnn_tensor_reshaped(t, dims, RANK),
                  IR_VALUES(v),
                  IR_ATTRS({"keep_dim", ir_bool_attr(b->ctx, true)},
                           {"dim_arg", ir_i32_array_attr(b->ctx, &last, 1)}));
}

static void decompose(ir_op *op, rw_rewriter *rw)
{
    ir_builder *b = &rw->b;
    ir_value *x = op->operands[0].value, *device = ir_op_operand_named(op, "device"),
             *weight = ir_op_operand_named(op, "weight"),
             *residual = ir_op_operand_named(op, "residual");
    ir_type result = op->results[0].type;
    if (residual)
        x = tnb_binary(b, "_residual_add", TTNN_add, x->type, x, residual);
    ir_value *s = mean_sum_of_squares(b, op, x);
    ir_attr by = ir_f32_attr(b->ctx, 1 / (double)x->type->dims[RANK - 1]);
    ir_value *part = tnb_full(b, "_inv_hidden", s->type, by, device);
    s = tnb_binary(b, "_scale_ex2", TTNN_multiply, s->type, s, part);
    ir_value *epsilon = tnb_full(b, "_epsilon", s->type, ir_op_attr(op, "epsilon"), device);
    s = tnb_binary(b, "_add_eps", TTNN_add, s->type, s, epsilon);
    s = tnb_op(b, "_rsqrt", TTNN_OP(rsqrt), s->type, IR_VALUES(s), NULL, 0);
    ir_value *y = tnb_binary(b, "_normalize", TTNN_multiply, result, x, s);
    if (weight)
        y = tnb_binary(b, "_weight", TTNN_multiply, result, y, weight);
    rw_replace1(rw, op, y);
}

bool ttnn_decompose_distributed_rms_norm(ir_op *op, rw_rewriter *rw)
{
    ir_value *weight = ir_op_operand_named(op, "weight");
    const int64_t axis = ir_op_int(op, "cluster_axis", 0);
    const uint32_t rank = op->operands[0].value->type->count;
    if (!rank || axis < 0 || axis > 1)
        return false;
    if (kernel_takes(op)) {
        ir_value *rows = weight_in_rows(&rw->b, weight);
        if (rank == RANK && rows == weight)
            return false;
        norm_in_rank_4(op, rw, rows);
    } else if (rank < RANK) {
        norm_in_rank_4(op, rw, weight);
    } else if (rank == RANK) {
        decompose(op, rw);
    } else {
        return false;
    }
    return true;
}
