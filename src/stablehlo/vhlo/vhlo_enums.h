/* vhlo_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_VHLO_ENUMS_H
#define TILEWRIGHT_DIALECT_VHLO_ENUMS_H

#include "ir/dialect.h"

#define VHLO_CASES_ComparisonDirectionV1(X)                                                \
    X(EQ, 0, "EQ")                                                                         \
    X(NE, 1, "NE")                                                                         \
    X(GE, 2, "GE")                                                                         \
    X(GT, 3, "GT")                                                                         \
    X(LE, 4, "LE")                                                                         \
    X(LT, 5, "LT")

#define VHLO_CASES_ComparisonTypeV1(X)                                                     \
    X(NOTYPE, 0, "NOTYPE")                                                                 \
    X(FLOAT, 1, "FLOAT")                                                                   \
    X(TOTALORDER, 2, "TOTALORDER")                                                         \
    X(SIGNED, 3, "SIGNED")                                                                 \
    X(UNSIGNED, 4, "UNSIGNED")

#define VHLO_CASES_CustomCallApiVersionV1(X)                                               \
    X(API_VERSION_UNSPECIFIED, 0, "API_VERSION_UNSPECIFIED")                               \
    X(API_VERSION_ORIGINAL, 1, "API_VERSION_ORIGINAL")                                     \
    X(API_VERSION_STATUS_RETURNING, 2, "API_VERSION_STATUS_RETURNING")                     \
    X(API_VERSION_STATUS_RETURNING_UNIFIED, 3, "API_VERSION_STATUS_RETURNING_UNIFIED")     \
    X(API_VERSION_TYPED_FFI, 4, "API_VERSION_TYPED_FFI")

#define VHLO_CASES_FftTypeV1(X)                                                            \
    X(FFT, 0, "FFT")                                                                       \
    X(IFFT, 1, "IFFT")                                                                     \
    X(RFFT, 2, "RFFT")                                                                     \
    X(IRFFT, 3, "IRFFT")

#define VHLO_CASES_PrecisionV1(X)                                                          \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(HIGH, 1, "HIGH")                                                                     \
    X(HIGHEST, 2, "HIGHEST")

#define VHLO_CASES_ResultAccuracyModeV1(X)                                                 \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(HIGHEST, 1, "HIGHEST")                                                               \
    X(TOLERANCE, 2, "TOLERANCE")

#define VHLO_CASES_RngAlgorithmV1(X)                                                       \
    X(DEFAULT, 0, "DEFAULT")                                                               \
    X(THREE_FRY, 1, "THREE_FRY")                                                           \
    X(PHILOX, 2, "PHILOX")

#define VHLO_CASES_RngDistributionV1(X)                                                    \
    X(UNIFORM, 1, "UNIFORM")                                                               \
    X(NORMAL, 2, "NORMAL")

#define VHLO_CASES_TransposeV1(X)                                                          \
    X(TRANSPOSE_INVALID, 0, "TRANSPOSE_INVALID")                                           \
    X(NO_TRANSPOSE, 1, "NO_TRANSPOSE")                                                     \
    X(TRANSPOSE, 2, "TRANSPOSE")                                                           \
    X(ADJOINT, 3, "ADJOINT")

#define X(symbol, value, text) VHLO_ENUM(symbol) = value,
#define VHLO_ENUM(symbol) VHLO_ComparisonDirectionV1_##symbol
enum { VHLO_CASES_ComparisonDirectionV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_ComparisonTypeV1_##symbol
enum { VHLO_CASES_ComparisonTypeV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_CustomCallApiVersionV1_##symbol
enum { VHLO_CASES_CustomCallApiVersionV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_FftTypeV1_##symbol
enum { VHLO_CASES_FftTypeV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_PrecisionV1_##symbol
enum { VHLO_CASES_PrecisionV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_ResultAccuracyModeV1_##symbol
enum { VHLO_CASES_ResultAccuracyModeV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_RngAlgorithmV1_##symbol
enum { VHLO_CASES_RngAlgorithmV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_RngDistributionV1_##symbol
enum { VHLO_CASES_RngDistributionV1(X) };
#undef VHLO_ENUM
#define VHLO_ENUM(symbol) VHLO_TransposeV1_##symbol
enum { VHLO_CASES_TransposeV1(X) };
#undef VHLO_ENUM
#undef X

extern const ir_enum_def vhlo_enum_ComparisonDirectionV1;
extern const ir_enum_def vhlo_enum_ComparisonTypeV1;
extern const ir_enum_def vhlo_enum_CustomCallApiVersionV1;
extern const ir_enum_def vhlo_enum_FftTypeV1;
extern const ir_enum_def vhlo_enum_PrecisionV1;
extern const ir_enum_def vhlo_enum_ResultAccuracyModeV1;
extern const ir_enum_def vhlo_enum_RngAlgorithmV1;
extern const ir_enum_def vhlo_enum_RngDistributionV1;
extern const ir_enum_def vhlo_enum_TransposeV1;

#endif
