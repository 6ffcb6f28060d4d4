// tosa's own syntax: enums without their dialect, branches, loops, variables.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode -o %t && ttmlir-opt %t | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK: tosa.variable @count : tensor<2x?xi32>
// CHECK: tosa.variable @scale = dense<1.500000e+00> : tensor<2xf32>
// GENERIC: "tosa.variable"() <{sym_name = "count", type = i32, var_shape = dense<[2, -1]> : tensor<2xindex>}>
tosa.variable @count : tensor<2x?xi32>
tosa.variable @scale = dense<1.5> : tensor<2xf32>
// If the value has another type, both are written.
// CHECK: tosa.variable @text : tensor<1xi8> = "a"
"tosa.variable"() <{initial_value = "a", sym_name = "text", type = i8, var_shape = dense<1> : tensor<1xindex>}> : () -> ()

// CHECK-LABEL: @enums
func.func @enums(%x: tensor<1x4x4x3xf32>, %i: tensor<4x3xi8>) {
  // CHECK: tosa.argmax %{{.*}} {axis = 1 : i32, nan_mode = IGNORE} : (tensor<1x4x4x3xf32>) -> tensor<1x4x3xi32>
  %0 = tosa.argmax %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<1x4x4x3xf32>) -> tensor<1x4x3xi32>
  // Under another name than its own an enum's case alone could not be read.
  // CHECK: tosa.minimum %arg0, %arg0 {nan_mode = IGNORE, note = #tosa.nan_mode<PROPAGATE>} :
  %low = tosa.minimum %x, %x {nan_mode = IGNORE, note = #tosa.nan_mode<PROPAGATE>} : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  // The default is omitted.
  // CHECK: tosa.maximum %arg0, %arg0 : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  // GENERIC: "tosa.maximum"(%{{.*}}, %{{.*}}) <{nan_mode = #tosa.nan_mode<PROPAGATE>}>
  %1 = tosa.maximum %x, %x {nan_mode = #tosa.nan_mode<PROPAGATE>} : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %m = "tosa.const"() {values = dense<3> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  // CHECK: tosa.rescale %arg1, %{{.*}} {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} :
  %2 = tosa.rescale %i, %m, %s, %s, %s {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x3xi8>
  %scale = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %off = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK: tosa.resize %arg0, %{{.*}} {mode = NEAREST_NEIGHBOR} :
  %3 = tosa.resize %x, %scale, %off, %off {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x7x3xf32>
  // CHECK: tosa.apply_scale %arg1, %arg1, %arg1 {rounding_mode = DOUBLE_ROUND} :
  %4 = tosa.apply_scale %i, %i, %i {rounding_mode = DOUBLE_ROUND} : (tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>) -> tensor<4x3xi8>
  // CHECK: tosa.cast_to_block_scaled %{{.*}} {block_size = #tosa.block_size<BLOCK_SIZE_32>} :
  %w = "tosa.const"() {values = dense<1.0> : tensor<2x64xf32>} : () -> tensor<2x64xf32>
  %d, %e = tosa.cast_to_block_scaled %w {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<2x64xf32>) -> (tensor<2x64xf8E5M2>, tensor<2x2xf8E8M0FNU>)
  return
}

// CHECK-LABEL: @control
func.func @control(%x: tensor<2xf32>, %c: tensor<1xi1>) -> tensor<2xf32> {
  // CHECK: tosa.variable_read @scale : tensor<2xf32>
  %v = tosa.variable_read @scale : tensor<2xf32>
  // CHECK: tosa.variable_write @scale, %{{.*}} : tensor<2xf32>
  tosa.variable_write @scale, %v : tensor<2xf32>
  // CHECK: %[[R:.*]] = tosa.cond_if %arg1 (%arg2 = %arg0) : tensor<1xi1> (tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: ^bb0(%arg2: tensor<2xf32>):
  // CHECK-NEXT: tosa.yield %arg2 : tensor<2xf32>
  // CHECK-NEXT: } else {
  %0 = tosa.cond_if %c (%a = %x) : tensor<1xi1> (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%q: tensor<2xf32>):
    tosa.yield %q : tensor<2xf32>
  } else {
  ^bb0(%q: tensor<2xf32>):
    %n = tosa.floor %q : (tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %n : tensor<2xf32>
  }
  // CHECK: tosa.while_loop (%arg2 = %[[R]]) : (tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: tosa.yield %arg1 : tensor<1xi1>
  // CHECK-NEXT: } do {
  %1 = tosa.while_loop (%a = %0) : (tensor<2xf32>) -> tensor<2xf32> {
    tosa.yield %c : tensor<1xi1>
  } do {
  ^bb0(%q: tensor<2xf32>):
    tosa.yield %q : tensor<2xf32>
  }
  return %1 : tensor<2xf32>
}
