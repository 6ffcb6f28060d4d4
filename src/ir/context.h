/* ir/context.h: state shared by one compilation, and diagnostics.
 *
 * A context interns identifiers, types, attributes and locations, owns the memory of
 * operations, knows the registered dialects and receives diagnostics.  Interned objects
 * live as long as the context and are compared by pointer.  One thread uses a context at a
 * time. */
#ifndef TILEWRIGHT_IR_CONTEXT_H
#define TILEWRIGHT_IR_CONTEXT_H

#include "support/arena.h"
#include "support/base.h"
#include "support/strbuf.h"
#include "support/suggest.h"

typedef struct ir_context ir_context;
typedef const struct ir_type_data *ir_type;
typedef const struct ir_attr_data *ir_attr;
typedef struct ir_op ir_op;
typedef struct ir_block ir_block;
typedef struct ir_region ir_region;
typedef struct ir_value ir_value;
typedef struct ir_op_def ir_op_def;
typedef struct ir_dialect ir_dialect;

/* An interned string. */
typedef const struct ir_ident_data {
    uint32_t size;
    uint32_t hash;
    char text[]; /* terminated */
} * ir_ident;

/* A source location: a file position packed into 63 bits, or a location attribute. Most
 * locations are positions that the reader saw; packing them avoids an allocation. */
typedef struct ir_loc {
    uint64_t bits; /* 0 = unknown; lowest bit 1 = packed; else an ir_attr */
} ir_loc;

#define IR_LOC_UNKNOWN ((ir_loc){0})

ir_context *ir_context_create(void);
void ir_context_destroy(ir_context *ctx);

/* Registers a dialect's operations, attributes and types; registering twice is allowed.
 * Registration keeps a pointer to the (constant) table without walking it. */
void ir_context_register(ir_context *ctx, const ir_dialect *dialect);
const ir_dialect *ir_context_dialect(ir_context *ctx, tw_str name_space);
/* The dialect of a name "dialect.rest"; NULL if it is not registered or there is no dot. */
const ir_dialect *ir_context_dialect_of(ir_context *ctx, tw_str name);
/* True if the operation keeps its inherent attributes apart from the discardable ones. */
bool ir_def_uses_properties(ir_context *ctx, const ir_op_def *def);
size_t ir_context_dialect_count(const ir_context *ctx);
const ir_dialect *ir_context_dialect_at(const ir_context *ctx, size_t i);

/* Sets whether names of unknown dialects are accepted (--allow-unregistered-dialect). */
void ir_context_allow_unregistered(ir_context *ctx, bool allow);
bool ir_context_allows_unregistered(const ir_context *ctx);

/* Set while it is known that no operation writes a tensor, so that passes need not look for
 * writes between two reads. Returns what was set before. */
bool ir_context_set_tensors_fixed(ir_context *ctx, bool fixed);
bool ir_context_tensors_fixed(const ir_context *ctx);

/* The row of an operation, by full name; NULL when no registered dialect has it. */
const ir_op_def *ir_context_op_def(ir_context *ctx, tw_str name);
/* Like ir_context_op_def, but creates a row (IR_UNREGISTERED set) for unknown names. */
const ir_op_def *ir_context_op_def_or_unregistered(ir_context *ctx, tw_str name);

/* Suggests the nearest existing operation name in the diagnostic about an unknown one. */
void ir_help_op_name(ir_context *ctx, tw_str name);

ir_ident ir_ident_get(ir_context *ctx, tw_str text);
static inline ir_ident ir_ident_from(ir_context *ctx, const char *text)
{
    return ir_ident_get(ctx, tw_str_from(text));
}
static inline tw_str ir_ident_str(ir_ident id)
{
    return (tw_str){id->text, id->size};
}

/* Called whenever an operation or a block is freed, so that owners of pointers to them
 * (bindings) can drop these. */
typedef struct ir_free_listener {
    void (*freed)(void *user,
                  const void *thing); /* an ir_op or ir_block; NULL: no listener */
    void *user;
} ir_free_listener;
/* Returns the previous listener, for the caller to restore (and to notify meanwhile). */
ir_free_listener ir_context_set_free_listener(ir_context *ctx, ir_free_listener listener);

/* Memory that is freed with the context. */
tw_arena *ir_context_arena(ir_context *ctx);

/* One pointer-sized slot for each higher layer that caches lazily built tables in the
 * context (compiled formats, parsed defaults, ...); `destroy` may be NULL. */
typedef enum ir_slot {
    IR_SLOT_FORMATS,
    IR_SLOT_CONSTRAINTS,
    IR_SLOT_DEFAULTS,
    IR_SLOT_PATTERNS,
    IR_SLOT_RESOURCES,
    IR_SLOT_ATTR_FORMATS,
    IR_SLOT_LLVM_STRUCTS,
    IR_SLOT_RULES,
    IR_SLOT_KNOWN_VALID,
    IR_SLOT_KNOWN_KERNELS,
    IR_SLOT_ORIGINS,
    IR_SLOT_COUNT
} ir_slot;
void *ir_context_slot(const ir_context *ctx, ir_slot slot);
void ir_context_set_slot(ir_context *ctx, ir_slot slot, void *value,
                         void (*destroy)(void *));

/* The maximum rank of all shaped types created in this context. */
uint32_t ir_context_max_rank(const ir_context *ctx);

/* ---- locations ------------------------------------------------------------------- */

/* Lines and columns count from 1; the file name is interned. */
ir_loc ir_loc_file(ir_context *ctx, ir_ident file, uint32_t line, uint32_t column);
ir_loc ir_loc_from_attr(ir_attr location); /* NULL gives the unknown location */
/* The location as an attribute (IR_ATTR_LOC_*). */
ir_attr ir_loc_attr(ir_context *ctx, ir_loc loc);
static inline bool ir_loc_equal(ir_loc a, ir_loc b)
{
    return a.bits == b.bits;
}
/* loc("name"(child)) */
ir_loc ir_loc_name(ir_context *ctx, ir_ident name, ir_loc child);
/* loc(fused[...]): drops unknown members and duplicates; a single member is returned as
 * is. */
ir_loc ir_loc_fused(ir_context *ctx, const ir_loc *locs, size_t count);

/* The first file position inside the location; false if there is none. */
bool ir_loc_position(ir_context *ctx, ir_loc loc, ir_ident *file, uint32_t *line,
                     uint32_t *column);

/* ---- diagnostics ------------------------------------------------------------------ */

typedef enum ir_severity { IR_ERROR, IR_WARNING, IR_REMARK, IR_NOTE } ir_severity;

/* A finished diagnostic.  Notes follow their parent in the same call. */
typedef struct ir_diagnostic {
    ir_severity severity;
    ir_loc loc;
    const char *text;
    const struct ir_diagnostic *notes;
    size_t n_notes;
    ir_op *op;        /* the operation it is about, or NULL */
    const char *help; /* suggested fix, or NULL */
    const char *rule; /* the class of the report, or NULL */
    bool unlowered;   /* no conversion takes a valid operation */
} ir_diagnostic;

typedef void ir_diagnostic_handler(void *user, ir_context *ctx,
                                   const ir_diagnostic *diagnostic);

/* Installs the receiver (NULL: errors are only counted).  Returns the previous one for the
 * caller to restore. */
typedef struct ir_diagnostic_sink {
    ir_diagnostic_handler *handle;
    void *user;
} ir_diagnostic_sink;
/* Sets whether diagnostics of operations carry the operation's generic form as a note. */
void ir_context_note_operations(ir_context *ctx, bool on);
ir_diagnostic_sink ir_context_set_sink(ir_context *ctx, ir_diagnostic_sink sink);
size_t ir_context_error_count(const ir_context *ctx);
size_t ir_context_parse_count(const ir_context *ctx); /* of texts, by ir_parse */

/* Reports an error; always returns false so that a check can `return ir_error(...)`.  A
 * note attaches to the diagnostic before it: the sink receives a diagnostic when the next
 * one that is not a note begins, or at ir_flush_diagnostics. */
bool ir_error(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_warning(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_remark(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_note(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
/* Adds a suggested fix to the last diagnostic and its notes. Checks of expected diagnostics
 * ignore it. */
void ir_help(ir_context *ctx, const char *format, ...) TW_PRINTF(2, 3);
/* Names the class of the last diagnostic, for reports and tw_status_rule; the text is
 * borrowed. Always returns false. */
bool ir_rule(ir_context *ctx, const char *rule);
/* Adds the nearest name as help, if there is one. */
void ir_help_nearest(ir_context *ctx, tw_nearest nearest);
bool ir_report(ir_context *ctx, ir_severity severity, ir_loc loc, ir_op *op,
               const char *format, va_list args);
void ir_flush_diagnostics(ir_context *ctx);
/* Sets the operation whose custom syntax later errors name; NULL: none.  Returns the
 * previous one. */
const ir_op_def *ir_context_set_custom_op(ir_context *ctx, const ir_op_def *op);

/* "failed to legalize operation 'name' that was explicitly marked illegal", then ": why"
 * unless that is NULL; the diagnostic is marked `unlowered`. */
bool ir_error_unlowered(ir_context *ctx, ir_loc loc, const char *name, const char *why);
/* Marks the last diagnostic so; false. */
bool ir_unlowered(ir_context *ctx);

/* "'dialect.op' op <text>" at the operation's location. */
bool ir_op_error(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);
/* Like ir_op_error, without the operation's name in front. */
bool ir_error_at_op(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);
bool ir_op_warning(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);

/* Text of types and attributes for messages; borrowed, valid until the context's next
 * ir_flush_diagnostics. */
const char *ir_type_text(ir_context *ctx, ir_type type);
const char *ir_attr_text(ir_context *ctx, ir_attr attr);

#endif
