// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

#map = affine_map<(d0) -> (d0)>
func.func @g(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {doc="x", indexing_maps = [#map, #map], iterator_types = ["parallel"], library_call="f"} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) attrs = {foo = 1 : i32} {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  %1 = linalg.add {z} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.map {arith.addf {fastmath = #arith.fastmath<fast>}} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>)
  %m2 = linalg.map ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) (%p: f32, %q: f32) { %s = arith.addf %q, %p : f32 
  linalg.yield %s: f32}
  return %1 : tensor<4xf32>
}
func.func @r(%a: tensor<4x8xf32>, %b: tensor<4xf32>, %t: tensor<8x4xf32>, %m: memref<4x8xf32>, %x : f32, %i: index, %t8: tensor<8x8xf32>, %ii: memref<8x4xf32>) {
  %r = linalg.reduce {arith.addf} ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) dimensions = [1]
  %r3 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) dimensions = [1] (%in: f32, %init: f32) { %o = arith.subf %in, %init : f32 
 linalg.yield %o : f32 }
  %r2 = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  linalg.transpose ins(%m : memref<4x8xf32>) outs(%ii : memref<8x4xf32>) permutation = [1, 0]
  %r4 = linalg.broadcast ins(%b : tensor<4xf32>) outs(%a : tensor<4x8xf32>) dimensions = [1]
  linalg.fill ins(%x : f32) outs(%m : memref<4x8xf32>)
  %mm = linalg.matmul ins(%t, %a : tensor<8x4xf32>, tensor<4x8xf32>) outs(%t8 : tensor<8x8xf32>) -> tensor<8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0,d1)->(d0,d1)>], iterator_types = ["parallel", "parallel"]} outs(%m : memref<4x8xf32>) { ^bb0(%x1: f32): 
   %k = linalg.index 0 : index
   linalg.yield %x1 : f32 }
  return
}

// CHECK: #map = affine_map<(d0) -> (d0)>
// CHECK: #map1 = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: func.func @g(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = linalg.generic {doc = "x", indexing_maps = [#map, #map], iterator_types = ["parallel"], library_call = "f"} ins(%arg0 : tensor<4xf32>) outs(%arg1 : tensor<4xf32>) attrs =  {foo = 1 : i32} {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: linalg.yield %in : f32
// CHECK-NEXT: } -> tensor<4xf32>
// CHECK-NEXT: %1 = linalg.add {z} ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %mapped = linalg.map { arith.addf {fastmath = #arith.fastmath<fast>} } ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>)
// CHECK-NEXT: %mapped_0 = linalg.map ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>)
// CHECK-NEXT: (%in: f32, %in_1: f32) {
// CHECK-NEXT: %2 = arith.addf %in_1, %in : f32
// CHECK-NEXT: linalg.yield %2 : f32
// CHECK-NEXT: }
// CHECK-NEXT: return %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: func.func @r(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<8x4xf32>, %arg3: memref<4x8xf32>, %arg4: f32, %arg5: index, %arg6: tensor<8x8xf32>, %arg7: memref<8x4xf32>) {
// CHECK-NEXT: %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1]
// CHECK-NEXT: %reduced_0 = linalg.reduce ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1]
// CHECK-NEXT: (%in: f32, %init: f32) {
// CHECK-NEXT: %1 = arith.subf %in, %init : f32
// CHECK-NEXT: linalg.yield %1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %transposed = linalg.transpose ins(%arg0 : tensor<4x8xf32>) outs(%arg2 : tensor<8x4xf32>) permutation = [1, 0]
// CHECK-NEXT: linalg.transpose ins(%arg3 : memref<4x8xf32>) outs(%arg7 : memref<8x4xf32>) permutation = [1, 0]
// CHECK-NEXT: %broadcasted = linalg.broadcast ins(%arg1 : tensor<4xf32>) outs(%arg0 : tensor<4x8xf32>) dimensions = [1]
// CHECK-NEXT: linalg.fill ins(%arg4 : f32) outs(%arg3 : memref<4x8xf32>)
// CHECK-NEXT: %0 = linalg.matmul ins(%arg2, %arg0 : tensor<8x4xf32>, tensor<4x8xf32>) outs(%arg6 : tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%arg3 : memref<4x8xf32>) {
// CHECK-NEXT: ^bb0(%out: f32):
// CHECK-NEXT: %1 = linalg.index 0 : index
// CHECK-NEXT: linalg.yield %out : f32
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
