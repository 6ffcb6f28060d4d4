// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s | FileCheck %s

#l1 = #ttcore.memory_space<l1>
!m = memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>

// Empty blocks stay, named by thread and number.
// CHECK-LABEL: func.func @names
// CHECK: ^datamovement0:
// CHECK-NEXT: }, {
// CHECK-NEXT: ^datamovement1:
// CHECK-NEXT: }, {
// CHECK-NEXT: ^compute0:
// CHECK-NEXT: }
func.func @names(%a: !m) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>, #d2m.thread<datamovement>, #d2m.thread<compute>]}
      ins() outs(%a : !m) {
  ^first:
  }, {
  ^second:
  }, {
  ^third:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
!a = memref<2x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
!b = memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
func.func @grids(%a: !a, %b: !b) {
  // expected-error @+1 {{grid shape mismatch between operand[0] grid_shape=[2, 1] and operand[1] grid_shape=[1, 1] at affine dim d0}}
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#id, #id], iterator_types = [#p, #p], threads = [#d2m.thread<compute>]}
      ins(%a : !a) outs(%b : !b) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
#id = affine_map<(d0, d1) -> (d0, d1)>
#p = #ttcore.iterator_type<parallel>
!b = memref<2x3x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
func.func @blocks(%b: !b) {
  // expected-error @+1 {{grid dim unexpected for operand[0] grid_shape=[2, 3] expected grid_shape=[2, 6] at affine dim d1}}
  d2m.generic {block_factors = [1, 2], grid = #ttcore.grid<2x3>, indexing_maps = [#id], iterator_types = [#p, #p], threads = [#d2m.thread<compute>]}
      ins() outs(%b : !b) {
  ^bb0:
  }
  return
}

// -----

#l1 = #ttcore.memory_space<l1>
!m = memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>
func.func @spatial(%a: !m) {
  // expected-error @+1 {{generic op grid shape [2, 2] exceeds region CoreRange shape [2, 1]}}
  d2m.spatial {grid_ranges = [#ttcore.core_range<(0,0), (1,0)>]}
      ins() outs(%a : !m) {
    d2m.generic {block_factors = [], grid = #ttcore.grid<2x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<compute>]}
        ins() outs(%a : !m) {
    ^bb0:
    }
  }
  return
}
