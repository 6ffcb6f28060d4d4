/* group_syntax.h: operands in groups, `ins(%a, %b : type, type)`, in the syntax of
 * structured operations of linalg, d2m and ttl. */
#ifndef TILEWRIGHT_MLIR_SHARED_GROUP_SYNTAX_H
#define TILEWRIGHT_MLIR_SHARED_GROUP_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* word "(" [ ssa-list ":" types ] ")": appends the operands and sets *out_count to their
 * number. */
bool ir_parse_operand_group(ir_parser *p, ir_parsed_op *op, const char *word,
                            int32_t *out_count);
void ir_put_operand_group(ir_printer *p, const ir_op *op, const char *word, size_t start,
                          size_t count);

#endif
