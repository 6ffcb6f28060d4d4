/* ttnn.h: the ttnn dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_TTNN_H
#define TILEWRIGHT_DIALECT_TTNN_H

#include "ir/op.h"
#include "ttnn/ttnn_enums.h"

enum {
#define TW_OP(id, ...) TTNN_##id,
#include "ttnn/ttnn.def"
    TTNN_OP_COUNT
};

extern const ir_dialect ttnn_dialect;
extern const ir_op_def ttnn_ops[];
#define TTNN_OP(id) (&ttnn_ops[TTNN_##id])

enum {
#define TW_ATTR(id, ...) TTNN_ATTR_##id,
#include "ttnn/ttnn.def"
};
extern const ir_attr_def ttnn_attrs[];
#define TTNN_ATTR(id) (&ttnn_attrs[TTNN_ATTR_##id])

enum {
#define TW_TYPE(id, ...) TTNN_TYPE_##id,
#include "ttnn/ttnn.def"
};
extern const ir_type_def ttnn_types[];
#define TTNN_TYPE(id) (&ttnn_types[TTNN_TYPE_##id])

/* Syntax of rows (ttnn_syntax.c). */
ir_attr ttnn_parse_memory_config(ir_parser *p, const ir_attr_def *def);
void ttnn_print_memory_config(ir_printer *p, ir_attr attr);

#endif
