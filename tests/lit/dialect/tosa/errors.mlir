// Rules of tosa's operations, with MLIR's messages.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{'tosa.add' op operands don't have broadcast-compatible shapes}}
  %0 = tosa.add %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.add' op result type '3x?' not broadcast compatible with broadcasted operands's shapes '2x3'}}
  %0 = tosa.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x?xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'tosa.add' op operands don't have matching ranks}}
  %0 = tosa.add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{'tosa.logical_not' op operand #0 must be tosa-conformant tensor of 1-bit signless integer values, but got 'tensor<2xf32>'}}
  %0 = tosa.logical_not %x : (tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.argmax' op specified axis is outside the rank of the tensor}}
  %0 = tosa.argmax %x {axis = 2 : i32} : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.argmax' op expected output shape '2', got '3'}}
  %0 = tosa.argmax %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<3xi32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{invalid nan_mode value: SOMETIMES}}
  %0 = tosa.argmax %x {axis = 1 : i32, nan_mode = SOMETIMES} : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'tosa.max_pool2d' op attribute 'pad' failed to satisfy constraint: i64 dense array attribute with exactly 4 elements}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'tosa.max_pool2d' op expect all stride values to be >= 1, got 2, 0}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 0>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'tosa.max_pool2d' op expected left/right padding to be less than the width of the kernel, got pad_left=0, pad_right=2, kernel_x=2}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 2>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'tosa.max_pool2d' op expected input_height + pad_top + pad_bottom - kernel_y to be wholly divisible by stride_y, got (8 + 1 + 0 - 2) / 2}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'tosa.max_pool2d' op calculated output width did not match expected: calculated=4, expected=5}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x5x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xi8>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.avg_pool2d' op accumulator type for integer tensor is not i32}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xi8>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf16>, %z: tensor<1xf16>) {
  // expected-error @below {{'tosa.avg_pool2d' op accumulator type for f16 tensor is not f16/f32}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x4x4x3xf16>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.avg_pool2d' op expect both input and its zero point are the same element type, got 'f32' and 'i8'}}
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x3xf32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xi8>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.conv2d' op expect both input and weight to be float or not together, got 'f32' and 'i8'}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xi8>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xbf16>, %w: tensor<4x3x3x3xbf16>, %b: tensor<4xbf16>, %z: tensor<1xbf16>) {
  // expected-error @below {{'tosa.conv2d' op accumulator type for bf16 tensor is not f32}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f16, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xbf16>, tensor<4x3x3x3xbf16>, tensor<4xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<1x8x8x4xbf16>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.conv2d' op expect all padding values to be >= 0, got 1, 1, -1, 1}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, -1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.conv2d' op expected input_width - 1 + pad_left + pad_right - (kernel_width - 1) * dilation_x to be wholly divisible by stride_x, got (8 - 1 + 1 + 1 - (3 - 1) * 1) / 2}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 2>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.conv2d' op calculated output height did not match expected: calculated=6, expected=8}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<3xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.conv2d' op bias channels expected to be equal to output channels (4) or 1, got 3}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) {
  %z = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error @below {{'tosa.conv2d' op input zero point must be zero for non-int8 integer types}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.transpose_conv2d' op dimension mismatch: expected OH == (IH - 1) * stride_y + out_pad_top + out_pad_bottom + KH, but got 9 != (8 - 1) * 1 + 0 + 0 + 3}}
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x10x4xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.transpose_conv2d' op expected out_pad_left > -KW, but got: out_pad_left=-3 and KW=3}}
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, -3, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x10x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2xi8>) {
  // expected-error @below {{'tosa.clamp' op expected min_val <= max_val, got min_val=5 : i8, max_val=-1 : i8}}
  %0 = tosa.clamp %x {min_val = 5 : i8, max_val = -1 : i8} : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----
func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{'tosa.clamp' op min/max attributes should not be 'NaN', got min_val=0x7FC00000 : f32, max_val=1.000000e+00 : f32}}
  %0 = tosa.clamp %x {min_val = 0x7FC00000 : f32, max_val = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{'tosa.clamp' op min/max attributes types are incompatible with input/output element types.}}
  %0 = tosa.clamp %x {min_val = 0.0 : f16, max_val = 1.0 : f16} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{'tosa.concat' op expect all operands to have the same rank, but got 2 vs 1 on operands 0 and 1}}
  %0 = tosa.concat %x, %y {axis = 0 : i32} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{'tosa.concat' op expect all operand shapes to have the same sizes on non-axis dimensions, but got 4 vs 3 at index 1 on operands 0 and 1}}
  %0 = tosa.concat %x, %y {axis = 0 : i32} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.concat' op requires sum of axis dimensions of input1 equal to output axis dimension, got 4 and 5}}
  %0 = tosa.concat %x, %x {axis = 0 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.reduce_sum' op expect reduced dimension size to be 1, got 3}}
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.reduce_sum' op expect input tensor rank (2) to be larger than reduce axis (2)}}
  %0 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.reverse' op expect input tensor rank (2) to be larger than reverse axis (2)}}
  %0 = tosa.reverse %x {axis = 2 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x5xf32>, %i: tensor<3x6xi32>) {
  // expected-error @below {{'tosa.gather' op requires indices dimension 0 to have size 2, got 3}}
  %0 = tosa.gather %x, %i : (tensor<2x4x5xf32>, tensor<3x6xi32>) -> tensor<2x6x5xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x5xf32>, %i: tensor<2x6xi32>) {
  // expected-error @below {{'tosa.gather' op requires output dimension 1 to have size 6, got 7}}
  %0 = tosa.gather %x, %i : (tensor<2x4x5xf32>, tensor<2x6xi32>) -> tensor<2x7x5xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x5xf32>, %i: tensor<2x6xi32>, %u: tensor<2x6x5xf32>) {
  // expected-error @below {{'tosa.scatter' op requires dimensions K >= W, got K=4 and W=6}}
  %0 = tosa.scatter %x, %i, %u : (tensor<2x4x5xf32>, tensor<2x6xi32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----
func.func @f(%x: tensor<1x4x4xf32>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.matmul' op expect input a and a_zp have the same element type, got 'f32' and 'i8'}}
  %0 = tosa.matmul %x, %x, %z, %z : (tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2xi8>, %y: tensor<2xi16>, %s: tensor<1xi8>) {
  // expected-error @below {{'tosa.mul' op requires the same element type for all operands}}
  %0 = tosa.mul %x, %y, %s : (tensor<2xi8>, tensor<2xi16>, tensor<1xi8>) -> tensor<2xi32>
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %y: tensor<1x2xf32>, %s: tensor<1xi8>) {
  // expected-error @below {{'tosa.mul' op a and b operands don't have matching ranks, got 1 and 2}}
  %0 = tosa.mul %x, %y, %s : (tensor<2xf32>, tensor<1x2xf32>, tensor<1xi8>) -> tensor<1x2xf32>
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.negate' op requires the same shape for input1 and output}}
  %0 = tosa.negate %x, %z, %z : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %c: tensor<1xf32>) {
  %p = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.pad' op padding tensor must have 2 * 2 = 4 elements, but got 2}}
  %0 = tosa.pad %x, %p, %c : (tensor<2x3xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %c: tensor<1xf32>) {
  %p = tosa.const_shape {values = dense<[1, 1, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  // expected-error @below {{'tosa.pad' op mismatch in output shape at dimension 1: expected 3 + 1 + 0 = 4, but got 3}}
  %0 = tosa.pad %x, %p, %c : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %c: tensor<1xf32>, %p: !tosa.shape<4>) {
  // expected-error @below {{'tosa.pad' op shape operand is not compile time resolvable}}
  %0 = tosa.pad %x, %p, %c : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  %s = tosa.const_shape {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.reshape' op new shape is inconsistent with result shape}}
  %0 = tosa.reshape %x, %s : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  %s = tosa.const_shape {values = dense<[4, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.reshape' op cannot reshape 6 elements into 8}}
  %0 = tosa.reshape %x, %s : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<4x2xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  %s = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.reshape' op expected at most one target dimension to be -1}}
  %0 = tosa.reshape %x, %s : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  %s = tosa.const_shape {values = dense<[2, 0, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.resize' op expect all scale values to be > 0, got 2, 0, 2, 1}}
  %0 = tosa.resize %x, %s, %o, %o {mode = BILINEAR} : (tensor<1x8x8x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x15x15x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  %s = tosa.const_shape {values = dense<[2, 1, 3, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.resize' op calculated output width did not match expected: calculated=22, expected=15}}
  %0 = tosa.resize %x, %s, %o, %o {mode = BILINEAR} : (tensor<1x8x8x3xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x15x15x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x8x8x3xf32>) {
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @below {{'tosa.resize' op operand #1 must be Tosa shape type of rank 4, but got '!tosa.shape<2>'}}
  %0 = tosa.resize %x, %o, %o, %o {mode = BILINEAR} : (tensor<1x8x8x3xf32>, !tosa.shape<2>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x15x15x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xf32>) {
  // expected-error @below {{'tosa.rescale' op expect input to have integer element type, got 'f32'}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xf32>, tensor<1xi32>, tensor<1xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.rescale' op expect i16 element type for multiplier for scale32=false, got 'i32'}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  return
}

// -----
func.func @f(%x: tensor<2x3xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.rescale' op expect shape of { 3 } for multiplier input, got { 1 }}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  return
}

// -----
func.func @f(%x: tensor<2x3xi8>, %m: tensor<1xi32>, %s: tensor<3xi8>, %z: tensor<1xi8>) {
  // expected-error @below {{'tosa.rescale' op expect shape of { 1 } for shift input, got { 3 }}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi8>, tensor<1xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  %p = tosa.const_shape {values = dense<[1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @below {{'tosa.slice' op length of start is not equal to rank of input shape}}
  %0 = tosa.slice %x, %p, %p : (tensor<2x3xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<1x1xf32>
  return
}

// -----
func.func @f(%x: tensor<2xi8>, %t: tensor<256xi8>) {
  // expected-error @below {{'tosa.table' op dim(result, 0) = 3 doesn't match dim(input, 0) = 2}}
  %0 = tosa.table %x, %t : (tensor<2xi8>, tensor<256xi8>) -> tensor<3xi8>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  %p = tosa.const_shape {values = dense<[1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @below {{'tosa.tile' op expect 'multiples' to have rank 2 but got 1.}}
  %0 = tosa.tile %x, %p : (tensor<2x3xf32>, !tosa.shape<1>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.transpose' op expected valid permutation indices}}
  %0 = tosa.transpose %x {perms = array<i32: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @below {{'tosa.transpose' op expected output tensor dim 0 to match input dim 1 with value of 3}}
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%x: tensor<1x3x8xf32>) {
  // expected-error @below {{'tosa.rfft2d' op expected height to be a power of two, got 3}}
  %0, %1 = tosa.rfft2d %x : (tensor<1x3x8xf32>) -> (tensor<1x3x5xf32>, tensor<1x3x5xf32>)
  return
}

// -----
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'tosa.rfft2d' op expected output width to be equal to input_width / 2 + 1, got 8}}
  %0, %1 = tosa.rfft2d %x : (tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>)
  return
}

// -----
func.func @f() {
  // expected-error @below {{'tosa.const_shape' op expect number of elements in attribute values (2) to be equal to the rank (3) for the result shape type}}
  %0 = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<3>
  return
}

// -----
func.func @f() {
  // expected-error @below {{'tosa.const' op failed to verify that all of {values, output} have same shape}}
  %0 = "tosa.const"() {values = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----
func.func @f() {
  // expected-error @below {{'tosa.const' op expected same attr/result element types}}
  %0 = "tosa.const"() {values = dense<1> : tensor<2xi32>} : () -> tensor<2xi8>
  return
}

// -----
func.func @f() {
  // expected-error @below {{'tosa.variable_read' op 'unknown' has not been declared by 'tosa.variable'}}
  %0 = tosa.variable_read @unknown : tensor<2xf32>
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %c: tensor<1xf32>) {
  // expected-error @below {{'tosa.while_loop' op 'cond_graph' result must be a boolean tensor, got 'tensor<1xf32>'}}
  %0 = tosa.while_loop (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    tosa.yield %c : tensor<1xf32>
  } do {
  ^bb0(%q: tensor<2xf32>):
    tosa.yield %q : tensor<2xf32>
  }
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %c: tensor<1xi1>) {
  // expected-error @below {{'tosa.while_loop' op require 'cond_graph' only have one result}}
  %0 = tosa.while_loop (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    tosa.yield %c, %c : tensor<1xi1>, tensor<1xi1>
  } do {
  ^bb0(%q: tensor<2xf32>):
    tosa.yield %q : tensor<2xf32>
  }
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>, %c: tensor<1xi1>) {
  // expected-error @below {{'tosa.cond_if' op require same shapes for 'else_graph' results ('tensor<3xf32>') and 'output_list' ('tensor<2xf32>')}}
  %0 = tosa.cond_if %c : tensor<1xi1> -> tensor<2xf32> {
    tosa.yield %x : tensor<2xf32>
  } else {
    tosa.yield %y : tensor<3xf32>
  }
  return
}

// -----
func.func @f(%x: tensor<2xf32>, %c: tensor<2xi1>) {
  // expected-error @below {{'tosa.cond_if' op 'condition' must be a size 1 tensor, got 'tensor<2xi1>'}}
  %0 = tosa.cond_if %c : tensor<2xi1> -> tensor<2xf32> {
    tosa.yield %x : tensor<2xf32>
  } else {
    tosa.yield %x : tensor<2xf32>
  }
  return
}

// -----
tosa.variable @v : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'tosa.variable_read' op require same shapes for 'output1' ('tensor<3xf32>') and the input tensor ('tensor<2xf32>')}}
  %0 = tosa.variable_read @v : tensor<3xf32>
  return
}
