/* convert_named.c: operations that are the same on both sides, up to operands that only
 * TTNN has (the device, buffers bound later) or only TTIR has (destinations). */
#include "ttir/to_ttnn/convert_impl.h"
#include "ttnn/layout.h"

#include <stdlib.h>

enum { MAX_GROUPS = 16, MAX_ATTRS = 32, MAX_RESULTS = 8 };

bool ttnn_replace_all(ir_op *op, ir_op *made)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(made, i));
    ir_op_erase(op);
    return true;
}

bool ttnn_replace_one(ir_op *op, ir_value *v)
{
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    return true;
}

bool ttnn_tuple(const ir_op *op, const char *name, int64_t *out, size_t n)
{
    ir_attr a = ir_op_attr(op, name);
    if (!ir_attr_is(a, IR_ATTR_INTEGER))
        return ir_attr_ints(a, out, n) == (int64_t)n;
    for (size_t i = 0; i < n; i++)
        out[i] = a->value;
    return true;
}

static bool lists(const ir_attr_by_name *attrs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(attrs[i].name, name) == 0)
            return true;
    return false;
}

/* Operands of an operation with a list of them: as they stand. */
static ir_op *build_of_list(ir_op *op, ir_builder *b, const ir_op_def *to,
                            const ir_type *results, const ir_attr_by_name *attrs, size_t n)
{
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_op *made =
        ir_build_op(b, to, results, op->n_results, operands, op->n_operands, attrs, n, 0);
    free(operands);
    return made;
}

ir_op *ttnn_build_named(ir_op *op, ir_builder *b, const ir_op_def *to,
                        const ir_attr_by_name *extra, size_t n_extra)
{
    ir_value *operands[MAX_GROUPS];
    ir_attr_by_name attrs[MAX_ATTRS];
    ir_type results[MAX_RESULTS];
    size_t n = 0;
    bool list = false;
    assert(to->operands.count <= MAX_GROUPS && op->n_results <= MAX_RESULTS);
    for (uint32_t g = 0; g < to->operands.count; g++) {
        const char *name = to->operands.at[g].name;
        list |= to->operands.at[g].arity == IR_VARIADIC;
        operands[g] = ir_op_operand_if_named(op, name);
        if (!operands[g] && strcmp(name, "device") == 0 &&
            to->operands.at[g].arity == IR_ONE)
            operands[g] = tnb_device(b, op);
    }
    for (size_t i = 0; i < n_extra && n < MAX_ATTRS; i++)
        attrs[n++] = extra[i];
    for (uint32_t k = 0; k < to->attrs.count && n < MAX_ATTRS; k++) {
        const char *name = to->attrs.at[k].name;
        ir_attr value = ir_def_prop_index(op->def, tw_str_from(name)) == SIZE_MAX
                            ? NULL
                            : ir_op_attr(op, name);
        if (value && !lists(extra, n_extra, name))
            attrs[n++] = (ir_attr_by_name){name, value};
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    if (list)
        return build_of_list(op, b, to, results, attrs, n);
    return ir_build_op(b, to, results, op->n_results, operands, to->operands.count, attrs,
                       n, 0);
}

static ir_attr result_dtype(const ir_op *op)
{
    ttnn_layout l;
    ir_type t = op->results[0].type;
    int64_t dtype = ttnn_layout_of(t, &l) ? l.dtype : ttnn_dtype_of(t->element);
    return ir_enum_attr(op->ctx, TTCORE_ATTR(supportedDataTypes), dtype);
}

/* Codes and the values that they represent: the result's integers or floats are named. */
bool ttnn_convert_quantized(ir_op *op, ir_builder *b)
{
    const ir_op_def *to = op->def == TTIR_OP(quantize_unrolled)     ? TTNN_OP(quantize)
                          : op->def == TTIR_OP(dequantize_unrolled) ? TTNN_OP(dequantize)
                                                                    : TTNN_OP(requantize);
    return ttnn_replace_all(
        op, ttnn_build_named(op, b, to, IR_ATTRS({"output_dtype", result_dtype(op)})));
}
