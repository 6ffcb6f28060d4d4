// Arithmetic of the llvm dialect.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f(%a: i32, %b: vector<4xf32>) -> i32 {
  // CHECK: llvm.add %arg0, %arg0 : i32
  %0 = llvm.add %a, %a : i32
  // CHECK: llvm.fmul %arg1, %arg1 : vector<4xf32>
  %1 = "llvm.fmul"(%b, %b) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  return %0 : i32
}

// -----
func.func @floats(%a: f32) {
  // expected-error @+1 {{operand #0 must be signless integer or LLVM dialect-compatible vector of signless integer, but got 'f32'}}
  %0 = llvm.add %a, %a : f32
  return
}
