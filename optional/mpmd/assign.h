/* assign.h: values that get a mesh, and what import makes of them: mpmd.assign in front of
 * users on a mesh, mpmd.unassign behind makers on one. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_ASSIGN_H
#define TILEWRIGHT_SDY_MPMD_PASSES_ASSIGN_H

#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"

/* Where a mesh comes from that nobody gave a name for. */
#define MPMD_ORIGIN_USER_IN "user_in"
#define MPMD_ORIGIN_USER_OUT "user_out"

/* "name@mesh" or "name@mesh/stage", with commas between; names may be numbers. */
typedef struct mpmd_assignment {
    tw_str name;
    ir_attr mesh;        /* without memory kind */
    ir_attr memory_kind; /* what stands behind '#'; or NULL */
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
/* A fragment in front of an operation that does the same on a mesh. `results` are then the
 * values, without a mesh, that stand for the operation's. */
ir_op *mpmd_wrap(ir_builder *b, ir_op *op, ir_attr mesh, const char *who,
                 mpmd_values *results);
/* mpmd.assign operations that read the mpmd.unassign and are on another mesh. */
ir_op_list mpmd_cross_assigns(const ir_op *unassign);
/* Transfers from the value to the first mesh, from there to the next, and so on, in place
 * of the assignments; those of a value's own type become the value. */
void mpmd_chain_transfers(rw_rewriter *rw, const ir_op_list *assigns, ir_value *from);
/* The function's result as its caller calls it, or else the value's place. */
ir_loc mpmd_result_loc(const ir_op *func, uint32_t i, const ir_value *v);

/* An input and an output that are to be alike: "0:1,...". */
typedef struct mpmd_constraint {
    uint32_t input, output;
} mpmd_constraint;

/* For a function; false after an error. Free `out` in any case. */
bool mpmd_parse_constraints(ir_op *func, tw_str text, mpmd_constraint **out, size_t *n);

#endif
