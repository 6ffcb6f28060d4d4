/* ir/text/format.h: declarative operation formats (format.c). */
#ifndef TILEWRIGHT_IR_TEXT_FORMAT_H
#define TILEWRIGHT_IR_TEXT_FORMAT_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* Parses the text after the operation's name by its row's format. */
bool ir_parse_op_format(ir_parser *p, ir_parsed_op *op);
void ir_print_op_format(ir_printer *p, ir_op *op);

#endif
