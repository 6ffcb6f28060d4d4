/* fragments.h: shared by the passes on mpmd: functions with a topology, tensors on
 * meshes, fragments and their attributes, and changes of operands and results. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_FRAGMENTS_H
#define TILEWRIGHT_SDY_MPMD_PASSES_FRAGMENTS_H

#include "ir/pass/pass.h"
#include "sdy/mpmd/mpmd.h"
#include "support/arena.h"

#include <stdlib.h>

/* Names of attributes. */
#define MPMD_TOPOLOGY "topology"
#define MPMD_MESH_SHAPE "mesh_shape"
#define MPMD_CALL_COUNTER "call_counter"
#define MPMD_UNROLL_COUNTER "unroll_counter"
#define MPMD_KEEP_TRANSFERRED "split_keep_transferred"
#define MPMD_DROP_TRANSFERRED "split_drop_transferred"
#define MPMD_INFERRED_BY "mpmd.inferred_by"
#define MPMD_REMAT "remat"
#define MPMD_MEMORY_KIND "mhlo.memory_kind"
#define MPMD_LAYOUT "mhlo.layout_mode"
#define MPMD_RESERVED "reserved_hbm_bytes"
/* Index of a fragment's first control operand, which only orders it after another
 * fragment. */
#define MPMD_CONTROL_START "mpmd.control_operand_start_idx"
#define MPMD_PINNED_HOST "pinned_host"
#define MPMD_CPU_SUFFIX "/cpu"

/* ---- lists -------------------------------------------------------------------------- */

typedef struct mpmd_values {
    ir_value **at;
    size_t n, capacity;
} mpmd_values;

void mpmd_push(mpmd_values *list, ir_value *v);
bool mpmd_push_new(mpmd_values *list, ir_value *v); /* false if it is in the list already */
mpmd_values mpmd_operands(const ir_op *op);
void mpmd_set_operands(ir_op *op, const mpmd_values *list);
/* Values defined outside that the operation, or an op nested in it, uses; each once. */
mpmd_values mpmd_outer_values(ir_op *op);
/* Users of the results or of the value, each once, in the order of uses. */
ir_op_list mpmd_users(const ir_op *op);
ir_op_list mpmd_users_of(const ir_value *v);
bool mpmd_lists(const ir_op_list *list, const ir_op *op);
void mpmd_list_add(ir_op_list *list, ir_op *op);
/* The first in block order of operations of one block; NULL for an empty list. */
ir_op *mpmd_first(const ir_op_list *list);

/* ---- functions and meshes ----------------------------------------------------------- */

/* A function with a body and a topology; one that may also be called by name; one with a
 * topology or just a mesh. */
bool mpmd_is_function(const ir_op *op);
bool mpmd_is_distributed(const ir_op *op);
bool mpmd_is_entry(const ir_op *op);
ir_op *mpmd_enclosing_function(ir_op *op);
static inline ir_op *mpmd_end(const ir_op *op) /* the terminator of its body */
{
    return ir_op_body(op, 0)->last;
}
/* #mpmd.named_mesh items: a name and a mesh each. */
ir_attr mpmd_meshes(const ir_op *func);
static inline tw_str mpmd_mesh_of(ir_type type)
{
    return ir_attr_str(type->params[MPMD_TYPE_MESH]);
}
ir_type mpmd_tensor_on(ir_attr mesh_name, ir_type tensor, ir_attr memory_kind);
ir_type mpmd_with_sharding(ir_type type, ir_attr sharding);
bool mpmd_on_host(ir_type type);
bool mpmd_is_host(ir_attr memory_kind); /* NULL means device memory */
bool mpmd_is_cpu(tw_str mesh);
bool mpmd_between_meshes(const ir_op *transfer);
/* True if a mesh's name sorts before another's: by trailing integers if both have one. */
bool mpmd_mesh_before(tw_str mesh, tw_str other);

/* mpmd.call operations of a function whose results are used, in order; the callee. */
ir_op_list mpmd_calls_of(ir_op *func);
ir_op *mpmd_callee(ir_op *call); /* accepts the call's arguments; or NULL */
/* The i-th value returned by a function or loop; NULL if there are fewer. */
ir_value *mpmd_returned(const ir_op *op, uint32_t i);

/* ---- fragments ---------------------------------------------------------------------- */

bool mpmd_is_fragment(const ir_op *op);
bool mpmd_is_transfer(const ir_op *op);
/* True for a fragment written by the user: it has an origin. */
bool mpmd_is_user_fragment(const ir_op *op);
tw_str mpmd_fragment_mesh(const ir_op *fragment);
/* The transpose count if all origins agree; -1 otherwise. */
int64_t mpmd_transposes(const ir_op *fragment);
int64_t mpmd_max_transposes(const ir_op *fragment); /* -1 without origins */
int64_t mpmd_call_counter(const ir_op *op);         /* -1: none */
int64_t mpmd_stage(const ir_op *fragment);          /* -1: none */
static inline bool mpmd_is_forward(const ir_op *fragment)
{
    return mpmd_transposes(fragment) == 0;
}
static inline bool mpmd_is_backward(const ir_op *fragment)
{
    return mpmd_transposes(fragment) == 1;
}
bool mpmd_was_split(const ir_op *fragment);
/* True if the second is the next fragment of its mesh after the first. */
bool mpmd_runs_next(const ir_op *first, const ir_op *second);
void mpmd_set_counter(ir_op *op, const char *name, int64_t value); /* ui32 */
void mpmd_set_inferred_by(ir_op *fragment, const char *who);

/* ---- changing fragments, and other operations with one region of one block ---------- */

/* Builds a fragment inferred by the compiler, without a body. */
ir_op *mpmd_build_fragment(ir_builder *b, ir_attr mesh_name, const ir_type *results,
                           size_t n_results, const mpmd_values *operands, const char *who);
/* Adds one block whose arguments have the operands' inner types. */
ir_block *mpmd_add_body(ir_op *fragment);
/* Recreates the operation before itself with other result types and moves its body; uses
 * still refer to the old results. */
ir_op *mpmd_remake(ir_op *op, const ir_type *results, size_t n_results);
/* Erases the marked results, which are unused; returns the new operation. */
ir_op *mpmd_erase_results(ir_op *op, const bool *erased);
/* Erases the marked operands and the matching unused body arguments. */
void mpmd_erase_operands(ir_op *op, const bool *erased);
/* Appends a result that returns `inner`; returns the new operation. */
ir_op *mpmd_add_result(ir_op *op, ir_value *inner, ir_type type);
/* Appends the value as an operand and returns the matching body argument. */
ir_value *mpmd_add_operand(ir_op *op, ir_value *v, ir_type inner);
/* Erases unused operations without side effects, including those in regions. */
void mpmd_drop_dead(ir_op *op);
void mpmd_replace_results(ir_op *op, ir_op *by);

/* Sets the sharding of body arguments in fragments that use the value, unless NULL. */
void mpmd_set_at_readers(ir_value *v, ir_attr sharding);

/* Attributes of arguments (`arg_attrs`) and results (`res_attrs`) of fragments, loops and
 * functions; a list with any entry has length `n`. */
ir_attr mpmd_io_attr(const ir_op *op, const char *list, size_t i, const char *name);
void mpmd_set_io_attr(ir_op *op, const char *list, size_t n, size_t i, const char *name,
                      ir_attr value);

void mpmd_default_io_attrs(ir_op *op, const char *list, size_t n);

/* ---- order -------------------------------------------------------------------------- */

/* Orders the second after the first by an unused control operand. */
void mpmd_add_control(ir_op *first, ir_op *second);
void mpmd_remove_controls(ir_op *func);
/* Numbers the operations of a block, as mpmd_depends requires. */
void mpmd_number_ops(ir_block *block);
/* True if the second depends on results of the first through operations before the
 * second. */
bool mpmd_depends(ir_op *first, ir_op *second);

#endif
