// RUN: ttmlir-opt %s --allow-unregistered-dialect --split-input-file --topological-sort | FileCheck %s

// Operations go behind what they read where order means nothing.

// CHECK: "test.graph"() ({
// CHECK-NEXT: "test.a"(%1) : (i32) -> ()
// CHECK-NEXT: %0 = "test.b"(%1) : (i32) -> i32
// CHECK-NEXT: "test.c"(%0) ({
// CHECK-NEXT: "test.d"(%2) : (i32) -> ()
// CHECK-NEXT: }) : (i32) -> ()
// CHECK-NEXT: %1 = "test.e"() : () -> i32
// CHECK-NEXT: %2 = "test.f"(%1) : (i32) -> i32
// CHECK-NEXT: %3 = "test.g"(%4) : (i32) -> i32
// CHECK-NEXT: %4 = "test.g"(%3) : (i32) -> i32
// CHECK-NEXT: }) : () -> ()
module {
  "test.graph"() ({
    "test.a"(%0) : (i32) -> ()
    %1 = "test.b"(%0) : (i32) -> i32
    "test.c"(%1) ({
      "test.d"(%2) : (i32) -> ()
    }) : (i32) -> ()
    %0 = "test.e"() : () -> i32
    %2 = "test.f"(%0) : (i32) -> i32
    %3 = "test.g"(%4) : (i32) -> i32
    %4 = "test.g"(%3) : (i32) -> i32
  }) : () -> ()
}

// -----

// CHECK: %0 = "test.e"() : () -> i32
// CHECK-NEXT: %1 = "test.f"(%0) : (i32) -> i32
// CHECK-NEXT: "test.a"(%0) : (i32) -> ()
// CHECK-NEXT: %2 = "test.b"(%0) : (i32) -> i32
// CHECK-NEXT: "test.c"(%2) ({
// CHECK-NEXT: "test.d"(%1) : (i32) -> ()
// CHECK-NEXT: }) : (i32) -> ()
// CHECK-NEXT: %3 = "test.g"(%4) : (i32) -> i32
// CHECK-NEXT: %4 = "test.g"(%3) : (i32) -> i32
module {
  "test.a"(%0) : (i32) -> ()
  %1 = "test.b"(%0) : (i32) -> i32
  "test.c"(%1) ({
    "test.d"(%2) : (i32) -> ()
  }) : (i32) -> ()
  %0 = "test.e"() : () -> i32
  %2 = "test.f"(%0) : (i32) -> i32
  %3 = "test.g"(%4) : (i32) -> i32
  %4 = "test.g"(%3) : (i32) -> i32
}
