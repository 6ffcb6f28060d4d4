/* indexing.c: gather as embedding, dynamic_slice. */
#include "convert/stablehlo_to_ttir/stablehlo_to_ttir.h"

enum { MOST = 32 };

/* Rows of a matrix by index: operand rank r, one indexed leading dimension taken whole
 * in the others, indices with a trailing (or no) index vector dimension of size 1. */
static bool gather_rows(ir_op *op, ir_builder *b)
{
    ir_attr d = ir_op_attr(op, "dimension_numbers");
    ir_value *x = op->operands[0].value, *index = op->operands[1].value;
    int64_t offset[MOST], collapsed[MOST], map[MOST], sizes[MOST], none[MOST];
    int64_t n_offset = ir_attr_ints(ir_attr_param(d, "offsetDims"), offset, MOST);
    int64_t n_collapsed =
        ir_attr_ints(ir_attr_param(d, "collapsedSliceDims"), collapsed, MOST);
    int64_t n_map = ir_attr_ints(ir_attr_param(d, "startIndexMap"), map, MOST);
    int64_t n_sizes = ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, MOST);
    int64_t vector = ir_attr_int(ir_attr_param(d, "indexVectorDim"), 0);
    size_t rank = x->type->count, index_rank = index->type->count;
    if (ir_attr_ints(ir_attr_param(d, "operandBatchingDims"), none, MOST) > 0)
        return false;
    if (n_map != 1 || n_collapsed != 1 || collapsed[0] != map[0] ||
        n_sizes != (int64_t)rank || n_offset != (int64_t)rank - 1)
        return false;
    for (size_t i = 0; i < rank; i++)
        if (sizes[i] != ((int64_t)i == map[0] ? 1 : x->type->dims[i]))
            return false;
    bool has_vector = vector < (int64_t)index_rank;
    if (has_vector && (vector != (int64_t)index_rank - 1 || index->type->dims[vector] != 1))
        return false;
    size_t batch_rank = index_rank - has_vector;
    /* the indexed dimension first */
    if (map[0] != 0) {
        int64_t order[MOST];
        size_t at = 1;
        order[0] = map[0];
        for (size_t i = 0; i < rank; i++)
            if ((int64_t)i != map[0])
                order[at++] = (int64_t)i;
        x = s2t_permute(b, x, order, rank);
    }
    int64_t inner = 1, count = 1, dims[MOST];
    for (size_t i = 1; i < rank; i++)
        inner *= x->type->dims[i];
    for (size_t i = 0; i < batch_rank; i++)
        count *= index->type->dims[i];
    int64_t table[] = {x->type->dims[0], inner}, flat[] = {1, count},
            out[] = {1, count, inner};
    ir_value *weight = s2t_reshape(b, x, table, 2);
    ir_value *ids = s2t_reshape(b, index, flat, 2);
    ir_value *rows = ir_build1(b, TTIR_OP(embedding), ir_type_with_shape(x->type, out, 3),
                               IR_VALUES(ids, weight), NULL, 0);
    /* batch dimensions, then the operand's others; then to the places of offset_dims */
    for (size_t i = 0; i < batch_rank; i++)
        dims[i] = index->type->dims[i];
    for (size_t i = 1; i < rank; i++)
        dims[batch_rank + i - 1] = x->type->dims[i];
    size_t out_rank = batch_rank + rank - 1;
    rows = s2t_reshape(b, rows, dims, out_rank);
    int64_t order[MOST], next_batch = 0;
    bool identity = true;
    for (size_t i = 0; i < out_rank; i++) {
        order[i] = -1;
        for (int64_t k = 0; k < n_offset; k++)
            if (offset[k] == (int64_t)i)
                order[i] = (int64_t)batch_rank + k;
        if (order[i] < 0)
            order[i] = next_batch++;
        identity &= order[i] == (int64_t)i;
    }
    if (!identity)
        rows = s2t_permute(b, rows, order, out_rank);
    return s2t_done(op, rows);
}

bool s2t_gather(ir_op *op, ir_builder *b)
{
    return gather_rows(op, b) || s2t_gather_any(op, b);
}

/* Starts and ends as vectors; the end is start + size. */
bool s2t_dynamic_slice(ir_op *op, ir_builder *b)
{
    int64_t sizes[MOST], one = 1;
    uint32_t rank = op->n_operands - 1;
    if (rank == 0 || rank > MOST ||
        ir_attr_ints(ir_op_attr(op, "slice_sizes"), sizes, MOST) != (int64_t)rank)
        return false;
    ir_value *parts[MOST];
    ir_type scalar = op->operands[1].value->type;
    int64_t n = rank;
    for (uint32_t i = 0; i < rank; i++)
        parts[i] = s2t_reshape(b, op->operands[1 + i].value, &one, 1);
    ir_type vector = ir_tensor_type(ir_type_element(scalar), &n, 1, NULL);
    ir_value *starts = rank == 1 ? parts[0]
                                 : ir_build1(b, TTIR_OP(concat), vector, parts, rank,
                                             IR_ATTRS({"dim", ir_si32_attr(b->ctx, 0)}));
    ir_value *size = ir_build1(b, TTIR_OP(constant), vector, NULL, 0,
                               IR_ATTRS({"value", ir_dense_i64(vector, sizes, rank)}));
    ir_value *ends = ir_build1(b, TTIR_OP(add), vector, IR_VALUES(starts, size), NULL, 0);
    return s2t_done(op, ir_build1(b, TTIR_OP(slice_dynamic), op->results[0].type,
                                  IR_VALUES(op->operands[0].value, starts, ends), NULL, 0));
}
