/* ir/text/printer.h: the printer's parts, for the files in this folder and for hand-written
 * syntax. */
#ifndef TILEWRIGHT_IR_TEXT_PRINTER_H
#define TILEWRIGHT_IR_TEXT_PRINTER_H

#include "ir/op.h"
#include "ir/text.h"

struct ir_printer {
    ir_context *ctx;
    tw_strbuf *out;
    ir_print_options options;
    struct ir_print_aliases *aliases; /* NULL: print none */
    struct ir_print_names *names;     /* value and block names of the printed operation */
    struct ir_print_resources *resources; /* NULL: not collected */
    struct ir_type_texts *type_texts;     /* NULL: types are not cached */
    int indent;
    int depth; /* nesting of types and attributes, bounded to protect the stack */
    const char *default_dialect; /* prefix omitted for operations directly inside */
    /* While aliases are collected the same printing code runs with its output discarded,
     * and `visit` is called for each attribute and type. */
    bool collecting;
    /* Set while an expression is printed over values: dimensions first, then symbols. */
    const ir_operand *affine_operands;
    uint32_t affine_dims, affine_count;
};

enum { IR_MAX_PRINTED_NESTING = 2000 };

static inline void ir_put(ir_printer *p, const char *s)
{
    tw_strbuf_puts(p->out, s);
}
static inline void ir_put_str(ir_printer *p, tw_str s)
{
    tw_strbuf_str(p->out, s);
}
static inline void ir_putc(ir_printer *p, char c)
{
    tw_strbuf_putc(p->out, c);
}
void ir_putf(ir_printer *p, const char *format, ...) TW_PRINTF(2, 3);
void ir_put_int(ir_printer *p, int64_t value);
void ir_put_newline(ir_printer *p); /* and the current indentation */

/* Names and strings. */
void ir_put_quoted(ir_printer *p, tw_str text);         /* "..." with escapes */
void ir_put_keyword_or_string(ir_printer *p, tw_str s); /* bare if an identifier */
void ir_put_symbol(ir_printer *p, tw_str name);         /* @name or @"na me" */

/* ---- attributes and types (print_attr.c, print_type.c) ------------------------------ */
void ir_put_attr(ir_printer *p, ir_attr attr); /* with its type, or as an alias */
/* As an item of an array: without i64 and f64. */
void ir_put_attr_in_list(ir_printer *p, ir_attr attr);
/* [1, 2]: how formats write dense arrays. */
void ir_put_dense_array_bare(ir_printer *p, ir_attr attr);
void ir_put_location_body(ir_printer *p, ir_attr loc); /* inside loc(...) */
/* The same, but never as an alias itself (nested ones may be). */
void ir_put_location_spelled(ir_printer *p, ir_attr loc);
/* #dialect.name<...>, wrapped if the body is not an identifier and one <...>. */
void ir_put_dialect_attr(ir_printer *p, ir_attr attr);
void ir_put_dialect_type(ir_printer *p, ir_type type);
uint32_t ir_distinct_number(ir_printer *p, ir_attr attr);
/* Without the type, where the reader can infer it. */
void ir_put_attr_no_type(ir_printer *p, ir_attr attr);
void ir_put_type(ir_printer *p, ir_type type);
/* The text after #dialect.mnemonic, or the alias. */
void ir_put_stripped_attr(ir_printer *p, ir_attr attr);
void ir_put_stripped_type(ir_printer *p, ir_type type);
void ir_put_attr_format(ir_printer *p, ir_attr attr);
void ir_put_type_format(ir_printer *p, ir_type type);
void ir_put_enum(ir_printer *p, const ir_enum_def *def, int64_t value);
void ir_put_affine_map(ir_printer *p, ir_affine_map map); /* bare */
void ir_put_integer_set(ir_printer *p, ir_integer_set set);
/* An expression over an operation's values (dimensions, then symbols), as
 * ir_parse_affine_of_values reads it. */
void ir_put_affine_of_values(ir_printer *p, ir_affine expr, const ir_operand *operands,
                             uint32_t count, uint32_t n_dims);
void ir_put_dims(ir_printer *p, const int64_t *dims, size_t count, bool trailing_x);
void ir_put_float(ir_printer *p, ir_attr attr);
/* `{a = 1 : i32, b}` of the entries whose name is not in `elided`, with a leading blank;
 * nothing if none is left. */
void ir_put_attr_dict(ir_printer *p, const ir_named_attr *entries, size_t count,
                      const char *const *elided, size_t n_elided, bool with_keyword);
void ir_put_loc(ir_printer *p, ir_loc loc);

/* Prints the attribute's alias and returns true if it has one (print_alias.c). */
bool ir_put_alias_attr(ir_printer *p, ir_attr attr);
bool ir_put_alias_type(ir_printer *p, ir_type type);

/* ---- operations (print_op.c) -------------------------------------------------------- */
void ir_put_value(ir_printer *p, const ir_value *value); /* %0, %arg0, %a#1 */
void ir_put_values(ir_printer *p, const ir_operand *operands, size_t count);
void ir_put_operands(ir_printer *p, const ir_op *op, size_t start, size_t count);
void ir_put_operand_types(ir_printer *p, const ir_op *op, size_t start, size_t count);
void ir_put_result_types(ir_printer *p, const ir_op *op, size_t start, size_t count);
/* (a, b) -> c  or  (a) -> (c, d) */
void ir_put_functional_type(ir_printer *p, const ir_op *op);
/* " -> t" or " -> (t, u)", nothing without results */
void ir_put_arrow_results(ir_printer *p, const ir_op *op);
void ir_put_block_name(ir_printer *p, const ir_block *block); /* ^bb1 */
void ir_put_region(ir_printer *p, ir_region *region, bool entry_args, bool terminators);
/* With arguments, terminators, and the label of an empty entry block. */
void ir_put_whole_region(ir_printer *p, ir_region *region);
void ir_put_arg(ir_printer *p, const ir_value *arg, ir_attr attrs, bool with_type);
/* The merged dictionary of inherent and discardable attributes, without those named. */
void ir_put_op_attr_dict(ir_printer *p, const ir_op *op, const char *const *elided,
                         size_t n_elided);
void ir_put_op_attr_dict_keyword(ir_printer *p, const ir_op *op, const char *const *elided,
                                 size_t n_elided);
/* For name_values hooks: requests a name for a value (base name without %). */
void ir_name_value(ir_printer *p, const ir_value *value, const char *base);
/* A hook: names results by their groups, the default for rows with several results. */
void ir_name_declared(ir_printer *p, ir_op *op);

#endif
