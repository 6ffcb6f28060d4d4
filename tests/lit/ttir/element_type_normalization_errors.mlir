// RUN: not ttmlir-opt --split-input-file --ttir-element-type-normalization %s 2>&1 | FileCheck %s

// CHECK: error: 'func.func' op Unsupported type.
// CHECK: note: TTNN has no tensors of f8E4M3FN; convert them to f32 or bf16 before and after, or let 'tilewright run' compute such a program with the host's help
func.func @edge(%a: tensor<4x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN> {
  return %a : tensor<4x4xf8E4M3FN>
}

// -----

// CHECK: error: 'ttir.typecast' op Unsupported type.
// CHECK: note: TTNN has no tensors of i4;
func.func @inside(%a: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = "ttir.typecast"(%a) <{conservative_folding = false}> : (tensor<4x4xi32>) -> tensor<4x4xi4>
  %1 = "ttir.typecast"(%0) <{conservative_folding = false}> : (tensor<4x4xi4>) -> tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
}
