// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline 2>&1 | FileCheck %s

// CHECK: [[@LINE+2]]:8: error: 'ttir.conv_transpose2d' op TTNN only supports padding height/width attributes. Thus, padding_top/padding_left must equal padding_bottom/padding_right for the op to execute as expected.
func.func @uneven(%x: tensor<1x8x8x16xbf16>, %w: tensor<16x32x3x3xbf16>) -> tensor<1x7x6x32xbf16> {
  %0 = "ttir.conv_transpose2d"(%x, %w) <{dilation = array<i32: 1, 1>, groups = 1 : i32, output_padding = array<i32: 0, 0>, padding = array<i32: 1, 2, 2, 2>, stride = array<i32: 1, 1>}> : (tensor<1x8x8x16xbf16>, tensor<16x32x3x3xbf16>) -> tensor<1x7x6x32xbf16>
  return %0 : tensor<1x7x6x32xbf16>
}
