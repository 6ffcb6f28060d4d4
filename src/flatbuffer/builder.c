/* builder.c: writes flatbuffers from back to front.
 *
 * The file's length will be a multiple of its largest alignment, so that an object is
 * aligned as soon as its distance from the end is. */
#include "flatbuffer/builder.h"

#include "flatbuffer/reader.h"
#include "support/arena.h"
#include "support/hash.h"

#include <stdlib.h>

/* Offsets between vtables and tables are signed 32-bit. */
#define MAX_SIZE ((size_t)INT32_MAX - 64)

void fb_builder_free(fb_builder *b)
{
    free(b->data);
    free(b->vtables);
    *b = (fb_builder){0};
}

/* Reserves `size` bytes at the front; NULL if the file becomes too large. */
static uint8_t *push(fb_builder *b, size_t size)
{
    if (b->too_large || size > MAX_SIZE - b->size) {
        b->too_large = true;
        return NULL;
    }
    if (!b->data || b->capacity - b->size < size) {
        size_t capacity = TW_MAX(b->capacity * 2, tw_align_up(b->size + size, 4096));
        uint8_t *data = tw_xmalloc(capacity);
        if (b->size)
            memcpy(data + capacity - b->size, b->data + b->capacity - b->size, b->size);
        free(b->data);
        b->data = data;
        b->capacity = capacity;
    }
    b->size += size;
    return b->data + b->capacity - b->size;
}

/* Adds zero bytes so that after `size` more the front is `phase` beyond a multiple of
 * `align`. */
static void pad(fb_builder *b, size_t size, size_t align, size_t phase)
{
    b->align = TW_MAX(b->align, align);
    size_t padding = (align + phase - (b->size + size) % align) % align;
    uint8_t *at = push(b, padding);
    if (at && padding)
        memset(at, 0, padding);
}

static const uint8_t *at_ref(const fb_builder *b, fb_ref ref)
{
    return b->data + b->capacity - ref;
}

static fb_ref here(const fb_builder *b)
{
    return b->too_large ? 0 : (fb_ref)b->size;
}

static void store_u16(uint8_t *at, size_t value)
{
    uint16_t v = (uint16_t)value;
    memcpy(at, &v, sizeof v);
}

static void store_u32(uint8_t *at, size_t value)
{
    uint32_t v = (uint32_t)value;
    memcpy(at, &v, sizeof v);
}

/* ---- strings and vectors ------------------------------------------------------------ */

/* A vector's elements, uninitialised, after their count; NULL if too large. */
static uint8_t *push_vector(fb_builder *b, size_t count, size_t size, size_t align)
{
    if (count > MAX_SIZE / size) {
        b->too_large = true;
        return NULL;
    }
    pad(b, count * size, TW_MAX(align, (size_t)4), 0);
    uint8_t *elements = push(b, count * size);
    uint8_t *length = push(b, 4);
    if (!length)
        return NULL;
    store_u32(length, count);
    (void)elements; /* may have moved */
    return length + 4;
}

fb_ref fb_make_string(fb_builder *b, tw_str text)
{
    pad(b, text.size + 1, 4, 0);
    uint8_t *at = push(b, text.size + 1);
    if (at) {
        if (text.size)
            memcpy(at, text.data, text.size);
        at[text.size] = 0;
    }
    at = push(b, 4);
    if (at)
        store_u32(at, text.size);
    return here(b);
}

static void store_int(uint8_t *at, fb_scalar scalar, int64_t value)
{
    /* little-endian: the low bytes are the first */
    if (scalar == FB_BOOL)
        value = value != 0;
    memcpy(at, &value, fb_scalar_size[scalar]);
}

static void store_real(uint8_t *at, fb_scalar scalar, double value)
{
    float narrow = (float)value;
    if (scalar == FB_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

fb_ref fb_make_ints(fb_builder *b, fb_scalar scalar, const int64_t *values, size_t count)
{
    size_t size = fb_scalar_size[scalar];
    uint8_t *at = push_vector(b, count, size, size);
    for (size_t i = 0; at && i < count; i++)
        store_int(at + i * size, scalar, values[i]);
    return here(b);
}

fb_ref fb_make_reals(fb_builder *b, fb_scalar scalar, const double *values, size_t count)
{
    assert(scalar == FB_F32 || scalar == FB_F64);
    size_t size = fb_scalar_size[scalar];
    uint8_t *at = push_vector(b, count, size, size);
    for (size_t i = 0; at && i < count; i++)
        store_real(at + i * size, scalar, values[i]);
    return here(b);
}

fb_ref fb_make_bytes(fb_builder *b, const void *data, size_t size)
{
    uint8_t *at = push_vector(b, size, 1, 1);
    if (at && size)
        memcpy(at, data, size);
    return here(b);
}

fb_ref fb_make_structs(fb_builder *b, fb_struct_id id, const void *data, size_t count)
{
    size_t size = fb_structs[id].size;
    uint8_t *at = push_vector(b, count, size, fb_structs[id].align);
    if (at && count)
        memcpy(at, data, count * size);
    return here(b);
}

fb_ref fb_make_refs(fb_builder *b, const fb_ref *refs, size_t count)
{
    uint8_t *at = push_vector(b, count, 4, 4);
    size_t first = b->size - 4; /* the first element's distance from the end */
    for (size_t i = 0; at && i < count; i++) {
        assert(refs[i]);
        store_u32(at + 4 * i, first - 4 * i - refs[i]);
    }
    return here(b);
}

/* ---- rows --------------------------------------------------------------------------- */

void fb_start(fb_row *row, fb_table_id table)
{
    row->def = &fb_tables[table];
    assert(row->def->n_fields <= FB_MAX_FIELDS);
    memset(row->set, 0, sizeof row->set);
}

static const fb_field *field_of(const fb_row *row, int slot)
{
    assert(slot >= 0 && slot < row->def->n_fields);
    return &row->def->fields[slot];
}

/* Used only by assertions. */
__attribute__((unused)) static bool is_scalar(const fb_field *field)
{
    return !field->vector && (field->kind == FB_KIND_SCALAR ||
                              field->kind == FB_KIND_ENUM || field->kind == FB_KIND_UTYPE);
}

void fb_put_int(fb_row *row, int slot, int64_t value)
{
    const fb_field *field = field_of(row, slot);
    assert(is_scalar(field));
    if (field->scalar == FB_F32 || field->scalar == FB_F64) {
        fb_put_real(row, slot, (double)value);
        return;
    }
    store_int(row->value[slot].bytes, field->scalar, value);
    int64_t stored = fb_load_int(row->value[slot].bytes, field->scalar);
    row->set[slot] = field->optional || stored != (int64_t)field->deflt;
}

void fb_put_real(fb_row *row, int slot, double value)
{
    const fb_field *field = field_of(row, slot);
    assert(is_scalar(field) && (field->scalar == FB_F32 || field->scalar == FB_F64));
    store_real(row->value[slot].bytes, field->scalar, value);
    uint8_t deflt[8];
    store_real(deflt, field->scalar, field->deflt);
    /* by bits, so that -0 and NaN are kept */
    row->set[slot] = field->optional || memcmp(deflt, row->value[slot].bytes,
                                               fb_scalar_size[field->scalar]) != 0;
}

void fb_put_ref(fb_row *row, int slot, fb_ref ref)
{
    assert(field_of(row, slot)->vector || field_of(row, slot)->kind == FB_KIND_STRING ||
           field_of(row, slot)->kind == FB_KIND_TABLE ||
           field_of(row, slot)->kind == FB_KIND_UNION);
    row->value[slot].ref = ref;
    row->set[slot] = ref != 0;
}

void fb_put_struct(fb_row *row, int slot, const void *bytes)
{
    const fb_field *field = field_of(row, slot);
    assert(field->kind == FB_KIND_STRUCT && !field->vector);
    memcpy(row->value[slot].bytes, bytes, fb_structs[field->of].size);
    row->set[slot] = true;
}

void fb_put_dim2d(fb_row *row, int slot, int64_t y, int64_t x)
{
    int32_t dims[2] = {(int32_t)y, (int32_t)x};
    assert(field_of(row, slot)->of == FB_STRUCT_Dim2d);
    fb_put_struct(row, slot, dims);
}

void fb_put_union(fb_row *row, int slot, unsigned type, fb_ref ref)
{
    assert(field_of(row, slot)->kind == FB_KIND_UNION && !field_of(row, slot)->vector);
    fb_put_int(row, slot - 1, type);
    fb_put_ref(row, slot, ref);
}

/* ---- tables ------------------------------------------------------------------------- */

static size_t stored_size(const fb_field *field)
{
    return field->vector ? 4 : fb_stored_size(field);
}

static size_t stored_align(const fb_field *field)
{
    return field->vector ? 4 : fb_stored_align(field);
}

/* Assigns the fields' offsets, widest first, so that only structs of 8-byte alignment need
 * padding: those start 4 bytes into the table, whose own start is then 4 beyond a multiple
 * of 8. */
static size_t assign_offsets(const fb_row *row, uint16_t *offsets, size_t *out_align)
{
    size_t size = 4;
    *out_align = 4;
    for (size_t align = 8; align; align /= 2)
        for (int slot = 0; slot < row->def->n_fields; slot++) {
            const fb_field *field = &row->def->fields[slot];
            if (!row->set[slot] || stored_align(field) != align)
                continue;
            offsets[slot] = (uint16_t)size;
            size += stored_size(field);
            *out_align = TW_MAX(*out_align, align);
        }
    return size;
}

static uint32_t hash_vtable(const uint8_t *vtable)
{
    return tw_hash_end(tw_hash_bytes(0, vtable, fb_load_u16(vtable)));
}

static size_t vtable_slot(const fb_builder *b, const fb_ref *table, size_t capacity,
                          const uint8_t *vtable)
{
    size_t i = hash_vtable(vtable) & (capacity - 1);
    for (; table[i]; i = (i + 1) & (capacity - 1)) {
        const uint8_t *known = at_ref(b, table[i]);
        if (memcmp(known, vtable, 2) == 0 &&
            memcmp(known, vtable, fb_load_u16(vtable)) == 0)
            break;
    }
    return i;
}

/* The reference of an equal vtable, which is written if there is none. */
static fb_ref share_vtable(fb_builder *b, const uint8_t *vtable)
{
    if (b->n_vtables * 2 >= b->vtables_capacity) {
        size_t capacity = TW_MAX(b->vtables_capacity * 2, (size_t)64);
        fb_ref *grown = tw_xcalloc(capacity, sizeof *grown);
        for (size_t i = 0; i < b->vtables_capacity; i++)
            if (b->vtables[i])
                grown[vtable_slot(b, grown, capacity, at_ref(b, b->vtables[i]))] =
                    b->vtables[i];
        free(b->vtables);
        b->vtables = grown;
        b->vtables_capacity = capacity;
    }
    size_t i = vtable_slot(b, b->vtables, b->vtables_capacity, vtable);
    if (b->vtables[i])
        return b->vtables[i];
    size_t size = fb_load_u16(vtable);
    pad(b, size, 2, 0);
    uint8_t *at = push(b, size);
    if (!at)
        return 0;
    memcpy(at, vtable, size);
    b->vtables[i] = here(b);
    b->n_vtables++;
    return b->vtables[i];
}

fb_ref fb_end(fb_builder *b, fb_row *row)
{
    uint16_t offsets[FB_MAX_FIELDS] = {0};
    size_t align;
    size_t size = assign_offsets(row, offsets, &align);
    pad(b, size, align, align == 8 ? 4 : 0);
    uint8_t *at = push(b, size);
    fb_ref table = here(b);
    if (!at)
        return 0;
    size_t n_slots = 0;
    for (int slot = 0; slot < row->def->n_fields; slot++) {
        const fb_field *field = &row->def->fields[slot];
        if (!row->set[slot])
            continue;
        n_slots = (size_t)slot + 1;
        bool is_offset = field->vector || field->kind == FB_KIND_STRING ||
                         field->kind == FB_KIND_TABLE || field->kind == FB_KIND_UNION;
        if (is_offset)
            store_u32(at + offsets[slot], table - offsets[slot] - row->value[slot].ref);
        else
            memcpy(at + offsets[slot], row->value[slot].bytes, stored_size(field));
    }
    uint8_t vtable[4 + 2 * FB_MAX_FIELDS];
    store_u16(vtable, 4 + 2 * n_slots);
    store_u16(vtable + 2, size);
    memcpy(vtable + 4, offsets, 2 * n_slots);
    fb_ref shared = share_vtable(b, vtable);
    if (shared)
        store_u32(b->data + b->capacity - table, shared - table);
    return here(b) ? table : 0;
}

/* ---- the file ----------------------------------------------------------------------- */

tw_status fb_finish(fb_builder *b, fb_file_id kind, fb_ref root, void **out_data,
                    size_t *out_size)
{
    pad(b, 12, TW_MAX(b->align, (size_t)8), 0);
    uint8_t *at = push(b, 12);
    if (!at)
        return tw_error(TW_RESOURCE,
                        "the program does not fit a flatbuffer, whose offsets end at "
                        "2 GiB; keep large weights out of it as inputs");
    store_u32(at, b->size - 4);
    store_u32(at + 4, b->size - 4 - root);
    memcpy(at + 8, fb_file_kinds[kind].identifier, 4);
    /* The front of the buffer is unused: move the file there. */
    memmove(b->data, at, b->size);
    *out_data = b->data;
    *out_size = b->size;
    b->data = NULL;
    fb_builder_free(b);
    return TW_SUCCESS;
}
