// What is wrong in text and types of the llvm dialect.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{expected 'x'}}
func.func private @f(!llvm.array<4xf32>)

// -----

// expected-error @+1 {{struct without a body only allowed in a recursive struct}}
func.func private @f(!llvm.struct<"self">)

// -----

llvm.func @f(%s: !llvm.struct<(i32)>) {
  // expected-error @+2 {{custom op 'llvm.extractvalue' position out of bounds: 1}}
  %0 = llvm.extractvalue %s[1] : !llvm.struct<(i32)>
  llvm.return
}

// -----

llvm.func @f(%s: !llvm.struct<(i32)>, %v: i64) {
  // expected-error @+1 {{'llvm.insertvalue' op Type mismatch: cannot insert 'i64' into '!llvm.struct<(i32)>'}}
  %0 = "llvm.insertvalue"(%s, %v) {position = array<i64: 0>} : (!llvm.struct<(i32)>, i64) -> !llvm.struct<(i32)>
  llvm.return
}

// -----

llvm.func @f(%v: i64) {
  // expected-error @+1 {{custom op 'llvm.icmp' 'less' is an incorrect value of the 'predicate' attribute}}
  %0 = llvm.icmp "less" %v, %v : i64
  llvm.return
}

// -----

// expected-note @+1 {{when returning from function}}
llvm.func @f(%v: i64) -> i32 {
  // expected-error @+1 {{'llvm.return' op mismatching result types}}
  llvm.return %v : i64
}

// -----

llvm.func @f(%v: i64, %s: !llvm.array<2 x f32>) {
  // expected-error @+1 {{'llvm.extractvalue' op Type mismatch: extracting from '!llvm.array<2 x f32>' should produce 'f32' but this op returns 'i64'}}
  %0 = "llvm.extractvalue"(%s) {position = array<i64: 1>} : (!llvm.array<2 x f32>) -> i64
  llvm.return
}

// -----

// expected-error @+1 {{custom op 'llvm.mlir.global' type can only be omitted for string globals}}
llvm.mlir.global external @g(1 : i64)

// -----

llvm.func @f(%v: i64) {
  // expected-error @+1 {{branch has 0 operands for successor #0, but target block has 1}}
  llvm.br ^bb1
^bb1(%x: i64):
  llvm.return
}

// -----

func.func @compare(%a: vector<4xi32>) -> i1 {
  // expected-error @+1 {{'llvm.icmp' op failed to verify that result type has i1 element type and same shape as operands}}
  %0 = "llvm.icmp"(%a, %a) <{predicate = 0 : i64}> : (vector<4xi32>, vector<4xi32>) -> i1
  return %0 : i1
}

// -----

func.func @compare(%a: f32) -> vector<2xi1> {
  // expected-error @+1 {{'llvm.fcmp' op failed to verify that result type has i1 element type and same shape as operands}}
  %0 = "llvm.fcmp"(%a, %a) <{predicate = 1 : i64}> : (f32, f32) -> vector<2xi1>
  return %0 : vector<2xi1>
}
