/* ir/bytecode/codec.h: the encoding of a dialect's attributes and types in bytecode.
 *
 * An entry is a code and fields.  A row describes both, for reading and for writing;
 * `fields` is pairs of a letter and the digit of the parameter:
 *
 *   v  integer, varint             i  integer, signed varint
 *   I  list of signed varints      b  one byte
 *   s  string                      a  attribute         A  list of attributes
 *   o  optional attribute, the flag in the reference's lowest bit
 *   O  optional attribute after a presence byte
 *   N  the same after a varint
 *   P  optional integer, varint with the flag in its lowest bit
 *   t  type                        T  list of types
 *   f  f64                         F  list of f64
 *   L  attribute that is an array (the parameter holds the array itself)
 *
 * The writer uses the first row of an attribute whose omitted parameters are empty. */
#ifndef TILEWRIGHT_IR_BYTECODE_CODEC_H
#define TILEWRIGHT_IR_BYTECODE_CODEC_H

#include "ir/dialect.h"

typedef struct ir_bytecode_in ir_bytecode_in;
typedef struct ir_bytecode_out ir_bytecode_out;

typedef struct ir_bytecode_row {
    uint8_t code;
    const char *fields;
    const ir_attr_def *attr; /* either this or `type` */
    const ir_type_def *type;
    /* For encodings that the letters cannot express; NULL = by `fields`. */
    ir_attr (*read)(ir_bytecode_in *in, const struct ir_bytecode_row *row);
    bool (*write)(ir_bytecode_out *out, ir_attr attr);
} ir_bytecode_row;

typedef struct ir_bytecode_codec {
    const ir_bytecode_row *rows;
    size_t count;
} ir_bytecode_codec;

/* ---- reading; returns zero after a failure ------------------------------------------ */

ir_context *ir_in_context(ir_bytecode_in *in);
bool ir_in_fail(ir_bytecode_in *in, const char *format, ...) TW_PRINTF(2, 3);
bool ir_in_failed(const ir_bytecode_in *in);
size_t ir_in_left(const ir_bytecode_in *in);
uint8_t ir_in_byte(ir_bytecode_in *in);
uint64_t ir_in_varint(ir_bytecode_in *in);
int64_t ir_in_svarint(ir_bytecode_in *in);
/* A count of items of at least one byte each; 0 after a failure. */
size_t ir_in_count(ir_bytecode_in *in);
const void *ir_in_bytes(ir_bytecode_in *in, size_t size); /* NULL after a failure */
tw_str ir_in_string(ir_bytecode_in *in);
ir_attr ir_in_attr(ir_bytecode_in *in);
ir_attr ir_in_optional_attr(ir_bytecode_in *in); /* NULL: absent */
ir_attr ir_in_flag(ir_bytecode_in *in);          /* a byte: the unit attribute or false */
ir_type ir_in_type(ir_bytecode_in *in);
/* An integer or float of a given width, as APInt and APFloat are written. */
uint64_t ir_in_bits(ir_bytecode_in *in, uint32_t width);
/* The dialect and key of a resource handle. */
bool ir_in_resource(ir_bytecode_in *in, ir_ident *dialect, ir_ident *key);
/* Scratch memory that lives until reading ends. */
void *ir_in_scratch(ir_bytecode_in *in, size_t size);
ir_attr ir_in_attrs(ir_bytecode_in *in);                          /* a list as an array */
const int64_t *ir_in_ints(ir_bytecode_in *in, size_t *out_count); /* signed varints */
const ir_type *ir_in_types(ir_bytecode_in *in, size_t *out_count);

/* ---- writing ----------------------------------------------------------------------- */

ir_context *ir_out_context(ir_bytecode_out *out);
void ir_out_byte(ir_bytecode_out *out, uint8_t value);
void ir_out_varint(ir_bytecode_out *out, uint64_t value);
void ir_out_svarint(ir_bytecode_out *out, int64_t value);
void ir_out_bytes(ir_bytecode_out *out, const void *data, size_t size);
void ir_out_string(ir_bytecode_out *out, tw_str text);
void ir_out_attr(ir_bytecode_out *out, ir_attr attr);
void ir_out_optional_attr(ir_bytecode_out *out, ir_attr attr);
void ir_out_type(ir_bytecode_out *out, ir_type type);
void ir_out_bits(ir_bytecode_out *out, uint64_t bits, uint32_t width);
void ir_out_resource(ir_bytecode_out *out, ir_ident dialect, ir_ident key);

/* ---- inherent attributes ------------------------------------------------------------ */

/* Indices in the row in the order of properties: alphabetical, followed by those that are
 * not attributes (flags, integers). */
void ir_order_props(const ir_op_def *def, uint16_t *out);
static inline bool ir_is_bare_prop(const ir_attr_use *use)
{
    return use->type->is_flag || use->type->is_number;
}

/* ---- the builtin dialect (builtin.c) ------------------------------------------------ */

ir_attr ir_builtin_read_attr(ir_bytecode_in *in);
ir_type ir_builtin_read_type(ir_bytecode_in *in);
/* Returns false if it has no binary form and is written as text. */
bool ir_builtin_write_attr(ir_bytecode_out *out, ir_attr attr);
bool ir_builtin_write_type(ir_bytecode_out *out, ir_type type);

/* ---- by rows (rows.c) --------------------------------------------------------------- */

ir_attr ir_rows_read_attr(ir_bytecode_in *in, const ir_bytecode_codec *codec);
ir_type ir_rows_read_type(ir_bytecode_in *in, const ir_bytecode_codec *codec);
bool ir_rows_write_attr(ir_bytecode_out *out, const ir_bytecode_codec *codec, ir_attr attr);
bool ir_rows_write_type(ir_bytecode_out *out, const ir_bytecode_codec *codec, ir_type type);

#endif
