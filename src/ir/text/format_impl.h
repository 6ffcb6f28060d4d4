/* format_impl.h: declarations shared by the format and directive files. */
#ifndef TILEWRIGHT_IR_TEXT_FORMAT_IMPL_H
#define TILEWRIGHT_IR_TEXT_FORMAT_IMPL_H

#include "ir/text/directives.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/text_impl.h"

enum { VAR_OPERAND, VAR_ATTR, VAR_RESULT, VAR_REGION, VAR_SUCCESSOR };

typedef struct op_format {
    dir *dirs;
    uint32_t count;
    uint64_t mentioned; /* attributes by index */
    bool all_operands;  /* uses the `operands` directive */
} op_format;

/* The parse state of one declared operand or result group. */
typedef struct group_state {
    ir_ssa_list uses;
    ir_type_list types;
    const char *at;
    bool named; /* its operands have been read */
    bool typed; /* its types have been read or inferred */
} group_state;

typedef struct op_reading {
    ir_parser *p;
    ir_parsed_op *op;
    group_state *operands, *results;
    ir_ssa_list all_operands;
    ir_type_list operand_types, result_types; /* flat lists */
    bool flat_operand_types, flat_result_types, all_in_order;
    const char *operands_at;
    bool last_region_first; /* the text has the first region last */
} op_reading;

typedef struct op_writing {
    ir_printer *p;
    ir_op *op;
    const op_format *format;
    dir_blanks blanks;
    bool keep_terminators;
    bool props_printed; /* by prop-dict */
} op_writing;

/* format.c */
const op_format *ir_format_of(ir_context *ctx, const ir_op_def *def);
bool ir_is_dense_array_attr(const ir_constraint *c);
bool ir_is_symbol_name_attr(const ir_constraint *c);
/* The element of an optional group that decides whether the group is present. */
const dir *ir_format_anchor(const dir *dirs, uint32_t count);
bool ir_is_unit_var(const ir_op_def *def, const dir *d);
/* The type definition whose name is omitted in a group of that constraint, or NULL. */
const ir_type_def *ir_stripped_type(ir_context *ctx, const ir_operand_def *group);

ir_attr ir_parse_attr_var(ir_parser *p, const ir_attr_use *use, bool qualified);
/* True if an attribute of this kind can start at the current token (optional groups). */
bool ir_attr_starts_here(ir_parser *p, const ir_constraint *c);

/* format_read.c */
void ir_reading_add_successor(op_reading *r, ir_block *block);

/* format_types.c: infers the types omitted in the text, resolves operands. */
bool ir_infer_and_resolve(op_reading *r);

#endif
