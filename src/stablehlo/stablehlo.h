/* stablehlo.h: the stablehlo dialect: symbols of its rows. */
#ifndef TILEWRIGHT_STABLEHLO_STABLEHLO_H
#define TILEWRIGHT_STABLEHLO_STABLEHLO_H

#include "stablehlo/stablehlo_enums.h"

#define IR_DIALECT stablehlo
#define IR_PREFIX STABLEHLO
#define IR_ROWS "stablehlo/stablehlo.def"
#include "ir/dialect_names.h"

extern const struct ir_bytecode_codec stablehlo_bytecode;
#define STABLEHLO_OP(id) (&stablehlo_ops[STABLEHLO_##id])

#define STABLEHLO_ATTR(id) (&stablehlo_attrs[STABLEHLO_ATTR_##id])

#define STABLEHLO_TYPE(id) (&stablehlo_types[STABLEHLO_TYPE_##id])

static inline bool stablehlo_is_token(ir_type type)
{
    return type->kind == IR_TYPE_DIALECT && type->def == STABLEHLO_TYPE(token);
}

/* Syntax of rows (stablehlo_syntax.c). */
ir_attr stablehlo_parse_conv(ir_parser *p, const ir_attr_def *def);
void stablehlo_print_conv(ir_printer *p, ir_attr attr);
ir_attr stablehlo_parse_result_accuracy(ir_parser *p, const ir_attr_def *def);
void stablehlo_print_result_accuracy(ir_printer *p, ir_attr attr);
ir_attr stablehlo_parse_bounds(ir_parser *p, const ir_attr_def *def);

#endif
