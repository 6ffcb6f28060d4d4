/* arith_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_ARITH_ENUMS_H
#define TILEWRIGHT_DIALECT_ARITH_ENUMS_H

#include "ir/dialect.h"

#define ARITH_CASES_AtomicRMWKind(X)                                                       \
    X(addf, 0, "addf")                                                                     \
    X(addi, 1, "addi")                                                                     \
    X(andi, 2, "andi")                                                                     \
    X(assign, 3, "assign")                                                                 \
    X(maximumf, 4, "maximumf")                                                             \
    X(maxnumf, 5, "maxnumf")                                                               \
    X(maxs, 6, "maxs")                                                                     \
    X(maxu, 7, "maxu")                                                                     \
    X(minimumf, 8, "minimumf")                                                             \
    X(minnumf, 9, "minnumf")                                                               \
    X(mins, 10, "mins")                                                                    \
    X(minu, 11, "minu")                                                                    \
    X(mulf, 12, "mulf")                                                                    \
    X(muli, 13, "muli")                                                                    \
    X(ori, 14, "ori")                                                                      \
    X(xori, 15, "xori")

#define ARITH_CASES_CmpFPredicate(X)                                                       \
    X(AlwaysFalse, 0, "false")                                                             \
    X(OEQ, 1, "oeq")                                                                       \
    X(OGT, 2, "ogt")                                                                       \
    X(OGE, 3, "oge")                                                                       \
    X(OLT, 4, "olt")                                                                       \
    X(OLE, 5, "ole")                                                                       \
    X(ONE, 6, "one")                                                                       \
    X(ORD, 7, "ord")                                                                       \
    X(UEQ, 8, "ueq")                                                                       \
    X(UGT, 9, "ugt")                                                                       \
    X(UGE, 10, "uge")                                                                      \
    X(ULT, 11, "ult")                                                                      \
    X(ULE, 12, "ule")                                                                      \
    X(UNE, 13, "une")                                                                      \
    X(UNO, 14, "uno")                                                                      \
    X(AlwaysTrue, 15, "true")

#define ARITH_CASES_CmpIPredicate(X)                                                       \
    X(eq, 0, "eq")                                                                         \
    X(ne, 1, "ne")                                                                         \
    X(slt, 2, "slt")                                                                       \
    X(sle, 3, "sle")                                                                       \
    X(sgt, 4, "sgt")                                                                       \
    X(sge, 5, "sge")                                                                       \
    X(ult, 6, "ult")                                                                       \
    X(ule, 7, "ule")                                                                       \
    X(ugt, 8, "ugt")                                                                       \
    X(uge, 9, "uge")

#define ARITH_CASES_FastMathFlags(X)                                                       \
    X(none, 0, "none")                                                                     \
    X(reassoc, 1, "reassoc")                                                               \
    X(nnan, 2, "nnan")                                                                     \
    X(ninf, 4, "ninf")                                                                     \
    X(nsz, 8, "nsz")                                                                       \
    X(arcp, 16, "arcp")                                                                    \
    X(contract, 32, "contract")                                                            \
    X(afn, 64, "afn")                                                                      \
    X(fast, 127, "fast")

#define ARITH_CASES_IntegerOverflowFlags(X)                                                \
    X(none, 0, "none")                                                                     \
    X(nsw, 1, "nsw")                                                                       \
    X(nuw, 2, "nuw")

#define ARITH_CASES_RoundingMode(X)                                                        \
    X(to_nearest_even, 0, "to_nearest_even")                                               \
    X(downward, 1, "downward")                                                             \
    X(upward, 2, "upward")                                                                 \
    X(toward_zero, 3, "toward_zero")                                                       \
    X(to_nearest_away, 4, "to_nearest_away")

#define X(symbol, value, text) ARITH_ENUM(symbol) = value,
#define ARITH_ENUM(symbol) ARITH_AtomicRMWKind_##symbol
enum { ARITH_CASES_AtomicRMWKind(X) };
#undef ARITH_ENUM
#define ARITH_ENUM(symbol) ARITH_CmpFPredicate_##symbol
enum { ARITH_CASES_CmpFPredicate(X) };
#undef ARITH_ENUM
#define ARITH_ENUM(symbol) ARITH_CmpIPredicate_##symbol
enum { ARITH_CASES_CmpIPredicate(X) };
#undef ARITH_ENUM
#define ARITH_ENUM(symbol) ARITH_FastMathFlags_##symbol
enum { ARITH_CASES_FastMathFlags(X) };
#undef ARITH_ENUM
#define ARITH_ENUM(symbol) ARITH_IntegerOverflowFlags_##symbol
enum { ARITH_CASES_IntegerOverflowFlags(X) };
#undef ARITH_ENUM
#define ARITH_ENUM(symbol) ARITH_RoundingMode_##symbol
enum { ARITH_CASES_RoundingMode(X) };
#undef ARITH_ENUM
#undef X

extern const ir_enum_def arith_enum_AtomicRMWKind;
extern const ir_enum_def arith_enum_CmpFPredicate;
extern const ir_enum_def arith_enum_CmpIPredicate;
extern const ir_enum_def arith_enum_FastMathFlags;
extern const ir_enum_def arith_enum_IntegerOverflowFlags;
extern const ir_enum_def arith_enum_RoundingMode;

#endif
