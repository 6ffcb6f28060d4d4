/* canonicalize_tensor.c: canonical forms of tensor operations. */
#include "dialect/tensor/tensor.h"
#include "transform/canonical.h"

#include <stdlib.h>

/* Sizes that are known belong in the type: tensor.empty(%c4) : tensor<?xf32> is a cast of
 * tensor.empty() : tensor<4xf32>. */
static bool name_known_sizes(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    uint32_t next = 0, kept = 0;
    bool known = false;
    int64_t *dims = tw_xmalloc((t->count + 1) * sizeof *dims);
    ir_value **sizes = tw_xmalloc((op->n_operands + 1) * sizeof *sizes);
    for (uint32_t i = 0; i < t->count; i++) {
        dims[i] = t->dims[i];
        if (dims[i] != IR_DYNAMIC || next >= op->n_operands)
            continue;
        ir_value *size = op->operands[next++].value;
        ir_attr value = rw_constant(size);
        if (ir_attr_is(value, IR_ATTR_INTEGER) && value->value >= 0) {
            dims[i] = value->value;
            known = true;
        } else {
            sizes[kept++] = size;
        }
    }
    if (known) {
        ir_type exact = ir_type_with_shape(t, dims, t->count);
        ir_op *empty = ir_build(&rw->b, &(ir_op_state){.def = op->def,
                                                       .loc = op->loc,
                                                       .operands = sizes,
                                                       .n_operands = kept,
                                                       .results = &exact,
                                                       .n_results = 1});
        rw_replace1(
            rw, op,
            ir_build1(&rw->b, TENSOR_OP(cast), t, IR_VALUES(&empty->results[0]), NULL, 0));
    }
    free(dims);
    free(sizes);
    return known;
}

static const rw_pattern patterns[] = {
    {TENSOR_OP(empty), name_known_sizes, "tensor.ReplaceEmptyTensorStaticShapeDims"},
};

const rw_pattern_table canonicalize_tensor = {patterns, TW_COUNT(patterns)};
