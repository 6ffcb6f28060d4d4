/* read.c: reads the bytecode file: header and sections, in any order. */
#include "ir/bytecode.h"
#include "ir/bytecode/reader.h"
#include "ir/text.h"

#include <stdlib.h>

static const uint8_t magic[4] = {'M', 'L', 0xEF, 'R'};

bool ir_is_bytecode(tw_str bytes)
{
    return bytes.size >= sizeof magic && memcmp(bytes.data, magic, sizeof magic) == 0;
}

/* "ORDER SECTION" */
static const char *const section_names[IR_SECTION_COUNT] = {
    "string section",          "dialect section", "attributes and types",
    "offset section",          "IR section",      "resource section",
    "resource offset section", "dialect version", "properties section",
};

/* id, length, and if the id's highest bit is set, an alignment with padding. */
bool bc_section(ir_bytecode_in *in, ir_section *out_id, ir_bytecode_in *out_section)
{
    enum { ALIGNED = 0x80, PADDING = 0xCB };
    uint8_t id = ir_in_byte(in);
    uint64_t length = ir_in_varint(in);
    if (id & ALIGNED) {
        uint64_t alignment = ir_in_varint(in);
        if (alignment == 0 || alignment & (alignment - 1))
            return ir_in_fail(in,
                              "expected an alignment that is a power of two, found %llu",
                              (unsigned long long)alignment);
        while (!in->failed && ((uint64_t)(in->at - in->reader->base) & (alignment - 1)))
            if (ir_in_byte(in) != PADDING)
                return ir_in_fail(in, "expected padding bytes 0xCB");
    }
    if (in->failed)
        return false;
    if ((id & 0x7F) >= IR_SECTION_COUNT)
        return ir_in_fail(in, "expected a section id below %d, found %d", IR_SECTION_COUNT,
                          id & 0x7F);
    if (length > ir_in_left(in))
        return ir_in_fail(in, "a section of %llu bytes, but %zu are left",
                          (unsigned long long)length, ir_in_left(in));
    *out_id = id & 0x7F;
    *out_section = (ir_bytecode_in){in->reader, in->at, in->at + length,
                                    section_names[*out_id], false};
    in->at += length;
    return true;
}

/* Lengths come in reverse order, then all bytes in forward order. */
static bool read_strings(ir_bytecode_in *in)
{
    ir_bytecode_reader *r = in->reader;
    size_t count = ir_in_count(in);
    r->strings = ir_in_scratch(in, count * sizeof *r->strings);
    const uint8_t *end = in->end;
    for (size_t i = count; i-- > 0;) {
        uint64_t size = ir_in_varint(in);
        size_t left = end > in->at ? (size_t)(end - in->at) : 0;
        if (in->failed || size == 0 || size > left)
            return ir_in_fail(in, "string %zu of %llu bytes, but %zu are left", i,
                              (unsigned long long)size, left);
        end -= size;
        if (end[size - 1] != 0)
            return ir_in_fail(in, "string %zu does not end in a zero byte", i);
        r->strings[i] = (tw_str){(const char *)end, (size_t)size - 1};
    }
    if (end != in->at)
        return ir_in_fail(in, "expected strings of %zu bytes, found %zu",
                          (size_t)(in->end - end), ir_in_left(in));
    r->n_strings = count;
    return true;
}

/* "dialect.name", which also names the dialect; rejects names with zero bytes. */
static bool plain_name(ir_bytecode_in *in, tw_str name)
{
    for (size_t i = 0; i < name.size; i++)
        if ((uint8_t)name.data[i] <= ' ' || (uint8_t)name.data[i] == 0x7F)
            return ir_in_fail(in, "expected a name, found a string with blanks");
    return true;
}

static bool read_dialect(ir_bytecode_in *in, bc_dialect *dialect)
{
    enum { VERSIONED = 1 };
    ir_bytecode_reader *r = in->reader;
    uint64_t name = ir_in_varint(in);
    bool has_version = r->version >= VERSIONED && (name & 1);
    if (r->version >= VERSIONED)
        name >>= 1;
    if (in->failed || !bc_index(in, name, r->n_strings, "string"))
        return false;
    dialect->name = r->strings[name];
    dialect->def = ir_context_dialect(r->ctx, dialect->name);
    ir_section id;
    ir_bytecode_in version;
    if (has_version && (!bc_section(in, &id, &version) || id != IR_SECTION_DIALECT_VERSION))
        return ir_in_fail(in, "expected the version of a dialect");
    return plain_name(in, dialect->name);
}

static bool read_names(ir_bytecode_in *in)
{
    enum { WITH_REGISTERED = 5 };
    ir_bytecode_reader *r = in->reader;
    while (ir_in_left(in)) {
        uint64_t dialect = ir_in_varint(in);
        if (in->failed || !bc_index(in, dialect, r->n_dialects, "dialect"))
            return false;
        size_t count = ir_in_count(in);
        for (size_t i = 0; i < count; i++) {
            uint64_t name = ir_in_varint(in);
            if (r->version >= WITH_REGISTERED)
                name >>= 1;
            if (in->failed || !bc_index(in, name, r->n_strings, "string"))
                return false;
            bc_op_name op = {.own = r->strings[name], .dialect = (uint32_t)dialect};
            TW_PUSH(r->names, r->n_names, r->names_capacity, op);
        }
    }
    return !in->failed;
}

static bool read_dialects(ir_bytecode_in *in)
{
    enum { WITH_NAME_COUNT = 4 };
    ir_bytecode_reader *r = in->reader;
    size_t count = ir_in_count(in);
    r->dialects = ir_in_scratch(in, count * sizeof *r->dialects);
    for (size_t i = 0; i < count; i++)
        if (!read_dialect(in, &r->dialects[i]))
            return false;
    r->n_dialects = count;
    if (r->version >= WITH_NAME_COUNT)
        ir_in_varint(in); /* only a hint */
    return read_names(in);
}

static bool read_properties(ir_bytecode_in *in)
{
    ir_bytecode_reader *r = in->reader;
    size_t count = ir_in_count(in);
    r->properties = ir_in_scratch(in, count * sizeof *r->properties);
    for (size_t i = 0; i < count && !in->failed; i++) {
        size_t size = ir_in_count(in);
        r->properties[i] = (bc_property){.data = in->at, .size = size};
        in->at += size;
    }
    r->n_properties = in->failed ? 0 : count;
    return !in->failed;
}

/* ---- resources ---------------------------------------------------------------------- */

/* A blob: alignment, size, padding, bytes.  It must outlive the file, so it is copied. */
static bool read_blob(ir_bytecode_in *in, const bc_resource *key)
{
    enum { BLOB_ALIGN = 64 };
    ir_bytecode_reader *r = in->reader;
    uint64_t alignment = ir_in_varint(in);
    size_t size = ir_in_count(in);
    if (alignment == 0 || alignment & (alignment - 1) || alignment > 1 << 20)
        return ir_in_fail(in, "expected an alignment that is a power of two, found %llu",
                          (unsigned long long)alignment);
    while (!in->failed && ((uint64_t)(in->at - r->base) & (alignment - 1)))
        ir_in_byte(in);
    const void *data = ir_in_bytes(in, size);
    if (!data)
        return false;
    char *copy = tw_arena_alloc(ir_context_arena(r->ctx), size + BLOB_ALIGN);
    copy = (char *)tw_align_up((size_t)copy, BLOB_ALIGN);
    memcpy(copy, data, size);
    ir_resource_add(r->ctx, key->dialect, key->key,
                    (ir_blob){.data = copy, .size = size, .align = (uint32_t)alignment});
    return true;
}

/* Reads groups: first resources that belong to no dialect (their content is skipped). */
static bool read_resources(ir_bytecode_in *in, ir_bytecode_in *data)
{
    enum { KIND_BLOB };
    ir_bytecode_reader *r = in->reader;
    uint64_t external = ir_in_varint(in);
    for (uint64_t group = 0; ir_in_left(in); group++) {
        uint64_t owner = ir_in_varint(in);
        if (in->failed ||
            (group >= external && !bc_index(in, owner, r->n_dialects, "dialect")))
            return false;
        size_t count = ir_in_count(in);
        for (size_t i = 0; i < count; i++) {
            tw_str key = ir_in_string(in);
            uint64_t size = ir_in_varint(in);
            uint8_t kind = ir_in_byte(in);
            if (in->failed || size > ir_in_left(data))
                return ir_in_fail(in, "a resource of %llu bytes, but %zu are left",
                                  (unsigned long long)size, ir_in_left(data));
            ir_bytecode_in one = {r, data->at, data->at + size, data->section, false};
            data->at += size;
            if (group < external)
                continue;
            bc_resource resource = {ir_ident_get(r->ctx, r->dialects[owner].name),
                                    ir_ident_get(r->ctx, key)};
            TW_PUSH(r->resources, r->n_resources, r->resources_capacity, resource);
            if (kind == KIND_BLOB && size && !read_blob(&one, &resource))
                return false;
        }
    }
    return !in->failed;
}

/* ---- the file ----------------------------------------------------------------------- */

static bool read_header(ir_bytecode_in *in)
{
    enum { NEWEST = 6 };
    ir_bytecode_reader *r = in->reader;
    in->at += sizeof magic;
    r->version = ir_in_varint(in);
    if (!in->failed && r->version > NEWEST)
        return ir_in_fail(in, "bytecode version %llu is newer than the current version %d",
                          (unsigned long long)r->version, NEWEST);
    r->producer = (const char *)in->at;
    while (!in->failed && ir_in_byte(in))
        ;
    return !in->failed;
}

static bool read_sections(ir_bytecode_in *file, ir_bytecode_in *sections)
{
    while (ir_in_left(file)) {
        ir_section id;
        ir_bytecode_in section;
        if (!bc_section(file, &id, &section))
            return false;
        if (sections[id].reader)
            return ir_in_fail(file, "a second %s", section_names[id]);
        sections[id] = section;
    }
    for (int id = 0; id <= IR_SECTION_IR; id++)
        if (!sections[id].reader)
            return ir_in_fail(file, "expected a %s, found none", section_names[id]);
    return true;
}

static ir_op *read_file(ir_bytecode_reader *r)
{
    enum { WITH_PROPERTIES = 5 };
    ir_bytecode_in s[IR_SECTION_COUNT] = {0};
    ir_bytecode_in file = {r, r->base, r->base + r->size, "file", false};
    bool ok =
        read_header(&file) && read_sections(&file, s) &&
        read_strings(&s[IR_SECTION_STRING]) && read_dialects(&s[IR_SECTION_DIALECT]) &&
        (!s[IR_SECTION_RESOURCE_OFFSET].reader ||
         read_resources(&s[IR_SECTION_RESOURCE_OFFSET], s[IR_SECTION_RESOURCE].reader
                                                            ? &s[IR_SECTION_RESOURCE]
                                                            : &(ir_bytecode_in){0})) &&
        bc_read_offsets(r, &s[IR_SECTION_OFFSET], &s[IR_SECTION_ATTR_TYPE]) &&
        (!s[IR_SECTION_PROPERTIES].reader || r->version < WITH_PROPERTIES ||
         read_properties(&s[IR_SECTION_PROPERTIES]));
    return ok ? bc_read_ir(r, &s[IR_SECTION_IR]) : NULL;
}

ir_op *ir_bytecode_read(ir_context *ctx, tw_str bytes, const char *name)
{
    ir_bytecode_reader r = {.ctx = ctx,
                            .base = (const uint8_t *)bytes.data,
                            .size = bytes.size,
                            .loc = ir_loc_file(ctx, ir_ident_from(ctx, name), 0, 0)};
    ir_op *op = ir_is_bytecode(bytes) ? read_file(&r) : NULL;
    tw_arena_free(&r.scratch);
    free(r.names);
    free(r.resources);
    free(r.values);
    return op;
}
