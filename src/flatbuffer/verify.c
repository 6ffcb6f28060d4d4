/* verify.c: verifies a file's bytes against its schema. */
#include "flatbuffer/verify.h"

#include "support/arena.h"
#include "support/hash.h"
#include "support/strbuf.h"

#include <stdlib.h>

/* Tables nest 12 deep in the schemas, which do not recurse; this bounds the C stack even
 * if a later schema does. */
enum { MAX_DEPTH = 64 };

/* One step of the path from the root, for messages; lives on the C stack. */
typedef struct path {
    const struct path *up;
    const char *name;
    int64_t index; /* -1: not an element */
} path;

typedef struct verifier {
    const uint8_t *data;
    size_t size;
    uint64_t *seen; /* visited tables: position and kind, open addressing; 0 = free */
    size_t n_seen, seen_capacity, max_tables;
    size_t work; /* elements that may still be checked one by one */
} verifier;

static void print_path(tw_strbuf *out, const path *p)
{
    if (!p)
        return;
    print_path(out, p->up);
    if (p->index >= 0) {
        tw_strbuf_printf(out, "[%lld]", (long long)p->index);
        return;
    }
    tw_strbuf_printf(out, "%s%s", out->size ? "." : "", p->name);
}

static tw_status bad(const path *p, size_t at, const char *format, ...) TW_PRINTF(3, 4);

static tw_status bad(const path *p, size_t at, const char *format, ...)
{
    tw_strbuf text = {0}, where = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    print_path(&where, p);
    tw_status status = tw_error(TW_INVALID, "byte %zu, %s: %s", at,
                                where.size ? where.data : "root", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    tw_strbuf_free(&where);
    return status;
}

/* ---- visited tables ----------------------------------------------------------------- */

static size_t seen_slot(const uint64_t *seen, size_t capacity, uint64_t key)
{
    size_t i = tw_hash_end(tw_hash_mix(0, key)) & (capacity - 1);
    while (seen[i] && seen[i] != key)
        i = (i + 1) & (capacity - 1);
    return i;
}

static void grow_seen(verifier *v)
{
    size_t capacity = v->seen_capacity ? v->seen_capacity * 2 : 256;
    uint64_t *seen = tw_xcalloc(capacity, sizeof *seen);
    for (size_t i = 0; i < v->seen_capacity; i++)
        if (v->seen[i])
            seen[seen_slot(seen, capacity, v->seen[i])] = v->seen[i];
    free(v->seen);
    v->seen = seen;
    v->seen_capacity = capacity;
}

/* Returns true if the table was not yet visited as this kind. */
static bool mark_seen(verifier *v, size_t at, uint16_t table)
{
    if (v->n_seen * 2 >= v->seen_capacity)
        grow_seen(v);
    uint64_t key = (uint64_t)at << 16 | table; /* `at` is never 0 */
    size_t i = seen_slot(v->seen, v->seen_capacity, key);
    if (v->seen[i])
        return false;
    v->seen[i] = key;
    v->n_seen++;
    return true;
}

/* ---- parts -------------------------------------------------------------------------- */

/* Follows the offset stored at `at`, which is known to be in bounds and aligned. */
static tw_status follow(verifier *v, const path *p, size_t at, size_t *out)
{
    uint32_t distance = fb_load_u32(v->data + at);
    if (distance < 4 || distance > v->size - at || v->size - at - distance < 4)
        return bad(p, at, "offset %u leads outside the file of %zu bytes", distance,
                   v->size);
    if ((at + distance) % 4)
        return bad(p, at, "offset %u leads to byte %zu, which is not aligned to 4",
                   distance, at + distance);
    *out = at + distance;
    return TW_SUCCESS;
}

static tw_status check_string(verifier *v, const path *p, size_t at)
{
    TW_TRY(follow(v, p, at, &at));
    uint32_t length = fb_load_u32(v->data + at);
    if (length >= v->size - at - 4)
        return bad(p, at, "string of %u bytes runs past the end of the file", length);
    if (v->data[at + 4 + length])
        return bad(p, at, "string of %u bytes is not terminated", length);
    return TW_SUCCESS;
}

static tw_status check_enum(verifier *v, const path *p, size_t at, unsigned id,
                            unsigned scalar)
{
    const fb_enum_def *def = &fb_enums[id];
    uint64_t value = (uint64_t)fb_load_int(v->data + at, scalar);
    uint64_t known = 0;
    for (size_t i = 0; i < def->n_cases; i++) {
        if (!def->bits && def->cases[i].value == value)
            return TW_SUCCESS;
        known |= def->cases[i].value;
    }
    if (def->bits && (value & ~known) == 0)
        return TW_SUCCESS;
    return bad(p, at, "%s has no case with the value %llu", fb_short_name(def->name),
               (unsigned long long)value);
}

static tw_status check_struct(verifier *v, const path *p, size_t at, unsigned id)
{
    const fb_struct_def *def = &fb_structs[id];
    for (size_t i = 0; i < def->n_members; i++) {
        const fb_member *m = &def->members[i];
        path here = {p, m->name, -1};
        if (m->kind == FB_KIND_ENUM)
            TW_TRY(check_enum(v, &here, at + m->offset, m->of, m->scalar));
        else if (m->kind == FB_KIND_STRUCT)
            TW_TRY(check_struct(v, &here, at + m->offset, m->of));
    }
    return TW_SUCCESS;
}

static tw_status check_table(verifier *v, const path *p, size_t at, unsigned table,
                             int depth);

static tw_status check_union(verifier *v, const path *p, size_t at, unsigned id,
                             unsigned type, int depth)
{
    const fb_union_def *def = &fb_unions[id];
    if (type == 0 || type >= def->n_alternatives)
        return bad(p, at, "%s has no alternative %u that has a value",
                   fb_short_name(def->name), type);
    TW_TRY(follow(v, p, at, &at));
    return check_table(v, p, at, def->alternatives[type].table, depth);
}

/* A vector's length and bounds; `at` is where its offset is stored. */
static tw_status vector_bounds(verifier *v, const path *p, const fb_field *field, size_t at,
                               size_t *out_first, uint32_t *out_count)
{
    TW_TRY(follow(v, p, at, &at));
    uint32_t count = fb_load_u32(v->data + at);
    size_t size = fb_stored_size(field);
    if (count > (v->size - at - 4) / size)
        return bad(p, at,
                   "vector of %u elements of %zu bytes runs past the end of the file",
                   count, size);
    if (count && (at + 4) % fb_stored_align(field))
        return bad(p, at, "vector elements are not aligned to %zu", fb_stored_align(field));
    *out_first = at + 4;
    *out_count = count;
    return TW_SUCCESS;
}

static bool checks_elements(const fb_field *field)
{
    if (field->kind == FB_KIND_STRUCT) {
        const fb_struct_def *def = &fb_structs[field->of];
        for (size_t i = 0; i < def->n_members; i++)
            if (def->members[i].kind != FB_KIND_SCALAR)
                return true;
        return false;
    }
    return field->kind != FB_KIND_SCALAR && field->kind != FB_KIND_UTYPE;
}

/* `types` holds the discriminators of a vector of unions, one per element. */
static tw_status check_elements(verifier *v, const path *p, const fb_field *field,
                                size_t first, uint32_t count, const uint8_t *types,
                                int depth)
{
    if (!checks_elements(field))
        return TW_SUCCESS;
    if (count > v->work)
        return bad(p, first, "the file refers to the same vectors too often");
    v->work -= count;
    size_t size = fb_stored_size(field), at = first, target;
    for (uint32_t i = 0; i < count; i++, at += size) {
        path here = {p, NULL, i};
        switch ((fb_kind)field->kind) {
        case FB_KIND_ENUM:
            TW_TRY(check_enum(v, &here, at, field->of, field->scalar));
            break;
        case FB_KIND_STRUCT:
            TW_TRY(check_struct(v, &here, at, field->of));
            break;
        case FB_KIND_STRING:
            TW_TRY(check_string(v, &here, at));
            break;
        case FB_KIND_UNION:
            TW_TRY(check_union(v, &here, at, field->of, types[i], depth));
            break;
        default:
            TW_TRY(follow(v, &here, at, &target));
            TW_TRY(check_table(v, &here, target, field->of, depth));
        }
    }
    return TW_SUCCESS;
}

/* ---- tables ------------------------------------------------------------------------- */

/* A table whose vtable has been checked. */
typedef struct table_at {
    const fb_table_def *def;
    size_t at, vtable;
    uint16_t vtable_size, size;
} table_at;

/* Position of the stored field, 0 if absent. */
static size_t field_position(verifier *v, const table_at *t, int slot)
{
    size_t entry = 4 + 2 * (size_t)slot;
    if (entry + 2 > t->vtable_size)
        return 0;
    uint16_t offset = fb_load_u16(v->data + t->vtable + entry);
    return offset ? t->at + offset : 0;
}

static tw_status check_vtable(verifier *v, const path *p, table_at *t)
{
    int64_t vtable = (int64_t)t->at - (int32_t)fb_load_u32(v->data + t->at);
    if (vtable < 0 || (size_t)vtable > v->size - 4 || vtable % 2)
        return bad(p, t->at, "the vtable at %lld is outside the file or not aligned to 2",
                   (long long)vtable);
    t->vtable = (size_t)vtable;
    t->vtable_size = fb_load_u16(v->data + t->vtable);
    t->size = fb_load_u16(v->data + t->vtable + 2);
    if (t->vtable_size < 4 || t->vtable_size % 2 || t->vtable_size > v->size - t->vtable)
        return bad(p, t->vtable, "vtable of %u bytes does not fit", t->vtable_size);
    if (t->size < 4 || t->size > v->size - t->at)
        return bad(p, t->vtable, "table of %u bytes at %zu does not fit", t->size, t->at);
    for (size_t entry = 4 + 2 * (size_t)t->def->n_fields; entry < t->vtable_size;
         entry += 2)
        if (fb_load_u16(v->data + t->vtable + entry))
            return bad(p, t->vtable,
                       "%s has a field in slot %zu that this version does not know",
                       fb_short_name(t->def->name), (entry - 4) / 2);
    return TW_SUCCESS;
}

static tw_status check_field_position(verifier *v, const path *p, const table_at *t,
                                      const fb_field *field, size_t at)
{
    size_t size = field->vector ? 4 : fb_stored_size(field);
    size_t align = field->vector ? 4 : fb_stored_align(field);
    if (at < t->at + 4 || at + size > t->at + t->size)
        return bad(p, t->vtable, "the field at %zu lies outside its table (%zu, %u bytes)",
                   at, t->at, t->size);
    if (at % align)
        return bad(p, at, "field is not aligned to %zu", align);
    (void)v;
    return TW_SUCCESS;
}

/* A union, or a vector of them, whose discriminator must be present as well. */
static tw_status check_union_field(verifier *v, const path *p, const table_at *t, int slot,
                                   size_t at, int depth)
{
    const fb_field *field = &t->def->fields[slot];
    size_t types = field_position(v, t, slot - 1);
    if (!types)
        return bad(p, at, "union has a value but no type");
    TW_TRY(check_field_position(v, p, t, &t->def->fields[slot - 1], types));
    if (!field->vector)
        return check_union(v, p, at, field->of, v->data[types], depth);
    size_t first, first_type;
    uint32_t count, n_types;
    TW_TRY(vector_bounds(v, p, &t->def->fields[slot - 1], types, &first_type, &n_types));
    TW_TRY(vector_bounds(v, p, field, at, &first, &count));
    if (count != n_types)
        return bad(p, at, "%u union values but %u types", count, n_types);
    return check_elements(v, p, field, first, count, v->data + first_type, depth);
}

static tw_status check_field(verifier *v, const path *p, const table_at *t, int slot,
                             int depth)
{
    const fb_field *field = &t->def->fields[slot];
    size_t at = field_position(v, t, slot), first;
    uint32_t count;
    if (!at) {
        if (field->required)
            return bad(p, t->at, "missing; every %s has it", fb_short_name(t->def->name));
        return TW_SUCCESS;
    }
    TW_TRY(check_field_position(v, p, t, field, at));
    if (field->kind == FB_KIND_UNION)
        return check_union_field(v, p, t, slot, at, depth);
    if (field->kind == FB_KIND_UTYPE) {
        bool set = field->vector || v->data[at];
        if (set && !field_position(v, t, slot + 1))
            return bad(p, at, "union has a type but no value");
        return TW_SUCCESS;
    }
    if (field->vector) {
        TW_TRY(vector_bounds(v, p, field, at, &first, &count));
        return check_elements(v, p, field, first, count, NULL, depth);
    }
    switch ((fb_kind)field->kind) {
    case FB_KIND_ENUM:
        return check_enum(v, p, at, field->of, field->scalar);
    case FB_KIND_STRUCT:
        return check_struct(v, p, at, field->of);
    case FB_KIND_STRING:
        return check_string(v, p, at);
    case FB_KIND_TABLE:
        TW_TRY(follow(v, p, at, &first));
        return check_table(v, p, first, field->of, depth);
    default:
        return TW_SUCCESS;
    }
}

static tw_status check_table(verifier *v, const path *p, size_t at, unsigned table,
                             int depth)
{
    if (!mark_seen(v, at, (uint16_t)table))
        return TW_SUCCESS;
    if (v->n_seen > v->max_tables)
        return bad(p, at, "more tables than the file has room for (%zu)", v->max_tables);
    if (depth > MAX_DEPTH)
        return bad(p, at, "tables nest more than %d deep", MAX_DEPTH);
    table_at t = {.def = &fb_tables[table], .at = at};
    TW_TRY(check_vtable(v, p, &t));
    for (int slot = 0; slot < t.def->n_fields; slot++) {
        path here = {p, t.def->fields[slot].name, -1};
        TW_TRY(check_field(v, &here, &t, slot, depth + 1));
    }
    return TW_SUCCESS;
}

/* ---- files -------------------------------------------------------------------------- */

/* Size prefix, root offset and identifier. */
enum { HEADER = 12 };

static tw_status check_header(const uint8_t *data, size_t size)
{
    if (size < HEADER + 4)
        return tw_error(TW_INVALID, "a file of %zu bytes is too short for a flatbuffer",
                        size);
    if (size > UINT32_MAX / 2)
        return tw_error(TW_INVALID, "a file of %zu bytes is too large for a flatbuffer",
                        size);
    uint32_t prefix = fb_load_u32(data);
    if (prefix != size - 4)
        return tw_error(
            TW_INVALID,
            "byte 0: the size prefix says %u bytes follow, but %zu do (cut short or not "
            "a size-prefixed flatbuffer)",
            prefix, size - 4);
    return TW_SUCCESS;
}

tw_status fb_detect(const void *data, size_t size, fb_file_id *out_kind)
{
    const uint8_t *bytes = data;
    if (size >= HEADER)
        for (int i = 0; i < FB_FILE_COUNT; i++)
            if (memcmp(bytes + 8, fb_file_kinds[i].identifier, 4) == 0) {
                *out_kind = (fb_file_id)i;
                return TW_SUCCESS;
            }
    return tw_error(TW_INVALID,
                    "Unsupported binary format: byte 8 holds none of the identifiers TTNN, "
                    "TTM0 and TTSY");
}

tw_status fb_open(const void *data, size_t size, fb_file_id kind, fb_view *out_root)
{
    const fb_file_kind *file = &fb_file_kinds[kind];
    const uint8_t *bytes = data;
    TW_TRY(check_header(bytes, size));
    if (memcmp(bytes + 8, file->identifier, 4) != 0)
        return tw_error(TW_INVALID,
                        "Unsupported binary format: byte 8 should hold the identifier %s",
                        file->identifier);
    /* Every table uses at least four bytes, every element at least one. */
    verifier v = {.data = bytes, .size = size, .max_tables = size / 4, .work = size};
    size_t root;
    tw_status status = follow(&v, NULL, 4, &root);
    if (status == TW_SUCCESS)
        status = check_table(&v, NULL, root, file->root, 0);
    free(v.seen);
    if (status == TW_SUCCESS)
        *out_root = (fb_view){bytes + root, &fb_tables[file->root]};
    return status;
}
