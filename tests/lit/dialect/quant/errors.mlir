// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{illegal storage type prefix}}
func.func private @a(!quant.uniform<f8:f32, 1.0>)

// -----

// expected-error @+1 {{illegal storage type size: 33}}
func.func private @a(!quant.uniform<i33:f32, 1.0>)

// -----

// expected-error @+1 {{expected storage type width}}
func.func private @a(!quant.uniform<uu:f32, 1.0>)

// -----

// expected-error @+1 {{illegal storage min and storage max: (5:4)}}
func.func private @a(!quant.uniform<i8<5:4>:f32, 1.0>)

// -----

// expected-error @+1 {{illegal storage type minimum: -129}}
func.func private @a(!quant.uniform<i8<-129:4>:f32, 1.0>)

// -----

// expected-error @+1 {{illegal storage type maximum: 256}}
func.func private @a(!quant.uniform<u8<1:256>:f32, 1.0>)

// -----

// expected-error @+1 {{invalid kind of type specified}}
func.func private @a(!quant.uniform<i8:i32, 1.0>)

// -----

// expected-error @+1 {{scale 1.055040e+05 out of expressed type range [5.960464e-08, 6.550400e+04]}}
func.func private @a(!quant.uniform<i8:f16, 10.5504e4>)

// -----

// expected-error @+1 {{unexpected decimal integer literal for a floating point value}}
func.func private @a(!quant.uniform<i8:f32, 1>)

// -----

// expected-error @+1 {{illegal quantized dimension: -1}}
func.func private @a(!quant.uniform<i8:f32:-1, {1.0:1, 2.0}>)

// -----

// expected-error @+1 {{expected '{'}}
func.func private @a(!quant.uniform<i8:f32:1, 1.0>)

// -----

// expected-error @+1 {{expected ':'}}
func.func private @a(!quant.uniform<i8>)

// -----

// expected-error @+1 {{illegal min and max: (1.000000e+00:5.000000e-01)}}
func.func private @a(!quant.calibrated<f32<1.0:0.5>>)

// -----

// expected-error @+1 {{illegal block size: 0}}
func.func private @a(!quant.uniform<i8:f32:{0:0}, {1.0}>)

// -----

// expected-error @+1 {{expected 1 elements, got 2}}
func.func private @a(!quant.uniform<i8:f32:{0:1}, {{1.0}, {1.0, 2.0}}>)

// -----

// expected-error @+1 {{ranks are not consistent between elements}}
func.func private @a(!quant.uniform<i8:f32:{0:1}, {1.0, {1.0}}>)

// -----

func.func @zero_point(%a: tensor<2x!quant.uniform<i8:f32, 1.0:300>>) {
  // expected-error @+1 {{but got 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00:300>>'}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8:f32, 1.0:300>>
  return
}

// -----

func.func @scales(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>) {
  // expected-error @+1 {{but got 'tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00,3.000000e+00}>>'}}
  %0 = stablehlo.add %a, %a : tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>
  return
}

// -----

func.func @casts(%a: f32, %q: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>, %t: tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0, 2.0}, {3.0, 4.0}}>>) {
  %0 = quant.qcast %a : f32 to !quant.uniform<i8:f32, 1.0>
  %1 = quant.scast %q : tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>> to tensor<3xi8>
  %2 = quant.dcast %t : tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0, 2.0}, {3.0, 4.0}}>> to tensor<4x4xf32>
  // expected-error @+1 {{operand #0 must be scalar or tensor of signless integer or quantized type, but got 'f32'}}
  %3 = quant.scast %a : f32 to i8
  return
}

// -----

func.func @casts(%a: tensor<2xi8>) {
  // expected-error @+1 {{'quant.scast' op failed to verify that input and result are both scalars or both tensors with matching shape}}
  %0 = quant.scast %a : tensor<2xi8> to !quant.uniform<i8:f32, 1.0>
  return
}

// -----

func.func @casts(%a: i8) {
  // expected-error @+1 {{'quant.scast' op failed to verify that input must be integer and result must be quantized, or vice versa}}
  %0 = quant.scast %a : i8 to i8
  return
}

// -----

func.func @casts(%a: i16) {
  // expected-error @+1 {{storage type in quantized type expected to match integer type}}
  %0 = quant.scast %a : i16 to !quant.uniform<i8:f32, 1.0>
  return
}

// -----

func.func @casts(%a: f16) {
  // expected-error @+1 {{expressed type in quantized type expected to match float type}}
  %0 = quant.qcast %a : f16 to !quant.uniform<i8:f32, 1.0>
  return
}

// -----

func.func @casts(%a: f32) {
  // expected-error @+1 {{scalar types may not use per-axis quantization}}
  %0 = quant.qcast %a : f32 to !quant.uniform<i8:f32:0, {1.0, 2.0}>
  return
}

// -----

func.func @casts(%a: tensor<3xf32>) {
  // expected-error @+1 {{quantized dimension must be less than tensor rank}}
  %0 = quant.qcast %a : tensor<3xf32> to tensor<3x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0}>>
  return
}

// -----

func.func @casts(%a: tensor<3xf32>) {
  // expected-error @+1 {{quantized dimension size does not match number of scales}}
  %0 = quant.qcast %a : tensor<3xf32> to tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @casts(%a: tensor<4x5xf32>) {
  // expected-error @+1 {{tensor dimension size 5 at axis 1 must be divisible by the corresponding block size 2}}
  %0 = quant.qcast %a : tensor<4x5xf32> to tensor<4x5x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0, 2.0}, {3.0, 4.0}}>>
  return
}

// -----

func.func @casts(%a: tensor<12x4xf32>) {
  // expected-error @+1 {{dimension size 2 of scales tensor at axis 0 should match (tensor dimension at axis / block sizes at axis) = 6}}
  %0 = quant.qcast %a : tensor<12x4xf32> to tensor<12x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0, 2.0}, {3.0, 4.0}}>>
  return
}
