// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

func.func @f(%d: !ttcore.dict) {
  // expected-error@+1 {{'ttcore.set_key_value' op requires at least one value}}
  "ttcore.set_key_value"(%d) <{key = "k"}> : (!ttcore.dict) -> ()
  return
}
// -----
func.func @f(%t: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{index 1 is out of bounds of operand with size 1}}
  %0 = "ttcore.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{decomposition function 'g' not found in parent module}}
  %0 = "ttcore.composite"(%x) <{composite_name = "c", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func private @g(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{decomposition function expects 2 arguments, but composite has 1 inputs}}
  %0 = "ttcore.composite"(%x) <{composite_name = "c", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func private @g(tensor<4xf32>) -> tensor<8xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{result type mismatch at index 0: composite produces 'tensor<4xf32>', decomposition returns 'tensor<8xf32>'}}
  %0 = "ttcore.composite"(%x) <{composite_name = "c", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'g' does not reference a function}}
  %0 = ttcore.load_cached(@g, [%x]) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
func.func private @g(tensor<8xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{Operand type mismatch at index 0}}
  %0 = ttcore.load_cached(@g, [%x]) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// expected-error@+1 {{Expected exactly one ModuleOp but found 0}}
ttcore.device_module {
}
// -----
// expected-error@+1 {{end coordinates}}
#end = #ttcore.core_range<(0, 0), (-1, 0)>
// -----
// expected-error@+1 {{must be less than or equal to end coordinates}}
#order = #ttcore.core_range<(1, 0), (0, 0)>
// -----
// expected-error@+1 {{collapsed_intervals end index 4 (normalized: 4) is out of bounds for logical_shape rank 2}}
#metal = #ttcore.metal_layout<logical_shape = 8x8, dim_alignments = 8x8, collapsed_intervals = dense<[[0, 1], [1, 4]]> : tensor<2x2xi64>, l1, sharded>
// -----
// expected-error@+1 {{expected chipIds size to match the volume of meshShape}}
ttcore.device @d = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, 0, d0), meshShape = 1x2, chipIds = [0]>
// -----
// expected-error@+1 {{expected l1Map to have MemoryMapResultIdx::NumIndices results}}
ttcore.device @d = <workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, 0, d0), meshShape = , chipIds = [0]>
