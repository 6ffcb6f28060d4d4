/* optimize.h: patterns that the passes stablehlo-aggressive-folder,
 * stablehlo-aggressive-simplification and stablehlo-target-independent-optimization share.
 */
#ifndef TILEWRIGHT_STABLEHLO_SIMPLIFY_OPTIMIZE_H
#define TILEWRIGHT_STABLEHLO_SIMPLIFY_OPTIMIZE_H

#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"

typedef struct hlo_optimize {
    int64_t most_elements;        /* of a folded constant that is no splat */
    bool folds_floats;            /* results of floating-point arithmetic too */
    bool trusts_declared_effects; /* what declares no side effects has none */
} hlo_optimize;

/* The options of a pass that folds, and what a run is given for them. */
#define HLO_FOLD_OPTIONS                                                                   \
    IR_LIST(                                                                               \
        pass_option_def,                                                                   \
        {"assume-no-undeclared-side-effects", PASS_BOOL, "false",                          \
         "Take it that what declares no side effects has none"},                           \
        {"fold-op-element-limit", PASS_INT, "65536",                                       \
         "How many elements a folded constant that is no splat may have"},                 \
        {"optimize-float", PASS_BOOL, "true",                                              \
         "Compute floating-point operations too, which may round otherwise elsewhere"})
hlo_optimize hlo_fold_options(pass_run *run);

/* The patterns take a `hlo_optimize` as the driver's user. */
extern const rw_pattern hlo_fold_any;     /* on every operation */
extern const rw_pattern hlo_simplify_any; /* on every operation */
/* Applies the operation's pattern in a table with a place for each row of stablehlo. */
bool hlo_apply(rw_pattern_fn *const *rows, ir_op *op, rw_rewriter *rw);
/* The elements of a constant that can be computed with, or NULL (aggressive_folder.c). */
ir_attr hlo_dense_of(const ir_value *v);
/* An operation whose shape comes as a constant as its static form
 * (canonicalize_dynamism.c). */
bool hlo_make_static(ir_op *op, rw_rewriter *rw);

#endif
