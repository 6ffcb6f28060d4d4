// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{parent of yield must have same number of results as the yield operands}}
func.func @f(%n: index) { affine.for %i = 0 to 10 { affine.yield %i : index } return }

// -----

// expected-error @+1 {{types mismatch between yield op and its parent}}
func.func @f(%n: index, %x: f32) { %0 = affine.for %i = 0 to 10 iter_args(%a = %x) -> f32 { affine.yield %n : index } return }
