/* dialects.c: the list of dialects. */
#include "pipelines/dialects.h"

#include "ir/dialect.h"

/* Those of optional parts (docs/optional.md). */
#ifdef TW_WITH_GPU
#define GPU(X) X(gpu) X(nvvm)
#else
#define GPU(X)
#endif
#ifdef TW_WITH_LLVM
#define LLVM(X) X(llvm)
#else
#define LLVM(X)
#endif
#ifdef TW_WITH_SPARSE_TENSOR
#define SPARSE_TENSOR(X) X(sparse_tensor)
#else
#define SPARSE_TENSOR(X)
#endif

/* clang-format off */
#define DIALECTS(X)                                                                        \
    /* MLIR's own */                                                                       \
    X(affine) X(arith) X(bufferization) X(builtin) X(cf) X(complex) X(emitc) X(func)       \
    X(linalg) X(math) X(memref) X(pdl) X(quant) X(scf) X(shape) X(tensor) X(tosa)          \
    X(transform) GPU(X) LLVM(X) SPARSE_TENSOR(X)                                           \
    /* StableHLO's and Shardy's */                                                         \
    X(check) X(chlo) X(interpreter) X(mpmd) X(sdy) X(stablehlo) X(vhlo)                    \
    /* Tenstorrent's */                                                                    \
    X(d2m) X(debug) X(emitpy) X(sfpi) X(ttcore) X(ttir) X(ttkernel) X(ttl) X(ttmetal)      \
    X(ttnn)
/* clang-format on */

#define X(id) extern const ir_dialect id##_dialect;
DIALECTS(X)
#undef X

void ir_register_all(ir_context *ctx)
{
#define X(id) &id##_dialect,
    static const ir_dialect *const dialects[] = {DIALECTS(X)};
#undef X
    for (size_t i = 0; i < TW_COUNT(dialects); i++)
        ir_context_register(ctx, dialects[i]);
}
