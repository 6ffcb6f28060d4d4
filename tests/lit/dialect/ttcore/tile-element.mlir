// Tiles are shaped types: element-wise operations of arith and math accept them.
// RUN: ttmlir-opt %s | FileCheck %s

!tile = !ttcore.tile<32x32, bfp_bf8>
// CHECK: (%[[A:.*]]: !ttcore.tile<32x32, bfp_bf8>) -> !ttcore.tile<32x32, i1>
func.func @f(%a: !tile) -> !ttcore.tile<32x32, i1> {
  // CHECK: %[[B:.*]] = math.absf %[[A]] : !ttcore.tile<32x32, bfp_bf8>
  %0 = math.absf %a : !tile
  // CHECK: %[[C:.*]] = arith.cmpf oeq, %[[A]], %[[B]] : !ttcore.tile<32x32, bfp_bf8>
  %1 = arith.cmpf oeq, %a, %0 : !tile
  // CHECK: return %[[C]] : !ttcore.tile<32x32, i1>
  return %1 : !ttcore.tile<32x32, i1>
}
