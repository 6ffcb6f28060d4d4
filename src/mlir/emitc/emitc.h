/* emitc.h: row indices of the emitc dialect. */
#ifndef TILEWRIGHT_MLIR_EMITC_EMITC_H
#define TILEWRIGHT_MLIR_EMITC_EMITC_H

#include "mlir/emitc/emitc_enums.h"

#define IR_DIALECT emitc
#define IR_PREFIX EMITC
#define IR_ROWS "mlir/emitc/emitc.def"
#include "ir/dialect_names.h"

#define EMITC_OP(id) (&emitc_ops[EMITC_##id])

#define EMITC_ATTR(id) (&emitc_attrs[EMITC_ATTR_##id])

#define EMITC_TYPE(id) (&emitc_types[EMITC_TYPE_##id])

/* Syntax of rows (emitc_syntax.c). */
ir_type emitc_parse_array(ir_parser *p, const ir_type_def *def);
void emitc_print_array(ir_printer *p, ir_type type);

#endif
