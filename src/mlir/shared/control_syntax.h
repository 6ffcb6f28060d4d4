/* control_syntax.h: the text of structured control flow, shared by scf, affine, emitc and
 * stablehlo. */
#ifndef TILEWRIGHT_MLIR_SHARED_CONTROL_SYNTAX_H
#define TILEWRIGHT_MLIR_SHARED_CONTROL_SYNTAX_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* ssa "=" ssa "to" ssa "step" ssa [iter_args(ssa "=" ssa, ...) "->" types] [":" type]
 * region dict */
void ir_parse_for_op(ir_parser *p, ir_parsed_op *op);
void ir_print_for_op(ir_printer *p, ir_op *op);
/* ssa ["->" types] region ["else" region] dict */
void ir_parse_if_op(ir_parser *p, ir_parsed_op *op);
void ir_print_if_op(ir_printer *p, ir_op *op);
/* region ["else" region] */
bool ir_parse_then_else(ir_parser *p, ir_parsed_op *op);
void ir_put_then_else(ir_printer *p, ir_op *op, bool terminators);

/* ( name "=" start , ... ): pairs of region arguments and their start values. */
typedef struct ir_carried {
    ir_parsed_arg *args;
    ir_ssa_use *starts;
    uint32_t count, capacity;
} ir_carried;
bool ir_parse_carried(ir_parser *p, ir_carried *out);
/* Appends their types, values and results to the operation, and their arguments to `args`;
 * there must be as many types as pairs. */
bool ir_add_carried(ir_parser *p, ir_parsed_op *op, ir_carried *carried,
                    const ir_type_list *types, ir_arg_list *args);
void ir_put_carried(ir_printer *p, const ir_block *block, size_t first_arg, const ir_op *op,
                    size_t first_operand, size_t count);
/* "(" ssa , ... ")": the induction variables of a multi-dimensional loop, of index type;
 * the first `count` arguments of its body. */
bool ir_parse_loop_ids(ir_parser *p, ir_arg_list *args);
void ir_put_loop_ids(ir_printer *p, const ir_block *body, uint32_t count);
/* " -> (t, u)": always in parentheses; nothing without results. */
void ir_put_results_in_parens(ir_printer *p, const ir_op *op);

#endif
