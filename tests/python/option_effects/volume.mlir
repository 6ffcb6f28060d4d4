// Three channels, filled up to a tile.
func.func @main(%x: tensor<1x4x8x8x3xf32>, %w: tensor<16x3x3x3x3xf32>) -> tensor<1x2x6x6x16xf32> {
  %0 = "ttir.conv3d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, groups = 1 : i32, padding_mode = "zeros"}> : (tensor<1x4x8x8x3xf32>, tensor<16x3x3x3x3xf32>) -> tensor<1x2x6x6x16xf32> loc("volume")
  return %0 : tensor<1x2x6x6x16xf32>
}
