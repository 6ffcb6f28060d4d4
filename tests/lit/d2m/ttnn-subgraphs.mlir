// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-create-d2m-subgraphs | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-create-d2m-subgraphs --ttnn-collaspe-d2m | FileCheck %s --check-prefix=BACK

#l1 = #ttnn.buffer_type<l1>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
!t = tensor<64x64xbf16, #layout>

// Two operations in a row are a function; what else reads a value of the chain ends it.
// CHECK-LABEL: func.func @chain
// CHECK: %[[M:.*]] = "ttnn.matmul"(%arg0, %arg1)
// CHECK: %[[E:.*]] = "ttnn.empty"
// CHECK: %[[D:.*]] = ttnn.d2m_subgraph @d2m_subgraph_0
// CHECK-NEXT: ins(%[[M]], %arg1 :
// CHECK-NEXT: outs(%[[E]] :
// CHECK: return %[[D]]
// BACK-LABEL: func.func @chain
// BACK: %[[M:.*]] = "ttnn.matmul"
// BACK: %[[X:.*]] = "ttnn.exp"(%[[M]])
// BACK: %[[A:.*]] = "ttnn.add"(%[[X]], %arg1)
// BACK: return %[[A]]
func.func @chain(%a: !t, %b: !t) -> !t {
  %0 = "ttnn.matmul"(%a, %b) : (!t, !t) -> !t
  %1 = "ttnn.exp"(%0) : (!t) -> !t
  %2 = "ttnn.add"(%1, %b) : (!t, !t) -> !t
  return %2 : !t
}

// CHECK-LABEL: func.func @shared
// CHECK: %[[X:.*]] = "ttnn.exp"(%arg0)
// CHECK: ttnn.d2m_subgraph @d2m_subgraph_1
// CHECK-NEXT: ins(%[[X]] :
// CHECK: "ttnn.matmul"(%[[X]], %[[X]])
func.func @shared(%a: !t) -> (!t, !t) {
  %0 = "ttnn.exp"(%a) : (!t) -> !t
  %1 = "ttnn.neg"(%0) : (!t) -> !t
  %2 = "ttnn.abs"(%1) : (!t) -> !t
  %3 = "ttnn.matmul"(%0, %0) : (!t, !t) -> !t
  return %2, %3 : !t, !t
}

// One alone is left, and what is not element by element.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: d2m_subgraph
// CHECK: return
func.func @alone(%a: !t, %b: !t) -> !t {
  %0 = "ttnn.matmul"(%a, %b) : (!t, !t) -> !t
  %1 = "ttnn.relu"(%0) : (!t) -> !t
  %2 = "ttnn.matmul"(%1, %b) : (!t, !t) -> !t
  return %2 : !t
}

// CHECK: func.func private @d2m_subgraph_0(%arg0: {{.*}}, %arg1: {{.*}}) ->
// CHECK-NEXT: %[[X:.*]] = "ttnn.exp"(%arg0)
// CHECK-NEXT: %[[A:.*]] = "ttnn.add"(%[[X]], %arg1)
// CHECK-NEXT: return %[[A]]
// CHECK: func.func private @d2m_subgraph_1
// BACK-NOT: d2m_subgraph
