/* describe.h: a description of an operation's row, for editors and for the reference. */
#ifndef TILEWRIGHT_TOOLS_DESCRIBE_H
#define TILEWRIGHT_TOOLS_DESCRIBE_H

#include "ir/dialect.h"
#include "support/strbuf.h"

/* Markdown: the name, operands, attributes, results and regions with their constraints. */
void describe_op(const ir_op_def *def, tw_strbuf *out);

#endif
