/* linalg_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_LINALG_ENUMS_H
#define TILEWRIGHT_DIALECT_LINALG_ENUMS_H

#include "ir/dialect.h"

#define LINALG_CASES_BinaryFn(X)                                                           \
    X(add, 0, "add")                                                                       \
    X(sub, 1, "sub")                                                                       \
    X(mul, 2, "mul")                                                                       \
    X(div, 3, "div")                                                                       \
    X(div_unsigned, 4, "div_unsigned")                                                     \
    X(max_signed, 5, "max_signed")                                                         \
    X(min_signed, 6, "min_signed")                                                         \
    X(max_unsigned, 7, "max_unsigned")                                                     \
    X(min_unsigned, 8, "min_unsigned")                                                     \
    X(powf, 9, "powf")

#define LINALG_CASES_ElementwiseArityGroup(X)                                              \
    X(Unary, 1, "Unary")                                                                   \
    X(Binary, 2, "Binary")                                                                 \
    X(Ternary, 3, "Ternary")

#define LINALG_CASES_ElementwiseCaseLimits(X)                                              \
    X(LastUnary, 13, "LastUnary")                                                          \
    X(LastBinary, 23, "LastBinary")                                                        \
    X(LastTernary, 24, "LastTernary")

#define LINALG_CASES_ElementwiseKind(X)                                                    \
    X(exp, 0, "exp")                                                                       \
    X(log, 1, "log")                                                                       \
    X(abs, 2, "abs")                                                                       \
    X(ceil, 3, "ceil")                                                                     \
    X(floor, 4, "floor")                                                                   \
    X(negf, 5, "negf")                                                                     \
    X(reciprocal, 6, "reciprocal")                                                         \
    X(round, 7, "round")                                                                   \
    X(sqrt, 8, "sqrt")                                                                     \
    X(rsqrt, 9, "rsqrt")                                                                   \
    X(square, 10, "square")                                                                \
    X(tanh, 11, "tanh")                                                                    \
    X(erf, 12, "erf")                                                                      \
    X(add, 13, "add")                                                                      \
    X(sub, 14, "sub")                                                                      \
    X(mul, 15, "mul")                                                                      \
    X(div, 16, "div")                                                                      \
    X(div_unsigned, 17, "div_unsigned")                                                    \
    X(max_signed, 18, "max_signed")                                                        \
    X(min_signed, 19, "min_signed")                                                        \
    X(max_unsigned, 20, "max_unsigned")                                                    \
    X(min_unsigned, 21, "min_unsigned")                                                    \
    X(powf, 22, "powf")                                                                    \
    X(select, 23, "select")

#define LINALG_CASES_IteratorType(X)                                                       \
    X(parallel, 0, "parallel")                                                             \
    X(reduction, 1, "reduction")

#define LINALG_CASES_TernaryFn(X) X(select, 0, "select")

#define LINALG_CASES_TypeFn(X)                                                             \
    X(cast_signed, 0, "cast_signed")                                                       \
    X(cast_unsigned, 1, "cast_unsigned")

#define LINALG_CASES_UnaryFn(X)                                                            \
    X(exp, 0, "exp")                                                                       \
    X(log, 1, "log")                                                                       \
    X(abs, 2, "abs")                                                                       \
    X(ceil, 3, "ceil")                                                                     \
    X(floor, 4, "floor")                                                                   \
    X(negf, 5, "negf")                                                                     \
    X(reciprocal, 6, "reciprocal")                                                         \
    X(round, 7, "round")                                                                   \
    X(sqrt, 8, "sqrt")                                                                     \
    X(rsqrt, 9, "rsqrt")                                                                   \
    X(square, 10, "square")                                                                \
    X(tanh, 11, "tanh")                                                                    \
    X(erf, 12, "erf")

#define LINALG_CASES_WinogradConv2DFmr(X)                                                  \
    X(F_2_3, 0, "F_2_3")                                                                   \
    X(F_4_3, 1, "F_4_3")                                                                   \
    X(F_2_5, 2, "F_2_5")

#define X(symbol, value, text) LINALG_ENUM(symbol) = value,
#define LINALG_ENUM(symbol) LINALG_BinaryFn_##symbol
enum { LINALG_CASES_BinaryFn(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_ElementwiseArityGroup_##symbol
enum { LINALG_CASES_ElementwiseArityGroup(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_ElementwiseCaseLimits_##symbol
enum { LINALG_CASES_ElementwiseCaseLimits(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_ElementwiseKind_##symbol
enum { LINALG_CASES_ElementwiseKind(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_IteratorType_##symbol
enum { LINALG_CASES_IteratorType(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_TernaryFn_##symbol
enum { LINALG_CASES_TernaryFn(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_TypeFn_##symbol
enum { LINALG_CASES_TypeFn(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_UnaryFn_##symbol
enum { LINALG_CASES_UnaryFn(X) };
#undef LINALG_ENUM
#define LINALG_ENUM(symbol) LINALG_WinogradConv2DFmr_##symbol
enum { LINALG_CASES_WinogradConv2DFmr(X) };
#undef LINALG_ENUM
#undef X

extern const ir_enum_def linalg_enum_BinaryFn;
extern const ir_enum_def linalg_enum_ElementwiseArityGroup;
extern const ir_enum_def linalg_enum_ElementwiseCaseLimits;
extern const ir_enum_def linalg_enum_ElementwiseKind;
extern const ir_enum_def linalg_enum_IteratorType;
extern const ir_enum_def linalg_enum_TernaryFn;
extern const ir_enum_def linalg_enum_TypeFn;
extern const ir_enum_def linalg_enum_UnaryFn;
extern const ir_enum_def linalg_enum_WinogradConv2DFmr;

#endif
