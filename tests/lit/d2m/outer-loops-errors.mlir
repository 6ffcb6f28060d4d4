// RUN: not ttmlir-opt %s --d2m-generate-outer-loops --split-input-file 2>&1 | FileCheck %s
// RUN: not ttmlir-opt %s --d2m-generic-apply-interchange=matmul-interchange=0,1,1 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: error: matmul-interchange must be a permutation of 0,1,2

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<4096x4096, 1>
#same = affine_map<(d0, d1) -> (d0, d1)>
#parallel = #ttcore.iterator_type<parallel>

// CHECK: error: 'd2m.block_index' op dimension 7 is not one of the generic's 2 loops
func.func @beyond(%a: memref<1x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, %c: memref<1x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%a : memref<1x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<1x1x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(7) : index
  }
  return
}
