/* chlo_hooks.h: hooks referenced by the rows of chlo.def. */
#ifndef TILEWRIGHT_STABLEHLO_CHLO_CHLO_HOOKS_H
#define TILEWRIGHT_STABLEHLO_CHLO_CHLO_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* chlo_scan.c */
void chlo_scan_parse(ir_parser *p, ir_parsed_op *op);
void chlo_scan_print(ir_printer *p, ir_op *op);
void chlo_scan_names(ir_printer *p, ir_op *op);
bool chlo_verify_scan(ir_op *op);
bool chlo_infer_scan(ir_op *op, chk_types *out);

/* chlo_rules.c */
bool chlo_verify(ir_op *op);
bool chlo_verify_inferred(ir_op *op); /* runs after its regions are verified */
/* Infers result types from operands and attributes; unknown for some operations. */
bool chlo_infer(ir_op *op, chk_types *out);
chk_rules chlo_own_rules(const ir_op_def *def);

#endif
