// Each error has the operation, its location and what to do.
// RUN: not tilewright run %s --entry unknown_sizes 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not tilewright run %s --entry eight_bits --no-host 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: tilewright run %s --entry eight_bits 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not tilewright run %s --entry quarter --no-host 2>&1 | FileCheck %s --check-prefix=QUARTER
// RUN: not tilewright run %s --entry eighty_bits 2>&1 | FileCheck %s --check-prefix=EIGHTY
// RUN: not tilewright run %s --entry summed 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not tilewright run %s --entry loop 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not tilewright run %s --entry sends 2>&1 | FileCheck %s --check-prefix=SENDS
// RUN: not tilewright run %s --entry itself 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not tilewright run %s --entry narrow --no-host 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: tilewright run %s --entry narrow 2>&1 | FileCheck %s --check-prefix=NARROW

// SIZES: host-errors.mlir:[[#@LINE+1]]:1: argument 0 of '@unknown_sizes' has type 'tensor<?xf32>'; sizes must be known: {{.*}}--stablehlo-refine-shapes
func.func @unknown_sizes(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// TYPE: the device has no 'f8E4M3FN', and f32 instead would not be rounded
// BITS: out0: u8[4] = 56 192 62 127
func.func @eight_bits() -> tensor<4xf8E4M3FN> {
  %a = stablehlo.constant dense<[1.0, -2.0, 1.7, 1000.0]> : tensor<4xf32>
  %b = stablehlo.optimization_barrier %a : tensor<4xf32>
  %0 = stablehlo.convert %b : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}
// QUARTER: argument 0 of '@quarter' has type 'tensor<3xi4>', which the device does not have; let the host compute it
func.func @quarter(%a: tensor<3xi4>) -> tensor<3xi4> {
  return %a : tensor<3xi4>
}
// EIGHTY: argument 0 of '@eighty_bits' has type 'tensor<2xf80>'; arguments and results must be tensors of floats (64 bits at most)
func.func @eighty_bits(%a: tensor<2xf80>) -> tensor<2xf80> {
  return %a : tensor<2xf80>
}
// RULE: host-errors.mlir:[[#@LINE+3]]:{{.*}}'stablehlo.all_reduce' has groups of 2 devices; programs run on one
// RULE-NOT: on the
func.func @summed(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// LOOP: host-errors.mlir:[[#@LINE+9]]:10: 'stablehlo.custom_call' of '@nothing': neither the device nor the host has a rule for it; compute it outside
// LOOP: on the device: {{.*}}host-errors.mlir:[[#@LINE+3]]:10: error: failed to legalize operation 'stablehlo.while'
func.func @loop(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<4xf32>, tensor<i32>
  cond {
    %go = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %y = stablehlo.custom_call @nothing(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %y, %j : tensor<4xf32>, tensor<i32>
  }
  return %0#0 : tensor<4xf32>
}
// SENDS: host-errors.mlir:[[#@LINE+2]]:8: 'stablehlo.collective_permute' sends between devices; programs run on one: export it for one device
func.func @sends(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// SELF: 'func.call': the host cannot compute a function that calls itself
func.func @itself(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %last = stablehlo.compare NE, %n, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%last) ({
    stablehlo.return %zero : tensor<i32>
  }, {
    %m = func.call @itself(%n) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
}
// ODD: 'stablehlo.convert' at line [[#@LINE+6]]: integers of 4 bits wrap where the device's do not
// NARROW: note: runs on the host: 'stablehlo.convert'
// NARROW: out0: si8[3] = -7 7 4
func.func @narrow() -> tensor<3xi8> {
  %a = stablehlo.constant dense<[9, 7, 100]> : tensor<3xi8>
  %b = stablehlo.optimization_barrier %a : tensor<3xi8>
  %0 = stablehlo.convert %b : (tensor<3xi8>) -> tensor<3xi4>
  %1 = stablehlo.convert %0 : (tensor<3xi4>) -> tensor<3xi8>
  return %1 : tensor<3xi8>
}
