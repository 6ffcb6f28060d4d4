/* ttnn_calls.h: operations of TTNN as calls of ttnn's functions, whatever the language is.
 *
 * A row names the function and its arguments; the language says how operands, attributes
 * and properties of results are written in it. */
#ifndef TILEWRIGHT_CONVERT_TTNN_CALLS_H
#define TILEWRIGHT_CONVERT_TTNN_CALLS_H

#include "ir/op.h"
#include "support/strbuf.h"

/* What stands for an operation. Arguments are separated by commas:
 *
 *   lhs           the operand group or the attribute of that name, nothing without one
 *   dim=dim       the same by keyword; `=dim` for short
 *   'text         text as it is
 *   !name         no argument: the function knows the attribute only left out, as ones
 *                 or as a sum
 *   otherwise     a form of the language's own, such as @dtype for what the result's type
 *                 says */
typedef struct ttnn_call_row {
    const ir_op_def *def;
    const char *callee; /* NULL: the operation's own name */
    const char *args;
    int results; /* how its tensors are found in what is returned; the language's */
} ttnn_call_row;

enum { TTNN_CALL_ARGS = 64 };

typedef struct ttnn_call {
    const struct ttnn_language *language;
    ir_builder b;
    ir_op *op;
    ir_value *operands[TTNN_CALL_ARGS];
    ir_attr args[TTNN_CALL_ARGS]; /* an index is that of an operand */
    ir_attr keywords[TTNN_CALL_ARGS];
    uint32_t n_operands, n_args;
} ttnn_call;

typedef struct ttnn_language {
    const char *name; /* of the language, for messages */
    const char *none, *yes, *no;
    ir_attr (*opaque)(ir_context *ctx, const char *text);
    /* Writes an attribute, or the operation's attribute of that name; false if there is no
     * such form. */
    bool (*put)(tw_strbuf *out, ir_attr a);
    ir_value *(*list)(ir_builder *b, ir_value *const *values, uint32_t count);
    /* An argument in a form of the language's own; NULL after a diagnostic. */
    ir_attr (*own)(ttnn_call *c, const char *source);
} ttnn_language;

/* The row of an operation; rows end with one without def. NULL if there is none. */
const ttnn_call_row *ttnn_find_call(const ttnn_call_row *rows, const ir_op_def *def);
/* Fills operands, arguments and keywords; false after a diagnostic. */
bool ttnn_call_arguments(ttnn_call *c, const char *args);
/* An argument that is a value, and the one for an operand group of the operation. */
ir_attr ttnn_value_arg(ttnn_call *c, ir_value *v);
ir_attr ttnn_group_arg(ttnn_call *c, size_t group);
/* The attribute of an argument from its text, which is freed; where it is not `ok`, a
 * diagnostic that names the part of the operation, and NULL. */
ir_attr ttnn_text_arg(const ttnn_language *language, ir_op *op, const char *name,
                      tw_strbuf *text, bool ok);
/* "failed to legalize operation ...: it has no form in ... yet"; false. */
bool ttnn_no_form(const ttnn_language *language, ir_op *op);

/* ---- names that both languages write, behind their own prefix -------------------------
 */

typedef enum ttnn_name_kind {
    TTNN_NAME_DTYPE,
    TTNN_NAME_LAYOUT,
    TTNN_NAME_BUFFER,
    TTNN_NAME_MEMORY,
    TTNN_NAME_ORIENTATION,
    TTNN_NAME_FIDELITY,
    TTNN_NAME_TOPOLOGY,
    TTNN_NAME_SCATTER, /* how scatter combines: "add", ...; "" where it overwrites */
} ttnn_name_kind;

/* The name of an enumeration's case in ttnn, such as "BFLOAT16"; NULL if it has none. */
const char *ttnn_case_name(ttnn_name_kind kind, int64_t value);
/* The shortest digits that are this number among those of its type, which have a point or
 * an exponent; the number must be finite. */
void ttnn_put_digits(tw_strbuf *out, double v, bool single);

#endif
