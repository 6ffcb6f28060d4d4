// Operations unsupported in C++ are reported at their location.
// RUN: ttmlir-opt --convert-ttnn-to-emitc -split-input-file -verify-diagnostics %s

#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
!t = tensor<32x32xf32, #tiles>
func.func @bits(%a: !t) -> tensor<32x32xf32, #tiles> {
  // expected-error @+1 {{failed to legalize operation 'ttnn.bitcast_convert': it is unsupported in C++}}
  %0 = "ttnn.bitcast_convert"(%a) : (!t) -> !t
  return %0 : !t
}

// -----

func.func @untyped(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-error @+1 {{has a result without a layout; run ttnn-layout before}}
  %0 = "ttnn.abs"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// expected-error @+1 {{has branches; there is no form of them in C++ yet}}
func.func @branches(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  cf.br ^bb1
^bb1:
  return %a : tensor<32x32xf32>
}
