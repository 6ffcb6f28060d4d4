/* emit_op.c: operations as tables, field by field, by the rows of ttnn.def. */
#include "ttcore/debug/debug.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/ttnn.h"

#include <ctype.h>

/* ---- rows --------------------------------------------------------------------------- */

/* How rows say it: element-wise ones by kinds. */
#define FB_FIELDS(tab, ...)                                                                \
    .table = FB_TABLE_ttnn_##tab, .kind = FB_ttnn_OpType_##tab, __VA_ARGS__
#define FB_UNARY(case) FB_FIELDS(EltwiseUnaryOp, .type = #case, .never = "params")
#define FB_UNARY_COMPOSITE(case)                                                           \
    FB_FIELDS(EltwiseUnaryCompositeOp, .type = #case, .never = "params")
#define FB_BINARY(case) FB_FIELDS(EltwiseBinaryOp, .type = #case)
#define FB_BINARY_COMPOSITE(case) FB_FIELDS(EltwiseBinaryCompositeOp, .type = #case)

static const emit_row ttnn_rows[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, strip, whole, activation, chain, meaning, ...)  \
    [TTNN_##ttnn] = {.op = TTNN_OP(ttnn), __VA_ARGS__},
#include "ttnn/elementwise.def"
#define BINARY FB_FIELDS
#define NO_BINARY
#define TTNN_USES(id, binary, ...) [TTNN_##id] = {.op = TTNN_OP(id), binary},
#include "ttnn/ttnn.def"
};

static const emit_row debug_rows[DEBUG_OP_COUNT] = {
    [DEBUG_annotate] = {.op = DEBUG_OP(annotate), FB_FIELDS(AnnotateOp)},
    [DEBUG_breakpoint] = {.op = DEBUG_OP(breakpoint), FB_FIELDS(BreakpointOp)},
    [DEBUG_memory_snapshot] = {.op = DEBUG_OP(memory_snapshot),
                               FB_FIELDS(MemorySnapshotOp)},
    [DEBUG_print] = {.op = DEBUG_OP(print), FB_FIELDS(PrintOp)},
    [DEBUG_region_end] = {.op = DEBUG_OP(region_end), FB_FIELDS(RegionEndOp)},
    [DEBUG_region_start] = {.op = DEBUG_OP(region_start), FB_FIELDS(RegionStartOp)},
};

const emit_row *fb_emit_row(const ir_op_def *def)
{
    const emit_row *row = NULL;
    if (def >= ttnn_ops && def < ttnn_ops + TTNN_OP_COUNT)
        row = &ttnn_rows[def - ttnn_ops];
    else if (def >= debug_ops && def < debug_ops + DEBUG_OP_COUNT)
        row = &debug_rows[def - debug_ops];
    return row && row->kind ? row : NULL;
}

bool fb_emits(const ir_op_def *def)
{
    return fb_emit_row(def) != NULL;
}

/* ---- where fields come from --------------------------------------------------------- */

/* "numericStable" and "numeric_stable" are one name. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '_')
            a++;
        while (*b == '_')
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

/* Looks `name` up in a list "a b=c": true if it is there; what follows '=' in out. */
static bool in_list(const char *list, const char *name, char out[64])
{
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p += strspn(p, " ")) {
        size_t item = strcspn(p, " ");
        if (item >= n && memcmp(p, name, n) == 0 && (item == n || p[n] == '=')) {
            size_t rest = item > n ? item - n - 1 : 0;
            assert(rest < 64);
            memcpy(out, p + n + 1, rest);
            out[rest] = 0;
            return true;
        }
        p += item;
    }
    return false;
}

static size_t find_operand(const ir_operand_def *at, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (same_name(at[i].name, name))
            return i;
    return SIZE_MAX;
}

static emit_source find_result(const ir_op_def *op, const char *name)
{
    size_t i = find_operand(op->results.at, op->results.count, name);
    if (strcmp(name, "*") == 0)
        return (emit_source){EMIT_RESULT, SIZE_MAX};
    /* the only result, whatever its name */
    if (i == SIZE_MAX && op->results.count == 1)
        i = 0;
    return i == SIZE_MAX ? (emit_source){EMIT_UNKNOWN, 0} : (emit_source){EMIT_RESULT, i};
}

static emit_source find_input(const ir_op_def *op, const char *name)
{
    size_t i = find_operand(op->operands.at, op->operands.count, name);
    if (i != SIZE_MAX)
        return (emit_source){EMIT_OPERAND, i};
    for (i = 0; i < op->attrs.count; i++)
        if (same_name(op->attrs.at[i].name, name))
            return (emit_source){EMIT_ATTR, i};
    return (emit_source){EMIT_UNKNOWN, 0};
}

/* Fields that the first result's layout answers, whatever attributes there are. */
static emit_source_kind from_layout(const char *field)
{
    static const struct {
        const char *name;
        emit_source_kind kind;
    } fields[] = {
        {"memory_config", EMIT_MEMORY_CONFIG},
        {"memcfg", EMIT_MEMORY_CONFIG},
        {"output_memory_config", EMIT_MEMORY_CONFIG},
        {"dtype", EMIT_DTYPE},
        {"output_dtype", EMIT_DTYPE},
        {"layout", EMIT_LAYOUT},
    };
    for (size_t i = 0; i < TW_COUNT(fields); i++)
        if (strcmp(fields[i].name, field) == 0)
            return fields[i].kind;
    return EMIT_UNKNOWN;
}

emit_source fb_emit_source(const emit_row *row, int slot)
{
    const fb_field *field = &fb_tables[row->table].fields[slot];
    const char *name = field->name;
    char other[64];
    /* The discriminator is written with its union. */
    if (field->kind == FB_KIND_UTYPE || in_list(row->never, name, other))
        return (emit_source){EMIT_NEVER, 0};
    if (in_list(row->hooked, name, other))
        return (emit_source){EMIT_HOOKED, 0};
    if (row->type && strcmp(name, "type") == 0)
        return (emit_source){EMIT_TYPE, 0};
    if (in_list(row->names, name, other))
        return strncmp(other, "->", 2) == 0 ? find_result(row->op, other + 2)
                                            : find_input(row->op, other);
    emit_source_kind derived = from_layout(name);
    if (derived != EMIT_UNKNOWN)
        return (emit_source){derived, 0};
    if (field->output)
        return find_result(row->op, name);
    emit_source source = find_input(row->op, name);
    if (source.kind == EMIT_UNKNOWN && strcmp(name, "in") == 0)
        source = find_input(row->op, "input");
    return source;
}

/* ---- attributes --------------------------------------------------------------------- */

/* The case's name of an attribute that wraps an enumeration, or of a bare parameter of one.
 */
static const char *case_name(ir_attr attr, const ir_enum_def *bare)
{
    const ir_enum_def *def = attr->kind == IR_ATTR_DIALECT ? attr->def->enumeration : bare;
    const ir_enum_case *found = def ? ir_enum_by_value(def, ir_enum_value(attr, -1)) : NULL;
    return found ? found->symbol : NULL;
}

int64_t fb_emit_case(ir_attr attr, fb_enum_id id, int64_t otherwise)
{
    const char *name = attr ? case_name(attr, NULL) : NULL;
    const fb_case *found = name ? fb_enum_find(id, tw_str_from(name)) : NULL;
    return found ? found->value : otherwise;
}

static bool put_enum(emit *e, fb_row *row, int slot, ir_attr attr, const ir_enum_def *bare)
{
    const fb_field *field = &row->def->fields[slot];
    const char *name = case_name(attr, bare);
    const fb_case *found = name ? fb_enum_find(field->of, tw_str_from(name)) : NULL;
    int64_t value = found ? found->value : ir_enum_value(attr, ir_attr_int(attr, -1));
    if (!found && !fb_enum_name(field->of, (uint64_t)value))
        return fb_emit_error(e, "has %s = %s, which binaries do not know", field->name,
                             ir_attr_text(e->ctx, attr));
    fb_put_int(row, slot, value);
    return true;
}

/* A parameter by the field's name, or one whose name ends so ("shardOrientation"). */
static const ir_param_def *find_param(const ir_attr_def *def, const char *field,
                                      size_t *out)
{
    for (size_t i = 0; i < def->params.count; i++)
        if (same_name(def->params.at[i].name, field)) {
            *out = i;
            return &def->params.at[i];
        }
    for (size_t i = 0; i < def->params.count; i++) {
        const char *name = def->params.at[i].name;
        for (const char *p = name; *p; p++)
            if (same_name(p, field)) {
                *out = i;
                return &def->params.at[i];
            }
    }
    return NULL;
}

static bool put_value(emit *e, fb_row *row, int slot, ir_attr attr,
                      const ir_enum_def *bare);

fb_ref fb_emit_table(emit *e, unsigned table, ir_attr attr)
{
    if (table == FB_TABLE_ttnn_CoreRangeSet)
        return fb_emit_core_range_set(e, attr);
    if (attr->kind != IR_ATTR_DIALECT) {
        fb_emit_error(e, "has an attribute of the wrong kind: %s",
                      ir_attr_text(e->ctx, attr));
        return 0;
    }
    fb_row row;
    fb_start(&row, (fb_table_id)table);
    for (int slot = 0; slot < row.def->n_fields; slot++) {
        size_t i;
        const ir_param_def *param = find_param(attr->def, row.def->fields[slot].name, &i);
        if (param && attr->params[i] &&
            !put_value(e, &row, slot, attr->params[i], param->enumeration))
            return 0;
    }
    return fb_end(&e->b, &row);
}

/* A struct out of a dialect attribute's parameters of the same names, or out of numbers. */
static bool fill_struct(uint8_t *out, unsigned id, ir_attr attr)
{
    const fb_struct_def *def = &fb_structs[id];
    int64_t values[8] = {0};
    if (attr->kind != IR_ATTR_DIALECT && ir_attr_ints(attr, values, 8) != def->n_members)
        return false;
    for (size_t i = 0; i < def->n_members; i++) {
        size_t p;
        if (attr->kind == IR_ATTR_DIALECT) {
            const ir_param_def *param = find_param(attr->def, def->members[i].name, &p);
            if (!param)
                return false;
            values[i] = ir_attr_int(attr->params[p], ir_enum_value(attr->params[p], 0));
        }
        /* members are little-endian integers; nested structs do not occur in attributes */
        memcpy(out + def->members[i].offset, &values[i],
               fb_scalar_size[def->members[i].scalar]);
    }
    return true;
}

static fb_ref make_struct_vector(emit *e, unsigned id, ir_attr list)
{
    size_t size = fb_structs[id].size;
    uint8_t *bytes = tw_arena_alloc(&e->arena, size * list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        if (!fill_struct(bytes + i * size, id, list->items[i]))
            return 0;
    return fb_make_structs(&e->b, (fb_struct_id)id, bytes, list->count);
}

/* Numbers out of arrays, dense arrays, and dialect attributes around one (ttnn.shape). */
static fb_ref make_numbers(emit *e, const fb_field *field, ir_attr attr)
{
    if (attr->kind == IR_ATTR_DIALECT && attr->def->params.count)
        attr = attr->params[0];
    if (field->scalar == FB_F32 || field->scalar == FB_F64) {
        if (!ir_attr_is(attr, IR_ATTR_ARRAY))
            return 0;
        double *values = TW_ARENA_ARRAY(&e->arena, double, attr->count + 1);
        for (size_t i = 0; i < attr->count; i++)
            values[i] = ir_attr_real(attr->items[i], 0);
        return fb_make_reals(&e->b, field->scalar, values, attr->count);
    }
    int64_t count = attr ? ir_attr_ints(attr, NULL, 0) : -1;
    if (count < 0)
        return 0;
    int64_t *values = TW_ARENA_ARRAY(&e->arena, int64_t, count + 1);
    ir_attr_ints(attr, values, (size_t)count);
    return fb_make_ints(&e->b, field->scalar, values, (size_t)count);
}

static fb_ref make_vector(emit *e, const fb_field *field, ir_attr attr)
{
    if (field->kind == FB_KIND_SCALAR || field->kind == FB_KIND_ENUM)
        return make_numbers(e, field, attr);
    if (!ir_attr_is(attr, IR_ATTR_ARRAY))
        return 0;
    if (field->kind == FB_KIND_STRUCT)
        return make_struct_vector(e, field->of, attr);
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, attr->count + 1);
    for (size_t i = 0; i < attr->count; i++) {
        refs[i] =
            field->kind == FB_KIND_TABLE ? fb_emit_table(e, field->of, attr->items[i]) : 0;
        if (!refs[i])
            return 0;
    }
    return fb_make_refs(&e->b, refs, attr->count);
}

bool fb_emit_number(emit *e, fb_row *row, int slot, ir_attr attr)
{
    fb_row number;
    if (ir_attr_is(attr, IR_ATTR_FLOAT)) {
        fb_start(&number, FB_TABLE_ttnn_FloatingPointType);
        fb_put_real(&number, FB_ttnn_FloatingPointType_value, attr->real);
        fb_put_union(row, slot, FB_ttnn_NumberType_FP, fb_end(&e->b, &number));
    } else {
        fb_start(&number, FB_TABLE_ttnn_IntegralType);
        fb_put_int(&number, FB_ttnn_IntegralType_value, ir_attr_int(attr, 0));
        fb_put_union(row, slot, FB_ttnn_NumberType_I32, fb_end(&e->b, &number));
    }
    return true;
}

/* The alternative whose table is named as the attribute's class ("...ProgramConfigAttr").
 */
static bool put_union(emit *e, fb_row *row, int slot, ir_attr attr)
{
    unsigned id = row->def->fields[slot].of;
    const fb_union_def *def = &fb_unions[id];
    if (id == FB_UNION_ttnn_NumberType)
        return fb_emit_number(e, row, slot, attr);
    for (size_t i = 1; i < def->n_alternatives && attr->kind == IR_ATTR_DIALECT; i++) {
        size_t n = strlen(def->alternatives[i].name);
        if (strncmp(attr->def->cls, def->alternatives[i].name, n) != 0 ||
            strcmp(attr->def->cls + n, "Attr") != 0)
            continue;
        fb_ref table = fb_emit_table(e, def->alternatives[i].table, attr);
        fb_put_union(row, slot, (unsigned)i, table);
        return table != 0;
    }
    return fb_emit_error(e, "has %s = %s, which is none of the kinds that binaries know",
                         row->def->fields[slot].name, ir_attr_text(e->ctx, attr));
}

static bool put_string(emit *e, fb_row *row, int slot, ir_attr attr)
{
    tw_str text = ir_attr_is(attr, IR_ATTR_SYMBOL_REF) ? ir_symbol_leaf(attr) : (tw_str){0};
    if (ir_attr_is(attr, IR_ATTR_STRING))
        text = ir_attr_str(attr);
    else if (!text.data && case_name(attr, NULL))
        text = tw_str_from(case_name(attr, NULL));
    if (!text.data)
        return false;
    fb_put_ref(row, slot, fb_make_string(&e->b, text));
    return true;
}

/* A grid is kept as its extents in x and y. */
static ir_attr as_coordinate(ir_attr attr)
{
    int64_t shape[2];
    if (!ir_attr_is(attr, IR_ATTR_DIALECT) || attr->def != TTCORE_ATTR(grid) ||
        ir_attr_ints(ir_attr_param(attr, "shape"), shape, 2) != 2)
        return attr;
    ir_attr xy[] = {ir_raw_int(attr->ctx, shape[1]), ir_raw_int(attr->ctx, shape[0])};
    return ir_dialect_attr(attr->ctx, TTNN_ATTR(core_coord), xy, 2);
}

/* `bare`: the enumeration of a parameter that is kept as a number. */
static bool put_value(emit *e, fb_row *row, int slot, ir_attr attr, const ir_enum_def *bare)
{
    const fb_field *field = &row->def->fields[slot];
    bool ok = true;
    if (field->vector) {
        fb_ref ref = make_vector(e, field, attr);
        fb_put_ref(row, slot, ref);
        ok = ref != 0;
    } else if (field->kind == FB_KIND_ENUM) {
        return put_enum(e, row, slot, attr, bare);
    } else if (field->kind == FB_KIND_SCALAR) {
        if (field->scalar == FB_F32 || field->scalar == FB_F64)
            fb_put_real(row, slot, ir_attr_real(attr, 0));
        else if (attr->kind == IR_ATTR_UNIT || ir_attr_is_bool(attr))
            fb_put_int(row, slot, ir_attr_bool(attr));
        else
            fb_put_int(row, slot, ir_attr_int(attr, ir_enum_value(attr, 0)));
    } else if (field->kind == FB_KIND_STRING) {
        ok = put_string(e, row, slot, attr);
    } else if (field->kind == FB_KIND_STRUCT) {
        uint8_t bytes[32] = {0};
        ok = fill_struct(bytes, field->of, as_coordinate(attr));
        if (ok)
            fb_put_struct(row, slot, bytes);
    } else if (field->kind == FB_KIND_UNION) {
        return put_union(e, row, slot, attr);
    } else {
        if (field->of == FB_TABLE_ttnn_MemoryConfig &&
            ir_enum_value(ir_attr_param(attr, "bufferType"), 0) ==
                FB_BufferType_SystemMemory)
            return true; /* system memory has no memory config */
        fb_ref ref = fb_emit_table(e, field->of, attr);
        fb_put_ref(row, slot, ref);
        return ref != 0;
    }
    return ok || fb_emit_error(e, "has %s = %s, which does not fit its field in a binary",
                               field->name, ir_attr_text(e->ctx, attr));
}

bool fb_emit_attr(emit *e, fb_row *row, int slot, ir_attr attr)
{
    return put_value(e, row, slot, attr, NULL);
}

/* ---- fields ------------------------------------------------------------------------- */

static bool put_group(emit *e, ir_op *op, fb_row *row, int slot, emit_source source)
{
    size_t start = 0, count = op->n_results;
    bool results = source.kind == EMIT_RESULT;
    if (source.index != SIZE_MAX &&
        !(results ? ir_op_result_group(op, source.index, &start, &count)
                  : ir_op_operand_group(op, source.index, &start, &count)))
        return fb_emit_error(
            e, "has counts of operands or results that do not fit its definition");
    if (row->def->fields[slot].vector) {
        fb_ref refs = fb_emit_values(e, op, start, count, results);
        fb_put_ref(row, slot, refs);
        return refs != 0;
    }
    if (!count)
        return true;
    fb_ref ref =
        fb_emit_value(e, results ? ir_op_result(op, start) : ir_op_operand(op, start));
    fb_put_ref(row, slot, ref);
    return ref != 0;
}

/* Memory config, data type or page layout of the first result. */
static bool put_from_layout(emit *e, ir_op *op, fb_row *row, int slot,
                            emit_source_kind kind)
{
    if (!op->n_results)
        return true;
    ir_attr layout = fb_emit_layout_of(e, op->results[0].type);
    if (!layout)
        return false;
    if (kind == EMIT_MEMORY_CONFIG)
        fb_put_ref(row, slot, fb_emit_memory_config(e, layout));
    else if (kind == EMIT_LAYOUT)
        fb_put_int(row, slot,
                   fb_emit_is_tiled(layout) ? FB_TensorLayout_Tile
                                            : FB_TensorLayout_RowMajor);
    else {
        int type = fb_emit_data_type(e, fb_emit_layout_memref(layout)->element);
        if (type < 0)
            return false;
        fb_put_int(row, slot, type);
    }
    return true;
}

static bool put_field(emit *e, const emit_row *how, ir_op *op, fb_row *row, int slot)
{
    emit_source source = fb_emit_source(how, slot);
    const fb_field *field = &row->def->fields[slot];
    switch (source.kind) {
    case EMIT_TYPE: {
        const fb_case *found = fb_enum_find(field->of, tw_str_from(how->type));
        assert(found);
        fb_put_int(row, slot, found->value);
        return true;
    }
    case EMIT_OPERAND:
    case EMIT_RESULT:
        return put_group(e, op, row, slot, source);
    case EMIT_ATTR:
        return !op->props[source.index] ||
               fb_emit_attr(e, row, slot, op->props[source.index]);
    case EMIT_MEMORY_CONFIG:
    case EMIT_DTYPE:
    case EMIT_LAYOUT:
        return put_from_layout(e, op, row, slot, source.kind);
    default:
        return true; /* hooked, never */
    }
}

fb_ref fb_emit_op(emit *e, ir_op *op, unsigned *out_kind)
{
    const emit_row *how = fb_emit_row(op->def);
    if (!how)
        return fb_emit_call(e, op, out_kind);
    fb_row row;
    fb_start(&row, (fb_table_id)how->table);
    for (int slot = 0; slot < row.def->n_fields; slot++)
        if (!put_field(e, how, op, &row, slot))
            return 0;
    if (how->hooked && !fb_emit_hooked(e, how, op, &row))
        return 0;
    *out_kind = how->kind;
    return fb_end(&e->b, &row);
}
