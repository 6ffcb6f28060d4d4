/* affine_hooks.h: functions referenced by the rows of affine.def. */
#ifndef TILEWRIGHT_MLIR_AFFINE_AFFINE_HOOKS_H
#define TILEWRIGHT_MLIR_AFFINE_AFFINE_HOOKS_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

void affine_apply_parse(ir_parser *p, ir_parsed_op *op); /* also min and max */
void affine_apply_print(ir_printer *p, ir_op *op);
void affine_access_parse(ir_parser *p, ir_parsed_op *op); /* loads, stores, prefetch */
void affine_access_print(ir_printer *p, ir_op *op);
void affine_for_parse(ir_parser *p, ir_parsed_op *op);
void affine_for_print(ir_printer *p, ir_op *op);
void affine_if_parse(ir_parser *p, ir_parsed_op *op);
void affine_if_print(ir_printer *p, ir_op *op);
void affine_parallel_parse(ir_parser *p, ir_parsed_op *op);
void affine_parallel_print(ir_printer *p, ir_op *op);

bool affine_apply_verify(ir_op *op); /* also min and max */
bool affine_access_verify(ir_op *op);
bool affine_for_verify(ir_op *op);
bool affine_for_verify_regions(ir_op *op);
bool affine_if_verify(ir_op *op);
bool affine_delinearize_verify(ir_op *op);
bool affine_linearize_verify(ir_op *op);
bool affine_parallel_verify(ir_op *op);
bool affine_yield_verify(ir_op *op);

bool affine_apply_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool affine_min_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool affine_max_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool affine_delinearize_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results);
bool affine_linearize_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results);

/* "(" ssa-list ")" [ "[" ssa-list "]" ]: dimensions, then symbols, all of index type. */
bool affine_parse_map_operands(ir_parser *p, ir_parsed_op *op, uint32_t n_dims,
                               uint32_t n_symbols);
void affine_put_map_operands(ir_printer *p, const ir_op *op, size_t start, size_t count,
                             uint32_t n_dims);
/* Appends the values of expressions: dimensions, then symbols. */
bool affine_add_uses(ir_parser *p, ir_parsed_op *op, const ir_affine_uses *uses);

#endif
