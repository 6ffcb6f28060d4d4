// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline --ttnn-tuplify-tensors | FileCheck %s

// Programs in the module of the device get tuples, too.
// CHECK: ttcore.device_module
// CHECK: func.func @_main(%arg0: tuple<[[T:tensor<32x32xbf16, #ttnn_layout>]], [[T]]>) -> tuple<[[T]]>
// CHECK-NEXT: %[[X:.*]] = ttcore.get_tuple_element %arg0[0] : (tuple<[[T]], [[T]]>) -> [[T]]
// CHECK-NEXT: %[[Y:.*]] = ttcore.get_tuple_element %arg0[1] : (tuple<[[T]], [[T]]>) -> [[T]]
// CHECK-NEXT: %[[Z:.*]] = "ttnn.subtract"(%[[X]], %[[Y]])
// CHECK: %[[R:.*]] = ttcore.tuple %[[Z]] : tuple<[[T]]>
// CHECK-NEXT: return %[[R]] : tuple<[[T]]>
func.func @main(%x: tensor<32x32xbf16>, %y: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %0 = "ttir.subtract"(%x, %y) : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}
