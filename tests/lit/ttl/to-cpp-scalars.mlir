// RUN: ttlang-opt %s --convert-ttkernel-to-emitc | ttlang-translate --ttkernel-to-cpp | FileCheck %s
// Numbers and memory of kernels in C++: comparisons of floats, arrays, loops with conditions, calls unfolded.

func.func private @half(%x: i32) -> i32 {
  %two = arith.constant 2 : i32
  %y = arith.divsi %x, %two : i32
  return %y : i32
}

// CHECK: // scalars
// CHECK: void kernel_main() {
func.func private @scalars() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : i32
  %f = arith.constant 1.0 : f32
  %g = arith.constant 2.0 : f32
  // CHECK: int32_t [[A:v[0-9]+]][2][3];
  %a = memref.alloca() : memref<2x3xi32>
  // CHECK: [[H:v[0-9]+]] = {{.*}} / {{.*}};
  %h = func.call @half(%c8) : (i32) -> i32
  // CHECK: [[A]][{{v[0-9]+}}][{{v[0-9]+}}] = [[H]];
  memref.store %h, %a[%c0, %c1] : memref<2x3xi32>
  // CHECK: bool [[U:v[0-9]+]] = {{v[0-9]+}} <= {{v[0-9]+}};
  // CHECK-NEXT: bool {{v[0-9]+}} = ![[U]];
  %u = arith.cmpf ugt, %f, %g : f32
  scf.if %u {
    // CHECK: DPRINT("{} of {}\n", {{v[0-9]+}}, {{v[0-9]+}});
    %v = memref.load %a[%c0, %c1] : memref<2x3xi32>
    "ttkernel.dprint"(%v, %c1) <{fmt = "{} of {}\n"}> : (i32, index) -> ()
  }
  // CHECK: for (;;) {
  // CHECK: if (!({{v[0-9]+}})) break;
  // CHECK: [[N:v[0-9]+]] = {{v[0-9]+}} / {{v[0-9]+}};
  // CHECK-NEXT: {{v[0-9]+}} = [[N]];
  // CHECK-NEXT: }
  %r = scf.while (%i = %c8) : (i32) -> i32 {
    %go = arith.cmpi sgt, %i, %h : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = func.call @half(%i) : (i32) -> i32
    scf.yield %next : i32
  }
  return
}
