// Tensors between operations stay in L1, arguments and results do not; with little L1, what
// is read last goes to DRAM, or is copied there once others have read it.
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true enable-decision-trace=true decision-trace-dir=%t.trace/deep" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.trace/deep/chain.json
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="optimization-level=1" -o %t.level.mlir
// RUN: FileCheck %s --input-file=%t.level.mlir
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true" -o %t.shards.mlir
// RUN: FileCheck %s --check-prefix=SHARDS --input-file=%t.shards.mlir
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="optimization-level=2" -o %t.two.mlir
// RUN: FileCheck %s --check-prefix=SHARDS --input-file=%t.two.mlir
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline -o %t.off.mlir
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t.off.mlir
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true tensor-l1-usage-cap=0.06" -o %t.little.mlir
// RUN: FileCheck %s --check-prefix=LITTLE --input-file=%t.little.mlir
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true tensor-l1-usage-cap=2" 2>&1 | FileCheck %s --check-prefix=CAP
// RUN: not ttmlir-opt %s --ttnn-greedy-memory-layout-propagation 2>&1 | FileCheck %s --check-prefix=DEVICE

// OFF-NOT: #l1
// CAP: error: {{.*}}tensor-l1-usage-cap: expected a number above 0, at most 1, found '2'
// DEVICE: error: {{.*}}layouts are chosen for a device: expected ttcore.system_desc and ttcore.device, found none

// CHECK-DAG: #[[D:ttnn_layout[0-9]*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
// CHECK-DAG: #[[L:ttnn_layout[0-9]*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x512x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %arg0: tensor<512x1024xbf16, #[[D]]>
// CHECK: "ttnn.matmul"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
// CHECK: "ttnn.exp"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
// CHECK: "ttnn.softmax"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
// CHECK: "ttnn.add"{{.*}} -> tensor<512x1024xbf16, #[[D]]>
// TRACE: {"function": "chain", "usable_bytes_per_core": {{[0-9]+}}, "activation_bytes": 4194304, "activation_bytes_in_l1": 3145728, "cycles": {{[0-9]+}}, "cycles_in_dram": {{[0-9]+}}, "demoted": 0, "spilled": 0
// TRACE: "operation": "ttnn.matmul", "line": {{[0-9]+}}, "memory": "l1", "layout": "interleaved", "bytes_per_core": 16384
// TRACE: "operation": "ttnn.add", "line": {{[0-9]+}}, "memory": "dram"
// SHARDS-DAG: #[[B:ttnn_layout[0-9]*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<2x4x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>, {{.*}}>
// SHARDS-LABEL: func.func @chain
// SHARDS: "ttnn.exp"{{.*}} -> tensor<512x1024xbf16, #[[B]]>
// SHARDS: "ttnn.softmax"{{.*}} : (tensor<512x1024xbf16, #[[B]]>) -> tensor<512x1024xbf16, #[[B]]>
// LITTLE-LABEL: func.func @chain
// LITTLE: "ttnn.add"
func.func @chain(%x: tensor<512x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<512x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<512x1024xbf16>
  %1 = "ttir.exp"(%0) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %2 = "ttir.softmax"(%1) <{dimension = 1 : si32}> : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %3 = "ttir.add"(%2, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %3 : tensor<512x1024xbf16>
}

// The first result is read by many and again at the end: with little L1 it is copied.
// LITTLE-LABEL: func.func @copied
// LITTLE: %[[E:.*]] = "ttnn.exp"(%arg0)
// LITTLE: %[[M:.*]] = "ttnn.to_memory_config"(%[[E]]) {{.*}}-> tensor<512x1024xbf16, #[[DRAM:ttnn_layout[0-9]*]]>
// LITTLE: "ttnn.subtract"(%{{.*}}, %[[M]])
func.func @copied(%x: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %1 = "ttir.sin"(%0) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %2 = "ttir.multiply"(%1, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %3 = "ttir.add"(%2, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %4 = "ttir.maximum"(%3, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %5 = "ttir.sin"(%4) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %6 = "ttir.cos"(%4) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %7 = "ttir.tan"(%4) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %8 = "ttir.add"(%5, %6) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %9 = "ttir.add"(%8, %7) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %10 = "ttir.subtract"(%9, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %10 : tensor<512x1024xbf16>
}
