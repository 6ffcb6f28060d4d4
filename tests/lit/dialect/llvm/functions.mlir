// Functions, globals, memory and control flow of the llvm dialect, as mlir-opt has them.
// RUN: ttmlir-opt %s | FileCheck --strict-whitespace %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck --strict-whitespace %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck --strict-whitespace %s

llvm.mlir.global internal constant @str("abc\00") {addr_space = 0 : i32}
llvm.mlir.global external @g(42 : i64) : i64
llvm.mlir.global private unnamed_addr constant @h(dense<1> : tensor<4xi32>) : !llvm.array<4 x i32>
llvm.mlir.global internal @i() : i64 {
  %0 = llvm.mlir.constant(1 : i64) : i64
  llvm.return %0 : i64
}
llvm.mlir.global external @e() : !llvm.ptr
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.func internal fastcc @x(%a : i32 {llvm.signext}, %b : f32) -> (i32 {llvm.zeroext}) attributes {foo.bar = 1} {
  llvm.return %a : i32
}
llvm.func @none() { llvm.return }
llvm.func @s(%p : !llvm.ptr, %c : i1, %f: f32, %v : vector<4xf32>, %n: i64) -> !llvm.struct<(ptr, i64)> {
  %0 = llvm.mlir.undef : !llvm.struct<(ptr, i64)>
  %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, i64)>
  %2 = llvm.extractvalue %1[1] : !llvm.struct<(ptr, i64)>
  %3 = llvm.getelementptr %p[%2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %4 = llvm.getelementptr inbounds %p[%2, 1, 3] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<"foo", (i32, array<4 x f32>)>
  %5 = llvm.load %3 : !llvm.ptr -> f32
  %6 = llvm.load volatile %3 {alignment = 4 : i64} : !llvm.ptr -> f32
  llvm.store %5, %4 : f32, !llvm.ptr
  %7 = llvm.alloca %n x f32 {alignment = 8 : i64} : (i64) -> !llvm.ptr
  %8 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.call @none() : () -> ()
  %9 = llvm.call %p(%n) : !llvm.ptr, (i64) -> i32
  %10 = llvm.call @printf(%p, %n) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
  %11 = llvm.icmp "slt" %n, %2 : i64
  %12 = llvm.fcmp "olt" %f, %5 : f32
  %13 = llvm.fadd %f, %f : f32
  %14 = llvm.fadd %f, %f {fastmathFlags = #llvm.fastmath<fast>} : f32
  %15 = llvm.add %n, %n overflow<nsw, nuw> : i64
  %16 = llvm.ptrtoint %p : !llvm.ptr to i64
  %17 = llvm.inttoptr %n : i64 to !llvm.ptr
  %18 = llvm.bitcast %f : f32 to i32
  %19 = llvm.sext %18 : i32 to i64
  %20 = llvm.mlir.addressof @g : !llvm.ptr
  %21 = llvm.mlir.zero : !llvm.ptr
  %22 = llvm.intr.stacksave : !llvm.ptr
  llvm.intr.stackrestore %22 : !llvm.ptr
  %23 = llvm.select %c, %f, %f : i1, f32
  %24 = llvm.mlir.constant(1.5 : f32) : f32
  %26 = llvm.fneg %f : f32
  llvm.cond_br %c, ^bb1(%n : i64), ^bb2
^bb1(%x : i64):
  llvm.br ^bb2
^bb2:
  llvm.cond_br %c weights([1, 2]), ^bb3, ^bb4
^bb3:
  llvm.unreachable
^bb4:
  llvm.return %1 : !llvm.struct<(ptr, i64)>
}
func.func private @types(!llvm.ptr<1>, !llvm.struct<packed (i8, i32)>, !llvm.struct<"op", opaque>, !llvm.array<2 x array<3 x ptr>>, !llvm.func<void (i32, ...)>, !llvm.void, !llvm.struct<()>, !llvm.array<4 x f32>, !llvm.token, !llvm.label, !llvm.metadata, !llvm.func<i32 ()>, !llvm.struct<(struct<(i1)>, vector<4xf32>)>)

// CHECK:  llvm.mlir.global internal constant @str("abc\00") {addr_space = 0 : i32}
// CHECK-NEXT:  llvm.mlir.global external @g(42 : i64) {addr_space = 0 : i32} : i64
// CHECK-NEXT:  llvm.mlir.global private unnamed_addr constant @h(dense<1> : tensor<4xi32>) {addr_space = 0 : i32} : !llvm.array<4 x i32>
// CHECK-NEXT:  llvm.mlir.global internal @i() {addr_space = 0 : i32} : i64 {
// CHECK-NEXT:    %0 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:    llvm.return %0 : i64
// CHECK-NEXT:  }
// CHECK-NEXT:  llvm.mlir.global external @e() {addr_space = 0 : i32} : !llvm.ptr
// CHECK:  llvm.func @malloc(i64) -> !llvm.ptr
// CHECK:  llvm.func @printf(!llvm.ptr, ...) -> i32
// CHECK:  llvm.func internal fastcc @x(%arg0: i32 {llvm.signext}, %arg1: f32) -> (i32 {llvm.zeroext}) attributes {foo.bar = 1 : i64} {
// CHECK-NEXT:    llvm.return %arg0 : i32
// CHECK-NEXT:  }
// CHECK:  llvm.func @none() {
// CHECK-NEXT:    llvm.return
// CHECK-NEXT:  }
// CHECK:  llvm.func @s(%arg0: !llvm.ptr, %arg1: i1, %arg2: f32, %arg3: vector<4xf32>, %arg4: i64) -> !llvm.struct<(ptr, i64)> {
// CHECK-NEXT:    %0 = llvm.mlir.undef : !llvm.struct<(ptr, i64)>
// CHECK-NEXT:    %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, i64)> 
// CHECK-NEXT:    %2 = llvm.extractvalue %1[1] : !llvm.struct<(ptr, i64)> 
// CHECK-NEXT:    %3 = llvm.getelementptr %arg0[%2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    %4 = llvm.getelementptr inbounds %arg0[%2, 1, 3] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<"foo", (i32, array<4 x f32>)>
// CHECK-NEXT:    %5 = llvm.load %3 : !llvm.ptr -> f32
// CHECK-NEXT:    %6 = llvm.load volatile %3 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:    llvm.store %5, %4 : f32, !llvm.ptr
// CHECK-NEXT:    %7 = llvm.alloca %arg4 x f32 {alignment = 8 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:    %8 = llvm.call @malloc(%arg4) : (i64) -> !llvm.ptr
// CHECK-NEXT:    llvm.call @none() : () -> ()
// CHECK-NEXT:    %9 = llvm.call %arg0(%arg4) : !llvm.ptr, (i64) -> i32
// CHECK-NEXT:    %10 = llvm.call @printf(%arg0, %arg4) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
// CHECK-NEXT:    %11 = llvm.icmp "slt" %arg4, %2 : i64
// CHECK-NEXT:    %12 = llvm.fcmp "olt" %arg2, %5 : f32
// CHECK-NEXT:    %13 = llvm.fadd %arg2, %arg2 : f32
// CHECK-NEXT:    %14 = llvm.fadd %arg2, %arg2 {fastmathFlags = #llvm.fastmath<fast>} : f32
// CHECK-NEXT:    %15 = llvm.add %arg4, %arg4 overflow<nsw, nuw> : i64
// CHECK-NEXT:    %16 = llvm.ptrtoint %arg0 : !llvm.ptr to i64
// CHECK-NEXT:    %17 = llvm.inttoptr %arg4 : i64 to !llvm.ptr
// CHECK-NEXT:    %18 = llvm.bitcast %arg2 : f32 to i32
// CHECK-NEXT:    %19 = llvm.sext %18 : i32 to i64
// CHECK-NEXT:    %20 = llvm.mlir.addressof @g : !llvm.ptr
// CHECK-NEXT:    %21 = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:    %22 = llvm.intr.stacksave : !llvm.ptr
// CHECK-NEXT:    llvm.intr.stackrestore %22 : !llvm.ptr
// CHECK-NEXT:    %23 = llvm.select %arg1, %arg2, %arg2 : i1, f32
// CHECK-NEXT:    %24 = llvm.mlir.constant(1.500000e+00 : f32) : f32
// CHECK-NEXT:    %25 = llvm.fneg %arg2 : f32
// CHECK-NEXT:    llvm.cond_br %arg1, ^bb1(%arg4 : i64), ^bb2
// CHECK-NEXT:  ^bb1(%26: i64):  // pred: ^bb0
// CHECK-NEXT:    llvm.br ^bb2
// CHECK-NEXT:  ^bb2:  // 2 preds: ^bb0, ^bb1
// CHECK-NEXT:    llvm.cond_br %arg1 weights([1, 2]), ^bb3, ^bb4
// CHECK-NEXT:  ^bb3:  // pred: ^bb2
// CHECK-NEXT:    llvm.unreachable
// CHECK-NEXT:  ^bb4:  // pred: ^bb2
// CHECK-NEXT:    llvm.return %1 : !llvm.struct<(ptr, i64)>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @types(!llvm.ptr<1>, !llvm.struct<packed (i8, i32)>, !llvm.struct<"op", opaque>, !llvm.array<2 x array<3 x ptr>>, !llvm.func<void (i32, ...)>, !llvm.void, !llvm.struct<()>, !llvm.array<4 x f32>, !llvm.token, !llvm.label, !llvm.metadata, !llvm.func<i32 ()>, !llvm.struct<(struct<(i1)>, vector<4xf32>)>)
