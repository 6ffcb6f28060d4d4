// RUN: sdy_opt %s --split-input-file --sdy-convert-global-to-local | FileCheck %s
// RUN: sdy_opt %s --split-input-file --sdy-convert-global-to-local="per-dim-all-gather=true combine-multi-dimension-reduce-scatter=true enable-rgv3=true replica-count=8" | FileCheck %s --check-prefix=OTHER

sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @scale
// CHECK-SAME: (%arg0: tensor<3x2xf32> {{.*}}, %arg1: tensor<3x2xf32> {{.*}}) -> (tensor<3x2xf32>
func.func @scale(%x: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                 %y: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>})
    -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  // CHECK: %[[S:.*]] = stablehlo.multiply %arg0, %arg1 {{.*}} : tensor<3x2xf32>
  // CHECK: return %[[S]] : tensor<3x2xf32>
  %0 = stablehlo.multiply %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>
// Two dimensions at once: parts come first, and are transposed to their positions.
// CHECK-LABEL: func.func @both
// CHECK: stablehlo.reshape %arg0 : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
// CHECK: "stablehlo.all_gather"
// CHECK-SAME{LITERAL}: dense<[[0, 1, 2, 3, 4, 5, 6, 7]]>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<8x3x2xf32>) -> tensor<2x4x3x2xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1, 3]
// CHECK: -> tensor<6x8xf32>
// OTHER-LABEL: func.func @both
// OTHER: all_gather_dim = 1
// OTHER-SAME: #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "b">]>
// OTHER: all_gather_dim = 0
func.func @both(%x: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<6x8xf32> {
  %0 = sdy.all_gather [{"a"}, {"b"}] %x out_sharding=<@mesh, [{}, {}]> : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>
// Half of an axis: the devices of every other column.
// CHECK-LABEL: func.func @halves
// CHECK: "stablehlo.all_reduce"
// CHECK-SAME{LITERAL}: dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>
// CHECK: stablehlo.maximum
func.func @halves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"b":(2)2} %x out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>
// A device counts from where its part begins.
// CHECK-LABEL: func.func @count
// CHECK: stablehlo.iota dim = 0 : tensor<2xi32>
// CHECK: stablehlo.partition_id
// CHECK: stablehlo.constant dense<[0, 2, 4, 6, 0, 2, 4, 6]> : tensor<8xi64>
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.add
// OTHER-LABEL: func.func @count
// OTHER: stablehlo.replica_id
func.func @count() -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @scattered
// CHECK: stablehlo.all_reduce
// CHECK: stablehlo.dynamic_slice %{{.*}} sizes = [4, 2] : (tensor<8x8xf32>
// OTHER-LABEL: func.func @scattered
// OTHER: stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<2x4x4x2xf32>
// OTHER: stablehlo.transpose %{{.*}}, dims = [0, 2, 1, 3]
// OTHER: "stablehlo.reduce_scatter"
// OTHER: : (tensor<8x4x2xf32>) -> tensor<1x4x2xf32>
func.func @scattered(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = sdy.reduce_scatter [{"a"}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>
// Row-major to column-major devices.
// CHECK-LABEL: func.func @permuted
// CHECK: "stablehlo.collective_permute"
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 0], [1, 2], [2, 1], [3, 3]]>
func.func @permuted(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"b", "a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
