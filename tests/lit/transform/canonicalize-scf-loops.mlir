// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Canonical forms of scf: loops.

// CHECK-LABEL: func.func @f0(%arg0: index, %arg1: index)
// CHECK-NEXT: return
func.func @f0(%x: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// CHECK-LABEL: func.func @f1(%arg0: index, %arg1: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.for %arg2 = %c0 to %arg1 step %c1 {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: "test.g"(%arg2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f1(%x: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "test.f"() : () -> ()
    %k = arith.addi %i, %c0 : index
    "test.g"(%k) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f2() -> i32
// CHECK-NEXT: %0 = "test.f"() : () -> i32
// CHECK-NEXT: return %0 : i32
func.func @f2() -> i32 {
  %c1 = arith.constant 1 : index
  %r = scf.index_switch %c1 -> i32
  case 1 {
    %0 = "test.f"() : () -> i32
    scf.yield %0 : i32
  }
  default {
    %0 = "test.g"() : () -> i32
    scf.yield %0 : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @f3() -> i32
// CHECK-NEXT: %0 = "test.g"() : () -> i32
// CHECK-NEXT: return %0 : i32
func.func @f3() -> i32 {
  %c1 = arith.constant 7 : index
  %r = scf.index_switch %c1 -> i32
  case 1 {
    %0 = "test.f"() : () -> i32
    scf.yield %0 : i32
  }
  default {
    %0 = "test.g"() : () -> i32
    scf.yield %0 : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @f4(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %0 = scf.forall (%arg1) in (4) shared_outs(%arg2 = %arg0) -> (tensor<4xf32>) {
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg2[%arg1] [1] [1] : tensor<4xf32> to tensor<1xf32>
// CHECK-NEXT: %1 = "test.f"(%extracted_slice) : (tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %1 into %arg2[%arg1] [1] [1] : tensor<1xf32> into tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %0 : tensor<4xf32>
func.func @f4(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c4 = arith.constant 4 : index
  %r = scf.forall (%i) in (%c4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %u = "test.f"(%s) : (tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @f5(%arg0: index)
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.forall (%arg1) in (%arg0) {
// CHECK-NEXT: "test.f"(%arg1, %c1) : (index, index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f5(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.forall (%i, %j) = (%c0, %c1) to (%n, %c2) step (%c1, %c1) {
    "test.f"(%i, %j) : (index, index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f6(%arg0: index)
// CHECK-NEXT: return
func.func @f6(%n: index) {
  scf.forall (%i) in (0) {
    "test.f"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f7(%arg0: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.parallel (%arg1) = (%c0) to (%arg0) step (%c1) {
// CHECK-NEXT: "test.f"(%arg1, %c1) : (index, index) -> ()
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f7(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c1) to (%n, %c2) step (%c1, %c1) {
    "test.f"(%i, %j) : (index, index) -> ()
    scf.reduce
  }
  return
}

// CHECK-LABEL: func.func @f8(%arg0: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: "test.f"(%c0) : (index) -> ()
// CHECK-NEXT: return
func.func @f8(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    "test.f"(%i) : (index) -> ()
    scf.reduce
  }
  return
}

// CHECK-LABEL: func.func @f9(%arg0: index)
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.parallel (%arg1, %arg2) = (%c0, %c0) to (%arg0, %arg0) step (%c1, %c1) {
// CHECK-NEXT: "test.f"(%arg1, %arg2) : (index, index) -> ()
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f9(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      "test.f"(%i, %j) : (index, index) -> ()
      scf.reduce
    }
    scf.reduce
  }
  return
}

// CHECK-LABEL: func.func @f10() -> i32
// CHECK-NEXT: %0 = "test.f"() : () -> i32
// CHECK-NEXT: return %0 : i32
func.func @f10() -> i32 {
  %0 = scf.execute_region -> i32 {
    %x = "test.f"() : () -> i32
    scf.yield %x : i32
  }
  return %0 : i32
}

// CHECK-LABEL: func.func @f11(%arg0: i1) -> i32
// CHECK-NEXT: cf.cond_br %arg0, ^bb1, ^bb2
// CHECK: ^bb1:  // pred: ^bb0
// CHECK-NEXT: %0 = "test.f"() : () -> i32
// CHECK-NEXT: cf.br ^bb3(%0 : i32)
// CHECK: ^bb2:  // pred: ^bb0
// CHECK-NEXT: %1 = "test.g"() : () -> i32
// CHECK-NEXT: cf.br ^bb3(%1 : i32)
// CHECK: ^bb3(%2: i32):  // 2 preds: ^bb1, ^bb2
// CHECK-NEXT: return %2 : i32
func.func @f11(%c: i1) -> i32 {
  %0 = scf.execute_region -> i32 {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %x = "test.f"() : () -> i32
    scf.yield %x : i32
  ^bb2:
    %y = "test.g"() : () -> i32
    scf.yield %y : i32
  }
  return %0 : i32
}

// CHECK-LABEL: func.func @f12(%arg0: index, %arg1: i32) -> i32
// CHECK-NEXT: %0 = "test.f"(%arg1) : (i32) -> i32
// CHECK-NEXT: return %0 : i32
func.func @f12(%lb: index, %x: i32) -> (i32) {
  %c1 = arith.constant 1 : index
  %ub = arith.addi %lb, %c1 : index
  %0 = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (i32) {
    %y = "test.f"(%a) : (i32) -> i32
    scf.yield %y : i32
  }
  return %0 : i32
}
