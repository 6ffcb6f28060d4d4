/* fields_syntax.h: attributes written as `<name = value, ...>` with fields in any order. */
#ifndef TILEWRIGHT_IR_TEXT_FIELDS_SYNTAX_H
#define TILEWRIGHT_IR_TEXT_FIELDS_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* Hooks for rows whose parameters are integers and lists of integers, as StableHLO's
 * dimension numbers are: a field is its parameter's name in snake case.  Lists default to
 * empty and integers to 0; defaults are not printed. */
ir_attr ir_parse_dimension_fields(ir_parser *p, const ir_attr_def *def);
void ir_put_dimension_fields(ir_printer *p, ir_attr attr);
/* Parses the text after the `<`, up to and including the `>`. */
ir_attr ir_parse_dimension_fields_body(ir_parser *p, const ir_attr_def *def);

#endif
