/* d2m_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_D2M_ENUMS_H
#define TILEWRIGHT_DIALECT_D2M_ENUMS_H

#include "ir/dialect.h"

#define D2M_CASES_DMAType(X)                                                               \
    X(Read, 0, "read")                                                                     \
    X(Write, 1, "write")                                                                   \
    X(McastWrite, 2, "mcast_write")

#define D2M_CASES_ReduceDim(X)                                                             \
    X(R, 0, "R")                                                                           \
    X(C, 1, "C")                                                                           \
    X(RC, 2, "RC")

#define D2M_CASES_ResolutionStage(X)                                                       \
    X(Compile, 0, "compile")                                                               \
    X(Runtime, 1, "runtime")

#define D2M_CASES_ThreadType(X)                                                            \
    X(Compute, 0, "compute")                                                               \
    X(Datamovement, 1, "datamovement")                                                     \
    X(Unified, 2, "unified")

#define D2M_CASES_TileBcastType(X)                                                         \
    X(None, 0, "none")                                                                     \
    X(Col, 1, "col")                                                                       \
    X(Row, 2, "row")                                                                       \
    X(Scalar, 3, "scalar")

#define X(symbol, value, text) D2M_ENUM(symbol) = value,
#define D2M_ENUM(symbol) D2M_DMAType_##symbol
enum { D2M_CASES_DMAType(X) };
#undef D2M_ENUM
#define D2M_ENUM(symbol) D2M_ReduceDim_##symbol
enum { D2M_CASES_ReduceDim(X) };
#undef D2M_ENUM
#define D2M_ENUM(symbol) D2M_ResolutionStage_##symbol
enum { D2M_CASES_ResolutionStage(X) };
#undef D2M_ENUM
#define D2M_ENUM(symbol) D2M_ThreadType_##symbol
enum { D2M_CASES_ThreadType(X) };
#undef D2M_ENUM
#define D2M_ENUM(symbol) D2M_TileBcastType_##symbol
enum { D2M_CASES_TileBcastType(X) };
#undef D2M_ENUM
#undef X

extern const ir_enum_def d2m_enum_DMAType;
extern const ir_enum_def d2m_enum_ReduceDim;
extern const ir_enum_def d2m_enum_ResolutionStage;
extern const ir_enum_def d2m_enum_ThreadType;
extern const ir_enum_def d2m_enum_TileBcastType;

#endif
