// What values on the host take is told like what the device takes; rounds of a loop give
// back what they took, however many there are.
// RUN: tilewright run %s --entry host --profile 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: tilewright run %s --entry both --profile 2>&1 | FileCheck %s --check-prefix=BOTH

// HOST: runs on the host: 'stablehlo.while'
// HOST-NOT: L1 peak
// HOST: host tensors: {{ *}}{{(48|64)}}.0 KiB
func.func @host(%a: tensor<2xcomplex<f32>>, %n: tensor<i32>) -> tensor<2xcomplex<f32>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<2xcomplex<f32>>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.tan %x : tensor<2xcomplex<f32>>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %y, %j : tensor<2xcomplex<f32>>, tensor<i32>
  }
  return %r#0 : tensor<2xcomplex<f32>>
}

// BOTH: runs on the host: 'stablehlo.while'
// BOTH: ttnn.add
// BOTH: DRAM peak: {{ *}}20.0 KiB
// BOTH: host tensors: {{ *}}{{(192|208)}}.{{[34]}} KiB
func.func @both(%a: tensor<64x64xf32>, %n: tensor<i32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<64x64xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<64x64xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %y, %j : tensor<64x64xf32>, tensor<i32>
  }
  return %r#0 : tensor<64x64xf32>
}
