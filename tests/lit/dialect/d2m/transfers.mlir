// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  // expected-error @+1 {{For DMARead, dst must be local}}
  %tx = d2m.dma_read %a[], %b, <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2xf32, #l1>) {
  // expected-error @+1 {{Operands to DMARead must have the same element type}}
  %tx = d2m.dma_read %a[], %b, <0> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2xf32, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Shard-level DMARead must have 0 dst indices}}
  %tx = d2m.dma_read %a[], %b[%i], <0> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 3 src indices for remote src operand}}
  %tx = d2m.dma_read %a[%i], %b[%i], <1> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 1 src index for local src operand}}
  %tx = d2m.dma_read %a[%i, %i], %b[%i], <1> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 1 dst index for local dst operand}}
  %tx = d2m.dma_read %a[%i, %i, %i], %b, <1> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{TensorAccessor page map requires shard-level DMA}}
  %tx = d2m.dma_read %a[%i, %i, %i], %b[%i], <1> {tensorAccessorPageMap = affine_map<(d0) -> (d0)>} : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{TensorAccessor page map must be single-result, no symbols, and one input per remote memref dim; expected 4 inputs, got affine_map<(d0) -> (d0)>}}
  %tx = d2m.dma_read %a[], %b, <0> {tensorAccessorPageMap = affine_map<(d0) -> (d0)>} : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{For DMAWrite, src must be local}}
  %tx = d2m.dma_write %a, %b, <0> : (memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2xf32, #l1>) {
  // expected-error @+1 {{Operands to DMAWrite must have the same element type}}
  %tx = d2m.dma_write %a, %b, <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2xf32, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{cannot mcast to remote dst}}
  %tx = d2m.dma_write %a, %b core[%i, %i] mcast[%i, %i], <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{mcast shape defined but mcast start index is not}}
  %tx = d2m.dma_write %a, %b core[%i, %i] mcast[], <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{mcast start index defined but mcast shape is not}}
  %tx = "d2m.dma_write"(%a, %b, %i) <{numElems = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 0, 0, 1, 0, 0>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>, index) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Shard-level DMAWrite must have 0 src indices}}
  %tx = d2m.dma_write %a[%i], %b, <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Shard-level mcast DMAWrite must have 0 dst indices}}
  %tx = d2m.dma_write %a, %b[%i] core[%i] mcast[%i], <0> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 3 dst indices for remote dst operand}}
  %tx = d2m.dma_write %a[%i], %b[%i], <1> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 1 dst index for local dst operand}}
  %tx = d2m.dma_write %a[%i], %b, <1> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{Must have 1 src index for local src operand}}
  %tx = d2m.dma_write %a, %b[%i], <1> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> !d2m.mem_tx<write>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{result type must match output operand type}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64: 2>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xbf16>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi16>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{indices must have 32-bit integer element type}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64: 2>} : tensor<2xi16>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf16>, %o: tensor<2x8xf16>) {
  // expected-error @+1 {{currently supports f32, bf16, or 32-bit integer weight and output only}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64: 2>} : tensor<2xi32>, tensor<4x8xf16>, tensor<2x8xf16> -> tensor<2x8xf16>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xbf16>) {
  // expected-error @+1 {{weight and output element types must match}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64: 2>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xbf16> -> tensor<2x8xbf16>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{num_indices must be positive}}
  %r = d2m.embedding %i, %w, %o <0, 8> {indicesShape = array<i64: 2>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{embedding_dim must be positive}}
  %r = d2m.embedding %i, %w, %o <2, 0> {indicesShape = array<i64: 2>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{indices_shape must not be empty}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: tensor<2xi32>, %w: tensor<4x8xf32>, %o: tensor<2x8xf32>) {
  // expected-error @+1 {{indices_shape must match num_indices}}
  %r = d2m.embedding %i, %w, %o <2, 8> {indicesShape = array<i64: 3>} : tensor<2xi32>, tensor<4x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%i: memref<4xi32, #l1>, %s: memref<4x8xf32, #l1>, %d: memref<4x8xi32, #l1>) {
  // expected-error @+1 {{source and destination element types must match}}
  d2m.indexed_row_copy %i, %s, %d scratch %i, %i <4, 8> {indicesShape = array<i64: 4>} : memref<4xi32, #l1>, memref<4x8xf32, #l1>, memref<4x8xi32, #l1>, memref<4xi32, #l1>, memref<4xi32, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{must be either in one of implicit form or explicit CB form (not both, not neither)}}
  "d2m.local_copy"(%a) <{indexing_maps = [], operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %cb: !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>) {
  // expected-error @+1 {{must be either in one of implicit form or explicit CB form (not both, not neither)}}
  "d2m.local_copy"(%a, %a, %cb) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>, !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{src must be a local memref}}
  d2m.local_copy %a, %b indexing_maps = [] : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  // expected-error @+1 {{dst must be a local memref}}
  d2m.local_copy %a, %b indexing_maps = [] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{requires exactly 2 indexing maps}}
  d2m.local_copy %a, %b indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{indexing map #1 has 1 dims but dst rank is 2}}
  d2m.local_copy %a, %b indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0) -> (d0)>] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2xf32, #l1>) {
  // expected-error @+1 {{source and destination element types must match}}
  d2m.local_copy %a, %b indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2xf32, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  // expected-error @+1 {{tensor form requires a result}}
  d2m.local_copy %a, %b indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] : tensor<2x2xf32>, tensor<2x2xf32>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f() {
  %cb = d2m.get_cb(0) : !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>
  // expected-error @+1 {{explicit CB form must not have a result}}
  %r = d2m.local_copy from %cb into %cb indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] : !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>, !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>> -> !d2m.mem_tx<read>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%a: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  // expected-error @+1 {{memref form result must be !d2m.mem_tx}}
  %r = d2m.local_copy %a, %b indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1> -> memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: tensor<2x2x!ttcore.tile<32x32, f32>>, %m: tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{implicit tensor form (with tensor localBuffer) must have a result.}}
  d2m.remote_load %b %m[%i, %i] : tensor<2x2x!ttcore.tile<32x32, f32>>, tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{implicit memref form (with memref localBuffer) must not have a result; the localBuffer is the destination (DPS form).}}
  %r = d2m.remote_load %b %m[%i, %i] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> -> memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{failed to get device layout from memref/tensor}}
  d2m.remote_load %b %m[%i] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{localBuffer rank must match shard shape rank, got 1 but expected 2}}
  d2m.remote_load %b %m[%i, %i] : memref<2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x3x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{localBuffer shape must match shard shape at dimension 1, got 3 but expected 2}}
  d2m.remote_load %b %m[%i, %i] : memref<2x3x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2xf32, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{localBuffer element type must match memref/tensor element type}}
  d2m.remote_load %b %m[%i, %i] : memref<2x2xf32, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%m: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  %cb = d2m.get_cb(0) : !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>
  // expected-error @+1 {{memref/tensor must have a device layout.}}
  d2m.remote_load %m[%i] into %cb : memref<2x2x!ttcore.tile<32x32, f32>, #l1> into !d2m.cb<memref<2x2x!ttcore.tile<32x32, f32>, #l1>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{number of indices must equal grid rank (N/2 where N is memref/tensor rank), got 1 indices but expected 2}}
  d2m.remote_load %b %m[%i] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096x1, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{memref/tensor rank must be even for device shape (grid + shard dimensions)}}
  d2m.remote_load %b %m[%i] : memref<2x!ttcore.tile<32x32, f32>, #l1>, memref<1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096x1, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %d: index) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{mcast dimension must be a constant index}}
  d2m.remote_load %b %m[%i, %i] mcast[%d] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{mcast start index requires mcast shape}}
  "d2m.remote_load"(%b, %m, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 0, 0>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, index, index, index) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{mcast shape requires mcast start index}}
  "d2m.remote_load"(%b, %m, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0, 1, 0>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, index, index, index) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{cannot use both low-level multicast (mcore/mshape) and high-level multicast (mcast dims); they are mutually exclusive}}
  "d2m.remote_load"(%b, %m, %i, %i, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 1, 1, 1>}> : (memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, index, index, index, index, index) -> ()
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  %cb = d2m.get_cb(0) : !d2m.cb<memref<2x!ttcore.tile<32x32, f32>, #l1>>
  // expected-error @+1 {{circular buffer underlying rank must match shard shape rank, got 1 but expected 2}}
  d2m.remote_load %m[%i, %i] into %cb : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> into !d2m.cb<memref<2x!ttcore.tile<32x32, f32>, #l1>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  %cb = d2m.get_cb(0) : !d2m.cb<memref<2x3x!ttcore.tile<32x32, f32>, #l1>>
  // expected-error @+1 {{circular buffer underlying shape must match shard shape at dimension 1, got 3 but expected 2}}
  d2m.remote_load %m[%i, %i] into %cb : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> into !d2m.cb<memref<2x3x!ttcore.tile<32x32, f32>, #l1>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  %cb = d2m.get_cb(0) : !d2m.cb<memref<2x2xf32, #l1>>
  // expected-error @+1 {{circular buffer element type must match memref/tensor element type}}
  d2m.remote_load %m[%i, %i] into %cb : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1> into !d2m.cb<memref<2x2xf32, #l1>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
  // expected-error @+1 {{memref operand must reference one of the parent generic op's operands or a scratch allocation}}
    d2m.remote_load %b %x[%z, %z] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
  // expected-error @+1 {{high-level multicast form (mcast dims) is not allowed in explicit datamovement form; use low-level multicast (mcore/mshape) instead}}
    d2m.remote_load %b %m[%z, %z] mcast[%z] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
    %two = arith.constant 2 : index
  // expected-error @+1 {{mcast dimension index 2 is out of bounds for grid rank 2}}
    d2m.remote_load %b %m[%z, %z] mcast[%two] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<reduction>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
  // expected-error @+1 {{mcast dimension index 0 must correspond to a parallel iterator type, but found reduction}}
    d2m.remote_load %b %m[%z, %z] mcast[%z] : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
func.func @f(%m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %o: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %x: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, %b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<unified>]}
      ins(%m : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) outs(%o : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  ^bb0:
    %z = arith.constant 0 : index
  // expected-error @+1 {{memref operand must reference one of the parent generic op's operands or a scratch allocation}}
    d2m.remote_store %x[%z, %z] %b : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: tensor<2x2x!ttcore.tile<32x32, f32>>, %m: tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{implicit tensor form (with tensor destination) must have a result.}}
  d2m.remote_store %m[%i, %i] %b : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, tensor<2x2x!ttcore.tile<32x32, f32>>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{implicit memref form (with memref destination) must not have a result; the destination memref is the result (DPS form).}}
  %r = d2m.remote_store %m[%i, %i] %b : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1> -> memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x2x!ttcore.tile<32x32, f32>, #l1>, %m: memref<2x2x!ttcore.tile<32x32, f32>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{memref/tensor must be remote (have a device layout)}}
  d2m.remote_store %m[%i] %b : memref<2x2x!ttcore.tile<32x32, f32>, #l1>, memref<2x2x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: memref<2x3x!ttcore.tile<32x32, f32>, #l1>, %m: memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{local buffer shape must match shard shape at dimension 1, got 3 but expected 2}}
  d2m.remote_store %m[%i, %i] %b : memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>, memref<2x3x!ttcore.tile<32x32, f32>, #l1>
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
func.func @f(%b: tensor<2x2x!ttcore.tile<32x32, f32>>, %m: tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{result type must match memref type}}
  %r = d2m.remote_store %m[%i, %i] %b : tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 64x64, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>, tensor<2x2x!ttcore.tile<32x32, f32>> -> tensor<2x2x!ttcore.tile<32x32, f32>>
  return
}
