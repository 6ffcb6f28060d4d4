/* ir/bytecode/reader.h: the reader's state, shared by its files.
 *
 * A cursor runs over one section (or one entry of it) and never leaves it.  A read that
 * fails returns zero; the failure is remembered and reported once, with the offset in the
 * file, the section, what was expected and what was found. */
#ifndef TILEWRIGHT_IR_BYTECODE_READER_H
#define TILEWRIGHT_IR_BYTECODE_READER_H

#include "ir/bytecode/codec.h"
#include "ir/op.h"
#include "support/arena.h"

typedef enum ir_section {
    IR_SECTION_STRING,
    IR_SECTION_DIALECT,
    IR_SECTION_ATTR_TYPE,
    IR_SECTION_OFFSET,
    IR_SECTION_IR,
    IR_SECTION_RESOURCE,
    IR_SECTION_RESOURCE_OFFSET,
    IR_SECTION_DIALECT_VERSION,
    IR_SECTION_PROPERTIES,
    IR_SECTION_COUNT
} ir_section;

typedef struct ir_bytecode_reader ir_bytecode_reader;

struct ir_bytecode_in {
    ir_bytecode_reader *reader;
    const uint8_t *at, *end;
    const char *section; /* its name in messages */
    bool failed;
};

typedef struct bc_dialect {
    tw_str name;
    const ir_dialect *def; /* NULL: unregistered */
} bc_dialect;

/* An attribute or type, decoded on first use. */
typedef struct bc_entry {
    const uint8_t *data;
    uint32_t size;
    uint32_t dialect : 30;
    uint32_t custom : 1;
    uint32_t busy : 1;
    uint32_t
        weight; /* of its text, in leaves: a file of 100 bytes must not print forever */
    const void *value;
    ir_loc loc; /* of location attributes */
} bc_entry;

typedef struct bc_op_name {
    const char *name; /* NULL until used: then dialect included */
    const ir_op_def *def;
    tw_str own;
    uint32_t dialect;
    const uint16_t *order; /* inherent attributes in alphabetical order */
} bc_op_name;

typedef struct bc_property {
    const uint8_t *data;
    size_t size;
    const ir_op_def *def;  /* the row that determines the layout of `values` */
    const ir_attr *values; /* the row's order */
} bc_property;

typedef struct bc_resource {
    ir_ident dialect, key;
} bc_resource;

struct ir_bytecode_reader {
    ir_context *ctx;
    const uint8_t *base;
    size_t size;
    ir_loc loc;           /* for diagnostics */
    const char *producer; /* the tool that wrote the file */
    uint64_t version;
    tw_arena scratch;
    bool reported;
    uint32_t depth;  /* of entries being decoded, or of regions */
    uint64_t weight; /* of the entry being decoded */
    tw_str *strings;
    bc_dialect *dialects;
    bc_op_name *names;
    bc_entry *attrs, *types;
    bc_property *properties;
    bc_resource *resources;
    size_t n_strings, n_dialects, n_names, names_capacity, n_attrs, n_types, n_properties,
        n_resources, resources_capacity;
    ir_value **values;
    size_t n_values, values_capacity;
};

/* read.c */
bool bc_section(ir_bytecode_in *in, ir_section *out_id, ir_bytecode_in *out_section);
bool bc_index(ir_bytecode_in *in, uint64_t index, size_t count, const char *what);

/* read_entry.c */
bool bc_read_offsets(ir_bytecode_reader *r, ir_bytecode_in *offsets, ir_bytecode_in *data);
ir_type bc_type_at(ir_bytecode_in *in, uint64_t index);
ir_loc bc_in_loc(ir_bytecode_in *in);

/* read_ir.c */
ir_op *bc_read_ir(ir_bytecode_reader *r, ir_bytecode_in *in);

#endif
