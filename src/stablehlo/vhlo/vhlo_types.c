/* vhlo_types.c: converts between vhlo's types and builtin types. */
#include "stablehlo/vhlo/vhlo_types.h"
#include "ir/text.h"
#include "mlir/quant/quant.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"

#include <stdio.h>
#include <stdlib.h>

/* Scalars: the builtin counterpart's text, and the row. */
static const struct {
    const char *builtin;
    const ir_type_def *def;
} scalars[] = {
    {"i1", VHLO_TYPE(bool_v1)},
    {"i2", VHLO_TYPE(i2_v1)},
    {"i4", VHLO_TYPE(i4_v1)},
    {"i8", VHLO_TYPE(i8_v1)},
    {"i16", VHLO_TYPE(i16_v1)},
    {"i32", VHLO_TYPE(i32_v1)},
    {"i64", VHLO_TYPE(i64_v1)},
    {"ui2", VHLO_TYPE(ui2_v1)},
    {"ui4", VHLO_TYPE(ui4_v1)},
    {"ui8", VHLO_TYPE(ui8_v1)},
    {"ui16", VHLO_TYPE(ui16_v1)},
    {"ui32", VHLO_TYPE(ui32_v1)},
    {"ui64", VHLO_TYPE(ui64_v1)},
    {"bf16", VHLO_TYPE(bf16_v1)},
    {"f16", VHLO_TYPE(f16_v1)},
    {"f32", VHLO_TYPE(f32_v1)},
    {"f64", VHLO_TYPE(f64_v1)},
    {"tf32", VHLO_TYPE(tf31_v1)},
    {"f4E2M1FN", VHLO_TYPE(f4E2M1FN_v1)},
    {"f6E2M3FN", VHLO_TYPE(f6E2M3FN_v1)},
    {"f6E3M2FN", VHLO_TYPE(f6E3M2FN_v1)},
    {"f8E3M4", VHLO_TYPE(f8E3M4_v1)},
    {"f8E4M3", VHLO_TYPE(f8E4M3_v1)},
    {"f8E4M3FN", VHLO_TYPE(f8E4M3FN_v1)},
    {"f8E5M2", VHLO_TYPE(f8E5M2_v1)},
    {"f8E4M3FNUZ", VHLO_TYPE(f8E4M3FNUZ_v1)},
    {"f8E5M2FNUZ", VHLO_TYPE(f8E5M2FNUZ_v1)},
    {"f8E4M3B11FNUZ", VHLO_TYPE(f8E4M3B11FNUZ_v1)},
    {"f8E8M0FNU", VHLO_TYPE(f8E8M0FNU_v1)},
    {"index", VHLO_TYPE(index_v1)},
    {"none", VHLO_TYPE(none_v1)},
    {"!stablehlo.token", VHLO_TYPE(token_v1)},
};

/* Quantized types: `order[i]` is the index in quant's row of vhlo's parameter i. */
enum { MAX_QUANT_PARAMS = 8 };
static const struct quantized {
    const ir_type_def *quant, *vhlo;
    uint8_t order[MAX_QUANT_PARAMS];
} quantized[] = {
    {QUANT_TYPE(uniform), VHLO_TYPE(quant_v1), {0, 1, 2, 5, 6, 3, 4}},
    {QUANT_TYPE(uniform_per_axis), VHLO_TYPE(quant_per_axis_v1), {0, 1, 2, 7, 5, 6, 3, 4}},
};

static ir_type quant_to_vhlo(ir_type type)
{
    for (size_t i = 0; i < TW_COUNT(quantized); i++) {
        const struct quantized *q = &quantized[i];
        ir_attr params[MAX_QUANT_PARAMS];
        if (q->quant != type->def)
            continue;
        for (uint32_t k = 0; k < type->count; k++) {
            ir_attr param = type->params[q->order[k]];
            if (ir_attr_is(param, IR_ATTR_TYPE)) {
                ir_type inner = vhlo_type_from(param->type);
                param = inner ? ir_type_attr(inner) : NULL;
            }
            if (!(params[k] = param))
                return NULL;
        }
        return ir_dialect_type(type->ctx, q->vhlo, params, type->count);
    }
    return NULL;
}

static ir_type quant_from_vhlo(ir_type type)
{
    for (size_t i = 0; i < TW_COUNT(quantized); i++) {
        const struct quantized *q = &quantized[i];
        ir_attr params[MAX_QUANT_PARAMS];
        if (q->vhlo != type->def)
            continue;
        for (uint32_t k = 0; k < type->count; k++) {
            ir_attr param = type->params[k];
            if (ir_attr_is(param, IR_ATTR_TYPE)) {
                ir_type inner = vhlo_type_to_builtin(param->type);
                param = inner ? ir_type_attr(inner) : NULL;
            }
            if (!(params[q->order[k]] = param))
                return NULL;
        }
        ir_type to = ir_dialect_type(type->ctx, q->quant, params, type->count);
        return q->quant->verify(type->ctx, IR_LOC_UNKNOWN, to) ? to : NULL;
    }
    return NULL;
}

/* ---- to vhlo ------------------------------------------------------------------------ */

static ir_attr types_to_vhlo(ir_context *ctx, const ir_type *types, size_t count)
{
    ir_attr *items = tw_xmalloc((count + 1) * sizeof *items);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ir_type type = vhlo_type_from(types[i]);
        ok = type != NULL;
        items[i] = ok ? ir_type_attr(type) : NULL;
    }
    ir_attr list = ok ? ir_array_attr(ctx, items, count) : NULL;
    free(items);
    return list;
}

static ir_attr encoding_to_vhlo(ir_context *ctx, ir_attr encoding)
{
    bool bounds = encoding->kind == IR_ATTR_DIALECT &&
                  (encoding->def == STABLEHLO_ATTR(bounds) ||
                   encoding->def == STABLEHLO_ATTR(type_extensions));
    return bounds ? ir_dialect_attr(ctx, VHLO_ATTR(type_extensions_v1), encoding->params, 1)
                  : NULL;
}

/* Tensors, and buffers without layout and memory space. */
static ir_type tensor_to_vhlo(ir_type type)
{
    ir_context *ctx = type->ctx;
    bool buffer = type->kind == IR_TYPE_MEMREF;
    ir_type element = vhlo_type_from(type->element);
    ir_attr encoding =
        type->encoding && !buffer ? encoding_to_vhlo(ctx, type->encoding) : NULL;
    if (!element || (type->encoding && !encoding) || (buffer && type->space))
        return NULL;
    ir_attr *dims = tw_xmalloc((type->count + 1) * sizeof *dims);
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = ir_raw_int(ctx, type->dims[i]);
    ir_attr params[] = {ir_array_attr(ctx, dims, type->count), ir_type_attr(element),
                        encoding};
    free(dims);
    return buffer ? ir_dialect_type(ctx, VHLO_TYPE(buffer_v1), params, 2)
                  : ir_dialect_type(ctx, VHLO_TYPE(tensor_v1), params, TW_COUNT(params));
}

static ir_type scalar_to_vhlo(ir_type type)
{
    tw_strbuf text = {0};
    ir_type found = NULL;
    ir_print_type(type, &text);
    for (size_t i = 0; i < TW_COUNT(scalars) && !found; i++)
        if (strcmp(scalars[i].builtin, tw_strbuf_text(&text)) == 0)
            found = ir_dialect_type(type->ctx, scalars[i].def, NULL, 0);
    tw_strbuf_free(&text);
    return found;
}

ir_type vhlo_type_from(ir_type type)
{
    ir_context *ctx = type->ctx;
    ir_attr params[2];
    switch (type->kind) {
    case IR_TYPE_TENSOR:
    case IR_TYPE_MEMREF:
        return tensor_to_vhlo(type);
    case IR_TYPE_COMPLEX:
    case IR_TYPE_UNRANKED_TENSOR: {
        ir_type element = vhlo_type_from(type->element);
        if (!element)
            return NULL;
        params[0] = ir_type_attr(element);
        return ir_dialect_type(ctx,
                               type->kind == IR_TYPE_COMPLEX
                                   ? VHLO_TYPE(complex_v1)
                                   : VHLO_TYPE(unranked_tensor_v1),
                               params, 1);
    }
    case IR_TYPE_TUPLE:
        params[0] = types_to_vhlo(ctx, type->types, type->count);
        return params[0] ? ir_dialect_type(ctx, VHLO_TYPE(tuple_v1), params, 1) : NULL;
    case IR_TYPE_FUNCTION:
        params[0] = types_to_vhlo(ctx, type->types, type->count);
        params[1] = types_to_vhlo(ctx, ir_function_results(type), type->results);
        return params[0] && params[1] ? ir_dialect_type(ctx, VHLO_TYPE(func_v1), params, 2)
                                      : NULL;
    case IR_TYPE_DIALECT:
        if (type->def == STABLEHLO_TYPE(future)) {
            ir_attr list = type->params[0];
            ir_attr *items = tw_xmalloc((list->count + 1) * sizeof *items);
            bool ok = true;
            for (uint32_t i = 0; ok && i < list->count; i++) {
                ir_type one = vhlo_type_from(list->items[i]->type);
                ok = one != NULL;
                items[i] = ok ? ir_type_attr(one) : NULL;
            }
            params[0] = ok ? ir_array_attr(ctx, items, list->count) : NULL;
            free(items);
            return ok ? ir_dialect_type(ctx, VHLO_TYPE(future_v1), params, 1) : NULL;
        }
        if (strncmp(type->def->mnemonic, "quant.", 6) == 0)
            return quant_to_vhlo(type);
        return strncmp(type->def->mnemonic, "vhlo.", 5) == 0 ? type : scalar_to_vhlo(type);
    default:
        return scalar_to_vhlo(type);
    }
}

/* ---- from vhlo ---------------------------------------------------------------------- */

static ir_type *types_from_vhlo(ir_attr list)
{
    ir_type *types = tw_xmalloc((list->count + 1) * sizeof *types);
    for (uint32_t i = 0; i < list->count; i++)
        if (!(types[i] = vhlo_type_to_builtin(list->items[i]->type))) {
            free(types);
            return NULL;
        }
    return types;
}

static bool fits_tensor(ir_type element)
{
    return element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_FLOAT ||
           element->kind == IR_TYPE_INDEX || element->kind == IR_TYPE_COMPLEX ||
           element->kind == IR_TYPE_DIALECT;
}

static ir_type tensor_from_vhlo(ir_type type)
{
    enum { MAX_RANK = 64 };
    int64_t dims[MAX_RANK];
    bool buffer = type->def == VHLO_TYPE(buffer_v1);
    ir_attr shape = type->params[0], encoding = buffer ? NULL : type->params[2];
    ir_type element = vhlo_type_to_builtin(type->params[1]->type);
    if (!element || !fits_tensor(element) || shape->count > MAX_RANK)
        return NULL;
    for (uint32_t i = 0; i < shape->count; i++) {
        dims[i] = shape->items[i]->value;
        if (dims[i] < 0 && dims[i] != IR_DYNAMIC)
            return NULL;
    }
    if (encoding && (encoding->kind != IR_ATTR_DIALECT ||
                     encoding->def != VHLO_ATTR(type_extensions_v1)))
        return NULL;
    if (encoding)
        encoding = ir_dialect_attr(type->ctx, STABLEHLO_ATTR(type_extensions),
                                   encoding->params, 1);
    return buffer ? ir_memref_type(element, dims, shape->count, NULL, NULL)
                  : ir_tensor_type(element, dims, shape->count, encoding);
}

static ir_type list_from_vhlo(ir_type type)
{
    ir_context *ctx = type->ctx;
    ir_type found = NULL;
    ir_type *inputs = types_from_vhlo(type->params[0]);
    if (inputs && type->def == VHLO_TYPE(tuple_v1))
        found = ir_tuple_type(ctx, inputs, type->params[0]->count);
    if (inputs && type->def == VHLO_TYPE(future_v1)) {
        ir_attr *items = tw_xmalloc((type->params[0]->count + 1) * sizeof *items);
        for (uint32_t i = 0; i < type->params[0]->count; i++)
            items[i] = ir_type_attr(inputs[i]);
        ir_attr list = ir_array_attr(ctx, items, type->params[0]->count);
        free(items);
        found = ir_dialect_type(ctx, STABLEHLO_TYPE(future), &list, 1);
    }
    if (inputs && type->def == VHLO_TYPE(func_v1)) {
        ir_type *results = types_from_vhlo(type->params[1]);
        if (results)
            found = ir_function_type(ctx, inputs, type->params[0]->count, results,
                                     type->params[1]->count);
        free(results);
    }
    free(inputs);
    return found;
}

ir_type vhlo_type_to_builtin(ir_type type)
{
    if (type->kind != IR_TYPE_DIALECT || strncmp(type->def->mnemonic, "vhlo.", 5) != 0)
        return type;
    if (type->def == VHLO_TYPE(tensor_v1) || type->def == VHLO_TYPE(buffer_v1))
        return tensor_from_vhlo(type);
    if (type->def == VHLO_TYPE(quant_v1) || type->def == VHLO_TYPE(quant_per_axis_v1))
        return quant_from_vhlo(type);
    if (type->def == VHLO_TYPE(tuple_v1) || type->def == VHLO_TYPE(func_v1) ||
        type->def == VHLO_TYPE(future_v1))
        return list_from_vhlo(type);
    if (type->def == VHLO_TYPE(complex_v1)) {
        ir_type element = vhlo_type_to_builtin(type->params[0]->type);
        return element &&
                       (element->kind == IR_TYPE_FLOAT || element->kind == IR_TYPE_INTEGER)
                   ? ir_complex_type(element)
                   : NULL;
    }
    if (type->def == VHLO_TYPE(unranked_tensor_v1)) {
        ir_type element = vhlo_type_to_builtin(type->params[0]->type);
        return element && fits_tensor(element) ? ir_unranked_tensor_type(element) : NULL;
    }
    for (size_t i = 0; i < TW_COUNT(scalars); i++)
        if (scalars[i].def == type->def)
            return ir_parse_type(type->ctx, tw_str_from(scalars[i].builtin));
    return NULL;
}
