// Errors of accessors with a layout of their tensors.
// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --ttkernel-lower-tensor-accessors

func.func @shards(%a: i64) {
  // expected-error @+1 {{has 2 shards of 2 tiles in dimension 0, the tensor has 2 tiles}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @rank(%a: i64) {
  // expected-error @+1 {{has a grid of 1 and shards of 1 dimensions for a tensor of 2}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<sharded, grid=[4]>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @no_grid(%a: i64) {
  // expected-error @+1 {{has a sharded layout without a grid of shards}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<sharded>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @negative(%a: i64) {
  // expected-error @+1 {{shards and their tiles are positive numbers}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<sharded, grid=[-2,2], tiles_per_shard=[-1,1]>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @grid_of_pages(%a: i64) {
  // expected-error @+1 {{only sharded layouts have a grid of shards}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<interleaved, grid=[2,2]>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @no_layout(%a: i64) {
  // expected-error @+1 {{needs a layout: {layout = #ttkernel.layout<...>}, or as the second parameter of its type}}
  %t = ttkernel.tensor_accessor %a : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @two_layouts(%a: i64) {
  // expected-error @+1 {{has layout #ttkernel.layout<interleaved>, its type #ttkernel.layout<tiled>}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>, #ttkernel.layout<tiled>>
  return
}

// -----

func.func @other_layout(%a: i64) {
  // expected-error @+1 {{layout must be a #ttkernel.layout, not #ttl.layout<interleaved>}}
  %t = ttkernel.tensor_accessor %a {layout = #ttl.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

// expected-error @+1 {{an accessor is of a static tensor of tiles, or of numbers that tiles hold, not of 'tensor<?x64xf32>'}}
func.func @dynamic(%a: !ttkernel.tensor_accessor<tensor<?x64xf32>>) {
  return
}

// -----

func.func @interleaved(%a: i64, %i: i32, %l: i32) {
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  // expected-error @+1 {{moves shards, and the tensor's layout is #ttkernel.layout<interleaved>: move its pages or tiles}}
  ttkernel.noc_async_write_shard %i, %t, %l
  return
}

// -----

func.func @many(%a: i64, %b: i64) attributes {ttkernel.compile_time_args = [#ttkernel.tensor_accessor_args<layout=interleaved>]} { // expected-error {{has 2 tensor accessors, ttkernel.compile_time_args describes 1}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %u = ttkernel.tensor_accessor %b {layout = #ttkernel.layout<interleaved>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @other_shards(%a: i64) attributes {ttkernel.compile_time_args = [#ttkernel.tensor_accessor_args<layout=sharded, grid=[2,2], shard_shape=[2,1]>]} {
  // expected-error @+1 {{entry 0 of ttkernel.compile_time_args is #ttkernel.tensor_accessor_args<layout = sharded, grid = [2, 2], shard_shape = [2, 1]>}}
  %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  return
}

// -----

func.func @behind(%a: i64) attributes {ttkernel.compile_time_args = [#ttkernel.tensor_accessor_args<layout=interleaved>, 0 : i32]} { // expected-error {{entry 1, 0 : i32, comes behind a tensor's arguments, which are of many words: put it in front of them}}
  return
}

// -----

func.func @word(%a: i64) attributes {ttkernel.compile_time_args = ["a"]} { // expected-error {{entry 0, "a", is no number, #ttkernel.arg or #ttkernel.tensor_accessor_args}}
  return
}

// -----

func.func @overlap(%a: i64) attributes {ttkernel.compile_time_args = [#ttkernel.tensor_accessor_args<layout=interleaved>]} {
  // expected-error @+1 {{reads compile-time argument 0; in front of the tensors' arguments ttkernel.compile_time_args has 0}}
  %cb = ttkernel.get_compile_time_arg_val(0) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
  return
}

// -----

func.func @argument(%cb: !ttkernel.cb<2, !ttcore.tile<32x32, f32>>) attributes {ttkernel.compile_time_args = []} { // expected-error {{argument 0 is of type '!ttkernel.cb<2, !ttcore.tile<32x32, f32>>': runtime arguments are i32, i64 or index}}
  return
}

// -----

func.func @literals(%cb: !ttkernel.cb<2, !ttcore.tile<32x32, f32>>) {
  // expected-error @+1 {{operand 0 is no number: expected a value}}
  ttkernel.cb_reserve_back 1, 1
  return
}

// -----

func.func @results() {
  // expected-error @+1 {{'ttkernel.get_arg_val' has a result of several types: write the types behind ':'}}
  %v = ttkernel.get_arg_val 0
  return
}
