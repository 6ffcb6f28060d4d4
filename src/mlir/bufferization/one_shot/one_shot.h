/* one_shot.h: one-shot bufferization: tensors become buffers, with copies only where a
 * write would change a value that is read later.
 *
 * Every operand is decided to be in place (its buffer is used and maybe written) or not (a
 * copy is). Values whose buffers may overlap are in one alias set; those that surely are
 * the same buffer are equivalent. A model is a row with what an operation does with
 * tensors; an operation without one is unknown. */
#ifndef TILEWRIGHT_MLIR_BUFFERIZATION_ONE_SHOT_H
#define TILEWRIGHT_MLIR_BUFFERIZATION_ONE_SHOT_H

#include "ir/op.h"

typedef struct buf_state buf_state;
typedef struct buf_rewrite buf_rewrite;

/* One of the values that an operand may share its buffer with, or one of the operands that
 * a value may. */
typedef struct buf_alias {
    ir_value *value;
    ir_operand *operand;
    bool is_equivalent; /* the same buffer, not a part of it */
    bool is_definite;   /* always, not only sometimes */
} buf_alias;

typedef struct buf_aliases {
    buf_alias *at; /* the caller frees it */
    size_t n, capacity;
} buf_aliases;

void buf_add_alias(buf_aliases *list, ir_value *value, ir_operand *operand,
                   bool is_equivalent, bool is_definite);

/* Answers for the rows of operations: of the first operand, of the second, of all. */
bool buf_is_first(buf_state *s, const ir_operand *use);
bool buf_is_second(buf_state *s, const ir_operand *use);
bool buf_always(buf_state *s, const ir_operand *use);

typedef struct buf_model {
    const ir_op_def *def;
    /* Whether the operand's buffer is read and written; NULL: never. */
    bool (*reads)(buf_state *s, const ir_operand *use);
    bool (*writes)(buf_state *s, const ir_operand *use);
    /* The values that share the operand's buffer if it is in place; NULL: none. */
    void (*aliases)(buf_state *s, ir_operand *use, buf_aliases *out);
    /* The operands that may share the value's buffer; NULL: the inverse of `aliases`. */
    void (*sources)(buf_state *s, ir_value *value, buf_aliases *out);
    /* True if the operand is in place whatever follows; NULL: never. */
    bool (*is_forced)(buf_state *s, const ir_operand *use);
    /* True if the result is a new value that something reads; NULL: the general rule. */
    bool (*defines)(buf_state *s, ir_value *result);
    /* True if the value may be written; NULL: results may, block arguments may not. */
    bool (*is_writable)(buf_state *s, const ir_value *value);
    /* True if every element is read before the same element is written. */
    bool (*is_elementwise)(buf_state *s, ir_op *op, const ir_operand *read,
                           const ir_operand *write);
    bool (*never_conflicts)(buf_state *s, ir_op *op, const ir_operand *read,
                            const ir_operand *write);
    /* Replaces the operation by one on buffers: builds at r->b, which is before it, and
     * calls buf_replace; reports errors. */
    bool (*bufferize)(buf_rewrite *r, ir_op *op);
    bool is_allocation; /* results are new buffers */
} buf_model;

typedef struct buf_model_table {
    const buf_model *at;
    size_t count;
    /* The model of operations that have no row, or NULL. */
    const buf_model *(*find)(const ir_op_def *def);
} buf_model_table;

typedef struct buf_options {
    bool allow_unknown, function_boundaries, return_allocs_from_loops, top_down;
    bool analysis_only, print_conflicts, copy_before_write;
    bool infer_results; /* functions return what their bodies make, without casts */
    bool identity_boundaries, identity_unknown; /* else layouts are dynamic */
    int64_t alignment;                          /* of allocations; 0: none */
    uint32_t seed;                              /* of a random order; 0: none */
    const char *dialects; /* dialects to bufferize, with commas between; NULL: all */
    const buf_model_table *const *tables; /* NULL-terminated */
    /* The buffer type of function arguments; NULL: by the flags above. */
    ir_type (*boundary_type)(ir_type tensor);
} buf_options;

/* Bufferizes everything in the module; false after errors. */
bool buf_run(ir_op *module, const buf_options *options);

/* ---- queries (state.c) -------------------------------------------------------------- */

const buf_options *buf_options_of(const buf_state *s);
/* NULL for unknown operations. */
const buf_model *buf_model_of(buf_state *s, const ir_op *op);
bool buf_is_tensor(ir_type type);
bool buf_has_tensors(const ir_op *op);
/* The operation that defines a value, or the one around its block. */
ir_op *buf_owner(const ir_value *v);

bool buf_reads(buf_state *s, const ir_operand *use);
bool buf_writes(buf_state *s, const ir_operand *use);
void buf_aliasing_values(buf_state *s, ir_operand *use, buf_aliases *out);
void buf_aliasing_operands(buf_state *s, ir_value *v, buf_aliases *out);
bool buf_is_writable(buf_state *s, const ir_value *v);
bool buf_defines(buf_state *s, ir_value *v);
bool buf_is_read(buf_state *s, ir_value *v); /* it or a value that shares its buffer */

bool buf_is_in_place(const buf_state *s, const ir_operand *use);
void buf_set_in_place(buf_state *s, ir_operand *use);
bool buf_are_equivalent(const buf_state *s, const ir_value *a, const ir_value *b);
bool buf_may_alias(const buf_state *s, const ir_value *a, const ir_value *b);

/* ---- rewriting (rewrite.c) ---------------------------------------------------------- */

struct buf_rewrite {
    ir_builder b;
    buf_state *state;
    const buf_options *options;
    ir_mapping *buffers; /* tensor -> buffer */
    ir_mapping *changed; /* block arguments that became buffers -> their tensor's type */
    ir_op_list dead;     /* replaced operations, to be erased at the end */
    ir_op_list unknown;  /* operations that stay on tensors */
    ir_value **merged;   /* pairs: a buffer and the one that replaces it at the end */
    size_t n_merged, merged_capacity;
};

/* The buffer of a value; a buffer is its own. */
ir_value *buf_buffer(buf_rewrite *r, ir_value *v);
/* The type of a value before it became a buffer. */
ir_type buf_tensor_type(const buf_rewrite *r, const ir_value *v);
/* Replaces the results by buffers (NULL entries: a result that is no tensor keeps its uses)
 * and marks the operation as dead. */
void buf_replace(buf_rewrite *r, ir_op *op, ir_value *const *buffers);
void buf_replace1(buf_rewrite *r, ir_op *op, ir_value *buffer);
/* `buffer` becomes `by` once everything is bufferized. */
void buf_merge(buf_rewrite *r, ir_value *buffer, ir_value *by);
/* Bufferizes the operations of a region. */
bool buf_rewrite_region(buf_rewrite *r, ir_region *region);
/* A block argument becomes a buffer of that type. */
void buf_set_argument(buf_rewrite *r, ir_value *arg, ir_type type);
/* memref.alloc with the options' alignment; sizes are those of the dynamic dimensions. */
ir_value *buf_alloc(buf_rewrite *r, ir_type memref, ir_value *const *sizes, size_t n);
ir_value *buf_alloc_like(buf_rewrite *r, ir_value *buffer, ir_type memref);
/* The buffer as another type of the same shape: a cast, or a copy where none is possible.
 */
ir_value *buf_cast(buf_rewrite *r, ir_value *buffer, ir_type type);
ir_type buf_identity_type(ir_type tensor, ir_attr space);
ir_type buf_dynamic_type(ir_type tensor, ir_attr space);
/* The type of a buffer that holds either: one of the two or with a dynamic layout. */
ir_type buf_common_type(ir_type a, ir_type b);

/* ---- the parts ---------------------------------------------------------------------- */

extern const buf_model_table buf_tensor_models, buf_linalg_models, buf_scf_models,
    buf_func_models, buf_misc_models;

#endif
