/* vhlo_to_stablehlo.c: converts portable artifacts back to StableHLO.
 *
 * The version suffix of an operation is dropped; missing attributes, which newer versions
 * added, get their defaults, so every version converts by the same rules.  Differences
 * are in tables: attributes that are one in StableHLO and several in VHLO, names, and the
 * defaults that VHLO writes explicitly. */
#include "stablehlo/vhlo/to_stablehlo/vhlo_to_stablehlo.h"

#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_merged.h"
#include "stablehlo/vhlo/vhlo_types.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ATTRS = 32 };

/* ---- attributes --------------------------------------------------------------------- */

static ir_attr convert_attr(ir_context *ctx, ir_attr attr);

static bool is_vhlo(const char *name)
{
    return strncmp(name, "vhlo.", 5) == 0;
}

ir_attr vhlo_enum_counterpart(ir_context *ctx, ir_attr attr, const char *twin)
{
    const ir_attr_def *def = ir_attr_def_find(ctx, tw_str_from(twin));
    const ir_enum_case *from =
        ir_enum_by_value(attr->def->enumeration, ir_enum_value(attr, -1));
    const ir_enum_case *to =
        def && def->enumeration && from
            ? ir_enum_by_text(def->enumeration, tw_str_from(from->text))
            : NULL;
    return to ? ir_enum_attr(ctx, def, to->value) : NULL;
}

/* "vhlo.x_v1" becomes "stablehlo.x". */
static ir_attr convert_enum(ir_context *ctx, ir_attr attr)
{
    char name[64];
    size_t size = strlen(attr->def->mnemonic) - strlen("vhlo._v1");
    snprintf(name, sizeof name, "stablehlo.%.*s", (int)size, attr->def->mnemonic + 5);
    return vhlo_enum_counterpart(ctx, attr, name);
}

static ir_attr convert_list(ir_context *ctx, ir_attr list)
{
    ir_attr *items = tw_xmalloc((list->count + 1) * sizeof *items);
    bool ok = true;
    for (uint32_t i = 0; ok && i < list->count; i++)
        ok = (items[i] = convert_attr(ctx, list->items[i])) != NULL;
    ir_attr array = ok ? ir_array_attr(ctx, items, list->count) : NULL;
    free(items);
    return array;
}

static ir_attr convert_dict(ir_context *ctx, ir_attr list)
{
    ir_named_attr *entries = tw_xmalloc((list->count + 1) * sizeof *entries);
    bool ok = true;
    for (uint32_t i = 0; ok && i < list->count; i++) {
        ir_attr key = convert_attr(ctx, list->items[i]->items[0]);
        ir_attr value = convert_attr(ctx, list->items[i]->items[1]);
        ok = ir_attr_is(key, IR_ATTR_STRING) && value;
        if (ok)
            entries[i] = (ir_named_attr){key->ident, value};
    }
    ir_attr dict = ok ? ir_dict_attr(ctx, entries, list->count) : NULL;
    free(entries);
    return dict;
}

const ir_attr_def *vhlo_attr_counterpart(const ir_attr_def *def)
{
    static const struct {
        const ir_attr_def *vhlo, *stablehlo;
    } pairs[] = {
        {VHLO_ATTR(axis_ref_v1), STABLEHLO_ATTR(axis_ref)},
        {VHLO_ATTR(mesh_axis_v1), STABLEHLO_ATTR(mesh_axis)},
        {VHLO_ATTR(mesh_v1), STABLEHLO_ATTR(mesh)},
        {VHLO_ATTR(output_operand_alias_v1), STABLEHLO_ATTR(output_operand_alias)},
        {VHLO_ATTR(replica_group_mesh_axes_v1), STABLEHLO_ATTR(replica_group_mesh_axes)},
        {VHLO_ATTR(result_accuracy_v1), STABLEHLO_ATTR(result_accuracy)},
        {VHLO_ATTR(sub_axis_info_v1), STABLEHLO_ATTR(sub_axis_info)},
        {VHLO_ATTR(type_extensions_v1), STABLEHLO_ATTR(type_extensions)},
    };
    for (size_t i = 0; i < TW_COUNT(pairs); i++)
        if (pairs[i].vhlo == def || pairs[i].stablehlo == def)
            return pairs[i].vhlo == def ? pairs[i].stablehlo : pairs[i].vhlo;
    return NULL;
}

/* True if a converted parameter has the declared kind. */
static bool fits_param(const ir_param_def *def, ir_attr value)
{
    if (!value)
        return def->optional;
    if (def->kind == IR_PARAM_STRING)
        return value->kind == IR_ATTR_STRING;
    if (def->array && def->kind == IR_PARAM_ATTR) {
        for (uint32_t i = 0; value->kind == IR_ATTR_ARRAY && i < value->count; i++)
            if (!ir_attr_is(value->items[i], IR_ATTR_DIALECT) ||
                (def->of && strcmp(value->items[i]->def->mnemonic, def->of) != 0))
                return false;
        return value->kind == IR_ATTR_ARRAY;
    }
    return !def->of ||
           (value->kind == IR_ATTR_DIALECT && strcmp(value->def->mnemonic, def->of) == 0);
}

static ir_attr convert_params(ir_context *ctx, ir_attr attr, const ir_attr_def *to)
{
    enum { MAX_PARAMS = 8 };
    ir_attr params[MAX_PARAMS] = {0};
    for (uint32_t i = 0; i < attr->count; i++) {
        const ir_param_def *def = &to->params.at[i];
        bool whole = attr->def->params.at[i].kind == IR_PARAM_ATTR;
        params[i] = attr->params[i];
        if (whole && params[i] && !(params[i] = convert_attr(ctx, params[i])))
            return NULL;
        /* a mesh symbol is a string in VHLO */
        if (to == STABLEHLO_ATTR(replica_group_mesh_axes) && i == 0 &&
            ir_attr_is(params[i], IR_ATTR_STRING))
            params[i] = ir_symbol_ref(ctx, ir_attr_str(params[i]));
        if (whole && !fits_param(def, params[i]))
            return NULL;
    }
    return ir_dialect_attr(ctx, to, params, attr->count);
}

static ir_attr convert_attr(ir_context *ctx, ir_attr attr)
{
    if (attr->kind != IR_ATTR_DIALECT || !is_vhlo(attr->def->mnemonic))
        return attr;
    const ir_attr_def *def = attr->def;
    if (def == VHLO_ATTR(array_v1))
        return convert_list(ctx, attr->params[0]);
    if (def == VHLO_ATTR(dict_v1))
        return convert_dict(ctx, attr->params[0]);
    if (def == VHLO_ATTR(bool_v1))
        return ir_bool_attr(ctx, attr->params[0]->value);
    if (def == VHLO_ATTR(string_v1))
        return attr->params[0];
    if (def == VHLO_ATTR(integer_v1) || def == VHLO_ATTR(tensor_v1))
        return attr->params[1];
    if (def == VHLO_ATTR(api_version_v1))
        return ir_i32_attr(ctx, ir_enum_value(attr, 0));
    const ir_attr_def *twin = vhlo_attr_counterpart(def);
    if (twin)
        return convert_params(ctx, attr, twin);
    if (def == VHLO_ATTR(float_v1) || def == VHLO_ATTR(type_v1)) {
        bool real = def == VHLO_ATTR(float_v1);
        ir_type type = vhlo_type_to_builtin(attr->params[0]->type);
        if (!type || (real && type->kind != IR_TYPE_FLOAT))
            return NULL;
        return real ? ir_float_attr(type, attr->params[1]->real) : ir_type_attr(type);
    }
    return def->enumeration ? convert_enum(ctx, attr) : NULL;
}

/* ---- attributes merged into one ----------------------------------------------------- */

static ir_attr numbers_of(ir_context *ctx, ir_attr dense)
{
    int64_t count = dense ? ir_attr_ints(dense, NULL, 0) : 0;
    if (count < 0 || count > 4096)
        return NULL;
    int64_t *values = tw_xmalloc(((size_t)count + 1) * sizeof *values);
    ir_attr *items = tw_xmalloc(((size_t)count + 1) * sizeof *items);
    if (count)
        ir_attr_ints(dense, values, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        items[i] = ir_raw_int(ctx, values[i]);
    ir_attr list = ir_array_attr(ctx, items, (size_t)count);
    free(values);
    free(items);
    return list;
}

/* NULL with *ok true: nothing to merge (all parts none); missing lists are empty. */
static ir_attr merge(ir_op *op, const vhlo_merged_row *m, bool *ok)
{
    ir_context *ctx = op->ctx;
    ir_attr params[VHLO_MAX_PARTS] = {0};
    size_t n = m->def->params.count;
    for (size_t i = 0; i < n; i++) {
        ir_attr part = ir_op_attr(op, m->parts[i]);
        part = part ? convert_attr(ctx, part) : NULL;
        const ir_param_def *def = &m->def->params.at[i];
        if (part && part->kind == IR_ATTR_TYPE && part->type->kind == IR_TYPE_NONE)
            return NULL;
        if (def->array)
            params[i] = numbers_of(ctx, part);
        else if (def->kind == IR_PARAM_TYPE)
            params[i] = ir_attr_is(part, IR_ATTR_TYPE) ? part : NULL;
        else if (ir_attr_is(part, IR_ATTR_INTEGER))
            params[i] = ir_raw_int(
                ctx, ir_attr_bool(part) && ir_attr_is_bool(part) ? 1 : part->value);
        if (!params[i] && m->def == STABLEHLO_ATTR(dot_algorithm) && !part)
            return NULL;
        if (!params[i]) {
            *ok = ir_op_error(op, "has no valid '%s'", m->parts[i]);
            return NULL;
        }
    }
    return ir_dialect_attr(ctx, m->def, params, n);
}

/* ---- defaults and names ------------------------------------------------------------- */

static bool all_ints(ir_attr attr, int64_t value)
{
    enum { CAPACITY = 256 };
    int64_t values[CAPACITY];
    int64_t count = ir_attr_ints(attr, values, CAPACITY);
    for (int64_t i = 0; i < count && i < CAPACITY; i++)
        if (values[i] != value)
            return false;
    return count >= 0 && count <= CAPACITY;
}

static const struct {
    const char *name;
    int64_t value;
} int_defaults[] = {
    {"api_version", 1},    {"base_dilations", 1},   {"dimension", -1},
    {"lhs_dilation", 1},   {"padding", 0},          {"rhs_dilation", 1},
    {"version", 0},        {"window_dilations", 1}, {"window_reversal", 0},
    {"window_strides", 1},
};

/* Enums whose first case is the default. */
static bool is_plain_enum(ir_attr attr)
{
    if (ir_attr_is(attr, IR_ATTR_ARRAY)) {
        for (uint32_t i = 0; i < attr->count; i++)
            if (!is_plain_enum(attr->items[i]))
                return false;
        return attr->count > 0;
    }
    return ir_attr_is(attr, IR_ATTR_DIALECT) &&
           (attr->def == STABLEHLO_ATTR(precision) ||
            attr->def == STABLEHLO_ATTR(comparison_type)) &&
           ir_enum_value(attr, -1) == 0;
}

static bool is_default(const char *name, ir_attr attr)
{
    if (attr->kind == IR_ATTR_DIALECT && attr->def == STABLEHLO_ATTR(result_accuracy))
        return attr->params[0]->real == 0 && attr->params[1]->real == 0 &&
               attr->params[2]->value == 0 && ir_enum_value(attr->params[3], -1) == 0;
    for (size_t i = 0; i < TW_COUNT(int_defaults); i++)
        if (strcmp(name, int_defaults[i].name) == 0)
            return all_ints(attr, int_defaults[i].value) ||
                   ir_attr_int(attr, int_defaults[i].value + 1) == int_defaults[i].value;
    if (ir_attr_is_bool(attr))
        return attr->value == 0;
    if (attr->kind == IR_ATTR_STRING)
        return attr->ident->size == 0;
    if (attr->kind == IR_ATTR_DICT || attr->kind == IR_ATTR_ARRAY)
        return attr->count == 0 || is_plain_enum(attr);
    return is_plain_enum(attr) ||
           ((attr->kind == IR_ATTR_DENSE || attr->kind == IR_ATTR_DENSE_ARRAY) &&
            ir_attr_ints(attr, NULL, 0) == 0);
}

/* Strings that name functions become symbol references. */
static ir_attr to_symbols(ir_context *ctx, ir_attr attr)
{
    if (attr->kind == IR_ATTR_STRING)
        return ir_symbol_ref(ctx, ir_attr_str(attr));
    ir_attr *items = tw_xmalloc((attr->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < attr->count; i++)
        items[i] = ir_attr_is(attr->items[i], IR_ATTR_STRING)
                       ? ir_symbol_ref(ctx, ir_attr_str(attr->items[i]))
                       : attr->items[i];
    ir_attr list = ir_array_attr(ctx, items, attr->count);
    free(items);
    return list;
}

/* Converts elements to an array if the row requires one. */
static ir_attr to_storage(ir_context *ctx, const ir_attr_use *use, ir_attr attr)
{
    enum { CAPACITY = 64 };
    const char *storage = use->type ? use->type->storage : NULL;
    int64_t values[CAPACITY];
    if (attr->kind != IR_ATTR_DENSE || !storage || !strstr(storage, "ArrayAttr"))
        return attr;
    int64_t count = ir_attr_ints(attr, values, CAPACITY);
    if (count < 0 || count > CAPACITY)
        return attr;
    bool flags[CAPACITY];
    for (int64_t i = 0; i < count; i++)
        flags[i] = values[i] != 0;
    return strstr(storage, "Bool") ? ir_dense_bool_array(ctx, flags, (size_t)count)
                                   : ir_dense_i64_array(ctx, values, (size_t)count);
}

static bool is_reference(const char *name)
{
    return strcmp(name, "callee") == 0 || strcmp(name, "called_computations") == 0 ||
           strcmp(name, "decomposition") == 0;
}

/* Merges channel_id and channel_type to a handle; id 0 without a type is none. */
static ir_attr channel_handle(ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_attr id = ir_op_attr(op, "channel_id"), type = ir_op_attr(op, "channel_type");
    int64_t handle = id ? ir_attr_int(convert_attr(ctx, id), 0) : 0;
    if (!id || (!type && handle == 0))
        return NULL;
    ir_attr params[] = {
        ir_raw_int(ctx, handle),
        ir_raw_int(ctx, type ? ir_attr_int(convert_attr(ctx, type), 0) : 0)};
    return ir_dialect_attr(ctx, STABLEHLO_ATTR(channel_handle), params, 2);
}

static bool has_layouts(ir_op *op)
{
    static const char *const names[] = {"operand_layouts", "result_layouts"};
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        ir_attr list = ir_op_attr(op, names[i]);
        if (list && list->kind == IR_ATTR_DIALECT && list->params[0]->count)
            return true;
    }
    return false;
}

static bool keeps(ir_op *op, const ir_attr_use *use, ir_attr value)
{
    const char *name = use->name;
    if (strcmp(name, "operand_layouts") == 0 || strcmp(name, "result_layouts") == 0)
        return has_layouts(op);
    return !(use->optional || use->deflt) || !is_default(name, value);
}

/* The value of an attribute of the new row, *out NULL if it is omitted. */
static bool attribute_for(ir_op *op, const ir_op_def *def, const ir_attr_use *use,
                          ir_attr *out)
{
    bool ok = true;
    *out = NULL;
    for (size_t i = 0; i < VHLO_MERGED_COUNT; i++)
        if (strcmp(vhlo_merged[i].name, use->name) == 0 &&
            ir_def_prop_index(op->def, tw_str_from(vhlo_merged[i].parts[0])) != SIZE_MAX) {
            *out = merge(op, &vhlo_merged[i], &ok);
            return ok;
        }
    if (strcmp(use->name, "channel_handle") == 0) {
        *out = channel_handle(op);
        return true;
    }
    ir_attr old = ir_op_attr(op, use->name);
    if (!old)
        return true;
    ir_attr value = convert_attr(op->ctx, old);
    if (!value)
        return ir_op_error(op, "has an attribute '%s' that has no StableHLO counterpart",
                           use->name);
    if (is_reference(use->name))
        value = to_symbols(op->ctx, value);
    if (ir_attr_is_bool(value) && use->type && use->type->storage &&
        strcmp(use->type->storage, "UnitAttr") == 0)
        value = ir_attr_bool(value) ? ir_unit_attr(op->ctx) : NULL;
    else
        value = to_storage(op->ctx, use, value);
    if (value && (keeps(op, use, value) || def == FUNC_OP(call)))
        *out = value;
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

static const ir_op_def *counterpart(ir_op *op)
{
    char name[96];
    if (op->def == VHLO_OP(func_v1))
        return FUNC_OP(func);
    if (op->def == VHLO_OP(call_v1))
        return FUNC_OP(call);
    ir_op *parent = ir_op_parent(op);
    if (op->def == VHLO_OP(return_v1) && parent &&
        (parent->def == VHLO_OP(func_v1) || parent->def == FUNC_OP(func)))
        return FUNC_OP(return );
    const char *end = strstr(op->def->name, "_v");
    for (const char *next; end && (next = strstr(end + 1, "_v"));)
        end = next;
    snprintf(name, sizeof name, "stablehlo.%.*s", (int)(end - op->def->name - 5),
             op->def->name + 5);
    return ir_context_op_def(op->ctx, tw_str_from(name));
}

static bool convert_type(ir_op *op, ir_type *type)
{
    ir_type to = vhlo_type_to_builtin(*type);
    if (!to)
        return ir_op_error(op, "has a value of type %s, which has no StableHLO counterpart",
                           ir_type_text(op->ctx, *type));
    *type = to;
    return true;
}

static bool collect(ir_op *op, const ir_op_def *def, ir_named_attr *attrs, size_t *count)
{
    for (uint32_t i = 0; i < def->attrs.count && i < MAX_ATTRS; i++) {
        ir_attr value;
        if (!attribute_for(op, def, &def->attrs.at[i], &value))
            return false;
        if (value)
            attrs[(*count)++] =
                (ir_named_attr){ir_ident_from(op->ctx, def->attrs.at[i].name), value};
    }
    return true;
}

static ir_op *replace(ir_op *op, const ir_op_def *def)
{
    ir_named_attr attrs[MAX_ATTRS];
    ir_op_state state = {.def = def, .loc = op->loc, .attrs = attrs};
    if (!collect(op, def, attrs, &state.n_attrs))
        return NULL;
    ir_value **operands = tw_xmalloc((op->n_operands + 1u) * sizeof *operands);
    ir_type *results = tw_xmalloc((op->n_results + 1u) * sizeof *results);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    state.operands = operands;
    state.n_operands = op->n_operands;
    state.results = results;
    state.n_results = op->n_results;
    state.n_regions = op->n_regions;
    ir_op *to = ir_op_create(op->ctx, &state);
    free(operands);
    free(results);
    for (uint16_t i = 0; i < op->n_regions; i++)
        ir_region_take(&to->regions[i], &op->regions[i]);
    ir_op_insert_before(to, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &to->results[i]);
    return to;
}

static bool convert_discardable(ir_op *op, ir_op *to)
{
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++) {
        ir_named_attr entry = op->attrs->entries[i];
        ir_attr value = convert_attr(op->ctx, entry.value);
        if (!value)
            return ir_op_error(op,
                               "has an attribute '%s' that has no StableHLO counterpart",
                               entry.name->text);
        ir_op_set_attr(to, entry.name->text, value);
    }
    return true;
}

static ir_walk convert_op(ir_op *op, void *user)
{
    bool *ok = user;
    for (uint32_t i = 0; *ok && i < op->n_results; i++)
        *ok = convert_type(op, &op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; *ok && i < b->n_args; i++)
                *ok = convert_type(op, &b->args[i]->type);
    if (!*ok)
        return IR_WALK_STOP;
    if (!is_vhlo(op->def->name))
        return IR_WALK_ON;
    const ir_op_def *def = counterpart(op);
    if (!def) {
        *ok = ir_op_error(op, "has no StableHLO counterpart");
        return IR_WALK_STOP;
    }
    ir_op *to = replace(op, def);
    *ok = to && convert_discardable(op, to);
    if (!*ok)
        return IR_WALK_STOP;
    ir_op_erase(op);
    return IR_WALK_ON;
}

/* Erases casts at the former boundary. */
static ir_walk drop_cast(ir_op *op, void *user)
{
    (void)user;
    if (op->def != BUILTIN_OP(unrealized_conversion_cast) ||
        op->n_operands != op->n_results)
        return IR_WALK_ON;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->operands[i].value->type != op->results[i].type)
            return IR_WALK_ON;
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], op->operands[i].value);
    ir_op_erase(op);
    return IR_WALK_ON;
}

static ir_walk find_vhlo(ir_op *op, void *user)
{
    (void)user;
    return is_vhlo(op->def->name) ? IR_WALK_STOP : IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    bool ok = true;
    (void)run;
    if (ir_walk_pre(op, find_vhlo, NULL) != IR_WALK_STOP)
        return true;
    ir_walk_post(op, convert_op, &ok);
    if (ok)
        ir_walk_post(op, drop_cast, NULL);
    return ok;
}

const pass_def vhlo_legalize_to_stablehlo_pass = {
    .name = "vhlo-legalize-to-stablehlo",
    .title = "VhloLegalizeToStablehloPass",
    .summary = "Legalize VHLO to StableHLO",
    .anchor = "builtin.module",
    .run = run,
};
