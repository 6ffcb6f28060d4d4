// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// What an operation's own syntax says names the operation; what reading a type or an
// attribute in full says does not.

func.func @function_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.abs' 1 operands present, but expected 2}}
  %0 = stablehlo.abs %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @results(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.add' expected single output}}
  %0 = stablehlo.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @counts(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.tuple' number of operands and types do not match: got 2 operands and 1 types}}
  %0 = stablehlo.tuple %x, %x : tuple<tensor<2xf32>>
  return
}

// -----

func.func @selects(%c: tensor<2xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.select' expected functional type or list of two types}}
  %0 = stablehlo.select %c, %x, %x : tensor<2xi1>
  return
}

// -----

func.func @parts(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.complex' expected tensor with complex element type}}
  %0 = stablehlo.complex %x, %x : tensor<2xf32>
  return
}

// -----

func.func @lists(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{custom op 'stablehlo.transpose' expected integer value}}
  // expected-error @+1 {{expected ']'}}
  %0 = stablehlo.transpose %x, dims = [1, x] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @cases(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{custom op 'stablehlo.dot' expected ::mlir::stablehlo::Precision to be one of: DEFAULT, HIGH, HIGHEST}}
  // expected-error @+1 {{custom op 'stablehlo.dot' failed to parse StableHLO_PrecisionAttr parameter 'value' which is to be a `::mlir::stablehlo::Precision`}}
  %0 = stablehlo.dot %x, %x, precision = [LOW] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @formats(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.reduce_precision' unable to parse mantissa '2147483648'}}
  %0 = stablehlo.reduce_precision %x, format = e1m2147483648 : tensor<2xf32>
  return
}

// -----

func.func @arrow(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected '->' in function type}}
  %0 = stablehlo.abs %x : (tensor<2xf32>)
  return
}

// -----

func.func @inside(%x: tensor<2xf32>) attributes {
  // expected-error @+2 {{expected ::mlir::tt::ttcore::Arch to be one of: wormhole_b0, blackhole}}
  // expected-error @+1 {{failed to parse TTCore_ArchAttr parameter 'value' which is to be a `::mlir::tt::ttcore::Arch`}}
  a = #ttcore.arch<grayskull>
} {
  return
}
