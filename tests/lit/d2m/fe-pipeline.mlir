// RUN: ttmlir-opt %s --d2m-fe-pipeline | FileCheck %s
// RUN: ttmlir-opt %s --d2m-fe-pipeline="enable-elementwise-fusion=true" | FileCheck %s --check-prefix=FUSED
// RUN: ttmlir-opt %s --d2m-fe-pipeline="default-input-memspace=dram default-output-memspace=dram override-device-shape=1,1" | FileCheck %s --check-prefix=DRAM

// Buffers with addresses, loops over blocks, indices of cores: nothing of TTIR is left.
// CHECK-LABEL: func.func @program(%arg0: memref<128x256xf32>, %arg1: memref<256x128xf32>)
// CHECK-NOT: ttir.
// CHECK: d2m.to_device
// CHECK: d2m.tile_tilize_block
// CHECK: d2m.tile_matmul
// CHECK: d2m.core_index
// CHECK: d2m.remote_store
// CHECK: d2m.tile_exp
// CHECK: d2m.remote_store
// CHECK: d2m.tile_abs
// CHECK: d2m.tile_untilize_block
// CHECK: d2m.to_host
// CHECK-SAME: memref<128x128xf32>
// FUSED-LABEL: func.func @program
// FUSED: d2m.tile_exp
// FUSED-NOT: d2m.remote_store
// FUSED: d2m.tile_abs
// DRAM-LABEL: func.func @program
// DRAM: #dram
// DRAM: grid = #ttcore.grid<1x1>
// DRAM-NOT: grid = #ttcore.grid<2
func.func @program(%a: tensor<128x256xf32>, %b: tensor<256x128xf32>) -> tensor<128x128xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<128x256xf32>, tensor<256x128xf32>) -> tensor<128x128xf32>
  %1 = "ttir.exp"(%0) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = "ttir.abs"(%1) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}
