// Pages and shards of tensors: text, also without parentheses and types where operands are known; what is checked; C++.
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-print-op-generic | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: ttmlir-opt %s --convert-ttkernel-to-emitc=functions=true -o %t && ttmlir-translate --ttkernel-to-cpp %t | FileCheck %s --check-prefix=CALLS
// RUN: ttmlir-opt %s --convert-ttkernel-to-emitc -o %t && ttmlir-translate --ttkernel-to-cpp %t | FileCheck %s --check-prefix=OBJECTS
// RUN: sed 's/offset = 64/offset = -64/' %s | not ttmlir-opt - 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: sed 's/%noc = arith.constant 1/%noc = arith.constant 2/' %s | not ttmlir-opt - 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: sed 's/read_shard(%id, %acc, %here)/read_shard(%id, %here, %here)/; s/_shard(\(.*\)!ttkernel.TensorAccessor/_shard(\1i32/' %s | not ttmlir-opt - 2>&1 | FileCheck %s --check-prefix=ACCESSOR
// RUN: sed 's/read_shard %id, %acc, %here/read_shard %id, %acc, %later/' %s | not ttmlir-opt - 2>&1 | FileCheck %s --check-prefix=LATER

// OFFSET: error: 'ttkernel.noc_async_read_page' op attribute 'offset' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative
// WHICH: error: 'ttkernel.noc_async_read_page' op noc must be in [0, 1].
// ACCESSOR: error: 'ttkernel.noc_async_read_shard' op operand #1 must be TensorAccessor type, but got 'i32'
// LATER: error: the type of '%later' is not known yet: write the types behind ':'
func.func @mover() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %id = arith.constant 3 : i32
  %from = arith.constant 65536 : i32
  %here = arith.constant 131072 : i32
  %base = arith.constant 64 : i32
  %noc = arith.constant 1 : i8
  %w0 = arith.constant 0 : i32
  %args = ttkernel.TensorAccessorArgs(%w0, %w0)
  %acc = ttkernel.TensorAccessor(%args, %base) : (!ttkernel.TensorAccessorArgs, i32) -> !ttkernel.TensorAccessor
  // CHECK: ttkernel.noc_async_read_page(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_page(%{{.*}}, %{{.*}}, %{{.*}}) {offset = 64 : i32} : (i32, !ttkernel.TensorAccessor, i32) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_page(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32, i8) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_shard(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_shard(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  // CHECK-NEXT: ttkernel.noc_async_read_shard(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !ttkernel.TensorAccessor, i32, i8) -> ()
  // CALLS: noc_async_read_page([[ID:v[0-9]+]], [[ACC:v[0-9]+]], [[TO:v[0-9]+]]);
  // CALLS-NEXT: noc_async_read_page([[ID]], [[ACC]], [[TO]], 64);
  // CALLS-NEXT: noc_async_read_page([[ID]], [[ACC]], [[TO]], 0, [[NOC:v[0-9]+]]);
  // CALLS-NEXT: noc_async_read_shard([[ID]], [[ACC]], [[TO]]);
  // CALLS-NEXT: noc_async_read_shard([[ID]], [[ACC]], [[TO]]);
  // CALLS-NEXT: noc_async_read_shard([[ID]], [[ACC]], [[TO]], [[NOC]]);
  // OBJECTS: noc.async_read({{.*}}, CoreLocalMem<uint32_t>({{.*}}), {{.*}}.get_aligned_page_size(), {.page_id = page_id_{{[0-9]+}}}, {});
  // OBJECTS: noc.async_read({{.*}}, CoreLocalMem<uint32_t>({{.*}}), {{.*}}.get_aligned_page_size(), {.page_id = page_id_{{[0-9]+}}, .offset_bytes = 64}, {});
  // OBJECTS: noc1.async_read(
  // OBJECTS: noc_async_read_shard(
  ttkernel.noc_async_read_page(%id, %acc, %here) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  ttkernel.noc_async_read_page(%id, %acc, %here) {offset = 64 : i32} : (i32, !ttkernel.TensorAccessor, i32) -> ()
  ttkernel.noc_async_read_page %id, %acc, %here, %noc
  ttkernel.noc_async_read_shard(%id, %acc, %here) : (i32, !ttkernel.TensorAccessor, i32) -> ()
  ttkernel.noc_async_read_shard %id, %acc, %here
  ttkernel.noc_async_read_shard %id, %acc, %here, %noc : (i32, !ttkernel.TensorAccessor, i32, i8) -> ()
  ttkernel.noc_async_read_barrier() : () -> ()
  // A barrier behind a transfer stays, one behind a barrier does not.
  // CANON: noc_async_read_barrier
  // CANON-NEXT: noc_async_read_shard
  // CANON-NEXT: noc_async_read_barrier
  // CANON-NEXT: noc_async_write_page
  ttkernel.noc_async_read_shard %id, %acc, %here
  ttkernel.noc_async_read_barrier() : () -> ()
  ttkernel.noc_async_read_barrier() : () -> ()
  // CHECK: ttkernel.noc_async_write_page(%{{.*}}, %{{.*}}, %{{.*}}) {offset = 128 : i32} :
  // CHECK-NEXT: ttkernel.noc_async_write_shard(%{{.*}}, %{{.*}}, %{{.*}}) :
  // CALLS: noc_async_write_page([[ID]], [[ACC]], [[FROM:v[0-9]+]], 0, 128);
  // CALLS-NEXT: noc_async_write_shard([[ID]], [[ACC]], [[FROM]]);
  // OBJECTS: noc.async_write(CoreLocalMem<uint32_t>({{.*}}), {{.*}}, {{.*}}.get_aligned_page_size(), {} , {.page_id = page_id_{{[0-9]+}}, .offset_bytes = 128});
  // OBJECTS: noc_async_write_shard(
  ttkernel.noc_async_write_page %id, %acc, %from {offset = 128 : i32}
  ttkernel.noc_async_write_shard %id, %acc, %from
  ttkernel.noc_async_write_barrier() : () -> ()
  %later = arith.constant 0 : i32
  return
}
