// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s

func.func @f(%a: memref<4xf32>, %b: memref<2xi8>) {
  // CHECK: %{{.*}}:2 = memref.distinct_objects %{{.*}}, %{{.*}} : memref<4xf32>, memref<2xi8>
  %0:2 = memref.distinct_objects %a, %b : memref<4xf32>, memref<2xi8>
  return
}
