// RUN: ttlang-opt %s --ttl-validate -split-input-file -verify-diagnostics

!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>

func.func @never_pushed() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    %cb = ttl.create_cb : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
    ttl.compute_thread {
      // expected-error @+1 {{circular buffer protocol violation: wait() called without matching push()}}
      %b = ttl.cb_wait %cb
      ttl.cb_pop %b
    }
  }
  return
}

// -----

func.func @never_popped(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  // expected-error @+1 {{circular buffer protocol violation: wait() called without matching pop()}}
  %b = ttl.cb_wait %cb
  return
}

// -----

func.func @reserved_only(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{circular buffer protocol violation: reserve() called without matching push()}}
  %b = ttl.cb_reserve %cb
  return
}

// -----

func.func @nobody_waits() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    %cb = ttl.create_cb : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
    ttl.datamovement_thread {
      %b = ttl.cb_reserve %cb
      // expected-error @+2 {{circular buffer protocol violation: push() called without matching wait()}}
      // expected-note @+1 {{no thread takes this block: the buffer fills up}}
      ttl.cb_push %b
    }
  }
  return
}

// -----

func.func @moves_in_compute() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    ttl.compute_thread {
      // expected-error @+1 {{'ttl.dma_barrier' op cannot be used in a compute thread; move it to a data movement thread}}
      ttl.dma_barrier
    }
  }
  return
}

// -----

func.func @computes_in_a_mover(%x: tensor<1x1x!ttcore.tile<32x32, bf16>>) attributes {ttl.kernel_thread = #ttkernel.thread<noc>} {
  // expected-error @+1 {{'ttl.block_exp' op cannot be used in a data movement thread; move it to the compute thread}}
  %y = ttl.block_exp %x
  return
}

// -----

// expected-error @+1 {{a sharded layout has as many dimensions in its grid (2) as tiles in a shard (1)}}
func.func private @layout() attributes {l = #ttl.layout<sharded, grid=[2, 2], tiles_per_shard=[1]>}

// -----

// expected-error @+1 {{only sharded layouts have a grid of shards}}
func.func private @layout() attributes {l = #ttl.layout<interleaved, grid=[2, 2], tiles_per_shard=[1, 1]>}

// -----

// expected-error @+1 {{the grid has 2 dimensions, the shard 1}}
func.func private @distributed(!ttl.dist_tensor<grid = [8, 8], shard = [32], f32, sharded, L1>)

// -----

func.func @forward() {
  // expected-error @+1 {{the type of '%b' is not known yet: write the types behind ':', as (types) -> types}}
  ttl.cb_pop %b
  return
}

// -----

func.func @role() {
  ttl.tile_proc attributes {microcores = [@noc0]} {
    // expected-error @+1 {{names a microcore that its ttl.tile_proc does not have}}
    ttl.thread on @math {
    }
  }
  return
}

// -----

func.func @needs_a_type(%x: index) {
  // expected-error @+1 {{'ttl.create_cb' op needs a type, or shape= and element_type=}}
  %cb = ttl.create_cb buffer_factor=2
  return
}

// -----

func.func @pushed_empty(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>, %other: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.cb_wait %other
  // expected-error @+1 {{'ttl.cb_reserve' op is pushed without anything stored or copied into its block}}
  %b = ttl.cb_reserve %cb
  %c = ttl.block_exp %a
  ttl.cb_pop %a
  ttl.cb_push %b
  return
}

// -----

func.func @reserved_twice(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>, %other: !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>) attributes {ttl.kernel_thread = #ttkernel.thread<compute>} {
  %a = ttl.cb_wait %other
  // expected-error @+1 {{'ttl.cb_reserve' op is followed by another cb_reserve before its block is pushed}}
  %b = ttl.cb_reserve %cb
  %c = ttl.cb_reserve %cb
  %d = ttl.block_exp %a
  ttl.block_store %c, %d
  ttl.cb_pop %a
  ttl.cb_push %c
  return
}

// -----

ttl.kernel @sizes(%a: tensor<64x64xf32>) attributes {grid = #ttl.grid<[1, 1]>} {
  // expected-error @+1 {{a circular buffer's sizes are at least 1, found -1}}
  %cb = ttl.create_cb shape=[-1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
}

// -----

ttl.kernel @dimensions(%a: tensor<64x64xf32>) attributes {grid = #ttl.grid<[1, 1]>} {
  // expected-error @+1 {{a circular buffer has at most}}
  %cb = ttl.create_cb shape=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
}

// -----

ttl.kernel @source_only(%a: tensor<64x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<sharded, grid=[2,2]>, memspace = DRAM}
  ttl.datamovement_thread {
    %shard = ttl.core_linear() : index
    // expected-error @+1 {{expected a source and a destination}}
    %tx = ttl.copy %from[%shard] : !ttl.mem_tx
  }
}

// -----

ttl.kernel @more_indices(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  ttl.datamovement_thread {
    // expected-error @+1 {{has 0 indices, src_indices says that the source has 3}}
    %tx = ttl.copy %a, %b {src_indices = 3} : !ttl.mem_tx
  }
}
