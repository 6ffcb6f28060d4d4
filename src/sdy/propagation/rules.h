/* rules.h: the sharding rules of operations. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_RULES_H
#define TILEWRIGHT_SDY_PROPAGATION_RULES_H

#include "sdy/propagation/rule_builder.h"

/* The rule that the operation carries, or the one of its kind; NULL if it has none.  In
 * `conservative` rules nothing spreads that would make devices talk to each other.  With
 * `keep` the rule is put on the operation. */
ir_attr sdy_rule_of(ir_op *op, bool conservative, bool keep);
/* Values of one type that are all sharded alike. */
ir_attr sdy_identity_rule(ir_type type, size_t n_operands, size_t n_results);
/* Reports the first operation below `root` that should have a rule and has none. */
void sdy_warn_of_unknown(ir_op *root);
/* Takes away the rules that the passes have put on operations. */
void sdy_drop_rules(ir_op *root);

/* Whether what devices make of their parts of an operand would not add up to the result: it
 * is split (as `split` says of each dimension) along what is summed over, and the sums
 * begin with something, or places in the whole say what is summed. */
bool sdy_sums_wrongly(ir_op *op, uint32_t operand, const bool *split);

/* ---- by subject: they fill the builder; false: the operation has no rule ------------- */

typedef bool sdy_rule_fn(sdy_rule_builder *b, ir_op *op, bool conservative);

/* rules_linear.c */
sdy_rule_fn sdy_rule_dot, sdy_rule_dot_general, sdy_rule_convolution,
    sdy_rule_triangular_solve;
/* rules_indexing.c */
sdy_rule_fn sdy_rule_gather, sdy_rule_scatter, sdy_rule_dynamic_slice,
    sdy_rule_dynamic_update_slice;
/* The rule that a user wrote for a call, empty if there is none; as an attribute, that is
 * not custom: it goes and comes again as others do.  NULL if it cannot be read. */
tw_str sdy_user_rule_text(const ir_op *op);
ir_attr sdy_user_rule(const ir_op *op);
/* rules_tt.c: TT's calls */
sdy_rule_fn sdy_rule_tt;
bool sdy_is_tt_call(const ir_op *op);
/* rules_calls.c */
sdy_rule_fn sdy_rule_custom_call;
bool sdy_knows_call(const ir_op *op); /* whether the table has its target */

/* Every dimension alike in all tensors. */
sdy_rule_fn sdy_rule_pointwise;
/* The same; dimensions whose sizes differ between `in` and `out` are of another kind. */
void sdy_rule_pointwise_but(sdy_rule_builder *b, ir_type in, ir_type out,
                            sdy_factor_kind mismatch, bool blocked);
/* Numbers of a list, at most `max` of them. */
size_t sdy_numbers(ir_attr list, int64_t *out, size_t max);
static inline bool sdy_contains(const int64_t *list, size_t n, int64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

#endif
