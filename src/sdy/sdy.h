/* sdy.h: the sdy dialect: symbols of its rows. */
#ifndef TILEWRIGHT_SDY_SDY_H
#define TILEWRIGHT_SDY_SDY_H

#include "sdy/sdy_enums.h"

#define IR_DIALECT sdy
#define IR_PREFIX SDY
#define IR_ROWS "sdy/sdy.def"
#include "ir/dialect_names.h"

extern const struct ir_bytecode_codec sdy_bytecode;
#define SDY_OP(id) (&sdy_ops[SDY_##id])

#define SDY_ATTR(id) (&sdy_attrs[SDY_ATTR_##id])

/* Syntax of rows (sdy_syntax.c). */
ir_attr sdy_parse_dimension_sharding(ir_parser *p, const ir_attr_def *def);
void sdy_print_dimension_sharding(ir_printer *p, ir_attr attr);
ir_attr sdy_parse_dim_mapping(ir_parser *p, const ir_attr_def *def);
ir_attr sdy_parse_mesh(ir_parser *p, const ir_attr_def *def);
void sdy_print_dim_mapping(ir_printer *p, ir_attr attr);

#endif
