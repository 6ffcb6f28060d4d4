// RUN: ttmlir-opt %s --canonicalize --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s

// Canonical forms of affine maps with their values.

// CHECK-LABEL: func.func @f1(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0] -> (s0 * 2 + 2)>()[%arg0]
// CHECK-NEXT: return %0 : index
func.func @f1(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%a)
  %1 = affine.apply affine_map<(d0) -> (d0 * 2)>(%0)
  return %1 : index
}

// CHECK-LABEL: func.func @f2(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0, s1] -> (s0 * 3 + s1 * 2)>()[%arg0, %arg1]
// CHECK-NEXT: return %0 : index
func.func @f2(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%a, %b)
  %1 = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%0, %a)
  return %1 : index
}

// CHECK-LABEL: func.func @f3(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%arg0]
// CHECK-NEXT: return %0 : index
func.func @f3(%a: index, %b: index) -> (index) {
  %c = arith.constant 4 : index
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%a)[%c]
  return %0 : index
}

// CHECK-LABEL: func.func @f4(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: return %c1 : index
func.func @f4(%a: index, %b: index) -> (index) {
  %c = arith.constant 4 : index
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%c)[%c]
  return %0 : index
}

// CHECK-LABEL: func.func @f6(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%arg0]
// CHECK-NEXT: return %0 : index
func.func @f6(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%a, %a)
  return %0 : index
}

// CHECK-LABEL: func.func @f7(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%arg0]
// CHECK-NEXT: return %0 : index
func.func @f7(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0) -> (d0 mod 4)>(%a)
  %1 = affine.apply affine_map<(d0) -> (d0 mod 4)>(%0)
  return %1 : index
}

// CHECK-LABEL: func.func @f9(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.apply affine_map<()[s0, s1] -> (s0 * 2 + s1 * 2)>()[%arg1, %arg0]
// CHECK-NEXT: return %0 : index
func.func @f9(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%a)[%b]
  %1 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%0]
  return %1 : index
}

// CHECK-LABEL: func.func @f13(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.min affine_map<()[s0, s1] -> (s1, s0)>()[%arg0, %arg1]
// CHECK-NEXT: return %0 : index
func.func @f13(%a: index, %b: index) -> (index) {
  %0 = affine.min affine_map<(d0, d1) -> (d0, d1, d0)>(%a, %b)
  return %0 : index
}

// CHECK-LABEL: func.func @f14(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.min affine_map<()[s0, s1] -> (5, s1, s0)>()[%arg0, %arg1]
// CHECK-NEXT: return %0 : index
func.func @f14(%a: index, %b: index) -> (index) {
  %0 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%a, %b)
  %1 = affine.min affine_map<(d0) -> (d0, 5)>(%0)
  return %1 : index
}

// CHECK-LABEL: func.func @f16(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.min affine_map<()[s0, s1] -> (s1, s0 + 1)>()[%arg0, %arg1]
// CHECK-NEXT: return %0 : index
func.func @f16(%a: index, %b: index) -> (index) {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%a)
  %1 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%0, %b)
  return %1 : index
}

// CHECK-LABEL: func.func @f17(%arg0: index, %arg1: index) -> index
// CHECK-NEXT: %0 = affine.min affine_map<()[s0] -> (3, s0)>()[%arg0]
// CHECK-NEXT: return %0 : index
func.func @f17(%a: index, %b: index) -> (index) {
  %c = arith.constant 3 : index
  %0 = affine.min affine_map<(d0, d1) -> (d0, d1)>(%c, %a)
  return %0 : index
}

// CHECK-LABEL: func.func @f19(%arg0: memref<10xf32>)
// CHECK-NEXT: affine.for %arg1 = 0 to 10 {
// CHECK-NEXT: %0 = affine.load %arg0[%arg1] : memref<10xf32>
// CHECK-NEXT: affine.store %0, %arg0[%arg1] : memref<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f19(%m: memref<10xf32>) -> () {
  affine.for %i = 0 to 10 {
    %v = affine.load %m[%i] : memref<10xf32>
    affine.store %v, %m[%i] : memref<10xf32>
  }
  return
}

// CHECK-LABEL: func.func @f22(%arg0: memref<10xf32>)
// CHECK-NEXT: affine.for %arg1 = 0 to 5 {
// CHECK-NEXT: "test.f"(%arg1) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f22(%m: memref<10xf32>) -> () {
  %c5 = arith.constant 5 : index
  %c0 = arith.constant 0 : index
  affine.for %i = %c0 to %c5 {
    "test.f"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f23(%arg0: memref<10xf32>, %arg1: index)
// CHECK-NEXT: affine.for %arg2 = 0 to affine_map<()[s0] -> (s0 + 1)>()[%arg1] {
// CHECK-NEXT: "test.f"(%arg2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f23(%m: memref<10xf32>, %n: index) -> () {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
  affine.for %i = 0 to %0 {
    "test.f"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f25(%arg0: memref<10xf32>, %arg1: index)
// CHECK-NEXT: affine.for %arg2 = %arg1 to 10 {
// CHECK-NEXT: "test.f"(%arg2) : (index) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f25(%m: memref<10xf32>, %n: index) -> () {
  affine.for %i = max affine_map<(d0) -> (d0, d0)>(%n) to 10 {
    "test.f"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @f26(%arg0: memref<10xf32>)
// CHECK-NEXT: affine.for %arg1 = 0 to 10 {
// CHECK-NEXT: %0 = affine.load %arg0[%arg1 + 1] : memref<10xf32>
// CHECK-NEXT: affine.store %0, %arg0[%arg1 + 3] : memref<10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f26(%m: memref<10xf32>) -> () {
  affine.for %i = 0 to 10 {
    %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %v = affine.load %m[%0] : memref<10xf32>
    affine.store %v, %m[%0 + 2] : memref<10xf32>
  }
  return
}

// CHECK-LABEL: func.func @f29(%arg0: memref<10xf32>) -> (memref<?xf32>, f32)
// CHECK-NEXT: %cast = memref.cast %arg0 : memref<10xf32> to memref<?xf32>
// CHECK-NEXT: %0 = affine.load %arg0[0] : memref<10xf32>
// CHECK-NEXT: return %cast, %0 : memref<?xf32>, f32
func.func @f29(%m: memref<10xf32>) -> (memref<?xf32>, f32) {
  %d = memref.cast %m : memref<10xf32> to memref<?xf32>
  %v = affine.load %d[0] : memref<?xf32>
  return %d, %v : memref<?xf32>, f32
}

// CHECK-LABEL: func.func @f30(%arg0: memref<10xf32>, %arg1: f32) -> f32
// CHECK-NEXT: return %arg1 : f32
func.func @f30(%m: memref<10xf32>, %x: f32) -> (f32) {
  %r = affine.for %i = 0 to 10 iter_args(%a = %x) -> f32 {
    affine.yield %a : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @f31(%arg0: memref<10xf32>, %arg1: f32, %arg2: f32) -> f32
// CHECK-NEXT: return %arg2 : f32
func.func @f31(%m: memref<10xf32>, %x: f32, %y: f32) -> (f32) {
  %r = affine.for %i = 0 to 10 iter_args(%a = %x) -> f32 {
    affine.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @f35(%arg0: memref<10xf32>, %arg1: index)
// CHECK-NEXT: affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%arg1] {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f35(%m: memref<10xf32>, %n: index) -> () {
  affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%n) {
    "test.f"() : () -> ()
  } else {
  }
  return
}

// CHECK-LABEL: func.func @f37(%arg0: memref<10xf32>, %arg1: index)
// CHECK-NEXT: "test.g"() : () -> ()
// CHECK-NEXT: return
func.func @f37(%m: memref<10xf32>, %n: index) -> () {
  affine.if affine_set<() : (1 == 0)>() {
    "test.f"() : () -> ()
  } else {
    "test.g"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @f38(%arg0: memref<10xf32>, %arg1: index)
// CHECK-NEXT: affine.if affine_set<()[s0] : (s0 >= 0)>()[%arg1] {
// CHECK-NEXT: "test.f"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f38(%m: memref<10xf32>, %n: index) -> () {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
  affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%0) {
    "test.f"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @f43(%arg0: memref<10x10xf32>)
// CHECK-NEXT: affine.for %arg1 = 0 to 10 {
// CHECK-NEXT: affine.for %arg2 = 0 to 10 {
// CHECK-NEXT: %0 = affine.load %arg0[(%arg2 + %arg1) floordiv 2, %arg2] : memref<10x10xf32>
// CHECK-NEXT: affine.store %0, %arg0[%arg1, ((%arg1 + %arg2) floordiv 2) mod 3] : memref<10x10xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f43(%m: memref<10x10xf32>) -> () {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      %1 = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%0)
      %v = affine.load %m[%1, %j] : memref<10x10xf32>
      affine.store %v, %m[%i, %1 mod 3] : memref<10x10xf32>
    }
  }
  return
}

// An access whose map changes is a new one, without what others wrote on it.
// CHECK-LABEL: func.func @others_attributes
// CHECK-NEXT: affine.vector_store %arg1, %arg0[symbol(%arg2)] : memref<100xf32>
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.vector_store %arg1, %arg0[%arg3] {foo = 1 : i32} : memref<100xf32>
func.func @others_attributes(%m: memref<100xf32>, %v: vector<8xf32>, %i: index) {
  affine.vector_store %v, %m[%i] {foo = 1 : i32} : memref<100xf32>, vector<8xf32>
  affine.for %k = 0 to 10 {
    affine.vector_store %v, %m[%k] {foo = 1 : i32} : memref<100xf32>, vector<8xf32>
  }
  return
}
