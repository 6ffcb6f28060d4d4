/* flatbuffer/schema.h: the schemas of the binaries, as tables in C.
 *
 * One row per field, struct member, enum case and union alternative, in the layout of
 * tt-mlir's schemas (August 2026), listed in schema_*.def.  Builder, reader, verifier and
 * JSON printer all work from these rows.  A row's index in its table is the field's slot,
 * so FB_ttnn_MatmulOp_transpose_a both names and locates the field. */
#ifndef TILEWRIGHT_FLATBUFFER_SCHEMA_H
#define TILEWRIGHT_FLATBUFFER_SCHEMA_H

#include "support/base.h"

typedef enum fb_scalar {
    FB_BOOL,
    FB_U8,
    FB_I8,
    FB_U16,
    FB_I16,
    FB_U32,
    FB_I32,
    FB_U64,
    FB_I64,
    FB_F32,
    FB_F64,
    FB_SCALAR_COUNT
} fb_scalar;

typedef enum fb_kind {
    FB_KIND_SCALAR,
    FB_KIND_ENUM,   /* a scalar; `of` is an fb_enum_id */
    FB_KIND_STRUCT, /* stored inline; `of` is an fb_struct_id */
    FB_KIND_STRING,
    FB_KIND_TABLE, /* `of` is an fb_table_id */
    FB_KIND_UNION, /* the table of a union; its discriminator is the slot before */
    FB_KIND_UTYPE, /* a union's discriminator; `of` is an fb_union_id for both */
} fb_kind;

typedef struct fb_field {
    const char *name;
    uint8_t kind;   /* fb_kind */
    uint8_t scalar; /* fb_scalar of scalars, enums and discriminators */
    bool vector;
    bool optional; /* a scalar that may be absent, which differs from every value */
    bool required; /* an offset present in every file; readers rely on it */
    bool output;   /* operations: the reference (or each of the vector) is a result */
    uint16_t of;
    double deflt; /* value of an absent scalar */
} fb_field;

typedef struct fb_table_def {
    const char *name; /* "tt.target.ttnn.MatmulOp" */
    const fb_field *fields;
    uint16_t n_fields;
} fb_table_def;

typedef struct fb_member {
    const char *name;
    uint8_t kind, scalar;
    bool vector; /* never set; shares the type macros with fb_field */
    uint16_t of, offset;
} fb_member;

typedef struct fb_struct_def {
    const char *name;
    const fb_member *members;
    uint16_t n_members, size, align;
} fb_struct_def;

typedef struct fb_case {
    const char *name;
    uint32_t value;
} fb_case;

typedef struct fb_enum_def {
    const char *name;
    const fb_case *cases; /* by rising value */
    uint16_t n_cases;
    uint8_t scalar;
    bool bits; /* cases are or-ed */
} fb_enum_def;

typedef struct fb_alternative {
    const char *name;
    uint16_t table; /* fb_table_id */
} fb_alternative;

typedef struct fb_union_def {
    const char *name;
    const fb_alternative *alternatives; /* by discriminator; [0] is NONE */
    uint16_t n_alternatives;
} fb_union_def;

/* ---- names: FB_TABLE_x, FB_x_field, FB_STRUCT_x, FB_ENUM_x, FB_x_Case, FB_UNION_x --- */

typedef enum fb_table_id {
#define FB_TABLE(id, full) FB_TABLE_##id,
#define FB_EMPTY_TABLE(id, full) FB_TABLE_##id,
#include "flatbuffer/schema_tables.h"
    FB_TABLE_COUNT
} fb_table_id;

enum {
#define FB_FIELD(table, slot, name, ...) FB_##table##_##name = slot,
#include "flatbuffer/schema_tables.h"
};

typedef enum fb_enum_id {
#define FB_ENUM(id, ...) FB_ENUM_##id,
#define FB_CASE(id, name, value)
#define FB_ENUM_END(id)
#include "flatbuffer/schema_enums.def"
#undef FB_ENUM
#undef FB_CASE
    FB_ENUM_COUNT
} fb_enum_id;

enum {
#define FB_ENUM(id, ...)
#define FB_CASE(id, name, value) FB_##id##_##name = value,
#include "flatbuffer/schema_enums.def"
#undef FB_ENUM
#undef FB_CASE
#undef FB_ENUM_END
};

typedef enum fb_struct_id {
#define FB_STRUCT(id, ...) FB_STRUCT_##id,
#define FB_MEMBER(id, offset, name, ...)
#define FB_STRUCT_END(id)
#include "flatbuffer/schema_structs.def"
#undef FB_STRUCT
#undef FB_MEMBER
#undef FB_STRUCT_END
    FB_STRUCT_COUNT
} fb_struct_id;

typedef enum fb_union_id {
#define FB_UNION(id, ...) FB_UNION_##id,
#define FB_ALTERNATIVE(id, value, name, table)
#define FB_UNION_END(id)
#include "flatbuffer/schema_unions.def"
#undef FB_UNION
#undef FB_ALTERNATIVE
    FB_UNION_COUNT
} fb_union_id;

enum {
#define FB_UNION(id, ...)
#define FB_ALTERNATIVE(id, value, name, table) FB_##id##_##name = value,
#include "flatbuffer/schema_unions.def"
#undef FB_UNION
#undef FB_ALTERNATIVE
#undef FB_UNION_END
};

extern const fb_table_def fb_tables[];
extern const fb_struct_def fb_structs[];
extern const fb_enum_def fb_enums[];
extern const fb_union_def fb_unions[];

/* The kinds of file: root table, identifier and the schema's hash, which two tools compare
 * to check that their layouts agree. */
typedef struct fb_file_kind {
    const char *extension; /* "ttnn" */
    char identifier[5];    /* "TTNN" */
    fb_table_id root;
    const char *schema_hash;
} fb_file_kind;

typedef enum fb_file_id {
    FB_FILE_TTNN,
    FB_FILE_TTM,
    FB_FILE_TTSYS,
    FB_FILE_COUNT
} fb_file_id;
extern const fb_file_kind fb_file_kinds[FB_FILE_COUNT];

/* The version of tt-mlir that the layouts are taken from (only printed), and its commit as
 * 40 digits; our files contain zeros there. */
#define FB_VERSION_MAJOR 0
#define FB_VERSION_MINOR 0
#define FB_VERSION_PATCH 4013
#define FB_GIT_HASH "0000000000000000000000000000000000000000"

/* ---- queries ------------------------------------------------------------------------ */

/* "MatmulOp" of "tt.target.ttnn.MatmulOp" */
const char *fb_short_name(const char *full_name);
/* Returns -1 if there is none. */
int fb_field_find(const fb_table_def *table, tw_str name);
/* Returns NULL if no case has the value or the name. */
const char *fb_enum_name(fb_enum_id id, uint64_t value);
const fb_case *fb_enum_find(fb_enum_id id, tw_str name);
/* Bytes of one element as stored in a table or vector (offsets count as 4). */
size_t fb_stored_size(const fb_field *field);
size_t fb_stored_align(const fb_field *field);
extern const uint8_t fb_scalar_size[FB_SCALAR_COUNT];

#endif
