/* sdy.h: the sdy dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_SDY_H
#define TILEWRIGHT_DIALECT_SDY_H

#include "ir/op.h"
#include "sdy/sdy_enums.h"

enum {
#define TW_OP(id, ...) SDY_##id,
#include "sdy/sdy.def"
    SDY_OP_COUNT
};

extern const ir_dialect sdy_dialect;
extern const struct ir_bytecode_codec sdy_bytecode;
extern const ir_op_def sdy_ops[];
#define SDY_OP(id) (&sdy_ops[SDY_##id])

enum {
#define TW_ATTR(id, ...) SDY_ATTR_##id,
#include "sdy/sdy.def"
};
extern const ir_attr_def sdy_attrs[];
#define SDY_ATTR(id) (&sdy_attrs[SDY_ATTR_##id])

/* Syntax of rows (sdy_syntax.c). */
ir_attr sdy_parse_dimension_sharding(ir_parser *p, const ir_attr_def *def);
void sdy_print_dimension_sharding(ir_printer *p, ir_attr attr);
ir_attr sdy_parse_dim_mapping(ir_parser *p, const ir_attr_def *def);
ir_attr sdy_parse_mesh(ir_parser *p, const ir_attr_def *def);
void sdy_print_dim_mapping(ir_printer *p, ir_attr attr);

#endif
