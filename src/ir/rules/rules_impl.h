/* rules_impl.h: declarations shared by the files of rules.h: the values of expressions, and
 * the evaluator's state. */
#ifndef TILEWRIGHT_IR_RULES_RULES_IMPL_H
#define TILEWRIGHT_IR_RULES_RULES_IMPL_H

#include "ir/rules/rules.h"

enum { CHK_CAPACITY = 64, CHK_LETS = 48 };

typedef enum chk_kind {
    CHK_NONE, /* absent */
    CHK_INT,
    CHK_REAL,
    CHK_STR,
    CHK_LIST, /* integers */
    CHK_TYPE,
    CHK_VALUE,
    CHK_GROUP, /* values of a variadic operand or result */
    CHK_ATTR,
} chk_kind;

typedef struct chk_val {
    chk_kind kind;
    bool is_bool; /* a boolean result, or a boolean attribute */
    int64_t i;    /* CHK_INT; CHK_LIST, CHK_GROUP: length */
    double real;
    tw_str str;
    ir_type type;
    ir_value *value;
    ir_attr attr;
    const int64_t *list;
    const ir_operand *operands; /* CHK_GROUP */
    ir_value *results;          /* CHK_GROUP of results */
} chk_val;

typedef struct chk_reading {
    ir_context *ctx; /* NULL if only the syntax is checked */
    ir_loc loc;
    ir_op *op; /* the checked operation, */
    const ir_op_def *def;
    const ir_param_def *params; /* or the parameters of an attribute or type */
    size_t n_params;
    ir_attr attr;
    ir_type type;
    const char *at;
    int skip;
    const char *wrong; /* position of a syntax error */
    struct {
        tw_str name;
        chk_val value;
    } lets[CHK_LETS];
    int n_lets;
    chk_types *types;   /* inferred; NULL if not requested */
    int64_t pool[4096]; /* list elements */
    size_t used;
} chk_reading;

/* A function of the rules: its name, the number of its arguments, and its implementation.
 * The tables end with a row without a name. */
typedef struct chk_function {
    const char *name;
    int args;
    chk_val (*fn)(chk_reading *r, const chk_val *a);
} chk_function;

extern const chk_function chk_type_functions[];  /* values, types, attributes, layouts */
extern const chk_function chk_shape_functions[]; /* integers, texts, lists, shapes */

/* The value of an attribute: an integer, text, list or type if it is one. */
chk_val chk_of_attr(chk_reading *r, ir_attr a);
/* The same for a parameter; one that stores the value of an enum's case gives the case's
 * text. */
chk_val chk_of_param(chk_reading *r, const ir_param_def *def, ir_attr a);

/* Parses and evaluates at r->at; r->wrong is set on a syntax error. */
chk_val chk_expression(chk_reading *r);
chk_val chk_sum(chk_reading *r);
tw_str chk_name_here(chk_reading *r);
chk_val chk_wrong(chk_reading *r);

static inline void chk_blanks(chk_reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* Consumes the sign or word if it is next.  In most cases the first character decides. */
bool chk_symbol_here(chk_reading *r, const char *s);
static inline bool chk_symbol(chk_reading *r, const char *s)
{
    chk_blanks(r);
    return *r->at == *s && chk_symbol_here(r, s);
}

static inline chk_val chk_none(void)
{
    return (chk_val){.kind = CHK_NONE};
}
static inline chk_val chk_integer(int64_t i)
{
    return (chk_val){.kind = CHK_INT, .i = i};
}
static inline chk_val chk_bool(bool b)
{
    return (chk_val){.kind = CHK_INT, .i = b, .is_bool = true};
}

/* Allocates list elements; NULL if the pool is exhausted. */
static inline int64_t *chk_alloc(chk_reading *r, size_t n)
{
    static const size_t most = TW_COUNT(((chk_reading *)0)->pool);
    if (n > most - r->used)
        return NULL;
    r->used += n;
    return r->pool + r->used - n;
}

static inline chk_val chk_list_of(chk_reading *r, const int64_t *items, size_t n)
{
    int64_t *copy = chk_alloc(r, n);
    if (!copy)
        return chk_none();
    if (n)
        memcpy(copy, items, n * sizeof *items);
    return (chk_val){.kind = CHK_LIST, .list = copy, .i = (int64_t)n};
}

/* True if the value counts as true: present, and not false or an empty group. */
static inline bool chk_holds(chk_val v)
{
    switch (v.kind) {
    case CHK_NONE:
        return false;
    case CHK_INT:
        return !v.is_bool || v.i;
    case CHK_GROUP:
        return v.i > 0;
    default:
        return true;
    }
}

static inline ir_type chk_type_of(chk_val v)
{
    return v.kind == CHK_VALUE ? v.value->type : v.kind == CHK_TYPE ? v.type : NULL;
}

static inline chk_val chk_of_value(ir_value *v)
{
    return (chk_val){.kind = CHK_VALUE, .value = v, .type = v->type};
}

/* An element of a list or group; counted from the end if i is negative. */
static inline chk_val chk_item(chk_val v, int64_t i)
{
    if (v.kind != CHK_LIST && v.kind != CHK_GROUP)
        return chk_none();
    if (i < 0)
        i += v.i;
    if (i < 0 || i >= v.i)
        return chk_none();
    if (v.kind == CHK_LIST)
        return chk_integer(v.list[i]);
    return chk_of_value(v.operands ? v.operands[i].value : &v.results[i]);
}

#endif
