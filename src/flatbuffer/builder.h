/* flatbuffer/builder.h: writing flatbuffers by schema row.
 *
 * Children are written before the table that refers to them, and a reference is the
 * distance of its object's beginning from the end of the file; so references stay valid
 * while the buffer grows at its front.  Fields are collected in a row first and written by
 * fb_end, which omits scalars that equal their default and shares equal vtables; other
 * objects may be created between fb_start and fb_end.
 *
 *     fb_row row;
 *     fb_start(&row, FB_TABLE_ttnn_TensorRef);
 *     fb_put_int(&row, FB_ttnn_TensorRef_global_id, 7);
 *     fb_put_ref(&row, FB_ttnn_TensorRef_desc, desc);
 *     fb_ref tensor = fb_end(&builder, &row); */
#ifndef TILEWRIGHT_FLATBUFFER_BUILDER_H
#define TILEWRIGHT_FLATBUFFER_BUILDER_H

#include "flatbuffer/schema.h"
#include "support/status.h"

typedef uint32_t fb_ref; /* bytes from the object's start to the end; 0 = none */

typedef struct fb_builder { /* a zeroed struct is an empty builder */
    uint8_t *data;
    size_t capacity, size; /* used bytes are the last `size` ones */
    size_t align;          /* largest alignment so far */
    fb_ref *vtables;       /* open addressing by content; 0 = free */
    size_t n_vtables, vtables_capacity;
    bool too_large;
} fb_builder;

/* Tables have at most 27 slots today (PrepareConvTranspose2dWeightsOp). */
enum { FB_MAX_FIELDS = 40 };

typedef struct fb_row {
    const fb_table_def *def;
    bool set[FB_MAX_FIELDS];
    union {
        uint8_t bytes[32]; /* scalars and structs as stored */
        fb_ref ref;
    } value[FB_MAX_FIELDS];
} fb_row;

void fb_builder_free(fb_builder *b);

/* ---- objects ------------------------------------------------------------------------ */

fb_ref fb_make_string(fb_builder *b, tw_str text);
/* Integers converted to the vector's element type. */
fb_ref fb_make_ints(fb_builder *b, fb_scalar scalar, const int64_t *values, size_t count);
fb_ref fb_make_reals(fb_builder *b, fb_scalar scalar, const double *values, size_t count);
fb_ref fb_make_bytes(fb_builder *b, const void *data, size_t size);
fb_ref fb_make_structs(fb_builder *b, fb_struct_id id, const void *data, size_t count);
/* Of tables, strings or union values. */
fb_ref fb_make_refs(fb_builder *b, const fb_ref *refs, size_t count);

/* ---- tables ------------------------------------------------------------------------- */

void fb_start(fb_row *row, fb_table_id table);
/* An optional field that is set is written even if it equals the default. */
void fb_put_int(fb_row *row, int slot, int64_t value);
void fb_put_real(fb_row *row, int slot, double value);
void fb_put_ref(fb_row *row, int slot, fb_ref ref); /* 0 leaves the field absent */
void fb_put_struct(fb_row *row, int slot, const void *bytes);
void fb_put_dim2d(fb_row *row, int slot, int64_t y, int64_t x);
/* Both slots of a union; `slot` is the value's. */
void fb_put_union(fb_row *row, int slot, unsigned type, fb_ref ref);
fb_ref fb_end(fb_builder *b, fb_row *row);

/* ---- the file ----------------------------------------------------------------------- */

/* Adds root, identifier and size prefix.  The caller owns the bytes (free). */
tw_status fb_finish(fb_builder *b, fb_file_id kind, fb_ref root, void **out_data,
                    size_t *out_size);

#endif
