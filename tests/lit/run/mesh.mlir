// RUN: not tilewright run --entry=wide %s 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: tilewright run --entry=tall %s | FileCheck %s --check-prefix=TALL
// A sum over two devices is refused; over the axis that has one device it is the tensor itself.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  // WIDE: 'ttnn.all_reduce' over more than one device is not implemented
  func.func @wide(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
  // TALL: out0: f32[32, 32]
  func.func @tall(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 0 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
