// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Rules of multi-device operations.

func.func @all_to_all(%x: tensor<4x6xf32>) {
  %0 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op splitDim must be in the range [0, 1], got 2}}
  %1 = "ttir.all_to_all"(%x) <{split_dim = 2 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op splitCount must be a positive integer}}
  %2 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 0 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op splitDim size must be divisible by splitCount}}
  %3 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 3 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op concatDim must be in the range [0, 1], got -1}}
  %4 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = -1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op Output shape mismatch: expected = <2, 12> output = <4, 6>}}
  %5 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'ttir.all_to_all' op Input and output element types must match}}
  %6 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xi32>
  // expected-error @+1 {{'ttir.all_to_all' op replica_groups must not contain duplicate values}}
  %7 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op replica_groups values must be in the range [0, 1], got 2}}
  %8 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  // expected-error @+1 {{'ttir.all_to_all' op replicaGroup count must match splitCount}}
  %9 = "ttir.all_to_all"(%x) <{split_dim = 0 : si32, concat_dim = 1 : si32, split_count = 2 : si32, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'ttir.collective_broadcast' op input and output must have the same type}}
  %0 = "ttir.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xi32>
  // expected-error @+1 {{'ttir.collective_broadcast' op replica_groups must be a 2D array}}
  %1 = "ttir.collective_broadcast"(%x) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'ttir.collective_broadcast' op replica_groups values must be positive}}
  %2 = "ttir.collective_broadcast"(%x) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'ttir.collective_permute' op The rank of source target pairs must be 2, got rank = 1}}
  %3 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'ttir.collective_permute' op There are duplicate 'src' or 'dest' devices in source target pairs}}
  %4 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @norms(%x: tensor<1x1x32x64xf32>, %w: tensor<64xf32>, %v: tensor<32xf32>, %r: tensor<1x1x64x64xf32>) {
  %0 = "ttir.distributed_layer_norm"(%x, %w, %w) <{cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<1x1x32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x1x32x64xf32>
  // expected-error @+1 {{'ttir.distributed_layer_norm' op cluster_axis must be 0 or 1}}
  %1 = "ttir.distributed_layer_norm"(%x, %w) <{cluster_axis = 2 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<1x1x32x64xf32>, tensor<64xf32>) -> tensor<1x1x32x64xf32>
  // expected-error @+1 {{'ttir.distributed_layer_norm' op epsilon must be positive}}
  %2 = "ttir.distributed_layer_norm"(%x, %w) <{cluster_axis = 1 : ui32, epsilon = 0.0 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<1x1x32x64xf32>, tensor<64xf32>) -> tensor<1x1x32x64xf32>
  // expected-error @+1 {{'ttir.distributed_layer_norm' op weight tensor's last dimension must match input's last dimension}}
  %3 = "ttir.distributed_layer_norm"(%x, %v) <{cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<1x1x32x64xf32>, tensor<32xf32>) -> tensor<1x1x32x64xf32>
  // expected-error @+1 {{'ttir.distributed_layer_norm' op bias tensor's last dimension must match input's last dimension}}
  %4 = "ttir.distributed_layer_norm"(%x, %w, %v) <{cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<1x1x32x64xf32>, tensor<64xf32>, tensor<32xf32>) -> tensor<1x1x32x64xf32>
  // expected-error @+1 {{'ttir.distributed_layer_norm' op residual tensor shape must match input tensor shape}}
  %5 = "ttir.distributed_layer_norm"(%x, %w, %r) <{cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<1x1x32x64xf32>, tensor<64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x32x64xf32>
  return
}
