/* stablehlo_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_STABLEHLO_ENUMS_H
#define TILEWRIGHT_DIALECT_STABLEHLO_ENUMS_H

#include "ir/dialect.h"

#define STABLEHLO_CASES_ComparisonDirection(X)                                             \
    X(EQ, 0, "EQ")                                                                         \
    X(NE, 1, "NE")                                                                         \
    X(GE, 2, "GE")                                                                         \
    X(GT, 3, "GT")                                                                         \
    X(LE, 4, "LE")                                                                         \
    X(LT, 5, "LT")

#define STABLEHLO_CASES_ComparisonType(X)                                                  \
    X(NOTYPE, 0, "NOTYPE")                                                                 \
    X(FLOAT, 1, "FLOAT")                                                                   \
    X(TOTALORDER, 2, "TOTALORDER")                                                         \
    X(SIGNED, 3, "SIGNED")                                                                 \
    X(UNSIGNED, 4, "UNSIGNED")

#define STABLEHLO_CASES_CustomCallApiVersion(X)                                            \
    X(API_VERSION_UNSPECIFIED, 0, "API_VERSION_UNSPECIFIED")                               \
    X(API_VERSION_ORIGINAL, 1, "API_VERSION_ORIGINAL")                                     \
    X(API_VERSION_STATUS_RETURNING, 2, "API_VERSION_STATUS_RETURNING")                     \
    X(API_VERSION_STATUS_RETURNING_UNIFIED, 3, "API_VERSION_STATUS_RETURNING_UNIFIED")     \
    X(API_VERSION_TYPED_FFI, 4, "API_VERSION_TYPED_FFI")

#define STABLEHLO_CASES_FftType(X)                                                         \
    X(FFT, 0, "FFT")                                                                       \
    X(IFFT, 1, "IFFT")                                                                     \
    X(RFFT, 2, "RFFT")                                                                     \
    X(IRFFT, 3, "IRFFT")

#define STABLEHLO_CASES_Precision(X)                                                       \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(HIGH, 1, "HIGH")                                                                     \
    X(HIGHEST, 2, "HIGHEST")

#define STABLEHLO_CASES_ResultAccuracyMode(X)                                              \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(HIGHEST, 1, "HIGHEST")                                                               \
    X(TOLERANCE, 2, "TOLERANCE")

#define STABLEHLO_CASES_RngAlgorithm(X)                                                    \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(THREE_FRY, 1, "THREE_FRY")                                                           \
    X(PHILOX, 2, "PHILOX")

#define STABLEHLO_CASES_RngDistribution(X)                                                 \
    X(UNIFORM, 1, "UNIFORM")                                                               \
    X(NORMAL, 2, "NORMAL")

#define STABLEHLO_CASES_Transpose(X)                                                       \
    X(TRANSPOSE_INVALID, 0, "TRANSPOSE_INVALID")                                           \
    X(NO_TRANSPOSE, 1, "NO_TRANSPOSE")                                                     \
    X(TRANSPOSE, 2, "TRANSPOSE")                                                           \
    X(ADJOINT, 3, "ADJOINT")

#define X(symbol, value, text) STABLEHLO_ENUM(symbol) = value,
#define STABLEHLO_ENUM(symbol) STABLEHLO_ComparisonDirection_##symbol
enum { STABLEHLO_CASES_ComparisonDirection(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_ComparisonType_##symbol
enum { STABLEHLO_CASES_ComparisonType(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_CustomCallApiVersion_##symbol
enum { STABLEHLO_CASES_CustomCallApiVersion(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_FftType_##symbol
enum { STABLEHLO_CASES_FftType(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_Precision_##symbol
enum { STABLEHLO_CASES_Precision(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_ResultAccuracyMode_##symbol
enum { STABLEHLO_CASES_ResultAccuracyMode(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_RngAlgorithm_##symbol
enum { STABLEHLO_CASES_RngAlgorithm(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_RngDistribution_##symbol
enum { STABLEHLO_CASES_RngDistribution(X) };
#undef STABLEHLO_ENUM
#define STABLEHLO_ENUM(symbol) STABLEHLO_Transpose_##symbol
enum { STABLEHLO_CASES_Transpose(X) };
#undef STABLEHLO_ENUM
#undef X

extern const ir_enum_def stablehlo_enum_ComparisonDirection;
extern const ir_enum_def stablehlo_enum_ComparisonType;
extern const ir_enum_def stablehlo_enum_CustomCallApiVersion;
extern const ir_enum_def stablehlo_enum_FftType;
extern const ir_enum_def stablehlo_enum_Precision;
extern const ir_enum_def stablehlo_enum_ResultAccuracyMode;
extern const ir_enum_def stablehlo_enum_RngAlgorithm;
extern const ir_enum_def stablehlo_enum_RngDistribution;
extern const ir_enum_def stablehlo_enum_Transpose;

#endif
