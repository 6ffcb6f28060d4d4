/* ir/context.h: what everything in one compilation shares, and how it is told about.
 *
 * A context interns identifiers, types, attributes and locations, owns the memory of
 * operations, knows the registered dialects and receives diagnostics.  Interned things
 * live as long as the context and are compared by pointer.  One thread uses a context
 * at a time. */
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

/* A source location: a file position packed into 63 bits, or a location attribute.
 * Most locations are positions that the reader saw; packing them makes them free. */
typedef struct ir_loc {
    uint64_t bits; /* 0 = unknown; lowest bit 1 = packed; else an ir_attr */
} ir_loc;

#define IR_LOC_UNKNOWN ((ir_loc){0})

ir_context *ir_context_create(void);
void ir_context_destroy(ir_context *ctx);

/* Makes a dialect's operations, attributes and types known.  Registering twice is fine.
 * Registration keeps a pointer to the (constant) table and costs no walk over it. */
void ir_context_register(ir_context *ctx, const ir_dialect *dialect);
const ir_dialect *ir_context_dialect(ir_context *ctx, tw_str name_space);
/* The dialect of a name "dialect.rest"; NULL if it is not known or there is no dot. */
const ir_dialect *ir_context_dialect_of(ir_context *ctx, tw_str name);
/* Whether the operation keeps its inherent attributes apart from the others. */
bool ir_def_uses_properties(ir_context *ctx, const ir_op_def *def);
size_t ir_context_dialect_count(const ir_context *ctx);
const ir_dialect *ir_context_dialect_at(const ir_context *ctx, size_t i);

/* Whether names of unknown dialects are accepted (--allow-unregistered-dialect). */
void ir_context_allow_unregistered(ir_context *ctx, bool allow);
bool ir_context_allows_unregistered(const ir_context *ctx);

/* The row of an operation, by full name; NULL when no registered dialect has it. */
const ir_op_def *ir_context_op_def(ir_context *ctx, tw_str name);
/* The same, or a made-up row (IR_UNREGISTERED set) for names nobody knows. */
const ir_op_def *ir_context_op_def_or_unregistered(ir_context *ctx, tw_str name);

/* Offers a name that an operation has as help with one that none has. */
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

/* Told when an operation or a block is freed, by whatever code: who keeps pointers to them
 * (a binding) forgets them then. */
typedef struct ir_free_listener {
    void (*freed)(void *user, const void *thing); /* an ir_op or ir_block; NULL: nobody */
    void *user;
} ir_free_listener;
/* Returns the one before, for who puts it back (and tells it meanwhile). */
ir_free_listener ir_context_set_free_listener(ir_context *ctx, ir_free_listener listener);

/* Memory of the context itself, freed with it. */
tw_arena *ir_context_arena(ir_context *ctx);

/* One pointer-sized slot for each layer above that wants to keep lazily built tables
 * with the context (compiled formats, parsed defaults, ...); `destroy` may be NULL. */
typedef enum ir_slot {
    IR_SLOT_FORMATS,
    IR_SLOT_CONSTRAINTS,
    IR_SLOT_DEFAULTS,
    IR_SLOT_PATTERNS,
    IR_SLOT_RESOURCES,
    IR_SLOT_ATTR_FORMATS,
    IR_SLOT_LLVM_STRUCTS,
    IR_SLOT_COUNT
} ir_slot;
void *ir_context_slot(const ir_context *ctx, ir_slot slot);
void ir_context_set_slot(ir_context *ctx, ir_slot slot, void *value,
                         void (*destroy)(void *));

/* The most dimensions of any shaped type that was ever made. */
uint32_t ir_context_most_dims(const ir_context *ctx);

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
/* loc(fused[...]): unknown members and repeats fall away; one member is itself. */
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
    const char *help; /* what to do about it, or NULL */
} ir_diagnostic;

typedef void ir_diagnostic_handler(void *user, ir_context *ctx,
                                   const ir_diagnostic *diagnostic);

/* Installs the receiver (NULL: errors are only counted).  Returns the previous one so
 * that a caller can put it back. */
typedef struct ir_diagnostic_sink {
    ir_diagnostic_handler *handle;
    void *user;
} ir_diagnostic_sink;
/* Whether diagnostics of operations carry the operation's generic form as a note. */
void ir_context_note_operations(ir_context *ctx, bool on);
ir_diagnostic_sink ir_context_set_sink(ir_context *ctx, ir_diagnostic_sink sink);
size_t ir_context_error_count(const ir_context *ctx);

/* Reports; always returns false so that a check can `return ir_error(...)`.  A note
 * attaches to the diagnostic before it: the sink sees a diagnostic when the next one
 * that is not a note begins, or at ir_flush_diagnostics. */
bool ir_error(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_warning(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_remark(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
bool ir_note(ir_context *ctx, ir_loc loc, const char *format, ...) TW_PRINTF(3, 4);
/* Adds to the last diagnostic, notes and all, what its reader can do about it.  Checks of
 * expected diagnostics do not look at it. */
void ir_help(ir_context *ctx, const char *format, ...) TW_PRINTF(2, 3);
/* Offers the nearest name as help, if one is near. */
void ir_help_nearest(ir_context *ctx, tw_nearest nearest);
bool ir_report(ir_context *ctx, ir_severity severity, ir_loc loc, ir_op *op,
               const char *format, va_list args);
void ir_flush_diagnostics(ir_context *ctx);
/* Errors from now on name the operation whose own syntax they are in; NULL: none.  Returns
 * what it was. */
const ir_op_def *ir_context_set_custom_op(ir_context *ctx, const ir_op_def *op);

/* "'dialect.op' op <text>" at the operation's location. */
bool ir_op_error(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);
/* The same without the operation's name in front. */
bool ir_error_at_op(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);
bool ir_op_warning(ir_op *op, const char *format, ...) TW_PRINTF(2, 3);

/* Text of types and attributes for messages; borrowed, valid until the context's next
 * ir_flush_diagnostics. */
const char *ir_type_text(ir_context *ctx, ir_type type);
const char *ir_attr_text(ir_context *ctx, ir_attr attr);

#endif
