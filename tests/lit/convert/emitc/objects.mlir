// Kernels as C++ of the kernel API's newer objects, declared where they are first needed.
// RUN: ttmlir-opt %s --convert-ttkernel-to-emitc -o %t && ttmlir-translate --ttkernel-to-cpp %t | FileCheck %s
// RUN: ttmlir-opt %s --convert-ttkernel-to-emitc=functions=true -o %t && ttmlir-translate --ttkernel-to-cpp %t | FileCheck %s --check-prefix=CALLS

!cb = !ttkernel.cb<4, !ttcore.tile<32x32, bf16>>

// CHECK: // reader
// CHECK-NEXT: #include <cstdint>
// CHECK: #include "api/core_local_mem.h"
// CHECK-NEXT: #include "api/dataflow/circular_buffer.h"
// CHECK-NEXT: #include "api/dataflow/dataflow_api.h"
// CHECK-NEXT: #include "api/dataflow/endpoints.h"
// CHECK-NEXT: #include "api/dataflow/noc.h"
// CHECK: void kernel_main() {
// The NoC that no operand names is the thread's own.
// CHECK-DAG: Noc noc;
// CHECK-DAG: Noc noc1(1);
// CHECK-DAG: UnicastEndpoint unicast_ep;
// CHECK-DAG: MulticastEndpoint mcast_ep;
// CALLS: // reader
// CALLS-NOT: Noc
// CALLS-NOT: CircularBuffer
func.func @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c1 = arith.constant 1 : i32
  %size = arith.constant 2048 : i32
  %x = arith.constant 3 : index
  %noc1 = arith.constant 1 : i8
  // CHECK: CircularBuffer cb_ctarg_2(get_compile_time_arg_val(2));
  %cb = ttkernel.get_compile_time_arg_val(2) : () -> !cb
  // CHECK: uint32_t [[PORT:v[0-9]+]] = get_arg_val<uint32_t>({{.*}});
  // CHECK-NEXT: CircularBuffer cb_arg_0([[PORT]]);
  %other = ttkernel.get_arg_val(%x) : (index) -> !cb
  // CHECK: cb_ctarg_2.reserve_back(
  // CALLS: cb_reserve_back(get_compile_time_arg_val(2),
  ttkernel.cb_reserve_back(%cb, %c1) : (!cb, i32) -> ()
  %at = ttkernel.get_write_ptr(%cb) : (!cb) -> i32
  // A pointer that is used before anything moves it is asked for where it is used,
  // CHECK: noc.async_read(unicast_ep, CoreLocalMem<uint32_t>(cb_ctarg_2.get_write_ptr()), {{v[0-9]+}}, {.noc_x = {{v[0-9]+}}, .noc_y = {{v[0-9]+}}, .addr = static_cast<uint32_t>({{v[0-9]+}})}, {});
  // CALLS: int64_t [[FAR:v[0-9]+]] = get_noc_addr(
  // CALLS: noc_async_read([[FAR]], {{v[0-9]+}}, {{v[0-9]+}});
  ttkernel.noc_async_read core[%x, %x], %size, %at, %size : (index, index, i32, i32, i32) -> ()
  // CHECK: noc.async_read_barrier();
  ttkernel.noc_async_read_barrier() : () -> ()
  // another is kept.
  // CHECK: const int32_t ptr_0 = cb_ctarg_2.get_write_ptr();
  %old = ttkernel.get_write_ptr(%cb) : (!cb) -> i32
  // CHECK: cb_ctarg_2.push_back(
  ttkernel.cb_push_back(%cb, %c1) : (!cb, i32) -> ()
  // CHECK: noc1.async_write_multicast<NocOptions::MCAST_INCL_SRC>(CoreLocalMem<uint32_t>(ptr_0), mcast_ep,
  // CALLS: noc_async_write_multicast_loopback_src(
  ttkernel.noc_async_write_multicast_loopback_src(%old, %size, %c1, start_xy[%x, %x], end_xy[%x, %x], %size, noc %noc1) : (i32, i32, i32, index, index, index, index, i32, i8) -> ()
  // CHECK: noc1.async_write_barrier();
  ttkernel.noc_async_write_barrier(%noc1) : (i8) -> ()
  // CHECK: cb_arg_0.pop_front(
  ttkernel.cb_pop_front(%other, %c1) : (!cb, i32) -> ()
  return
}

// CHECK: // compute
// CHECK: void kernel_main() {
// CHECK: compute_kernel_hw_startup<SrcOrder::Reverse>(get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2));
// CHECK-NEXT: matmul_init(get_compile_time_arg_val(0), get_compile_time_arg_val(1), {{v[0-9]+}});
// CALLS: mm_init(get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2), {{v[0-9]+}});
// CHECK-NEXT: exp_tile_init<true, 1073741824>();
// CHECK-NEXT: exp_tile<true, true>({{v[0-9]+}}, VectorMode::RC, static_cast<uint16_t>(16384u));
// CHECK-NEXT: { volatile int32_t __s = {{v[0-9]+}}; mul_unary_tile({{v[0-9]+}}, __s); }
// CALLS: mul_unary_tile({{v[0-9]+}}, {{v[0-9]+}});
// CHECK-NEXT: PACK((llk_pack_reconfig_l1_acc({{v[0-9]+}})));
// CHECK: std::min<int32_t>(
// CHECK: bool {{v[0-9]+}} = {{v[0-9]+}} && {{v[0-9]+}};
func.func @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %c0 = arith.constant 0 : index
  %no = arith.constant 0 : i32
  %a = ttkernel.get_compile_time_arg_val(0) : () -> !cb
  %b = ttkernel.get_compile_time_arg_val(1) : () -> !cb
  %out = ttkernel.get_compile_time_arg_val(2) : () -> !cb
  ttkernel.mm_init(%a, %b, %out, %no) : (!cb, !cb, !cb, i32) -> ()
  "ttkernel.exp_tile_init"() <{approx = true, scale = 1073741824 : i32}> : () -> ()
  "ttkernel.exp_tile"(%c0) <{approx = true, scale = 1073741824 : i32}> : (index) -> ()
  ttkernel.mul_unary_tile(%c0, %no) : (index, i32) -> ()
  ttkernel.pack_reconfig_l1_acc(%no) : (i32) -> ()
  %least = arith.minsi %no, %no : i32
  %same = arith.cmpi eq, %least, %no : i32
  %both = arith.andi %same, %same : i1
  return
}
