// RUN: ttlang-opt %s --convert-ttkernel-to-emitc -split-input-file -verify-diagnostics

func.func @math(%a: f32) attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{'math.sin' op has no form in C++ yet}}
  %0 = math.sin %a : f32
  return
}

// -----
func.func @memory() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{only memory of one number has}}
  %0 = memref.alloca() : memref<4xi32>
  return
}

// -----
// expected-error @+1 {{has branches; C++ is made of structured control flow}}
func.func @branches() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  cf.br ^bb1
^bb1:
  return
}
