// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%c: i1) {
  // expected-error @+1 {{type mismatch for bb argument #0 of successor #0}}
  cf.cond_br %c, ^a(%c : i1), ^b ^a(%x: i32): return ^b:
  return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{branch has 0 operands for successor #0, but target block has 1}}
  cf.br ^a ^a(%x: i32):
  return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{branch has 1 operands for successor #0, but target block has 0}}
  cf.br ^a(%c : i1) ^a:
  return
}
