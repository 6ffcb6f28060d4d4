// RUN: ttmlir-opt %s --ttnn-deallocate | FileCheck %s
// RUN: ttmlir-opt %s --ttnn-deallocate=arguments=false | FileCheck %s --check-prefix=CALLER
// RUN: ttmlir-opt %s --ttnn-deallocate --ttnn-adjust-deallocs | FileCheck %s --check-prefix=WEIGHTS
// RUN: ttmlir-opt %s --ttnn-deallocate --ttnn-force-final-deallocs | FileCheck %s --check-prefix=FORCE
// RUN: ttmlir-opt %s --ttnn-deallocate --ttnn-remove-deallocs | FileCheck %s --check-prefix=NONE

// NONE-NOT: ttnn.deallocate

#dram = #ttnn.buffer_type<dram>
#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#v = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<2x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// Behind the last use, what was found later first; what is returned stays.
// CHECK-LABEL: @f
// CHECK: %[[A:.*]] = "ttnn.add"(%arg0, %arg1)
// CHECK-NEXT: "ttnn.deallocate"(%arg1) <{force = false}>
// CHECK-NEXT: "ttnn.deallocate"(%arg0) <{force = false}>
// CHECK-NEXT: %[[R:.*]] = "ttnn.reshape"(%[[A]])
// CHECK-NEXT: "ttnn.deallocate"(%[[A]])
// CHECK-NEXT: %[[N:.*]] = "ttnn.neg"(%[[R]])
// CHECK-NEXT: "ttnn.deallocate"(%[[R]])
// CHECK-NEXT: return %[[N]]
// CALLER-LABEL: @f
// CALLER-NOT: "ttnn.deallocate"(%arg
// CALLER: "ttnn.deallocate"(%0)
// WEIGHTS-LABEL: @f
// WEIGHTS-NOT: "ttnn.deallocate"(%arg1)
// WEIGHTS: "ttnn.deallocate"(%arg0)
// The reshape is a view: one of the two frees both.
// FORCE-LABEL: @f
// FORCE: %[[R:.*]] = "ttnn.reshape"
// FORCE-NEXT: %{{.*}} = "ttnn.neg"(%[[R]])
// FORCE-NEXT: "ttnn.deallocate"(%[[R]]) <{force = true}>
func.func @f(%x: tensor<64x32xf32, #t>, %w: tensor<64x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<2x32x32xf32, #v> {
  %0 = "ttnn.add"(%x, %w) : (tensor<64x32xf32, #t>, tensor<64x32xf32, #t>) -> tensor<64x32xf32, #t>
  %1 = "ttnn.reshape"(%0) <{shape = [2 : i32, 32 : i32, 32 : i32]}> : (tensor<64x32xf32, #t>) -> tensor<2x32x32xf32, #v>
  %2 = "ttnn.neg"(%1) : (tensor<2x32x32xf32, #v>) -> tensor<2x32x32xf32, #v>
  return %2 : tensor<2x32x32xf32, #v>
}

// What a const-eval function returns as it is is freed as the cached tensor, not before it.
func.func private @as_it_is(%x: tensor<64x32xf32, #t>) -> tensor<64x32xf32, #t> attributes {tt.function_type = "const_eval"} {
  return %x : tensor<64x32xf32, #t>
}
// CHECK-LABEL: func.func @cached(
// CHECK-NEXT: %[[C:.*]] = ttcore.load_cached(@as_it_is, [%arg0])
// CHECK-NEXT: %[[N:.*]] = "ttnn.neg"(%[[C]])
// CHECK-NEXT: "ttnn.deallocate"(%[[C]])
// CHECK-NEXT: return %[[N]]
func.func @cached(%x: tensor<64x32xf32, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<64x32xf32, #t> {
  %0 = ttcore.load_cached(@as_it_is, [%x]) : (tensor<64x32xf32, #t>) -> tensor<64x32xf32, #t>
  %1 = "ttnn.neg"(%0) : (tensor<64x32xf32, #t>) -> tensor<64x32xf32, #t>
  return %1 : tensor<64x32xf32, #t>
}
