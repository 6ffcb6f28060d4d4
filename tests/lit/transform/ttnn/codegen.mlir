// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-tuplify-tensors --ttnn-create-input-gens | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttnn-tuplify-tensors "--ttnn-load-input-tensors=tensor-load-directory=data tensor-load-file-prefix=in" | FileCheck %s --check-prefix=LOAD
// RUN: not ttmlir-opt %s --ttnn-create-input-gens 2>&1 | FileCheck %s --check-prefix=BARE

#dram = #ttnn.buffer_type<dram>
#host = #ttnn.buffer_type<system_memory>
#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#h = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #host>>

// BARE: takes no single tuple; run --ttnn-tuplify-tensors first

// One tuple in, one out; the name main is for what calls everything.
// CHECK-LABEL: func.func @_main(%arg0: tuple<tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>>) -> tuple<tensor<32x32xf32, #ttnn_layout>>
// CHECK: %[[A:.*]] = ttcore.get_tuple_element %arg0[0]
// CHECK: %[[Y:.*]] = "ttnn.abs"(%[[A]])
// CHECK: %[[R:.*]] = ttcore.tuple %[[Y]]
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @create_inputs_for__main() -> tuple<
// CHECK-SAME: tt.function_type = "input_generator"
// CHECK: %[[D:.*]] = "ttnn.get_device"
// CHECK: "ttnn.ones"(%[[D]]) <{shape = #ttnn.shape<32x32>}>
// CHECK: "ttnn.ones"() <{shape = #ttnn.shape<32x32>}>
// CHECK-LABEL: func.func @main() -> i32
// CHECK: %[[I:.*]] = call @create_inputs_for__main()
// CHECK: call @_main(%[[I]])
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: return %[[Z]]
// LOAD-LABEL: func.func @load_inputs_for__main()
// LOAD: "ttnn.load_tensor"(%{{.*}}) <{file_path = "data/in0.tensorbin"}>
// LOAD: "ttnn.load_tensor"() <{file_path = "data/in1.tensorbin"}>
func.func @main(%x: tensor<32x32xf32, #t>, %y: tensor<32x32xf32, #h>) -> tensor<32x32xf32, #t> attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.abs"(%x) : (tensor<32x32xf32, #t>) -> tensor<32x32xf32, #t>
  return %0 : tensor<32x32xf32, #t>
}
