/* rules_types.c: functions of rules on values, types, attributes and tensors' layouts. */
#include "ir/rules/rules_impl.h"

static chk_val fn_rank(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return ir_type_is_ranked(t) ? chk_integer(t->count) : chk_none();
}

static chk_val fn_shape(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return ir_type_is_ranked(t)
               ? (chk_val){.kind = CHK_LIST, .list = t->dims, .i = t->count}
               : chk_none();
}

static chk_val fn_dim(chk_reading *r, const chk_val *a)
{
    return a[1].kind == CHK_INT ? chk_item(fn_shape(r, a), a[1].i) : chk_none();
}

static chk_val fn_type(chk_reading *r, const chk_val *a)
{
    (void)r;
    return chk_type_of(a[0]) ? (chk_val){.kind = CHK_TYPE, .type = chk_type_of(a[0])}
                             : chk_none();
}

static chk_val fn_elt(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return ir_type_is_shaped(t) ? (chk_val){.kind = CHK_TYPE, .type = t->element}
                                : chk_none();
}

static chk_val fn_enc(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return ir_type_is_tensor(t) && t->encoding
               ? (chk_val){.kind = CHK_ATTR, .attr = t->encoding}
               : chk_none();
}

static chk_val fn_is_int(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_INTEGER);
}

static chk_val fn_is_float(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    if (t && t->kind == IR_TYPE_DIALECT && t->def->element) /* tiles of floats */
        t = t->def->element(t);
    return chk_bool(t && t->kind == IR_TYPE_FLOAT);
}

static chk_val fn_is_tensor(chk_reading *r, const chk_val *a)
{
    (void)r;
    return chk_bool(ir_type_is_tensor(chk_type_of(a[0])));
}

static chk_val fn_is_unsigned(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_INTEGER && t->sign == IR_UNSIGNED);
}

static chk_val fn_is_signless(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_INTEGER && t->sign == IR_SIGNLESS);
}

static chk_val fn_is_quant(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_DIALECT && t->def->traits &&
                    strstr(t->def->traits, "QuantizedType"));
}

static chk_val fn_bits(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return t && (t->kind == IR_TYPE_INTEGER || t->kind == IR_TYPE_FLOAT)
               ? chk_integer(t->width)
               : chk_none();
}

/* A parameter, by name, of a dialect attribute (such as an encoding) or type. */
static chk_val fn_param(chk_reading *r, const chk_val *a)
{
    ir_attr of = a[0].attr;
    ir_type type = of ? NULL : chk_type_of(a[0]);
    if (a[1].kind != CHK_STR)
        return chk_none();
    const ir_param_def *params = NULL;
    size_t n = 0;
    if (of && of->kind == IR_ATTR_DIALECT) {
        params = of->def->params.at;
        n = of->def->params.count;
    } else if (type && type->kind == IR_TYPE_DIALECT) {
        params = type->def->params.at;
        n = type->def->params.count;
    }
    for (size_t i = 0; i < n; i++)
        if (tw_str_is(a[1].str, params[i].name))
            return chk_of_param(r, &params[i],
                                of ? ir_attr_param(of, params[i].name)
                                   : ir_type_param(type, params[i].name));
    return chk_none();
}

/* True if an attribute is of a dialect attribute class, by mnemonic. */
static chk_val fn_is_attr(chk_reading *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].attr && a[0].attr->kind == IR_ATTR_DIALECT &&
                    a[1].kind == CHK_STR && tw_str_is(a[1].str, a[0].attr->def->mnemonic));
}

/* The attribute as text. */
static chk_val fn_text(chk_reading *r, const chk_val *a)
{
    (void)r;
    return a[0].attr ? (chk_val){.kind = CHK_ATTR, .attr = a[0].attr} : a[0];
}

static chk_val fn_is_dense(chk_reading *r, const chk_val *a)
{
    (void)r;
    return chk_bool(a[0].attr && (a[0].attr->kind == IR_ATTR_DENSE ||
                                  a[0].attr->kind == IR_ATTR_RESOURCE));
}

/* The sum of a dimension over a group of values; dynamic if one of them is. */
static chk_val fn_sum_dim(chk_reading *r, const chk_val *a)
{
    int64_t n = 0;
    for (int64_t i = 0; a[0].kind == CHK_GROUP && i < a[0].i; i++) {
        int64_t d = fn_dim(r, (chk_val[]){chk_item(a[0], i), a[1]}).i;
        if (d == IR_DYNAMIC || __builtin_add_overflow(n, d, &n))
            return chk_integer(IR_DYNAMIC);
    }
    return chk_integer(n);
}

/* The ttcore data type of an element type, as text. */
static chk_val fn_dtype(chk_reading *r, const chk_val *a)
{
    static const struct {
        uint8_t kind, sign;
        uint32_t width;
        const char *text;
    } types[] = {
        {IR_TYPE_FLOAT, IR_F32, 32, "f32"},
        {IR_TYPE_FLOAT, IR_F64, 64, "f32"},
        {IR_TYPE_FLOAT, IR_F16, 16, "f16"},
        {IR_TYPE_FLOAT, IR_BF16, 16, "bf16"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 64, "u32"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 32, "u32"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 16, "u16"},
        {IR_TYPE_INTEGER, IR_UNSIGNED, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 64, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 32, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 16, "u16"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNED, 64, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNED, 32, "si32"},
        {IR_TYPE_INTEGER, IR_SIGNED, 16, "u16"},
        {IR_TYPE_INTEGER, IR_SIGNED, 8, "u8"},
        {IR_TYPE_INTEGER, IR_SIGNLESS, 1, "bool"},
    };
    chk_val e = fn_elt(r, a);
    for (size_t i = 0; e.type && i < TW_COUNT(types); i++)
        if (types[i].kind == e.type->kind && types[i].sign == e.type->sign &&
            types[i].width == e.type->width)
            return (chk_val){.kind = CHK_STR, .str = tw_str_from(types[i].text)};
    return e;
}

/* The attribute's own type, or its elements' type. */
static chk_val fn_attr_type(chk_reading *r, const chk_val *a)
{
    (void)r;
    return a[0].attr && a[0].attr->type
               ? (chk_val){.kind = CHK_TYPE, .type = a[0].attr->type}
               : chk_none();
}

/* The type as text: "bf16". */
static chk_val fn_name(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    return t && r->ctx
               ? (chk_val){.kind = CHK_STR, .str = tw_str_from(ir_type_text(r->ctx, t))}
               : chk_none();
}

static chk_val fn_is_memref(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_MEMREF);
}

/* The mnemonic of a dialect type or attribute: "ttcore.tile". */
static chk_val fn_kind(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    if (t)
        return t->kind == IR_TYPE_DIALECT
                   ? (chk_val){.kind = CHK_STR, .str = tw_str_from(t->def->mnemonic)}
                   : chk_none();
    return a[0].attr && a[0].attr->kind == IR_ATTR_DIALECT
               ? (chk_val){.kind = CHK_STR, .str = tw_str_from(a[0].attr->def->mnemonic)}
               : chk_none();
}

/* The value of a constant operand, NULL if it is not constant. */
static ir_attr constant_of(chk_val v)
{
    ir_op *op = v.kind == CHK_VALUE ? ir_value_def(v.value) : NULL;
    if (!op || !(op->def->traits & IR_CONSTANT_LIKE))
        return NULL;
    ir_attr value = ir_op_attr(op, "value");
    return value ? value : ir_op_attr(op, "values");
}

/* The integers of a constant operand. */
static chk_val fn_ints(chk_reading *r, const chk_val *a)
{
    ir_attr constant = constant_of(a[0]);
    chk_val v = constant ? chk_of_attr(r, constant) : chk_none();
    if (v.kind == CHK_INT)
        return chk_list_of(r, &v.i, 1);
    return v.kind == CHK_LIST ? v : chk_none();
}

/* The first value of a constant operand: -1 represents any float but zero, and with a
 * second argument that is true bits are read as unsigned. */
static chk_val fn_zero_point(chk_reading *r, const chk_val *a)
{
    ir_attr dense = constant_of(a[0]);
    ir_type element = ir_attr_is(dense, IR_ATTR_DENSE) ? dense->type->element : NULL;
    (void)r;
    if (!element || ir_type_num_elements(dense->type) < 1)
        return chk_none();
    if (element->kind == IR_TYPE_FLOAT)
        return chk_integer(ir_dense_real(dense, 0) == 0 ? 0 : -1);
    if (element->kind != IR_TYPE_INTEGER)
        return chk_integer(-1);
    int64_t n = ir_dense_int(dense, 0);
    uint32_t width = TW_MIN(element->width, 63u);
    return chk_integer(n < 0 && chk_holds(a[1]) ? n + ((int64_t)1 << width) : n);
}

static chk_val fn_signed_zero_point(chk_reading *r, const chk_val *a)
{
    return fn_zero_point(r, (chk_val[]){a[0], chk_bool(false)});
}

/* The storage type of quantized elements, other types unchanged. */
static chk_val fn_storage(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    ir_attr storage =
        t && t->kind == IR_TYPE_DIALECT ? ir_type_param(t, "storageType") : NULL;
    (void)r;
    return storage ? (chk_val){.kind = CHK_TYPE, .type = storage->type} : a[0];
}
static chk_val fn_is_complex(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    (void)r;
    return chk_bool(t && t->kind == IR_TYPE_COMPLEX);
}
/* Bits of an element: both parts of a complex one, the storage of a quantized one. */
static chk_val fn_bit_width(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    ir_attr storage =
        t && t->kind == IR_TYPE_DIALECT ? ir_type_param(t, "storageType") : NULL;
    if (t && t->kind == IR_TYPE_COMPLEX)
        return chk_integer(2 * (int64_t)t->element->width);
    return storage ? chk_integer(storage->type->width) : fn_bits(r, a);
}
/* True if every enum of an array is its first case. */
static chk_val fn_all_default(chk_reading *r, const chk_val *a)
{
    (void)r;
    ir_attr list = a[0].attr;
    for (uint32_t i = 0; list && list->kind == IR_ATTR_ARRAY && i < list->count; i++)
        if (ir_enum_value(list->items[i], 0) != 0)
            return chk_bool(false);
    return chk_bool(true);
}

/* The name of the operation that defines a value. */
static chk_val fn_maker(chk_reading *r, const chk_val *a)
{
    ir_op *op = a[0].kind == CHK_VALUE ? ir_value_def(a[0].value) : NULL;
    (void)r;
    return op ? (chk_val){.kind = CHK_STR, .str = tw_str_from(op->def->name)} : chk_none();
}

/* A tensor type of a shape and an element type. */
static chk_val fn_tensor(chk_reading *r, const chk_val *a)
{
    ir_type e = chk_type_of(a[1]);
    if (!r->ctx || a[0].kind != CHK_LIST || !e)
        return chk_none();
    for (int64_t i = 0; i < a[0].i; i++)
        if (a[0].list[i] < 0 && a[0].list[i] != IR_DYNAMIC)
            return chk_none();
    return (chk_val){.kind = CHK_TYPE,
                     .type = ir_tensor_type(e, a[0].list, (size_t)a[0].i, NULL)};
}

/* Integer types of a number of bits. */
static chk_val integer_type(chk_reading *r, chk_val bits, ir_signedness sign)
{
    return r->ctx && bits.kind == CHK_INT && bits.i > 0 && bits.i <= 64
               ? (chk_val){.kind = CHK_TYPE,
                           .type = ir_integer_type(r->ctx, (uint32_t)bits.i, sign)}
               : chk_none();
}

static chk_val fn_unsigned(chk_reading *r, const chk_val *a)
{
    return integer_type(r, a[0], IR_UNSIGNED);
}

static chk_val fn_signed(chk_reading *r, const chk_val *a)
{
    return integer_type(r, a[0], IR_SIGNED);
}

/* A memref's memory space. */
static chk_val fn_space(chk_reading *r, const chk_val *a)
{
    ir_type t = chk_type_of(a[0]);
    return t && (t->kind == IR_TYPE_MEMREF || t->kind == IR_TYPE_UNRANKED_MEMREF)
               ? chk_of_attr(r, t->space)
               : chk_none();
}

/* ---- layouts of tensors on the device, from the encoding's memref ------------------- */

static ir_type laid_out_as(chk_val v)
{
    ir_type t = chk_type_of(v);
    ir_attr e = ir_type_is_tensor(t) ? t->encoding : v.kind == CHK_ATTR ? v.attr : NULL;
    ir_attr m = e && e->kind == IR_ATTR_DIALECT ? ir_attr_param(e, "memref") : NULL;
    return m && m->kind == IR_ATTR_TYPE ? m->type : NULL;
}

static chk_val fn_buffer(chk_reading *r, const chk_val *a)
{
    ir_type m = laid_out_as(a[0]);
    return m ? chk_of_attr(r, m->space) : chk_none();
}

static chk_val fn_mem_layout(chk_reading *r, const chk_val *a)
{
    chk_val e = fn_enc(r, a);
    return fn_param(r, (chk_val[]){e, {.kind = CHK_STR, .str = TW_STR("mem_layout")}});
}

static chk_val fn_grid_shape(chk_reading *r, const chk_val *a)
{
    chk_val e = fn_enc(r, a);
    return fn_param(r, (chk_val[]){e, {.kind = CHK_STR, .str = TW_STR("grid_shape")}});
}

static chk_val fn_layout(chk_reading *r, const chk_val *a)
{
    ir_type m = laid_out_as(a[0]);
    (void)r;
    if (!m)
        return chk_none();
    bool tiled = m->element->kind == IR_TYPE_DIALECT;
    return (chk_val){.kind = CHK_STR, .str = tiled ? TW_STR("tile") : TW_STR("row_major")};
}

/* The element type of a memref, or of its tiles' elements. */
static chk_val fn_scalar(chk_reading *r, const chk_val *a)
{
    (void)r;
    ir_type t = chk_type_of(a[0]);
    if (!t || t->kind != IR_TYPE_MEMREF)
        return chk_none();
    if (t->element->kind != IR_TYPE_DIALECT)
        return (chk_val){.kind = CHK_TYPE, .type = t->element};
    const ir_type_def *def = t->element->def;
    ir_type scalar = def && def->element ? def->element(t->element) : NULL;
    /* block float elements share an exponent and have no scalar form */
    if (scalar && def->shares_exponents && def->shares_exponents(t->element))
        scalar = t->element;
    return scalar ? (chk_val){.kind = CHK_TYPE, .type = scalar} : chk_none();
}

/* All results. */
static chk_val fn_results(chk_reading *r, const chk_val *a)
{
    (void)a;
    return r->op ? (chk_val){.kind = CHK_GROUP,
                             .i = (int64_t)r->op->n_results,
                             .results = r->op->results}
                 : chk_none();
}

/* True if a tensor's layout is in the device's memory. */
static chk_val fn_on_device(chk_reading *r, const chk_val *a)
{
    chk_val b = fn_buffer(r, a);
    return chk_bool(b.kind == CHK_STR && !tw_str_is(b.str, "system_memory"));
}

const chk_function chk_type_functions[] = {
    {"rank", 1, fn_rank},
    {"shape", 1, fn_shape},
    {"dim", 2, fn_dim},
    {"type", 1, fn_type},
    {"elt", 1, fn_elt},
    {"enc", 1, fn_enc},
    {"is_int", 1, fn_is_int},
    {"is_float", 1, fn_is_float},
    {"is_tensor", 1, fn_is_tensor},
    {"is_unsigned", 1, fn_is_unsigned},
    {"is_signless", 1, fn_is_signless},
    {"is_quant", 1, fn_is_quant},
    {"bits", 1, fn_bits},
    {"param", 2, fn_param},
    {"is_attr", 2, fn_is_attr},
    {"text", 1, fn_text},
    {"is_dense", 1, fn_is_dense},
    {"attr_type", 1, fn_attr_type},
    {"sum_dim", 2, fn_sum_dim},
    {"dtype", 1, fn_dtype},
    {"name", 1, fn_name},
    {"is_memref", 1, fn_is_memref},
    {"kind", 1, fn_kind},
    {"maker", 1, fn_maker},
    {"ints", 1, fn_ints},
    {"zero_point", 1, fn_signed_zero_point},
    {"zero_point", 2, fn_zero_point},
    {"storage", 1, fn_storage},
    {"is_complex", 1, fn_is_complex},
    {"bit_width", 1, fn_bit_width},
    {"all_default", 1, fn_all_default},
    {"buffer", 1, fn_buffer},
    {"mem_layout", 1, fn_mem_layout},
    {"grid_shape", 1, fn_grid_shape},
    {"layout", 1, fn_layout},
    {"space", 1, fn_space},
    {"tensor", 2, fn_tensor},
    {"unsigned", 1, fn_unsigned},
    {"signed", 1, fn_signed},
    {"scalar", 1, fn_scalar},
    {"results", 0, fn_results},
    {"on_device", 1, fn_on_device},
    {0},
};
