// RUN: ttmlir-opt %s --inline --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --inline --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// The private function is erased, the public one stays; locations contain both call and callee.
// CHECK-NOT: @double
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "ttir.add"(%arg0, %arg0)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @public
// LOC: "ttir.add"{{.*}} loc(callsite({{.*}}inline.mlir":[[@LINE+2]]:8 at {{.*}}inline.mlir":[[@LINE+6]]:8))
func.func private @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "ttir.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @double(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @public() { return }

// -----

// Chains, in whatever order they are written.
// CHECK-LABEL: module
// CHECK-NEXT: func.func @top
// CHECK-NEXT: arith.addi %arg0, %arg0
// CHECK-NEXT: arith.muli
// CHECK-NEXT: return
func.func @top(%a: i32) -> i32 {
  %0 = call @middle(%a) : (i32) -> i32
  return %0 : i32
}
func.func private @middle(%a: i32) -> i32 {
  %0 = call @bottom(%a) : (i32) -> i32
  %1 = arith.muli %0, %0 : i32
  return %1 : i32
}
func.func private @bottom(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}

// -----

// Recursion, declarations and no_inline stay.
// CHECK-LABEL: func.func @stay
// CHECK: call @again
// CHECK: call @outside
// CHECK: call @never
func.func @stay(%a: i32) -> (i32, i32, i32) {
  %0 = call @again(%a) : (i32) -> i32
  %1 = call @outside(%a) : (i32) -> i32
  %2 = call @never(%a) {no_inline} : (i32) -> i32
  return %0, %1, %2 : i32, i32, i32
}
func.func private @again(%a: i32) -> i32 {
  %0 = call @again(%a) : (i32) -> i32
  return %0 : i32
}
func.func private @outside(i32) -> i32
func.func private @never(%a: i32) -> i32 {
  return %a : i32
}

// -----

// A body of several blocks splits the caller.
// CHECK-LABEL: func.func @several
// CHECK: cf.cond_br %arg0, ^bb1, ^bb2(%arg1 : i32)
// CHECK: ^bb1:
// CHECK: %[[S:.*]] = arith.addi %arg1, %arg1
// CHECK: cf.br ^bb2(%[[S]] : i32)
// CHECK: ^bb2(%[[R:.*]]: i32):
// CHECK-NEXT: arith.muli %[[R]], %[[R]]
func.func private @choose(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = arith.addi %x, %x : i32
  return %0 : i32
^bb2:
  return %x : i32
}
func.func @several(%c: i1, %x: i32) -> i32 {
  %0 = call @choose(%c, %x) : (i1, i32) -> i32
  %1 = arith.muli %0, %0 : i32
  return %1 : i32
}
