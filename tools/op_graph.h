/* op_graph.h: operations and the values between them as a graph in Graphviz's language. */
#ifndef TILEWRIGHT_TOOLS_OP_GRAPH_H
#define TILEWRIGHT_TOOLS_OP_GRAPH_H

#include "ir/op.h"
#include "support/strbuf.h"

/* A box for each operation inside `top`, an ellipse for each block argument, and an arrow
 * for each operand, labelled with its type. */
void op_graph_write(ir_op *top, tw_strbuf *out);

#endif
