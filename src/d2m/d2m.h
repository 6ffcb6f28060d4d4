/* d2m.h: the d2m dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_D2M_H
#define TILEWRIGHT_DIALECT_D2M_H

#include "d2m/d2m_enums.h"
#include "ir/op.h"

enum {
#define TW_OP(id, ...) D2M_##id,
#include "d2m/d2m.def"
    D2M_OP_COUNT
};

extern const ir_dialect d2m_dialect;
extern const ir_op_def d2m_ops[];
#define D2M_OP(id) (&d2m_ops[D2M_##id])

enum {
#define TW_ATTR(id, ...) D2M_ATTR_##id,
#include "d2m/d2m.def"
};
extern const ir_attr_def d2m_attrs[];
#define D2M_ATTR(id) (&d2m_attrs[D2M_ATTR_##id])

enum {
#define TW_TYPE(id, ...) D2M_TYPE_##id,
#include "d2m/d2m.def"
};
extern const ir_type_def d2m_types[];
#define D2M_TYPE(id) (&d2m_types[D2M_TYPE_##id])

/* Syntax of rows (d2m_syntax.c). */
ir_attr d2m_parse_thread(ir_parser *p, const ir_attr_def *def);
void d2m_print_thread(ir_printer *p, ir_attr attr);

#endif
