// RUN: sdy_opt %s -canonicalize | FileCheck %s
// RUN: sdy_opt %s -canonicalize="disable-patterns=sdy-collective,sdy-reshard" | FileCheck %s --check-prefix=KEEP

sdy.mesh @m = <["a"=2, "b"=4, "one"=1]>

// CHECK-LABEL: func.func @undone
// CHECK: return %arg0
// KEEP-LABEL: func.func @undone
// KEEP: sdy.all_slice
func.func @undone(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @scatter
// CHECK-NEXT: %0 = sdy.reduce_scatter [{"b":(2)2}, {"a"}] %arg0 out_sharding=<@m, [{"b"}, {"a"}]> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.all_slice [{}, {"one"}] %0 out_sharding=<@m, [{"b"}, {"a", "one"}]>
// CHECK-NEXT: return %1
func.func @scatter(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b":(1)2}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_reduce {"a", "b":(2)2} %x out_sharding=<@m, [{"b":(1)2}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"b":(2)2}, {"a", "one"}] %0 out_sharding=<@m, [{"b"}, {"a", "one"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Equal slices of one sum become one scatter.
// CHECK-LABEL: func.func @scatter_of_equals
// CHECK-NEXT: %0 = sdy.reduce_scatter [{"a"}, {}] %arg0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0, %0
func.func @scatter_of_equals(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{"a"}, {}] %0 out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @exchange
// CHECK-NEXT: %0 = sdy.all_to_all [{"b"}: 0->2, {"a"}: 1->3] %arg0 out_sharding=<@m, [{}, {}, {"b"}, {"a"}]>
// CHECK-NEXT: return %0
func.func @exchange(%x: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {"a"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 1->3] %x out_sharding=<@m, [{"b"}, {}, {}, {"a"}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"b"}: 0->2] %0 out_sharding=<@m, [{}, {}, {"b"}, {"a"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: func.func @reshards
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@m, [{"a"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT: %1 = stablehlo.reshape %0 {note} : (tensor<8x4xf32>) -> tensor<32xf32>
// CHECK-NEXT: return %0, %1
func.func @reshards(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<32xf32>) {
  %0 = sdy.reshard %x <@m, [{"b"}, {}]> : tensor<8x4xf32>
  %1 = sdy.reshard %0 <@m, [{"a"}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.reshape %x {note} : (tensor<8x4xf32>) -> tensor<32xf32>
  %3 = sdy.reshard %2 <@m, [{"a"}]> : tensor<32xf32>
  return %1, %3 : tensor<8x4xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func @inlined
// CHECK-NEXT: %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT: return %0
// KEEP-LABEL: func.func @inlined
// KEEP-NEXT: %0 = stablehlo.negate
func.func @inlined(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%y, %x) in_shardings=[<@m, [{"one"}]>, <@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"one"} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %1 = stablehlo.negate %b : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
