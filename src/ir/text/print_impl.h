/* print_impl.h: value names and aliases of one print, shared by this folder's files. */
#ifndef TILEWRIGHT_IR_TEXT_PRINT_IMPL_H
#define TILEWRIGHT_IR_TEXT_PRINT_IMPL_H

#include "ir/text/printer.h"

/* ---- names (print_names.c) ---------------------------------------------------------- */

struct ir_print_names *ir_names_create(ir_printer *p, ir_op *op);
/* Comments after operations and before a block's first one (value_users). */
void ir_put_argument_users(ir_printer *p, const ir_value *arg);
void ir_put_result_users(ir_printer *p, const ir_op *op);
void ir_names_free(struct ir_print_names *names);
/* Prints the left side "%0:2, %a = " of an operation with results. */
void ir_put_result_names(ir_printer *p, const ir_op *op);

/* ---- aliases (print_alias.c) -------------------------------------------------------- */

/* Visits everything that `op` prints and determines the names and order of aliases. */
struct ir_print_aliases *ir_aliases_collect(ir_printer *p, ir_op *op);
void ir_print_aliases_free(struct ir_print_aliases *aliases);
void ir_put_alias_definitions(ir_printer *p, bool deferred);
/* While collecting: a location after an operation, whose alias may be defined after it. */
void ir_alias_visit_loc(ir_printer *p, ir_loc loc);

/* ---- resources (print_resource.c) --------------------------------------------------- */

typedef struct ir_print_resources {
    ir_attr *at; /* one of each key in the printed text, in order */
    size_t count, capacity;
} ir_print_resources;
void ir_note_resource(ir_printer *p, ir_attr attr);
/* {-# dialect_resources: ... #-}, if the keys have blobs. */
void ir_put_resources(ir_printer *p);

/* ---- elements (print_dense.c) ------------------------------------------------------- */

/* A value of that type, given as bits. */
void ir_put_number(ir_printer *p, ir_type type, uint64_t bits);
void ir_put_hex_bytes(ir_printer *p, const void *bytes, size_t size);
/* dense<...>, without its type, and the text between the angle brackets. */
void ir_put_dense(ir_printer *p, ir_attr a);
void ir_put_dense_body(ir_printer *p, ir_attr a, bool allow_hex);
void ir_put_dense_array_items(ir_printer *p, ir_attr a);

/* Without loc(...); children print as their aliases (print_loc_pretty.c). */
void ir_put_loc_pretty(ir_printer *p, ir_attr loc);

/* ---- cached type texts (print_type_text.c) ------------------------------------------ */

struct ir_type_texts *ir_type_texts_create(void);
void ir_type_texts_free(struct ir_type_texts *texts);
/* Prints the cached text of the type; false if there is none. */
bool ir_put_cached_type(ir_printer *p, ir_type type);
/* Caches the type's text, which begins at `start` of the output. */
void ir_cache_type_text(ir_printer *p, ir_type type, size_t start);

/* print_op.c */
void ir_put_op(ir_printer *p, ir_op *op);

#endif
