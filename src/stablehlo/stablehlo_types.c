/* stablehlo_types.c: compatibility of types. */
#include "mlir/quant/quant.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#include <stdlib.h>

enum { MAX_RANK = 64 };

bool stablehlo_shapes_fit(ir_type a, ir_type b)
{
    if (!ir_type_is_ranked(a) || !ir_type_is_ranked(b))
        return ir_type_is_shaped(a) && ir_type_is_shaped(b);
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!stablehlo_sizes_fit(a->dims[i], b->dims[i]))
            return false;
    return true;
}

bool stablehlo_is_quantized(ir_type element)
{
    return element->kind == IR_TYPE_DIALECT && element->def->traits &&
           strstr(element->def->traits, "QuantizedType");
}

static bool quantized_fit(ir_type a, ir_type b)
{
    static const size_t same[] = {QUANT_STORAGE_TYPE, QUANT_EXPRESSED_TYPE,
                                  QUANT_STORAGE_MIN, QUANT_STORAGE_MAX};
    for (size_t i = 0; i < TW_COUNT(same); i++)
        if (a->params[same[i]] != b->params[same[i]])
            return false;
    return (a->def == QUANT_TYPE(uniform_per_axis)) ==
           (b->def == QUANT_TYPE(uniform_per_axis));
}

bool stablehlo_elements_fit(ir_type a, ir_type b)
{
    bool plain = a->def != QUANT_TYPE(calibrated) && b->def != QUANT_TYPE(calibrated);
    return a == b || (stablehlo_is_quantized(a) && stablehlo_is_quantized(b) && plain &&
                      quantized_fit(a, b));
}

size_t stablehlo_bounds(ir_type type, int64_t *out, size_t max)
{
    ir_attr encoding = ir_type_is_tensor(type) ? type->encoding : NULL;
    if (!ir_attr_is(encoding, IR_ATTR_DIALECT) ||
        (encoding->def != STABLEHLO_ATTR(bounds) &&
         encoding->def != STABLEHLO_ATTR(type_extensions)))
        return 0;
    ir_attr list = encoding->params[0];
    size_t n = TW_MIN((size_t)list->count, max);
    for (size_t i = 0; i < n; i++)
        out[i] = list->items[i]->value;
    return n;
}

static bool is_within(ir_type type, ir_type bounded)
{
    int64_t bounds[MAX_RANK];
    size_t n = stablehlo_bounds(bounded, bounds, MAX_RANK);
    for (size_t i = 0; i < n && i < type->count; i++)
        if (bounds[i] != IR_DYNAMIC && type->dims[i] != IR_DYNAMIC &&
            bounds[i] < type->dims[i])
            return false;
    return true;
}

bool stablehlo_types_fit(ir_type a, ir_type b)
{
    if (a->kind == IR_TYPE_TUPLE && b->kind == IR_TYPE_TUPLE)
        return a == b;
    if (!ir_type_is_shaped(a) || !ir_type_is_shaped(b))
        return stablehlo_elements_fit(a, b);
    if (!stablehlo_shapes_fit(a, b) || !stablehlo_elements_fit(a->element, b->element))
        return false;
    return !ir_type_is_tensor(a) || !ir_type_is_tensor(b) ||
           (is_within(a, b) && is_within(b, a));
}

bool stablehlo_is_like(ir_type a, ir_type b, bool any_float)
{
    if (!stablehlo_shapes_fit(a, b))
        return false;
    return a->element == b->element || (any_float && a->element->kind == IR_TYPE_FLOAT &&
                                        b->element->kind == IR_TYPE_FLOAT);
}

static uint32_t bits_of(ir_type type)
{
    if (type->kind == IR_TYPE_COMPLEX)
        return 2 * bits_of(type->element);
    if (stablehlo_is_quantized(type) && type->def != QUANT_TYPE(calibrated))
        return bits_of(type->params[QUANT_STORAGE_TYPE]->type);
    return type->width;
}

bool stablehlo_is_promotable(ir_type a, ir_type b)
{
    if (!ir_type_is_shaped(a) || !ir_type_is_shaped(b))
        return false;
    ir_type x = a->element, y = b->element;
    if (stablehlo_is_quantized(x) && stablehlo_is_quantized(y)) {
        if (ir_type_param(x, "expressedType") != ir_type_param(y, "expressedType"))
            return false;
    } else if (x->kind != y->kind ||
               (x->kind != IR_TYPE_INTEGER && x->kind != IR_TYPE_FLOAT &&
                x->kind != IR_TYPE_COMPLEX)) {
        return false;
    }
    return x->kind == IR_TYPE_FLOAT || bits_of(x) <= bits_of(y);
}

ir_type stablehlo_scalar(ir_type element)
{
    return ir_tensor_type(element, NULL, 0, NULL);
}

ir_type stablehlo_bounded(ir_type like, ir_type element, const int64_t *dims, size_t rank,
                          const int64_t *bounds, size_t n_bounds)
{
    ir_context *ctx = like->ctx;
    ir_attr items[MAX_RANK];
    bool some = false;
    for (size_t i = 0; i < n_bounds && i < MAX_RANK; i++) {
        items[i] = ir_raw_int(ctx, bounds[i]);
        some |= bounds[i] != IR_DYNAMIC;
    }
    ir_attr list = some ? ir_array_attr(ctx, items, n_bounds) : NULL;
    return ir_tensor_type(element, dims, rank,
                          list ? ir_dialect_attr(ctx, like->encoding->def, &list, 1)
                               : NULL);
}

void stablehlo_put_types(tw_strbuf *out, ir_context *ctx, const ir_type *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tw_strbuf_printf(out, "%s'%s'", i ? ", " : "", ir_type_text(ctx, types[i]));
}

bool stablehlo_check_inferred(ir_op *op, const ir_type *inferred, size_t n)
{
    bool fit = n == op->n_results;
    for (size_t i = 0; fit && i < n; i++)
        fit = stablehlo_types_fit(inferred[i], op->results[i].type);
    if (fit)
        return true;
    tw_strbuf text = {0};
    ir_type *results = tw_xmalloc((op->n_results + 1u) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    tw_strbuf_puts(&text, "inferred type(s) ");
    stablehlo_put_types(&text, op->ctx, inferred, n);
    tw_strbuf_puts(&text, " are incompatible with return type(s) of operation ");
    stablehlo_put_types(&text, op->ctx, results, op->n_results);
    ir_op_error(op, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    free(results);
    return false;
}
