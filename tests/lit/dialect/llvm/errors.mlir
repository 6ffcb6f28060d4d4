// Errors in text and types of the llvm dialect.
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

// -----

llvm.func @f(%i: i64) {
  // expected-error @+1 {{'llvm.add' op property 'overflowFlags' failed to satisfy constraint: LLVM integer overflow flags}}
  %0 = "llvm.add"(%i, %i) <{overflowFlags = 7 : i32}> : (i64, i64) -> i64
}

// -----

llvm.func @f(%i: i64) {
  // expected-error @+1 {{invalid properties {overflowFlags = "x"} for op llvm.add: expected ::mlir::LLVM::IntegerOverflowFlagsAttr or IntegerAttr storage for ::mlir::LLVM::IntegerOverflowFlags}}
  %0 = "llvm.add"(%i, %i) <{overflowFlags = "x"}> : (i64, i64) -> i64
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{expected IntegerAttr storage for ::mlir::LLVM::GEPNoWrapFlags}}
  %0 = "llvm.getelementptr"(%p) <{elem_type = i32, noWrapFlags = "x", rawConstantIndices = array<i32: 1>}> : (!llvm.ptr) -> !llvm.ptr
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{custom op 'llvm.getelementptr' expected one of [none, inbounds_flag, nusw, nuw, inbounds] for ::mlir::LLVM::GEPNoWrapFlags, got: foo}}
  %0 = llvm.getelementptr foo %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
}

// -----

llvm.func @f(%i: i64) {
  // expected-error @+1 {{custom op 'llvm.add' expected one of [none, nsw, nuw] for LLVM integer overflow flags, got: foo}}
  %0 = llvm.add %i, %i overflow<foo> : i64
}

// -----

func.func private @a(!llvm.struct<"b", (ptr, i32)>)
// expected-error @+1 {{identified type already used with a different body}}
func.func private @b(!llvm.struct<"b", (ptr, i64)>)

// -----

func.func private @a(!llvm.struct<"b", packed (ptr, struct<"b">)>)
// expected-error @+1 {{identified type already used with a different body}}
func.func private @b(!llvm.struct<"b", (ptr, struct<"b">)>)

// -----

func.func private @a(!llvm.struct<"b", (i32)>)
// expected-error @+1 {{redeclaring defined struct as opaque}}
func.func private @b(!llvm.struct<"b", opaque>)

// -----

// expected-error @+1 {{identifier already used for an enclosing struct}}
func.func private @a(!llvm.struct<"b", (struct<"b", (i32)>)>)

// -----

// expected-error @+1 {{target features must start with '+' or '-'}}
llvm.func @f() attributes {target_features = #llvm.target_features<["sse"]>}

// -----

llvm.comdat @c {
  // expected-error @+1 {{only comdat selector symbols can appear in a comdat region}}
  llvm.func @f()
}
