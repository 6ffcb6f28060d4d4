/* ir/op.h: operations, regions, blocks and values.
 *
 * Ownership: a block owns its operations, an operation its regions, a region its blocks. A
 * detached operation is owned by the code that created or removed it (ir_op_erase frees
 * it). Memory comes from the context's operation pool, so erasing feeds later creation. */
#ifndef TILEWRIGHT_IR_OP_H
#define TILEWRIGHT_IR_OP_H

#include "ir/attr.h"
#include "ir/dialect.h"

/* One use of a value; lives in its operation's operand array. */
typedef struct ir_operand {
    ir_value *value;
    ir_op *owner;
    struct ir_operand *next_use, **prev_link;
} ir_operand;

struct ir_value {
    ir_type type;
    ir_operand *uses;
    void *owner; /* ir_op for results, ir_block for arguments */
    uint32_t index : 31;
    uint32_t is_argument : 1;
    uint32_t print_id; /* scratch of the printer (print_names.c) */
    ir_loc loc;        /* of arguments */
};

struct ir_region {
    ir_op *owner;
    ir_block *first, *last;
};

struct ir_block {
    ir_region *region;
    ir_block *prev, *next;
    ir_op *first, *last;
    ir_value **args;
    uint32_t n_args, args_capacity;
    uint32_t order; /* scratch of dominance and printing */
};

struct ir_op {
    /* what walks read comes first: one line of the cache for most operations */
    const ir_op_def *def;
    ir_op *next;
    ir_region *regions;
    uint32_t n_results;
    uint16_t n_regions, n_successors;
    ir_op *prev;
    ir_block *block;
    ir_operand *operands;
    ir_value *results;
    ir_loc loc;
    ir_context *ctx;
    ir_block **successors;
    ir_attr *props; /* inherent attributes, in the row's order (ir_op_n_props of them) */
    ir_attr attrs;  /* discardable attributes: a dictionary, or NULL */
    uint32_t n_operands, operands_capacity;
    uint32_t order; /* position in the block while block order is valid */
    uint32_t pool_size;
};

/* ---- creation and deletion ---------------------------------------------------------- */

/* The contents of a new operation.  Arrays are copied.  `attrs` may mix inherent and
 * discardable ones; names in the row become inherent.  Missing inherent attributes with a
 * declared default get it unless `no_defaults`. */
typedef struct ir_op_state {
    const ir_op_def *def;
    ir_loc loc;
    ir_value *const *operands;
    size_t n_operands;
    const ir_type *results;
    size_t n_results;
    const ir_named_attr *attrs;
    size_t n_attrs;
    ir_block *const *successors;
    size_t n_successors;
    size_t n_regions;
    bool no_defaults;
} ir_op_state;

ir_op *ir_op_create(ir_context *ctx, const ir_op_state *state);
/* Deep copy; operands are looked up in `map` (see ir_mapping below) where present. */
typedef struct ir_mapping ir_mapping;
ir_op *ir_op_clone(ir_op *op, ir_mapping *map);
/* Frees the operation and everything in it; its results must have no uses left outside. */
void ir_op_erase(ir_op *op);
/* Unlinks it from its block without freeing it. */
void ir_op_remove(ir_op *op);
void ir_op_insert_before(ir_op *op, ir_op *before);
void ir_op_insert_after(ir_op *op, ir_op *after);
void ir_block_append(ir_block *block, ir_op *op);
void ir_block_prepend(ir_block *block, ir_op *op);

ir_block *ir_block_create(ir_context *ctx);
void ir_region_append(ir_region *region, ir_block *block);
void ir_block_insert_before(ir_block *block, ir_block *before);
void ir_block_remove(ir_block *block); /* unlinks it from its region without freeing it */
ir_value *ir_block_add_arg(ir_context *ctx, ir_block *block, ir_type type, ir_loc loc);
void ir_block_erase_arg(ir_block *block, size_t index); /* it must have no uses */
void ir_block_erase(ir_context *ctx, ir_block *block);
/* Moves all operations of `from` to the end of `to`, or before `before`. */
void ir_block_splice(ir_block *to, ir_op *before, ir_block *from, ir_op *first,
                     ir_op *last);
void ir_region_take(ir_region *to, ir_region *from); /* moves all blocks */

ir_mapping *ir_mapping_create(void);
void ir_mapping_free(ir_mapping *map);
void ir_mapping_set(ir_mapping *map, const void *from, void *to);
void *ir_mapping_get(const ir_mapping *map, const void *from); /* NULL if absent */
/* Makes room for this many, so that additions do not move what is there. */
void ir_mapping_reserve(ir_mapping *map, size_t count);
/* Where what `from` is mapped to is kept, NULL at first; valid until the next addition. */
void **ir_mapping_at(ir_mapping *map, const void *from);

/* ---- operands and results ----------------------------------------------------------- */

static inline ir_value *ir_op_operand(const ir_op *op, size_t i)
{
    return op->operands[i].value;
}
static inline ir_value *ir_op_result(const ir_op *op, size_t i)
{
    return &op->results[i];
}
void ir_op_set_operand(ir_op *op, size_t i, ir_value *value);
/* Replaces operands [start, start+count) by n new ones; the caller updates segment
 * sizes. */
void ir_op_splice_operands(ir_op *op, size_t start, size_t count, ir_value *const *values,
                           size_t n);

/* The values of the i-th declared operand (or result) group.  Honours operandSegmentSizes;
 * false if the operation's counts do not fit its row. */
bool ir_op_operand_group(const ir_op *op, size_t group, size_t *out_start,
                         size_t *out_count);
bool ir_op_result_group(const ir_op *op, size_t group, size_t *out_start,
                        size_t *out_count);
/* The single value of a declared operand by name, NULL if absent; the second one also where
 * the operation's row has no such operand. */
ir_value *ir_op_operand_named(const ir_op *op, const char *name);
ir_value *ir_op_operand_if_named(const ir_op *op, const char *name);
size_t ir_op_operand_index(const ir_op_def *def, const char *name); /* SIZE_MAX if none */
/* Sets the single value (or none: NULL) of an operand group and updates segment sizes. */
void ir_op_set_operand_group(ir_op *op, size_t group, ir_value *const *values,
                             size_t count);

static inline ir_op *ir_value_def(const ir_value *v) /* NULL for block arguments */
{
    return v->is_argument ? NULL : (ir_op *)v->owner;
}
static inline ir_block *ir_value_block(const ir_value *v)
{
    return v->is_argument ? (ir_block *)v->owner : ((ir_op *)v->owner)->block;
}
static inline bool ir_value_unused(const ir_value *v)
{
    return v->uses == NULL;
}
static inline bool ir_value_has_one_use(const ir_value *v)
{
    return v->uses && !v->uses->next_use;
}
static inline size_t ir_operand_number(const ir_operand *use)
{
    return (size_t)(use - use->owner->operands);
}
void ir_value_replace_uses(ir_value *from, ir_value *to);
ir_loc ir_value_loc(const ir_value *v);
bool ir_op_is_unused(const ir_op *op); /* no result has a use */

/* ---- attributes ---------------------------------------------------------------------- */

/* Number of inherent slots: the row's attributes, then operandSegmentSizes and
 * resultSegmentSizes where the row has those traits. */
size_t ir_def_n_props(const ir_op_def *def);
const char *ir_def_prop_name(const ir_op_def *def, size_t i);
/* Slot of an inherent attribute, or SIZE_MAX. */
size_t ir_def_prop_index(const ir_op_def *def, tw_str name);

/* By name: inherent first, then discardable; NULL if unset. */
ir_attr ir_op_attr_str(const ir_op *op, tw_str name);
static inline ir_attr ir_op_attr(const ir_op *op, const char *name)
{
    return ir_op_attr_str(op, tw_str_from(name));
}
/* Sets (or with NULL removes) an inherent or discardable attribute. */
void ir_op_set_attr(ir_op *op, const char *name, ir_attr value);
int64_t ir_op_int(const ir_op *op, const char *name, int64_t otherwise);
double ir_op_real(const ir_op *op, const char *name, double otherwise);
bool ir_op_bool(const ir_op *op, const char *name);

/* ---- walking ------------------------------------------------------------------------ */

static inline ir_op *ir_op_parent(const ir_op *op) /* NULL at the top or detached */
{
    return op->block && op->block->region ? op->block->region->owner : NULL;
}
static inline bool ir_op_is(const ir_op *op, const ir_op_def *def)
{
    return op && op->def == def;
}
bool ir_op_named(const ir_op *op, const char *name);
static inline ir_block *ir_op_body(const ir_op *op, size_t region) /* entry block or NULL */
{
    return op->n_regions > region ? op->regions[region].first : NULL;
}
bool ir_op_before(ir_op *a, ir_op *b);                          /* same block */
bool ir_op_is_ancestor(const ir_op *ancestor, const ir_op *op); /* or the same */

typedef enum ir_walk { IR_WALK_ON, IR_WALK_SKIP, IR_WALK_STOP } ir_walk;
typedef ir_walk ir_walk_fn(ir_op *op, void *user);
/* Pre-order (the callback must not erase operations) and post-order (it may erase `op`). */
ir_walk ir_walk_pre(ir_op *op, ir_walk_fn *fn, void *user);
ir_walk ir_walk_post(ir_op *op, ir_walk_fn *fn, void *user);

/* Operations collected before any is changed, so that all may be changed. */
typedef struct ir_op_list {
    ir_op **at;
    size_t n, capacity;
} ir_op_list;
typedef bool ir_op_test(const ir_op *op);
/* `root` and the operations in it that `wanted` accepts (NULL: all), in pre-order or
 * post-order. */
ir_op_list ir_ops_in(ir_op *root, ir_op_test *wanted);
ir_op_list ir_ops_in_post(ir_op *root, ir_op_test *wanted);
/* Those in pre-order that are in no operation that `closed` accepts; that one is itself. */
ir_op_list ir_ops_outside(ir_op *root, ir_op_test *wanted, ir_op_test *closed);
/* The operations in the block and below that `wanted` accepts. */
ir_op_list ir_ops_in_block(ir_block *block, ir_op_test *wanted);
ir_op_list ir_ops_in_block_post(ir_block *block, ir_op_test *wanted);
void ir_op_list_free(ir_op_list *list);
/* Calls `visit` on each of ir_ops_in's operations; the first one ends where it returns
 * false, and returns that. */
bool ir_each_op(ir_op *root, ir_op_test *wanted, bool (*visit)(ir_op *op));
void ir_visit_ops(ir_op *root, ir_op_test *wanted, void (*visit)(ir_op *op));

/* ---- symbols ------------------------------------------------------------------------ */

/* The operation named `name` directly in the symbol table `table` (a module), or NULL. */
ir_op *ir_symbol_lookup(ir_op *table, tw_str name);
/* Resolves @a::@b from the nearest enclosing symbol table outwards. */
ir_op *ir_symbol_resolve(ir_op *from, ir_attr ref);
tw_str ir_symbol_name(const ir_op *op); /* empty if it has none */
/* True if no operation outside the module can refer to it; if every module can. */
bool ir_symbol_is_private(const ir_op *op);
bool ir_symbol_is_public(const ir_op *op);
/* A symbol name that is free in the table: `base`, or else base_0, base_1, ... */
ir_attr ir_symbol_free_name(ir_op *table, const char *base);
ir_op *ir_nearest_symbol_table(ir_op *op);

/* ---- building ----------------------------------------------------------------------- */

/* Where new operations go.  `before` NULL means the block's end; with a NULL block the
 * operation stays detached. */
typedef struct ir_builder {
    ir_context *ctx;
    ir_block *block;
    ir_op *before;
    ir_loc loc;
    /* Called for every operation it creates; used by the rewriter. */
    void (*created)(void *user, ir_op *op);
    void *user;
} ir_builder;

ir_builder ir_builder_before(ir_op *op); /* at op, with its location */
ir_builder ir_builder_after(ir_op *op);
ir_builder ir_builder_at_end(ir_context *ctx, ir_block *block, ir_loc loc);
ir_builder ir_builder_at_start(ir_context *ctx, ir_block *block, ir_loc loc);
ir_op *ir_build(ir_builder *b, const ir_op_state *state);
/* The common case: all operands single, one result, attributes by name. */
#define IR_ATTRS(...)                                                                      \
    (const ir_attr_by_name[]){__VA_ARGS__},                                                \
        sizeof((const ir_attr_by_name[]){__VA_ARGS__}) / sizeof(ir_attr_by_name)
#define IR_VALUES(...)                                                                     \
    (ir_value *const[]){__VA_ARGS__},                                                      \
        sizeof((ir_value *const[]){__VA_ARGS__}) / sizeof(ir_value *)
typedef struct ir_attr_by_name {
    const char *name;
    ir_attr value; /* NULL entries are skipped */
} ir_attr_by_name;
ir_value *ir_build1(ir_builder *b, const ir_op_def *def, ir_type result,
                    ir_value *const *operands, size_t n_operands,
                    const ir_attr_by_name *attrs, size_t n_attrs);
/* Builds an operation with several results and regions; NULL operands mark absent optional
 * groups, from which segment sizes are computed unless they are given (every group is then
 * single). */
ir_op *ir_build_op(ir_builder *b, const ir_op_def *def, const ir_type *results,
                   size_t n_results, ir_value *const *operands, size_t n_operands,
                   const ir_attr_by_name *attrs, size_t n_attrs, size_t n_regions);

/* An empty `module {}`. */
ir_op *ir_module_create(ir_context *ctx, ir_loc loc);

/* ---- verifying ---------------------------------------------------------------------- */

/* Verifies the operation and everything in it; reports through diagnostics. */
bool ir_verify(ir_op *op);
/* Checks traits about the types of operands and results; for verifiers that need them
 * checked early. */
bool ir_check_shape_traits(ir_op *op);

#endif
