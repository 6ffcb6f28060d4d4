// Functions of constants are computed on the host, in 32 bits: whole, but for creations that
// they return; exchanges between chips part them, and an operation that the host does not
// have leaves its part on the device.
// RUN: ttmlir-opt %s --ttcore-wrap-device-module --cpu-hoist-const-eval -o %t.mlir 2>%t.err
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.err

// CHECK-LABEL: func.func private @whole
// CHECK: %[[A:.*]] = ttir.to_layout %arg0
// CHECK: %[[B:.*]] = ttir.to_layout %arg1
// CHECK: %[[R:.*]] = call @[[F:cpu_hoisted_const_eval_[0-9a-f]+]](%[[A]], %[[B]]) {ttir.cpu_hoisted_call}
// CHECK: %[[T:.*]] = ttir.to_layout %[[R]]
// CHECK: return %[[T]]
func.func private @whole(%a: tensor<4x8xbf16>, %b: tensor<4x8xbf16>) -> tensor<4x8xbf16> attributes {tt.function_type = "const_eval"} {
  %0 = "ttir.add"(%a, %b) : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %1 = "ttir.exp"(%0) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func private @returned_creation
// CHECK: %[[Z:.*]] = "ttir.zeros"
// CHECK: %[[S:.*]] = "ttir.reshape"(%[[Z]])
// CHECK: %[[R:.*]] = call @[[G:cpu_hoisted_const_eval_[0-9a-f]+]](%arg0, %[[Z]])
// CHECK: return %[[R]], %[[S]]
func.func private @returned_creation(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) attributes {tt.function_type = "const_eval"} {
  %0 = "ttir.zeros"() <{shape = array<i32: 4, 8>}> : () -> tensor<4x8xf32>
  %1 = "ttir.reshape"(%0) <{shape = [32 : i32]}> : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = "ttir.maximum"(%a, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %1 : tensor<4x8xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func private @exchange
// CHECK: call @[[H:cpu_hoisted_const_eval_[0-9a-f]+]](%arg0)
// CHECK: "ttir.all_gather"
// CHECK: call @[[I:cpu_hoisted_const_eval_[0-9a-f]+]](
func.func private @exchange(%a: tensor<4x8xf32>) -> tensor<8x8xf32> attributes {tt.function_type = "const_eval"} {
  %0 = "ttir.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttir.all_gather"(%0) <{all_gather_dim = 0 : si32, cluster_axis = 0 : ui32}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %2 = "ttir.neg"(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func private @on_the_device
// CHECK-NOT: call
// CHECK: "ttir.rms_norm"
// WARN: warning: 'ttir.rms_norm' op is not computed on the host; the constants that its function computes stay on the device
func.func private @on_the_device(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> attributes {tt.function_type = "const_eval"} {
  %0 = "ttir.rms_norm"(%a, %b) <{normalized_shape = array<i64: 8>, epsilon = 1.000000e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @no_constants
// CHECK-NOT: call
// CHECK: "ttir.exp"
func.func @no_constants(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK: func.func private @[[F]](tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>

// CHECK: ttcore.cpu_module
// CHECK: func.func @[[F]](%arg0: tensor<4x8xf32>{{.*}}, %arg1: tensor<4x8xf32>
// CHECK: %[[V:.*]] = "ttir.add"(%arg0, %arg1)
// CHECK: "ttir.exp"(%[[V]])
