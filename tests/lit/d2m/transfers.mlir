// RUN: ttmlir-opt %s --ttcore-register-device --d2m-preallocate-mcast-semaphores | FileCheck %s --check-prefix=SEMAPHORES
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-preallocate-mcast-semaphores --d2m-schedule-dma --d2m-lower-load-store-ops-to-dma | FileCheck %s --check-prefix=DMA
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-preallocate-mcast-semaphores --d2m-schedule-dma --d2m-lower-load-store-ops-to-dma --d2m-optimize-dma | FileCheck %s --check-prefix=OVERLAP
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-preallocate-mcast-semaphores --d2m-schedule-dma --d2m-lower-load-store-ops-to-dma --d2m-expand-dma-read-composite-view --d2m-lower-dma-to-fully-indexed-form | FileCheck %s --check-prefix=INDEXED

#l1 = #ttcore.memory_space<l1>
#shard = #ttcore.shard<4096x4096, 1>
!tile = !ttcore.tile<32x32, f32>
!whole = memref<2x2x1x1x!tile, #shard, #l1>
!wide = memref<2x4x1x1x!tile, #shard, #l1>
!slot = memref<1x1x!tile, #ttcore.cb_layout<4096x4096, 2>, #l1>

// One core of each row reads a block and sends it to the row; the others wait for it.
// SEMAPHORES-LABEL: func.func @send
// SEMAPHORES-COUNT-2: d2m.create_local_semaphore <{initialValue = 0 : ui32}>
// SEMAPHORES: additionalArgs({{.*}}!d2m.local_semaphore, !d2m.local_semaphore
// SEMAPHORES: d2m.remote_load {{.*}}preallocated_semaphores = [3, 4]
// SEMAPHORES-LABEL: func.func @copy
// SEMAPHORES-NOT: d2m.create_local_semaphore

// DMA-LABEL: func.func @send
// DMA: d2m.reserve
// DMA: scf.if
// DMA: d2m.dma_read
// DMA: d2m.semaphore_wait
// DMA: d2m.dma_write {{.*}}core[{{.*}}] mcast[
// DMA: d2m.semaphore_set
// DMA: } else {
// DMA-NOT: d2m.dma_read
// DMA: d2m.semaphore_inc
// DMA: d2m.semaphore_wait
// DMA: d2m.push
func.func @send(%x: !whole, %y: !whole) {
  %cb = memref.alloc() {address = 32768 : i64} : !slot
  d2m.generic {block_factors = [], grid = #ttcore.grid<2x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>]}
      ins(%x : !whole)
      outs(%y : !whole)
      additionalArgs(%cb : !slot) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %row = d2m.core_index(0) : index
    %column = d2m.core_index(1) : index
    %b = d2m.get_cb(2) : !d2m.cb<!slot>
    d2m.remote_load %x[%row, %c0] into %b mcore[%row, %c0] mshape[%c1, %c2] : !whole into !d2m.cb<!slot>
  }
  return
}

// A loop that loads and stores: each wait is at the last moment, that for the store in the
// next iteration.
// DMA-LABEL: func.func @copy
// DMA: scf.for
// DMA: d2m.dma_read
// DMA-NEXT: d2m.dma_wait
// DMA: d2m.dma_write
// DMA-NEXT: d2m.dma_wait
// DMA-NEXT: d2m.pop

// OVERLAP-LABEL: func.func @copy
// OVERLAP: %[[NONE:.*]] = d2m.null_tx : !d2m.mem_tx<write>
// OVERLAP: scf.for {{.*}} iter_args(%[[LAST:.*]] = %[[NONE]])
// OVERLAP: d2m.dma_read
// OVERLAP: scf.if
// OVERLAP-NEXT: d2m.dma_wait %[[LAST]]
// OVERLAP-NEXT: d2m.pop
// OVERLAP: %[[NEXT:.*]] = d2m.dma_write
// OVERLAP: scf.yield %[[NEXT]]
// OVERLAP: d2m.dma_wait

// The address of a shard: its core, and the byte in the core's memory.
// INDEXED-LABEL: func.func @copy
// INDEXED: d2m.dma_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}], <1>
// INDEXED: d2m.dma_write %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], <1>
// INDEXED-NOT: <0>
func.func @copy(%x: !whole, %y: !whole) {
  %in = memref.alloc() {address = 32768 : i64} : !slot
  %out = memref.alloc() {address = 40960 : i64} : !slot
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x1>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>]}
      ins(%x : !whole)
      outs(%y : !whole)
      additionalArgs(%in, %out : !slot, !slot) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = d2m.get_cb(2) : !d2m.cb<!slot>
    %b = d2m.get_cb(3) : !d2m.cb<!slot>
    scf.for %i = %c0 to %c2 step %c1 {
      d2m.remote_load %x[%i, %c1] into %a : !whole into !d2m.cb<!slot>
      d2m.remote_store %y[%i, %c0] from %b : !whole from !d2m.cb<!slot>
    }
  }
  return
}

// Two tensors that are seen as one: a comparison says which of them holds a block.
// INDEXED-LABEL: func.func @halves
// INDEXED-NOT: d2m.composite_view
// INDEXED: ins(%[[L:.*]], %[[R:.*]] : memref<2x2x1x1
// INDEXED: d2m.get_cb(3)
// INDEXED: %[[LEFT:.*]] = arith.cmpi ult
// INDEXED: scf.if %[[LEFT]]
// INDEXED: d2m.dma_read %[[L]]
// INDEXED: } else {
// INDEXED: d2m.dma_read %[[R]]
func.func @halves(%l: !whole, %r: !whole, %y: !wide) {
  %cb = memref.alloc() {address = 32768 : i64} : !slot
  %both = "d2m.composite_view"(%l, %r) <{dim = 1 : si32}> : (!whole, !whole) -> memref<2x4x1x1x!tile, #ttcore.view<4>, #l1>
  d2m.generic {block_factors = [], grid = #ttcore.grid<2x4>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>]}
      ins(%both : memref<2x4x1x1x!tile, #ttcore.view<4>, #l1>)
      outs(%y : !wide)
      additionalArgs(%cb : !slot) {
    %row = d2m.core_index(0) : index
    %column = d2m.core_index(1) : index
    %b = d2m.get_cb(2) : !d2m.cb<!slot>
    d2m.remote_load %both[%row, %column] into %b : memref<2x4x1x1x!tile, #ttcore.view<4>, #l1> into !d2m.cb<!slot>
  }
  return
}

// Rows of 31 elements as one of 62: the second begins at byte 124.  Windows of 16 bytes are read to
// the memory of the four elements that they are for, unless the element before has read the same one.
// INDEXED-LABEL: func.func @cut
// INDEXED: %[[INTO:.*]] = d2m.reserve
// INDEXED: scf.for %[[FROM:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// INDEXED: d2m.dma_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %[[INTO]][%[[AT:.*]]], <4>
// INDEXED: d2m.dma_wait
// INDEXED: %[[FIRST:.*]] = memref.load %[[INTO]]
// INDEXED: arith.ori
// INDEXED: scf.if
// INDEXED-NEXT: d2m.dma_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %[[INTO]][%[[AT]]], <4>
// INDEXED-NEXT: d2m.dma_wait
// INDEXED: memref.load %[[INTO]]
// INDEXED: memref.store %[[FIRST]], %[[INTO]]
// INDEXED-COUNT-3: memref.store
// INDEXED-NOT: d2m.dma_read
func.func @cut(%x: memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>, %y: memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>) {
  %cb = memref.alloc() {address = 32768 : i64} : memref<32x32xf32, #ttcore.cb_layout<128x4, 2>, #l1>
  %row = d2m.view_layout %x remapping = affine_map<(d0, d1, d2, d3) -> (0, (((d1 * 32 + d3) mod 64) floordiv 31) mod 2, 0, ((d1 * 32 + d3) mod 64) mod 31)> : memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1> -> memref<1x2x32x32xf32, #ttcore.view<4>, #l1>
  d2m.generic {block_factors = [], grid = #ttcore.grid<1x2>, indexing_maps = [], iterator_types = [], threads = [#d2m.thread<datamovement>]}
      ins(%row : memref<1x2x32x32xf32, #ttcore.view<4>, #l1>)
      outs(%y : memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>)
      additionalArgs(%cb : memref<32x32xf32, #ttcore.cb_layout<128x4, 2>, #l1>) {
    %i = d2m.core_index(0) : index
    %j = d2m.core_index(1) : index
    %b = d2m.get_cb(2) : !d2m.cb<memref<32x32xf32, #ttcore.cb_layout<128x4, 2>, #l1>>
    d2m.remote_load %row[%i, %j] into %b : memref<1x2x32x32xf32, #ttcore.view<4>, #l1> into !d2m.cb<memref<32x32xf32, #ttcore.cb_layout<128x4, 2>, #l1>>
  }
  return
}
