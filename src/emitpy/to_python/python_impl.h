/* python_impl.h: shared by the files of the Python emitter. */
#ifndef TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_IMPL_H
#define TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_IMPL_H

#include "ir/op.h"
#include "support/strbuf.h"

typedef struct py_emitter {
    tw_strbuf *out;
    ir_context *ctx;
    ir_mapping *names;   /* value -> its name, a string attribute */
    ir_mapping *used;    /* names used in the function, by string attribute */
    ir_mapping *globals; /* names of functions and global variables */
    int indent;
} py_emitter;

/* Names a value after the hint, made a valid identifier and unique in its function. */
void py_name_value(py_emitter *e, const ir_value *v, tw_str hint);
bool py_is_identifier(tw_str name);

/* Writes a value: its name, or the expression inlined at its use. */
bool py_put_value(py_emitter *e, ir_value *v);
bool py_put_attr(py_emitter *e, ir_op *op, ir_attr a);
/* Writes the right side of `v = `. */
bool py_put_expression(py_emitter *e, ir_op *op);
/* Writes text in which {} is replaced by an operand and {{ is a brace. */
bool py_put_format(py_emitter *e, ir_op *op, tw_str text);
/* True if a value is written inline at its use instead of getting a name. */
bool py_is_inline(const ir_op *op);

#endif
