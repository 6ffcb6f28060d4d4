/* bufferization_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P
 * begins the names. */
#ifndef TILEWRIGHT_MLIR_BUFFERIZATION_BUFFERIZATION_ENUMS_H
#define TILEWRIGHT_MLIR_BUFFERIZATION_BUFFERIZATION_ENUMS_H

#define BUFFERIZATION_CASES_LayoutMapOption(X, P)                                          \
    X(P, InferLayoutMap, 0, "InferLayoutMap")                                              \
    X(P, IdentityLayoutMap, 1, "IdentityLayoutMap")                                        \
    X(P, FullyDynamicLayoutMap, 2, "FullyDynamicLayoutMap")

#endif
