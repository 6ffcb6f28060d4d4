// Operations that move elements read rows instead of tiles that are made for them alone.
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-greedy-memory-layout-propagation="row-major-enabled=true" | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-greedy-memory-layout-propagation | FileCheck %s --check-prefix=OFF
#dram = #ttnn.buffer_type<dram>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<96x40xbf16, #dram>, <interleaved>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<3x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#cut = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 48 + d1, d2), <1x1>, memref<6x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#cutrows = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 48 + d1, d2), <1x1>, memref<192x20xbf16, #dram>, <interleaved>>
!r = tensor<96x40xbf16, #rows>
!t = tensor<96x40xbf16, #tiles>
!c = tensor<4x48x20xbf16, #cut>
!d = tensor<4x48x20xbf16, #cutrows>

// A reshape of rows moves nothing; of tiles, whose rows are cut, it does.
// CHECK-LABEL: func.func @sinks
// CHECK: %[[R:.*]] = "ttnn.reshape"(%arg0){{.*}} : (tensor<96x40xbf16, #{{.*}}>) -> tensor<4x48x20xbf16, #[[ROWS:.*]]>
// CHECK: %[[T:.*]] = "ttnn.to_layout"(%[[R]]) : (tensor<4x48x20xbf16, #[[ROWS]]>) -> tensor<4x48x20xbf16, #[[TILES:.*]]>
// CHECK: "ttnn.abs"(%[[T]])
// OFF-LABEL: func.func @sinks
// OFF: "ttnn.to_layout"(%arg0)
// OFF: "ttnn.reshape"
func.func @sinks(%x: !r) -> !c attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.to_layout"(%x) : (!r) -> !t
  %1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 48 : i32, 20 : i32]}> : (!t) -> !c
  %2 = "ttnn.abs"(%1) : (!c) -> !c
  return %2 : !c
}

// What becomes rows again is not tilized.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: to_layout
// CHECK: %[[R:.*]] = "ttnn.reshape"(%arg0)
// CHECK: return %[[R]]
func.func @stays(%x: !r) -> !d attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.to_layout"(%x) : (!r) -> !t
  %1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 48 : i32, 20 : i32]}> : (!t) -> !c
  %2 = "ttnn.to_layout"(%1) : (!c) -> !d
  return %2 : !d
}

// Tiles that others read are made all the same.
// CHECK-LABEL: func.func @shared
// CHECK: %[[T:.*]] = "ttnn.to_layout"(%arg0)
// CHECK: "ttnn.reshape"(%[[T]])
func.func @shared(%x: !r) -> (!t, !c) attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.to_layout"(%x) : (!r) -> !t
  %1 = "ttnn.reshape"(%0) <{shape = [4 : i32, 48 : i32, 20 : i32]}> : (!t) -> !c
  %2 = "ttnn.abs"(%0) : (!t) -> !t
  return %2, %1 : !t, !c
}
