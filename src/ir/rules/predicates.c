/* predicates.c: the words of predicates on types and attributes.
 *
 * A predicate is an expression of rules.h about one type or attribute, its subject.  Bare
 * names are not parts of an operation but words of the tables below: classes, element
 * types, conditions, and numbers of the subject (rank, shape, int, length); elem(p),
 * all(p), value_type(p), type_value(p) and tuple_elems(p) ask `p` of a part of the subject.
 * docs/row-languages.md lists them.  Predicates are parsed once for each context; the type
 * that last satisfied a constraint is cached beside it, which makes most verification a
 * pointer comparison. */
#include "ir/rules/rules_impl.h"
#include "ir/verify_impl.h"

#include <stdlib.h>

typedef chk_node node;
typedef chk_test *atom_test;

/* ---- atoms -------------------------------------------------------------------------- */

static bool any(const node *n, ir_type t, ir_attr a)
{
    (void)n;
    return t || a;
}

static bool sized_int(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && t->kind == IR_TYPE_INTEGER && t->sign == n->sign_of &&
           (n->number < 0 || t->width == (uint32_t)n->number);
}

static bool float_kind(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && t->kind == IR_TYPE_FLOAT && t->sign == n->number;
}

static bool type_kind(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && n->number >> t->kind & 1;
}

static bool attr_kind(const node *n, ir_type t, ir_attr a)
{
    (void)t;
    return a && n->number >> a->kind & 1;
}

static bool bool_attr(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    return ir_attr_is_bool(a);
}

static bool flat_symbol(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    return ir_attr_is(a, IR_ATTR_SYMBOL_REF) && a->count == 1;
}

static bool dense_ints(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    if (!ir_attr_is(a, IR_ATTR_DENSE))
        return false;
    ir_type e = ir_type_element(a->type);
    return e->kind == IR_TYPE_INTEGER || e->kind == IR_TYPE_INDEX;
}

static bool dense_array(const node *n, ir_type t, ir_attr a)
{
    (void)t;
    if (!ir_attr_is(a, IR_ATTR_DENSE_ARRAY))
        return false;
    return n->sign_of ? ir_type_is_float(a->type, (ir_float_kind)n->number)
                      : ir_type_is_signless(a->type, (uint32_t)n->number);
}

static bool dialect_class(const node *n, ir_type t, ir_attr a)
{
    if (t)
        return t->kind == IR_TYPE_DIALECT && tw_str_is(n->word, t->def->cls);
    return ir_attr_is(a, IR_ATTR_DIALECT) && tw_str_is(n->word, a->def->cls);
}

static bool has_trait(const node *n, ir_type t, ir_attr a)
{
    const char *traits = t && t->kind == IR_TYPE_DIALECT  ? t->def->traits
                         : ir_attr_is(a, IR_ATTR_DIALECT) ? a->def->traits
                                                          : NULL;
    return traits && memmem(traits, strlen(traits), n->word.data, n->word.size) != NULL;
}

/* Builtin types of some kinds, or dialect types with the corresponding trait. */
static bool type_kind_or_trait(const node *n, ir_type t, ir_attr a)
{
    return type_kind(n, t, a) || has_trait(n, t, a);
}

static bool typed_attr(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    return ir_attr_is(a, IR_ATTR_STRING) ||
           (a && a->type && a->kind != IR_ATTR_TYPE && a->kind != IR_ATTR_DENSE_ARRAY);
}

static bool is_ranked(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return ir_type_is_ranked(t);
}

static bool static_shape(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return ir_type_has_static_shape(t);
}

static bool no_zero_dim(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    for (uint32_t i = 0; ir_type_is_ranked(t) && i < t->count; i++)
        if (t->dims[i] == 0)
            return false;
    return true;
}

/* The memory space of a memref, by its case's name. */
static bool memory_space_is(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    ir_attr space = t && t->kind == IR_TYPE_MEMREF ? t->space : NULL;
    if (!ir_attr_is(space, IR_ATTR_DIALECT) || !space->def->enumeration)
        return false;
    const ir_enum_case *c =
        ir_enum_by_value(space->def->enumeration, ir_enum_value(space, -1));
    return c && tw_str_is(n->word, c->symbol);
}

static bool encoding_is(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && t->kind == IR_TYPE_TENSOR && ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
           tw_str_is(n->word, t->encoding->def->cls);
}

/* A register of the vector unit: four rows of eight. */
static bool sfpi_vector_of(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    if (!t || t->kind != IR_TYPE_VECTOR || t->count != 2 || t->dims[0] != 4 ||
        t->dims[1] != 8)
        return false;
    ir_type e = t->element;
    return tw_str_is(n->word, "f32")
               ? e->kind == IR_TYPE_FLOAT && e->width == 32
               : e->kind == IR_TYPE_INTEGER && e->width == 32 &&
                     (e->sign == IR_UNSIGNED) == tw_str_is(n->word, "ui32");
}

/* !transform.op<"x.y"> */
static bool handle_of_op(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    if (!t || t->kind != IR_TYPE_DIALECT || !t->count)
        return false;
    tw_str name = ir_attr_str(t->params[0]);
    return name.size == n->word.size && memcmp(name.data, n->word.data, name.size) == 0;
}

/* !pdl.value, with an asterisk !pdl.range<value>; an asterisk alone: any type of pdl. */
static bool pdl_handle(const node *n, ir_type t, ir_attr a)
{
    static const char prefix[] = "pdl.";
    tw_str word = n->word;
    (void)a;
    if (!t || t->kind != IR_TYPE_DIALECT ||
        strncmp(t->def->mnemonic, prefix, sizeof prefix - 1) != 0)
        return false;
    if (tw_str_is(word, "*"))
        return true;
    if (word.data[word.size - 1] == '*') {
        t = strcmp(t->def->mnemonic, "pdl.range") == 0 ? t->params[0]->type : NULL;
        word.size--;
    }
    return t && tw_str_is(word, t->def->mnemonic + sizeof prefix - 1);
}

static bool signless_or_index(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return t && (t->kind == IR_TYPE_INDEX ||
                 (t->kind == IR_TYPE_INTEGER && t->sign == IR_SIGNLESS));
}

static bool strided_layout(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return t && t->kind == IR_TYPE_MEMREF &&
           (!t->encoding || t->encoding->kind == IR_ATTR_STRIDED ||
            t->encoding->kind == IR_ATTR_AFFINE_MAP ||
            t->encoding->kind == IR_ATTR_DIALECT);
}

/* ---- quantized types, by their parameters' names */

static bool quant_signless(const node *n, ir_type t, ir_attr a)
{
    ir_attr storage = ir_type_param(t, "storageType");
    (void)n, (void)a;
    return storage && storage->type->sign == IR_SIGNLESS;
}

static bool quant_signed(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return ir_attr_int(ir_type_param(t, "flags"), 0) & 1;
}

/* The zero points must be values of the storage type; the type's own rules check the
 * scales. */
static bool quant_element(const node *n, ir_type t, ir_attr a)
{
    ir_attr zero = ir_type_param(t, "zeroPoint"), list = ir_type_param(t, "zeroPoints");
    int64_t min = ir_attr_int(ir_type_param(t, "storageTypeMin"), 0);
    int64_t max = ir_attr_int(ir_type_param(t, "storageTypeMax"), 0);
    (void)n, (void)a;
    for (uint32_t i = 0; list && i < list->count; i++)
        if (list->items[i]->value < min || list->items[i]->value > max)
            return false;
    return list || (zero && zero->value >= min && zero->value <= max);
}

/* One dimension has a bound (in the encoding's parameter of that name), the others are
 * static. */
static bool one_bounded(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    ir_attr encoding = t && t->kind == IR_TYPE_TENSOR ? t->encoding : NULL;
    ir_attr bounds =
        ir_attr_is(encoding, IR_ATTR_DIALECT) ? ir_attr_param(encoding, "bounds") : NULL;
    uint32_t bounded = 0;
    if (!ir_attr_is(bounds, IR_ATTR_ARRAY) || bounds->count != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->dims[i] != IR_DYNAMIC)
            continue;
        if (bounds->items[i]->value == IR_DYNAMIC)
            return false;
        bounded++;
    }
    return bounded == 1;
}

/* The quantized dimension exists and has as many elements as there are scales. */
static bool quant_dimension(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    if (!t || t->kind != IR_TYPE_TENSOR)
        return true;
    ir_attr dim = ir_type_param(t->element, "quantizedDimension");
    ir_attr scales = ir_type_param(t->element, "scales");
    if (!dim || !scales)
        return true;
    return dim->value >= 0 && dim->value < t->count &&
           (t->dims[dim->value] == IR_DYNAMIC || t->dims[dim->value] == scales->count);
}

/* ---- lists of integers */

static bool rising(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    for (uint32_t i = 1; i < a->count; i++)
        if (ir_dense_array_int(a, i) <= ir_dense_array_int(a, i - 1))
            return false;
    return true;
}

static bool items_not_negative(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    for (uint32_t i = 0; i < a->count; i++)
        if (ir_dense_array_int(a, i) < 0)
            return false;
    return true;
}

static bool power_of_2(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)t;
    return ir_attr_is(a, IR_ATTR_INTEGER) && a->value > 0 && !(a->value & (a->value - 1));
}

/* ---- types expressible in C: its integers and floats, emitc's own types -------------- */

static bool c_integer(ir_type t)
{
    static const int64_t widths =
        (int64_t)1 << 1 | (int64_t)1 << 8 | (int64_t)1 << 16 | (int64_t)1 << 32;
    return t && t->kind == IR_TYPE_INTEGER &&
           (t->width == 64 || (t->width < 64 && widths >> t->width & 1));
}

static bool c_float(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return t && t->kind == IR_TYPE_FLOAT &&
           (t->sign == IR_F16 || t->sign == IR_BF16 || t->sign == IR_F32 ||
            t->sign == IR_F64);
}

static bool emitc_named(ir_type t, const char *name)
{
    return t && t->kind == IR_TYPE_DIALECT && strncmp(t->def->mnemonic, "emitc.", 6) == 0 &&
           strcmp(t->def->mnemonic + 6, name) == 0;
}

static bool c_index_or_opaque(const node *n, ir_type t, ir_attr a)
{
    (void)n, (void)a;
    return c_integer(t) || (t && t->kind == IR_TYPE_INDEX) || emitc_named(t, "opaque") ||
           emitc_named(t, "size_t") || emitc_named(t, "ssize_t") ||
           emitc_named(t, "ptrdiff_t");
}

static bool c_type(const node *n, ir_type t, ir_attr a)
{
    if (!t || c_float(n, t, a) || c_index_or_opaque(n, t, a))
        return t;
    if (t->kind == IR_TYPE_TENSOR) /* as an array */
        return ir_type_has_static_shape(t) && c_type(n, t->element, a);
    bool all = t->kind == IR_TYPE_TUPLE;
    for (uint32_t i = 0; all && i < t->count; i++)
        all = c_type(n, t->types[i], a);
    if (emitc_named(t, "ptr"))
        return c_type(n, t->params[0]->type, a);
    ir_attr element = emitc_named(t, "array") ? ir_type_param(t, "elementType") : NULL;
    return all || (element && c_type(n, element->type, a));
}

#define T(k) ((int64_t)1 << IR_TYPE_##k)
#define A(k) ((int64_t)1 << IR_ATTR_##k)

static const struct class_row {
    const char *name;
    atom_test test;
    int64_t number;
} classes[] = {
    {"Type", type_kind, -1},
    {"IntegerType", type_kind, T(INTEGER)},
    {"FloatType", type_kind_or_trait, T(FLOAT)},
    {"IndexType", type_kind, T(INDEX)},
    {"NoneType", type_kind, T(NONE)},
    {"ComplexType", type_kind, T(COMPLEX)},
    {"VectorType", type_kind, T(VECTOR)},
    {"TensorType", type_kind, T(TENSOR) | T(UNRANKED_TENSOR)},
    {"RankedTensorType", type_kind, T(TENSOR)},
    {"UnrankedTensorType", type_kind, T(UNRANKED_TENSOR)},
    {"MemRefType", type_kind, T(MEMREF)},
    {"UnrankedMemRefType", type_kind, T(UNRANKED_MEMREF)},
    {"BaseMemRefType", type_kind, T(MEMREF) | T(UNRANKED_MEMREF)},
    {"ShapedType", type_kind_or_trait,
     T(VECTOR) | T(TENSOR) | T(UNRANKED_TENSOR) | T(MEMREF) | T(UNRANKED_MEMREF)},
    {"FunctionType", type_kind, T(FUNCTION)},
    {"TupleType", type_kind, T(TUPLE)},
    {"TensorLikeType", type_kind, T(TENSOR) | T(UNRANKED_TENSOR)},
    {"BufferLikeType", type_kind, T(MEMREF) | T(UNRANKED_MEMREF)},
    {"IntegerAttr", attr_kind, A(INTEGER)},
    {"FloatAttr", attr_kind, A(FLOAT)},
    {"BoolAttr", bool_attr, 0},
    {"StringAttr", attr_kind, A(STRING)},
    {"ArrayAttr", attr_kind, A(ARRAY)},
    {"DictionaryAttr", attr_kind, A(DICT)},
    {"TypeAttr", attr_kind, A(TYPE)},
    {"SymbolRefAttr", attr_kind, A(SYMBOL_REF)},
    {"FlatSymbolRefAttr", flat_symbol, 0},
    {"UnitAttr", attr_kind, A(UNIT)},
    {"ElementsAttr", attr_kind, A(DENSE) | A(RESOURCE) | A(SPARSE) | A(DENSE_ARRAY)},
    {"DenseElementsAttr", attr_kind, A(DENSE)},
    {"DenseIntElementsAttr", dense_ints, 0},
    {"DenseIntOrFPElementsAttr", attr_kind, A(DENSE)},
    {"DenseResourceElementsAttr", attr_kind, A(RESOURCE)},
    {"AffineMapAttr", attr_kind, A(AFFINE_MAP)},
    {"IntegerSetAttr", attr_kind, A(INTEGER_SET)},
    {"TypedAttr", typed_attr, 0},
    {"MemRefLayoutAttrInterface", attr_kind, A(AFFINE_MAP) | A(STRIDED)},
    {"LocationAttr", attr_kind,
     A(LOC_UNKNOWN) | A(LOC_FILE) | A(LOC_NAME) | A(LOC_CALLSITE) | A(LOC_FUSED)},
};

static const struct class_row words[] = {
    {"any", any, 0},
    {"ranked", is_ranked, 0},
    {"index", type_kind, T(INDEX)},
    {"emitc_supported_type", c_type, 0},
    {"emitc_supported_float", c_float, 0},
    {"emitc_int_index_or_opaque", c_index_or_opaque, 0},
    {"static_shape", static_shape, 0},
    {"no_zero_dim", no_zero_dim, 0},
    {"one_bounded_dimension", one_bounded, 0},
    {"signless_int_or_index", signless_or_index, 0},
    {"strided_layout", strided_layout, 0},
    {"quant_storage_signless", quant_signless, 0},
    {"quant_signed", quant_signed, 0},
    {"valid_stablehlo_quantized_elem", quant_element, 0},
    {"valid_quantized_dimension", quant_dimension, 0},
    {"power_of_2", power_of_2, 0},
    {"rising", rising, 0},
    {"items_not_negative", items_not_negative, 0},
};

/* Words with a name in parentheses: memory_space(DeviceL1), handle_of('scf.for'). */
static const struct class_row named_words[] = {
    {"memory_space", memory_space_is, 0},
    {"encoding", encoding_is, 0},
    {"sfpi_vector", sfpi_vector_of, 0},
    {"handle_of", handle_of_op, 0},
    {"pdl", pdl_handle, 0},
    {"trait", type_kind_or_trait, 0},
};

/* ---- numbers of the subject */

/* Elements attributes have the rank and the shape of their type. */
static ir_type ranked_subject(const chk_state *r)
{
    ir_type t = r->type                              ? r->type
                : ir_attr_is(r->attr, IR_ATTR_DENSE) ? r->attr->type
                                                     : NULL;
    return ir_type_is_ranked(t) ? t : NULL;
}

static chk_val rank(chk_state *r, const node *n)
{
    ir_type t = ranked_subject(r);
    (void)n;
    return t ? chk_integer(t->count) : chk_none();
}

static chk_val shape(chk_state *r, const node *n)
{
    ir_type t = ranked_subject(r);
    (void)n;
    return t ? chk_list_of(r, t->dims, t->count) : chk_none();
}

/* The number of sizes of a shape type such as !tosa.shape<4>. */
static chk_val shape_rank(chk_state *r, const node *n)
{
    ir_type t = r->type;
    (void)n;
    return t && t->kind == IR_TYPE_DIALECT && t->count == 1 &&
                   strcmp(t->def->cls, "shapeType") == 0
               ? chk_integer(ir_attr_int(t->params[0], -1))
               : chk_none();
}

static chk_val quant_width(chk_state *r, const node *n)
{
    ir_attr storage = ir_type_param(r->type, "storageType");
    (void)n;
    return storage ? chk_integer(storage->type->width) : chk_none();
}

static chk_val int_value(chk_state *r, const node *n)
{
    (void)n;
    return ir_attr_is(r->attr, IR_ATTR_INTEGER) ? chk_integer(r->attr->value) : chk_none();
}

static chk_val list_length(chk_state *r, const node *n)
{
    (void)n;
    return ir_attr_is(r->attr, IR_ATTR_DENSE_ARRAY) ? chk_integer(r->attr->count)
                                                    : chk_none();
}

/* ---- parts of the subject */

/* Asks the predicate inside the node of another type or attribute. */
static bool asked(chk_state *r, const node *n, ir_type type, ir_attr attr)
{
    const ir_type outer_type = r->type;
    const ir_attr outer_attr = r->attr;
    r->type = type;
    r->attr = attr;
    const bool holds = chk_condition_holds(r, n->a);
    r->type = outer_type;
    r->attr = outer_attr;
    return holds;
}

static chk_val elem(chk_state *r, const node *n)
{
    ir_type t = r->type ? r->type : r->attr ? r->attr->type : NULL;
    if (t && t->kind == IR_TYPE_DIALECT && t->def->element)
        return chk_bool(asked(r, n, t->def->element(t), NULL));
    return chk_bool(t && (ir_type_is_shaped(t) || t->kind == IR_TYPE_COMPLEX) &&
                    asked(r, n, t->element, NULL));
}

static chk_val all(chk_state *r, const node *n)
{
    for (uint32_t i = 0; r->attr && i < r->attr->count; i++)
        if (!asked(r, n, NULL, r->attr->items[i]))
            return chk_bool(false);
    return chk_bool(r->attr);
}

static bool tuple_holds(chk_state *r, const node *n, ir_type t)
{
    bool holds = t && t->kind == IR_TYPE_TUPLE;
    for (uint32_t i = 0; holds && i < t->count; i++)
        holds = t->types[i]->kind == IR_TYPE_TUPLE ? tuple_holds(r, n, t->types[i])
                                                   : asked(r, n, t->types[i], NULL);
    return holds;
}

static chk_val tuple_elems(chk_state *r, const node *n)
{
    return chk_bool(tuple_holds(r, n, r->type));
}

static chk_val value_type(chk_state *r, const node *n)
{
    return chk_bool(r->attr && r->attr->type && asked(r, n, r->attr->type, NULL));
}

static chk_val type_value(chk_state *r, const node *n)
{
    ir_type t = r->type;
    ir_type inner = ir_attr_is(r->attr, IR_ATTR_TYPE) ? r->attr->type
                    : t && t->kind == IR_TYPE_DIALECT && t->count && t->params[0]
                        ? t->params[0]->type
                        : NULL;
    return chk_bool(inner && asked(r, n, inner, NULL));
}

static const struct value_row {
    const char *name;
    chk_subject *by;
    bool asks; /* a predicate in parentheses */
} values[] = {
    {"rank", rank, false},
    {"shape", shape, false},
    {"shape_rank", shape_rank, false},
    {"quant_width", quant_width, false},
    {"int", int_value, false},
    {"length", list_length, false},
    {"elem", elem, true},
    {"all", all, true},
    {"tuple_elems", tuple_elems, true},
    {"value_type", value_type, true},
    {"type_value", type_value, true},
};

/* ---- names */

static bool number_after(tw_str word, const char *prefix, int64_t *out)
{
    size_t n = strlen(prefix);
    if (word.size <= n || word.size > n + 9 || memcmp(word.data, prefix, n) != 0)
        return false;
    *out = 0;
    for (size_t i = n; i < word.size; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
        *out = *out * 10 + (word.data[i] - '0');
    }
    return true;
}

static bool bind_row(node *n, tw_str name, const struct class_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tw_str_is(name, rows[i].name)) {
            n->test = rows[i].test;
            n->number = rows[i].number;
            return true;
        }
    return false;
}

/* Float32Type, BFloat16Type, Float8E4M3FNType */
static bool bind_float_class(node *n, tw_str name)
{
    char text[64];
    ir_float_kind kind;
    bool bfloat = name.size > 6 && memcmp(name.data, "BFloat", 6) == 0;
    size_t skip = bfloat ? 6 : 5, tail = 4;
    if (name.size <= skip + tail || name.size >= sizeof text ||
        (!bfloat && memcmp(name.data, "Float", 5) != 0) ||
        memcmp(name.data + name.size - tail, "Type", tail) != 0)
        return false;
    size_t size = name.size - tail - skip;
    memcpy(text, bfloat ? "bf" : "f", bfloat ? 2 : 1);
    memcpy(text + (bfloat ? 2 : 1), name.data + skip, size);
    if (!ir_float_from_name((tw_str){text, size + (bfloat ? 2 : 1)}, &kind))
        return false;
    n->test = float_kind;
    n->number = kind;
    return true;
}

static bool bind_array_class(node *n, tw_str name)
{
    static const struct {
        const char *name;
        int64_t width, is_float;
    } arrays[] = {{"DenseBoolArrayAttr", 1, 0},    {"DenseI8ArrayAttr", 8, 0},
                  {"DenseI16ArrayAttr", 16, 0},    {"DenseI32ArrayAttr", 32, 0},
                  {"DenseI64ArrayAttr", 64, 0},    {"DenseF32ArrayAttr", IR_F32, 1},
                  {"DenseF64ArrayAttr", IR_F64, 1}};
    for (size_t i = 0; i < TW_COUNT(arrays); i++)
        if (tw_str_is(name, arrays[i].name)) {
            n->test = dense_array;
            n->number = arrays[i].width;
            n->sign_of = arrays[i].is_float;
            return true;
        }
    return false;
}

/* A class of MLIR, or one of a dialect or an interface that dialects' rows name. */
static void bind_class(node *n, tw_str name)
{
    n->word = name;
    if (bind_row(n, name, classes, TW_COUNT(classes)) || bind_float_class(n, name) ||
        bind_array_class(n, name))
        return;
    bool interface = name.size > 9 && memmem(name.data, name.size, "Interface", 9);
    n->test = interface || tw_str_is(name, "QuantizedType") ? has_trait : dialect_class;
}

/* i32 si8 ui16 f32 bf16 signless_int ... */
static bool bind_element(node *n, tw_str w)
{
    static const struct {
        const char *any, *prefix;
        int64_t sign;
    } signs[] = {{"signless_int", "i", IR_SIGNLESS},
                 {"signed_int", "si", IR_SIGNED},
                 {"unsigned_int", "ui", IR_UNSIGNED}};
    ir_float_kind kind;
    n->test = sized_int;
    n->number = -1;
    for (size_t i = 0; i < TW_COUNT(signs); i++) {
        n->sign_of = signs[i].sign;
        if (tw_str_is(w, signs[i].any) || number_after(w, signs[i].prefix, &n->number))
            return true;
    }
    if (!ir_float_from_name(w, &kind))
        return false;
    n->test = float_kind;
    n->number = kind;
    return true;
}

static bool ends_with(tw_str name, const char *end)
{
    size_t n = strlen(end);
    return name.size > n && memcmp(name.data + name.size - n, end, n) == 0;
}

static bool names_class(tw_str name)
{
    return ends_with(name, "Type") || ends_with(name, "Attr") ||
           ends_with(name, "Interface");
}

static chk_node *named_word(chk_parser *p, node *n, tw_str name)
{
    const chk_node *of = chk_argument_text(p);
    if (!of || !bind_row(n, name, named_words, TW_COUNT(named_words)))
        return NULL;
    n->word = of->text;
    if (n->test == type_kind_or_trait && tw_str_is(n->word, "ValueSemantics"))
        n->number = T(VECTOR) | T(TENSOR) | T(UNRANKED_TENSOR);
    return n;
}

static chk_node *word(chk_parser *p, tw_str name)
{
    chk_node *n = chk_make(p, CHK_NODE_TEST, NULL, NULL);
    n->word = name;
    for (size_t i = 0; i < TW_COUNT(values); i++)
        if (tw_str_is(name, values[i].name)) {
            n->kind = CHK_NODE_SUBJECT;
            n->by = values[i].by;
            if (values[i].asks != chk_symbol(p, "("))
                return NULL;
            n->a = values[i].asks ? chk_expression(p) : NULL;
            return !values[i].asks || chk_symbol(p, ")") ? n : NULL;
        }
    if (chk_symbol(p, "("))
        return named_word(p, n, name);
    if (bind_row(n, name, words, TW_COUNT(words)) || bind_element(n, name))
        return n;
    if (!names_class(name) && !tw_str_is(name, "Type"))
        return NULL;
    bind_class(n, name);
    return n;
}

/* ---- use */

typedef struct compiled {
    const node *root;
    const void *last; /* the type or attribute that passed last */
} compiled;

static const node *parse(tw_arena *arena, const char *text, const char **out_wrong)
{
    chk_parser p = {.arena = arena, .at = text, .word = word};
    const node *root = chk_expression(&p);
    if (!p.wrong && !chk_at_end(&p))
        chk_wrong(&p);
    *out_wrong = p.wrong;
    return root;
}

/* `row` is the constraint or the use of an attribute whose predicate `text` is. */
static compiled *lookup(ir_context *ctx, const void *row, const char *text)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_CONSTRAINTS);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_CONSTRAINTS, known,
                            (void (*)(void *))ir_mapping_free);
    }
    compiled *entry = ir_mapping_get(known, row);
    if (!entry) {
        const char *wrong;
        entry = TW_ARENA_NEW(ir_context_arena(ctx), compiled);
        entry->root = parse(ir_context_arena(ctx), text ? text : "any", &wrong);
        assert(!wrong && "a predicate does not read well");
        ir_mapping_set(known, row, entry);
    }
    return entry;
}

static bool holds(ir_context *ctx, compiled *entry, ir_type type, ir_attr attr)
{
    const void *subject = type ? (const void *)type : (const void *)attr;
    if (entry->last == subject)
        return true;
    chk_state r;
    chk_begin(&r, ctx, (ir_loc){0});
    r.type = type;
    r.attr = attr;
    if (!chk_end(&r, chk_condition_holds(&r, entry->root)))
        return false;
    entry->last = subject;
    return true;
}

bool ir_type_satisfies(ir_type type, const ir_constraint *c)
{
    return type && holds(type->ctx, lookup(type->ctx, c, c->pred), type, NULL);
}

bool ir_attr_satisfies(ir_attr attr, const ir_constraint *c)
{
    if (!attr)
        return false;
    compiled *entry = lookup(attr->ctx, c, c->pred);
    if (entry->last != attr && c->enumeration && !c->def && attr->kind == IR_ATTR_INTEGER) {
        if (!ir_type_is_integer(attr->type, c->enumeration->width) ||
            (!c->enumeration->bits && !ir_enum_by_value(c->enumeration, attr->value)))
            return false;
        entry->last = attr;
    }
    return holds(attr->ctx, entry, NULL, attr);
}

bool ir_attr_is_confined(ir_attr attr, const ir_attr_use *use)
{
    return holds(attr->ctx, lookup(attr->ctx, use, use->confined), NULL, attr);
}

bool ir_attr_fits_storage(ir_attr attr, const ir_constraint *c)
{
    if (!attr || !c->storage || ir_attr_satisfies(attr, c))
        return true;
    if (c->is_number)
        return attr->kind == IR_ATTR_INTEGER ||
               (attr->kind == IR_ATTR_DIALECT && attr->def->enumeration == c->enumeration);
    if (c->enumeration || c->def)
        return false;
    node n = {.kind = CHK_NODE_TEST};
    bind_class(&n, tw_str_from(c->storage));
    return n.test(&n, NULL, attr);
}

/* ---- checks of the rows */

static bool is_class_of_dialect(const ir_dialect *d, tw_str name)
{
    for (uint32_t i = 0; i < d->attrs.count; i++)
        if (tw_str_is(name, d->attrs.at[i].cls))
            return true;
    for (uint32_t i = 0; i < d->types.count; i++)
        if (tw_str_is(name, d->types.at[i].cls))
            return true;
    for (uint32_t i = 0; i < d->enums.count; i++) { /* a case stored as an integer */
        const size_t size = strlen(d->enums.at[i]->name);
        if (name.size > size && memcmp(name.data, d->enums.at[i]->name, size) == 0 &&
            tw_str_is((tw_str){name.data + size, name.size - size}, "Attr"))
            return true;
    }
    return false;
}

/* The name of a class that no dialect of the context has. */
static const char *unknown_class(ir_context *ctx, const node *n)
{
    if (n->kind == CHK_NODE_TEST && n->test == dialect_class) {
        for (size_t d = 0; d < ir_context_dialect_count(ctx); d++)
            if (is_class_of_dialect(ir_context_dialect_at(ctx, d), n->word))
                return NULL;
        return n->word.data;
    }
    const char *wrong = n->a ? unknown_class(ctx, n->a) : NULL;
    return wrong || !n->b ? wrong : unknown_class(ctx, n->b);
}

bool chk_predicate_is_sound(ir_context *ctx, const char *text, const char **out_wrong)
{
    tw_arena arena = {0};
    const node *root = parse(&arena, text, out_wrong);
    if (!*out_wrong)
        *out_wrong = unknown_class(ctx, root);
    tw_arena_free(&arena);
    return !*out_wrong;
}
