// RUN: stablehlo-opt --stablehlo-convert-to-signless %s | FileCheck %s

// CHECK-LABEL: func.func @signs(%arg0: tensor<2xi8>, %arg1: memref<3xi16>, %arg2: tuple<tensor<i1>>) -> (tensor<2xi8>, tuple<tensor<i1>>)
func.func @signs(%a: tensor<2xui8>, %b: memref<3xsi16>, %t: tuple<tensor<i1>>) -> (tensor<2xui8>, tuple<tensor<i1>>) {
  // CHECK: stablehlo.constant dense<[-1, 3]> : tensor<2xi8>
  %c = stablehlo.constant dense<[255, 3]> : tensor<2xui8>
  // CHECK: stablehlo.add %arg0, %{{.*}} : tensor<2xi8>
  %s = stablehlo.add %a, %c : tensor<2xui8>
  // CHECK: "stablehlo.map"
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i8>):
  %m = "stablehlo.map"(%s) ({
  ^bb0(%x: tensor<ui8>):
    stablehlo.return %x : tensor<ui8>
  }) {dimensions = array<i64: 0>} : (tensor<2xui8>) -> tensor<2xui8>
  return %m, %t : tensor<2xui8>, tuple<tensor<i1>>
}
