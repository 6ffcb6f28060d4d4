// RUN: ttmlir-opt %s --convert-stablehlo-to-ttir --cse --split-input-file | FileCheck %s

// Bitwise operations on widened booleans act on the booleans; comparing with zero gives them back.
// CHECK-LABEL: @widened
// CHECK-NEXT: %[[V:.*]] = "ttir.logical_or"(%arg0, %arg1) : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
// CHECK-NEXT: return %[[V]]
func.func @widened(%a: tensor<8xi1>, %b: tensor<8xi1>) -> tensor<8xi1> {
  %z = stablehlo.constant dense<0> : tensor<8xui8>
  %0 = stablehlo.convert %a : (tensor<8xi1>) -> tensor<8xui8>
  %1 = stablehlo.convert %b : (tensor<8xi1>) -> tensor<8xui8>
  %2 = stablehlo.or %0, %1 : tensor<8xui8>
  %3 = stablehlo.compare NE, %2, %z : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  return %3 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @barrier
// CHECK-NEXT: %[[B:.*]]:2 = "ttcore.optimization_barrier"(%arg0, %arg1)
// CHECK-NEXT: "ttir.add"(%[[B]]#0, %[[B]]#1)
func.func @barrier(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<4xf32>
  %1 = stablehlo.add %0#0, %0#1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// One window is a slice, a constant start is moved in.
// CHECK-LABEL: @window
// CHECK: "ttir.slice_static"(%arg0) <{begins = [0 : i32, 4 : i32], ends = [2 : i32, 6 : i32], step = [1 : i32, 1 : i32]}>
// CHECK: "ttir.slice_dynamic"(%arg0
func.func @window(%x: tensor<3x6xf32>, %i: tensor<1xi32>) -> (tensor<2x2xf32>, tensor<3x2xf32>) {
  %c = stablehlo.constant dense<[-1, 9]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>, slice_sizes = array<i64: 2, 2>}> : (tensor<3x6xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, slice_sizes = array<i64: 3, 2>}> : (tensor<3x6xf32>, tensor<1xi32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @edges
// CHECK: %[[F:.*]] = "ttir.repeat"(%{{.*}}) <{repeat_dimensions = array<i64: 1, 2>}>
// CHECK: %[[L:.*]] = "ttir.repeat"(%{{.*}}) <{repeat_dimensions = array<i64: 1, 1>}>
// CHECK: "ttir.concat"(%[[F]], %arg0, %[[L]]) <{dim = 1 : si32}>
func.func @edges(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %c = stablehlo.constant dense<[[0], [0], [0], [1], [2], [2]]> : tensor<6x1xi32>
  %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xf32>, tensor<6x1xi32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// Sums over windows, divided by the window's size, are means; a matrix is one image.
// CHECK-LABEL: @means
// CHECK-NEXT: %[[I:.*]] = "ttir.reshape"(%arg0) <{shape = [1 : i32, 4 : i32, 6 : i32, 1 : i32]}>
// CHECK-NEXT: %[[P:.*]] = "ttir.avg_pool2d"(%[[I]])
// CHECK-NEXT: %[[R:.*]] = "ttir.reshape"(%[[P]])
// CHECK-NEXT: return %[[R]]
func.func @means(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<4.0> : tensor<2x3xf32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.divide %0, %c : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @kernel
// CHECK: %[[E:.*]] = ttir.empty() : tensor<4xf32>
// CHECK: ttir.tt_lang_op(%arg0, %[[E]]) {{.*}}kernel_id = "a::b"
func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @tt.tt_lang_op(%x) {mhlo.frontend_attributes = {kernel_id = "a::b", version_tag = "1", arg_roles = "in,out"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A row of updates whose index leaves either dimension gets the position behind the last row, which is dropped. Indices are
// 32 bits wide before they are multiplied.
// CHECK-LABEL: @scatter_bounds
// CHECK: %[[I:.*]] = "ttir.typecast"(%arg1) {{.*}} -> tensor<2x2xi32>
// CHECK: "ttir.ge"
// CHECK: "ttir.le"
// CHECK: "ttir.ge"
// CHECK: "ttir.le"
// CHECK: "ttir.logical_and"
// CHECK-NEXT: %[[IN:.*]] = "ttir.logical_and"
// CHECK-NEXT: %[[AT:.*]] = "ttir.add"
// CHECK-NEXT: %[[END:.*]] = "ttir.constant"() <{value = dense<12> : tensor<2x1xi32>}>
// CHECK-NEXT: %[[ROW:.*]] = "ttir.where"(%[[IN]], %[[AT]], %[[END]])
// CHECK: "ttir.scatter"(%{{.*}}, %[[ROW]], %{{.*}})
func.func @scatter_bounds(%x: tensor<3x4xf32>, %i: tensor<2x2xi8>, %u: tensor<2xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x2xi8>, tensor<2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// One window under a batch dimension is no slice: the result has that dimension.
// CHECK-LABEL: @batch_of_one
// CHECK-NOT: "ttir.slice_dynamic"
// CHECK: "ttir.embedding"
func.func @batch_of_one(%x: tensor<3xf32>, %i: tensor<1xi32>) -> tensor<1x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}> : (tensor<3xf32>, tensor<1xi32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// -----

// Rows of integers are gathered, since the chip's embedding rounds to bf16; rows of floats are an embedding.
// CHECK-LABEL: @rows
// CHECK: %[[AT:.*]] = "ttir.broadcast"({{.*}}) <{broadcast_dimensions = array<i64: 1, 4>}> : (tensor<3x1xi32>) -> tensor<3x4xi32>
// CHECK: "ttir.gather"(%arg0, %[[AT]]) <{dim = 0 : i32}> : (tensor<6x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
// CHECK: "ttir.embedding"
func.func @rows(%x: tensor<6x4xi32>, %f: tensor<6x4xf32>, %i: tensor<3x1xi32>) -> (tensor<3x4xi32>, tensor<3x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %1 = "stablehlo.gather"(%f, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xi32>, tensor<3x4xf32>
}

// -----

// One dimension behind those shared with the indices: a gather in it, with clamped indices. Windows of two rows are positions.
// CHECK-LABEL: @batched
// CHECK: %[[I:.*]] = "ttir.clamp_scalar"({{.*}}) <{max = 4 : i32, min = 0 : i32}> : (tensor<2x3x1xi32>)
// CHECK: %[[AT:.*]] = "ttir.broadcast"(%[[I]]) <{broadcast_dimensions = array<i64: 1, 1, 7>}>
// CHECK: "ttir.gather"(%arg0, %[[AT]]) <{dim = 1 : i32}> : (tensor<2x5x7xf32>, tensor<2x3x7xi32>) -> tensor<2x3x7xf32>
// CHECK-NOT: ttir.gather
func.func @batched(%x: tensor<2x5x7xf32>, %i: tensor<2x3x1xi32>) -> (tensor<2x3x7xf32>, tensor<2x3x2x7xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<2x5x7xf32>, tensor<2x3x1xi32>) -> tensor<2x3x7xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 7>}> : (tensor<2x5x7xf32>, tensor<2x3x1xi32>) -> tensor<2x3x2x7xf32>
  return %0, %1 : tensor<2x3x7xf32>, tensor<2x3x2x7xf32>
}
