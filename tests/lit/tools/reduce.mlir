// The command asks for one operation; what is left is that and what it needs.
// RUN: tilewright reduce --test="grep -q arith.muli" %s | FileCheck %s --implicit-check-not=func.func --implicit-check-not="arith.{{[^m]}}" --implicit-check-not=attributes
// RUN: not tilewright reduce --test=false %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: tilewright reduce --threads=3 --test="grep -q arith.muli" %s | FileCheck %s
// RUN: tilewright reduce --tries=2 --test="grep -q arith.muli" %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TRIES
// RUN: ttmlir-opt %t.mlir | FileCheck %s --check-prefix=PART
// RUN: not tilewright reduce --test=/no/such/command %s 2>&1 | FileCheck %s --check-prefix=COMMAND
// RUN: tilewright reduce --test="grep -q arith.addf" %s | FileCheck %s --check-prefix=RESULTS
// RUN: not tilewright reduce --test=false %S/no-such-file.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// NOTHING: the command does not succeed for the whole module: nothing to reduce
// FILE: cannot open
// TRIES: bytes of {{[0-9]+}} left after {{[0-9]+}} tries, {{.*}}; no more tries
// PART: arith.muli
// COMMAND: the command cannot be run (status 127): /no/such/command
// Returned values are removed, too.
// RESULTS: func.func @g(%arg0: f32) {
// RESULTS-NEXT: arith.addf
// RESULTS-NEXT: return{{$}}

// CHECK: module {
// CHECK-NEXT: func.func @f(%arg0: i32)
// CHECK-NEXT: %{{.*}} = arith.muli %arg0, %arg0 : i32
// CHECK-NEXT: return
// CHECK-NEXT: }
module attributes {t.x = 1 : i32} {
  func.func @f(%a: i32, %b: i32, %c: f32) attributes {t.y} {
    %0 = arith.addi %a, %b : i32
    %1 = arith.subi %0, %b : i32
    %2 = arith.muli %1, %0 {t.z = "a"} : i32
    %3 = arith.addi %2, %b : i32
    return
  }
  func.func @g(%a: f32) -> f32 {
    %0 = arith.addf %a, %a : f32
    return %0 : f32
  }
  func.func private @d(i32)
}
