/* emitpy.h: the emitpy dialect: symbols of its rows. */
#ifndef TILEWRIGHT_EMITPY_EMITPY_H
#define TILEWRIGHT_EMITPY_EMITPY_H

#define IR_DIALECT emitpy
#define IR_PREFIX EMITPY
#define IR_ROWS "emitpy/emitpy.def"
#include "ir/dialect_names.h"

#define EMITPY_OP(id) (&emitpy_ops[EMITPY_##id])

#define EMITPY_ATTR(id) (&emitpy_attrs[EMITPY_ATTR_##id])

#define EMITPY_TYPE(id) (&emitpy_types[EMITPY_TYPE_##id])

/* Syntax of rows (emitpy_syntax.c). */
ir_type emitpy_parse_dict(ir_parser *p, const ir_type_def *def);
void emitpy_print_dict(ir_printer *p, ir_type type);

#endif
