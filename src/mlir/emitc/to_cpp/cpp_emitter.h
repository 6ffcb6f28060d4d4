/* cpp_emitter.h: the emitter of C++, and its choices where a person reads the result. */
#ifndef TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_EMITTER_H
#define TILEWRIGHT_MLIR_EMITC_TO_CPP_CPP_EMITTER_H

#include "ir/op.h"
#include "support/strbuf.h"

typedef struct emitter {
    tw_strbuf *out;
    ir_mapping *names; /* value -> its name */
    uint32_t count;
    int indent, loops;
    const char *function; /* overrides the function's own name, or NULL */
    bool readable;        /* the rest is for this */
    ir_mapping *used;     /* names, by identifier */
    bool modular;         /* what is written is converted to 32 bits where it stands */
    bool typed;           /* a constant needs its type */
    ir_ident file;        /* of the last comment */
    uint32_t line;
    tw_strbuf source; /* the text of `source_file` */
    ir_ident source_file;
} emitter;

/* Prepares names for a function with the attribute emitc.readable. */
void cpp_readable_begin(emitter *e, ir_op *func);
void cpp_readable_end(emitter *e);
/* The name of the value's location, of what is called, or a letter; unused so far. */
const char *cpp_readable_name(emitter *e, const ir_value *v, char letter);
/* True if a value is written where it is used: constants, and arithmetic that is used once.
 */
bool cpp_readable_inline(const emitter *e, const ir_op *op);
/* True if the inner operator, operand i of the outer one, needs parentheses. */
bool cpp_needs_parentheses(const ir_op *inner, const ir_op *outer, uint32_t i);
/* True if the operator's low 32 bits depend on its operands' low 32 bits alone. */
bool cpp_is_modular(const ir_op *op);
/* True for a cast between integers of 32 bits where the result is converted anyway. */
bool cpp_drops_cast(const emitter *e, const ir_op *op);
bool cpp_is_one(const ir_value *v);
/* True for an integer of 32 bits that is more likely a pattern of bits than a number. */
bool cpp_is_pattern(ir_attr value);
/* True for a call of a constructor: T x = T(...). */
bool cpp_makes_object(const ir_op *op);
/* The user's line as a comment, where it is another one than the last. */
void cpp_put_source(emitter *e, const ir_op *op);

#endif
