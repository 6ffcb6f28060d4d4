/* ttkernel_to_emitc.h: kernels become calls of the kernel API in emitc: of its functions,
 * or of its newer objects. */
#ifndef TILEWRIGHT_TTKERNEL_TO_EMITC_TTKERNEL_TO_EMITC_H
#define TILEWRIGHT_TTKERNEL_TO_EMITC_TTKERNEL_TO_EMITC_H

#include "ir/op.h"
#include "ir/pass/pass.h"
#include "mlir/emitc/emitc_build.h"

/* The C++ type of a value; the type itself where emitc has it. */
ir_type e_type(ir_type t);
/* One result, by a row of emitc. */
ir_value *e_build(ir_builder *b, const ir_op_def *def, ir_type result,
                  ir_value *const *operands, size_t n);
ir_value *e_cast(ir_builder *b, ir_value *v, ir_type to);

typedef struct e_buffer {
    const ir_block *block;
    char name[32];
} e_buffer;

/* One thread function on its way. */
typedef struct e_state {
    bool objects; /* not functions only */
    bool failed;
    bool readable; /* for a person: names for arguments, see cpp_readable.c */
    tw_str buffer_names, tensor_names; /* by number, with commas between */
    ir_mapping *named;                 /* names of accessors' arguments, by identifier */
    ir_op *func;
    unsigned names;    /* that statements have declared, each with a number of its own */
    unsigned declared; /* objects at the function's start: bits of objects.c */
    e_buffer *buffers; /* declared CircularBuffers */
    size_t n_buffers, buffers_capacity;
} e_state;

/* The n-th of names with commas between them; empty if there are fewer. */
tw_str e_name(tw_str names, int64_t n);
/* Declares the function's compile-time arguments as constants, and gives accessors of
 * tensors the tensors' names. */
void e_name_arguments(e_state *s);
/* A name of its own for an accessor's arguments, after the tensor; false if it has none. */
bool e_accessor_name(e_state *s, const ir_op *op, char out[64]);
/* The constant that is declared for a compile-time argument. */
void e_constant_name(const e_state *s, const ir_op *op, char out[64]);
/* Converts and erases one operation; false if it is not of this family, or after an error
 * (failed is set). */
typedef bool e_convert_fn(ir_op *op, e_state *s);
e_convert_fn e_convert_object, e_convert_transfer, e_convert_kernel, e_convert_arith;
/* Before anything is converted: keeps what types of operands say and converted ones do not:
 * formats of circular buffers, and numbers of those that are runtime arguments. */
void e_note_operands(e_state *s);

/* ---- for all families ---------------------------------------------------------------- */

enum { E_CAPACITY = 12 };

/* Operands of a call in the making. */
typedef struct e_call {
    ir_value *at[E_CAPACITY];
    size_t count;
} e_call;

void e_push(e_call *c, ir_value *v);
/* All members of an operation's operand. */
void e_push_group(const ir_op *op, const char *name, e_call *c);
/* A statement as text; each {} is replaced by the next argument, {{ for a brace. */
void e_statement(ir_builder *b, const char *text, ir_value *const *args, size_t n);
/* emitc.call_opaque; NULL for no result, no template arguments. */
ir_value *e_call_opaque(ir_builder *b, const char *callee, ir_type type, const e_call *c,
                        ir_attr template_args);
/* The operation is done: what it gave is `by`. */
void e_replace(ir_op *op, ir_value *by);
/* A float of the bits that an expression gives, in which {} is `bits`. */
ir_value *e_float_of(ir_builder *b, e_state *s, const char *expression, ir_value *bits);
/* Reports an operation that C++ cannot express; the conversion has failed. */
void e_refuse(ir_op *op, e_state *s);
/* A constant's value; false if it is none. */
bool e_known(const ir_value *v, int64_t *out);

#endif
