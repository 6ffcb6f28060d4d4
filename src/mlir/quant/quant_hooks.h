/* quant_hooks.h: functions referenced by the rows of quant.def. */
#ifndef TILEWRIGHT_MLIR_QUANT_QUANT_HOOKS_H
#define TILEWRIGHT_MLIR_QUANT_QUANT_HOOKS_H

#include "ir/bytecode/codec.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

ir_type quant_any_parse(ir_parser *p, const ir_type_def *def);
void quant_any_print(ir_printer *p, ir_type type);
ir_type quant_calibrated_parse(ir_parser *p, const ir_type_def *def);
void quant_calibrated_print(ir_printer *p, ir_type type);
ir_type quant_uniform_parse(ir_parser *p, const ir_type_def *def);
void quant_uniform_print(ir_printer *p, ir_type type);
bool quant_verify(ir_context *ctx, ir_loc loc, ir_type type);
bool quant_cast_verify(ir_op *op); /* quant_cast_verify.c */
/* Minimum and maximum of a signed or unsigned integer of a width. */
void quant_storage_range(uint32_t width, bool is_signed, int64_t *out_min,
                         int64_t *out_max);

extern const ir_bytecode_codec quant_bytecode;

#endif
