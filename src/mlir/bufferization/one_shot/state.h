/* state.h: what the analysis knows, shared by its files. */
#ifndef TILEWRIGHT_MLIR_BUFFERIZATION_STATE_H
#define TILEWRIGHT_MLIR_BUFFERIZATION_STATE_H

#include "mlir/bufferization/one_shot/one_shot.h"

/* Disjoint sets of values, each of which can be walked. */
typedef struct value_sets {
    uint32_t *parent, *next;
    size_t capacity;
} value_sets;

/* What is known of a function after its analysis. */
typedef struct buf_function {
    ir_op *op;
    bool is_analyzed, is_in_progress, is_done;
    bool *reads, *writes; /* of each argument */
    int64_t *equivalent;  /* of each result: the argument, or -1 */
    bool *aliases;        /* of each result and argument */
} buf_function;

struct buf_state {
    const buf_options *options;
    ir_op *module;
    ir_mapping *models;  /* row -> model */
    ir_mapping *numbers; /* value -> index + 1 */
    ir_value **values;
    size_t n_values, values_capacity;
    value_sets aliases, equivalents;
    ir_mapping *in_place; /* operands */
    buf_function *functions;
    size_t n_functions, functions_capacity;
    ir_mapping *function_index;
    ir_op **order; /* functions, callees before callers */
    size_t n_order, order_capacity;
    size_t n_conflicts; /* marked so far */
};

void buf_state_begin(buf_state *s, ir_op *module, const buf_options *options);
void buf_state_end(buf_state *s);
void buf_union_aliases(buf_state *s, const ir_value *a, const ir_value *b);
void buf_union_equivalents(buf_state *s, const ir_value *a, const ir_value *b);
/* Calls `visit` for every value of the alias set. */
typedef void buf_visit_value(ir_value *v, void *user);
void buf_each_alias(buf_state *s, const ir_value *v, buf_visit_value *visit, void *user);

/* The values that the reverse walk from a value along aliasing operands ends at: those that
 * `wanted` accepts, and the leaves if asked for. The caller frees *out. */
typedef struct value_list {
    ir_value **at;
    size_t n, capacity;
} value_list;
typedef bool buf_wanted(buf_state *s, ir_value *v, void *user);
typedef struct buf_walk {
    buf_wanted *wanted;
    void *user;
    bool with_leaves, only_equivalent, only_same_type;
} buf_walk;
void buf_reverse_walk(buf_state *s, ir_value *from, const buf_walk *walk, value_list *out);

buf_function *buf_function_of(buf_state *s, const ir_op *func); /* NULL if unknown */
ir_op *buf_callee(const ir_op *call);

/* analysis.c */
bool buf_analyze(buf_state *s, ir_op *root);
/* Without an analysis: what is written is not in place. */
void buf_copy_before_writes(buf_state *s, ir_op *root);
/* copies.c */
bool buf_insert_copies(buf_state *s, ir_op *root);
/* functions.c */
bool buf_analyze_functions(buf_state *s);

#endif
