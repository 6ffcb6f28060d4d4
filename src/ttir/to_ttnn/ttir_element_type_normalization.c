/* ttir_element_type_normalization.c: the pass ttir-element-type-normalization: every tensor
 * gets an element type that the device has; constants are converted with it. */
#include "ir/text.h"
#include "mlir/func/func.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"
#include "ttir/ttir.h"

#include <stdlib.h>

/* 64 bits made 32: what does not fit becomes the nearest that does. */
static int64_t saturated(int64_t v, ir_type from, ir_type to)
{
    if (from->kind != IR_TYPE_INTEGER || from->width != 64 || to->width != 32)
        return v;
    if (to->sign != IR_UNSIGNED)
        return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
    return from->sign == IR_UNSIGNED && (uint64_t)v > UINT32_MAX ? UINT32_MAX : v;
}

ir_attr ttnn_convert_elements(ir_attr value, ir_type to)
{
    ir_type plain = ir_tensor_type(to->element, to->dims, to->count, NULL);
    if (!ir_attr_is(value, IR_ATTR_DENSE) || value->type->element == to->element)
        return ir_attr_is(value, IR_ATTR_DENSE) ? ir_dense_reshape(value, plain) : value;
    bool real = to->element->kind == IR_TYPE_FLOAT;
    ir_type from = value->type->element;
    if (value->splat & 1)
        return real ? ir_dense_splat(plain, ir_dense_real(value, 0))
                    : ir_dense_splat_int(
                          plain, saturated(ir_dense_int(value, 0), from, to->element));
    size_t n = (size_t)ir_type_num_elements(plain);
    if (!real) {
        int64_t *values = tw_xmalloc(n * sizeof *values);
        for (size_t i = 0; i < n; i++)
            values[i] = saturated(ir_dense_int(value, i), from, to->element);
        ir_attr dense = ir_dense_i64(plain, values, n);
        free(values);
        return dense;
    }
    size_t size = ir_dense_element_size(to->element);
    char *data = tw_xmalloc(n * size);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = ir_float_attr(to->element, ir_dense_real(value, i))->bits;
        memcpy(data + i * size, &bits, size);
    }
    ir_attr dense = ir_dense_attr(plain, data, n * size);
    free(data);
    return dense;
}

/* ttir-transforms.md, section 4; NULL for what the device cannot hold. */
static ir_type normal_element(ir_type t)
{
    ir_context *ctx = t->ctx;
    if (t->kind == IR_TYPE_INDEX)
        return ir_integer_type(ctx, 32, IR_UNSIGNED);
    if (t->kind == IR_TYPE_FLOAT) {
        if (t->sign == IR_F64 || t->sign == IR_F32)
            return ir_float_type(ctx, IR_F32);
        return t->sign == IR_BF16 || t->sign == IR_F16 ? ir_float_type(ctx, IR_BF16) : NULL;
    }
    if (t->kind != IR_TYPE_INTEGER)
        return t->kind == IR_TYPE_COMPLEX ? NULL : t; /* tiles, quantized types */
    switch (t->width) {
    case 1:
        return ir_float_type(ctx, IR_BF16);
    case 8:
    case 16:
        return ir_integer_type(ctx, t->width, IR_UNSIGNED);
    case 32:
    case 64:
        return ir_integer_type(ctx, 32, t->sign == IR_UNSIGNED ? IR_UNSIGNED : IR_SIGNED);
    default:
        return NULL;
    }
}

typedef struct normalizing {
    ir_op *at; /* the operation being looked at */
    bool failed;
} normalizing;

/* The name of the element type, and what to do. */
static void refuse(normalizing *n, ir_type element)
{
    tw_strbuf name = {0};
    ir_print_type(element, &name);
    ir_op_error(n->at, "Unsupported type.");
    ir_note(n->at->ctx, n->at->loc,
            "TTNN has no tensors of %.*s; convert them to f32 or bf16 before and after, or "
            "let 'tilewright run' compute such a program with the host's help",
            (int)name.size, name.data);
    tw_strbuf_free(&name);
}

static ir_type normal_type(ir_type t, void *user)
{
    normalizing *n = user;
    if (!ir_type_is_tensor(t))
        return t;
    ir_type element = normal_element(t->element);
    if (!element) {
        if (!n->failed)
            refuse(n, t->element);
        n->failed = true;
        return t;
    }
    return element == t->element ? t
                                 : ir_tensor_type(element, t->dims, t->count, t->encoding);
}

static ir_walk normalize(ir_op *op, void *user)
{
    normalizing *n = user;
    n->at = op;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = normal_type(op->results[i].type, n);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = normal_type(b->args[i]->type, n);
    ir_attr value = op->def == TTIR_OP(constant) ? ir_op_attr(op, "value") : NULL;
    if (ir_attr_is(value, IR_ATTR_DENSE) && !n->failed)
        ir_op_set_attr(op, "value", ttnn_convert_elements(value, op->results[0].type));
    if (op->def == FUNC_OP(func))
        func_convert_types(op, normal_type, n);
    return n->failed ? IR_WALK_STOP : IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    normalizing n = {module, false};
    ir_walk_pre(module, normalize, &n);
    return !n.failed;
}

const pass_def ttir_element_type_normalization_pass = {
    .name = "ttir-element-type-normalization",
    .summary = "Give tensors element types that the device has",
    .anchor = "builtin.module",
    .run = run,
};
