/* ir/bytecode/writer.h: the writer's state, shared by its files.
 *
 * Two passes over the program: the first numbers everything used (attributes and types with
 * all that they refer to, names, strings, properties), the second writes.  Both run the
 * same encoders, the first with a sink that only numbers. */
#ifndef TILEWRIGHT_IR_BYTECODE_WRITER_H
#define TILEWRIGHT_IR_BYTECODE_WRITER_H

#include "ir/bytecode/codec.h"
#include "ir/op.h"
#include "support/strbuf.h"

typedef struct bc_writer bc_writer;

struct ir_bytecode_out {
    bc_writer *writer;
    tw_strbuf *bytes; /* NULL while numbering */
};

/* An attribute, a type or an operation's row. */
typedef struct bc_item {
    const void *value;
    uint32_t dialect, uses, index;
    uint32_t order; /* order of first use; later the position before the last sort */
} bc_item;

typedef struct bc_list {
    bc_item **at;
    size_t count, capacity;
} bc_list;

struct bc_writer {
    ir_context *ctx;
    int version;
    bool failed, use_orders;
    tw_arena arena;
    ir_mapping *items;   /* attribute, type or row -> bc_item */
    ir_mapping *strings; /* identifier -> number + 1 */
    ir_mapping *blobs;   /* identifier of a property's bytes -> number + 1 */
    bc_list attrs, types, names;
    ir_ident *string_at, *blob_at, *dialect_at;
    size_t n_strings, strings_capacity, n_blobs, blobs_capacity, n_dialects,
        dialects_capacity;
    const struct ir_attr_data **resources;
    size_t n_resources, resources_capacity;
};

/* write.c */
bc_item *bc_item_of(bc_writer *w, const void *value, bc_list *list, tw_str dialect);
uint32_t bc_string(bc_writer *w, tw_str text);
uint32_t bc_dialect_number(bc_writer *w, tw_str name);
void bc_put_section(tw_strbuf *out, int id, const tw_strbuf *data);

/* write_ir.c */
void bc_number_op(bc_writer *w, ir_op *op);
void bc_write_ir(bc_writer *w, ir_op *op, tw_strbuf *out);

/* write_uses.c: counts the values whose use-list order must be written; writes it. */
uint32_t bc_count_use_orders(const bc_writer *w, const ir_value *const *values, uint32_t n);
void bc_put_use_orders(ir_bytecode_out *out, const ir_value *const *values, uint32_t n);

#endif
