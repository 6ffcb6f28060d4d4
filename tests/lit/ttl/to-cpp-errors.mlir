// RUN: ttlang-opt %s --convert-ttkernel-to-emitc -split-input-file -verify-diagnostics

func.func @math(%a: f32) attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{failed to legalize operation 'math.sin': unsupported in C++}}
  %0 = math.sin %a : f32
  return
}

// -----
func.func @memory(%n: index) attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{only memory of known size is supported}}
  %0 = memref.alloca(%n) : memref<?xi32>
  return
}

// -----
func.func @calls() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{calls too many functions, or itself}}
  func.call @calls() : () -> ()
  return
}

// -----
// expected-error @+1 {{has branches; C++ is made of structured control flow}}
func.func @branches() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  cf.br ^bb1
^bb1:
  return
}
