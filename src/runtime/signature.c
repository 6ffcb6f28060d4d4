/* signature.c: arguments and results as callers see them. */
#include "ir/text.h"
#include "mlir/quant/quant.h"
#include "runtime/program_impl.h"
#include "runtime/wide.h"
#include "stablehlo/stablehlo.h"
#include "support/blockfloat.h"
#include "ttcore/ttcore.h"

bool rt_dtype_of(ir_type t, bool on_device, tw_dtype *out)
{
    static const struct {
        uint32_t width;
        tw_dtype is_signed, is_unsigned;
    } integers[] = {{8, TW_I8, TW_U8},
                    {16, TW_I16, TW_U16},
                    {32, TW_I32, TW_U32},
                    {64, TW_I64, TW_U64},
                    {1, TW_BOOL, TW_BOOL}};
    size_t n = on_device ? 3 : TW_COUNT(integers);
    if (quant_is_uniform(t)) /* its codes */
        t = quant_storage(t);
    if (!on_device && (rt_has_odd_width(t) || rt_is_odd_float(t)) && t->width <= 8) {
        *out = t->kind == IR_TYPE_FLOAT || t->sign == IR_UNSIGNED ? TW_U8 : TW_I8;
        return true;
    }
    if (t->kind == IR_TYPE_FLOAT) {
        *out = t->sign == IR_BF16  ? TW_BF16
               : t->sign == IR_F16 ? TW_F16
               : t->sign == IR_F64 ? TW_F64
                                   : TW_F32;
        return *out == TW_F64 ? !on_device : *out != TW_F32 || t->sign == IR_F32;
    }
    if (t->kind == IR_TYPE_DIALECT && t->def == TTCORE_TYPE(tile)) {
        int64_t type = ir_attr_int(ir_type_param(t, "dataType"), -1);
        bool block = tw_dtype_is_block((tw_dtype)type);
        *out = type == TTCORE_DataType_Bool ? TW_BOOL
               : block && !on_device        ? TW_F32 /* as the host sees them */
                                            : (tw_dtype)type;
        return type >= 0;
    }
    bool is_unsigned =
        t->sign == IR_UNSIGNED || (on_device && t->sign == IR_SIGNLESS && t->width < 32);
    for (size_t i = 0; t->kind == IR_TYPE_INTEGER && i < n; i++) {
        if (integers[i].width != t->width)
            continue;
        *out = is_unsigned ? integers[i].is_unsigned : integers[i].is_signed;
        return true;
    }
    return false;
}

/* Complex numbers are passed as their parts, the real one first, in a last dimension of
 * 2. */
static ir_type with_parts(ir_type t)
{
    int64_t dims[RT_MAX_RANK];
    if (!ir_type_is_tensor(t) || t->element->kind != IR_TYPE_COMPLEX ||
        t->count >= RT_MAX_RANK)
        return t;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[t->count] = 2;
    return ir_tensor_type(t->element->element, dims, t->count + 1, NULL);
}

/* Rejects an argument or result that cannot be passed to the caller. */
static tw_status refuse_type(ir_op *func, const char *what, size_t i, ir_type t)
{
    ir_ident file;
    uint32_t line, column;
    tw_str name = ir_symbol_name(func);
    bool sizes = ir_type_is_tensor(t) && !ir_type_has_static_shape(t);
    tw_status status = tw_error(
        TW_UNSUPPORTED, "%s %zu of '@%.*s' has type '%s'; %s", what, i, (int)name.size,
        name.data, ir_type_text(t->ctx, t),
        sizes ? "sizes must be known: export with fixed shapes, or give them with "
                "stablehlo-opt --stablehlo-refine-arguments=types=... "
                "--stablehlo-refine-shapes"
              : "arguments and results must be tensors of floats (64 bits at most) or "
                "integers (1 to 8, 16, 32 or 64)");
    return ir_loc_position(func->ctx, func->loc, &file, &line, &column)
               ? tw_annotate(status, "%s:%u:%u", file->text, line, column)
               : status;
}

tw_status rt_refuse_host_types(ir_op *func, const char *what, const ir_type *types,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ir_type t = ir_type_is_tensor(types[i]) ? types[i]->element : types[i];
        if (stablehlo_is_token(t) || rt_has_odd_width(t) || rt_is_odd_float(t))
            return tw_error(TW_UNSUPPORTED,
                            "%s %zu of '@%.*s' has type '%s', which the device does not "
                            "have; let the host compute it",
                            what, i, (int)ir_symbol_name(func).size,
                            ir_symbol_name(func).data, ir_type_text(func->ctx, types[i]));
    }
    return TW_SUCCESS;
}

tw_status rt_describe(ir_op *func, const char *what, const ir_type *types, size_t n,
                      tw_arena *arena, tw_tensor_desc **out)
{
    *out = TW_ARENA_ARRAY(arena, tw_tensor_desc, n + 1);
    for (size_t i = 0; i < n; i++) {
        tw_tensor_desc *d = &(*out)[i];
        static const int64_t nothing[] = {0};
        ir_type t = with_parts(types[i]);
        if (stablehlo_is_token(t)) {
            *d = (tw_tensor_desc){.dtype = TW_BOOL, .rank = 1, .dims = nothing};
            continue;
        }
        if (!ir_type_is_tensor(t) || !ir_type_has_static_shape(t) ||
            !rt_dtype_of(t->element, false, &d->dtype))
            return refuse_type(func, what, i, t);
        d->rank = (int)t->count;
        d->dims = (const int64_t *)(void *)tw_arena_copy(arena, t->dims,
                                                         t->count * sizeof *t->dims);
        int64_t n = ir_type_num_elements(t);
        if (n < 0 || n > INT64_MAX / 8)
            return tw_error(TW_RESOURCE, "no device has memory for a tensor of type %s",
                            ir_type_text(t->ctx, t));
        d->bytes = (size_t)n * tw_dtype_size(d->dtype);
    }
    return TW_SUCCESS;
}
