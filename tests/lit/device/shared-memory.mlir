// RUN: tilewright sim %s | FileCheck %s
// RUN: not env TILEWRIGHT_KERNEL_CACHE=%t.cache tilewright sim %s --kernel right=%S/Inputs/port-of-others.cpp 2>&1 | FileCheck %s --check-prefix=OTHER
// Two circular buffers share memory, each on the cores whose kernels name it. A core beside these, in the same row, does not have it.
// CHECK: out0: f32[32, 64] = 0 1 2 3 4 5 6 0 ...
// OTHER: port-of-others.cpp:3:20: error: kernel argument: circular buffer 0 is not configured on this core (kernel @right, core 0,1

#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, f32>
!buffer = memref<1x2x1x1x!tile, #ttcore.cb_layout<4096x4096, 1>, #l1>
!two = memref<1x2x1x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
module {
  func.func @main(%a: memref<32x64xf32>) -> memref<32x64xf32> {
    %in = "ttmetal.create_buffer"() <{address = 16384 : i64}> : () -> !two
    %out = "ttmetal.create_buffer"() <{address = 32768 : i64}> : () -> !two
    %cb0 = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !buffer
    %cb1 = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x64xf32>, !two) -> ()
    "ttmetal.enqueue_program"(%in, %out, %cb0, %cb1) <{
      cb_ports = array<i64: 0, 1>,
      kernelConfigs = [
        #ttmetal.noc_config<@left, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@right, #ttmetal.core_range<0x1, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[1]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!two, !two, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x64xf32>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!two, memref<32x64xf32>) -> ()
    return %host : memref<32x64xf32>
  }

  func.func private @left() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %size = arith.constant 4096 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<1, !tile>
    %in = "ttkernel.get_common_arg_val"(%zero) : (index) -> i32
    %out = "ttkernel.get_common_arg_val"(%one) : (index) -> i32
    %y = "ttkernel.my_logical_y_"() : () -> index
    %x = "ttkernel.my_logical_x_"() : () -> index
    "ttkernel.cb_reserve_back"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<1, !tile>) -> i32
    %px = "ttkernel.experimental.convert_logical_x_to_translated"(%x) : (index) -> index
    %py = "ttkernel.experimental.convert_logical_y_to_translated"(%y) : (index) -> index
    "ttkernel.noc_async_read"(%px, %py, %in, %to, %size) <{operandSegmentSizes = array<i32: 2, 0, 1, 1, 1, 0>}> : (index, index, i32, i32, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    %at = "ttkernel.get_read_ptr"(%cb) : (!ttkernel.cb<1, !tile>) -> i32
    "ttkernel.noc_async_write"(%at, %px, %py, %out, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    return
  }
  func.func private @right() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %size = arith.constant 4096 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<1, !tile>
    %in = "ttkernel.get_common_arg_val"(%zero) : (index) -> i32
    %out = "ttkernel.get_common_arg_val"(%one) : (index) -> i32
    %y = "ttkernel.my_logical_y_"() : () -> index
    %x = "ttkernel.my_logical_x_"() : () -> index
    "ttkernel.cb_reserve_back"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<1, !tile>) -> i32
    %px = "ttkernel.experimental.convert_logical_x_to_translated"(%x) : (index) -> index
    %py = "ttkernel.experimental.convert_logical_y_to_translated"(%y) : (index) -> index
    "ttkernel.noc_async_read"(%px, %py, %in, %to, %size) <{operandSegmentSizes = array<i32: 2, 0, 1, 1, 1, 0>}> : (index, index, i32, i32, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    "ttkernel.cb_wait_front"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    %at = "ttkernel.get_read_ptr"(%cb) : (!ttkernel.cb<1, !tile>) -> i32
    "ttkernel.noc_async_write"(%at, %px, %py, %out, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %c1) : (!ttkernel.cb<1, !tile>, i32) -> ()
    return
  }
}
