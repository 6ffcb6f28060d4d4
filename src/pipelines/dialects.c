/* dialects.c: the list of dialects. */
#include "pipelines/dialects.h"

#include "d2m/d2m.h"
#include "emitpy/emitpy.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/builtin/builtin.h"
#include "mlir/cf/cf.h"
#include "mlir/complex/complex.h"
#include "mlir/emitc/emitc.h"
#include "mlir/func/func.h"
#include "mlir/gpu/gpu.h"
#include "mlir/linalg/linalg.h"
#include "mlir/llvm/llvm.h"
#include "mlir/math/math.h"
#include "mlir/memref/memref.h"
#include "mlir/pdl/pdl.h"
#include "mlir/quant/quant.h"
#include "mlir/scf/scf.h"
#include "mlir/shape/shape.h"
#include "mlir/sparse_tensor/sparse_tensor.h"
#include "mlir/tensor/tensor.h"
#include "mlir/tosa/tosa.h"
#include "mlir/transform/transform.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"
#include "stablehlo/check/check.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/interpreter/interpreter.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"
#include "ttcore/debug/debug.h"
#include "ttcore/ttcore.h"
#include "ttir/ttir.h"
#include "ttkernel/sfpi/sfpi.h"
#include "ttkernel/ttkernel.h"
#include "ttl/ttl.h"
#include "ttmetal/ttmetal.h"
#include "ttnn/ttnn.h"

void ir_register_all(ir_context *ctx)
{
    static const ir_dialect *const dialects[] = {
        &affine_dialect,    &arith_dialect,  &bufferization_dialect, &builtin_dialect,
        &cf_dialect,        &check_dialect,  &chlo_dialect,          &complex_dialect,
        &d2m_dialect,       &debug_dialect,  &emitc_dialect,         &emitpy_dialect,
        &func_dialect,      &gpu_dialect,    &interpreter_dialect,   &linalg_dialect,
        &llvm_dialect,      &math_dialect,   &memref_dialect,        &mpmd_dialect,
        &nvvm_dialect,      &pdl_dialect,    &quant_dialect,         &scf_dialect,
        &sdy_dialect,       &sfpi_dialect,   &shape_dialect,         &sparse_tensor_dialect,
        &stablehlo_dialect, &tensor_dialect, &tosa_dialect,          &transform_dialect,
        &ttcore_dialect,    &ttir_dialect,   &ttkernel_dialect,      &ttl_dialect,
        &ttmetal_dialect,   &ttnn_dialect,   &vhlo_dialect,
    };
    for (size_t i = 0; i < TW_COUNT(dialects); i++)
        ir_context_register(ctx, dialects[i]);
}
