// RUN: sdy_opt --split-input-file --verify-diagnostics %s

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @no_sharding(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'sdy.all_gather' op collective on operand without sharding}}
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @gather_part(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"b":(2)2}, {}] %x out_sharding=<@m, [{"b":(1)2}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @gather_front(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b", "a"}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{can't apply gathering axis "b" to operand sharding on dimension 0}}
  %0 = sdy.all_gather [{"b"}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @slice(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{result sharding doesn't match expected sharding ["a", "b"] on dimension 0}}
  %0 = sdy.all_slice [{"a", "b"}, {}] %x out_sharding=<@m, [{"b", "a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @to_itself(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{overlapping source/target dimensions in all-to-all params: 0}}
  %0 = sdy.all_to_all [{"b"}: 0->0] %x out_sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @other_size(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{sharded size of result doesn't match operand on dimension 0: 2 != 4}}
  %0 = sdy.collective_permute %x out_sharding=<@m, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @busy_axis(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{reduction axis "b":(2)2 overlaps with operand dimension sharding or replicated axes}}
  %0 = sdy.all_reduce {"b":(2)2} %x out_sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @waits(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"a", "b"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@m, [{}], unreduced={"b"}> : tensor<8xf32>
  // expected-error @+1 {{cannot reduce 'sum' unreduced axes. Expected 'max'.}}
  %1 = sdy.all_reduce max {"b"} %0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @to_unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}]>}) -> tensor<8xf32> {
  %0 = sdy.sharded_to_unreduced [{"b":(2)2}] %x out_sharding=<@m, [{"b":(1)2}], unreduced={"b":(2)2}> : tensor<8xf32>
  // expected-error @+1 {{r2u axis "b":(1)2 overlaps with operand dimension sharding}}
  %1 = sdy.replicated_to_unreduced {"b":(1)2} %0 out_sharding=<@m, [{"b":(1)2}], unreduced={"b":(2)2}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @edges(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a value ref to have an operand index in range [0, 1), got: 1}}
  %0 = stablehlo.negate %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-1 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @m = <["a"=2, "b"=4]>
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+4 {{expected string}}
  // expected-error @+3 {{failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`}}
  // expected-error @+2 {{failed to parse Sdy_TensorSharding parameter 'dim_shardings' which is to be a `::llvm::ArrayRef<DimensionShardingAttr>`}}
  // expected-error @+1 {{failed to parse Sdy_TensorShardingPerValue parameter 'shardings' which is to be a `::llvm::ArrayRef<TensorShardingAttr>`}}
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{a}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @above(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    // expected-error @+1 {{'stablehlo.negate' op using value defined outside the region}}
    %1 = stablehlo.negate %x : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
