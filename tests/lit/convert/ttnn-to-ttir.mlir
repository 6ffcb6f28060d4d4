// RUN: ttmlir-opt %s --convert-ttnn-to-ttir | FileCheck %s
// RUN: not ttmlir-opt %s --convert-ttnn-to-ttir=x=1 2>&1 | FileCheck %s --check-prefix=OPTION

#dram = #ttnn.buffer_type<dram>
#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#r = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #dram>, <interleaved>>
module {
  // Only what is marked is converted.
  // CHECK-LABEL: @marked
  func.func @marked(%a: tensor<32x32xf32, #l>, %b: tensor<32x32xf32, #l>) -> (tensor<32x32xf32, #l>, tensor<32x32xf32, #r>, tensor<32xf32, #l>, tensor<32xf32, #l>, tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) {
    // CHECK: %[[A:.*]] = "ttir.div"(%arg0, %arg1) : (
    %0 = "ttnn.divide"(%a, %b) {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
    // CHECK: %[[B:.*]] = "ttnn.exp"(%[[A]])
    %1 = "ttnn.exp"(%0) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
    // CHECK: %[[M:.*]] = "ttir.matmul"(%[[B]], %arg1) <{transpose_a = false, transpose_b = true}> : (
    // CHECK-NEXT: %[[R:.*]] = "ttir.relu"(%[[M]])
    %2 = "ttnn.matmul"(%1, %b) <{activation = "relu", transpose_a = false, transpose_b = true}> {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>, tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
    // CHECK: %[[E:.*]] = ttir.empty()
    // CHECK: ttir.to_layout %[[R]], %[[E]] :
    %3 = "ttnn.to_layout"(%2) {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #r>
    // CHECK: "ttir.prod"(%arg0) <{dim_arg = [1 : i32], keep_dim = false}>
    %4 = "ttnn.prod"(%a) <{dim_arg = 1 : si64, keep_dim = false}> {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>) -> tensor<32xf32, #l>
    // CHECK: "ttir.max"(%arg0) <{dim_arg = [0 : i32], keep_dim = false}>
    %5 = "ttnn.max"(%a) <{dim_arg = [0 : i32], keep_dim = false}> {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>) -> tensor<32xf32, #l>
    // CHECK: "ttir.cumsum"(%arg0) <{dim = 1 : i64}>
    %6 = "ttnn.cumsum"(%a) <{dim = 1 : si32}> {ttnn.hoist_generic_via_d2m} : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
    return %6, %3, %4, %5, %0, %1 : tensor<32x32xf32, #l>, tensor<32x32xf32, #r>, tensor<32xf32, #l>, tensor<32xf32, #l>, tensor<32x32xf32, #l>, tensor<32x32xf32, #l>
  }

  // Movements, which tt-mlir leaves; of any number of operands.
  // CHECK-LABEL: @moved
  func.func @moved(%a: tensor<32x64xf32>) -> tensor<64x64xf32> {
    // CHECK: %[[P:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 1, 0>}>
    %0 = "ttnn.permute"(%a) <{permutation = array<i64: 1, 0>}> {ttnn.hoist_generic_via_d2m} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    // CHECK-NEXT: %[[T:.*]] = "ttir.transpose"(%[[P]]) <{dim0 = 0 : si32, dim1 = 1 : si32}>
    %1 = "ttnn.transpose"(%0) <{dim0 = 0 : si32, dim1 = 1 : si32}> {ttnn.hoist_generic_via_d2m} : (tensor<64x32xf32>) -> tensor<32x64xf32>
    // CHECK-NEXT: %[[R:.*]] = "ttir.reshape"(%[[T]]) <{shape = [64 : i32, 32 : i32]}>
    %2 = "ttnn.reshape"(%1) <{shape = [64 : i32, 32 : i32]}> {ttnn.hoist_generic_via_d2m} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    // CHECK-NEXT: %[[S:.*]] = "ttir.slice_static"(%[[R]]) <{begins = [0 : i32, 0 : i32], ends = [64 : i32, 8 : i32], step = [1 : i32, 1 : i32]}>
    %3 = "ttnn.slice_static"(%2) <{begins = [0 : i32, 0 : i32], ends = [64 : i32, 8 : i32], step = [1 : i32, 1 : i32]}> {ttnn.hoist_generic_via_d2m} : (tensor<64x32xf32>) -> tensor<64x8xf32>
    // CHECK-NEXT: %[[N:.*]] = "ttir.repeat"(%[[S]]) <{repeat_dimensions = array<i64: 1, 2>}>
    %4 = "ttnn.repeat"(%3) <{repeat_dims = #ttnn.shape<1x2>}> {ttnn.hoist_generic_via_d2m} : (tensor<64x8xf32>) -> tensor<64x16xf32>
    // CHECK-NEXT: "ttir.concat"(%[[N]], %[[S]], %[[S]], %[[N]], %[[N]]) <{dim = 1 : si32}>
    %5 = "ttnn.concat"(%4, %3, %3, %4, %4) <{dim = 1 : si32}> {ttnn.hoist_generic_via_d2m} : (tensor<64x16xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }

  // Functions that subgraphs name are converted whole.
  // CHECK-LABEL: @caller
  func.func @caller(%a: tensor<32x32xf32, #l>, %o: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
    // CHECK: ttnn.d2m_subgraph
    %0 = ttnn.d2m_subgraph @sub
        ins(%a : tensor<32x32xf32, #l>)
        outs(%o : tensor<32x32xf32, #l>) : tensor<32x32xf32, #l>
    return %0 : tensor<32x32xf32, #l>
  }
  // CHECK-LABEL: @sub
  func.func private @sub(%a: tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l> {
    // CHECK: "ttir.tanh"(%arg0)
    %0 = "ttnn.tanh"(%a) : (tensor<32x32xf32, #l>) -> tensor<32x32xf32, #l>
    return %0 : tensor<32x32xf32, #l>
  }
}
// OPTION: has no option 'x'
