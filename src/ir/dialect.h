/* ir/dialect.h: the row types of a dialect's tables.
 *
 * A dialect is a set of constant tables written with designated initialisers in
 * src/<room>/<d>.def and included by <d>.c.  Parser, printer, verifier, builders,
 * serialisers, the runtime and the documentation read the rows; adding an operation is
 * adding a row.  Rows are sorted by name (a test checks it), so that lookup is a binary
 * search and registration costs nothing. */
#ifndef TILEWRIGHT_IR_DIALECT_H
#define TILEWRIGHT_IR_DIALECT_H

#include "ir/attr.h"

/* Names composed of a dialect's name and a row's. */
#define IR_JOIN_(a, b) a##b
#define IR_JOIN(a, b) IR_JOIN_(a, b)
#define IR_JOIN3(a, b, c) IR_JOIN(IR_JOIN(a, b), c)
#define IR_TEXT_(a) #a
#define IR_TEXT(a) IR_TEXT_(a)
#define IR_JOIN4(a, b, c, d) IR_JOIN(IR_JOIN3(a, b, c), d)
/* Expand an enum case (<dialect>_enums.h: X(prefix, symbol, value, text)) to a C constant
 * or to a row. */
#define IR_CASE_VALUE(prefix, symbol, value, text) prefix##symbol = value,
#define IR_CASE_ROW(prefix, symbol, value, text) {#symbol, value, text},

/* A counted array inside a row: .operands = IR_LIST(ir_operand_def, {...}, {...}) */
#define IR_LIST(type, ...)                                                                 \
    {                                                                                      \
        (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}) / sizeof(type)    \
    }
#define IR_LIST_OF(type)                                                                   \
    struct {                                                                               \
        const type *at;                                                                    \
        uint32_t count;                                                                    \
    }

typedef struct ir_parser ir_parser;
typedef struct ir_printer ir_printer;
typedef struct ir_patterns ir_patterns;
typedef struct ir_parsed_op ir_parsed_op;

/* ---- constraints -------------------------------------------------------------------- */

/* A predicate on types or attributes, one row of a constraints table.  `pred` is an
 * expression of rules/rules.h with the words of rules/predicates.c:
 * "RankedTensorType and elem(f32)". */
typedef struct ir_constraint {
    const char *name;
    const char *pred;
    const char *text;       /* as in "must be <text>, but got" */
    const char *storage;    /* attributes: C++ storage class name, "IntegerAttr" */
    const char *value_type; /* attributes whose type a format omits: "i32", "i1", ... */
    const char *builds;     /* types that a format may omit: the type's text */
    const struct ir_enum_def *enumeration;
    const char *def; /* "ttnn.memory_config": the required dialect attribute or type */
    bool as_integer; /* an enum that prints as its integer */
    bool is_flag;   /* a property that is either set or not: the unit attribute, or false */
    bool is_number; /* a property stored as an enum's value: an integer attribute of the
                       enum's width */
} ir_constraint;

bool ir_type_satisfies(ir_type type, const ir_constraint *c);
bool ir_attr_satisfies(ir_attr attr, const ir_constraint *c);
/* True if the attribute has the constraint's storage class, ignoring its other
 * conditions. */
bool ir_attr_fits_storage(ir_attr attr, const ir_constraint *c);

/* ---- enums -------------------------------------------------------------------------- */

typedef struct ir_enum_case {
    const char *symbol; /* "BFP_BFloat8" */
    int64_t value;
    const char *text; /* "bfp_bf8" */
} ir_enum_case;

typedef struct ir_enum_def {
    const char *name;
    IR_LIST_OF(ir_enum_case) cases;
    uint8_t own;   /* count of trailing cases that tt-mlir lacks; not suggested in errors */
    uint8_t width; /* of the integer that stores it */
    bool bits;     /* cases are or-ed */
    bool primary_groups;          /* printPrimaryGroups */
    bool quoted;                  /* printQuoted */
    const char *separator;        /* separator of a bit enum's cases */
    const char *summary;          /* its name in errors of operations' custom syntax */
    const char *specialized_attr; /* name if it is stored as a plain integer attribute */
} ir_enum_def;
typedef const ir_enum_def *ir_enum_ref;

/* NULL if no case has the value or the text. */
const ir_enum_case *ir_enum_by_value(const ir_enum_def *def, int64_t value);
const ir_enum_case *ir_enum_by_text(const ir_enum_def *def, tw_str text);

/* ---- attributes and types ----------------------------------------------------------- */

typedef enum ir_param_kind {
    IR_PARAM_INT,  /* decimal; IR_ATTR_INTEGER without type */
    IR_PARAM_BOOL, /* true, false; integer 0 or 1 without type */
    IR_PARAM_ENUM, /* bare case text; integer without type */
    IR_PARAM_FLOAT,
    IR_PARAM_STRING,
    IR_PARAM_ATTR, /* a nested attribute: stripped if `of` names its class, else full */
    IR_PARAM_TYPE, /* IR_ATTR_TYPE */
    IR_PARAM_AFFINE_MAP,
    IR_PARAM_APFLOAT, /* vhlo's floats */
    IR_PARAM_SYMBOL,
    IR_PARAM_SELF_TYPE, /* the attribute's own ": type" */
} ir_param_kind;

typedef struct ir_param_def {
    const char *name;
    ir_param_kind kind;
    bool array; /* a list of these: IR_ATTR_ARRAY */
    bool optional;
    const char *deflt; /* text of the value that is omitted when printing; "" = empty list
                          or NULL */
    const char *of;    /* ATTR, TYPE: "ttnn.core_range_set"; NULL = any, in full */
    const ir_enum_def *enumeration; /* ENUM */
    uint8_t width;                  /* INT: bits; 0 = 64 */
    bool is_unsigned;
    const char
        *syntax;     /* row of the custom parameter syntaxes, NULL = the kind's default */
    const char *cpp; /* tt-mlir's C++ type, for messages and bindings */
} ir_param_def;

struct ir_attr_def {
    const char *mnemonic; /* "ttnn.memory_config", dialect included */
    const char *cls;      /* "MemoryConfigAttr" */
    const char *record;   /* name in messages; NULL = derived from the dialect's prefix */
    const char *format;   /* directives; NULL = no body */
    IR_LIST_OF(ir_param_def) params;
    const ir_enum_def *enumeration; /* the wrapped enum, if its only parameter is an ENUM */
    const char *alias;              /* proposed alias name, "@" = the enum case's text */
    const char *written_as; /* the row (with the same parameters) whose name and format
                               print the full form */
    /* Hand-written bodies (after the mnemonic); NULL = by `format`. */
    ir_attr (*parse)(ir_parser *p, const ir_attr_def *def);
    void (*print)(ir_printer *p, ir_attr attr);
    /* Extra checks when one is read or built by a user; reports at `loc`. */
    bool (*verify)(ir_context *ctx, ir_loc loc, ir_attr attr);
    /* Checks the tensor type, read at `loc`, that has this encoding. */
    bool (*verify_tensor)(ir_context *ctx, ir_loc loc, ir_attr attr, ir_type tensor);
    const char *traits; /* interfaces, space separated */
};

struct ir_type_def {
    const char *mnemonic;
    const char *cls;
    const char *format;
    IR_LIST_OF(ir_param_def) params;
    const char *alias;
    ir_type (*parse)(ir_parser *p, const ir_type_def *def);
    void (*print)(ir_printer *p, ir_type type);
    const char *written_as; /* the printed name, where kinds of a type share one */
    bool (*verify)(ir_context *ctx, ir_loc loc, ir_type type);
    const char *traits;
    /* of a shaped type: its element type, and the same shape with another element type
     * (NULL if unsupported) */
    ir_type (*element)(ir_type type);
    ir_type (*with_element)(ir_type type, ir_type element);
    bool (*shares_exponents)(
        ir_type type); /* true if its elements are block floats; or NULL */
};

/* ---- operations --------------------------------------------------------------------- */

typedef enum ir_arity {
    IR_ONE,
    IR_OPTIONAL,
    IR_VARIADIC,
    IR_VARIADIC_OF_VARIADIC
} ir_arity;

typedef struct ir_operand_def { /* also of results */
    const char *name;           /* "" = unnamed */
    const ir_constraint *type;
    ir_arity arity;
    const char *segments; /* VARIADIC_OF_VARIADIC: the attribute with the inner sizes */
    const char *effects;  /* "read", "write", "free", "alloc", space separated */
} ir_operand_def;

typedef struct ir_attr_use {
    const char *name;
    const ir_constraint *type;
    const char
        *deflt; /* attribute text, without the type if the constraint determines it */
    bool optional;
    const char *confined; /* extra predicate, as in constraints: "int >= 0" */
} ir_attr_use;

/* Describes how a value violates the row's conditions on the attribute, to follow the
 * constraint's text ("" if the constraint itself is violated); NULL if it is valid. */
const char *ir_attr_use_breaks(const ir_attr_use *use, ir_attr value);

typedef struct ir_region_def {
    const char *name;
    const char *constraint; /* "any", "sized:1", "max-sized:1", ... */
    bool variadic;
} ir_region_def;

typedef struct ir_successor_def {
    const char *name;
    bool variadic;
} ir_successor_def;

/* Traits without arguments are bits ("ORDER TRAIT": names in dialect.c). */
#define IR_TRAITS(X)                                                                       \
    X(PURE, "Pure") /* also NoMemoryEffect + AlwaysSpeculatable */                         \
    X(NO_MEMORY_EFFECT, "NoMemoryEffect")                                                  \
    X(COMMUTATIVE, "Commutative")                                                          \
    X(IDEMPOTENT, "Idempotent")                                                            \
    X(INVOLUTION, "Involution")                                                            \
    X(TERMINATOR, "IsTerminator")                                                          \
    X(RETURN_LIKE, "ReturnLike")                                                           \
    X(CONSTANT_LIKE, "ConstantLike")                                                       \
    X(ISOLATED, "IsolatedFromAbove")                                                       \
    X(SYMBOL, "Symbol")                                                                    \
    X(SYMBOL_TABLE, "SymbolTable")                                                         \
    X(NO_TERMINATOR, "NoTerminator")                                                       \
    X(SINGLE_BLOCK, "SingleBlock")                                                         \
    X(NO_REGION_ARGUMENTS, "NoRegionArguments")                                            \
    X(GRAPH_REGION, "GraphRegion")                                                         \
    X(OPERAND_SEGMENTS, "AttrSizedOperandSegments")                                        \
    X(RESULT_SEGMENTS, "AttrSizedResultSegments")                                          \
    X(SAME_VARIADIC_OPERANDS, "SameVariadicOperandSize")                                   \
    X(SAME_VARIADIC_RESULTS, "SameVariadicResultSize")                                     \
    X(SAME_TYPE_OPERANDS, "SameTypeOperands")                                              \
    X(SAME_OPERANDS_SHAPE, "SameOperandsShape")                                            \
    X(SAME_SHAPE, "SameOperandsAndResultShape")                                            \
    X(SAME_OPERANDS_ELEMENT_TYPE, "SameOperandsElementType")                               \
    X(SAME_ELEMENT_TYPE, "SameOperandsAndResultElementType")                               \
    X(SAME_TYPE, "SameOperandsAndResultType")                                              \
    X(SAME_RANK, "SameOperandsAndResultRank")                                              \
    X(ELEMENTWISE, "Elementwise")                                                          \
    X(BROADCASTABLE, "TTIR_Broadcastable")                                                 \
    X(FIRST_ATTR_RESULT_TYPE, "FirstAttrDerivedResultType")                                \
    X(INFER_TYPES, "InferTypeOpInterface")                                                 \
    X(AUTOMATIC_ALLOCATION_SCOPE, "AutomaticAllocationScope")                              \
    X(RECURSIVE_EFFECTS, "RecursiveMemoryEffects")                                         \
    X(FUNCTION_LIKE, "FunctionOpInterface")                                                \
    X(CALL_LIKE, "CallOpInterface")                                                        \
    X(ASM_INTERFACE, "OpAsmOpInterface")                                                   \
    X(HLO_COMMUTATIVE, "HLO_Commutative")                                                  \
    X(DECLARED_EFFECTS, "MemoryEffectsOpInterface")                                        \
    X(UNREGISTERED, "") /* a row created for an unknown name */

enum {
#define X(id, name) IR_TRAIT_BIT_##id,
    IR_TRAITS(X)
#undef X
        IR_TRAIT_COUNT
};
#define X(id, name) static const uint64_t IR_##id = (uint64_t)1 << IR_TRAIT_BIT_##id;
IR_TRAITS(X)
#undef X

/* The result of folding an operation: a constant or an existing value for each result. */
typedef struct ir_fold_result {
    ir_attr attr;
    ir_value *value;
} ir_fold_result;

/* Inputs of result type inference, which may run before the operation exists. */
typedef struct ir_infer {
    ir_context *ctx;
    ir_loc loc;
    const ir_op_def *def;
    ir_value *const *operands;
    size_t n_operands;
    const ir_attr *props; /* in the row's order */
    const ir_region *regions;
    size_t n_regions;
    ir_type *results; /* to fill */
    size_t n_results; /* capacity in, count out */
} ir_infer;

struct ir_op_def {
    const char *name; /* "ttir.matmul" */
    IR_LIST_OF(ir_operand_def) operands, results;
    IR_LIST_OF(ir_attr_use) attrs;
    IR_LIST_OF(ir_region_def) regions;
    IR_LIST_OF(ir_successor_def) successors;
    uint64_t traits;
    /* Traits with arguments, separated by ';': "AllTypesMatch(lhs,rhs);
     * TypesMatchWith(value->result:rule);SingleBlockImplicitTerminator(scf.yield);
     * HasParent(a.b,c.d);pred:..." */
    const char *rules;
    const char *interfaces; /* other interfaces, space separated */
    const char *format; /* directives; NULL = generic form only; "custom" = hooks below */
    void (*parse)(ir_parser *p, ir_parsed_op *op); /* reports through the parser */
    void (*print)(ir_printer *p, ir_op *op);       /* after the name has been printed */
    bool (*verify)(ir_op *op);
    bool verifies_ends; /* .verify checks the terminators of its blocks itself */
    bool (*verify_regions)(
        ir_op *op); /* called once all operations in its regions (if any) are verified */
    bool (*verify_symbols)(ir_op *op); /* called once its whole symbol table is verified */
    /* Fills `results`, one per result, and returns true if it folded; `operands[i]` is the
     * constant value of operand i or NULL.  May also update `op` in index: then it returns
     * true and leaves all results empty. */
    bool (*fold)(ir_op *op, const ir_attr *operands, ir_fold_result *results);
    void (*canonicalize)(ir_patterns *set);
    bool (*infer)(ir_infer *in);
    /* Names of results and region arguments: calls ir_print_name_value. */
    void (*name_values)(ir_printer *p, ir_op *op);
    /* The label of a region's entry block, without the numbering of other blocks:
     * "compute0". */
    const char *(*name_block)(const ir_op *op, uint32_t region, char text[32]);
    const char *region_dialect; /* default dialect inside its regions */
    bool keeps_constants;       /* those used inside it are not hoisted out of it */
    const char *meaning;        /* one line for people; NULL: none */
};

typedef const struct rw_pattern_table *ir_pattern_table_ref;

struct ir_dialect {
    const char *name; /* "ttir" */
    IR_LIST_OF(ir_op_def) ops;
    IR_LIST_OF(ir_attr_def) attrs; /* sorted by mnemonic */
    IR_LIST_OF(ir_type_def) types; /* sorted by mnemonic */
    IR_LIST_OF(ir_enum_ref) enums; /* all its enums, whether its rows use them or not */
    /* patterns that canonicalize applies (ir/rewrite/rewrite.h) */
    IR_LIST_OF(ir_pattern_table_ref) canonical;
    /* The checks of an operation without regions depend only on its attributes, types and
     * parent, and on the rows and constants behind its operands (ir/verify_known.c). */
    bool checks_are_local;
    /* Operations may write the tensors that they are given: a tensor is memory, and what is
     * read from it depends on the writes before (ir/rewrite/effects.h). */
    bool tensors_are_memory;
    bool uses_properties;     /* inherent attributes print in <{...}> */
    bool says_unknown_types;  /* error text in its own words: "unknown d type: t" */
    const char *unknown_attr; /* error text for an attribute without a row; NULL: MLIR's */
    /* For messages: tt-mlir's record name of an attribute or type is this prefix and its
     * class, with or without "Attr"; enums live in the name space.  NULL: messages contain
     * none. */
    const char *record_prefix, *name_space;
    bool record_is_bare;
    const struct ir_bytecode_codec *bytecode; /* binary forms; NULL = text only */
    /* Reads an operation whose format begins with "(" if the text has none; NULL: not
     * allowed. */
    void (*parse_bare)(struct ir_parser *p, struct ir_parsed_op *op);
    /* Builds a constant operation of this dialect, NULL if it cannot. */
    ir_op *(*materialize)(void *builder, ir_attr value, ir_type type, ir_loc loc);
    /* Checks a discardable attribute with this dialect's prefix on any operation. */
    bool (*verify_discardable)(ir_op *op, ir_named_attr attr);
    /* The same for an argument or a result of a function. */
    bool (*verify_function_attr)(ir_op *op, bool result, size_t index, ir_named_attr attr);
    /* True if a call to a function may be inlined here. */
    bool allow_inline;
};

/* The row of an operation by its full name, NULL if the dialect has none. */
const ir_op_def *ir_dialect_find_op(const ir_dialect *dialect, tw_str name);
/* Bit of a trait's name, or -1. */
int ir_trait_bit(tw_str name);
const char *ir_trait_name(int bit);
/* Finds a rule "Name(...)" in .rules; false if absent; out_args is the text inside. */
bool ir_def_rule(const ir_op_def *def, const char *name, tw_str *out_args);
/* True if the row lists an interface or trait by MLIR's name, as a bit or not. */
bool ir_def_has(const ir_op_def *def, const char *name);
/* The same for a name that is no trait of IR_TRAITS, a literal: faster. */
bool ir_def_has_interface(const ir_op_def *def, const char *name);

/* The row of an attribute or type by its full mnemonic, NULL if unknown. */
const ir_attr_def *ir_attr_def_find(ir_context *ctx, tw_str mnemonic);
const ir_type_def *ir_type_def_find(ir_context *ctx, tw_str mnemonic);
/* A parameter by name: of dialect attributes and types; NULL if absent or unknown. */
ir_attr ir_attr_param(ir_attr attr, const char *name);
ir_attr ir_type_param(ir_type type, const char *name);
/* The enum value of a dialect attribute that wraps one, or of an integer attribute. */
int64_t ir_enum_value(ir_attr attr, int64_t otherwise);
/* "#dialect.mnemonic<case>" */
ir_attr ir_enum_attr(ir_context *ctx, const ir_attr_def *def, int64_t value);

#endif
