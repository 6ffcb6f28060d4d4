// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline --ttir-to-ttir-decomposition --ttir-implicit-broadcast-fold --ttir-fusing=enable-permute-matmul-fusion=true | FileCheck %s --check-prefix=TTIR
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline=enable-permute-matmul-fusion=true | FileCheck %s --check-prefix=TTNN
// RUN: ttmlir-opt %s --pass-pipeline="builtin.module(stablehlo-to-ttir-pipeline,ttir-to-ttnn-backend-pipeline{enable-permute-matmul-fusion=true})" | FileCheck %s --check-prefix=TTNN
// RUN: tilewright run %s

// Two layers become three TTIR operations: the transposes, the broadcasts, the bias
// additions and the maximum with zero are folded in.
// TTIR-LABEL: func.func @main
// TTIR-NEXT: %0 = "ttir.linear"(%arg0, %arg1, %arg2) <{transpose_a = false, transpose_b = true}>
// TTIR-NEXT: %1 = "ttir.relu"(%0)
// TTIR-NEXT: %2 = "ttir.linear"(%1, %arg3, %arg4) <{transpose_a = false, transpose_b = true}>
// TTIR-NEXT: return %2

// TTNN: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
// TTNN-LABEL: func.func @main(%arg0: tensor<32x128xf32, #ttnn_layout>
// TTNN-NEXT: %0 = "ttnn.linear"(%arg0, %arg1, %arg2) <{compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>, transpose_a = false, transpose_b = true}>
// TTNN-NEXT: "ttnn.deallocate"(%arg2) <{force = false}>
// TTNN-NEXT: "ttnn.deallocate"(%arg1) <{force = false}>
// TTNN-NEXT: "ttnn.deallocate"(%arg0) <{force = false}>
// TTNN-NEXT: %1 = "ttnn.relu"(%0)
// TTNN-NEXT: "ttnn.deallocate"(%0) <{force = false}>
// TTNN-NEXT: %2 = "ttnn.linear"(%1, %arg3, %arg4)
module @simple_mlp {
  func.func @main(%arg0: tensor<32x128xf32>, %arg1: tensor<256x128xf32>, %arg2: tensor<256xf32>,
                  %arg3: tensor<10x256xf32>, %arg4: tensor<10xf32>) -> tensor<32x10xf32> {
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<32x128xf32>, tensor<128x256xf32>) -> tensor<32x256xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<32x256xf32>
    %3 = stablehlo.add %1, %2 : tensor<32x256xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<32x256xf32>
    %4 = stablehlo.maximum %3, %cst : tensor<32x256xf32>
    %5 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<10x256xf32>) -> tensor<256x10xf32>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %7 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<10xf32>) -> tensor<32x10xf32>
    %8 = stablehlo.add %6, %7 : tensor<32x10xf32>
    return %8 : tensor<32x10xf32>
  }
}
