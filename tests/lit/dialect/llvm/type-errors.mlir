// Errors of types, casts and constants of the llvm dialect, with MLIR's messages.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s
func.func @f() {
  %0 = llvm.mlir.constant(1 : i32) : i32
  %1 = llvm.mlir.constant(dense<1> : tensor<2x2xi32>) : !llvm.array<2 x array<2 x i32>>
  %2 = llvm.mlir.constant([1 : i32, 2.0 : f32]) : !llvm.struct<(i32, f32)>
  %3 = llvm.mlir.constant("abc") : !llvm.array<3 x i8>
  %4 = llvm.mlir.undef : vector<4xf8E4M3FN>
  %5 = llvm.zext %0 : i32 to i64
  %6 = llvm.mlir.undef : f80
  %7 = llvm.fadd %6, %6 : f80
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{result #0 must be LLVM dialect-compatible type, but got 'index'}}
  %0 = "llvm.mlir.undef"() : () -> index
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{result #0 must be LLVM dialect-compatible type, but got 'vector<2x2xi32>'}}
  %0 = "llvm.mlir.undef"() : () -> vector<2x2xi32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{result #0 must be LLVM dialect-compatible type, but got 'f8E4M3FN'}}
  %0 = "llvm.mlir.undef"() : () -> f8E4M3FN
  return
}
// -----
func.func @f() {
  %c = "llvm.mlir.undef"() : () -> vector<4xsi32>
  // expected-error @+1 {{operand #0 must be signless integer or LLVM dialect-compatible vector of signless integer, but got 'vector<4xsi32>'}}
  %0 = llvm.add %c, %c : vector<4xsi32>
  return
}
// -----
func.func @f(%x: i32) {
  // expected-error @+1 {{integer width of the output type is smaller or equal to the integer width of the input type}}
  %0 = llvm.zext %x : i32 to i32
  return
}
// -----
func.func @f(%x: vector<2xi32>) {
  // expected-error @+1 {{input type is a vector but output type is an integer}}
  %0 = llvm.zext %x : vector<2xi32> to i64
  return
}
// -----
func.func @f(%x: i32) {
  // expected-error @+1 {{input type is an integer but output type is a vector}}
  %0 = llvm.sext %x : i32 to vector<3xi64>
  return
}
// -----
func.func @f(%x: vector<2xi32>) {
  // expected-error @+1 {{input and output vectors are of incompatible shape}}
  %0 = llvm.sext %x : vector<2xi32> to vector<[2]xi64>
  return
}
// -----
func.func @f(%x: !llvm.ptr) {
  // expected-error @+1 {{cannot cast pointers of different address spaces, use 'llvm.addrspacecast' instead}}
  %0 = llvm.bitcast %x : !llvm.ptr to !llvm.ptr<1>
  return
}
// -----
func.func @f(%x: !llvm.ptr) {
  // expected-error @+1 {{cannot cast pointer to vector of pointers}}
  %0 = llvm.bitcast %x : !llvm.ptr to vector<3x!llvm.ptr>
  return
}
// -----
func.func @f(%x: i64) {
  // expected-error @+1 {{can only cast pointers from and to pointers}}
  %0 = llvm.bitcast %x : i64 to !llvm.ptr
  return
}
// -----
func.func @f(%x: !llvm.struct<(i32)>) {
  // expected-error @+1 {{operand #0 must be LLVM-compatible non-aggregate type, but got '!llvm.struct<(i32)>'}}
  %0 = llvm.bitcast %x : !llvm.struct<(i32)> to i32
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected integer type}}
  %0 = llvm.mlir.constant(1 : i32) : f32
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{attribute and type have different float semantics}}
  %0 = llvm.mlir.constant(1.0 : f32) : f64
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected integer type of width 32}}
  %0 = llvm.mlir.constant(1.0 : f32) : i16
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected array type of 3 i8 elements for the string constant}}
  %0 = llvm.mlir.constant("abc") : !llvm.array<4 x i8>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{type and attribute have a different number of elements: 3 vs. 4}}
  %0 = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<3xi32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected vector or array type}}
  %0 = llvm.mlir.constant(dense<1> : tensor<4xi32>) : i32
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected integer element type for integer elements attribute}}
  %0 = llvm.mlir.constant(dense<1> : tensor<4xi32>) : vector<4xf32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{struct element at index 1 is of wrong type}}
  %0 = llvm.mlir.constant([1 : i32, 2 : i64]) : !llvm.struct<(i32, i32)>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected array attribute of size 2}}
  %0 = llvm.mlir.constant([1 : i32]) : !llvm.struct<(i32, i32)>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected array attribute for struct type}}
  %0 = llvm.mlir.constant(1 : i32) : !llvm.struct<(i32, i32)>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected struct element types to be floating point type or integer type}}
  %0 = llvm.mlir.constant([1 : i32, 2 : i64]) : !llvm.struct<(i32, ptr)>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected element of array attribute to be floating point or integer}}
  %0 = llvm.mlir.constant(["a", 2 : i64]) : !llvm.struct<(i32, i64)>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{only supports integer, float, string or elements attributes}}
  %0 = llvm.mlir.constant(unit) : i32
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{for array with an array attribute must have a struct element type}}
  %0 = llvm.mlir.constant([1 : i32]) : !llvm.array<1 x i32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{array attribute size does not match array type size in dimension 0: 1 vs. 2}}
  %0 = llvm.mlir.constant([1 : i32]) : !llvm.array<2 x i32>
  return
}
// -----
func.func @f() {
  // expected-error @+1 {{expected array or struct type for array attribute}}
  %0 = llvm.mlir.constant([1 : i32]) : i32
  return
}
