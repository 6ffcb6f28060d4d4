// RUN: stablehlo-opt --stablehlo-refine-shapes --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-refine-arguments='types=tensor<3x4xf32>' --stablehlo-refine-shapes --stablehlo-canonicalize-dynamism --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=WHOLE

// Sizes are computed, shapes follow, the function's type too.
// CHECK-LABEL: func.func @sizes(%arg0: tensor<?x4xf32>) -> tensor<?xf32>
// WHOLE-LABEL: func.func @sizes(%arg0: tensor<3x4xf32>) -> tensor<12xf32>
// WHOLE-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
// WHOLE-NEXT: return %[[R]] : tensor<12xf32>
func.func @sizes(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %m = stablehlo.multiply %n, %four : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Sizes that are constants at a call move into the callee; its constant results come back.
// CHECK-LABEL: module @calls
// WHOLE-LABEL: module @calls
module @calls {
  // CHECK: func.func @main(%arg0: tensor<3x4xf32>) -> (tensor<6xi32>, tensor<i32>)
  // CHECK: %[[C:.*]] = stablehlo.constant dense<6> : tensor<i32>
  // CHECK: %[[I:.*]]:2 = call @twice(%arg0) : (tensor<3x4xf32>) -> (tensor<6xi32>, tensor<i32>)
  // CHECK: return %[[I]]#0, %[[C]]
  func.func @main(%x: tensor<3x4xf32>) -> (tensor<?xi32>, tensor<i32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3x4xf32>) -> tensor<i32>
    %0:2 = call @twice(%n, %x) : (tensor<i32>, tensor<3x4xf32>) -> (tensor<?xi32>, tensor<i32>)
    return %0#0, %0#1 : tensor<?xi32>, tensor<i32>
  }
  // CHECK: func.func private @twice(%arg0: tensor<3x4xf32>) -> (tensor<6xi32>, tensor<i32>)
  func.func private @twice(%n: tensor<i32>, %x: tensor<3x4xf32>) -> (tensor<?xi32>, tensor<i32>) {
    %0 = stablehlo.add %n, %n : tensor<i32>
    %s = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %1, %0 : tensor<?xi32>, tensor<i32>
  }
}

// -----

// Loop-carried values, results of branches, and a convolution.
// CHECK-LABEL: func.func @inside(%arg0: tensor<3x4xf32>)
// CHECK-SAME: -> (tensor<3x4xf32>, tensor<3x4xf32>)
func.func @inside(%x: tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = stablehlo.abs %x : (tensor<3x4xf32>) -> tensor<?x4xf32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: stablehlo.while(%{{.*}} = %{{.*}}) : tensor<3x4xf32>
  %1 = stablehlo.while(%a = %0) : tensor<?x4xf32>
    cond { stablehlo.return %t : tensor<i1> }
    do { stablehlo.return %a : tensor<?x4xf32> }
  %2 = "stablehlo.if"(%t) ({
    stablehlo.return %0 : tensor<?x4xf32>
  }, {
    stablehlo.return %1 : tensor<?x4xf32>
  }) : (tensor<i1>) -> tensor<?x4xf32>
  return %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

module {
  func.func @main(%x: tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.constant dense<4> : tensor<i32>
    call @f(%0) : (tensor<i32>) -> ()
    // expected-error @below {{incorrect number of operands for callee}}
    call @f(%1) : (tensor<i32>) -> ()
    return
  }
  // expected-error @below {{'func.func' op refined with incompatible refinement keys}}
  func.func private @f(%n: tensor<i32>) {
    stablehlo.custom_call @effect(%n) {has_side_effect = true} : (tensor<i32>) -> ()
    return
  }
}
