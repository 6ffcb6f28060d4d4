/* ir/text.h: reading and writing MLIR's text. */
#ifndef TILEWRIGHT_IR_TEXT_H
#define TILEWRIGHT_IR_TEXT_H

#include "ir/op.h"

/* Reads a file's text into one operation: the module in it, or a module around its
 * operations.  NULL after diagnostics.  `name` is the file name in locations.  The result
 * is verified unless `no_verify`. */
typedef struct ir_parse_options {
    bool no_verify;
    bool no_implicit_module; /* the text is one operation, which is the result */
} ir_parse_options;
ir_op *ir_parse(ir_context *ctx, tw_str text, const char *name,
                const ir_parse_options *options);

/* One attribute or type; the whole text must be consumed. */
ir_attr ir_parse_attr(ir_context *ctx, tw_str text);
ir_type ir_parse_type(ir_context *ctx, tw_str text);

typedef struct ir_print_options {
    bool generic;     /* --mlir-print-op-generic */
    bool debug_info;  /* --mlir-print-debuginfo */
    bool local_scope; /* --mlir-print-local-scope */
    bool pretty_debug_info;
    bool assume_verified; /* else an invalid operation prints in generic form */
    bool skip_regions;
    bool unique_names;    /* --mlir-print-unique-ssa-ids: no two values share a name */
    bool value_users;     /* --mlir-print-value-users: comments list the users of a value */
    bool names_from_locs; /* --mlir-use-nameloc-as-prefix: a value with loc("x") is named %x
                           */
    int64_t elide_elements; /* > 0: dense with more elements prints
                               dense_resource<__elided__> */
    int64_t elide_resource; /* > 0: blobs whose text is longer are left out */
    int64_t elide_hex;      /* > 100 default threshold for hex strings; 0 = default */
    /* Called for every printed operation with its offset in the text. */
    void (*at_op)(void *user, ir_op *op, size_t offset);
    void *at_op_user;
    /* Called between operations once the text is long; may consume and empty it. */
    void (*drain)(void *user, tw_strbuf *out);
    void *drain_user;
} ir_print_options;

void ir_print_op(ir_op *op, const ir_print_options *options, tw_strbuf *out);
void ir_print_block(ir_block *block, tw_strbuf *out);
/* Prints single operations inside `scope`, without a trailing newline, with the names that
 * their values have in a print of the whole scope. */
typedef struct ir_op_printer ir_op_printer;
ir_op_printer *ir_op_printer_create(ir_op *scope, const ir_print_options *options);
void ir_op_printer_print(ir_op_printer *printer, ir_op *op, tw_strbuf *out);
/* The name of a value inside `scope`, "%0". */
void ir_op_printer_value(ir_op_printer *printer, const ir_value *value, tw_strbuf *out);
void ir_op_printer_free(ir_op_printer *printer);
/* The operation in generic form for messages: with the names that values have in the
 * enclosing isolated operation. */
void ir_print_op_in_message(ir_op *op, tw_strbuf *out);
void ir_print_attr(ir_attr attr, tw_strbuf *out);
void ir_print_type(ir_type type, tw_strbuf *out);
void ir_print_loc(ir_context *ctx, ir_loc loc, tw_strbuf *out); /* loc(...) */
void ir_print_affine_map(ir_affine_map map, tw_strbuf *out);
void ir_print_float(double value, uint64_t bits, ir_type type, tw_strbuf *out);

/* Calls `each` for every resource referenced by the text of an attribute, or else of a
 * type, in textual order. */
void ir_text_resources(ir_attr attr, ir_type type,
                       void (*each)(void *user, ir_attr resource), void *user);
/* The resource section's blobs ({-# dialect_resources #-}), kept in the context. */
const ir_blob *ir_resource_find(ir_context *ctx, ir_ident dialect, ir_ident key);
void ir_resource_add(ir_context *ctx, ir_ident dialect, ir_ident key, ir_blob blob);

#endif
