// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{use of undeclared SSA value name}}
  return %b : tensor<2xf32>
}

// -----

// expected-note @+1 {{prior use here}}
func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{use of value '%a' expects different type than prior uses: 'tensor<3xf32>' vs 'tensor<2xf32>'}}
  %0 = stablehlo.abs %a : tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.absolute' is unknown}}
  %0 = stablehlo.absolute %a : tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'ttir.add' op operand shape (3) is not broadcast compatible with inferred operand shapes (2)}}
  %0 = "ttir.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'ttir.permute' op requires attribute 'permutation'}}
  %0 = "ttir.permute"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @f() {
  // expected-error @+1 {{'no.such' does not reference a valid function}}
  call @no.such() : () -> ()
  return
}

// -----

// expected-error @+1 {{unregistered dialect}}
"foo.bar"() : () -> ()
