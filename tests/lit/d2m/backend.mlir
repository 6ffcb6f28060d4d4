// RUN: ttmlir-opt %s --ttcore-register-device --d2m-generic-tile-compute-loops | FileCheck %s --check-prefix=BLOCKS
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-linalg-to-affine=mark-root-loops=true | FileCheck %s --check-prefix=LOOPS
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-linalg-to-affine=mark-root-loops=true --d2m-op-scheduler --d2m-insert-dst-register-access-unscheduled --d2m-insert-dst-register-access-scheduled | FileCheck %s --check-prefix=DST
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-hoist-cb-allocs --d2m-assign-threads | FileCheck %s --check-prefix=MARKS
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-hoist-cb-allocs --d2m-split-unified-thread | FileCheck %s --check-prefix=SPLIT
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-be-pipeline | FileCheck %s --check-prefix=FUNCS
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-be-pipeline --d2m-to-ttkernel-pre-emitc-pipeline --d2m-to-ttmetal-pipeline | FileCheck %s --check-prefix=METAL
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-be-pipeline --d2m-to-ttkernel-pipeline | FileCheck %s --check-prefix=CPP

// One square root of each element, from explicit form down to a program. The input comes
// from other cores, so that it needs a circular buffer; the output is the core's own.

#l1 = #ttcore.memory_space<l1>
#shard = #ttcore.shard<8192x4096, 1>
!tile = !ttcore.tile<32x32, f32>
!whole = memref<2x2x3x2x!tile, #shard, #l1>
!block = memref<3x2x!tile, #l1>
#same = affine_map<(a, b) -> (a, b)>

module attributes {} {
  func.func @root(%x: !whole) -> !whole {
    %y = memref.alloc() {address = 65536 : i64, alignment = 16 : i64} : !whole
    d2m.generic {block_factors = [], grid = #ttcore.grid<2x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<unified>]}
        ins(%x : !whole)
        outs(%y : !whole) {
      %row = d2m.core_index(0) : index
      %column = d2m.core_index(1) : index
      %in = memref.alloc() {address = 32768 : i64, alignment = 16 : i64, d2m.synchronized_buffer = 2 : i32} : !block
      d2m.remote_load %in %x[%column, %row] : !block, !whole
      %out = d2m.operand_alias %y : !whole -> !block
      linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%in : !block) outs(%out : !block) {
      ^bb0(%a: !tile, %b: !tile):
        %r = "d2m.tile_sqrt"(%a) : (!tile) -> !tile
        linalg.yield %r : !tile
      }
      d2m.remote_store %y[%row, %column] %out : !whole, !block
    }
    return %y : !whole
  }
}

// Six tiles of 32 bits are more than the four that DST holds: blocks of one column of three.
// BLOCKS-LABEL: func.func @root
// BLOCKS: scf.for
// BLOCKS: memref.subview
// BLOCKS: linalg.generic
// BLOCKS-NOT: outs({{.*}}memref<3x2x
// BLOCKS: d2m.tile_sqrt
// BLOCKS: d2m.remote_store

// LOOPS-LABEL: func.func @root
// LOOPS-NOT: linalg.generic
// LOOPS: affine.for %{{.*}} = 0 to 3
// LOOPS: affine.for %{{.*}} = 0 to 2
// LOOPS: affine.load
// LOOPS: d2m.tile_sqrt
// LOOPS: affine.store
// LOOPS: d2m.linalg_root

// A tile goes to DST, is changed there, and goes from DST to the buffer.
// DST-LABEL: func.func @root
// DST: d2m.acquire_dst() : memref<[[SIZE:[0-9x]+]]x!ttcore.tile<32x32, f32>, #dst>
// DST: affine.load %{{.*}} : memref<3x2x
// DST: affine.store %{{.*}}#dst>
// DST: affine.load %{{.*}}#dst>
// DST: d2m.tile_sqrt
// DST: affine.store %{{.*}}#dst>
// DST: affine.load %{{.*}}#dst>
// DST: affine.store %{{.*}} : memref<3x2x

// The buffer is an argument now; what loads is data movement's, what computes is compute's.
// MARKS-LABEL: func.func @root
// MARKS: memref.alloc{{.*}}cb_layout<8192x4096, 2>
// MARKS: d2m.generic
// MARKS: additionalArgs(
// MARKS: d2m.remote_load{{.*}}into {{.*}}d2m.thread = #d2m.thread<datamovement>
// MARKS: linalg.generic{{.*}}d2m.thread = #d2m.thread<compute>

// SPLIT-LABEL: func.func @root
// SPLIT: threads = [#d2m.thread<datamovement>, #d2m.thread<compute>]
// SPLIT-NOT: linalg.generic
// SPLIT: d2m.remote_load
// SPLIT: }, {
// SPLIT-NOT: d2m.remote_load
// SPLIT: d2m.wait
// SPLIT: d2m.reserve
// SPLIT: linalg.generic
// SPLIT: d2m.push
// SPLIT: d2m.pop

// FUNCS: d2m.generic
// FUNCS-SAME: threads = [#d2m.thread<datamovement, @datamovement_kernel0, dm_core = 1>, #d2m.thread<compute, @compute_kernel1>]
// FUNCS: func.func private @datamovement_kernel0() attributes {d2m.thread = #d2m.thread<datamovement, dm_core = 1>
// FUNCS: d2m.get_arg(0)
// FUNCS: d2m.dma_read %{{.*}}, <6>
// FUNCS: func.func private @compute_kernel1() attributes {d2m.thread = #d2m.thread<compute>
// FUNCS-NOT: d2m.dma_read
// FUNCS: d2m.tile_sqrt

// METAL-LABEL: func.func @root(
// METAL: %[[Y:.*]] = "ttmetal.create_buffer"() <{address = 65536 : i64}>
// METAL: %[[CB:.*]] = "ttmetal.create_buffer"() <{address = 32768 : i64}>
// METAL: "ttmetal.enqueue_program"(%{{.*}}, %[[Y]], %[[CB]], %[[Y]])
// METAL-SAME: cb_ports = array<i64: 0, 1>
// METAL-SAME: #ttmetal.noc_config<@datamovement_kernel0, #ttmetal.core_range<0x0, 2x2>, #ttmetal.kernel_args<common_rt_args = [<cb_port[0]>, <buffer_address[0]>] >, dm_core = 1, noc0>
// METAL-SAME: #ttmetal.compute_config<@compute_kernel1, #ttmetal.core_range<0x0, 2x2>, #ttmetal.kernel_args<common_rt_args = [<cb_port[0]>, <cb_port[1]>] >, hifi4, true, false, false, [default]>
// METAL-NOT: d2m.
// METAL-LABEL: func.func private @datamovement_kernel0()
// METAL: ttkernel.cb_reserve_back
// METAL: ttkernel.noc_async_read core
// METAL: ttkernel.noc_async_read_barrier
// METAL: ttkernel.cb_push_back
// METAL-LABEL: func.func private @compute_kernel1()
// METAL: ttkernel.tile_regs_acquire
// METAL: ttkernel.copy_tile
// METAL: ttkernel.sqrt_tile
// METAL: ttkernel.tile_regs_commit
// METAL: ttkernel.tile_regs_wait
// METAL: ttkernel.pack_tile
// METAL: ttkernel.tile_regs_release

// CPP-LABEL: func.func private @compute_kernel1()
// CPP: emitc.call_opaque "sqrt_tile_init"
// CPP: emitc.call_opaque "sqrt_tile"
