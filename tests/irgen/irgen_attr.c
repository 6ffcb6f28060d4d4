/* irgen_attr.c: random types and attributes, for a constraint or for none. */
#include "ir/text.h"
#include "irgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014) */
uint64_t irgen_next(irgen *g)
{
    uint64_t z = g->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* ---- types -------------------------------------------------------------------------- */

static ir_type scalar(irgen *g)
{
    static const struct {
        uint8_t width, sign;
    } ints[] = {{1, IR_SIGNLESS},  {8, IR_SIGNLESS}, {16, IR_SIGNLESS}, {32, IR_SIGNLESS},
                {64, IR_SIGNLESS}, {8, IR_UNSIGNED}, {32, IR_UNSIGNED}, {32, IR_SIGNED},
                {4, IR_SIGNLESS},  {2, IR_UNSIGNED}};
    static const uint8_t floats[] = {IR_F32, IR_F32, IR_BF16, IR_F16, IR_F64, IR_F8E5M2};
    uint32_t pick = irgen_below(g, 20);
    if (g->plain)
        return pick < 10   ? ir_float_type(g->ctx, IR_F32)
               : pick < 14 ? ir_float_type(g->ctx, IR_BF16)
                           : ir_integer_type(g->ctx, pick < 18 ? 32 : 1, IR_SIGNLESS);
    if (pick < 9) {
        uint32_t i = irgen_below(g, TW_COUNT(ints));
        return ir_integer_type(g->ctx, ints[i].width, (ir_signedness)ints[i].sign);
    }
    if (pick < 17)
        return ir_float_type(g->ctx,
                             (ir_float_kind)floats[irgen_below(g, TW_COUNT(floats))]);
    if (pick < 19)
        return ir_index_type(g->ctx);
    return ir_complex_type(ir_float_type(g->ctx, IR_F32));
}

static int64_t extent(irgen *g)
{
    return !g->plain && irgen_chance(g, 10) ? IR_DYNAMIC : 1 + irgen_below(g, 4);
}

void irgen_new_shape(irgen *g)
{
    g->rank = irgen_below(g, 5);
    for (uint32_t i = 0; i < g->rank; i++)
        g->dims[i] = extent(g);
    g->element = scalar(g);
}

static ir_attr random_param(irgen *g, const ir_param_def *def);
static ir_attr text(irgen *g);

/* Rows lack some exclusions between parameters; the parser knows them, so types that it
 * rejects are not used. (Types that it parses as something else are used, and will be
 * found.) */
static ir_type dialect_type(irgen *g, const ir_type_def *def)
{
    ir_attr params[16] = {0};
    if (def->params.count > TW_COUNT(params) || g->depth > 3)
        return NULL;
    g->depth++;
    bool ok = true;
    for (uint32_t i = 0; ok && i < def->params.count; i++)
        ok =
            (params[i] = random_param(g, &def->params.at[i])) || def->params.at[i].optional;
    g->depth--;
    if (!ok)
        return NULL;
    ir_type type = ir_dialect_type(g->ctx, def, params, def->params.count);
    if (def->verify && !def->verify(g->ctx, IR_LOC_UNKNOWN, type))
        return NULL;
    /* as its text is parsed: some parameters are omitted from it */
    char *text =
        strdup(ir_type_text(g->ctx, type)); /* an error of the reader ends the loan */
    type = ir_parse_type(g->ctx, tw_str_from(text));
    free(text);
    return type;
}

static ir_type any_dialect_type(irgen *g)
{
    size_t n = ir_context_dialect_count(g->ctx);
    for (int tries = 0; tries < 8; tries++) {
        const ir_dialect *d = ir_context_dialect_at(g->ctx, irgen_below(g, (uint32_t)n));
        if (d->types.count)
            return dialect_type(g, &d->types.at[irgen_below(g, d->types.count)]);
    }
    return NULL;
}

static ir_type shaped(irgen *g)
{
    int64_t dims[4];
    uint32_t rank = g->rank;
    ir_type element = irgen_chance(g, 80) ? g->element : scalar(g);
    memcpy(dims, g->dims, sizeof dims);
    if (irgen_chance(g, 20)) {
        /* never the same rank: shapes that are merely compatible verify, but no custom form
         * can express them, mlir-opt's neither */
        rank = irgen_below(g, 4);
        rank += rank >= g->rank;
        rank = TW_MIN(rank, 4);
        if (rank == g->rank)
            rank = 0;
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = extent(g);
    }
    switch (g->plain ? 11 : irgen_below(g, 12)) {
    case 0:
        return ir_unranked_tensor_type(element);
    case 1:
        return ir_unranked_memref_type(element, NULL);
    case 2:
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = dims[i] == IR_DYNAMIC ? 2 : dims[i];
        return element->kind == IR_TYPE_COMPLEX ? NULL
                                                : ir_vector_type(element, dims, rank, NULL);
    case 3:
    case 4:
    case 5:
    case 6:
        return ir_memref_type(element, dims, rank, NULL, NULL);
    default:
        return ir_tensor_type(element, dims, rank, NULL);
    }
}

ir_type irgen_any_type(irgen *g)
{
    uint32_t pick = irgen_below(g, 20);
    if (g->odd && irgen_chance(g, 10))
        return irgen_odd_type(g);
    if (g->plain && pick >= 4)
        return shaped(g);
    if (pick < 6)
        return irgen_chance(g, 70) ? g->element : scalar(g);
    if (pick < 17 || g->depth > 2 || (g->core && pick > 17))
        return shaped(g);
    if (pick == 17) {
        ir_type parts[2] = {scalar(g), scalar(g)};
        return irgen_chance(g, 50) ? ir_tuple_type(g->ctx, parts, irgen_below(g, 3))
                                   : ir_function_type(g->ctx, parts, 1, parts + 1, 1);
    }
    return any_dialect_type(g);
}

ir_type irgen_type(irgen *g, const ir_constraint *c)
{
    const ir_type_def *def = c->def ? ir_type_def_find(g->ctx, tw_str_from(c->def)) : NULL;
    for (int tries = 0; tries < 80; tries++) {
        ir_type type = def ? dialect_type(g, def) : irgen_any_type(g);
        if (type && ir_type_satisfies(type, c))
            return type;
    }
    return NULL;
}

/* ---- attributes --------------------------------------------------------------------- */

static ir_attr text(irgen *g)
{
    static const char *const words[] = {"a", "x_1", "", "two words", "\"q\"\\\n", "@f.g"};
    return ir_string_attr(g->ctx, tw_str_from(words[irgen_below(g, TW_COUNT(words))]));
}

static int64_t number(irgen *g)
{
    static const int64_t odd[] = {-1, 0, 1, 127, -128, 65536, INT64_MAX, INT64_MIN};
    return irgen_chance(g, 85) ? irgen_below(g, 5) : odd[irgen_below(g, TW_COUNT(odd))];
}

static double real(irgen *g)
{
    static const double values[] = {0.0, -0.0, 1.0, 0.1, -2.5, 1e-30, 65504.0, 1e300};
    return values[irgen_below(g, TW_COUNT(values))];
}

static ir_attr dense(irgen *g)
{
    int64_t dims[2] = {1 + irgen_below(g, 3), 1 + irgen_below(g, 3)}, values[9];
    ir_type element = irgen_chance(g, 50)   ? ir_integer_type(g->ctx, 64, IR_SIGNLESS)
                      : irgen_chance(g, 50) ? g->element
                                            : scalar(g);
    if (element->kind == IR_TYPE_COMPLEX)
        return NULL;
    ir_type type = ir_tensor_type(element, dims, irgen_below(g, 3), NULL);
    size_t count = (size_t)ir_type_num_elements(type);
    for (size_t i = 0; i < count; i++)
        values[i] = number(g);
    if (element->kind == IR_TYPE_FLOAT)
        return ir_dense_splat(type, real(g));
    return irgen_chance(g, 30) ? ir_dense_splat_int(type, number(g))
                               : ir_dense_i64(type, values, count);
}

static ir_attr dense_array(irgen *g, const char *storage)
{
    int64_t values[4];
    int32_t narrow[4];
    bool flags[4];
    float reals[4];
    size_t count = irgen_chance(g, 60) ? g->rank : irgen_below(g, 5);
    for (size_t i = 0; i < count; i++) {
        values[i] = irgen_chance(g, 60) ? (int64_t)i : number(g);
        narrow[i] = (int32_t)values[i];
        flags[i] = values[i] & 1;
        reals[i] = (float)real(g);
    }
    if (strstr(storage, "I32"))
        return ir_dense_i32_array(g->ctx, values, count);
    if (strstr(storage, "Bool"))
        return ir_dense_bool_array(g->ctx, flags, count);
    if (strstr(storage, "F32"))
        return ir_dense_array(ir_float_type(g->ctx, IR_F32), reals, count);
    (void)narrow;
    return ir_dense_i64_array(g->ctx, values, count);
}

static ir_attr map_attr(irgen *g)
{
    static const char *const maps[] = {
        "affine_map<() -> ()>",
        "affine_map<(d0) -> (d0)>",
        "affine_map<(d0, d1) -> (d1, d0)>",
        "affine_map<(d0)[s0] -> (d0 + s0 * 4, d0 floordiv 3)>",
        "affine_map<(d0, d1) -> (0)>",
        "affine_map<(d0, d1, d2) -> (d0, d2)>",
        "affine_map<()[s0] -> (s0 mod 5)>"};
    return ir_parse_attr(g->ctx, tw_str_from(maps[irgen_below(g, TW_COUNT(maps))]));
}

static ir_attr enum_value(irgen *g, const ir_enum_def *e)
{
    int64_t value = e->cases.at[irgen_below(g, e->cases.count)].value;
    if (e->bits && irgen_chance(g, 50))
        value |= e->cases.at[irgen_below(g, e->cases.count)].value;
    return ir_raw_int(g->ctx, value);
}

/* Several values may have the same text: bits that no case has, omitted parameters. */
static ir_attr as_read(irgen *g, ir_attr attr)
{
    char *text =
        strdup(ir_attr_text(g->ctx, attr)); /* an error of the reader ends the loan */
    attr = ir_parse_attr(g->ctx, tw_str_from(text));
    free(text);
    return attr;
}

static ir_attr dialect_attr(irgen *g, const ir_attr_def *def)
{
    ir_attr params[24] = {0};
    if (def->params.count > TW_COUNT(params) || g->depth > 3)
        return NULL;
    g->depth++;
    bool ok = true;
    for (uint32_t i = 0; ok && i < def->params.count; i++)
        ok =
            (params[i] = random_param(g, &def->params.at[i])) || def->params.at[i].optional;
    g->depth--;
    if (!ok)
        return NULL;
    ir_attr attr = ir_dialect_attr(g->ctx, def, params, def->params.count);
    if (def->verify && !def->verify(g->ctx, IR_LOC_UNKNOWN, attr))
        return NULL;
    return as_read(g, attr);
}

static ir_attr one_param(irgen *g, const ir_param_def *def)
{
    const ir_attr_def *nested;
    ir_type type;
    switch (def->kind) {
    case IR_PARAM_INT: {
        int64_t value = number(g);
        if (def->is_unsigned && value < 0)
            value = 7;
        if (def->width && def->width < 64)
            value &= ((int64_t)1 << (def->width - 1)) - 1;
        return ir_raw_int(g->ctx, value);
    }
    case IR_PARAM_BOOL:
        return ir_raw_int(g->ctx, irgen_below(g, 2));
    case IR_PARAM_ENUM:
        return enum_value(g, def->enumeration);
    case IR_PARAM_FLOAT:
    case IR_PARAM_APFLOAT:
        return ir_float_attr(ir_float_type(g->ctx, IR_F64), real(g));
    case IR_PARAM_STRING:
        return ir_string_attr(g->ctx, TW_STR("name"));
    case IR_PARAM_SYMBOL:
        return ir_symbol_ref(g->ctx, TW_STR("sym"));
    case IR_PARAM_AFFINE_MAP:
        return map_attr(g);
    case IR_PARAM_TYPE:
    case IR_PARAM_SELF_TYPE:
        type = irgen_any_type(g);
        return type ? ir_type_attr(type) : NULL;
    default:
        if (!def->of)
            return irgen_any_attr(g);
        nested = ir_attr_def_find(g->ctx, tw_str_from(def->of));
        return nested ? dialect_attr(g, nested) : NULL;
    }
}

static ir_attr random_param(irgen *g, const ir_param_def *def)
{
    ir_attr items[3];
    if (def->optional && irgen_chance(g, 50))
        return NULL;
    if (!def->array)
        return one_param(g, def);
    uint32_t count = irgen_below(g, 3) + 1;
    bool pairs = def->kind == IR_PARAM_ATTR && !def->of; /* vhlo's dictionaries */
    for (uint32_t i = 0; i < count; i++) {
        ir_attr two[2] = {text(g), one_param(g, def)};
        if (!two[1])
            return NULL;
        items[i] = pairs ? ir_array_attr(g->ctx, two, 2) : two[1];
    }
    return ir_array_attr(g->ctx, items, count);
}

static ir_attr array(irgen *g)
{
    ir_attr items[3];
    uint32_t count = irgen_below(g, 4), kind = irgen_below(g, 5);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = kind == 0   ? ir_i64_attr(g->ctx, number(g))
                   : kind == 1 ? text(g)
                   : kind == 2 ? map_attr(g)
                   : kind == 3 ? ir_i32_attr(g->ctx, number(g))
                               : irgen_any_attr(g);
        if (!items[i])
            return NULL;
    }
    return ir_array_attr(g->ctx, items, count);
}

static ir_attr dict(irgen *g)
{
    ir_named_attr entries[2];
    uint32_t count = irgen_below(g, 3);
    for (uint32_t i = 0; i < count; i++) {
        entries[i].name = ir_ident_get(g->ctx, tw_str_from(i ? "key" : "other key"));
        if (!(entries[i].value = irgen_any_attr(g)))
            return NULL;
    }
    return ir_dict_attr(g->ctx, entries, count);
}

static ir_attr float_attr(irgen *g)
{
    ir_type type = scalar(g);
    return type->kind == IR_TYPE_FLOAT ? ir_float_attr(type, real(g)) : NULL;
}

static ir_attr int_attr(irgen *g)
{
    ir_type type = scalar(g);
    return type->kind == IR_TYPE_INTEGER || type->kind == IR_TYPE_INDEX
               ? ir_integer_attr(type, number(g))
               : NULL;
}

ir_attr irgen_any_attr(irgen *g)
{
    if (g->depth > 4)
        return ir_unit_attr(g->ctx);
    g->depth++;
    ir_attr attr = NULL;
    ir_type type;
    const ir_dialect *d;
    switch (irgen_below(g, g->odd ? 18 : 14)) {
    case 0:
        attr = ir_unit_attr(g->ctx);
        break;
    case 1:
        attr = ir_bool_attr(g->ctx, irgen_below(g, 2));
        break;
    case 2:
    case 3:
        attr = int_attr(g);
        break;
    case 4:
        attr = float_attr(g);
        break;
    case 5:
        attr = text(g);
        break;
    case 6:
        type = irgen_any_type(g);
        attr = type ? ir_type_attr(type) : NULL;
        break;
    case 7:
        attr = array(g);
        break;
    case 8:
        attr = dict(g);
        break;
    case 9:
        attr = ir_symbol_ref(g->ctx, irgen_chance(g, 50) ? TW_STR("f0") : TW_STR("a b"));
        break;
    case 10:
        attr = map_attr(g);
        break;
    case 11:
        attr = dense(g);
        break;
    case 12:
        attr = dense_array(g, "I64");
        break;
    case 14:
    case 15:
    case 16:
        attr = irgen_odd_attr(g);
        break;
    default:
        d = ir_context_dialect_at(
            g->ctx, irgen_below(g, (uint32_t)ir_context_dialect_count(g->ctx)));
        if (d->attrs.count && !g->core)
            attr = dialect_attr(g, &d->attrs.at[irgen_below(g, d->attrs.count)]);
        break;
    }
    g->depth--;
    return attr;
}

/* An attribute by the constraint's columns; NULL where they do not define one. */
static ir_attr by_columns(irgen *g, const ir_constraint *c)
{
    const char *storage = c->storage ? c->storage : "";
    const ir_attr_def *def = c->def ? ir_attr_def_find(g->ctx, tw_str_from(c->def)) : NULL;
    ir_type type = c->value_type ? ir_parse_type(g->ctx, tw_str_from(c->value_type)) : NULL;
    if (def && def->enumeration)
        return as_read(g,
                       ir_enum_attr(g->ctx, def, enum_value(g, def->enumeration)->value));
    if (def)
        return dialect_attr(g, def);
    if (c->enumeration)
        return ir_integer_attr(ir_integer_type(g->ctx, c->enumeration->width, IR_SIGNLESS),
                               enum_value(g, c->enumeration)->value);
    if (strcmp(storage, "IntegerAttr") == 0)
        return type ? ir_integer_attr(type, number(g)) : int_attr(g);
    if (strcmp(storage, "FloatAttr") == 0)
        return type ? ir_float_attr(type, real(g)) : float_attr(g);
    if (strcmp(storage, "BoolAttr") == 0)
        return ir_bool_attr(g->ctx, irgen_below(g, 2));
    if (strcmp(storage, "StringAttr") == 0)
        return text(g);
    if (strcmp(storage, "UnitAttr") == 0)
        return ir_unit_attr(g->ctx);
    if (strcmp(storage, "ArrayAttr") == 0)
        return array(g);
    if (strcmp(storage, "DictionaryAttr") == 0)
        return dict(g);
    if (strcmp(storage, "AffineMapAttr") == 0)
        return map_attr(g);
    if (strstr(storage, "ElementsAttr"))
        return dense(g);
    if (strncmp(storage, "Dense", 5) == 0)
        return dense_array(g, storage);
    if (strstr(storage, "SymbolRef"))
        return ir_symbol_ref(g->ctx, TW_STR("f0"));
    return NULL;
}

ir_attr irgen_attr(irgen *g, const ir_constraint *c)
{
    for (int tries = 0; tries < 60; tries++) {
        ir_attr attr = irgen_chance(g, 90) ? by_columns(g, c) : NULL;
        if (!attr)
            attr = irgen_any_attr(g);
        bool typed_string = attr && attr->kind == IR_ATTR_STRING && attr->type;
        if (attr && !typed_string && ir_attr_satisfies(attr, c))
            return attr; /* formats omit the type of a string */
    }
    return NULL;
}
