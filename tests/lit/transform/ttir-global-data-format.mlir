// RUN: ttmlir-opt --ttir-global-data-format-conversion %s | FileCheck %s
// RUN: ttmlir-opt --ttir-global-data-format-conversion=target-format=bfp_bf8 %s | FileCheck %s --check-prefix=BLOCK

// Signatures, calls, integers and marked operations keep their types.
// CHECK-LABEL: func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>)
func.func @f(%a: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = "ttir.typecast"(%arg0) <{conservative_folding = false}> : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK: "ttir.constant"() <{value = dense<1.101560e+00> : tensor<4xbf16>}> : () -> tensor<4xbf16>
  // BLOCK: %[[C:.*]] = "ttir.constant"() <{value = dense<1.100000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
  // BLOCK: "ttir.typecast"(%[[C]]){{.*}} -> tensor<4x!ttcore.tile<32x32, bfp_bf8>>
  %c = "ttir.constant"() <{value = dense<1.1> : tensor<4xf32>}> : () -> tensor<4xf32>
  // CHECK: %[[S:.*]] = "ttir.add"(%[[A]], %{{.*}}) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %s = "ttir.add"(%a, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[L:.*]] = "ttir.lt"(%[[S]], %[[A]]) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
  %l = "ttir.lt"(%s, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: "ttir.add"(%arg1, %arg1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %j = "ttir.add"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: %[[J:.*]] = "ttir.typecast"(%{{.*}}) {{.*}}: (tensor<4xi32>) -> tensor<4xbf16>
  %k = "ttir.typecast"(%j) : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK: %[[K:.*]] = "ttir.typecast"(%[[J]]) {{.*}}: (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: "ttir.exp"(%[[K]]) {preserveDataFormat} : (tensor<4xf32>) -> tensor<4xf32>
  %e = "ttir.exp"(%k) {preserveDataFormat} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: call @callee(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @callee(%e) : (tensor<4xf32>) -> tensor<4xf32>
  return %s, %l, %r : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}
