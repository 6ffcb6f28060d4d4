// RUN: not ttmlir-opt %s --ttnn-collaspe-d2m --split-input-file 2>&1 | FileCheck %s

#l1 = #ttnn.buffer_type<l1>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
!t = tensor<32x32xbf16, #layout>

// CHECK: error: 'ttnn.d2m_subgraph' op Function must have func.return terminator
func.func @declared(%a: !t, %b: !t) -> !t {
  %0 = ttnn.d2m_subgraph @f
      ins(%a : !t)
      outs(%b : !t) : !t
  return %0 : !t
}
func.func private @f(!t) -> !t

// -----

#l1 = #ttnn.buffer_type<l1>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
!t = tensor<32x32xbf16, #layout>

// CHECK: error: 'ttnn.d2m_subgraph' op D2M function calls another one
func.func @f(%a: !t) -> !t {
  %0 = ttnn.d2m_subgraph @f
      ins(%a : !t)
      outs(%a : !t) : !t
  return %0 : !t
}
