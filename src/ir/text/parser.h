/* ir/text/parser.h: the reader's parts, for the files in this folder and for the
 * hand-written syntax of operations, attributes and types.
 *
 * Convention: functions that parse return false (or NULL) after having reported; the first
 * error ends the parse.  ir_accept_* consume a token and return true if it is present.
 * `p->failed` stays set after an error, and every function fails fast once it is. */
#ifndef TILEWRIGHT_IR_TEXT_PARSER_H
#define TILEWRIGHT_IR_TEXT_PARSER_H

#include "ir/op.h"

typedef enum ir_token_kind {
    IR_TOK_EOF,
    IR_TOK_ERROR,
    IR_TOK_BARE_ID,   /* [A-Za-z_][A-Za-z0-9_$.]* */
    IR_TOK_VALUE,     /* %name */
    IR_TOK_CARET,     /* ^name */
    IR_TOK_AT,        /* @name or @"name" */
    IR_TOK_HASH,      /* #name (dots included) */
    IR_TOK_BANG,      /* !name (dots included) */
    IR_TOK_INTEGER,   /* 12, 0x1F */
    IR_TOK_FLOAT,     /* 1.5, 1.e-3 */
    IR_TOK_STRING,    /* "..." with quotes in the spelling */
    IR_TOK_ARROW,     /* -> */
    IR_TOK_ELLIPSIS,  /* ... */
    IR_TOK_FILE_META, /* {-# and #-} */
    IR_TOK_FILE_META_END,
    IR_TOK_PUNCT, /* one character: ( ) { } [ ] < > , : = ? + - * / | ; & $ ... */
} ir_token_kind;

typedef struct ir_token {
    uint8_t kind;
    char punct; /* of IR_TOK_PUNCT */
    uint32_t size;
    const char *at; /* spelling, inside the source */
} ir_token;

typedef struct ir_ssa_use { /* %name#number */
    tw_str name;            /* without % */
    uint32_t number;
    const char *at;
} ir_ssa_use;

struct ir_parser {
    ir_context *ctx;
    const char *begin, *end;
    const char *cursor; /* after the current token */
    ir_token tok;       /* the current token */
    bool failed;
    bool quiet; /* an outer attempt discards errors (never nested) */
    ir_ident file;
    struct ir_alias_table *aliases; /* #name and !name definitions */
    struct ir_op_scopes *scopes;    /* the operation reader's state */
    /* line cache for locations: positions only grow in one parse */
    const char *line_start, *line_seen; /* positions in between are on the same line */
    uint32_t line;
    const ir_op_def *custom_op; /* the operation whose custom syntax is being read, outside
                                   of `#d.attr<>` */
    int depth; /* of nesting, bounded so that hostile input cannot exhaust the stack */
};

enum { IR_MAX_NESTING = 512 };

/* ---- lexer (lexer.c) ---------------------------------------------------------------- */

/* Without a name the text itself is used as the name, as MLIR does for types and attributes
 * alone. */
void ir_lex_start(ir_parser *p, ir_context *ctx, tw_str text, const char *name);
void ir_next(ir_parser *p); /* advances to the next token; skips comments and blanks */
/* Restarts at a position inside the source (to re-read `4x8xf32`). */
void ir_lex_at(ir_parser *p, const char *at);
ir_loc ir_loc_at(ir_parser *p, const char *at);
static inline tw_str ir_tok_str(const ir_parser *p)
{
    return (tw_str){p->tok.at, p->tok.size};
}
static inline bool ir_at_punct(const ir_parser *p, char c)
{
    return p->tok.kind == IR_TOK_PUNCT && p->tok.punct == c;
}
bool ir_at_keyword(const ir_parser *p, const char *word);
/* Unescapes a string token (quotes included); the result lives in the context's arena. */
bool ir_unescape(ir_parser *p, ir_token token, tw_str *out);

/* Reports "<file>:<line>:<col>: error: text" at a position; returns false. */
bool ir_fail(ir_parser *p, const char *at, const char *format, ...) TW_PRINTF(3, 4);
bool ir_fail_here(ir_parser *p, const char *format, ...) TW_PRINTF(2, 3);
/* Like ir_fail, but within an operation's custom syntax the message names the operation:
 * for errors of the syntax itself, unlike those of reading types and attributes in full. */
bool ir_fail_own(ir_parser *p, const char *at, const char *format, ...) TW_PRINTF(3, 4);
/* Reports at the current token what failed as a consequence of the error reported before;
 * within an operation's custom syntax it names the operation. */
bool ir_fail_also(ir_parser *p, const char *format, ...) TW_PRINTF(2, 3);
bool ir_fail_also_at(ir_parser *p, const char *at, const char *format, ...) TW_PRINTF(3, 4);

bool ir_accept_punct(ir_parser *p, char c);
bool ir_expect_punct(ir_parser *p, char c); /* "expected ','" */
bool ir_accept_arrow(ir_parser *p);
bool ir_expect_arrow(ir_parser *p);
bool ir_accept_keyword(ir_parser *p, const char *word);
bool ir_expect_keyword(ir_parser *p, const char *word);
/* Any bare identifier (keywords too). */
bool ir_parse_keyword(ir_parser *p, tw_str *out);
bool ir_accept_any_keyword(ir_parser *p, tw_str *out);
/* A keyword or a quoted string. */
bool ir_parse_keyword_or_string(ir_parser *p, tw_str *out);
bool ir_parse_string(ir_parser *p, tw_str *out);
bool ir_accept_string(ir_parser *p, tw_str *out);
/* [-] integer; "integer value too large" beyond 64 bits. */
bool ir_parse_int(ir_parser *p, int64_t *out);
bool ir_accept_int(ir_parser *p, int64_t *out, bool *present);
bool ir_parse_real(ir_parser *p, double *out); /* [-] float or integer or hex bits */
/* 4x8x?x: dims with (or without) trailing x; dynamic dims if allowed. */
typedef struct ir_dims {
    int64_t *at;
    uint32_t count, capacity;
} ir_dims; /* arena memory */
void ir_dims_add(ir_parser *p, ir_dims *list, int64_t value);
bool ir_parse_dims(ir_parser *p, ir_dims *out, bool allow_dynamic, bool trailing_x);
/* "[" [ int , ... ] "]" */
bool ir_parse_int_list(ir_parser *p, ir_dims *out);
/* ( item , ... ) between delimiters ("()", "[]", "{}", "<>", "" = none); may be empty if
 * there are delimiters. */
typedef bool ir_list_item(ir_parser *p, void *user);
bool ir_parse_list(ir_parser *p, const char *delimiters, ir_list_item *item, void *user);

/* ---- types and attributes (parse_type.c, parse_attr.c) ------------------------------ */

ir_type ir_parse_a_type(ir_parser *p);
/* NULL without error if no type starts here. */
ir_type ir_accept_a_type(ir_parser *p);
/* ":" type */
ir_type ir_parse_colon_type(ir_parser *p);
/* `type` is the type of a typed attribute if the text has none; may be NULL. */
ir_attr ir_parse_an_attr(ir_parser *p, ir_type type);
/* { name [= attr], ... }; appends.  The "{" is required unless optional. */
typedef struct ir_attr_list {
    ir_named_attr *at;
    const char **where; /* positions of the names */
    uint32_t count, capacity;
} ir_attr_list;
bool ir_parse_attr_dict(ir_parser *p, ir_attr_list *out);
bool ir_accept_attr_dict(ir_parser *p, ir_attr_list *out);
void ir_attr_list_add(ir_parser *p, ir_attr_list *list, ir_ident name, ir_attr value);
/* @name (a string attribute holding the name without @) */
bool ir_parse_symbol_name(ir_parser *p, ir_attr *out_string);
bool ir_accept_symbol_name(ir_parser *p, ir_attr *out_string);
/* The body of a dialect attribute or type where a format expects it stripped: the text
 * after "#dialect.mnemonic".  An alias or the full form is accepted as well. */
ir_attr ir_parse_stripped_attr(ir_parser *p, const ir_attr_def *def);
ir_type ir_parse_stripped_type(ir_parser *p, const ir_type_def *def);
/* A value of an enum by its case text(s), as formats write it. */
bool ir_parse_enum(ir_parser *p, const ir_enum_def *def, int64_t *out);
ir_affine_map ir_parse_affine_map(ir_parser *p); /* bare: (d0)[s0] -> (d0) */
ir_integer_set ir_parse_integer_set(ir_parser *p);
/* loc(...) : the keyword is required / optional */
bool ir_parse_loc(ir_parser *p, ir_loc *out);
bool ir_accept_loc(ir_parser *p, ir_loc *out, bool *present);
/* Interprets a format's directives for attributes and types (attr_format.c). */
ir_attr ir_parse_attr_format(ir_parser *p, const ir_attr_def *def);
ir_type ir_parse_type_format(ir_parser *p, const ir_type_def *def);
/* `#name = ...` and `!name = ...` at top level. */
bool ir_parse_alias_definition(ir_parser *p);
void ir_aliases_free(ir_parser *p);
/* The definition of an alias (name without # or !); NULL if it is not defined yet. */
ir_attr ir_alias_attr(const ir_parser *p, tw_str name);
ir_type ir_alias_type(const ir_parser *p, tw_str name);
/* {-# ... #-} */
bool ir_parse_file_metadata(ir_parser *p);
/* The text of an attribute default in a row, typed by the constraint; cached. */
ir_attr ir_default_attr(ir_context *ctx, const ir_attr_use *use);

/* ---- operations (parse_op.c), for hand-written operation syntax --------------------- */

/* The result of a parse hook.  Fields grow by the functions below. */
struct ir_parsed_op {
    const ir_op_def *def;
    const char *at; /* position of the operation's name */
    ir_loc loc;
    ir_value **operands;
    uint32_t n_operands, operands_capacity;
    ir_type *results;
    uint32_t n_results, results_capacity;
    ir_attr_list attrs;
    ir_region **regions; /* created by ir_parsed_region */
    uint32_t n_regions, regions_capacity;
    ir_block **successors;
    uint32_t n_successors, successors_capacity;
    bool no_defaults;
    /* number of results named on the left of `=` */
    uint32_t n_named;
};

bool ir_parse_ssa(ir_parser *p, ir_ssa_use *out);
bool ir_accept_ssa(ir_parser *p, ir_ssa_use *out);
typedef struct ir_ssa_list {
    ir_ssa_use *at;
    uint32_t count, capacity;
} ir_ssa_list;
void ir_ssa_list_add(ir_parser *p, ir_ssa_list *list, ir_ssa_use use);
/* [ ssa , ... ], possibly none */
bool ir_parse_ssa_list(ir_parser *p, ir_ssa_list *out);
typedef struct ir_type_list {
    ir_type *at;
    uint32_t count, capacity;
} ir_type_list;
/* The values used by an affine expression over SSA values: dimensions and, written
 * symbol(%x), symbols, each numbered by first use. */
typedef struct ir_affine_uses {
    ir_ssa_list dims, symbols;
} ir_affine_uses;
ir_affine ir_parse_affine_of_values(ir_parser *p, ir_affine_uses *uses);
/* "[" [ expr , ... ] "]" */
ir_affine_map ir_parse_affine_access(ir_parser *p, ir_affine_uses *uses);
bool ir_parse_type_list(ir_parser *p, ir_type_list *out); /* one or more */
void ir_type_list_add(ir_parser *p, ir_type_list *list, ir_type type);
/* "->" types, bare or in parentheses */
bool ir_parse_arrow_types(ir_parser *p, ir_type_list *out);
bool ir_accept_arrow_types(ir_parser *p, ir_type_list *out);
/* fn-type into two lists */
bool ir_parse_fn_type(ir_parser *p, ir_type_list *inputs, ir_type_list *results);
/* The value of that name and type: an existing one, or a forward reference. */
ir_value *ir_resolve(ir_parser *p, ir_ssa_use use, ir_type type);
/* The value of that name, NULL if none is defined yet. */
ir_value *ir_find_value(ir_parser *p, ir_ssa_use use);
bool ir_add_operand(ir_parser *p, ir_parsed_op *op, ir_ssa_use use, ir_type type);
void ir_add_operand_value(ir_parser *p, ir_parsed_op *op, ir_value *value);
/* Appends an operand defined by an operation that the text omits: the operation is inserted
 * before the one being read. */
void ir_add_made_operand(ir_parser *p, ir_parsed_op *op, ir_op *maker);
/* "number of operands and types do not match: got N operands and M types" */
bool ir_fail_counts(ir_parser *p, const char *at, size_t operands, size_t types);
bool ir_add_operands(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses,
                     const ir_type *types, size_t n_types, const char *at);
void ir_add_result(ir_parser *p, ir_parsed_op *op, ir_type type);
void ir_add_results(ir_parser *p, ir_parsed_op *op, const ir_type_list *types);
void ir_add_attr(ir_parser *p, ir_parsed_op *op, const char *name, ir_attr value);
bool ir_parse_op_attr_dict(ir_parser *p, ir_parsed_op *op);         /* optional {...} */
bool ir_parse_op_attr_dict_keyword(ir_parser *p, ir_parsed_op *op); /* attributes {...} */
/* A region argument in a header: %name : type {attrs} loc(...) */
typedef struct ir_parsed_arg {
    ir_ssa_use name;
    ir_type type;
    ir_attr attrs; /* dictionary or NULL */
    ir_loc loc;
} ir_parsed_arg;
typedef struct ir_arg_list {
    ir_parsed_arg *at;
    uint32_t count, capacity;
} ir_arg_list;
void ir_arg_list_add(ir_parser *p, ir_arg_list *list, ir_parsed_arg arg);
/* "(" [ arg , ... ] ")" with types */
bool ir_parse_arg_list(ir_parser *p, ir_arg_list *out);
/* A region "{ ... }"; the given arguments become the entry block's.  Appends to op. */
bool ir_parse_op_region(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                        size_t n_args);
/* The same with outer names hidden, so that its arguments may reuse them. */
bool ir_parse_op_region_shadowing(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                                  size_t n_args);
/* A region without arguments that is one block even if written `{ }`. */
bool ir_parse_op_body(ir_parser *p, ir_parsed_op *op);
/* operandSegmentSizes, one size for each declared operand. */
void ir_add_operand_segments(ir_parser *p, ir_parsed_op *op, const int32_t *sizes,
                             size_t count);
/* Appends an empty region. */
void ir_add_empty_region(ir_parser *p, ir_parsed_op *op);
bool ir_parse_successor(ir_parser *p, ir_block **out);
void ir_add_successor(ir_parser *p, ir_parsed_op *op, ir_block *block);
/* Scratch memory that lives until the operation being read is complete. */
void *ir_scratch(ir_parser *p, size_t size);
/* Adds the region's implicit terminator if its last operation is not one. */
void ir_ensure_terminator(ir_parser *p, ir_region *region, const ir_op_def *terminator,
                          ir_loc loc);

#endif
