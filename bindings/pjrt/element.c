/* element.c: element types of arrays: a row for each. */
#include "pjrt.h"

#include "ir/type.h"
#include "stablehlo/stablehlo.h"

typedef struct element {
    const char *name;
    size_t size;        /* bytes in host memory */
    int xla;            /* XLA's number of the type in messages */
    ir_type_kind kind;  /* how programs declare it */
    uint32_t width, of; /* of integers; IR_SIGNLESS, IR_UNSIGNED, or the kind of float */
} element;

static const element elements[PJ_TYPE_COUNT] = {
    [PJ_PRED] = {"bool", 1, 1, IR_TYPE_INTEGER, 1, IR_SIGNLESS},
    [PJ_S8] = {"int8", 1, 2, IR_TYPE_INTEGER, 8, IR_SIGNLESS},
    [PJ_S16] = {"int16", 2, 3, IR_TYPE_INTEGER, 16, IR_SIGNLESS},
    [PJ_S32] = {"int32", 4, 4, IR_TYPE_INTEGER, 32, IR_SIGNLESS},
    [PJ_S64] = {"int64", 8, 5, IR_TYPE_INTEGER, 64, IR_SIGNLESS},
    [PJ_U8] = {"uint8", 1, 6, IR_TYPE_INTEGER, 8, IR_UNSIGNED},
    [PJ_U16] = {"uint16", 2, 7, IR_TYPE_INTEGER, 16, IR_UNSIGNED},
    [PJ_U32] = {"uint32", 4, 8, IR_TYPE_INTEGER, 32, IR_UNSIGNED},
    [PJ_U64] = {"uint64", 8, 9, IR_TYPE_INTEGER, 64, IR_UNSIGNED},
    [PJ_F16] = {"float16", 2, 10, IR_TYPE_FLOAT, 16, IR_F16},
    [PJ_F32] = {"float32", 4, 11, IR_TYPE_FLOAT, 32, IR_F32},
    [PJ_F64] = {"float64", 8, 12, IR_TYPE_FLOAT, 64, IR_F64},
    [PJ_BF16] = {"bfloat16", 2, 16, IR_TYPE_FLOAT, 16, IR_BF16},
    [PJ_C64] = {"complex64", 8, 15, IR_TYPE_COMPLEX, 64, IR_F32},
    [PJ_C128] = {"complex128", 16, 18, IR_TYPE_COMPLEX, 128, IR_F64},
    [PJ_S2] = {"int2", 1, 26, IR_TYPE_INTEGER, 2, IR_SIGNLESS},
    [PJ_U2] = {"uint2", 1, 27, IR_TYPE_INTEGER, 2, IR_UNSIGNED},
    [PJ_S4] = {"int4", 1, 21, IR_TYPE_INTEGER, 4, IR_SIGNLESS},
    [PJ_U4] = {"uint4", 1, 22, IR_TYPE_INTEGER, 4, IR_UNSIGNED},
    [PJ_F8E5M2] = {"float8_e5m2", 1, 19, IR_TYPE_FLOAT, 8, IR_F8E5M2},
    [PJ_F8E4M3FN] = {"float8_e4m3fn", 1, 20, IR_TYPE_FLOAT, 8, IR_F8E4M3FN},
    [PJ_F8E4M3B11FNUZ] = {"float8_e4m3b11fnuz", 1, 23, IR_TYPE_FLOAT, 8, IR_F8E4M3B11FNUZ},
    [PJ_F8E5M2FNUZ] = {"float8_e5m2fnuz", 1, 24, IR_TYPE_FLOAT, 8, IR_F8E5M2FNUZ},
    [PJ_F8E4M3FNUZ] = {"float8_e4m3fnuz", 1, 25, IR_TYPE_FLOAT, 8, IR_F8E4M3FNUZ},
    [PJ_F8E4M3] = {"float8_e4m3", 1, 28, IR_TYPE_FLOAT, 8, IR_F8E4M3},
    [PJ_F8E3M4] = {"float8_e3m4", 1, 29, IR_TYPE_FLOAT, 8, IR_F8E3M4},
    [PJ_F8E8M0FNU] = {"float8_e8m0fnu", 1, 33, IR_TYPE_FLOAT, 8, IR_F8E8M0FNU},
    [PJ_TOKEN] = {"a token", 0, 17, IR_TYPE_DIALECT, 0, 0},
    [PJ_F4E2M1FN] = {"float4_e2m1fn", 1, 32, IR_TYPE_FLOAT, 4, IR_F4E2M1FN},
};

static bool is_known(pj_type type)
{
    return (size_t)type < TW_COUNT(elements) && elements[type].name;
}

size_t pj_type_size(pj_type type)
{
    return is_known(type) ? elements[type].size : 0;
}

const char *pj_type_name(pj_type type)
{
    return is_known(type) ? elements[type].name : "of an unknown type";
}

int pj_type_xla(pj_type type)
{
    return is_known(type) ? elements[type].xla : 0;
}

static bool declares(const element *e, ir_type t)
{
    if (t->kind != e->kind)
        return false;
    switch (e->kind) {
    case IR_TYPE_FLOAT:
        return t->sign == e->of;
    case IR_TYPE_COMPLEX:
        return t->element->kind == IR_TYPE_FLOAT && t->element->sign == e->of;
    default: /* a signed integer is the signless one */
        return t->width == e->width && (t->sign == IR_UNSIGNED) == (e->of == IR_UNSIGNED);
    }
}

pj_type pj_type_of(ir_type t)
{
    if (stablehlo_is_token(t))
        return PJ_TOKEN;
    for (size_t i = 0; i < TW_COUNT(elements); i++)
        if (elements[i].size && declares(&elements[i], t))
            return (pj_type)i;
    return PJ_NO_TYPE;
}
