// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s -mlir-print-op-generic | ttmlir-opt | FileCheck %s

func.func @scf(%a: index, %b: index, %c : index, %f: f32, %t: tensor<8xf32>) {
  scf.parallel (%i, %j) = (%a, %a) to (%b, %b) step (%c, %c) { }
  %r = scf.parallel (%i) = (%a) to (%b) step (%c) init (%f) -> f32 { scf.reduce(%f : f32) { ^bb0(%x: f32, %y: f32): 
   scf.reduce.return %x : f32 } }
  scf.forall (%i, %j) in (4, %b) { }
  scf.forall (%i) = (%a) to (8) step (2) { }
  %q = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<8xf32>) { %e = tensor.extract_slice %o[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
     scf.forall.in_parallel { tensor.parallel_insert_slice %e into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32> } }
  return
}

// CHECK: func.func @scf(%arg0: index, %arg1: index, %arg2: index, %arg3: f32, %arg4: tensor<8xf32>) {
// CHECK-NEXT: scf.parallel (%arg5, %arg6) = (%arg0, %arg0) to (%arg1, %arg1) step (%arg2, %arg2) {
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: %0 = scf.parallel (%arg5) = (%arg0) to (%arg1) step (%arg2) init (%arg3) -> f32 {
// CHECK-NEXT: scf.reduce(%arg3 : f32) {
// CHECK-NEXT: ^bb0(%arg6: f32, %arg7: f32):
// CHECK-NEXT: scf.reduce.return %arg6 : f32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: scf.forall (%arg5, %arg6) in (4, %arg1) {
// CHECK-NEXT: }
// CHECK-NEXT: scf.forall (%arg5) = (%arg0) to (8) step (2) {
// CHECK-NEXT: }
// CHECK-NEXT: %1 = scf.forall (%arg5) in (4) shared_outs(%arg6 = %arg4) -> (tensor<8xf32>) {
// CHECK-NEXT: %extracted_slice = tensor.extract_slice %arg6[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %extracted_slice into %arg6[%arg5] [2] [1] : tensor<2xf32> into tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }

// A dictionary behind regions that are not there would be read as a region.
// CHECK-LABEL: func.func @named
// CHECK: scf.parallel
// CHECK-NEXT: "scf.reduce"() {tag} : () -> ()
func.func @named(%a: index) {
  scf.parallel (%i) = (%a) to (%a) step (%a) { "scf.reduce"() {tag} : () -> () }
  return
}
