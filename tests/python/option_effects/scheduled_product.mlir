// A nest of a product whose order a schedule has fixed.
#l1 = #ttcore.memory_space<l1>
!whole = memref<1x1x2x2x!ttcore.tile<32x32, bf16>, #ttcore.shard<4096x2048, 1>, #l1>
!block = memref<2x2x!ttcore.tile<32x32, bf16>, #l1>
!tile = !ttcore.tile<32x32, bf16>
func.func @main(%a: !whole, %b: !whole, %c: !whole) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%a, %b : !whole, !whole)
      outs(%c : !whole)
      {
    %x = d2m.operand_alias %a : !whole -> !block
    %y = d2m.operand_alias %b : !whole -> !block
    %z = d2m.operand_alias %c : !whole -> !block
    affine.for %k0 = 0 to 2 {
      affine.for %i = 0 to 2 {
        affine.for %j = 0 to 2 {
          %1 = affine.load %x[%i, %k0] : !block
          %2 = affine.load %y[%k0, %j] : !block
          %3 = affine.load %z[%i, %j] : !block
          %4 = "d2m.tile_matmul"(%1, %2, %3) : (!tile, !tile, !tile) -> !tile
          affine.store %4, %z[%i, %j] : !block
        }
      } {d2m.linalg_root, d2m.scheduled}
    }
  }
  return
}
