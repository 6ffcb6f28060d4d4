/* python_impl.h: what the files of the Python emitter share. */
#ifndef TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_IMPL_H
#define TILEWRIGHT_EMITPY_TO_PYTHON_PYTHON_IMPL_H

#include "ir/op.h"
#include "support/strbuf.h"

typedef struct py_emitter {
    tw_strbuf *out;
    ir_context *ctx;
    ir_mapping *names;   /* value -> its name, a string attribute */
    ir_mapping *used;    /* names of the function, by string attribute */
    ir_mapping *globals; /* names of functions and global variables */
    int indent;
} py_emitter;

/* Gives a value the hinted name, changed as needed: to an identifier, to one of its own. */
void py_name_value(py_emitter *e, const ir_value *v, tw_str hint);
bool py_is_identifier(tw_str name);

/* Writes a value: its name, or the expression it stands for. */
bool py_put_value(py_emitter *e, ir_value *v);
bool py_put_attr(py_emitter *e, ir_op *op, ir_attr a);
/* What stands on the right of `v = `. */
bool py_put_expression(py_emitter *e, ir_op *op);
/* {} in the text stands for an operand, {{ for a brace. */
bool py_put_format(py_emitter *e, ir_op *op, tw_str text);
/* Whether a value is written where it is used instead of getting a name. */
bool py_is_inline(const ir_op *op);

#endif
