// RUN: ttmlir-opt %s "--pass-pipeline=builtin.module(func.func(ttkernel-hoist-inits))" | FileCheck %s
// An init that every iteration repeats goes in front of the loop; two kinds that take turns stay.

// CHECK-LABEL: func.func @one
// CHECK: exp_tile_init
// CHECK: scf.for
// CHECK-NOT: exp_tile_init
// CHECK: exp_tile(
func.func @one() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    "ttkernel.exp_tile_init"() : () -> ()
    "ttkernel.exp_tile"(%c0) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @two
// CHECK: scf.for
// CHECK: exp_tile_init
// CHECK: sin_tile_init
func.func @two() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    "ttkernel.exp_tile_init"() : () -> ()
    "ttkernel.exp_tile"(%c0) : (index) -> ()
    "ttkernel.sin_tile_init"() : () -> ()
    "ttkernel.sin_tile"(%c0) : (index) -> ()
  }
  return
}
