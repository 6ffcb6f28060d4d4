// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-create-d2m-subgraphs=true enable-d2m-elementwise-fusion=true" | FileCheck %s
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline | FileCheck %s --check-prefix=PLAIN

// The chain is one program of three kernels; it writes the tensor that is returned.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: "ttnn.exp"
// CHECK: %[[E:.*]] = "ttnn.empty"
// CHECK: "ttnn.generic"(%arg0, %arg1, %[[E]])
// CHECK-SAME: symbol_ref = @datamovement_kernel0
// CHECK-NOT: d2m_subgraph
// CHECK: return %[[E]]
// CHECK: func.func private @datamovement_kernel0
// CHECK: func.func private @compute_kernel
// CHECK: exp_tile
// PLAIN-LABEL: func.func @chain
// PLAIN: "ttnn.exp"
// PLAIN: "ttnn.add"
// PLAIN-NOT: ttnn.generic
func.func @chain(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.add"(%0, %b) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
