/* d2m.h: the d2m dialect: symbols of its rows. */
#ifndef TILEWRIGHT_D2M_D2M_H
#define TILEWRIGHT_D2M_D2M_H

#include "d2m/d2m_enums.h"

#define IR_DIALECT d2m
#define IR_PREFIX D2M
#define IR_ROWS "d2m/d2m.def"
#include "ir/dialect_names.h"

#define D2M_OP(id) (&d2m_ops[D2M_##id])

#define D2M_ATTR(id) (&d2m_attrs[D2M_ATTR_##id])

#define D2M_TYPE(id) (&d2m_types[D2M_TYPE_##id])

/* Syntax of rows (d2m_syntax.c). */
ir_attr d2m_parse_thread(ir_parser *p, const ir_attr_def *def);
void d2m_print_thread(ir_printer *p, ir_attr attr);

#endif
