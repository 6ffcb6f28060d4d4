/* scf_hooks.h: functions referenced by the rows of scf.def. */
#ifndef TILEWRIGHT_MLIR_SCF_SCF_HOOKS_H
#define TILEWRIGHT_MLIR_SCF_SCF_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void scf_while_parse(ir_parser *p, ir_parsed_op *op);
void scf_while_print(ir_printer *p, ir_op *op);
void scf_execute_region_parse(ir_parser *p, ir_parsed_op *op);
void scf_execute_region_print(ir_printer *p, ir_op *op);
void scf_parallel_parse(ir_parser *p, ir_parsed_op *op);
void scf_parallel_print(ir_printer *p, ir_op *op);
void scf_forall_parse(ir_parser *p, ir_parsed_op *op);
void scf_forall_print(ir_printer *p, ir_op *op);
void scf_in_parallel_parse(ir_parser *p, ir_parsed_op *op);
void scf_in_parallel_print(ir_printer *p, ir_op *op);

bool scf_for_verify(ir_op *op);
bool scf_for_verify_regions(ir_op *op);
bool scf_branch_verify_regions(ir_op *op); /* if, execute_region, index_switch */
bool scf_index_switch_verify(ir_op *op);
bool scf_while_verify_regions(ir_op *op);
bool scf_in_parallel_verify(ir_op *op);
bool scf_parallel_verify(ir_op *op);
bool scf_reduce_verify_regions(ir_op *op);
bool scf_reduce_return_verify(ir_op *op);
bool scf_forall_verify(ir_op *op);

#endif
