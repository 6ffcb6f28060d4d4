/* results.h: the types of an operation's results from its operands and attributes.
 *
 * TTNN's operations state their results' types; callers that have only operands, such as
 * eager calls, infer them. Types have no layouts: where a result lies is the caller's
 * choice. */
#ifndef TILEWRIGHT_TTNN_RESULTS_H
#define TILEWRIGHT_TTNN_RESULTS_H

#include "ir/rules/rules.h"

/* Infers the type of every result of an operation that was created without results. False
 * after a diagnostic; out->known is false if the row has no such rule. */
bool ttnn_infer_results(ir_op *op, chk_types *out);

/* The rules of a row; none if its results' types cannot be inferred. */
chk_rules ttnn_result_rules(const ir_op_def *def);

#endif
