/* pdl.h: patterns written in the pdl dialect, interpreted.
 *
 * A set is compiled once: each pattern's operations are sorted in the order in which they
 * are matched, starting from its root.  Native functions are supplied by the caller; they
 * may change the program arbitrarily if the frame is notified of freed operations. */
#ifndef TILEWRIGHT_MLIR_PDL_REWRITE_PDL_H
#define TILEWRIGHT_MLIR_PDL_REWRITE_PDL_H

#include "ir/rewrite/rewrite.h"

typedef enum pdl_kind {
    PDL_KIND_ATTRIBUTE,
    PDL_KIND_OPERATION,
    PDL_KIND_TYPE,
    PDL_KIND_VALUE
} pdl_kind;

/* The binding of a handle; a range binds any number of items. */
typedef struct pdl_bound {
    pdl_kind kind;
    bool range;
    bool set;
    uint32_t count;
    const void **items;  /* ir_attr, ir_op, ir_type or ir_value; NULL: erased meanwhile */
    const void **owners; /* of values: the operation or block that defines them */
} pdl_bound;

typedef enum pdl_verdict {
    PDL_NO,   /* no match, or a native function failed */
    PDL_YES,  /* matched and rewritten */
    PDL_STOP, /* an error was reported: no further pattern may be applied */
} pdl_verdict;

typedef struct pdl_frame pdl_frame;

/* A native function by name.  `at` is the matched operation (NULL: erased meanwhile).
 * Results are declared by kind and range and are to be bound with pdl_bind. */
typedef struct pdl_call {
    ir_ident name;
    bool constraint;
    ir_op *at;
    const pdl_bound *args;
    size_t n_args;
    pdl_bound *results;
    size_t n_results;
    pdl_frame *frame;
} pdl_call;
typedef struct pdl_natives {
    pdl_verdict (*call)(void *user, const pdl_call *call);
    void *user;
    pdl_frame *frame; /* the active frame, to be notified of freed operations */
} pdl_natives;

typedef struct pdl_pattern pdl_pattern;
typedef struct pdl_patterns pdl_patterns;

/* Takes ownership of the module, also on failure.  Returns NULL after reporting. */
pdl_patterns *pdl_patterns_create(ir_op *module);
void pdl_patterns_free(pdl_patterns *set);
size_t pdl_patterns_count(const pdl_patterns *set); /* in textual order */
const pdl_pattern *pdl_patterns_at(const pdl_patterns *set, size_t i);
int64_t pdl_pattern_benefit(const pdl_pattern *p);
const ir_op_def *pdl_pattern_root(const pdl_pattern *p); /* NULL: any operation */
/* Visits the native functions that the patterns use, until the callback returns false. */
typedef bool pdl_name_fn(void *user, ir_op *op, ir_ident name, bool constraint);
bool pdl_patterns_each_name(const pdl_patterns *set, pdl_name_fn *visit, void *user);

/* Tries to match and rewrite at an operation. */
pdl_verdict pdl_apply(const pdl_pattern *p, ir_op *op, rw_rewriter *rw,
                      pdl_natives *natives);

/* Binds `count` items of the result's kind. */
void pdl_bind(pdl_frame *frame, pdl_bound *to, const void *const *items, size_t count);
/* Notifies the frame that an operation or block was freed. */
void pdl_frame_freed(pdl_frame *frame, const void *thing);

#endif
