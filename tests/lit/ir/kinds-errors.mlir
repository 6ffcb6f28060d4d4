// Rules of rows for memory, registers, handles and encodings are enforced.
// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

func.func @registers(%a: vector<8x4xf32>) {
  // expected-error @+1 {{operand #0 must be SFPI 4x8 float32 vector}}
  %0 = "sfpi.abs"(%a) <{mod1 = #sfpi<abs_mod1 FLOAT>}> : (vector<8x4xf32>) -> vector<8x4xf32>
  return
}

// -----

func.func @ranks(%a: memref<f32>) {
  // expected-error @+1 {{result #0 must be vector of any type values, but got 'vector<f32>'}}
  %0 = affine.vector_load %a[] : memref<f32>, vector<f32>
  return
}
