// Calls with operands in bundles, and what address computations do not do.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s -o %t && FileCheck %s --input-file %t
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s --mlir-print-op-generic -o %t && FileCheck %s --input-file %t --check-prefix=GENERIC

llvm.func @g(i64)

// CHECK-LABEL: @call
llvm.func @call(%p: !llvm.ptr, %i: i64, %j: i32) {
  // CHECK: llvm.call @g(%arg1) ["tag"(%arg1, %arg2 : i64, i32), "other"()] {note = 1 : i32} : (i64) -> ()
  // GENERIC: "llvm.call"(%[[I:.*]], %[[I]], %[[J:.*]]) <{{.*}}op_bundle_sizes = array<i32: 2, 0>, op_bundle_tags = ["tag", "other"], operandSegmentSizes = array<i32: 1, 2>}> {note = 1 : i32} : (i64, i64, i32) -> ()
  llvm.call @g(%i) ["tag"(%i, %j : i64, i32), "other"()] {note = 1 : i32} : (i64) -> ()
  // CHECK: llvm.call %arg0(%arg1) ["tag"(%arg2 : i32)] : !llvm.ptr, (i64) -> ()
  llvm.call %p(%i) ["tag"(%j : i32)] : !llvm.ptr, (i64) -> ()
  // CHECK: llvm.call %arg0(%arg1) : !llvm.ptr, (i64) -> ()
  // GENERIC: op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}>
  llvm.call %p(%i) [] : !llvm.ptr, (i64) -> ()
  llvm.return
}

// CHECK-LABEL: @address
llvm.func @address(%p: !llvm.ptr, %i: i64) {
  // CHECK: llvm.getelementptr %arg0[%arg1] :
  // GENERIC: noWrapFlags = 0 : i32
  %0 = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr inbounds %arg0[%arg1] :
  // GENERIC: noWrapFlags = 3 : i32
  %1 = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr inbounds|nuw %arg0[%arg1, 1] :
  // GENERIC: noWrapFlags = 7 : i32
  %2 = llvm.getelementptr inbounds|nuw %p[%i, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  // CHECK: llvm.getelementptr nusw %arg0[%arg1] :
  // GENERIC: noWrapFlags = 2 : i32
  %3 = llvm.getelementptr nusw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %i: i64) {
  // expected-error @below {{'llvm.getelementptr' op 'inbounds_flag' cannot be used directly.}}
  %0 = llvm.getelementptr inbounds_flag %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return
}

// -----

llvm.func @f(%i: i64, %j: i32) {
  // expected-error @below {{expected 1 operand bundle tags, but actually got 2}}
  "llvm.call"(%i, %i, %j) <{callee = @g, op_bundle_sizes = array<i32: 2>, op_bundle_tags = ["a", "b"], operandSegmentSizes = array<i32: 1, 2>}> : (i64, i64, i32) -> ()
  llvm.return
}

// -----

llvm.func @f(%i: i64, %j: i32) {
  // expected-error @below {{operand bundle tag must be a StringAttr}}
  "llvm.call"(%i, %i, %j) <{callee = @g, op_bundle_sizes = array<i32: 2>, op_bundle_tags = [1], operandSegmentSizes = array<i32: 1, 2>}> : (i64, i64, i32) -> ()
  llvm.return
}

// -----

llvm.func @f(%i: i64, %j: i32) {
  // expected-error @below {{'llvm.call' op op_bundle_operands count (2) does not match with the total size (1) specified in attribute 'op_bundle_sizes'}}
  "llvm.call"(%i, %i, %j) <{callee = @g, op_bundle_sizes = array<i32: 1>, op_bundle_tags = ["a"], operandSegmentSizes = array<i32: 1, 2>}> : (i64, i64, i32) -> ()
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @below {{'llvm.call' op attribute 'var_callee_type' failed to satisfy constraint: type attribute of LLVM function type}}
  llvm.call %p() vararg(i32) : !llvm.ptr, () -> ()
  llvm.return
}
