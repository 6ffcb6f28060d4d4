/* all.c: the list of dialects. */
#include "dialect/all.h"

#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/bufferization/bufferization.h"
#include "dialect/builtin/builtin.h"
#include "dialect/cf/cf.h"
#include "dialect/check/check.h"
#include "dialect/chlo/chlo.h"
#include "dialect/complex/complex.h"
#include "dialect/d2m/d2m.h"
#include "dialect/debug/debug.h"
#include "dialect/emitc/emitc.h"
#include "dialect/emitpy/emitpy.h"
#include "dialect/func/func.h"
#include "dialect/gpu/gpu.h"
#include "dialect/interpreter/interpreter.h"
#include "dialect/linalg/linalg.h"
#include "dialect/llvm/llvm.h"
#include "dialect/math/math.h"
#include "dialect/memref/memref.h"
#include "dialect/mpmd/mpmd.h"
#include "dialect/pdl/pdl.h"
#include "dialect/quant/quant.h"
#include "dialect/scf/scf.h"
#include "dialect/sdy/sdy.h"
#include "dialect/sfpi/sfpi.h"
#include "dialect/shape/shape.h"
#include "dialect/sparse_tensor/sparse_tensor.h"
#include "dialect/stablehlo/stablehlo.h"
#include "dialect/tensor/tensor.h"
#include "dialect/tosa/tosa.h"
#include "dialect/transform/transform.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttir/ttir.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttl/ttl.h"
#include "dialect/ttmetal/ttmetal.h"
#include "dialect/ttnn/ttnn.h"
#include "dialect/vhlo/vhlo.h"

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
