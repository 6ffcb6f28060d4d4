// Attributes of functions, globals, accesses and calls, as in MLIR 22.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s

// CHECK: llvm.func @a(%arg0: i64) attributes {frame_pointer = #llvm.framePointerKind<all>, memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = readwrite, errnoMem = none, targetMem0 = none, targetMem1 = write>, no_unwind, target_features = #llvm.target_features<["+sse", "-avx"]>, uwtable_kind = #llvm.uwtableKind<sync>, vec_type_hint = #llvm.vec_type_hint<hint = i32, is_signed = true>}
// GENERIC: "llvm.func"() <{CConv = #llvm.cconv<ccc>, frame_pointer = {{.*}}no_unwind, sym_name = "a", target_features
llvm.func @a(%a: i64) attributes {no_unwind, memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = readwrite, errnoMem = none, targetMem0 = none, targetMem1 = write>, frame_pointer = #llvm.framePointerKind<all>, target_features = #llvm.target_features<["+sse", "-avx"]>, uwtable_kind = #llvm.uwtableKind<sync>, vec_type_hint = #llvm.vec_type_hint<hint = i32, is_signed = true>} {
  llvm.return
}
// CHECK: llvm.func @b() vscale_range(1, 2) comdat(@c::@d) attributes {frame_pointer = #llvm.framePointerKind<"non-leaf">, section = "x"}
// GENERIC: vscale_range = #llvm.vscale_range<minRange = 1 : i32, maxRange = 2 : i32>
llvm.func @b() vscale_range(1, 2) comdat(@c::@d) attributes {frame_pointer = #llvm.framePointerKind<"non-leaf">, section = "x"}
// CHECK: llvm.comdat @c {
// CHECK-NEXT: llvm.comdat_selector @d any
llvm.comdat @c {
  llvm.comdat_selector @d any
}
// CHECK: llvm.mlir.global internal constant @g(1 : i64) comdat(@c::@d) {addr_space = 0 : i32, externally_initialized} : i64
llvm.mlir.global internal constant @g(1 : i64) comdat(@c::@d) {addr_space = 0 : i32, externally_initialized} : i64
// CHECK: llvm.func @y(i64) -> i64
llvm.func @y(i64) -> i64
// CHECK-LABEL: llvm.func @x
llvm.func @x(%p: !llvm.ptr, %i: i64) -> i64 {
  // CHECK: llvm.load %arg0 dereferenceable<bytes = 8> : !llvm.ptr -> !llvm.ptr
  %0 = llvm.load %p dereferenceable<bytes = 8> : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.load %arg0 invariant_group {alignment = 4 : i64} : !llvm.ptr -> i64
  %1 = llvm.load %p invariant_group {alignment = 4 : i64} : !llvm.ptr -> i64
  // CHECK: llvm.inttoptr %arg1 dereferenceable<bytes = 8, mayBeNull = true> : i64 to !llvm.ptr
  %2 = llvm.inttoptr %i dereferenceable<bytes = 8, mayBeNull = true> : i64 to !llvm.ptr
  // CHECK: llvm.store %1, %2 invariant_group : i64, !llvm.ptr
  llvm.store %1, %2 invariant_group : i64, !llvm.ptr
  // CHECK: llvm.call @y(%1) {no_unwind} : (i64 {llvm.noundef}) -> (i64 {llvm.zeroext})
  // GENERIC: "llvm.call"({{.*}}arg_attrs = [{llvm.noundef}]{{.*}}no_unwind{{.*}}res_attrs = [{llvm.zeroext}]
  %3 = llvm.call @y(%1) {no_unwind} : (i64 {llvm.noundef}) -> (i64 {llvm.zeroext})
  llvm.return %3 : i64
}
