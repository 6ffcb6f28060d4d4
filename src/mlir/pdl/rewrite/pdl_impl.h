/* pdl_impl.h: declarations shared by the files that compile, match and apply patterns. */
#ifndef TILEWRIGHT_MLIR_PDL_REWRITE_PDL_IMPL_H
#define TILEWRIGHT_MLIR_PDL_REWRITE_PDL_IMPL_H

#include "mlir/pdl/pdl.h"
#include "mlir/pdl/rewrite/pdl.h"

/* How to find an operation that the root does not reach through operands: among the users
 * of a value that is bound by then. */
typedef struct pdl_upward {
    ir_op *operation;
    ir_value *through; /* the operand */
} pdl_upward;

struct pdl_pattern {
    ir_op *pattern, *root, *rewrite;
    const ir_op_def *root_def; /* NULL: any */
    int64_t benefit;
    pdl_upward *upward;
    size_t n_upward, upward_capacity;
    ir_mapping *slots; /* value of the pattern -> index + 1 */
    pdl_bound *blank;  /* by index: an empty binding of each slot's kind */
    size_t n_slots, slots_capacity;
};

struct pdl_patterns {
    ir_op *module;
    pdl_pattern *at;
    size_t count, capacity;
};

struct pdl_frame {
    const pdl_pattern *pattern;
    pdl_bound *slots;
    tw_arena memory;
    ir_op *root; /* NULL: erased meanwhile */
    rw_rewriter *rw;
    pdl_natives *natives;
    /* arguments and results of native functions, to be notified of freed operations */
    pdl_bound *extra;
    size_t n_extra;
    ir_op **made; /* created by the rewrite, NULL where erased meanwhile */
    size_t n_made, made_capacity;
    bool freed_any;
};

pdl_bound *pdl_slot(pdl_frame *f, const ir_value *handle);
/* Binds a handle, or compares with its existing binding. */
bool pdl_unify(pdl_frame *f, const ir_value *handle, const void *const *items,
               size_t count);
/* The values of a pdl.result or pdl.results; false if the operation has no such results. */
bool pdl_results_of(pdl_frame *f, const ir_op *result, ir_op *of, const void *const **out,
                    size_t *count);
/* The items of a handle; reports and returns NULL if one was erased. */
const pdl_bound *pdl_items_of(pdl_frame *f, ir_op *user, ir_value *handle);
/* Binds a pdl.attribute, pdl.type or pdl.types with a constant, if it is one. */
void pdl_bind_constant(pdl_frame *f, const ir_op *op);
/* Calls the native function that `op` names. */
pdl_verdict pdl_call_native(pdl_frame *f, ir_op *op);
/* A growing array of items in the frame's memory. */
typedef struct pdl_items {
    const void **at;
    size_t count, capacity;
} pdl_items;

/* pdl_match.c */
pdl_verdict pdl_match(pdl_frame *f, ir_op *op);
/* pdl_rewrite.c */
pdl_verdict pdl_run_rewrite(pdl_frame *f);

#endif
