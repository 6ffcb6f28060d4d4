// RUN: ttmlir-opt %s --ttcore-register-device --convert-d2m-to-ttmetal --split-input-file --verify-diagnostics

// Programs that a host cannot launch.

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func @no_kernel(%x: !whole, %y: !whole) {
    // expected-error @+1 {{'d2m.generic' op thread kernel symbol must resolve}}
    d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute, @nowhere>]}
        ins(%x : !whole)
        outs(%y : !whole)
    return
  }
}

// -----

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func private @kernel() {
    return
  }
  func.func @no_arguments(%x: !whole, %y: !whole) {
    // expected-error @+1 {{'d2m.generic' op thread kernel must have an ArgSpec}}
    d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute, @kernel>]}
        ins(%x : !whole)
        outs(%y : !whole)
    return
  }
}

// -----

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func private @kernel() attributes {ttkernel.arg_spec = #ttkernel.arg_spec<rt_args = [<arg_type = cb_port, operand_index = 7>]>} {
    return
  }
  func.func @beyond(%x: !whole, %y: !whole) {
    // expected-error @+1 {{'d2m.generic' op has no operand 7 that a kernel could read so}}
    d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute, @kernel>]}
        ins(%x : !whole)
        outs(%y : !whole)
    return
  }
}

// -----

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func private @kernel() attributes {ttkernel.arg_spec = #ttkernel.arg_spec<rt_args = [<arg_type = local_semaphore, operand_index = 0>]>} {
    return
  }
  func.func @regions_and_addresses(%x: !whole, %y: !whole) {
    // expected-error @+1 {{failed to legalize operation 'd2m.generic' that was explicitly marked illegal}}
    d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
        ins(%x : !whole)
        outs(%y : !whole) {
      %c = d2m.core_index(0) : index
    }
    return
  }
}

// -----

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func @no_address() -> !whole {
    // expected-error @+1 {{failed to legalize operation 'memref.alloc' that was explicitly marked illegal}}
    %y = memref.alloc() : !whole
    return %y : !whole
  }
  // An array of the host needs none.
  func.func @host() -> memref<4xf32> {
    %y = memref.alloc() : memref<4xf32>
    return %y : memref<4xf32>
  }
}

// -----

#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  // expected-error @+1 {{DM core indices greater than 1 are not supported by D2MToTTMetal lowering yet}}
  func.func private @kernel() attributes {d2m.thread = #d2m.thread<datamovement, dm_core = 2>} {
    return
  }
}
