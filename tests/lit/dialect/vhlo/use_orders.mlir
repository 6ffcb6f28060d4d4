// An operation that an older release has in another form is written anew, behind the uses
// that were there; the artifact says that the order of %a's uses is not the program's.
// RUN: stablehlo-translate --serialize --target=1.17.0 --strip-debuginfo %s > %t
// RUN: od -An -v -tx1 %t | tr -d ' \n' | FileCheck %s
// RUN: stablehlo-translate --deserialize %t | FileCheck %s --check-prefix=BACK
// RUN: stablehlo-translate --serialize --target=1.18.0 --strip-debuginfo %s | od -An -v -tx1 | tr -d ' \n' | FileCheck %s --check-prefix=NEW

// CHECK: 20090301
// NEW-NOT: 20090301
// BACK: %0 = stablehlo.custom_call @f(%arg0)
// BACK: return %arg0
func.func @main(%a: tensor<i64>) -> tensor<i64> {
  %0 = stablehlo.custom_call @f(%a) : (tensor<i64>) -> tensor<f32>
  return %a : tensor<i64>
}
