/* directives.h: format strings compiled to a tree of elements (directives.c).
 *
 * One grammar serves operations, attributes and types:
 *   format = { element }
 *   element = `literal` | $var[^] | name | name(args) | custom<Name>(args)
 *           | "(" format ")" [ ":" "(" format ")" ] "?" */
#ifndef TILEWRIGHT_IR_TEXT_DIRECTIVES_H
#define TILEWRIGHT_IR_TEXT_DIRECTIVES_H

#include "support/arena.h"
#include "support/base.h"

typedef enum dir_kind {
    DIR_LITERAL,  /* text */
    DIR_EMPTY,    /* `` */
    DIR_BLANK,    /* ` ` */
    DIR_NEWLINE,  /* `\n` */
    DIR_VAR,      /* $name: var */
    DIR_NAMED,    /* attr-dict, operands, params, ...: text */
    DIR_CALL,     /* type(...), functional-type(...), qualified, ref, struct: text, args */
    DIR_CUSTOM,   /* custom<text>(args) */
    DIR_OPTIONAL, /* args: then; other: else; anchor */
    DIR_OILIST,   /* args: clauses, each a DIR_OPTIONAL without anchor */
    DIR_STRING,   /* "..." as an argument: text */
} dir_kind;

typedef struct dir {
    dir_kind kind;
    tw_str text;
    /* DIR_VAR: the kind of variable (the resolver's own code) and its index. */
    int var_kind, var;
    bool anchor; /* marked ^ */
    struct dir *args, *other;
    uint32_t n_args, n_other;
} dir;

/* Resolves a variable's name; false if there is none. */
typedef bool dir_resolver(void *user, tw_str name, int *kind, int *index);

/* Returns NULL with *error set if the text is malformed. */
dir *dir_compile(tw_arena *arena, const char *format, dir_resolver *resolve, void *user,
                 uint32_t *out_count, const char **error);

/* The two flags that decide blanks when printing. */
typedef struct dir_blanks {
    bool want, punctuation;
} dir_blanks;
/* True if a blank precedes the literal; updates the flags. */
bool dir_blank_before_literal(dir_blanks *b, tw_str literal);
bool dir_blank_before_value(dir_blanks *b);

#endif
