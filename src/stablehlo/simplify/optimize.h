/* optimize.h: patterns shared by stablehlo-aggressive-folder,
 * stablehlo-aggressive-simplification and stablehlo-target-independent-optimization. */
#ifndef TILEWRIGHT_STABLEHLO_SIMPLIFY_OPTIMIZE_H
#define TILEWRIGHT_STABLEHLO_SIMPLIFY_OPTIMIZE_H

#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"

typedef struct hlo_optimize {
    int64_t most_elements;        /* limit for a folded constant that is no splat */
    bool folds_floats;            /* also results of floating-point arithmetic */
    bool trusts_declared_effects; /* ops that declare no side effects have none */
} hlo_optimize;

/* The options of a folding pass, and the hlo_optimize of a run built from them. */
#define HLO_FOLD_OPTIONS                                                                   \
    IR_LIST(                                                                               \
        pass_option_def,                                                                   \
        {"assume-no-undeclared-side-effects", PASS_BOOL, "false",                          \
         "Assume that ops without declared side effects have none"},                       \
        {"fold-op-element-limit", PASS_INT, "65536",                                       \
         "Maximum number of elements of a folded constant that is no splat"},              \
        {"optimize-float", PASS_BOOL, "true",                                              \
         "Also fold floating-point operations, which may round differently elsewhere"})
hlo_optimize hlo_fold_options(pass_run *run);

/* The driver's user pointer of these patterns is a `hlo_optimize`. */
extern const rw_pattern hlo_fold_any;     /* on every operation */
extern const rw_pattern hlo_simplify_any; /* on every operation */
/* Applies the operation's pattern from a table indexed by the rows of stablehlo. */
bool hlo_apply(rw_pattern_fn *const *rows, ir_op *op, rw_rewriter *rw);
/* The elements of a constant in computable form, or NULL (aggressive_folder.c). */
ir_attr hlo_dense_of(const ir_value *v);
/* Replaces an operation whose shape operand is constant by its static form
 * (canonicalize_dynamism.c). */
bool hlo_make_static(ir_op *op, rw_rewriter *rw);

#endif
