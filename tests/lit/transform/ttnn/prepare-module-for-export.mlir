// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=enable-const-eval=false --ttcore-unwrap-device-module --ttnn-tuplify-tensors=tuplify-input-if-empty=true --ttnn-prepare-module-for-export | FileCheck %s
// RUN: not ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=enable-const-eval=false --ttcore-unwrap-device-module --ttnn-prepare-module-for-export 2>&1 | FileCheck %s --check-prefix=TUPLE
// TUPLE: error: 'func.func' op takes no single tuple; run --ttnn-tuplify-tensors=tuplify-input-if-empty=true first

// CHECK-DAG: #[[ROWS:.*]] = #ttnn.ttnn_layout<{{.*}}memref<32x32xf32, #system_memory>>
// CHECK-DAG: #[[TILES:.*]] = #ttnn.ttnn_layout<{{.*}}memref<1x1x!ttcore.tile<32x32, f32>, #system_memory>>
// CHECK: func.func @forward(%arg0: tuple<tensor<32x32xf32, #[[ROWS]]>> {emitpy.name = "input"}, %arg1: !ttnn.device {emitpy.name = "device"})
// CHECK: %[[X:.*]] = ttcore.get_tuple_element %arg0[0]
// CHECK-NEXT: %[[T:.*]] = "ttnn.to_layout"(%[[X]]){{.*}} -> tensor<32x32xf32, #[[TILES]]>
// CHECK-NEXT: %[[D:.*]] = "ttnn.to_device"(%[[T]], %arg1)
// CHECK: "ttnn.full"(%arg1)
// CHECK: "ttnn.add"(%[[D]]
// CHECK-NOT: get_device
func.func @sum(%x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = "ttir.full"() <{shape = array<i32: 32, 32>, fill_value = 2.0 : f32}> : () -> tensor<32x32xf32>
  %1 = "ttir.add"(%x, %x) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1, %0 : tensor<32x32xf32>, tensor<32x32xf32>
}
