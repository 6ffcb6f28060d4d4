/* stablehlo.h: the stablehlo dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_STABLEHLO_H
#define TILEWRIGHT_DIALECT_STABLEHLO_H

#include "ir/op.h"
#include "stablehlo/stablehlo_enums.h"

enum {
#define TW_OP(id, ...) STABLEHLO_##id,
#include "stablehlo/stablehlo.def"
    STABLEHLO_OP_COUNT
};

extern const ir_dialect stablehlo_dialect;
extern const struct ir_bytecode_codec stablehlo_bytecode;
extern const ir_op_def stablehlo_ops[];
#define STABLEHLO_OP(id) (&stablehlo_ops[STABLEHLO_##id])

enum {
#define TW_ATTR(id, ...) STABLEHLO_ATTR_##id,
#include "stablehlo/stablehlo.def"
};
extern const ir_attr_def stablehlo_attrs[];
#define STABLEHLO_ATTR(id) (&stablehlo_attrs[STABLEHLO_ATTR_##id])

enum {
#define TW_TYPE(id, ...) STABLEHLO_TYPE_##id,
#include "stablehlo/stablehlo.def"
};
extern const ir_type_def stablehlo_types[];
#define STABLEHLO_TYPE(id) (&stablehlo_types[STABLEHLO_TYPE_##id])

/* Syntax of rows (stablehlo_syntax.c). */
ir_attr stablehlo_parse_conv(ir_parser *p, const ir_attr_def *def);
void stablehlo_print_conv(ir_printer *p, ir_attr attr);
ir_attr stablehlo_parse_result_accuracy(ir_parser *p, const ir_attr_def *def);
void stablehlo_print_result_accuracy(ir_printer *p, ir_attr attr);
ir_attr stablehlo_parse_bounds(ir_parser *p, const ir_attr_def *def);

#endif
