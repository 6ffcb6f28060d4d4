/* ttnn_calls.h: operations of TTNN as calls of ttnn's functions, whatever the language is.
 *
 * A row names the function and its arguments; the language says how operands, attributes
 * and properties of results are written in it. */
#ifndef TILEWRIGHT_TTNN_EMIT_TTNN_CALLS_H
#define TILEWRIGHT_TTNN_EMIT_TTNN_CALLS_H

#include "ir/op.h"
#include "support/strbuf.h"
#include "ttnn/layout.h"

/* The call of an operation. Arguments are separated by commas:
 *
 *   lhs           the operand group or the attribute of that name, nothing without one
 *   dim=dim       the same by keyword; `=dim` for short
 *   'text         text as it is
 *   !name         no argument: the function knows the attribute only left out, as ones
 *                 or as a sum
 *   otherwise     a form of the language's own, such as @dtype for what the result's type
 *                 says */
typedef struct ttnn_call_row {
    const char *callee; /* NULL: the operation's own name */
    const char *args;   /* NULL: there is no such call */
    int results;        /* how its tensors are found in what is returned; the language's */
} ttnn_call_row;

/* Limits of rows, which the build checks. */
enum { TTNN_CALL_ARGS = 64, TTNN_CALL_TEXT = 128 };

typedef struct ttnn_call {
    const struct ttnn_language *language;
    ir_builder b;
    ir_op *op;
    ir_value *operands[TTNN_CALL_ARGS];
    ir_attr args[TTNN_CALL_ARGS]; /* an index is that of an operand */
    ir_attr keywords[TTNN_CALL_ARGS];
    uint32_t n_operands, n_args;
} ttnn_call;

/* Names that both languages write, behind their own prefix. */
typedef enum ttnn_name_kind {
    TTNN_NAME_DTYPE,
    TTNN_NAME_LAYOUT,
    TTNN_NAME_BUFFER,
    TTNN_NAME_MEMORY,
    TTNN_NAME_ORIENTATION,
    TTNN_NAME_FIDELITY,
    TTNN_NAME_TOPOLOGY,
    TTNN_NAME_SCATTER, /* how scatter combines: "add", ...; "" where it overwrites */
    TTNN_NAME_KINDS
} ttnn_name_kind;

/* An attribute that becomes an object with its parameters as fields. */
typedef struct ttnn_structure {
    const ir_attr_def *def;
    const char *type;
} ttnn_structure;

typedef struct ttnn_language {
    const char *name; /* of the language, for messages */
    const char *none, *yes, *no;
    const char *scope;                             /* before types of ttnn */
    const char *prefixes[TTNN_NAME_KINDS];         /* before the names of cases */
    const char *object[2], *list[2];               /* around what makes an object, a list */
    const char *field[2];                          /* around the name of a field */
    const char *floats, *integers, *pair, *ranges; /* types before lists of these */
    const ttnn_structure *structures;              /* the last without def */
    ir_attr (*opaque)(ir_context *ctx, const char *text);
    /* Writes a finite or other number of that type. */
    void (*put_real)(tw_strbuf *out, double v, ir_type type);
    /* Writes an attribute, or an enumeration's case, of which ttnn_put_attr knows nothing;
     * false if there is no such form. The second may be NULL. */
    bool (*put_other)(tw_strbuf *out, ir_attr a);
    bool (*put_enum)(tw_strbuf *out, const ir_enum_def *e, int64_t value);
    /* Likewise a property of a result: neither dtype, layout nor memory. */
    bool (*put_property)(tw_strbuf *out, ir_op *op, const char *name,
                         const ttnn_layout *layout);
    ir_value *(*make_list)(ir_builder *b, ir_value *const *values, uint32_t count);
    const char *words; /* its own forms, "list:", and properties, "@shape", for checks */
    /* An argument in a form of the language's own; NULL after a diagnostic. */
    ir_attr (*own)(ttnn_call *c, const char *source);
} ttnn_language;

/* The row of an operation in a table of all of TTNN; NULL if there is none. */
const ttnn_call_row *ttnn_find_call(const ttnn_call_row *rows, const ir_op_def *def);
/* Fills operands, arguments and keywords; false after a diagnostic. */
bool ttnn_call_arguments(ttnn_call *c, const char *args);
/* True if the arguments of a row name forms of the language and parts of the operation. */
bool ttnn_call_is_sound(const ttnn_language *l, const ir_op_def *def, const char *args,
                        const char **out_wrong);
/* An argument that is a value, and the one for an operand group of the operation. */
ir_attr ttnn_value_arg(ttnn_call *c, ir_value *v);
ir_attr ttnn_group_arg(ttnn_call *c, size_t group);
/* The attribute of an argument from its text, which is freed; where it is not `ok`, a
 * diagnostic that names the part of the operation, and NULL. */
ir_attr ttnn_text_arg(const ttnn_language *language, ir_op *op, const char *name,
                      tw_strbuf *text, bool ok);
/* "failed to legalize operation ...: it is unsupported in ..."; false. */
bool ttnn_no_form(const ttnn_language *language, ir_op *op);

/* The name of an enumeration's case in ttnn, such as "BFLOAT16"; NULL if it has none. */
const char *ttnn_case_name(ttnn_name_kind kind, int64_t value);
/* SCREAMING_SNAKE_CASE of a case's text; questions such as is_inf and softplus are one
 * word. */
void ttnn_put_upper(tw_strbuf *out, const char *text);
/* The name that ttnn gives a parameter of a configuration. */
const char *ttnn_field_name(const ir_param_def *param);
/* The shortest digits that are this number among those of its type, which have a point or
 * an exponent; the number must be finite. */
void ttnn_put_digits(tw_strbuf *out, double v, bool single);

/* ---- attributes: false where one is unsupported
 * ------------------------------------------
 */

bool ttnn_put_attr(const ttnn_language *l, tw_strbuf *out, ir_attr a);
void ttnn_put_integer(const ttnn_language *l, tw_strbuf *out, ir_attr a);
/* [1, 2] */
void ttnn_put_list(const ttnn_language *l, tw_strbuf *out, const int64_t *values, size_t n);
/* A parameter of an attribute of a dialect. */
bool ttnn_put_param(const ttnn_language *l, tw_strbuf *out, const ir_param_def *param,
                    ir_attr a);
bool ttnn_put_case(const ttnn_language *l, tw_strbuf *out, ttnn_name_kind kind,
                   int64_t value);
/* Where a tensor lies: its memory, buffer and, where it is in shards, cores, shape of a
 * shard and orientation; `cores` NULL: it is not. */
bool ttnn_put_memory(const ttnn_language *l, tw_strbuf *out, int64_t memory, int64_t buffer,
                     ir_attr cores, const int64_t shape[2], int64_t order);
/* The same of a type's layout: none on the host. */
bool ttnn_put_layout_memory(const ttnn_language *l, tw_strbuf *out, ir_type type,
                            const ttnn_layout *layout);
/* The texts around what a mesh mapper's or composer's configuration lists. */
typedef struct ttnn_mesh_texts {
    const char *replicate, *shard[2]; /* placements; around a shard's dimension */
    const char *shape[2];             /* around the sizes of the mesh */
} ttnn_mesh_texts;

/* Placements of a mapper's configuration or dimensions of a composer's as a list, and the
 * shape of the mesh, empty where the device's own is meant. */
bool ttnn_put_mesh(const ttnn_language *l, const ttnn_mesh_texts *texts, ir_attr config,
                   tw_strbuf *out_list, tw_strbuf *out_shape);
/* What the type of the first result says: dtype, layout, memory, or a property of the
 * language's own. NULL after a diagnostic. */
ir_attr ttnn_property_arg(const ttnn_language *l, ir_op *op, const char *name);

#endif
