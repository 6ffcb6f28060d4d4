// RUN: ttmlir-opt %s --d2m-insert-spill-and-scratch | FileCheck %s
// RUN: ttmlir-opt %s --d2m-insert-spill-and-scratch --d2m-insert-spill-and-scratch -o %t.twice
// RUN: ttmlir-opt %s --d2m-insert-spill-and-scratch -o %t.once
// RUN: diff %t.once %t.twice

// Values that one nest of loops stores and a later one loads go through scratch memory.

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<49152x4096, 1>

// The same steps: the number of each loop's iteration.
// CHECK-LABEL: func.func @same_steps
// CHECK-NOT: memref.alloc
// CHECK: %[[S:.*]] = d2m.scratch_allocate {slot = 0 : i64} : memref<2x3x1x4x!ttcore.tile<32x32, f32>, #l1>
// CHECK: "d2m.tile_exp"
// CHECK-NEXT: affine.store %{{.*}}, %[[S]][%{{.*}}, %{{.*}} floordiv 4, %{{.*}}, %{{.*}}]
// CHECK: } {d2m.scratch_inserted, d2m.scratch_space_loop}
// CHECK-NEXT: d2m.unpack_stall_on_pack
// CHECK-NEXT: affine.for %[[R:.*]] = 0 to 2
// CHECK-NEXT: affine.for %[[C:.*]] = 0 to 12 step 4
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 1
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 4
// CHECK-NEXT: affine.load %[[S]][%[[R]], %[[C]] floordiv 4, %[[I]], %[[J]]]
// CHECK: } {d2m.scratch_inserted, d2m.scratch_space_loop}
func.func @same_steps(%in: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %b[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
  }
  return
}

// Blocks of other columns: a column of the producer's blocks.
// CHECK-LABEL: func.func @other_columns
// CHECK: %[[S:.*]] = d2m.scratch_allocate {slot = 0 : i64} : memref<2x3x1x4x!ttcore.tile<32x32, f32>, #l1>
// CHECK: d2m.unpack_stall_on_pack
// CHECK-NEXT: affine.for %[[R:.*]] = 0 to 2
// CHECK-NEXT: affine.for %[[C:.*]] = 0 to 12 step 6
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 1
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 6
// CHECK-NEXT: affine.load %[[S]][%[[R]], (%[[C]] + %[[J]]) floordiv 4, %[[I]], (%[[C]] + %[[J]]) mod 4]
func.func @other_columns(%in: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 6 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 6 {
            %v = affine.load %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %b[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
  }
  return
}

// Blocks of other rows: a row of the producer's blocks.
// CHECK-LABEL: func.func @other_rows
// CHECK: %[[S:.*]] = d2m.scratch_allocate {slot = 0 : i64} : memref<4x3x1x4x!ttcore.tile<32x32, f32>, #l1>
// CHECK: d2m.unpack_stall_on_pack
// CHECK-NEXT: affine.for %[[R:.*]] = 0 to 4 step 2
// CHECK-NEXT: affine.for %[[C:.*]] = 0 to 12 step 4
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 2
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 4
// CHECK-NEXT: affine.load %[[S]][%[[R]] + %[[I]], %[[C]] floordiv 4, 0, %[[J]]]
func.func @other_rows(%in: memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<4x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x4x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<4x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<4x12x!ttcore.tile<32x32, f32>, #l1>
    affine.for %r = 0 to 4 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %a[%r + %i, %c + %j] : memref<4x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %tmp[%r + %i, %c + %j] : memref<4x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
    affine.for %r = 0 to 4 step 2 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 2 {
          affine.for %j = 0 to 4 {
            %v = affine.load %tmp[%r + %i, %c + %j] : memref<4x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %b[%r + %i, %c + %j] : memref<4x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
  }
  return
}

// Equal loops around them become one: each iteration reads what it has stored.
// CHECK-LABEL: func.func @fused
// CHECK: d2m.scratch_allocate
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: "d2m.tile_exp"
// CHECK-NOT: scf.for
// CHECK: "d2m.tile_abs"
func.func @fused(%in: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %k = %c0 to %c3 step %c1 {
      affine.for %r = 0 to 2 step 1 {
        affine.for %c = 0 to 12 step 4 {
          affine.for %i = 0 to 1 {
            affine.for %j = 0 to 4 {
              %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
              %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
              affine.store %w, %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            }
          }
        } {d2m.linalg_root}
      } {d2m.scratch_space_loop}
    }
    scf.for %k = %c0 to %c3 step %c1 {
      affine.for %r = 0 to 2 step 1 {
        affine.for %c = 0 to 12 step 4 {
          affine.for %i = 0 to 1 {
            affine.for %j = 0 to 4 {
              %v = affine.load %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
              %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
              affine.store %w, %b[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            }
          }
        } {d2m.linalg_root}
      } {d2m.scratch_space_loop}
    }
  }
  return
}

// Loops of other counts stay, and so do the accesses.
// CHECK-LABEL: func.func @other_loops
// CHECK: memref.alloc
// CHECK-NOT: d2m.scratch_allocate
// CHECK-COUNT-2: scf.for
// CHECK-NOT: d2m.scratch_inserted
func.func @other_loops(%in: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %k = %c0 to %c3 step %c1 {
      affine.for %r = 0 to 2 step 1 {
        affine.for %c = 0 to 12 step 4 {
          affine.for %i = 0 to 1 {
            affine.for %j = 0 to 4 {
              %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
              %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
              affine.store %w, %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            }
          }
        } {d2m.linalg_root}
      } {d2m.scratch_space_loop}
    }
    scf.for %k = %c0 to %c1 step %c1 {
      affine.for %r = 0 to 2 step 1 {
        affine.for %c = 0 to 12 step 4 {
          affine.for %i = 0 to 1 {
            affine.for %j = 0 to 4 {
              %v = affine.load %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
              %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
              affine.store %w, %b[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            }
          }
        } {d2m.linalg_root}
      } {d2m.scratch_space_loop}
    }
  }
  return
}

// A value that only its own nest reads stays where it is.
// CHECK-LABEL: func.func @one_nest
// CHECK: memref.alloc
// CHECK-NOT: d2m.scratch_allocate
// CHECK-NOT: d2m.unpack_stall_on_pack
// CHECK: return
func.func @one_nest(%in: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>, %out: memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
      ins(%in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) outs(%out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %a = d2m.operand_alias %in : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %b = d2m.operand_alias %out : memref<1x1x2x12x!ttcore.tile<32x32, f32>, #s, #l1> -> memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    %tmp = memref.alloc() : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_exp"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %tmp[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
    affine.for %r = 0 to 2 step 1 {
      affine.for %c = 0 to 12 step 4 {
        affine.for %i = 0 to 1 {
          affine.for %j = 0 to 4 {
            %v = affine.load %a[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
            %w = "d2m.tile_abs"(%v) : (!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>
            affine.store %w, %b[%r + %i, %c + %j] : memref<2x12x!ttcore.tile<32x32, f32>, #l1>
          }
        }
      } {d2m.linalg_root}
    } {d2m.scratch_space_loop}
  }
  return
}
