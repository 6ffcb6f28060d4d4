/* rules_impl.h: declarations shared by the files of rules.h: parsed expressions, their
 * values, and the evaluator's state. */
#ifndef TILEWRIGHT_IR_RULES_RULES_IMPL_H
#define TILEWRIGHT_IR_RULES_RULES_IMPL_H

#include "ir/rules/rules.h"
#include "support/arena.h"

enum { CHK_CAPACITY = 64, CHK_LETS = 48, CHK_ARGUMENTS = 3 };

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

/* The state of an evaluation: what is checked, and the values of bound names. */
typedef struct chk_state {
    ir_context *ctx;
    ir_loc loc;
    ir_op *op;                  /* the checked operation, */
    const ir_param_def *params; /* or the parameters of an attribute or type */
    size_t n_params;
    ir_attr attr;
    ir_type type;
    chk_types *types; /* inferred; NULL if not requested */
    size_t used;
    tw_arena longer; /* list elements beyond the pool */
    chk_val slots[CHK_LETS];
    int64_t pool[4096]; /* list elements */
} chk_state;

/* A function of the rules: its name, the number of its arguments, and its implementation.
 * The tables end with a row without a name. */
typedef struct chk_function {
    const char *name;
    uint32_t args;
    chk_val (*fn)(chk_state *r, const chk_val *a);
} chk_function;

/* A condition on a type or an attribute, one of them NULL; and a value of what a predicate
 * is about, the state's type or attribute. */
typedef struct chk_node chk_node;
typedef bool chk_test(const chk_node *n, ir_type type, ir_attr attr);
typedef chk_val chk_subject(chk_state *r, const chk_node *n);

extern const chk_function chk_type_functions[];  /* values, types, attributes, layouts */
extern const chk_function chk_shape_functions[]; /* integers, texts, lists, shapes */

/* ---- parsed expressions */

/* Longer signs before their prefixes. */
typedef enum chk_sign {
    CHK_SIGN_NONE,
    CHK_SIGN_OR,
    CHK_SIGN_AND,
    CHK_SIGN_NOT_IN,
    CHK_SIGN_IN,
    CHK_SIGN_EQ,
    CHK_SIGN_NE,
    CHK_SIGN_LE,
    CHK_SIGN_GE,
    CHK_SIGN_LT,
    CHK_SIGN_GT,
    CHK_SIGN_PLUS,
    CHK_SIGN_MINUS,
    CHK_SIGN_TIMES,
    CHK_SIGN_OVER,
    CHK_SIGN_REST,
} chk_sign;

typedef enum chk_node_kind {
    CHK_NODE_NONE, /* after a mistake */
    CHK_NODE_INT,
    CHK_NODE_BOOL,
    CHK_NODE_REAL,
    CHK_NODE_TEXT,
    CHK_NODE_SLOT,  /* index: of a bound name */
    CHK_NODE_PARAM, /* index: in the row, as of the next three */
    CHK_NODE_OPERAND,
    CHK_NODE_RESULT,
    CHK_NODE_PROPERTY,
    CHK_NODE_CALL,     /* function(items) */
    CHK_NODE_LIST,     /* {items} */
    CHK_NODE_ITEM,     /* a[b] */
    CHK_NODE_LENGTH,   /* |a| */
    CHK_NODE_NEGATIVE, /* -a */
    CHK_NODE_NOT,      /* not a */
    CHK_NODE_AND,      /* b is evaluated only if a does not decide */
    CHK_NODE_OR,
    CHK_NODE_AMONG,      /* a in b, a not in b */
    CHK_NODE_COMPARED,   /* a sign b */
    CHK_NODE_ARITHMETIC, /* a sign b */
    CHK_NODE_CHOICE,     /* a ? b : c */
    CHK_NODE_GIVEN,      /* given a : b */
    CHK_NODE_EACH,       /* each name in a : b; counted: each name < a : b */
    CHK_NODE_TEST,       /* test: a word of a predicate */
    CHK_NODE_SUBJECT,    /* by(a): a part or a number of what a predicate is about */
    CHK_NODE_NAME,       /* a name, or a call of it with items, of a language of its own */
} chk_node_kind;

struct chk_node {
    chk_node_kind kind;
    chk_sign sign;
    bool counted;
    uint32_t index, n; /* n items */
    const chk_node *a, *b, *c;
    union {
        int64_t integer;
        double real;
        tw_str text;
        struct {
            const chk_node **items;
            union {
                const chk_function *function;
                tw_str name; /* CHK_NODE_NAME; without items: not a call */
            };
        };
        struct {
            chk_test *test;
            tw_str word;    /* its text, or the name in parentheses */
            int64_t number; /* width, bits of kinds */
            int64_t sign_of;
        };
        chk_subject *by;
    };
};

/* A bound name, visible to the expressions behind it. */
typedef struct chk_scope {
    tw_str name;
    uint32_t slot;
    const struct chk_scope *outer;
} chk_scope;

typedef struct chk_parser chk_parser;
struct chk_parser {
    tw_arena *arena; /* of nodes and scopes */
    /* What names mean, instead of parts of the row and functions; NULL: a mistake. */
    chk_node *(*word)(chk_parser *p, tw_str name);
    const ir_op_def *def;
    const ir_param_def *params; /* or the parameters of an attribute or type */
    size_t n_params;
    const char *at;
    const char *wrong; /* position of a mistake */
    const chk_scope *scope;
    uint32_t n_slots;
};

/* Each parses at p->at; after a mistake p->wrong is set, and the node means nothing. */
chk_node *chk_expression(chk_parser *p);
chk_node *chk_sum(chk_parser *p);
chk_node *chk_condition(chk_parser *p); /* names of `each` stay bound, for the message */
/* "name in list" or "name < count": the range; binds the name. */
chk_node *chk_range(chk_parser *p, uint32_t *out_slot, bool *out_counted);
tw_str chk_name_here(chk_parser *p);
/* Binds a name to the next slot and returns that. */
uint32_t chk_bind(chk_parser *p, tw_str name);
chk_node *chk_make(chk_parser *p, chk_node_kind kind, const chk_node *a, const chk_node *b);
/* Expressions up to the closing sign, as items of the node. */
void chk_items(chk_parser *p, const char *close, chk_node *list, size_t max);
/* A name or a text before ")", behind which it reads on; NULL if there is none. */
const chk_node *chk_argument_text(chk_parser *p);
/* Consumes the sign or word if it is next. */
bool chk_symbol(chk_parser *p, const char *s);
bool chk_at_end(chk_parser *p);
void chk_wrong(chk_parser *p);

/* ---- evaluation */

chk_val chk_value(chk_state *r, const chk_node *node);
bool chk_condition_holds(chk_state *r, const chk_node *node);
/* Initialises everything but slots and pool, which are written before they are read. */
void chk_begin(chk_state *r, ir_context *ctx, ir_loc loc);
/* Frees what lists took, and returns `holds`. */
bool chk_end(chk_state *r, bool holds);
/* How many items a range has. */
int64_t chk_count(chk_val over);

/* The value of an attribute: an integer, text, list or type if it is one. */
chk_val chk_of_attr(chk_state *r, ir_attr a);
/* The same for a parameter; one that stores the value of an enum's case gives the case's
 * text. */
chk_val chk_of_param(chk_state *r, const ir_param_def *def, ir_attr a);

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

/* Allocates list elements. */
static inline int64_t *chk_alloc(chk_state *r, size_t n)
{
    if (n > TW_COUNT(r->pool) - r->used)
        return TW_ARENA_ARRAY(&r->longer, int64_t, n);
    r->used += n;
    return r->pool + r->used - n;
}

static inline chk_val chk_list_of(chk_state *r, const int64_t *items, size_t n)
{
    int64_t *copy = chk_alloc(r, n);
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
