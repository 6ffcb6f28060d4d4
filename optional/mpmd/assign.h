/* assign.h: assignment of values to meshes by the import passes: mpmd.assign before users
 * on a mesh, mpmd.unassign after producers on one. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_ASSIGN_H
#define TILEWRIGHT_SDY_MPMD_PASSES_ASSIGN_H

#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"

/* Origin of a mesh assigned to an input or output without a name. */
#define MPMD_ORIGIN_USER_IN "user_in"
#define MPMD_ORIGIN_USER_OUT "user_out"

/* "name@mesh" or "name@mesh/stage", comma-separated; names may be integers. */
typedef struct mpmd_assignment {
    tw_str name;
    ir_attr mesh;        /* without memory kind */
    ir_attr memory_kind; /* the text after '#', or NULL */
    int64_t stage;       /* -1: none */
} mpmd_assignment;

typedef struct mpmd_assignments {
    mpmd_assignment *at;
    size_t n, capacity;
} mpmd_assignments;

/* False after an error; free `at` in any case. */
bool mpmd_parse_assignments(ir_context *ctx, tw_str text, mpmd_assignments *out);
const mpmd_assignment *mpmd_assignment_of(const mpmd_assignments *all, ir_attr name);

/* `origin` may be NULL. */
ir_value *mpmd_build_assign(ir_builder *b, ir_value *v, ir_type type, ir_attr origin);
ir_value *mpmd_build_unassign(ir_builder *b, ir_value *v, ir_attr origin);
/* Builds a fragment before `op` that does the same on a mesh. `results` are the values,
 * without a mesh, that replace those of the operation. */
ir_op *mpmd_wrap(ir_builder *b, ir_op *op, ir_attr mesh, const char *who,
                 mpmd_values *results);
/* mpmd.assign users of the mpmd.unassign that are on another mesh. */
ir_op_list mpmd_cross_assigns(const ir_op *unassign);
/* Replaces the assignments by a chain of transfers from the value to the first mesh, from
 * there to the next, and so on; assignments of the value's own type become the value. */
void mpmd_chain_transfers(rw_rewriter *rw, const ir_op_list *assigns, ir_value *from);
/* The location of the function's result as declared, or else the value's location. */
ir_loc mpmd_result_loc(const ir_op *func, uint32_t i, const ir_value *v);

/* An input and an output that must be on the same mesh: "0:1,...". */
typedef struct mpmd_constraint {
    uint32_t input, output;
} mpmd_constraint;

/* Parses the constraints of a function; false after an error. Free `out` in any case. */
bool mpmd_parse_constraints(ir_op *func, tw_str text, mpmd_constraint **out, size_t *n);

#endif
