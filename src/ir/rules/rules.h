/* rules.h: rules on operations written as data.
 *
 * Most verifiers are lists of "if this holds, report that".  A rule's condition and the
 * holes of its message are expressions over the operation:
 *
 *   input, weight, dim_arg   a declared operand, result or attribute by name; `result` is
 *                            an unnamed result; in a condition absent means false
 *   rank(x) shape(x) dim(x,i) elt(x) type(x) enc(x)   of a value or type
 *   |x|                      length of a list, an operand group or a string
 *   l[i]                     element, negative i from the end
 *   {a, b}                   list; `x in {..}`, `x not in {..}`
 *   and or not == != < <= > >= + - * / %   ? :
 *   each v in x : c, each i < n : c        c for every element; the first that holds fails
 *   given g : c                            c only where g holds
 *
 *   loop v in x, loop i < n ... end        rules in between, for each element
 *
 * and the functions of the tables in rules_types.c and rules_shapes.c.  A message is text
 * with {expression} holes. Rules are evaluated in order; the first condition that holds is
 * the error. */
#ifndef TILEWRIGHT_IR_RULES_RULES_H
#define TILEWRIGHT_IR_RULES_RULES_H

#include "ir/op.h"

/* Result types inferred by rules; unknown if they cannot be inferred. */
enum { CHK_MAX_TYPES = 4096 };
typedef struct chk_types {
    ir_type at[CHK_MAX_TYPES];
    size_t n;
    bool known;
} chk_types;

typedef struct chk_rule {
    const char *when; /* "let x = e" binds a name; "infer e" gives the type of the next
                         result; "else" always holds */
    const char *say;  /* NULL: the operation is valid if the condition holds; a leading '!'
                         reports without the operation's name */
    bool (*run)(ir_op *op);                   /* instead of both: a check in C, */
    bool (*infer)(ir_op *op, chk_types *out); /* or one that also infers the types */
} chk_rule;

typedef IR_LIST_OF(chk_rule) chk_rules;
#define CHK_RULES(...)                                                                     \
    {                                                                                      \
        (const chk_rule[]){__VA_ARGS__},                                                   \
            sizeof((const chk_rule[]){__VA_ARGS__}) / sizeof(chk_rule)                     \
    }

/* For checks in C: reports on `op` and returns false when the condition holds. */
#define CHK_ERROR_IF(condition, ...)                                                       \
    if (condition)                                                                         \
    return ir_op_error(op, __VA_ARGS__)

/* True if the operation satisfies all rules; reports the first violation. */
bool chk_verify(ir_op *op, chk_rules rules);

/* The same, and infers the result types. */
bool chk_infer(ir_op *op, chk_rules rules, chk_types *out);

/* The same for the parameters of a dialect's attribute or type. */
bool chk_verify_attr(ir_context *ctx, ir_loc loc, ir_attr attr, chk_rules rules);
bool chk_verify_type(ir_context *ctx, ir_loc loc, ir_type type, chk_rules rules);

/* True if the expressions of a rule are well-formed and use only names of the row; for the
 * tests of the tables.  `out_what` is set to the offending position. */
bool chk_rule_is_sound(const ir_op_def *def, chk_rules rules, const char **out_what);
/* The rules of an attribute or a type, in lists that end with a row without a mnemonic; the
 * same check of them. */
typedef struct chk_param_rules {
    const char *mnemonic;
    chk_rules rules;
} chk_param_rules;
#define CHK_PARAM_RULES(mnemonic, list)                                                    \
    {                                                                                      \
        mnemonic,                                                                          \
        {                                                                                  \
            list, TW_COUNT(list)                                                           \
        }                                                                                  \
    }
/* Defines `name`, which checks an attribute by `list`. */
#define CHK_VERIFY_ATTR(name, list)                                                        \
    bool name(ir_context *ctx, ir_loc loc, ir_attr attr)                                   \
    {                                                                                      \
        return chk_verify_attr(ctx, loc, attr, (chk_rules){list, TW_COUNT(list)});         \
    }
bool chk_param_rule_is_sound(const ir_param_def *params, size_t n_params, chk_rules rules,
                             const char **out_what);
/* Checks a predicate: its syntax, its words, and that the classes that it names are those
 * of a dialect of the context. */
bool chk_predicate_is_sound(ir_context *ctx, const char *text, const char **out_wrong);

#endif
