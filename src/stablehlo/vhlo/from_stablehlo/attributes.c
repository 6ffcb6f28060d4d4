/* attributes.c: converts StableHLO's attributes and types to VHLO, by kind. */
#include "stablehlo/vhlo/from_stablehlo/stablehlo_to_vhlo.h"

#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/to_stablehlo/vhlo_to_stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_types.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_of(const char *name, const char *dialect)
{
    size_t n = strlen(dialect);
    return strncmp(name, dialect, n) == 0 && name[n] == '.';
}

static bool is_foreign(ir_type type)
{
    return type->kind == IR_TYPE_OPAQUE ||
           (type->kind == IR_TYPE_DIALECT && !is_of(type->def->mnemonic, "stablehlo"));
}

ir_type stablehlo_type_to_vhlo(ir_type type, bool others)
{
    ir_type to = vhlo_type_from(type);
    return to ? to : others && is_foreign(type) ? type : NULL;
}

static ir_attr of_one(ir_context *ctx, const ir_attr_def *def, ir_attr param)
{
    return param ? ir_dialect_attr(ctx, def, &param, 1) : NULL;
}

static ir_attr valued(ir_context *ctx, const ir_attr_def *def, ir_attr value)
{
    ir_type type = vhlo_type_from(value->type);
    ir_attr params[] = {type ? ir_type_attr(type) : NULL, value};
    return type ? ir_dialect_attr(ctx, def, params, TW_COUNT(params)) : NULL;
}

ir_attr vhlo_i64(ir_context *ctx, int64_t value)
{
    return valued(ctx, VHLO_ATTR(integer_v1), ir_i64_attr(ctx, value));
}

ir_attr vhlo_i64_list(ir_context *ctx, const int64_t *values, size_t count)
{
    int64_t size = (int64_t)count;
    ir_type type = ir_tensor_type(ir_integer_type(ctx, 64, IR_SIGNLESS), &size, 1, NULL);
    return valued(ctx, VHLO_ATTR(tensor_v1), ir_dense_i64(type, values, count));
}

ir_attr vhlo_bool(ir_context *ctx, bool value)
{
    return of_one(ctx, VHLO_ATTR(bool_v1), ir_raw_int(ctx, value));
}

/* "stablehlo.x" becomes "vhlo.x_v1". */
static ir_attr convert_enum(ir_context *ctx, ir_attr attr)
{
    char name[96];
    snprintf(name, sizeof name, "vhlo.%s_v1", attr->def->mnemonic + strlen("stablehlo."));
    return vhlo_enum_counterpart(ctx, attr, name);
}

static ir_attr convert_dialect(ir_context *ctx, ir_attr attr, bool others)
{
    enum { MAX_PARAMS = 8 };
    ir_attr params[MAX_PARAMS];
    if (attr->def->enumeration)
        return convert_enum(ctx, attr);
    const ir_attr_def *to = vhlo_attr_counterpart(attr->def);
    for (uint32_t i = 0; to && i < attr->count; i++) {
        bool whole = to->params.at[i].kind == IR_PARAM_ATTR && !to->params.at[i].array;
        params[i] = attr->params[i];
        if (whole && params[i] &&
            !(params[i] = stablehlo_attr_to_vhlo(ctx, params[i], others)))
            return NULL;
    }
    return to ? ir_dialect_attr(ctx, to, params, attr->count) : NULL;
}

static ir_attr convert_list(ir_context *ctx, ir_attr list, bool others)
{
    ir_attr *items = tw_xmalloc((list->count + 1) * sizeof *items);
    bool ok = true;
    for (uint32_t i = 0; ok && i < list->count; i++)
        ok = (items[i] = stablehlo_attr_to_vhlo(ctx, list->items[i], others)) != NULL;
    ir_attr array = ok ? ir_array_attr(ctx, items, list->count) : NULL;
    free(items);
    return of_one(ctx, VHLO_ATTR(array_v1), array);
}

static ir_attr convert_string(ir_context *ctx, tw_str text)
{
    return of_one(ctx, VHLO_ATTR(string_v1), ir_string_attr(ctx, text));
}

static ir_attr convert_dict(ir_context *ctx, ir_attr dict, bool others)
{
    ir_attr *items = tw_xmalloc((dict->count + 1) * sizeof *items);
    bool ok = true;
    for (uint32_t i = 0; ok && i < dict->count; i++) {
        ir_attr entry[] = {convert_string(ctx, ir_ident_str(dict->entries[i].name)),
                           stablehlo_attr_to_vhlo(ctx, dict->entries[i].value, others)};
        ok = entry[1] != NULL;
        items[i] = ok ? ir_array_attr(ctx, entry, 2) : NULL;
    }
    ir_attr list = ok ? ir_array_attr(ctx, items, dict->count) : NULL;
    free(items);
    return of_one(ctx, VHLO_ATTR(dict_v1), list);
}

/* array<i64: ...> and array<i1: ...> become one-dimensional elements. */
static ir_attr convert_array(ir_context *ctx, ir_attr array)
{
    int64_t size = array->count;
    if (!ir_type_is_signless(array->type, 64) && !ir_type_is_signless(array->type, 1))
        return NULL;
    ir_type type = ir_tensor_type(array->type, &size, 1, NULL);
    return valued(ctx, VHLO_ATTR(tensor_v1),
                  ir_dense_attr(type, array->blob->data, array->blob->size));
}

static ir_attr convert_number(ir_context *ctx, ir_attr attr)
{
    if (!attr->type)
        return NULL;
    if (ir_attr_is_bool(attr))
        return vhlo_bool(ctx, ir_attr_bool(attr));
    if (attr->kind == IR_ATTR_INTEGER)
        return valued(ctx, VHLO_ATTR(integer_v1), attr);
    return valued(ctx, VHLO_ATTR(float_v1), attr);
}

ir_attr stablehlo_attr_to_vhlo(ir_context *ctx, ir_attr attr, bool others)
{
    ir_attr to = NULL;
    switch (attr->kind) {
    case IR_ATTR_DIALECT:
        if (is_of(attr->def->mnemonic, "vhlo"))
            return attr;
        if (is_of(attr->def->mnemonic, "stablehlo"))
            return convert_dialect(ctx, attr, others);
        break;
    case IR_ATTR_ARRAY:
        return convert_list(ctx, attr, others);
    case IR_ATTR_DENSE:
        to = attr->splat & 2 ? NULL : valued(ctx, VHLO_ATTR(tensor_v1), attr);
        break;
    case IR_ATTR_DENSE_ARRAY:
        to = convert_array(ctx, attr);
        break;
    case IR_ATTR_DICT:
        return convert_dict(ctx, attr, others);
    case IR_ATTR_INTEGER:
    case IR_ATTR_FLOAT:
        to = convert_number(ctx, attr);
        break;
    case IR_ATTR_SYMBOL_REF:
        to = attr->count == 1 ? convert_string(ctx, ir_symbol_leaf(attr)) : NULL;
        break;
    case IR_ATTR_STRING:
        return attr->type && attr->type->kind != IR_TYPE_NONE
                   ? NULL
                   : convert_string(ctx, ir_attr_str(attr));
    case IR_ATTR_TYPE: {
        ir_type type = stablehlo_type_to_vhlo(attr->type, others);
        return type ? of_one(ctx, VHLO_ATTR(type_v1), ir_type_attr(type)) : NULL;
    }
    default:
        break;
    }
    return to ? to : others ? attr : NULL;
}
