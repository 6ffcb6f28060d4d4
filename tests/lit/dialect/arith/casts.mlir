// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @fine(%a: i8, %t: tensor<4xf32>, %i: index) {
  %0 = arith.extsi %a : i8 to i32
  %1 = arith.truncf %t : tensor<4xf32> to tensor<4xbf16>
  %2 = arith.index_cast %i : index to i8
  %3 = arith.index_castui %a : i8 to index
  %4 = arith.bitcast %t : tensor<4xf32> to tensor<4xi32>
  return
}

// -----
func.func @wider(%a: i32) {
  // expected-error @+1 {{'arith.extsi' op operand type 'i32' and result type 'i8' are cast incompatible}}
  %0 = arith.extsi %a : i32 to i8
  return
}

// -----
func.func @narrower(%a: tensor<4xf16>) {
  // expected-error @+1 {{'arith.truncf' op operand type 'tensor<4xf16>' and result type 'tensor<4xf32>' are cast incompatible}}
  %0 = arith.truncf %a : tensor<4xf16> to tensor<4xf32>
  return
}

// -----
func.func @index(%a: i32) {
  // expected-error @+1 {{'arith.index_cast' op operand type 'i32' and result type 'i64' are cast incompatible}}
  %0 = arith.index_cast %a : i32 to i64
  return
}
