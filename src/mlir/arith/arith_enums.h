/* arith_enums.h: enum cases as X(P, symbol, value, text); P is the name prefix. */
#ifndef TILEWRIGHT_MLIR_ARITH_ARITH_ENUMS_H
#define TILEWRIGHT_MLIR_ARITH_ARITH_ENUMS_H

#define ARITH_CASES_AtomicRMWKind(X, P)                                                    \
    X(P, addf, 0, "addf")                                                                  \
    X(P, addi, 1, "addi")                                                                  \
    X(P, andi, 2, "andi")                                                                  \
    X(P, assign, 3, "assign")                                                              \
    X(P, maximumf, 4, "maximumf")                                                          \
    X(P, maxnumf, 5, "maxnumf")                                                            \
    X(P, maxs, 6, "maxs")                                                                  \
    X(P, maxu, 7, "maxu")                                                                  \
    X(P, minimumf, 8, "minimumf")                                                          \
    X(P, minnumf, 9, "minnumf")                                                            \
    X(P, mins, 10, "mins")                                                                 \
    X(P, minu, 11, "minu")                                                                 \
    X(P, mulf, 12, "mulf")                                                                 \
    X(P, muli, 13, "muli")                                                                 \
    X(P, ori, 14, "ori")                                                                   \
    X(P, xori, 15, "xori")

#define ARITH_CASES_CmpFPredicate(X, P)                                                    \
    X(P, AlwaysFalse, 0, "false")                                                          \
    X(P, OEQ, 1, "oeq")                                                                    \
    X(P, OGT, 2, "ogt")                                                                    \
    X(P, OGE, 3, "oge")                                                                    \
    X(P, OLT, 4, "olt")                                                                    \
    X(P, OLE, 5, "ole")                                                                    \
    X(P, ONE, 6, "one")                                                                    \
    X(P, ORD, 7, "ord")                                                                    \
    X(P, UEQ, 8, "ueq")                                                                    \
    X(P, UGT, 9, "ugt")                                                                    \
    X(P, UGE, 10, "uge")                                                                   \
    X(P, ULT, 11, "ult")                                                                   \
    X(P, ULE, 12, "ule")                                                                   \
    X(P, UNE, 13, "une")                                                                   \
    X(P, UNO, 14, "uno")                                                                   \
    X(P, AlwaysTrue, 15, "true")

#define ARITH_CASES_CmpIPredicate(X, P)                                                    \
    X(P, eq, 0, "eq")                                                                      \
    X(P, ne, 1, "ne")                                                                      \
    X(P, slt, 2, "slt")                                                                    \
    X(P, sle, 3, "sle")                                                                    \
    X(P, sgt, 4, "sgt")                                                                    \
    X(P, sge, 5, "sge")                                                                    \
    X(P, ult, 6, "ult")                                                                    \
    X(P, ule, 7, "ule")                                                                    \
    X(P, ugt, 8, "ugt")                                                                    \
    X(P, uge, 9, "uge")

#define ARITH_CASES_FastMathFlags(X, P)                                                    \
    X(P, none, 0, "none")                                                                  \
    X(P, reassoc, 1, "reassoc")                                                            \
    X(P, nnan, 2, "nnan")                                                                  \
    X(P, ninf, 4, "ninf")                                                                  \
    X(P, nsz, 8, "nsz")                                                                    \
    X(P, arcp, 16, "arcp")                                                                 \
    X(P, contract, 32, "contract")                                                         \
    X(P, afn, 64, "afn")                                                                   \
    X(P, fast, 127, "fast")

#define ARITH_CASES_IntegerOverflowFlags(X, P)                                             \
    X(P, none, 0, "none")                                                                  \
    X(P, nsw, 1, "nsw")                                                                    \
    X(P, nuw, 2, "nuw")

#define ARITH_CASES_RoundingMode(X, P)                                                     \
    X(P, to_nearest_even, 0, "to_nearest_even")                                            \
    X(P, downward, 1, "downward")                                                          \
    X(P, upward, 2, "upward")                                                              \
    X(P, toward_zero, 3, "toward_zero")                                                    \
    X(P, to_nearest_away, 4, "to_nearest_away")

#endif
