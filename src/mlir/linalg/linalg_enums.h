/* linalg_enums.h: enum cases as X(P, symbol, value, text); P is the name prefix. */
#ifndef TILEWRIGHT_MLIR_LINALG_LINALG_ENUMS_H
#define TILEWRIGHT_MLIR_LINALG_LINALG_ENUMS_H

#define LINALG_CASES_BinaryFn(X, P)                                                        \
    X(P, add, 0, "add")                                                                    \
    X(P, sub, 1, "sub")                                                                    \
    X(P, mul, 2, "mul")                                                                    \
    X(P, div, 3, "div")                                                                    \
    X(P, div_unsigned, 4, "div_unsigned")                                                  \
    X(P, max_signed, 5, "max_signed")                                                      \
    X(P, min_signed, 6, "min_signed")                                                      \
    X(P, max_unsigned, 7, "max_unsigned")                                                  \
    X(P, min_unsigned, 8, "min_unsigned")                                                  \
    X(P, powf, 9, "powf")

#define LINALG_CASES_ElementwiseArityGroup(X, P)                                           \
    X(P, Unary, 1, "Unary")                                                                \
    X(P, Binary, 2, "Binary")                                                              \
    X(P, Ternary, 3, "Ternary")

#define LINALG_CASES_ElementwiseCaseLimits(X, P)                                           \
    X(P, LastUnary, 13, "LastUnary")                                                       \
    X(P, LastBinary, 23, "LastBinary")                                                     \
    X(P, LastTernary, 24, "LastTernary")

#define LINALG_CASES_ElementwiseKind(X, P)                                                 \
    LINALG_CASES_UnaryFn(X, P) X(P, add, 13, "add") X(P, sub, 14, "sub")                   \
        X(P, mul, 15, "mul") X(P, div, 16, "div") X(P, div_unsigned, 17, "div_unsigned")   \
            X(P, max_signed, 18, "max_signed") X(P, min_signed, 19, "min_signed")          \
                X(P, max_unsigned, 20, "max_unsigned")                                     \
                    X(P, min_unsigned, 21, "min_unsigned") X(P, powf, 22, "powf")          \
                        X(P, select, 23, "select")

#define LINALG_CASES_IteratorType(X, P)                                                    \
    X(P, parallel, 0, "parallel")                                                          \
    X(P, reduction, 1, "reduction")

#define LINALG_CASES_TernaryFn(X, P) X(P, select, 0, "select")

#define LINALG_CASES_TypeFn(X, P)                                                          \
    X(P, cast_signed, 0, "cast_signed")                                                    \
    X(P, cast_unsigned, 1, "cast_unsigned")

#define LINALG_CASES_UnaryFn(X, P)                                                         \
    X(P, exp, 0, "exp")                                                                    \
    X(P, log, 1, "log")                                                                    \
    X(P, abs, 2, "abs")                                                                    \
    X(P, ceil, 3, "ceil")                                                                  \
    X(P, floor, 4, "floor")                                                                \
    X(P, negf, 5, "negf")                                                                  \
    X(P, reciprocal, 6, "reciprocal")                                                      \
    X(P, round, 7, "round")                                                                \
    X(P, sqrt, 8, "sqrt")                                                                  \
    X(P, rsqrt, 9, "rsqrt")                                                                \
    X(P, square, 10, "square")                                                             \
    X(P, tanh, 11, "tanh")                                                                 \
    X(P, erf, 12, "erf")

#define LINALG_CASES_WinogradConv2DFmr(X, P)                                               \
    X(P, F_2_3, 0, "F_2_3")                                                                \
    X(P, F_4_3, 1, "F_4_3")                                                                \
    X(P, F_2_5, 2, "F_2_5")

#endif
