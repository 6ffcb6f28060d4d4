// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'ttcore.tuple' op expects a tuple of the operands' types, not 'tuple<>'}}
  %0 = "ttcore.tuple"(%a) : (tensor<4xf32>) -> tuple<>
  return
}
