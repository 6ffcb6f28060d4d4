

func.func @conv(%x: tensor<1x2x5x5xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32> {
  // CHECK: %[[X:.*]] = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>}>
  // CHECK: %[[Y:.*]] = "ttir.conv2d"(%[[X]], %arg1) <{batch_dim = 0 : i64, channel_dim = 3 : i64{{.*}}height_dim = 1 : i64{{.*}}width_dim = 2 : i64}> : (tensor<1x5x5x2xf32>, tensor<4x2x3x3xf32>) -> tensor<1x3x3x4xf32>
  // CHECK: "ttir.permute"(%[[Y]]) <{permutation = array<i64: 0, 3, 1, 2>}>
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32, batch_dim = 2147483647 : i64, height_dim = 2 : i64, width_dim = 3 : i64, channel_dim = 1 : i64}> : (tensor<1x2x5x5xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

