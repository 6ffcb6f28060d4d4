/* emitpy.h: the emitpy dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_EMITPY_H
#define TILEWRIGHT_DIALECT_EMITPY_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) EMITPY_##id,
#include "emitpy/emitpy.def"
    EMITPY_OP_COUNT
};

extern const ir_dialect emitpy_dialect;
extern const ir_op_def emitpy_ops[];
#define EMITPY_OP(id) (&emitpy_ops[EMITPY_##id])

enum {
#define TW_ATTR(id, ...) EMITPY_ATTR_##id,
#include "emitpy/emitpy.def"
};
extern const ir_attr_def emitpy_attrs[];
#define EMITPY_ATTR(id) (&emitpy_attrs[EMITPY_ATTR_##id])

enum {
#define TW_TYPE(id, ...) EMITPY_TYPE_##id,
#include "emitpy/emitpy.def"
};
extern const ir_type_def emitpy_types[];
#define EMITPY_TYPE(id) (&emitpy_types[EMITPY_TYPE_##id])

/* Syntax of rows (emitpy_syntax.c). */
ir_type emitpy_parse_dict(ir_parser *p, const ir_type_def *def);
void emitpy_print_dict(ir_printer *p, ir_type type);

#endif
