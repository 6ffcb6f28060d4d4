// RUN: stablehlo-opt %s | FileCheck %s
// RUN: stablehlo-opt %s | stablehlo-opt | FileCheck %s
// RUN: stablehlo-opt %s --mlir-print-op-generic | stablehlo-opt | FileCheck %s
// RUN: stablehlo-opt %s --canonicalize | FileCheck %s --check-prefix=PURE

// What goes over extents, values with shapes, and functions of shapes; what is checked is MLIR 22's text.

// PURE-NOT: value_of
// PURE-NOT: with_shape
// PURE-NOT: value_as_shape
// PURE: shape.debug_print

// CHECK-LABEL: func.func @r(%arg0: !shape.shape, %arg1: !shape.size, %arg2: tensor<?xindex>, %arg3: index, %arg4: !shape.value_shape, %arg5: tensor<2x?xf32>) {
// CHECK: %0 = shape.reduce(%arg0, %arg1) : !shape.shape -> !shape.size {
// CHECK: ^bb0(%arg6: index, %arg7: !shape.size, %arg8: !shape.size):
// CHECK: %10 = shape.mul %arg7, %arg8 : !shape.size, !shape.size -> !shape.size
// CHECK: shape.yield %10 : !shape.size
// CHECK: %1:2 = shape.reduce(%arg2, %arg3, %arg3) : tensor<?xindex> -> (index, index) {
// CHECK: ^bb0(%arg6: index, %arg7: index, %arg8: index, %arg9: index):
// CHECK: shape.yield %arg8, %arg7 : index, index
// CHECK: shape.reduce(%arg2, ) : tensor<?xindex> {
// CHECK: ^bb0(%arg6: index, %arg7: index):
// CHECK: shape.yield
// CHECK: %2 = shape.meet %arg0, %arg0 : !shape.shape, !shape.shape -> !shape.shape
// CHECK: %3 = shape.meet %arg1, %arg1, error = "oh" : !shape.size, !shape.size -> !shape.size
// CHECK: %4 = shape.meet %arg2, %arg2 : tensor<?xindex>, tensor<?xindex> -> tensor<?xindex>
// CHECK: %5 = shape.value_of %arg4 : tensor<*xf32>
// CHECK: %6 = shape.with_shape %arg5, %arg0 : tensor<2x?xf32>, !shape.shape
// CHECK: %7 = shape.with_shape %arg4, %arg2 : !shape.value_shape, tensor<?xindex>
// CHECK: %8 = shape.value_as_shape %arg2 : tensor<?xindex> -> !shape.shape
// CHECK: %9 = "shape.debug_print"(%arg0) : (!shape.shape) -> !shape.shape
// CHECK: return
// CHECK: shape.func @f(%arg0: !shape.value_shape) -> !shape.shape attributes {a = 1 : i32} {
// CHECK: %0 = shape_of %arg0 : !shape.value_shape -> !shape.shape
// CHECK: return %0 : !shape.shape
// CHECK: shape.func private @g(!shape.value_shape) -> !shape.shape
// CHECK: shape.function_library @lib {
// CHECK: func @same(%arg0: !shape.value_shape) -> !shape.shape {
// CHECK: %0 = shape_of %arg0 : !shape.value_shape -> !shape.shape
// CHECK: return %0 : !shape.shape
// CHECK: } mapping {std.atan = @same}

func.func @r(%s: !shape.shape, %i: !shape.size, %e: tensor<?xindex>, %k: index, %vs: !shape.value_shape, %t: tensor<2x?xf32>) {
  %0 = shape.reduce(%s, %i) : !shape.shape -> !shape.size {
    ^bb0(%index: index, %dim: !shape.size, %acc: !shape.size):
      %m = shape.mul %dim, %acc : !shape.size, !shape.size -> !shape.size
      shape.yield %m : !shape.size
  }
  %1:2 = shape.reduce(%e, %k, %k) : tensor<?xindex> -> (index, index) {
    ^bb0(%index: index, %dim: index, %acc: index, %acc2: index):
      shape.yield %acc, %dim : index, index
  }
  shape.reduce(%e) : tensor<?xindex> {
    ^bb0(%index: index, %dim: index):
      shape.yield
  }
  %2 = shape.meet %s, %s : !shape.shape, !shape.shape -> !shape.shape
  %3 = shape.meet %i, %i, error = "oh" : !shape.size, !shape.size -> !shape.size
  %4 = shape.meet %e, %e : tensor<?xindex>, tensor<?xindex> -> tensor<?xindex>
  %5 = shape.value_of %vs : tensor<*xf32>
  %6 = shape.with_shape %t, %s : tensor<2x?xf32>, !shape.shape
  %7 = shape.with_shape %vs, %e : !shape.value_shape, tensor<?xindex>
  %8 = shape.value_as_shape %e : tensor<?xindex> -> !shape.shape
  %9 = "shape.debug_print"(%s) : (!shape.shape) -> !shape.shape
  return
}
shape.func @f(%s: !shape.value_shape) -> !shape.shape attributes {a = 1 : i32} {
  %0 = shape.shape_of %s : !shape.value_shape -> !shape.shape
  shape.return %0 : !shape.shape
}
shape.func private @g(!shape.value_shape) -> !shape.shape
shape.function_library @lib {
  shape.func @same(%arg: !shape.value_shape) -> !shape.shape {
    %0 = shape.shape_of %arg : !shape.value_shape -> !shape.shape
    shape.return %0 : !shape.shape
  }
} mapping { std.atan = @same }
