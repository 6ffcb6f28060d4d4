/* rules.h: sharding rules of operations. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_RULES_H
#define TILEWRIGHT_SDY_PROPAGATION_RULES_H

#include "sdy/propagation/rule_builder.h"

/* The rule that the operation carries, or the one derived from its kind; NULL if it has
 * none.  In `conservative` rules nothing propagates that would need communication.  With
 * `keep` the rule is set on the operation. */
ir_attr sdy_rule_of(ir_op *op, bool conservative, bool keep);
/* The rule of values of one type that all have the same sharding. */
ir_attr sdy_identity_rule(ir_type type, size_t n_operands, size_t n_results);
/* Reports the first operation below `root` that should have a rule but has none. */
void sdy_warn_of_unknown(ir_op *root);
/* Removes the rules that the passes have set on operations. */
void sdy_drop_rules(ir_op *root);

/* True if partial results of devices would not add up to the result: the operand is split
 * (`split` has a flag per dimension) along a summed dimension, and the sum starts from a
 * non-neutral value or is selected by indices into the whole tensor. */
bool sdy_sums_wrongly(ir_op *op, uint32_t operand, const bool *split);

/* ---- by subject; each fills the builder and returns false if the op has no rule ------ */

typedef bool sdy_rule_fn(sdy_rule_builder *b, ir_op *op, bool conservative);

/* rules_linear.c */
sdy_rule_fn sdy_rule_dot, sdy_rule_dot_general, sdy_rule_convolution,
    sdy_rule_triangular_solve;
/* rules_indexing.c */
sdy_rule_fn sdy_rule_gather, sdy_rule_scatter, sdy_rule_dynamic_slice,
    sdy_rule_dynamic_update_slice;
/* The text of a user's rule for a call, empty if there is none; as an attribute it is not
 * marked custom, so it can be dropped and restored as others are.  NULL if it cannot be
 * parsed. */
tw_str sdy_user_rule_text(const ir_op *op);
ir_attr sdy_user_rule(const ir_op *op);
/* rules_tt.c: Tenstorrent's custom calls */
sdy_rule_fn sdy_rule_tt;
bool sdy_is_tt_call(const ir_op *op);
/* rules_calls.c */
sdy_rule_fn sdy_rule_custom_call;
bool sdy_knows_call(const ir_op *op); /* true if its target is in the table */

/* The same factor for each dimension of all tensors. */
sdy_rule_fn sdy_rule_pointwise;
/* The same; dimensions whose sizes differ between `in` and `out` get another kind. */
void sdy_rule_pointwise_but(sdy_rule_builder *b, ir_type in, ir_type out,
                            sdy_factor_kind mismatch, bool blocked);
/* Reads at most `max` integers of a list. */
size_t sdy_integers(ir_attr list, int64_t *out, size_t max);
static inline bool sdy_contains(const int64_t *list, size_t n, int64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

#endif
