// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{constant step operand must be positive}}
func.func @f(%x: index) { %c = arith.constant 0 : index scf.parallel (%i) = (%x) to (%x) step (%c) { } return }

// -----

// expected-error @+1 {{expects number of results: 0 to be the same as number of reductions: 1}}
func.func @f(%x: index, %y: f32) { scf.parallel (%i) = (%x) to (%x) step (%x) { scf.reduce(%y : f32) { ^bb0(%a: f32, %b: f32): scf.reduce.return %a : f32 } } return }

// -----

// expected-error @+1 {{expects number of results: 1 to be the same as number of reductions: 0}}
func.func @f(%x: index, %y: f32) { %0 = scf.parallel (%i) = (%x) to (%x) step (%x) init (%y) -> f32 { } return }

// -----

// expected-error @+1 {{expects type of 0-th reduction operand: 'index' to be the same as the 0-th result type: 'f32'}}
func.func @f(%x: index, %y: f32) { %0 = scf.parallel (%i) = (%x) to (%x) step (%x) init (%y) -> f32 { scf.reduce(%x : index) { ^bb0(%a: index, %b: index): scf.reduce.return %a : index } } return }

// -----

// expected-error @+1 {{expected two block arguments with type 'f32' in the 0-th reduction region}}
func.func @f(%x: index, %y: f32) { %0 = scf.parallel (%i) = (%x) to (%x) step (%x) init (%y) -> f32 { scf.reduce(%y : f32) { ^bb0(%a: f32): scf.reduce.return %a : f32 } } return }

// -----

// expected-error @+1 {{expected two block arguments with type 'f32' in the 0-th reduction region}}
func.func @f(%x: index, %y: f32) { %0 = scf.parallel (%i) = (%x) to (%x) step (%x) init (%y) -> f32 { scf.reduce(%y : f32) { ^bb0(%a: f32, %b: f64): scf.reduce.return %a : f32 } } return }

// -----

// expected-error @+1 {{must have type 'f32' (the type of the reduction inputs)}}
func.func @f(%x: index, %y: f32) { %0 = scf.parallel (%i) = (%x) to (%x) step (%x) init (%y) -> f32 { scf.reduce(%y : f32) { ^bb0(%a: f32, %b: f32): scf.reduce.return %x : index } } return }

// -----

// expected-error @+1 {{expected only tensor.parallel_insert_slice ops}}
func.func @f(%x: index, %t: tensor<4xf32>) { scf.forall (%i) in (%x) { %c = arith.constant 1 : i32 scf.forall.in_parallel { arith.constant 1 : i32 } } return }

// -----

// expected-error @+1 {{may only insert into an output block argument}}
func.func @f(%x: index, %t: tensor<4xf32>, %s: tensor<1xf32>) { %0 = scf.forall (%i) in (%x) shared_outs(%o = %t) -> (tensor<4xf32>) { scf.forall.in_parallel { tensor.parallel_insert_slice %s into %t[%i] [1] [1] : tensor<1xf32> into tensor<4xf32> } } return }

// -----

// The text has no type for initial values but the results'.
func.func @f(%x: index, %y: f32) {
  // expected-error @+1 {{expects type of 0-th initial value: 'index' to be the same as the 0-th result type: 'f32'}}
  %0 = "scf.parallel"(%x, %x, %x, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    scf.reduce(%y : f32) {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    }
  }) : (index, index, index, index) -> f32
  return
}
