/* emitc_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_EMITC_ENUMS_H
#define TILEWRIGHT_DIALECT_EMITC_ENUMS_H

#include "ir/dialect.h"

#define EMITC_CASES_CmpPredicate(X)                                                        \
    X(eq, 0, "eq")                                                                         \
    X(ne, 1, "ne")                                                                         \
    X(lt, 2, "lt")                                                                         \
    X(le, 3, "le")                                                                         \
    X(gt, 4, "gt")                                                                         \
    X(ge, 5, "ge")                                                                         \
    X(three_way, 6, "three_way")

#define X(symbol, value, text) EMITC_ENUM(symbol) = value,
#define EMITC_ENUM(symbol) EMITC_CmpPredicate_##symbol
enum { EMITC_CASES_CmpPredicate(X) };
#undef EMITC_ENUM
#undef X

extern const ir_enum_def emitc_enum_CmpPredicate;

#endif
