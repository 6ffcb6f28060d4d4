/* stablehlo_dot_rules.h: rules on dimension numbers shared by all general dot products. */
#ifndef TILEWRIGHT_STABLEHLO_STABLEHLO_DOT_RULES_H
#define TILEWRIGHT_STABLEHLO_STABLEHLO_DOT_RULES_H

/* clang-format off */
#define DISTINCT(a, b)                                                                          \
    {"each d < 64 : occurs(cat(" a ", " b "), d) > 1",                                          \
     "!has duplicated dimension from " a " and " b ": {d}"}

#define DOT_LISTS(numbers)                                                                      \
    {"let n = " numbers},                                                                       \
    {"let lhs_batching_dimensions = param(n, 'lhsBatchingDimensions')"},                        \
    {"let rhs_batching_dimensions = param(n, 'rhsBatchingDimensions')"},                        \
    {"let lhs_contracting_dimensions = param(n, 'lhsContractingDimensions')"},                  \
    {"let rhs_contracting_dimensions = param(n, 'rhsContractingDimensions')"}

#define DOT_IN_RANGE(list, of)                                                                  \
    {"each d in " list " : d < 0 or d >= rank(" of ")",                                         \
     "!" list " value: {d} is out of range: [0, {rank(" of ")})"}

#define DOT_FITS(kind)                                                                          \
    {"each i < |lhs_" kind "_dimensions| : "                                                    \
     "not fits(dim(lhs, lhs_" kind "_dimensions[i]), dim(rhs, rhs_" kind "_dimensions[i]))",    \
     "!" kind " dimension sizes must match for lhs/rhs"}

#define DOT_CHECKS                                                                              \
    {"|precision_config| > 2",                                                                  \
     "!expects precision config to be empty or have <= 2 elements, got {|precision_config|}"},  \
    {"|lhs_batching_dimensions| != |rhs_batching_dimensions|",                                  \
     "!lhs and rhs should have the same number of batching dimensions"},                        \
    {"|lhs_contracting_dimensions| != |rhs_contracting_dimensions|",                            \
     "!lhs and rhs should have the same number of contracting dimensions"},                     \
    DISTINCT("lhs_batching_dimensions", "lhs_contracting_dimensions"),                          \
    DISTINCT("rhs_batching_dimensions", "rhs_contracting_dimensions"),                          \
    DOT_IN_RANGE("lhs_batching_dimensions", "lhs"),                                             \
    DOT_IN_RANGE("lhs_contracting_dimensions", "lhs"),                                          \
    DOT_IN_RANGE("rhs_batching_dimensions", "rhs"),                                             \
    DOT_IN_RANGE("rhs_contracting_dimensions", "rhs"),                                          \
    DOT_FITS("batching"), DOT_FITS("contracting")
/* clang-format on */

#endif
