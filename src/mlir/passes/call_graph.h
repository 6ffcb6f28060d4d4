/* call_graph.h: functions that have a body, and who calls them. */
#ifndef TILEWRIGHT_MLIR_PASSES_CALL_GRAPH_H
#define TILEWRIGHT_MLIR_PASSES_CALL_GRAPH_H

#include "ir/op.h"

typedef struct called_function {
    ir_op *op;
    ir_op **calls;
    size_t count, capacity;
    bool escapes; /* others than these calls may call it: public, or named elsewhere */
} called_function;

typedef struct call_graph {
    ir_mapping *functions; /* func.func -> index + 1 */
    called_function *list;
    size_t count, capacity;
} call_graph;

/* The functions in `root` and what there names them. */
call_graph call_graph_of(ir_op *root);
void call_graph_free(call_graph *g);
/* NULL for what has no body or is none. */
called_function *call_graph_find(const call_graph *g, const ir_op *function);
/* The function that a func.call calls. */
called_function *call_graph_callee(const call_graph *g, ir_op *call);

#endif
