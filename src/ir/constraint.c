/* constraint.c: predicates of rows on types and attributes.
 *
 * Prefix expressions over a small vocabulary:
 *   (and p ...) (or p ...) (not p)       any              widths: i32 si8 ui16 f32 index
 *   isa:Class                            one class of types or attributes
 *   (elem p)  element type of a shaped or complex type    (all p)  every array member
 *   (tuple-elems p)  every member of a tuple type, and of tuples in it
 *   (value-type p)  the attribute's type                  (type-value p)  the type inside
 *   signless-int, signed-int, ..., ranked, rank==N, rank>=N, shape==[..], static-shape
 *   shape-rank==N                        a !tosa.shape with N sizes
 * Expressions are compiled once for each context; the type that last satisfied a constraint
 * is cached beside it, which makes most verification a pointer comparison. */
#include "ir/op.h"

#include <stdlib.h>

typedef enum node_kind {
    AND,
    OR,
    NOT,
    ELEM,
    ALL,
    TUPLE_ELEMS,
    VALUE_TYPE,
    TYPE_VALUE,
    ATOM
} node_kind;

typedef struct node node;
typedef bool atom_test(const node *n, ir_type type, ir_attr attr);

struct node {
    node_kind kind;
    uint32_t count;
    node **args;
    atom_test *test;
    tw_str word;    /* the atom's text */
    int64_t number; /* rank, width */
    int64_t sign;
};

typedef struct compiled {
    node *root;
    const void *last; /* the type or attribute that passed last */
} compiled;

static bool eval(const node *n, ir_type type, ir_attr attr);

/* ---- atoms -------------------------------------------------------------------------- */

static bool any(const node *n, ir_type t, ir_attr a)
{
    (void)n;
    return t || a;
}

static bool sized_int(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && t->kind == IR_TYPE_INTEGER && t->sign == n->sign &&
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
    return n->sign ? ir_type_is_float(a->type, (ir_float_kind)n->number)
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

/* Elements attributes have the rank of their type. */
static ir_type ranked_of(ir_type t, ir_attr a)
{
    return t ? t : ir_attr_is(a, IR_ATTR_DENSE) ? a->type : NULL;
}

static bool rank_is(const node *n, ir_type t, ir_attr a)
{
    t = ranked_of(t, a);
    return ir_type_is_ranked(t) && t->count == n->number;
}

/* The number of sizes of a shape type such as !tosa.shape<4>. */
static bool shape_rank_is(const node *n, ir_type t, ir_attr a)
{
    (void)a;
    return t && t->kind == IR_TYPE_DIALECT && t->count == 1 &&
           tw_str_is(TW_STR("shapeType"), t->def->cls) &&
           ir_attr_int(t->params[0], -1) == n->number;
}

static bool rank_at_least(const node *n, ir_type t, ir_attr a)
{
    t = ranked_of(t, a);
    return ir_type_is_ranked(t) && t->count >= n->number;
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

/* shape==[1, 2] of a type or of elements */
static bool shape_is(const node *n, ir_type t, ir_attr a)
{
    t = t ? t : a ? a->type : NULL;
    if (!ir_type_is_ranked(t))
        return false;
    const char *c = memchr(n->word.data, '[', n->word.size);
    uint32_t dim = 0;
    while (c && *c && *c != ']') {
        if (*c >= '0' && *c <= '9') {
            if (dim == t->count || strtoll(c, (char **)&c, 10) != t->dims[dim])
                return false;
            dim++;
        } else {
            c++;
        }
    }
    return dim == t->count;
}

/* The memory space of a memref, by its case's name: memory-space:DeviceL1. */
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

static bool quant_width(const node *n, ir_type t, ir_attr a)
{
    ir_attr storage = ir_type_param(t, "storageType");
    (void)a;
    return storage && storage->type->width == n->number;
}

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
    atom_test *test;
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
    {"emitc-supported-type", c_type, 0},
    {"emitc-supported-float", c_float, 0},
    {"emitc-int-index-or-opaque", c_index_or_opaque, 0},
    {"static-shape", static_shape, 0},
    {"no-zero-dim", no_zero_dim, 0},
    {"one-bounded-dimension", one_bounded, 0},
    {"signless-int-or-index", signless_or_index, 0},
    {"strided-layout", strided_layout, 0},
    {"quant-storage-signless", quant_signless, 0},
    {"quant-signed", quant_signed, 0},
    {"valid-stablehlo-quantized-elem", quant_element, 0},
    {"valid-quantized-dimension", quant_dimension, 0},
};

static bool number_after(tw_str word, const char *prefix, int64_t *out)
{
    size_t n = strlen(prefix);
    if (word.size <= n || memcmp(word.data, prefix, n) != 0 || word.data[n] < '0' ||
        word.data[n] > '9')
        return false;
    *out = strtoll(word.data + n, NULL, 10);
    for (size_t i = n; i < word.size; i++)
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
    return true;
}

static void bind_class(node *n, tw_str name)
{
    ir_float_kind kind;
    for (size_t i = 0; i < TW_COUNT(classes); i++)
        if (tw_str_is(name, classes[i].name)) {
            n->test = classes[i].test;
            n->number = classes[i].number;
            n->word = name;
            return;
        }
    /* Float32Type, BFloat16Type, Float8E4M3FNType */
    char text[64];
    if (name.size > 4 && name.size < sizeof text &&
        memcmp(name.data + name.size - 4, "Type", 4) == 0) {
        bool bfloat = name.size > 6 && memcmp(name.data, "BFloat", 6) == 0;
        bool plain = name.size > 5 && memcmp(name.data, "Float", 5) == 0;
        size_t skip = bfloat ? 6 : 5;
        if (bfloat || plain) {
            size_t size = name.size - 4 - skip;
            memcpy(text, bfloat ? "bf" : "f", bfloat ? 2 : 1);
            memcpy(text + (bfloat ? 2 : 1), name.data + skip, size);
            if (ir_float_from_name((tw_str){text, size + (bfloat ? 2 : 1)}, &kind)) {
                n->test = float_kind;
                n->number = kind;
                return;
            }
        }
    }
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
            n->sign = arrays[i].is_float;
            return;
        }
    n->word = name;
    bool interface = name.size > 9 && memmem(name.data, name.size, "Interface", 9);
    n->test = interface || tw_str_is(name, "QuantizedType") ? has_trait : dialect_class;
}

static void bind_atom(node *n)
{
    tw_str w = n->word;
    ir_float_kind kind;
    n->number = -1;
    if (w.size > 4 && memcmp(w.data, "isa:", 4) == 0) {
        bind_class(n, (tw_str){w.data + 4, w.size - 4});
        return;
    }
    for (size_t i = 0; i < TW_COUNT(words); i++)
        if (tw_str_is(w, words[i].name)) {
            n->test = words[i].test;
            return;
        }
    if (w.size > 6 && memcmp(w.data, "trait:", 6) == 0) {
        n->test = type_kind_or_trait;
        n->word = (tw_str){w.data + 6, w.size - 6};
        n->number = tw_str_is(n->word, "ValueSemantics")
                        ? T(VECTOR) | T(TENSOR) | T(UNRANKED_TENSOR)
                        : 0;
        return;
    }
    static const struct {
        const char *prefix;
        atom_test *test;
    } tagged[] = {{"memory-space:", memory_space_is},
                  {"encoding-is:", encoding_is},
                  {"sfpi-vector-of:", sfpi_vector_of},
                  {"handle-of-op:", handle_of_op},
                  {"pdl:", pdl_handle}};
    for (size_t i = 0; i < TW_COUNT(tagged); i++) {
        size_t size = strlen(tagged[i].prefix);
        if (w.size > size && memcmp(w.data, tagged[i].prefix, size) == 0) {
            n->test = tagged[i].test;
            n->word = (tw_str){w.data + size, w.size - size};
            return;
        }
    }
    n->test = sized_int;
    n->sign = IR_SIGNLESS;
    if (tw_str_is(w, "signless-int") || number_after(w, "i", &n->number))
        return;
    n->sign = IR_SIGNED;
    if (tw_str_is(w, "signed-int") || number_after(w, "si", &n->number))
        return;
    n->sign = IR_UNSIGNED;
    if (tw_str_is(w, "unsigned-int") || number_after(w, "ui", &n->number))
        return;
    if (ir_float_from_name(w, &kind)) {
        n->test = float_kind;
        n->number = kind;
    } else if (tw_str_is(w, "index")) {
        n->test = type_kind;
        n->number = T(INDEX);
    } else if (number_after(w, "rank==", &n->number)) {
        n->test = rank_is;
    } else if (number_after(w, "shape-rank==", &n->number)) {
        n->test = shape_rank_is;
    } else if (number_after(w, "rank>=", &n->number)) {
        n->test = rank_at_least;
    } else if (w.size > 7 && memcmp(w.data, "shape==", 7) == 0) {
        n->test = shape_is;
    } else if (number_after(w, "quant-storage-width==", &n->number)) {
        n->test = quant_width;
    } else {
        n->test = any; /* conditions on types outside the context are not checked here */
    }
}

/* ---- compiling ---------------------------------------------------------------------- */

static node *compile(tw_arena *arena, const char **c)
{
    static const struct {
        const char *word;
        node_kind kind;
    } heads[] = {{"and", AND},
                 {"or", OR},
                 {"not", NOT},
                 {"elem", ELEM},
                 {"all", ALL},
                 {"tuple-elems", TUPLE_ELEMS},
                 {"value-type", VALUE_TYPE},
                 {"type-value", TYPE_VALUE}};
    node *n = TW_ARENA_NEW(arena, node);
    while (**c == ' ')
        ++*c;
    bool list = **c == '(';
    *c += list;
    const char *start = *c;
    int brackets = 0;
    while (**c && ((**c != ' ' && **c != ')' && **c != '(') || brackets)) {
        brackets += (**c == '[') - (**c == ']');
        ++*c;
    }
    n->word = (tw_str){start, (size_t)(*c - start)};
    n->kind = ATOM;
    if (!list) {
        bind_atom(n);
        return n;
    }
    for (size_t i = 0; i < TW_COUNT(heads); i++)
        if (tw_str_is(n->word, heads[i].word))
            n->kind = heads[i].kind;
    enum { CAPACITY = 64 };
    node *args[CAPACITY];
    for (;;) {
        while (**c == ' ')
            ++*c;
        if (**c == ')' || !**c || n->count == CAPACITY)
            break;
        args[n->count++] = compile(arena, c);
    }
    if (**c == ')')
        ++*c;
    n->args = (node **)(void *)tw_arena_copy(arena, args, n->count * sizeof *args);
    if (n->kind == ATOM) /* an unknown head: no condition */
        n->test = any;
    return n;
}

static bool eval(const node *n, ir_type type, ir_attr attr)
{
    switch (n->kind) {
    case AND:
        for (uint32_t i = 0; i < n->count; i++)
            if (!eval(n->args[i], type, attr))
                return false;
        return true;
    case OR:
        for (uint32_t i = 0; i < n->count; i++)
            if (eval(n->args[i], type, attr))
                return true;
        return false;
    case NOT:
        return n->count && !eval(n->args[0], type, attr);
    case ELEM: {
        ir_type t = type ? type : attr ? attr->type : NULL;
        if (t && t->kind == IR_TYPE_DIALECT && t->def->element)
            return eval(n->args[0], t->def->element(t), NULL);
        return t && (ir_type_is_shaped(t) || t->kind == IR_TYPE_COMPLEX) &&
               eval(n->args[0], t->element, NULL);
    }
    case ALL:
        for (uint32_t i = 0; attr && i < attr->count; i++)
            for (uint32_t k = 0; k < n->count; k++)
                if (!eval(n->args[k], NULL, attr->items[i]))
                    return false;
        return attr != NULL;
    case TUPLE_ELEMS:
        for (uint32_t i = 0; type && type->kind == IR_TYPE_TUPLE && i < type->count; i++)
            if (!eval(type->types[i]->kind == IR_TYPE_TUPLE ? n : n->args[0],
                      type->types[i], NULL))
                return false;
        return type && type->kind == IR_TYPE_TUPLE;
    case VALUE_TYPE:
        return attr && attr->type && eval(n->args[0], attr->type, NULL);
    case TYPE_VALUE: {
        ir_type inner =
            ir_attr_is(attr, IR_ATTR_TYPE) ? attr->type
            : type && type->kind == IR_TYPE_DIALECT && type->count && type->params[0]
                ? type->params[0]->type
                : NULL;
        return inner && eval(n->args[0], inner, NULL);
    }
    default:
        return n->test(n, type, attr);
    }
}

static compiled *lookup(ir_context *ctx, const ir_constraint *c)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_CONSTRAINTS);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_CONSTRAINTS, known,
                            (void (*)(void *))ir_mapping_free);
    }
    compiled *entry = ir_mapping_get(known, c);
    if (!entry) {
        const char *text = c->pred ? c->pred : "any";
        entry = TW_ARENA_NEW(ir_context_arena(ctx), compiled);
        entry->root = compile(ir_context_arena(ctx), &text);
        ir_mapping_set(known, c, entry);
    }
    return entry;
}

bool ir_type_satisfies(ir_type type, const ir_constraint *c)
{
    if (!type)
        return false;
    compiled *entry = lookup(type->ctx, c);
    if (entry->last == type)
        return true;
    if (!eval(entry->root, type, NULL))
        return false;
    entry->last = type;
    return true;
}

bool ir_attr_satisfies(ir_attr attr, const ir_constraint *c)
{
    if (!attr)
        return false;
    compiled *entry = lookup(attr->ctx, c);
    if (entry->last == attr)
        return true;
    if (c->enumeration && !c->def && attr->kind == IR_ATTR_INTEGER) {
        if (!ir_type_is_integer(attr->type, c->enumeration->width) ||
            (!c->enumeration->bits && !ir_enum_by_value(c->enumeration, attr->value)))
            return false;
        entry->last = attr;
        return true;
    }
    if (!eval(entry->root, NULL, attr))
        return false;
    entry->last = attr;
    return true;
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
    node n = {0};
    bind_class(&n, tw_str_from(c->storage));
    return n.test(&n, NULL, attr);
}
