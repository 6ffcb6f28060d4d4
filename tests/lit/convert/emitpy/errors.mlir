// RUN: not ttmlir-opt --convert-ttnn-to-emitpy %s 2>&1 | FileCheck %s
#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
!t = tensor<32x32xf32, #tiles>

// CHECK: 'ttnn.layer_norm' op has no form in Python yet
func.func @unknown(%a: !t) -> !t {
  %0 = "ttnn.layer_norm"(%a) <{epsilon = 1.000000e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!t) -> !t
  return %0 : !t
}
