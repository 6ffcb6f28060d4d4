/* ir/context_impl.h: internals of the context, for the files of src/ir that intern. */
#ifndef TILEWRIGHT_IR_CONTEXT_IMPL_H
#define TILEWRIGHT_IR_CONTEXT_IMPL_H

#include "ir/attr.h"
#include "ir/context.h"
#include "support/hash.h"

/* An open-addressing set of interned objects.  Each entry keeps its hash beside the pointer
 * so that growing and misses never touch the objects themselves. */
typedef struct ir_intern_entry {
    uint32_t hash;
    const void *item;
} ir_intern_entry;

typedef struct ir_intern_set {
    ir_intern_entry *slots;
    uint32_t mask, count;
} ir_intern_set;

/* The next candidate with that hash, or NULL: start with *cursor = hash. */
const void *ir_intern_next(const ir_intern_set *set, uint32_t hash, uint32_t *cursor);
void ir_intern_add(ir_intern_set *set, uint32_t hash, const void *item);

/* Operation memory of up to IR_POOL_CLASSES * 16 bytes is pooled by size, in steps of
 * 16. */
enum { IR_POOL_CLASSES = 128 };

struct ir_context {
    tw_arena arena;
    ir_intern_set idents, types, attrs, affine, op_names;
    const ir_dialect **dialects;
    size_t n_dialects, dialects_capacity;
    bool allow_unregistered;
    bool tensors_fixed;
    uint32_t max_rank; /* maximum over all tensor, memref and vector types */

    /* operation pool */
    void *pool[IR_POOL_CLASSES];

    ir_free_listener free_listener;
    struct ir_watch *watch;

    /* file names of packed locations */
    ir_ident *files;
    size_t n_files, files_capacity;

    /* common types */
    ir_type index, none, i1, i32, i64, si32, f32;
    ir_type floats[IR_FLOAT_COUNT];
    ir_attr unit, true_attr, false_attr, loc_unknown, empty_array, empty_dict;

    /* blobs to release with the context */
    ir_blob **blobs;
    size_t n_blobs, blobs_capacity;

    struct {
        void *value;
        void (*destroy)(void *);
    } slots[IR_SLOT_COUNT];

    /* diagnostics */
    ir_diagnostic_sink sink;
    size_t errors, parses;
    tw_arena messages;
    struct ir_diagnostic pending;
    bool has_pending, note_ops, noting;
    bool telling; /* the sink is being called */
    const ir_op_def *custom_op;
    struct ir_diagnostic *notes;
    size_t n_notes, notes_capacity;
};

/* Memory for operations, blocks and values; freed into free lists by size. */
void *ir_pool_alloc(ir_context *ctx, size_t size);
void ir_pool_free(ir_context *ctx, void *p, size_t size);
static inline void ir_notify_freed(ir_context *ctx, const void *thing)
{
    if (TW_UNLIKELY(ctx->free_listener.freed != NULL))
        ctx->free_listener.freed(ctx->free_listener.user, thing);
}

#endif
