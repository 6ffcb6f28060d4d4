/* canonicalize.c: canonical forms of ttnn operations. */
#include "mlir/passes/canonical.h"
#include "ttnn/build.h"

#include <math.h>

/* A constant of one value is spelled as that value, where it is. */
static bool constant_to_full(ir_op *op, rw_rewriter *rw)
{
    ir_attr value = ir_op_attr(op, "value"), fill;
    ir_type t = op->results[0].type;
    if (!ir_attr_is(value, IR_ATTR_DENSE) || !(value->splat & 1))
        return false;
    if (value->type->element->kind == IR_TYPE_FLOAT) {
        double v = ir_dense_real(value, 0);
        if ((double)(float)v != v && !isnan(v))
            return false;
        fill = ir_f32_attr(op->ctx, v);
    } else {
        int64_t v = ir_dense_int(value, 0);
        if (v < INT32_MIN || v > INT32_MAX)
            return false;
        fill = ir_i32_attr(op->ctx, v);
    }
    rw_replace1(rw, op, tnb_full(&rw->b, NULL, t, fill, ir_op_operand_named(op, "device")));
    return true;
}

static int64_t dtype_of(const ir_value *v)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) ? l.dtype : ttnn_dtype_of(v->type->element);
}

/* Of two casts only the second counts, unless the first one loses precision. */
static bool merge_casts(ir_op *op, rw_rewriter *rw)
{
    ir_op *before = ir_value_def(op->operands[0].value);
    if (!before || before->def != op->def || !ir_value_has_one_use(&before->results[0]) ||
        !ttnn_dtype_is_lossless(dtype_of(before->operands[0].value),
                                dtype_of(&before->results[0])))
        return false;
    ir_builder at = rw->b;
    at.before = before;
    at.loc = before->loc;
    rw_replace1(rw, op,
                ir_build1(&at, op->def, op->results[0].type,
                          IR_VALUES(before->operands[0].value), NULL, 0));
    return true;
}

/* Dimensions of one element may be exchanged by a reshape. */
static bool permute_to_reshape(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_type t = op->results[0].type;
    int64_t order[TTNN_MAX_RANK], last = -1;
    size_t n = tnb_ints(op, "permutation", order, TTNN_MAX_RANK);
    for (size_t i = 0; i < n; i++) {
        if (x->type->dims[order[i]] == 1)
            continue;
        if (order[i] < last)
            return false;
        last = order[i];
    }
    ir_attr shape = ir_i32_array_attr(op->ctx, t->dims, t->count);
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, TTNN_OP(reshape), t, IR_VALUES(x), IR_ATTRS({"shape", shape})));
    return true;
}

/* The product repeats one batch of the right side by itself. */
static bool matmul_repeat(ir_op *op, rw_rewriter *rw)
{
    ir_value *a = op->operands[0].value, *b = op->operands[1].value;
    ir_op *repeat = ir_value_def(b);
    if (!repeat || repeat->def != TTNN_OP(repeat) || a->type->count != 4)
        return false;
    int64_t times[4];
    ir_attr shape = ir_attr_param(ir_op_attr(repeat, "repeat_dims"), "shape");
    if (ir_attr_ints(shape, times, 4) != 4)
        return false;
    for (size_t i = 0; i < 4; i++)
        if ((times[i] != 1) != (i == 1))
            return false;
    if (b->type->dims[0] != 1 || a->type->dims[1] != b->type->dims[1])
        return false;
    ir_op_set_operand(op, 1, repeat->operands[0].value);
    rw_modified(rw, op);
    return true;
}

/* Puts the device in or takes it out as the new memory asks. */
static bool give_device(ir_op *creation, bool host, rw_rewriter *rw, ir_op *at)
{
    size_t group = ir_op_operand_index(creation->def, "device");
    bool has = ir_op_operand_named(creation, "device") != NULL;
    if (host == !has)
        return true;
    if (group == SIZE_MAX || creation->def->operands.at[group].arity != IR_OPTIONAL)
        return false;
    ir_value *device = host ? NULL : tnb_device(&rw->b, at);
    ir_op_set_operand_group(creation, group, &device, host ? 0 : 1);
    if (!host && ir_value_def(device)->block == creation->block &&
        ir_op_before(creation, ir_value_def(device)))
        ir_op_insert_before(ir_value_def(device), creation->block->first);
    return true;
}

/* What is created may be created where it is wanted. */
static bool create_in_place(ir_op *op, rw_rewriter *rw)
{
    ir_op *creation = ir_value_def(op->operands[0].value);
    ttnn_layout l;
    if (!creation || !tnb_is_creation(creation) || creation->n_results != 1 ||
        !ir_value_has_one_use(&creation->results[0]) ||
        !ttnn_layout_of(op->results[0].type, &l))
        return false;
    bool host = ttnn_layout_on_host(&l);
    if (host && creation->def == TTNN_OP(empty)) {
        ir_type t = op->results[0].type;
        rw_replace1(rw, op,
                    ir_build1(&rw->b, TTNN_OP(zeros), t, NULL, 0,
                              IR_ATTRS({"shape", ir_op_attr(creation, "shape")})));
        return true;
    }
    if ((host && !ir_def_has(creation->def, "CanExecuteOnHostTrait")) ||
        !give_device(creation, host, rw, op))
        return false;
    creation->results[0].type = op->results[0].type;
    rw_modified(rw, creation);
    rw_replace1(rw, op, &creation->results[0]);
    return true;
}

static const rw_pattern patterns[] = {
    {TTNN_OP(constant), constant_to_full, NULL},
    {TTNN_OP(typecast), merge_casts, NULL},
    {TTNN_OP(permute), permute_to_reshape, NULL},
    {TTNN_OP(matmul), matmul_repeat, NULL},
    {TTNN_OP(to_tensor_spec), create_in_place, NULL},
};

const rw_pattern_table canonicalize_ttnn = {patterns, TW_COUNT(patterns)};
