/* vhlo_enums.h: the cases of each enum: X(P, symbol, value, text), where P is the prefix
 * of the symbols. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_ENUMS_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_ENUMS_H

#define VHLO_CASES_ComparisonDirectionV1(X, P)                                             \
    X(P, EQ, 0, "EQ")                                                                      \
    X(P, NE, 1, "NE")                                                                      \
    X(P, GE, 2, "GE")                                                                      \
    X(P, GT, 3, "GT")                                                                      \
    X(P, LE, 4, "LE")                                                                      \
    X(P, LT, 5, "LT")

#define VHLO_CASES_ComparisonTypeV1(X, P)                                                  \
    X(P, NOTYPE, 0, "NOTYPE")                                                              \
    X(P, FLOAT, 1, "FLOAT")                                                                \
    X(P, TOTALORDER, 2, "TOTALORDER")                                                      \
    X(P, SIGNED, 3, "SIGNED")                                                              \
    X(P, UNSIGNED, 4, "UNSIGNED")

#define VHLO_CASES_CustomCallApiVersionV1(X, P)                                            \
    X(P, API_VERSION_UNSPECIFIED, 0, "API_VERSION_UNSPECIFIED")                            \
    X(P, API_VERSION_ORIGINAL, 1, "API_VERSION_ORIGINAL")                                  \
    X(P, API_VERSION_STATUS_RETURNING, 2, "API_VERSION_STATUS_RETURNING")                  \
    X(P, API_VERSION_STATUS_RETURNING_UNIFIED, 3, "API_VERSION_STATUS_RETURNING_UNIFIED")  \
    X(P, API_VERSION_TYPED_FFI, 4, "API_VERSION_TYPED_FFI")

#define VHLO_CASES_FftTypeV1(X, P)                                                         \
    X(P, FFT, 0, "FFT")                                                                    \
    X(P, IFFT, 1, "IFFT")                                                                  \
    X(P, RFFT, 2, "RFFT")                                                                  \
    X(P, IRFFT, 3, "IRFFT")

#define VHLO_CASES_PrecisionV1(X, P)                                                       \
    X(P, DEFAULT, 0, "DEFAULT")                                                            \
    X(P, HIGH, 1, "HIGH")                                                                  \
    X(P, HIGHEST, 2, "HIGHEST")

#define VHLO_CASES_ResultAccuracyModeV1(X, P)                                              \
    X(P, DEFAULT, 0, "DEFAULT")                                                            \
    X(P, HIGHEST, 1, "HIGHEST")                                                            \
    X(P, TOLERANCE, 2, "TOLERANCE")

#define VHLO_CASES_RngAlgorithmV1(X, P)                                                    \
    X(P, DEFAULT, 0, "DEFAULT")                                                            \
    X(P, THREE_FRY, 1, "THREE_FRY")                                                        \
    X(P, PHILOX, 2, "PHILOX")

#define VHLO_CASES_RngDistributionV1(X, P)                                                 \
    X(P, UNIFORM, 1, "UNIFORM")                                                            \
    X(P, NORMAL, 2, "NORMAL")

#define VHLO_CASES_TransposeV1(X, P)                                                       \
    X(P, TRANSPOSE_INVALID, 0, "TRANSPOSE_INVALID")                                        \
    X(P, NO_TRANSPOSE, 1, "NO_TRANSPOSE")                                                  \
    X(P, TRANSPOSE, 2, "TRANSPOSE")                                                        \
    X(P, ADJOINT, 3, "ADJOINT")

#endif
