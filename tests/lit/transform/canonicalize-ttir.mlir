// RUN: ttmlir-opt %s --canonicalize --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize=disable-patterns=ttir.TurnComparison,ttir.MergeTypecasts --split-input-file | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: func.func @compare
// CHECK-NEXT: "ttir.ge"(%arg1, %arg0)
// CHECK-NEXT: "ttir.gt"(%arg1, %arg0)
// OFF-LABEL: func.func @compare
// OFF-NEXT: "ttir.le"(%arg0, %arg1)
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = "ttir.le"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = "ttir.lt"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @casts
// CHECK-NEXT: "ttir.typecast"(%arg0) {{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: %[[I:.*]] = "ttir.typecast"(%arg0) <{conservative_folding = true}> : (tensor<4xf32>) -> tensor<4xi32>
// CHECK-NEXT: "ttir.typecast"(%[[I]]) <{conservative_folding = true}> : (tensor<4xi32>) -> tensor<4xf32>
// CHECK-NEXT: return %{{.*}}, %arg0, %{{.*}}
func.func @casts(%a: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.typecast"(%a) : (tensor<4xf32>) -> tensor<4xi32>
  %1 = "ttir.typecast"(%0) : (tensor<4xi32>) -> tensor<4xbf16>
  %2 = "ttir.typecast"(%1) : (tensor<4xbf16>) -> tensor<4xf32>
  %3 = "ttir.typecast"(%a) <{conservative_folding = true}> : (tensor<4xf32>) -> tensor<4xi32>
  %4 = "ttir.typecast"(%3) <{conservative_folding = true}> : (tensor<4xi32>) -> tensor<4xf32>
  return %1, %2, %4 : tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @clamps
// CHECK: "ttir.clamp_scalar"(%arg0) <{max = 4.000000e+00 : f32, min = 1.000000e+00 : f32}>
// CHECK: "ttir.relu6"(%arg0)
// CHECK: "ttir.clamp_scalar"(%arg0) <{max = 2.000000e+00 : f32, min = 0.000000e+00 : f32}>
func.func @clamps(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "ttir.clamp_scalar"(%a) <{min = 1.0 : f32, max = 5.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.clamp_scalar"(%0) <{min = 0.0 : f32, max = 4.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.clamp_scalar"(%a) <{min = 0.0 : f32, max = 6.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %l = "ttir.zeros"() <{shape = array<i32: 4>}> : () -> tensor<4xf32>
  %h = "ttir.full"() <{fill_value = 2.0 : f32, shape = array<i32: 4>}> : () -> tensor<4xf32>
  %3 = "ttir.clamp_tensor"(%a, %l, %h) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @forms
// CHECK-NEXT: "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 1>}>
// CHECK-NEXT: "ttir.matmul"
// CHECK-NEXT: "ttir.reverse"(%arg0) <{dimensions = array<i64: 0, 2>}>
// CHECK-NOT: ttir.reverse
func.func @forms(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x5xf32>, tensor<2x3x4xf32>) {
  %0 = "ttir.transpose"(%a) <{dim0 = -1 : si32, dim1 = 1 : si32}> : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = "ttir.linear"(%a, %b) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = "ttir.reverse"(%a) <{dimensions = array<i64: 0, 1>}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = "ttir.reverse"(%2) <{dimensions = array<i64: 1, 2>}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1, %3 : tensor<2x4x3xf32>, tensor<2x3x5xf32>, tensor<2x3x4xf32>
}

// -----

// A known condition leaves one block.
// CHECK-LABEL: func.func @branch
// CHECK: %[[R:.*]] = arith.addi %arg0, %arg0
// CHECK-NEXT: return %[[R]]
// CHECK-NOT: ^bb
func.func @branch(%x: i32) -> i32 {
  %t = arith.constant true
  cf.cond_br %t, ^bb1(%x : i32), ^bb2
^bb1(%y: i32):
  %0 = arith.addi %y, %y : i32
  cf.br ^bb3(%0 : i32)
^bb2:
  cf.br ^bb3(%x : i32)
^bb3(%r: i32):
  return %r : i32
}
