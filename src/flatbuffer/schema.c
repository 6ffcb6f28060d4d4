/* schema.c: the schema's rows as constant arrays, and their look-up. */
// clang-format off: rows and the macros around them
#include "flatbuffer/schema.h"

/* Expansions of the type column of the rows. */
#define FB_SCALAR_T(s) .kind = FB_KIND_SCALAR, .scalar = FB_##s
#define FB_ENUM_T(id, s) .kind = FB_KIND_ENUM, .scalar = FB_##s, .of = FB_ENUM_##id
#define FB_STRUCT_T(id) .kind = FB_KIND_STRUCT, .of = FB_STRUCT_##id
#define FB_STRING_T .kind = FB_KIND_STRING
#define FB_TABLE_T(id) .kind = FB_KIND_TABLE, .of = FB_TABLE_##id
#define FB_UNION_T(id) .kind = FB_KIND_UNION, .of = FB_UNION_##id
#define FB_UTYPE_T(id) .kind = FB_KIND_UTYPE, .scalar = FB_U8, .of = FB_UNION_##id
#define FB_VECTOR .vector = true
#define FB_OPTIONAL .optional = true
#define FB_REQUIRED .required = true
#define FB_OUTPUT .output = true

#define FB_TABLE(id, full) static const fb_field fields_##id[] = {
#define FB_FIELD(table, slot, field, ...) [slot] = {.name = #field, __VA_ARGS__},
#define FB_TABLE_END(id)                                                                   \
    }                                                                                      \
    ;
#include "flatbuffer/schema_tables.h"

const fb_table_def fb_tables[FB_TABLE_COUNT] = {
#define FB_TABLE(id, full) [FB_TABLE_##id] = {full, fields_##id, TW_COUNT(fields_##id)},
#define FB_EMPTY_TABLE(id, full) [FB_TABLE_##id] = {full, NULL, 0},
#include "flatbuffer/schema_tables.h"
};

#define FB_STRUCT(id, full, size, align) static const fb_member members_##id[] = {
#define FB_MEMBER(id, at, member, ...) {.name = #member, .offset = at, __VA_ARGS__},
#define FB_STRUCT_END(id)                                                                  \
    }                                                                                      \
    ;
#include "flatbuffer/schema_structs.def"
#undef FB_STRUCT
#undef FB_MEMBER
#undef FB_STRUCT_END

const fb_struct_def fb_structs[FB_STRUCT_COUNT] = {
#define FB_STRUCT(id, full, size, align)                                                   \
    [FB_STRUCT_##id] = {full, members_##id, TW_COUNT(members_##id), size, align},
#define FB_MEMBER(...)
#define FB_STRUCT_END(id)
#include "flatbuffer/schema_structs.def"
};

#define FB_ENUM(id, ...) static const fb_case cases_##id[] = {
#define FB_CASE(id, name, value) {#name, value},
#define FB_ENUM_END(id)                                                                    \
    }                                                                                      \
    ;
#include "flatbuffer/schema_enums.def"
#undef FB_ENUM
#undef FB_CASE
#undef FB_ENUM_END

const fb_enum_def fb_enums[FB_ENUM_COUNT] = {
#define FB_ENUM(id, full, storage, ...)                                                    \
    [FB_ENUM_##id] = {full, cases_##id, TW_COUNT(cases_##id), FB_##storage, __VA_ARGS__},
#define FB_CASE(...)
#define FB_ENUM_END(id)
#include "flatbuffer/schema_enums.def"
};

#define FB_UNION(id, full) static const fb_alternative alternatives_##id[] = {{"NONE", 0},
#define FB_ALTERNATIVE(id, value, name, table) [value] = {#name, FB_TABLE_##table},
#define FB_UNION_END(id)                                                                   \
    }                                                                                      \
    ;
#include "flatbuffer/schema_unions.def"
#undef FB_UNION
#undef FB_ALTERNATIVE
#undef FB_UNION_END

const fb_union_def fb_unions[FB_UNION_COUNT] = {
#define FB_UNION(id, full)                                                                 \
    [FB_UNION_##id] = {full, alternatives_##id, TW_COUNT(alternatives_##id)},
#define FB_ALTERNATIVE(...)
#define FB_UNION_END(id)
#include "flatbuffer/schema_unions.def"
};
// clang-format on

/* Schema hashes of the tt-mlir version that the layouts are taken from. */
const fb_file_kind fb_file_kinds[FB_FILE_COUNT] = {
    [FB_FILE_TTNN] = {"ttnn", "TTNN", FB_TABLE_ttnn_TTNNBinary,
                      "f36068002aa895e8e8abb85f8ea0b818812a4ffa7f2c24f3ede1df3183dd6478"},
    [FB_FILE_TTM] = {"ttm", "TTM0", FB_TABLE_metal_TTMetalBinary,
                     "dcfff37afffdddc22dde3c9e85e6a364193fdf761495360696b1dbe3376dc696"},
    [FB_FILE_TTSYS] = {"ttsys", "TTSY", FB_TABLE_SystemDescRoot,
                       "92f6a8a87b72abd510d53425c6cd90ab2e8ba161928ee94c8bdd6680f51d9cdb"},
};

const uint8_t fb_scalar_size[FB_SCALAR_COUNT] = {
    [FB_BOOL] = 1, [FB_U8] = 1,  [FB_I8] = 1,  [FB_U16] = 2, [FB_I16] = 2, [FB_U32] = 4,
    [FB_I32] = 4,  [FB_U64] = 8, [FB_I64] = 8, [FB_F32] = 4, [FB_F64] = 8,
};

const char *fb_short_name(const char *full_name)
{
    const char *dot = strrchr(full_name, '.');
    return dot ? dot + 1 : full_name;
}

int fb_field_find(const fb_table_def *table, tw_str name)
{
    for (int i = 0; i < table->n_fields; i++)
        if (tw_str_is(name, table->fields[i].name))
            return i;
    return -1;
}

const char *fb_enum_name(fb_enum_id id, uint64_t value)
{
    const fb_enum_def *def = &fb_enums[id];
    for (size_t i = 0; i < def->n_cases; i++)
        if (def->cases[i].value == value)
            return def->cases[i].name;
    return NULL;
}

const fb_case *fb_enum_find(fb_enum_id id, tw_str name)
{
    const fb_enum_def *def = &fb_enums[id];
    for (size_t i = 0; i < def->n_cases; i++)
        if (tw_str_is(name, def->cases[i].name))
            return &def->cases[i];
    return NULL;
}

size_t fb_stored_size(const fb_field *field)
{
    switch ((fb_kind)field->kind) {
    case FB_KIND_SCALAR:
    case FB_KIND_ENUM:
    case FB_KIND_UTYPE:
        return fb_scalar_size[field->scalar];
    case FB_KIND_STRUCT:
        return fb_structs[field->of].size;
    default:
        return 4;
    }
}

size_t fb_stored_align(const fb_field *field)
{
    return field->kind == FB_KIND_STRUCT ? fb_structs[field->of].align
                                         : fb_stored_size(field);
}
