/* attr.c: creates and queries attributes (dense elements are in dense.c). */
#include "ir/attr.h"

#include "ir/context_impl.h"
#include "ir/number.h"
#include "ir/op.h"

#include <stdlib.h>

/* ---- interning ---------------------------------------------------------------------- */

static uint32_t hash_attr(const struct ir_attr_data *a)
{
    uint64_t h =
        tw_hash_ptr(tw_hash_mix(a->kind, (uint64_t)a->count << 1 | a->splat), a->type);
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        h = tw_hash_mix(h, (uint64_t)a->value);
        break;
    case IR_ATTR_FLOAT:
        h = tw_hash_mix(h, a->bits);
        break;
    case IR_ATTR_STRING:
        h = tw_hash_ptr(h, a->ident);
        break;
    case IR_ATTR_ARRAY:
    case IR_ATTR_SYMBOL_REF:
    case IR_ATTR_SPARSE:
    case IR_ATTR_LOC_CALLSITE:
        for (uint32_t i = 0; i < a->count; i++)
            h = tw_hash_ptr(h, a->items[i]);
        break;
    case IR_ATTR_DICT:
        for (uint32_t i = 0; i < a->count; i++)
            h = tw_hash_ptr(tw_hash_ptr(h, a->entries[i].name), a->entries[i].value);
        break;
    case IR_ATTR_DENSE:
    case IR_ATTR_DENSE_ARRAY:
        if (a->splat & 2) {
            for (uint32_t i = 0; i < a->count; i++)
                h = tw_hash_ptr(h, a->items[i]);
            break;
        }
        h = tw_hash_bytes(h, a->blob->data, a->blob->size);
        break;
    case IR_ATTR_RESOURCE:
    case IR_ATTR_OPAQUE:
        h = tw_hash_ptr(tw_hash_ptr(h, a->dialect), a->body);
        break;
    case IR_ATTR_AFFINE_MAP:
        h = tw_hash_ptr(h, a->map);
        break;
    case IR_ATTR_INTEGER_SET:
        h = tw_hash_ptr(h, a->set);
        break;
    case IR_ATTR_STRIDED:
        h = tw_hash_mix(h, (uint64_t)a->offset);
        h = tw_hash_bytes(h, a->strides, a->count * sizeof *a->strides);
        break;
    case IR_ATTR_LOC_FILE:
        h = tw_hash_ptr(h, a->ident);
        h = tw_hash_mix(h, (uint64_t)a->line << 32 | a->column);
        h = tw_hash_mix(h, (uint64_t)a->end_line << 32 | a->end_column);
        break;
    case IR_ATTR_LOC_NAME:
        h = tw_hash_ptr(tw_hash_ptr(h, a->ident), a->child);
        break;
    case IR_ATTR_DIALECT:
        h = tw_hash_ptr(h, a->def);
        for (uint32_t i = 0; i < a->count; i++)
            h = tw_hash_ptr(h, a->params[i]);
        break;
    default:
        break;
    }
    return tw_hash_end(h);
}

static bool same_list(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_attr(ir_attr a, ir_attr b)
{
    if (a->kind != b->kind || a->count != b->count || a->type != b->type ||
        a->splat != b->splat)
        return false;
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        return a->value == b->value;
    case IR_ATTR_FLOAT:
        return a->bits == b->bits;
    case IR_ATTR_STRING:
        return a->ident == b->ident;
    case IR_ATTR_ARRAY:
    case IR_ATTR_SYMBOL_REF:
    case IR_ATTR_SPARSE:
    case IR_ATTR_LOC_CALLSITE:
        return same_list(a->items, b->items, a->count * sizeof *a->items);
    case IR_ATTR_DICT:
        return same_list(a->entries, b->entries, a->count * sizeof *a->entries);
    case IR_ATTR_DENSE:
    case IR_ATTR_DENSE_ARRAY:
        if (a->splat & 2)
            return same_list(a->items, b->items, a->count * sizeof *a->items);
        return a->blob->size == b->blob->size &&
               same_list(a->blob->data, b->blob->data, a->blob->size);
    case IR_ATTR_RESOURCE:
    case IR_ATTR_OPAQUE:
        return a->dialect == b->dialect && a->body == b->body;
    case IR_ATTR_AFFINE_MAP:
        return a->map == b->map;
    case IR_ATTR_INTEGER_SET:
        return a->set == b->set;
    case IR_ATTR_STRIDED:
        return a->offset == b->offset &&
               same_list(a->strides, b->strides, a->count * sizeof *a->strides);
    case IR_ATTR_LOC_FILE:
        return a->ident == b->ident && a->line == b->line && a->column == b->column &&
               a->end_line == b->end_line && a->end_column == b->end_column;
    case IR_ATTR_LOC_NAME:
        return a->ident == b->ident && a->child == b->child;
    case IR_ATTR_DIALECT:
        return a->def == b->def &&
               same_list(a->params, b->params, a->count * sizeof *a->params);
    default:
        return true;
    }
}

static uint16_t any_alias(const ir_attr *items, size_t count)
{
    uint16_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= items[i] ? items[i]->has_alias : 0;
    return any;
}

/* Copies data that `a` borrows into the context and records whether it may contain
 * aliases. */
static void copy_borrowed(ir_context *ctx, struct ir_attr_data *a)
{
    tw_arena *arena = &ctx->arena;
    a->has_alias = a->type ? a->type->has_alias : 0;
    switch (a->kind) {
    case IR_ATTR_ARRAY:
    case IR_ATTR_SYMBOL_REF:
    case IR_ATTR_SPARSE:
        a->has_alias |= any_alias(a->items, a->count);
        a->items = (const ir_attr *)(void *)tw_arena_copy(arena, a->items,
                                                          a->count * sizeof *a->items);
        break;
    case IR_ATTR_LOC_CALLSITE:
        a->items = (const ir_attr *)(void *)tw_arena_copy(arena, a->items,
                                                          a->count * sizeof *a->items);
        a->has_alias = 1;
        break;
    case IR_ATTR_DICT:
        for (uint32_t i = 0; i < a->count; i++)
            a->has_alias |= a->entries[i].value->has_alias;
        a->entries = (const ir_named_attr *)(void *)tw_arena_copy(
            arena, a->entries, a->count * sizeof *a->entries);
        break;
    case IR_ATTR_STRIDED:
        a->strides = (const int64_t *)(void *)tw_arena_copy(arena, a->strides,
                                                            a->count * sizeof *a->strides);
        break;
    case IR_ATTR_DIALECT:
        a->params = (const ir_attr *)(void *)tw_arena_copy(arena, a->params,
                                                           a->count * sizeof *a->params);
        a->has_alias = 1;
        break;
    case IR_ATTR_AFFINE_MAP:
    case IR_ATTR_INTEGER_SET:
    case IR_ATTR_LOC_UNKNOWN:
    case IR_ATTR_LOC_FILE:
    case IR_ATTR_LOC_NAME:
        a->has_alias = 1;
        break;
    case IR_ATTR_DENSE:
    case IR_ATTR_DENSE_ARRAY: {
        if (a->splat & 2) {
            a->items = (const ir_attr *)(void *)tw_arena_copy(arena, a->items,
                                                              a->count * sizeof *a->items);
            break;
        }
        ir_blob *blob = TW_ARENA_NEW(arena, ir_blob);
        *blob = *a->blob;
        char *data = tw_arena_alloc(arena, blob->size + 64);
        data = (char *)tw_align_up((size_t)data, 64);
        if (blob->size)
            memcpy(data, blob->data, blob->size);
        blob->data = data;
        a->blob = blob;
        break;
    }
    default:
        break;
    }
}

static ir_attr intern(ir_context *ctx, struct ir_attr_data *probe)
{
    probe->ctx = ctx;
    probe->hash = hash_attr(probe);
    uint32_t cursor = probe->hash;
    ir_attr known;
    while ((known = ir_intern_next(&ctx->attrs, probe->hash, &cursor)))
        if (same_attr(known, probe))
            return known;
    struct ir_attr_data *a = TW_ARENA_NEW(&ctx->arena, struct ir_attr_data);
    *a = *probe;
    copy_borrowed(ctx, a);
    ir_intern_add(&ctx->attrs, a->hash, a);
    return a;
}

ir_attr ir_attr_intern(ir_context *ctx, struct ir_attr_data *probe)
{
    return intern(ctx, probe);
}

#define PROBE(...) (&(struct ir_attr_data){__VA_ARGS__})

/* ---- simple attributes -------------------------------------------------------------- */

ir_attr ir_unit_attr(ir_context *ctx)
{
    if (!ctx->unit)
        ctx->unit = intern(ctx, PROBE(.kind = IR_ATTR_UNIT));
    return ctx->unit;
}

ir_attr ir_bool_attr(ir_context *ctx, bool value)
{
    ir_attr *slot = value ? &ctx->true_attr : &ctx->false_attr;
    if (!*slot)
        *slot =
            intern(ctx, PROBE(.kind = IR_ATTR_INTEGER, .type = ctx->i1, .value = value));
    return *slot;
}

int64_t ir_int_wrap(ir_type type, int64_t value)
{
    uint32_t width = type->kind == IR_TYPE_INTEGER ? type->width : 64;
    if (width >= 64)
        return value;
    if (width == 0)
        return 0;
    uint64_t bits = (uint64_t)value & (((uint64_t)1 << width) - 1);
    /* Unsigned values and booleans are kept zero-extended, others sign-extended. */
    if (type->sign == IR_UNSIGNED || width == 1)
        return (int64_t)bits;
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

ir_attr ir_integer_attr(ir_type type, int64_t value)
{
    return intern(type->ctx, PROBE(.kind = IR_ATTR_INTEGER, .type = type,
                                   .value = ir_int_wrap(type, value)));
}

ir_attr ir_i32_attr(ir_context *ctx, int64_t value)
{
    return ir_integer_attr(ctx->i32, value);
}

ir_attr ir_i64_attr(ir_context *ctx, int64_t value)
{
    return ir_integer_attr(ctx->i64, value);
}

ir_attr ir_si32_attr(ir_context *ctx, int64_t value)
{
    return ir_integer_attr(ctx->si32, value);
}

ir_attr ir_index_attr(ir_context *ctx, int64_t value)
{
    return ir_integer_attr(ctx->index, value);
}

ir_attr ir_raw_int(ir_context *ctx, int64_t value)
{
    return intern(ctx, PROBE(.kind = IR_ATTR_INTEGER, .value = value));
}

ir_attr ir_float_attr(ir_type type, double value)
{
    return ir_float_attr_bits(type, ir_float_encode((ir_float_kind)type->sign, value));
}

ir_attr ir_float_attr_bits(ir_type type, uint64_t bits)
{
    struct ir_attr_data probe = {.kind = IR_ATTR_FLOAT, .type = type};
    probe.bits = bits;
    probe.real = ir_float_decode((ir_float_kind)type->sign, bits);
    return intern(type->ctx, &probe);
}

ir_attr ir_f32_attr(ir_context *ctx, double value)
{
    return ir_float_attr(ctx->f32, value);
}

ir_attr ir_string_attr(ir_context *ctx, tw_str text)
{
    return ir_string_attr_ident(ctx, ir_ident_get(ctx, text));
}

ir_attr ir_string_attr_ident(ir_context *ctx, ir_ident text)
{
    return intern(ctx, PROBE(.kind = IR_ATTR_STRING, .ident = text));
}

ir_attr ir_typed_string_attr(ir_context *ctx, tw_str text, ir_type type)
{
    return intern(
        ctx, PROBE(.kind = IR_ATTR_STRING, .ident = ir_ident_get(ctx, text), .type = type));
}

ir_attr ir_type_attr(ir_type type)
{
    return intern(type->ctx, PROBE(.kind = IR_ATTR_TYPE, .type = type));
}

ir_attr ir_affine_map_attr(ir_context *ctx, ir_affine_map map)
{
    return intern(ctx, PROBE(.kind = IR_ATTR_AFFINE_MAP, .map = map));
}

ir_attr ir_integer_set_attr(ir_context *ctx, ir_integer_set set)
{
    return intern(ctx, PROBE(.kind = IR_ATTR_INTEGER_SET, .set = set));
}

ir_attr ir_strided_attr(ir_context *ctx, const int64_t *strides, size_t rank,
                        int64_t offset)
{
    struct ir_attr_data probe = {.kind = IR_ATTR_STRIDED, .count = (uint32_t)rank};
    probe.strides = strides;
    probe.offset = offset;
    return intern(ctx, &probe);
}

ir_attr ir_distinct_attr(ir_context *ctx, ir_attr payload)
{
    struct ir_attr_data *a = TW_ARENA_NEW(&ctx->arena, struct ir_attr_data);
    a->kind = IR_ATTR_DISTINCT;
    a->ctx = ctx;
    a->child = payload;
    a->has_alias = payload ? payload->has_alias : 0;
    return a;
}

ir_attr ir_opaque_attr(ir_context *ctx, ir_ident dialect, ir_ident body)
{
    return intern(ctx, PROBE(.kind = IR_ATTR_OPAQUE, .dialect = dialect, .body = body));
}

ir_attr ir_resource_attr(ir_type type, ir_ident dialect, ir_ident key)
{
    return intern(type->ctx, PROBE(.kind = IR_ATTR_RESOURCE, .type = type,
                                   .dialect = dialect, .body = key));
}

/* ---- compound attributes ------------------------------------------------------------ */

ir_attr ir_array_attr(ir_context *ctx, const ir_attr *items, size_t count)
{
    return intern(ctx,
                  PROBE(.kind = IR_ATTR_ARRAY, .items = items, .count = (uint32_t)count));
}

static ir_attr integer_array(ir_context *ctx, ir_type type, const int64_t *values,
                             size_t count)
{
    enum { FEW = 16 };
    ir_attr few[FEW];
    ir_attr *items = count <= FEW ? few : tw_xmalloc(count * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_integer_attr(type, values[i]);
    ir_attr array = ir_array_attr(ctx, items, count);
    if (items != few)
        free(items);
    return array;
}

ir_attr ir_i32_array_attr(ir_context *ctx, const int64_t *values, size_t count)
{
    return integer_array(ctx, ctx->i32, values, count);
}

ir_attr ir_i64_array_attr(ir_context *ctx, const int64_t *values, size_t count)
{
    return integer_array(ctx, ctx->i64, values, count);
}

static int compare_idents(ir_ident a, ir_ident b)
{
    int order = memcmp(a->text, b->text, TW_MIN(a->size, b->size));
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

ir_attr ir_dict_attr(ir_context *ctx, const ir_named_attr *entries, size_t count)
{
    enum { FEW = 16 };
    ir_named_attr few[FEW];
    ir_named_attr *sorted = count <= FEW ? few : tw_xmalloc(count * sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) { /* insertion: dictionaries are short */
        size_t at = n;
        while (at > 0 && compare_idents(sorted[at - 1].name, entries[i].name) > 0)
            at--;
        if (at > 0 && sorted[at - 1].name == entries[i].name) {
            sorted[at - 1] = entries[i];
            continue;
        }
        memmove(sorted + at + 1, sorted + at, (n - at) * sizeof *sorted);
        sorted[at] = entries[i];
        n++;
    }
    ir_attr dict =
        intern(ctx, PROBE(.kind = IR_ATTR_DICT, .entries = sorted, .count = (uint32_t)n));
    if (sorted != few)
        free(sorted);
    return dict;
}

ir_attr ir_symbol_ref(ir_context *ctx, tw_str root)
{
    ir_attr item = ir_string_attr(ctx, root);
    return ir_symbol_ref_nested(ctx, &item, 1);
}

ir_attr ir_symbol_ref_nested(ir_context *ctx, const ir_attr *strings, size_t count)
{
    return intern(
        ctx, PROBE(.kind = IR_ATTR_SYMBOL_REF, .items = strings, .count = (uint32_t)count));
}

ir_attr ir_dialect_attr(ir_context *ctx, const ir_attr_def *def, const ir_attr *params,
                        size_t count)
{
    struct ir_attr_data probe = {.kind = IR_ATTR_DIALECT, .count = (uint32_t)count};
    probe.def = def;
    probe.params = params;
    return intern(ctx, &probe);
}

ir_attr ir_loc_file_range_attr(ir_context *ctx, ir_ident file, uint32_t line,
                               uint32_t column, uint32_t end_line, uint32_t end_column)
{
    struct ir_attr_data probe = {.kind = IR_ATTR_LOC_FILE};
    probe.ident = file;
    probe.line = line;
    probe.column = column;
    probe.end_line = end_line;
    probe.end_column = end_column;
    return intern(ctx, &probe);
}

ir_loc ir_loc_name(ir_context *ctx, ir_ident name, ir_loc child)
{
    struct ir_attr_data probe = {.kind = IR_ATTR_LOC_NAME};
    probe.ident = name;
    probe.child = child.bits ? ir_loc_attr(ctx, child) : NULL;
    return ir_loc_from_attr(intern(ctx, &probe));
}

ir_attr ir_loc_callsite_attr(ir_context *ctx, ir_attr callee, ir_attr caller)
{
    ir_attr both[] = {callee, caller};
    return intern(ctx, PROBE(.kind = IR_ATTR_LOC_CALLSITE, .items = both, .count = 2));
}

static ir_attr intern_fused(ir_context *ctx, const ir_attr *locs, size_t count,
                            ir_attr metadata)
{
    /* `items` and `child` share the union: the metadata is stored as one more item. */
    ir_attr *items = tw_xmalloc((count + 1) * sizeof *items);
    if (count)
        memcpy(items, locs, count * sizeof *items);
    items[count] = metadata;
    struct ir_attr_data probe = {.kind = IR_ATTR_LOC_FUSED, .count = (uint32_t)count};
    probe.items = items;
    ir_context *c = ctx;
    uint64_t h = tw_hash_mix(IR_ATTR_LOC_FUSED, count);
    for (size_t i = 0; i <= count; i++)
        h = tw_hash_ptr(h, items[i]);
    uint32_t hash = tw_hash_end(h), cursor = hash;
    ir_attr known;
    while ((known = ir_intern_next(&c->attrs, hash, &cursor)))
        if (known->kind == IR_ATTR_LOC_FUSED && known->count == count &&
            memcmp(known->items, items, (count + 1) * sizeof *items) == 0) {
            free(items);
            return known;
        }
    struct ir_attr_data *a = TW_ARENA_NEW(&c->arena, struct ir_attr_data);
    *a = probe;
    a->ctx = c;
    a->hash = hash;
    a->has_alias = 1;
    a->items = (const ir_attr *)(void *)tw_arena_copy(&c->arena, items,
                                                      (count + 1) * sizeof *items);
    ir_intern_add(&c->attrs, hash, a);
    free(items);
    return a;
}

/* Nested fused locations with the same metadata are flattened, unknown and duplicate ones
 * dropped; a single remaining location is returned as is. */
ir_attr ir_loc_fused_attr(ir_context *ctx, const ir_attr *locs, size_t count,
                          ir_attr metadata)
{
    size_t max_items = 1, n = 0;
    for (size_t i = 0; i < count; i++)
        max_items += locs[i]->kind == IR_ATTR_LOC_FUSED ? locs[i]->count : 1;
    ir_attr *items = tw_xmalloc(max_items * sizeof *items);
    ir_mapping *seen = ir_mapping_create();
    for (size_t i = 0; i < count; i++) {
        ir_attr loc = locs[i];
        bool apart = loc->kind == IR_ATTR_LOC_FUSED && loc->items[loc->count] == metadata;
        for (uint32_t k = 0; k < (apart ? loc->count : 1); k++) {
            ir_attr item = apart ? loc->items[k] : loc;
            if ((!apart && item->kind == IR_ATTR_LOC_UNKNOWN) || ir_mapping_get(seen, item))
                continue;
            ir_mapping_set(seen, (void *)(uintptr_t)item, items);
            items[n++] = item;
        }
    }
    ir_mapping_free(seen);
    if (!n)
        items[n++] = ir_loc_attr(ctx, IR_LOC_UNKNOWN);
    ir_attr result = n == 1 && !metadata ? items[0] : intern_fused(ctx, items, n, metadata);
    free(items);
    return result;
}

/* ---- queries ------------------------------------------------------------------------ */

int64_t ir_attr_int(ir_attr a, int64_t otherwise)
{
    return ir_attr_is(a, IR_ATTR_INTEGER) ? a->value : otherwise;
}

double ir_attr_real(ir_attr a, double otherwise)
{
    if (ir_attr_is(a, IR_ATTR_FLOAT))
        return a->real;
    return ir_attr_is(a, IR_ATTR_INTEGER) ? (double)a->value : otherwise;
}

int64_t ir_attr_ints(ir_attr a, int64_t *out, size_t max)
{
    if (!a)
        return -1;
    int64_t count = a->count;
    switch (a->kind) {
    case IR_ATTR_ARRAY:
        for (uint32_t i = 0; i < a->count; i++) {
            if (!ir_attr_is(a->items[i], IR_ATTR_INTEGER))
                return -1;
            if (i < max)
                out[i] = a->items[i]->value;
        }
        return count;
    case IR_ATTR_DENSE_ARRAY:
        if (a->type->kind == IR_TYPE_FLOAT)
            return -1;
        for (uint32_t i = 0; i < a->count && i < max; i++)
            out[i] = ir_dense_array_int(a, i);
        return count;
    case IR_ATTR_DENSE:
        count = ir_type_num_elements(a->type);
        if (count < 0 || (a->splat & 2) || ir_type_element(a->type)->kind == IR_TYPE_FLOAT)
            return -1;
        for (size_t i = 0; i < (size_t)count && i < max; i++)
            out[i] = ir_dense_int(a, i);
        return count;
    default:
        return -1;
    }
}

ir_attr ir_dict_get(ir_attr dict, tw_str name)
{
    for (uint32_t i = 0; dict && i < dict->count; i++)
        if (tw_str_equal(ir_ident_str(dict->entries[i].name), name))
            return dict->entries[i].value;
    return NULL;
}

ir_attr ir_dict_set(ir_context *ctx, ir_attr dict, ir_ident name, ir_attr value)
{
    size_t count = dict ? dict->count : 0, n = 0;
    ir_named_attr *entries = tw_xmalloc((count + 1) * sizeof *entries);
    for (size_t i = 0; i < count; i++)
        if (dict->entries[i].name != name)
            entries[n++] = dict->entries[i];
    if (value)
        entries[n++] = (ir_named_attr){name, value};
    ir_attr changed = n ? ir_dict_attr(ctx, entries, n) : NULL;
    free(entries);
    return changed;
}

tw_str ir_symbol_leaf(ir_attr ref)
{
    return ir_attr_str(ref->items[ref->count - 1]);
}
