// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Shapes, axes and optional parts that single operations demand.

func.func @normalized(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'ttir.layer_norm' op normalized_shape cannot be empty}}
  %0 = "ttir.layer_norm"(%x) <{normalized_shape = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'ttir.rms_norm' op normalized_shape cannot be empty}}
  %1 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'ttir.rms_norm' op normalized_shape dimensions must match trailing dimensions of input tensor}}
  %2 = "ttir.rms_norm"(%x) <{normalized_shape = array<i64: 2>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @axes(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'ttir.transpose' op Dimension 1 attribute must be within the bounds of the input tensor}}
  %0 = "ttir.transpose"(%x) <{dim0 = 0 : si32, dim1 = 2 : si32}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // expected-error @+1 {{'ttir.reshape' op Shape attribute must have at most one -1 element}}
  %1 = "ttir.reshape"(%x) <{shape = [-1 : i32, -1 : i32]}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // expected-error @+1 {{'ttir.mesh_shard' op Invalid shard_type (maximal) for mesh_shard op.}}
  %2 = "ttir.mesh_shard"(%x) <{shard_direction = #ttcore.shard_direction<full_to_shard>, shard_type = #ttcore.shard_type<maximal>, shard_shape = array<i64: 1, 2>, shard_dims = array<i64: -1, 1>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @products(%a: tensor<5xf32>, %b: tensor<2x3x5xf32>, %c: tensor<3x5x7xf32>) {
  %0 = "ttir.matmul"(%a, %a) : (tensor<5xf32>, tensor<5xf32>) -> tensor<1xf32>
  // expected-error @+1 {{'ttir.matmul' op Scalar output is not supported, output must be at least a 1D tensor}}
  %1 = "ttir.matmul"(%a, %a) : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  // expected-error @+1 {{'ttir.matmul' op Scalar output must be a 1D tensor of size 1}}
  %2 = "ttir.matmul"(%a, %a) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  // expected-error @+1 {{'ttir.linear' op Batch dimensions of input A(2) and B(3) are not broadcast compatible}}
  %3 = "ttir.linear"(%b, %c) : (tensor<2x3x5xf32>, tensor<3x5x7xf32>) -> tensor<2x3x7xf32>
  return
}

// -----

func.func @bits(%x: tensor<2xcomplex<f32>>, %y: tensor<2xf32>) {
  // expected-error @+1 {{'ttir.bitcast_convert' op Input tensor type must be an integer or floating point type}}
  %0 = "ttir.bitcast_convert"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // expected-error @+1 {{'ttir.bitcast_convert' op Output tensor type must be an integer or floating point type}}
  %1 = "ttir.bitcast_convert"(%y) : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @masks(%q: tensor<1x2x32x32xf32>, %m: tensor<1x1x32x32xf32>) {
  // expected-error @+1 {{'ttir.sdpa_fw' op attention_mask is required when mask_type is 'arbitrary'}}
  %0 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<arbitrary>, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  // expected-error @+1 {{'ttir.sdpa_fw' op attention_mask is only allowed when mask_type is 'arbitrary'}}
  %1 = "ttir.sdpa_fw"(%q, %q, %q, %m) <{mask_type = #ttcore.attention_mask_type<causal>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x2x32x32xf32>
  return
}

// -----

func.func @paged(%c: tensor<8x2x32x16xf32>, %x: tensor<2x2x64x16xf32>, %p: tensor<2x4xi32>) {
  // expected-error @+1 {{'ttir.paged_fill_cache' op Input batch must be statically 1 when no batch_idx_tensor is provided, got 2}}
  "ttir.paged_fill_cache"(%c, %x, %p) : (tensor<8x2x32x16xf32>, tensor<2x2x64x16xf32>, tensor<2x4xi32>) -> ()
  return
}

// -----

func.func @steps(%p: tensor<4xf32>, %q: tensor<5xf32>) {
  // expected-error @+1 {{'ttir.adamw' op max_exp_avg_sq must have the same shape as param}}
  %0:4 = "ttir.adamw"(%p, %p, %p, %p, %q) <{lr = 1.0 : f32, beta1 = 0.9 : f32, beta2 = 0.9 : f32, beta1_pow = 0.9 : f32, beta2_pow = 0.9 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.0 : f32, stochastic_rounding = false}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>)
  // expected-error @+1 {{'ttir.adamw' op max_exp_avg_sq and max_exp_avg_sq_out must both be present or both be absent}}
  %1:3 = "ttir.adamw"(%p, %p, %p, %p, %p) <{lr = 1.0 : f32, beta1 = 0.9 : f32, beta2 = 0.9 : f32, beta1_pow = 0.9 : f32, beta2_pow = 0.9 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.0 : f32, stochastic_rounding = false}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
