/* emitc.h: the emitc dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_EMITC_H
#define TILEWRIGHT_DIALECT_EMITC_H

#include "ir/op.h"
#include "mlir/emitc/emitc_enums.h"

enum {
#define TW_OP(id, ...) EMITC_##id,
#include "mlir/emitc/emitc.def"
    EMITC_OP_COUNT
};

extern const ir_dialect emitc_dialect;
extern const ir_op_def emitc_ops[];
#define EMITC_OP(id) (&emitc_ops[EMITC_##id])

enum {
#define TW_ATTR(id, ...) EMITC_ATTR_##id,
#include "mlir/emitc/emitc.def"
};
extern const ir_attr_def emitc_attrs[];
#define EMITC_ATTR(id) (&emitc_attrs[EMITC_ATTR_##id])

enum {
#define TW_TYPE(id, ...) EMITC_TYPE_##id,
#include "mlir/emitc/emitc.def"
};
extern const ir_type_def emitc_types[];
#define EMITC_TYPE(id) (&emitc_types[EMITC_TYPE_##id])

/* Syntax of rows (emitc_syntax.c). */
ir_type emitc_parse_array(ir_parser *p, const ir_type_def *def);
void emitc_print_array(ir_printer *p, ir_type type);

#endif
