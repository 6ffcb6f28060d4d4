/* ttnn.h: the ttnn dialect: names of its rows. */
#ifndef TILEWRIGHT_TTNN_TTNN_H
#define TILEWRIGHT_TTNN_TTNN_H

#include "ttnn/ttnn_enums.h"

#define IR_DIALECT ttnn
#define IR_PREFIX TTNN
#define IR_ROWS "ttnn/ttnn.def"
#include "ir/dialect_names.h"

#define TTNN_OP(id) (&ttnn_ops[TTNN_##id])

#define TTNN_ATTR(id) (&ttnn_attrs[TTNN_ATTR_##id])

#define TTNN_TYPE(id) (&ttnn_types[TTNN_TYPE_##id])

/* Whether elementwise.def has the operation's row. */
bool ttnn_is_elementwise(const ir_op_def *def);

/* Syntax of rows (ttnn_syntax.c). */
ir_attr ttnn_parse_memory_config(ir_parser *p, const ir_attr_def *def);
void ttnn_print_memory_config(ir_printer *p, ir_attr attr);

#endif
