// RUN: ttmlir-opt %s --ttkernel-subblock-dst --ttkernel-hoist-setup --canonicalize --cse | FileCheck %s
// RUN: ttmlir-opt %s --ttkernel-subblock-dst="dst-capacity=1" --canonicalize --cse | FileCheck %s --check-prefix=ONE
!cb = !ttkernel.cb<16, !ttcore.tile<32x32, f32>>
#compute = #ttkernel.thread<compute>

// A matmul of 2x2 tiles over 4: one block; the init, and the switch of the packer, leave the loops.
// CHECK-LABEL: func.func @product
// CHECK:         "ttkernel.mm_block_init"(%[[A:.*]], %[[B:.*]], %[[C:.*]], %c0_i32, %c2_i32, %c2_i32, %c4_i32)
// CHECK:         scf.for %[[ROUND:.*]] =
// CHECK:           tile_regs_acquire
// CHECK-NEXT:      scf.for %[[K:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %[[AT:.*]] = arith.muli %[[K]], %c2
// CHECK-NEXT:        ttkernel.matmul_block(%[[A]], %[[B]], %[[K]], %[[AT]], %c0, %c0_i32, %c2_i32, %c2_i32, %c4_i32)
// CHECK-NEXT:      }
// CHECK-NEXT:      tile_regs_commit
// CHECK-NEXT:      tile_regs_wait
// CHECK:           ttkernel.pack_reconfig_l1_acc
// CHECK-NEXT:      scf.for %{{.*}} = %c0 to %c2
// CHECK-NEXT:        scf.for %{{.*}} = %c0 to %c2
// CHECK:               ttkernel.pack_tile(%[[T:.*]], %[[C]], %[[T]], true)
// CHECK:           ttkernel.pack_reconfig_l1_acc(%c0_i32)
// CHECK-NEXT:      tile_regs_release
// ONE-LABEL:   func.func @product
// ONE:           ttkernel.matmul_tiles
func.func @product() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %off = arith.constant 0 : i32
  %n = arith.constant 8 : i32
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %b = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  %c = ttkernel.get_compile_time_arg_val(2) : () -> !cb
  scf.for %round = %c0 to %c4 step %c1 {
    ttkernel.cb_wait_front(%a, %n) : (!cb, i32) -> ()
    ttkernel.cb_wait_front(%b, %n) : (!cb, i32) -> ()
    ttkernel.init_sfpu(%a, %c) : (!cb, !cb) -> ()
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        ttkernel.tile_regs_acquire() : () -> ()
        ttkernel.mm_init(%a, %b, %c, %off) : (!cb, !cb, !cb, i32) -> ()
        scf.for %k = %c0 to %c4 step %c1 {
          %row = arith.muli %i, %c4 : index
          %left = arith.addi %row, %k : index
          %down = arith.muli %k, %c2 : index
          %right = arith.addi %down, %j : index
          ttkernel.matmul_tiles(%a, %b, %left, %right, %c0) : (!cb, !cb, index, index, index) -> ()
        }
        ttkernel.tile_regs_commit() : () -> ()
        ttkernel.tile_regs_wait() : () -> ()
        %first = arith.muli %i, %c2 : index
        %at = arith.addi %first, %j : index
        %more = arith.cmpi ne, %round, %c0 : index
        %on = arith.extui %more : i1 to i32
        ttkernel.pack_reconfig_l1_acc(%on) : (i32) -> ()
        ttkernel.pack_tile(%c0, %c, %at, true) : (index, !cb, index) -> ()
        ttkernel.pack_reconfig_l1_acc(%off) : (i32) -> ()
        ttkernel.tile_regs_release() : () -> ()
      }
    }
    ttkernel.cb_pop_front(%b, %n) : (!cb, i32) -> ()
    ttkernel.cb_pop_front(%a, %n) : (!cb, i32) -> ()
  }
  return
}

// Two registers a tile and five tiles: three rounds, the last one shorter.
// CHECK-LABEL: func.func @chain
// CHECK:         scf.for %[[J:.*]] = %c0 to %c5 step %c2 {
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %c5, %[[J]]
// CHECK-NEXT:      %[[TIMES:.*]] = arith.minui %[[LEFT]], %c2
// CHECK:           tile_regs_acquire
// CHECK-NEXT:      ttkernel.copy_tile_init
// CHECK-NEXT:      scf.for %[[T:.*]] = %c0 to %[[TIMES]] step %c1 {
// CHECK-NEXT:        %[[AT:.*]] = arith.addi %[[J]], %[[T]]
// CHECK-NEXT:        ttkernel.copy_tile(%{{.*}}, %[[AT]], %[[T]])
// CHECK-NEXT:      }
// CHECK-NEXT:      ttkernel.exp_tile_init
// CHECK-NEXT:      scf.for %[[T:.*]] =
// CHECK-NEXT:        ttkernel.exp_tile(%[[T]])
// CHECK-NEXT:      }
// CHECK-NEXT:      ttkernel.copy_tile_init
// CHECK:           ttkernel.add_binary_tile_init
// CHECK-NEXT:      scf.for %[[T:.*]] =
// CHECK-NEXT:        %[[SECOND:.*]] = arith.addi %[[T]], %c2
// CHECK-NEXT:        ttkernel.add_binary_tile(%[[T]], %[[SECOND]], %[[T]])
func.func @chain() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %b = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  scf.for %j = %c0 to %c5 step %c1 {
    ttkernel.tile_regs_acquire() : () -> ()
    ttkernel.copy_tile_init(%a) : (!cb) -> ()
    ttkernel.copy_tile(%a, %j, %c0) : (!cb, index, index) -> ()
    ttkernel.exp_tile_init() : () -> ()
    ttkernel.exp_tile(%c0) : (index) -> ()
    ttkernel.copy_tile_init(%a) : (!cb) -> ()
    ttkernel.copy_tile(%a, %j, %c1) : (!cb, index, index) -> ()
    ttkernel.add_binary_tile_init() : () -> ()
    ttkernel.add_binary_tile(%c0, %c1, %c0) : (index, index, index) -> ()
    ttkernel.tile_regs_commit() : () -> ()
    ttkernel.tile_regs_wait() : () -> ()
    ttkernel.pack_tile(%c0, %b, %j, true) : (index, !cb, index) -> ()
    ttkernel.tile_regs_release() : () -> ()
  }
  return
}

// What is packed is read by a later tile: the tiles stay one by one.
// CHECK-LABEL: func.func @in_place
// CHECK:         ttkernel.copy_tile(%{{.*}}, %{{.*}}, %c0)
func.func @in_place() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  scf.for %j = %c0 to %c4 step %c1 {
    %next = arith.addi %j, %c1 : index
    ttkernel.tile_regs_acquire() : () -> ()
    ttkernel.copy_tile(%a, %j, %c0) : (!cb, index, index) -> ()
    ttkernel.tile_regs_commit() : () -> ()
    ttkernel.tile_regs_wait() : () -> ()
    ttkernel.pack_tile(%c0, %a, %next, true) : (index, !cb, index) -> ()
    ttkernel.tile_regs_release() : () -> ()
  }
  return
}

// Random values depend on the order of all tiles.
// CHECK-LABEL: func.func @random
// CHECK:         ttkernel.rand_tile(%c0
func.func @random() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  scf.for %j = %c0 to %c4 step %c1 {
    ttkernel.tile_regs_acquire() : () -> ()
    ttkernel.rand_tile(%c0, %c0, %c1) : (index, index, index) -> ()
    ttkernel.tile_regs_commit() : () -> ()
    ttkernel.tile_regs_wait() : () -> ()
    ttkernel.pack_tile(%c0, %a, %j, true) : (index, !cb, index) -> ()
    ttkernel.tile_regs_release() : () -> ()
  }
  return
}

// Two formats: the common init stays where it is.
// CHECK-LABEL: func.func @formats
// CHECK:         scf.for
// CHECK-NEXT:      ttkernel.init_sfpu
func.func @formats() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %b = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  scf.for %j = %c0 to %c4 step %c1 {
    ttkernel.init_sfpu(%a, %b) : (!cb, !cb) -> ()
    ttkernel.pack_reconfig_data_format(%b) : (!cb) -> ()
  }
  return
}

// An exponential stands beside the product in its loop, so both are repeated tile by tile, with the init for tiles.
// CHECK-LABEL: func.func @not_alone
// CHECK:         ttkernel.mm_init(
// CHECK:         ttkernel.matmul_tiles
// CHECK-NOT:     matmul_block
func.func @not_alone() attributes {ttkernel.thread = #compute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %off = arith.constant 0 : i32
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %b = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  %c = ttkernel.get_compile_time_arg_val(2) : () -> !cb
  scf.for %j = %c0 to %c2 step %c1 {
    ttkernel.tile_regs_acquire() : () -> ()
    ttkernel.mm_init(%a, %b, %c, %off) : (!cb, !cb, !cb, i32) -> ()
    scf.for %k = %c0 to %c2 step %c1 {
      ttkernel.matmul_tiles(%a, %b, %k, %j, %c0) : (!cb, !cb, index, index, index) -> ()
      ttkernel.exp_tile_init() : () -> ()
      ttkernel.exp_tile(%c0) : (index) -> ()
    }
    ttkernel.tile_regs_commit() : () -> ()
    ttkernel.tile_regs_wait() : () -> ()
    ttkernel.pack_tile(%c0, %c, %j, true) : (index, !cb, index) -> ()
    ttkernel.tile_regs_release() : () -> ()
  }
  return
}
