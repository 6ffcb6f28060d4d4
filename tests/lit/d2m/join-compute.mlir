// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --d2m-grid-selection --canonicalize --d2m-lower-to-layout --d2m-generic-fusion --d2m-join-compute | FileCheck %s
// RUN: ttmlir-opt %s --d2m-fe-pipeline="enable-elementwise-fusion=true join-compute=true" --d2m-be-pipeline | FileCheck %s --check-prefix=DST

// Three in a row are one linalg.generic, other operands are inputs of it.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic
// CHECK: %[[E:.*]] = "d2m.tile_exp"
// CHECK-NEXT: %[[M:.*]] = "d2m.tile_mul"(%[[E]], %{{.*}})
// CHECK-NEXT: %[[A:.*]] = "d2m.tile_abs"(%[[M]])
// CHECK-NEXT: linalg.yield %[[A]]
// CHECK-NOT: linalg.generic
// CHECK: return
// One acquisition of DST, and no scratch memory.
// DST: d2m.acquire_dst
// DST: d2m.tile_exp
// DST-NOT: d2m.acquire_dst
// DST: d2m.tile_abs
// DST-NOT: d2m.scratch_buffer
func.func @chain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.multiply"(%0, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.abs"(%1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// Of two operands that are made here one is joined, the other stays in a buffer.
// CHECK-LABEL: func.func @tree
// CHECK: linalg.generic
// CHECK: d2m.tile_sin
// CHECK: linalg.generic
// CHECK: d2m.tile_exp
// CHECK-NEXT: %[[S:.*]] = "d2m.tile_add"
// CHECK-NEXT: linalg.yield %[[S]]
func.func @tree(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.sin"(%b) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "ttir.add"(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// The matrix unit multiplies tiles of 16 bits and reads them from L1.
// CHECK-LABEL: func.func @narrow
// CHECK: linalg.generic
// CHECK: d2m.tile_exp
// CHECK: linalg.generic
// CHECK: d2m.tile_mul
func.func @narrow(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.multiply"(%0, %b) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}

// A tile that is used twice stays in a buffer.
// CHECK-LABEL: func.func @square
// CHECK: linalg.generic
// CHECK: d2m.tile_exp
// CHECK: linalg.generic
// CHECK: d2m.tile_mul
func.func @square(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.multiply"(%0, %0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
