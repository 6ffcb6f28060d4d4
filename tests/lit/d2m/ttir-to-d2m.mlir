// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m --split-input-file | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --ttir-to-d2m="default-input-memspace=dram enable-multicast-inference=false" --split-input-file | FileCheck %s --check-prefix=DRAM

// What is padded to tiles of 32x32 on one core: 70 rows are three tiles.
// CHECK: #[[L:.*]] = #ttcore.metal_layout<logical_shape = 70x64, dim_alignments = 32x32, collapsed_intervals = dense<{{\[}}[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
// CHECK-LABEL: func.func @sum_of_two
// CHECK: %[[IN:.*]] = d2m.to_layout %arg0, %{{.*}} : tensor<70x64xf32> into tensor<1x1x3x2x!ttcore.tile<32x32, f32>, #[[L]]>
// CHECK: d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>
// CHECK: d2m.remote_load %{{.*}} %[[IN]][%{{.*}}, %{{.*}}] : tensor<3x2x!ttcore.tile<32x32, f32>>
// CHECK: linalg.generic
// CHECK: "d2m.tile_add"
// CHECK: d2m.remote_store
// CHECK-NOT: ttir.
// DRAM: tensor<2x2xi64>, dram, sharded>
func.func @sum_of_two(%a: tensor<70x64xf32>, %b: tensor<70x64xf32>) -> tensor<70x64xf32> {
  %0 = "ttir.add"(%a, %b) : (tensor<70x64xf32>, tensor<70x64xf32>) -> tensor<70x64xf32>
  return %0 : tensor<70x64xf32>
}

// -----

// Integers are compared by their difference, floats at once.
// CHECK-LABEL: func.func @compared
// CHECK: "d2m.tile_sub"
// CHECK-NEXT: "d2m.tile_ltz"
// CHECK: "d2m.tile_lt"
func.func @compared(%a: tensor<32x32xi32>, %b: tensor<32x32xi32>, %c: tensor<32x32xf32>) -> (tensor<32x32xi32>, tensor<32x32xf32>) {
  %0 = "ttir.lt"(%a, %b) : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi32>
  %1 = "ttir.lt"(%c, %c) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xi32>, tensor<32x32xf32>
}

// -----

// A column is broadcast inside its tiles, which are read again for each column of tiles.
// CHECK: #[[SPREAD:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @column
// CHECK: indexing_maps = [#{{.*}}, #[[SPREAD]], #{{.*}}]
// CHECK: "d2m.tile_bcast"(%{{.*}}) <{bcast_type = #d2m<tile_bcast_type col>}>
// CHECK-NEXT: "d2m.tile_mul"
func.func @column(%a: tensor<64x96xbf16>, %b: tensor<64x1xbf16>) -> tensor<64x96xbf16> {
  %0 = "ttir.multiply"(%a, %b) : (tensor<64x96xbf16>, tensor<64x1xbf16>) -> tensor<64x96xbf16>
  return %0 : tensor<64x96xbf16>
}

// -----

// The inner dimension is reduced; cores of a row share the left operand, of a column the right.
// CHECK-LABEL: func.func @product
// CHECK: iterator_types = [#parallel, #parallel, #reduction]
// CHECK: d2m.remote_load {{.*}} mcast[%c0]
// CHECK: d2m.remote_load {{.*}} mcast[%c1]
// CHECK: "d2m.tile_matmul"
// DRAM-LABEL: func.func @product
// DRAM-NOT: mcast
// DRAM: "d2m.tile_matmul"
func.func @product(%a: tensor<64x96xf32>, %b: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// Padding must not win: it is minus infinity for a maximum.  The least element is the
// negated largest of negated ones.
// CHECK-LABEL: func.func @least
// CHECK: "d2m.tile_negative"
// CHECK: d2m.mask {{.*}} logical_shape = [50, 40] fill_value = <neginf>
// CHECK: "d2m.tile_reduce_max"{{.*}}reduce_dim = #d2m<reduce_dim R>
// CHECK: "d2m.tile_negative"
func.func @least(%a: tensor<50x40xf32>) -> tensor<50x1xf32> {
  %0 = "ttir.min"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<50x40xf32>) -> tensor<50x1xf32>
  return %0 : tensor<50x1xf32>
}

// -----

// Outer dimensions are accumulated tile by tile, from zeros in the first step.
// CHECK-LABEL: func.func @outer_sum
// CHECK: d2m.tile_fill
// CHECK: iterator_types = [#reduction, #parallel, #parallel]
// CHECK: linalg.index 0
// CHECK: arith.select
// CHECK: "d2m.tile_add"
func.func @outer_sum(%a: tensor<4x32x64xf32>) -> tensor<1x32x64xf32> {
  %0 = "ttir.sum"(%a) <{dim_arg = [0 : i32], keep_dim = true}> : (tensor<4x32x64xf32>) -> tensor<1x32x64xf32>
  return %0 : tensor<1x32x64xf32>
}

// -----

// Views move nothing: tiles where the last two sizes stay, else elements.
// CHECK-LABEL: func.func @moved
// CHECK: d2m.view_layout {{.*}} : tensor<1x1x1x2x2x1x!ttcore.tile<32x32, f32>
// CHECK: d2m.view_layout {{.*}} : tensor<1x1x{{.*}}xf32, #{{.*}}> -> tensor<1x1x{{.*}}xf32
func.func @moved(%a: tensor<2x64x32xf32>) -> (tensor<1x2x64x32xf32>, tensor<64x64xf32>) {
  %0 = "ttir.reshape"(%a) <{shape = [1 : i32, 2 : i32, 64 : i32, 32 : i32]}> : (tensor<2x64x32xf32>) -> tensor<1x2x64x32xf32>
  %1 = "ttir.reshape"(%a) <{shape = [64 : i32, 64 : i32]}> : (tensor<2x64x32xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<1x2x64x32xf32>, tensor<64x64xf32>
}

// -----

// A view of a result has all its dimensions, which the result's own layout joined.
// CHECK-LABEL: func.func @slice_of_product
// CHECK: d2m.view_layout %{{.*}} : tensor<1x1x1x4x1x3x!ttcore.tile<32x32, f32>, #{{.*}}> -> tensor<1x1x1x2x1x3x!ttcore.tile<32x32, f32>
func.func @slice_of_product(%a: tensor<4x32x96xf32>) -> tensor<2x32x96xf32> {
  %0 = "ttir.multiply"(%a, %a) : (tensor<4x32x96xf32>, tensor<4x32x96xf32>) -> tensor<4x32x96xf32>
  %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 32 : i32, 96 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<4x32x96xf32>) -> tensor<2x32x96xf32>
  return %1 : tensor<2x32x96xf32>
}

// -----

// The last 8 of 72 columns share exponents with padding.
// CHECK-LABEL: func.func @block_floats
// CHECK: d2m.mask {{.*}} logical_shape = [40, 72] fill_value = <zero>
// CHECK: "d2m.tile_typecast"
// CHECK-NOT: d2m.mask
// CHECK: return
func.func @block_floats(%a: tensor<40x72xf32>, %b: tensor<40x80xf32>) -> (tensor<40x72x!ttcore.tile<32x32, bfp_bf8>>, tensor<40x80x!ttcore.tile<32x32, bfp_bf8>>) {
  %0 = "ttir.typecast"(%a) : (tensor<40x72xf32>) -> tensor<40x72x!ttcore.tile<32x32, bfp_bf8>>
  %1 = "ttir.typecast"(%b) : (tensor<40x80xf32>) -> tensor<40x80x!ttcore.tile<32x32, bfp_bf8>>
  return %0, %1 : tensor<40x72x!ttcore.tile<32x32, bfp_bf8>>, tensor<40x80x!ttcore.tile<32x32, bfp_bf8>>
}

// -----

// What is of no operation of ttir stays as it is.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: %[[C:.*]] = arith.constant
// CHECK-NEXT: return %arg0, %[[C]]
func.func @others(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, i32) {
  %0 = arith.constant 3 : i32
  return %a, %0 : tensor<32x32xf32>, i32
}
