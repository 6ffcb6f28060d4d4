// Order of the errors of casts, as MLIR 22: of shapes, and where a cast scales, or is of memory, of the types.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

func.func @f(%a: vector<2xf32>) {
  // expected-error @+1 {{'arith.extf' op requires the same shape for all operands and results}}
  %0 = arith.extf %a : vector<2xf32> to vector<3xf64>
  return
}
// -----
func.func @f(%a: vector<2xf32>) {
  // expected-error @+1 {{'arith.fptosi' op requires the same shape for all operands and results}}
  %0 = arith.fptosi %a : vector<2xf32> to i64
  return
}
// -----
func.func @f(%a: vector<2xf4E2M1FN>, %b: vector<2xf8E8M0FNU>) {
  // expected-error @+1 {{operand types 'vector<2xf4E2M1FN>', 'vector<2xf8E8M0FNU>' and result type 'f32' are cast incompatible}}
  %0 = arith.scaling_extf %a, %b : vector<2xf4E2M1FN>, vector<2xf8E8M0FNU> to f32
  return
}
// -----
func.func @f(%a: vector<2xf32>, %b: vector<2xf32>) {
  // expected-error @+1 {{operand types 'vector<2xf32>', 'vector<2xf32>' and result type 'vector<3xf4E2M1FN>' are cast incompatible}}
  %0 = arith.scaling_truncf %a, %b : vector<2xf32>, vector<2xf32> to vector<3xf4E2M1FN>
  return
}
// -----
func.func @f(%a: vector<2xf4E2M1FN>, %b: vector<3xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = arith.scaling_extf %a, %b : vector<2xf4E2M1FN>, vector<3xf32> to vector<2xf32>
  return
}
// -----
func.func @f(%a: memref<2xf32>) {
  // expected-error @+1 {{operand type 'memref<2xf32>' and result type 'memref<3xf32>' are cast incompatible}}
  %0 = memref.cast %a : memref<2xf32> to memref<3xf32>
  return
}
// -----
func.func @f(%a: memref<2xf32>) {
  // expected-error @+1 {{operand type 'memref<2xf32>' and result type 'memref<3xf32, 1>' are cast incompatible}}
  %0 = memref.memory_space_cast %a : memref<2xf32> to memref<3xf32, 1>
  return
}
