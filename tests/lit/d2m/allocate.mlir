// RUN: ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops --d2m-allocate | FileCheck %s
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops --d2m-allocate=stream-insert-policy=always | FileCheck %s --check-prefix=ALWAYS
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops "--d2m-allocate=stream-insert-policy=always num-stream-buffers=3 available-l1-addr-range=2048,40960" | FileCheck %s --check-prefix=RANGE
// RUN: ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops --d2m-allocate=force-spill-to-dram-if-legal=true | FileCheck %s --check-prefix=SPILL
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops --d2m-allocate=test-assume-l1-capacity=4096 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-allocate 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not ttmlir-opt %s --ttcore-register-device --d2m-generate-outer-loops --d2m-allocate=stream-insert-policy=never 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not ttmlir-opt %s --d2m-generate-outer-loops --d2m-allocate 2>&1 | FileCheck %s --check-prefix=SYSTEM

// SMALL: error: 'func.func' op required L1 memory usage 8192 exceeds memory capacity 4096 (usable space is [1024, 5120)): give it more cores
// FORM: error: 'd2m.generic' op expected generic op to be in affine blocked form before allocation
// POLICY: error: {{.*}}invalid stream-insert-policy 'never' (expected one of: infer, always)
// SYSTEM: error: {{.*}}d2m-allocate needs ttcore.system_desc

#l1 = #ttcore.memory_space<l1>
#s = #ttcore.shard<4096x4096, 1>
#same = affine_map<(d0, d1) -> (d0, d1)>
#parallel = #ttcore.iterator_type<parallel>

// Three buffers in a row: the third one takes the first one's address. Loads and stores of the core's own shard are
// aliases; with the policy `always`, inputs have circular buffers.

// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = memref.alloc() {address = 1024 : i64, alignment = 16 : i64} : memref<2x2x1x1x
// CHECK: %[[B:.*]] = memref.alloc() {address = 5120 : i64, alignment = 16 : i64}
// CHECK: d2m.generic
// CHECK: %[[IN:.*]] = d2m.operand_alias %[[A]]
// CHECK: d2m.remote_load %[[IN]] %[[A]]
// CHECK: d2m.operand_alias %[[B]]
// CHECK: memref.dealloc %[[A]]
// CHECK: %[[C:.*]] = memref.alloc() {address = 1024 : i64, alignment = 16 : i64}
// CHECK: d2m.generic
// CHECK: memref.dealloc %[[B]]
// CHECK-NOT: memref.dealloc %[[C]]
// CHECK: return %[[C]]

// ALWAYS-LABEL: func.func @chain
// ALWAYS: %[[A:.*]] = memref.alloc()
// ALWAYS: d2m.generic
// ALWAYS-NOT: d2m.operand_alias %[[A]]
// ALWAYS: memref.alloc() {address = {{[0-9]+}} : i64, alignment = 16 : i64, d2m.synchronized_buffer = 2 : i32} : memref<1x1x!ttcore.tile<32x32, f32>, #l1>
// ALWAYS: d2m.operand_alias
// ALWAYS: memref.dealloc

// A circular buffer of three tiles; the largest buffer is placed first.
// RANGE-LABEL: func.func @chain
// RANGE: memref.alloc() {address = 14336 : i64
// RANGE: memref.alloc() {address = 2048 : i64, alignment = 16 : i64, d2m.synchronized_buffer = 3 : i32}

// What no generic writes may leave L1; results stay.
// SPILL-LABEL: func.func @chain
// SPILL: memref.alloc() {address = {{[0-9]+}} : i64, alignment = 32 : i64} : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #dram>
// SPILL: memref.alloc() {address = 1024 : i64, alignment = 16 : i64} : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
func.func @chain() -> memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1> {
  %a = memref.alloc() : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  %b = memref.alloc() : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<2x2>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%a : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%b : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %x = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>>
    d2m.remote_load %x %a[%i, %j] : memref<1x1x!ttcore.tile<32x32, f32>>, memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
    %y = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>>
    memref.copy %x, %y : memref<1x1x!ttcore.tile<32x32, f32>> to memref<1x1x!ttcore.tile<32x32, f32>>
    d2m.remote_store %b[%i, %j] %y : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, memref<1x1x!ttcore.tile<32x32, f32>>
  }
  %c = memref.alloc() : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
  d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<2x2>, indexing_maps = [#same, #same], iterator_types = [#parallel, #parallel], threads = [#d2m.thread<unified>]}
      ins(%b : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>)
      outs(%c : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>) {
  ^unified0:
    %i = d2m.block_index(0) : index
    %j = d2m.block_index(1) : index
    %x = memref.alloc() : memref<1x1x!ttcore.tile<32x32, f32>>
    d2m.remote_load %x %b[%i, %j] : memref<1x1x!ttcore.tile<32x32, f32>>, memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
    d2m.remote_store %c[%i, %j] %x : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>, memref<1x1x!ttcore.tile<32x32, f32>>
  }
  return %c : memref<2x2x1x1x!ttcore.tile<32x32, f32>, #s, #l1>
}
