// RUN: ttlang-opt %s -split-input-file -verify-diagnostics

!tile = tensor<2x2x!ttcore.tile<32x32, f32>>
func.func @f(%a: !tile) {
  // expected-error @+1 {{expected ':' followed by ins operand types}}
  ttl.compute ins(%a) outs() {} -> ()
  return
}

// -----
!tile = tensor<2x2x!ttcore.tile<32x32, f32>>
func.func @f(%a: !tile) {
  // expected-error @+1 {{number of operands and types do not match: got 1 operands and 2 types}}
  ttl.compute ins(%a : !tile, !tile) outs() {} -> ()
  return
}

// -----
!tile = tensor<2x2x!ttcore.tile<32x32, f32>>
func.func @f(%a: !tile) {
  // expected-error @+1 {{expected 'outs'}}
  ttl.compute ins(%a : !tile) attributes {} {} -> ()
  return
}
