/* casts.c: see casts.h. */
#include "mlir/tensor/casts.h"

#include "mlir/tensor/tensor.h"

ir_value *tensor_cast_to(rw_rewriter *rw, ir_value *v, ir_type type)
{
    return v->type == type
               ? v
               : ir_build1(&rw->b, TENSOR_OP(cast), type, IR_VALUES(v), NULL, 0);
}

bool tensor_type_refines(ir_type to, ir_type from)
{
    if (!ir_type_is_ranked(from) || !ir_type_is_ranked(to) || from->count != to->count ||
        from->encoding != to->encoding)
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (from->dims[i] != IR_DYNAMIC && from->dims[i] != to->dims[i])
            return false;
    return true;
}

ir_value *tensor_before_cast(const ir_value *v)
{
    ir_op *cast = ir_value_def(v);
    if (!ir_op_is(cast, TENSOR_OP(cast)))
        return NULL;
    ir_value *from = ir_op_operand(cast, 0);
    return tensor_type_refines(from->type, v->type) ? from : NULL;
}
