/* eager_impl.h: what the files of eager calls share: rows of functions, and the parts of a
 * call on its way from arguments to a plan. */
#ifndef TILEWRIGHT_RUNTIME_EAGER_EAGER_IMPL_H
#define TILEWRIGHT_RUNTIME_EAGER_EAGER_IMPL_H

#include "ir/op.h"
#include "runtime/plan.h"
#include "support/status.h"
#include "tilewright/eager.h"

/* ---- functions.c: rows of functions -------------------------------------------------- */

/* What an argument of a function is for an operation. */
typedef enum eager_use {
    EAGER_OPERAND,
    EAGER_ATTR,
    EAGER_EITHER, /* an operand if it is a tensor, else the attribute `other` */
    EAGER_DEVICE,
    EAGER_DTYPE,     /* of the results */
    EAGER_LAYOUT,    /* of the results */
    EAGER_PLACEMENT, /* of the results */
    EAGER_LITERAL,   /* the only value that the operation knows */
} eager_use;

typedef struct eager_source {
    eager_use use;
    uint16_t index; /* of the operand group or of the inherent attribute */
    uint16_t other;
    uint8_t parameter;
    bool is_index; /* an operand that is an index: an integer may be given */
    bool edges;    /* four paddings as top, bottom, left, right */
    const char *literal;
} eager_source;

/* An operation that a function may be. */
typedef struct eager_candidate {
    const ir_op_def *def;
    eager_source sources[TW_EAGER_MAX_PARAMETERS];
    size_t n_sources;
} eager_candidate;

enum { EAGER_MAX_CANDIDATES = 4 };

typedef struct eager_function {
    tw_function row; /* first: a tw_function is an eager_function */
    tw_parameter parameters[TW_EAGER_MAX_PARAMETERS];
    /* True if a number given for the parameter becomes a tensor: its value is then no part
     * of a plan. */
    bool scalars[TW_EAGER_MAX_PARAMETERS];
    eager_candidate candidates[EAGER_MAX_CANDIDATES];
    size_t n_candidates;
} eager_function;

/* defaults.c: the attribute that a function means where it is left out, as text; NULL if
 * there is none. "ones" and "zeros" are lists as long as the first operand's rank, "dim 2"
 * is one of its sizes, "last of x" the last size of the operand x. */
const char *eager_default(const ir_op_def *def, const char *attr);
/* ttnn's name of a parameter, by the row's name of what it is; NULL if they are the same.
 */
const char *eager_other_name(const ir_op_def *def, const char *name);
/* True for arguments that choose how a chip computes, not what: any value is accepted. */
bool eager_is_hint(const char *parameter);

/* ---- values.c: arguments ------------------------------------------------------------- */

/* The value as text for messages: "the integer 3", "a tensor of shape (2, 3)". */
void eager_describe(const tw_value *v, tw_strbuf *out);
/* "ttnn.f: argument 'x': expected ..., found ...". */
tw_status eager_wrong(const eager_function *f, size_t parameter, const tw_value *v,
                      const char *expected) TW_NODISCARD;
/* The value as the attribute that the row demands; NULL in *out if it is absent there. */
tw_status eager_attr(ir_context *ctx, const eager_function *f, size_t parameter,
                     const ir_attr_use *use, const tw_value *v, ir_attr *out) TW_NODISCARD;
/* Whether the literal and the value are equal. */
bool eager_is_literal(const char *literal, const tw_value *v);
/* Appends everything of a value that a plan depends on. */
void eager_key(tw_strbuf *key, const tw_value *v, bool scalar);

/* ---- one_step.c: plans --------------------------------------------------------------- */

/* A tensor of a call: an argument, or an item of one that is a list. */
typedef struct eager_input {
    uint8_t parameter;
    int item; /* -1: the argument itself */
    bool scalar;
    tw_dtype dtype; /* of a scalar */
} eager_input;

typedef struct eager_plan {
    rt_plan *plan;
    ir_op *module;
    eager_input *inputs;
    size_t n_inputs, input_capacity, n_results;
    tw_tensor results[TW_EAGER_MAX_RESULTS]; /* without data */
    /* the argument whose placement a result has; -1: its own, which names no cores */
    int placed_as[TW_EAGER_MAX_RESULTS];
    uint64_t hash;
    void *key;
    size_t key_size;
} eager_plan;

/* Plans a call; TW_INVALID and TW_UNSUPPORTED name what is wrong. `say` collects the text
 * of diagnostics of `ctx`. */
tw_status eager_plan_create(ir_context *ctx, tw_strbuf *say, tw_threadpool *pool,
                            const eager_function *f, const tw_value *arguments,
                            eager_plan *out) TW_NODISCARD;
void eager_plan_destroy(eager_plan *plan);

/* ---- host_call.c: functions of the host ---------------------------------------------- */

typedef struct eager_program eager_program;

/* The compiled functions of a session. */
typedef struct eager_host {
    eager_program *programs;
    size_t n;
} eager_host;

/* See tw_eager_host. */
tw_status eager_host_call(eager_host *h, const char *text, size_t size,
                          const tw_tensor *inputs, size_t n, tw_tensor *results,
                          size_t capacity, size_t *out_results) TW_NODISCARD;
void eager_host_drop(eager_host *h);

static inline const tw_value *eager_value_of(const eager_input *in,
                                             const tw_value *arguments)
{
    const tw_value *v = &arguments[in->parameter];
    return in->item < 0 ? v : &v->items[in->item];
}
static inline bool eager_is_number(const tw_value *v)
{
    return v->kind == TW_VALUE_BOOL || v->kind == TW_VALUE_INT || v->kind == TW_VALUE_REAL;
}
static inline bool eager_is_absent(const tw_value *v)
{
    return v->kind == TW_VALUE_ABSENT || v->kind == TW_VALUE_NONE;
}

#endif
