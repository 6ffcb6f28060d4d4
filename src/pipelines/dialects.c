/* dialects.c: the list of dialects. */
#include "pipelines/dialects.h"

#include "ir/dialect.h"

/* clang-format off */
#define DIALECTS(X)                                                                        \
    /* MLIR's own */                                                                       \
    X(affine) X(arith) X(bufferization) X(builtin) X(cf) X(complex) X(emitc) X(func)       \
    X(gpu) X(linalg) X(llvm) X(math) X(memref) X(nvvm) X(pdl) X(quant) X(scf) X(shape)     \
    X(sparse_tensor) X(tensor) X(tosa) X(transform)                                        \
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
