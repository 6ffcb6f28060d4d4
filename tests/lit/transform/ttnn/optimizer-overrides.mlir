// The user decides where results of named operations are, and parameters of convolutions.
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true" | FileCheck %s --check-prefix=FREE
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=root=dram:interleaved:tile,last=l1" | FileCheck %s
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=root=8x8:block_sharded:bf16" 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="override-output-layout=root=l1 override-conv2d-config=window=act_block_w_div#2" 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=rot=l1" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=root=l2" 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=root" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=end=l1" 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true tensor-l1-usage-cap=0.02 override-output-layout=last=l1,root=l1" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-conv2d-config=window=act_block_h_override#64:activation#relu:deallocate_activation#true:shard_layout#height_sharded:weights_dtype#bf16" | FileCheck %s --check-prefix=CONV
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-conv2d-config=window=act_block#64" 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-conv2d-config=window=deallocate_activation#maybe" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-conv2d-config=root=act_block_w_div#2" 2>&1 | FileCheck %s --check-prefix=NOCONV

// WARN: warning: 'builtin.module' op override-output-layout: '8x8' of 'root' has no effect: the optimizer chooses where tiles are, and grids of shards by their size
// WARN: warning: {{.*}}'bf16' of 'root' has no effect
// WARN: #[[B:ttnn_layout[0-9]*]] = {{.*}}<block_sharded>
// WARN: "ttnn.exp"{{.*}} -> tensor<512x1024xbf16, #[[B]]>
// OFF: warning: {{.*}}override-output-layout has no effect: the optimizer is off; set enable-optimizer=true
// OFF: warning: {{.*}}override-conv2d-config has no effect: the optimizer is off
// NAME: error: {{.*}}override-output-layout names 'rot': expected the name of an operation's location, loc("rot"), found none
// PART: error: {{.*}}override-output-layout: expected l1, dram, interleaved, height_sharded, width_sharded, block_sharded or tile for 'root', found 'l2'
// EMPTY: error: {{.*}}override-output-layout: expected name=l1 or name=dram, found 'root'
// LEAVES: error: 'ttnn.add' op override-output-layout asks for L1, where this result cannot be: it is not of interleaved tiles, it leaves the function, or its operation or one that reads it needs DRAM, or none of such shards
// ROOM: error: 'ttnn.{{.*}}' op does not fit L1 beside the tensors that override-output-layout keeps there: {{[0-9]+}} bytes of each core's {{[0-9]+}} are taken; put some of them into DRAM
// PARAMETER: error: 'ttnn.conv2d' op override-conv2d-config: expected parameter#value of ttnn.conv2d_config, found 'act_block#64'
// VALUE: error: 'ttnn.conv2d' op override-conv2d-config: 'maybe' is no value of 'deallocate_activation' (BoolAttr)
// NOCONV: error: {{.*}}override-conv2d-config names 'root'

// FREE-DAG: #[[D:ttnn_layout[0-9]*]] = {{.*}}memref<16x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
// FREE-DAG: #[[L:ttnn_layout[0-9]*]] = {{.*}}memref<1x512x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
// FREE: "ttnn.exp"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
// CHECK-DAG: #[[D:ttnn_layout[0-9]*]] = {{.*}}memref<16x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
// CHECK-DAG: #[[L:ttnn_layout[0-9]*]] = {{.*}}memref<1x512x!ttcore.tile<32x32, bf16>, #l1>, <interleaved>>
// CHECK: "ttnn.exp"{{.*}} -> tensor<512x1024xbf16, #[[D]]>
// CHECK: "ttnn.sin"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
// CHECK: "ttnn.softmax"{{.*}} -> tensor<512x1024xbf16, #[[L]]>
func.func @chain(%x: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16> loc("root")
  %1 = "ttir.sin"(%0) : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %2 = "ttir.softmax"(%1) <{dimension = 1 : si32}> : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16> loc("last")
  %3 = "ttir.add"(%2, %0) : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16> loc("end")
  return %3 : tensor<512x1024xbf16>
}

// CONV: "ttnn.conv2d"{{.*}}conv2d_config = #ttnn.conv2d_config<weights_dtype = bf16, activation = <op_type = relu>, deallocate_activation = true, act_block_h_override = 64, shard_layout = height_sharded, enable_kernel_stride_folding = false>
func.func @window(%x: tensor<1x16x16x32xbf16>, %w: tensor<32x32x3x3xbf16>) -> tensor<1x14x14x32xbf16> {
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x16x16x32xbf16>, tensor<32x32x3x3xbf16>) -> tensor<1x14x14x32xbf16> loc("window")
  return %0 : tensor<1x14x14x32xbf16>
}
