// RUN: not ttmlir-opt --convert-ttnn-to-emitpy --split-input-file %s 2>&1 | FileCheck %s
#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
!t = tensor<32x32xf32, #tiles>
#bits = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>

// CHECK: failed to legalize operation 'ttnn.bitcast_convert': it is unsupported in Python
func.func @unknown(%a: !t) {
  %0 = "ttnn.bitcast_convert"(%a) <{dtype = #ttcore.supportedDataTypes<si32>}> : (!t) -> tensor<32x32xsi32, #bits>
  return
}

// -----

#dram = #ttnn.buffer_type<dram>
#nd = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <nd_sharded>>
!t = tensor<32x32xf32, #nd>

// CHECK: 'ttnn.relu' op is unsupported in Python: its memory
func.func @sharded(%a: !t) -> !t {
  %0 = "ttnn.relu"(%a) : (!t) -> !t
  return %0 : !t
}
