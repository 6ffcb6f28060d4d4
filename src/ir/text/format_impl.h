/* format_impl.h: what format.c, format_types.c and directive_custom.c share. */
#ifndef TILEWRIGHT_IR_FORMAT_IMPL_H
#define TILEWRIGHT_IR_FORMAT_IMPL_H

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

/* What the text said about one declared operand or result group. */
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
} op_writing;

typedef struct dense_items {
    ir_type type;
    ir_attr *at;
    uint32_t count, capacity;
} dense_items;

void ir_reading_add_successor(op_reading *r, ir_block *block);
ir_attr ir_parse_bare_dense_array(ir_parser *p, ir_type element);

/* format_types.c: fills in the types that the text left out, resolves operands. */
bool ir_infer_and_resolve(op_reading *r);

#endif
