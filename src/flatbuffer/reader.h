/* flatbuffer/reader.h: access to a verified flatbuffer.
 *
 * A view is a table in the file's bytes with its schema row; fields are read by slot
 * (FB_ttnn_MatmulOp_a) and returned as plain values.  Nothing is copied.  Accessors trust
 * the bytes, so they must have passed fb_open (verify.h); reading a field as a kind other
 * than its row's is an internal error and asserts. */
#ifndef TILEWRIGHT_FLATBUFFER_READER_H
#define TILEWRIGHT_FLATBUFFER_READER_H

#include "flatbuffer/schema.h"

typedef struct fb_view {
    const uint8_t *at; /* NULL: the table is absent */
    const fb_table_def *def;
} fb_view;

typedef struct fb_vec {
    const uint8_t *at; /* the first element; NULL: the vector is absent */
    const fb_field *field;
    const uint8_t *types; /* vector of unions: the discriminators */
    uint32_t count;
} fb_vec;

typedef struct fb_dim2d {
    int32_t y, x;
} fb_dim2d;

typedef struct fb_core_range { /* inclusive */
    uint64_t start_x, start_y, end_x, end_y;
} fb_core_range;

/* Slot of a field by name, -1 if the table has none. */
static inline int fb_slot(fb_view table, const char *name)
{
    return fb_field_find(table.def, tw_str_from(name));
}

/* True if the field is written in the file (a value equal to its default need not be). */
bool fb_has(fb_view table, int slot);

/* Booleans, integers, enums and discriminators; the row's default if absent. */
int64_t fb_get_int(fb_view table, int slot);
/* The same for floats (and integers). */
double fb_get_real(fb_view table, int slot);
static inline bool fb_get_bool(fb_view table, int slot)
{
    return fb_get_int(table, slot) != 0;
}
/* The scalar if it is written, `otherwise` if not: for optional ones. */
static inline int64_t fb_get_int_or(fb_view table, int slot, int64_t otherwise)
{
    return fb_has(table, slot) ? fb_get_int(table, slot) : otherwise;
}
/* data is NULL if absent; terminated otherwise. */
tw_str fb_get_str(fb_view table, int slot);
/* A table, or the table of a union (whose type is then in `def`). */
fb_view fb_get_table(fb_view table, int slot);
/* Discriminator of the union at this (value) slot; 0 = NONE. */
unsigned fb_get_utype(fb_view table, int slot);
/* The bytes of a struct, NULL if absent. */
const uint8_t *fb_get_struct(fb_view table, int slot);
fb_dim2d fb_get_dim2d(fb_view table, int slot); /* 0, 0 if absent */
/* count is 0 if absent. */
fb_vec fb_get_vec(fb_view table, int slot);

int64_t fb_vec_int(fb_vec vec, size_t i);
double fb_vec_real(fb_vec vec, size_t i);
tw_str fb_vec_str(fb_vec vec, size_t i);
fb_view fb_vec_table(fb_vec vec, size_t i); /* of tables or unions */
const uint8_t *fb_vec_struct(fb_vec vec, size_t i);
fb_core_range fb_vec_core_range(fb_vec vec, size_t i);
/* Writes at most `max` of the integers; returns their total count. */
size_t fb_vec_ints(fb_vec vec, int64_t *out, size_t max);
/* A vector of bytes as a string. */
static inline tw_str fb_vec_bytes(fb_vec vec)
{
    return (tw_str){(const char *)vec.at, vec.count};
}

/* A member of a struct by its index in the row. */
int64_t fb_member_int(const uint8_t *at, fb_struct_id id, size_t member);

/* True if two tables of one kind are equal, including everything they refer to. */
bool fb_equal(fb_view a, fb_view b);

/* A scalar at any address, little-endian. */
int64_t fb_load_int(const uint8_t *at, fb_scalar scalar);
double fb_load_real(const uint8_t *at, fb_scalar scalar);
static inline uint16_t fb_load_u16(const uint8_t *at)
{
    uint16_t v;
    memcpy(&v, at, sizeof v);
    return v;
}
static inline uint32_t fb_load_u32(const uint8_t *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

#endif
