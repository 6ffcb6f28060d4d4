/* call_graph.h: functions that have a body, and their callers. */
#ifndef TILEWRIGHT_MLIR_PASSES_CALL_GRAPH_H
#define TILEWRIGHT_MLIR_PASSES_CALL_GRAPH_H

#include "ir/op.h"

typedef struct called_function {
    ir_op *op;
    ir_op **calls;
    size_t count, capacity;
    bool escapes; /* may have other callers than these: public, or referenced outside of
                     calls */
} called_function;

typedef struct call_graph {
    ir_mapping *functions; /* func.func -> index + 1 */
    called_function *list;
    size_t count, capacity;
} call_graph;

/* Collects the functions in `root` and the references to them there. */
call_graph call_graph_of(ir_op *root);
void call_graph_free(call_graph *g);
/* Returns NULL for functions without a body and other operations. */
called_function *call_graph_find(const call_graph *g, const ir_op *function);
/* The function that a func.call calls. */
called_function *call_graph_callee(const call_graph *g, ir_op *call);

#endif
