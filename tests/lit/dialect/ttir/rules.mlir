// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Errors of the verifiers of shapes, windows, products and reductions.

func.func @sum_axis(%x: tensor<3x5xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'ttir.sum' op Reduce dimension 4 is out of range for input tensor of rank 2}}
  %0 = "ttir.sum"(%x) <{dim_arg = [4 : i32], keep_dim = false}> : (tensor<3x5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @sum_shape(%x: tensor<3x5xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{'ttir.sum' op Expected output shape (3, 1), got (5)}}
  %0 = "ttir.sum"(%x) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<3x5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @inner(%a: tensor<7x4xf32>, %b: tensor<7x6xf32>) -> tensor<7x6xf32> {
  // expected-error @+1 {{'ttir.matmul' op Input A[-1](4) and B[-2](7) must have matching inner dimensions}}
  %0 = "ttir.matmul"(%a, %b) : (tensor<7x4xf32>, tensor<7x6xf32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}

// -----

func.func @transposed(%a: tensor<7x4xf32>, %b: tensor<7x6xf32>) -> tensor<4x6xf32> {
  %0 = "ttir.matmul"(%a, %b) <{transpose_a = true}> : (tensor<7x4xf32>, tensor<7x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @window(%x: tensor<1x9x9x2xf32>) -> tensor<1x5x4x2xf32> {
  // expected-error @+1 {{'ttir.max_pool2d' op output tensor height and width dimension (5, 4) do not match the expected dimensions (4, 4)}}
  %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 3, 3>, stride = 2 : i32, dilation = 1 : i32, padding = 0 : i32, ceil_mode = false}> : (tensor<1x9x9x2xf32>) -> tensor<1x5x4x2xf32>
  return %0 : tensor<1x5x4x2xf32>
}

// -----

func.func @kernel_form(%x: tensor<1x9x9x2xf32>) -> tensor<1x4x4x2xf32> {
  // expected-error @+1 {{'ttir.max_pool2d' op Expected integer or pair of integers, got tuple of size 3 for kernel attribute}}
  %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 3, 3, 3>, stride = 2 : i32, dilation = 1 : i32, padding = 0 : i32, ceil_mode = false}> : (tensor<1x9x9x2xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// -----

func.func @from_the_end(%x: tensor<8x6xf32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{'ttir.slice_static' op For positive step, begin index must be less than or equal to end index for dimension 1. Got begin: 5 (-1), end: 3, step: 1, input shape: (8, 6)}}
  %0 = "ttir.slice_static"(%x) <{begins = [0 : i32, -1 : i32], ends = [8 : i32, 3 : i32], step = [1 : i32, 1 : i32]}> : (tensor<8x6xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

func.func @pattern(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = "ttir.rearrange"(%x) <{pattern = "a b c -> (a b) c"}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // expected-error @+1 {{'ttir.rearrange' op failed to parse pattern a b c -> (a d) c.}}
  %1 = "ttir.rearrange"(%x) <{pattern = "a b c -> (a d) c"}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// -----

#layout = #ttcore.metal_layout<logical_shape = 32x32, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
func.func @placed() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, size = 4096 : i64, memory_space = #ttcore.memory_space<l1>}> : () -> tensor<1x1x32x32xf32, #layout>
  // expected-error @+1 {{'ttir.alloc' op Input tensor layout memory space must match alloc memory space}}
  %1 = "ttir.alloc"() <{address = 4096 : i64, size = 4096 : i64, memory_space = #ttcore.memory_space<dram>}> : () -> tensor<1x1x32x32xf32, #layout>
  // expected-error @+1 {{'ttir.alloc' op Allocating from a device memory space must have address set to a non-zero value, device addresses are statically allocated}}
  %2 = "ttir.alloc"() <{address = 0 : i64, size = 4096 : i64, memory_space = #ttcore.memory_space<l1>}> : () -> tensor<1x1x32x32xf32, #layout>
  return
}
