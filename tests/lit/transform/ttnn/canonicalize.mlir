// RUN: ttmlir-opt %s --split-input-file --ttcore-register-device=mesh-shape=1,2 --ttnn-layout --canonicalize --mlir-print-local-scope 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t

// CHECK-LABEL: @shapes
// CHECK-NEXT: "ttnn.permute"(%arg1) <{permutation = array<i64: 1, 2, 0>}>
// CHECK-NEXT: "ttnn.reshape"(%arg0) <{shape = [1 : i32, 8 : i32]}>
// CHECK-NEXT: return %arg0, %{{.*}}, %{{.*}}, %arg0
func.func @shapes(%x: tensor<8x1xf32>, %y: tensor<2x3x4xf32>) -> (tensor<8x1xf32>, tensor<3x4x2xf32>, tensor<1x8xf32>, tensor<8x1xf32>) {
  %0 = "ttnn.reshape"(%x) <{shape = [2 : i32, 4 : i32]}> : (tensor<8x1xf32>) -> tensor<2x4xf32>
  %1 = "ttnn.reshape"(%0) <{shape = [8 : i32, 1 : i32]}> : (tensor<2x4xf32>) -> tensor<8x1xf32>
  %2 = "ttnn.permute"(%y) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %3 = "ttnn.permute"(%2) <{permutation = array<i64: 1, 0, 2>}> : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %4 = "ttnn.permute"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<8x1xf32>) -> tensor<1x8xf32>
  %5 = "ttnn.concat"(%x, %x) <{dim = 0 : si32}> : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<16x1xf32>
  %6 = "ttnn.slice_static"(%5) <{begins = [8 : i32, 0 : i32], ends = [16 : i32, 1 : i32], step = [1 : i32, 1 : i32]}> : (tensor<16x1xf32>) -> tensor<8x1xf32>
  return %1, %3, %4, %6 : tensor<8x1xf32>, tensor<3x4x2xf32>, tensor<1x8xf32>, tensor<8x1xf32>
}

// -----

// Of two casts the second counts; a creation gets the target's memory.
// CHECK-LABEL: @casts
// CHECK: "ttnn.typecast"(%arg0) : (tensor<2x2xbf16, {{.*}} -> tensor<2x2xsi32,
// CHECK-NOT: typecast
// CHECK: "ttnn.full"({{.*}}) <{fill_value = 2.000000e+00 : f32
// CHECK-SAME: memref<2x2xbf16
// CHECK-NOT: to_tensor_spec
func.func @casts(%x: tensor<2x2xbf16>) -> (tensor<2x2xsi32>, tensor<2x2xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xbf16, #ttnn.buffer_type<dram>>, <interleaved>>>) {
  %0 = "ttnn.typecast"(%x) : (tensor<2x2xbf16>) -> tensor<2x2xf32>
  %1 = "ttnn.typecast"(%0) : (tensor<2x2xf32>) -> tensor<2x2xsi32>
  %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %2 = "ttnn.constant"(%d) <{value = dense<2.0> : tensor<2x2xf32>}> : (!ttnn.device) -> tensor<2x2xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>
  %3 = "ttnn.to_tensor_spec"(%2) : (tensor<2x2xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>) -> tensor<2x2xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xbf16, #ttnn.buffer_type<dram>>, <interleaved>>>
  return %1, %3 : tensor<2x2xsi32>, tensor<2x2xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xbf16, #ttnn.buffer_type<dram>>, <interleaved>>>
}

// -----

// Along an axis with one device there is no communication.
// WARN: Removing this CCL op because performing a CCL operation on a single mesh device is semantically meaningless.
// CHECK-LABEL: @alone
// CHECK-NEXT: %[[R:.*]] = "ttnn.all_reduce"(%arg0)
// CHECK-NEXT: return %arg0, %arg0, %[[R]]
func.func @alone(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = "ttnn.all_gather"(%x) <{all_gather_dim = 0 : si32, cluster_axis = 0 : ui32}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "ttnn.all_reduce"(%x) <{reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 0 : ui32}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "ttnn.all_reduce"(%x) <{reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 1 : ui32}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
