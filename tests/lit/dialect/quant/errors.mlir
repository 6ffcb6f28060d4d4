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
