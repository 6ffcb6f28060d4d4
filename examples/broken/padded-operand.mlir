// A tile of 20 columns is added to one of 32: twelve columns of the result are the second operand's, and are stored.
// Run it: tilewright sim examples/broken/padded-operand.mlir
// Report:
//   warning <1>: padded operand: one operand has values in 20 columns of its tile, another one in 32, so padding is
//       computed with values, and stored as values (kernel @compute, core 0,0, cycle *)
//   note <2>: stored here, where the tensor has 32 columns; broadcast the smaller operand first: use
//       ttl.math.broadcast with dims=[1] (in kernels of tiles unary_bcast), or give both operands tensors of as many
//       columns

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, bf16>
!cb = !ttkernel.cb<2, !tile>
!tensor = memref<1x1x1x1x!tile, #ttcore.interleaved<1x1>, #dram>
!buffer = memref<1x1x1x2x!tile, #ttcore.shard<2048x2048, 1>, #l1>
module {
  func.func @main(%a: memref<32x20xbf16>, %b: memref<32x32xbf16>, %zeros: memref<32x32xbf16>) -> memref<32x32xbf16> {
    %in = "ttmetal.create_buffer"() <{address = 4096 : i64}> : () -> !tensor
    %in1 = "ttmetal.create_buffer"() <{address = 32768 : i64}> : () -> !tensor
    %out = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !tensor
    %cb0 = "ttmetal.create_buffer"() <{address = 180224 : i64}> : () -> !buffer
    %cb1 = "ttmetal.create_buffer"() <{address = 200704 : i64}> : () -> !buffer
    %cb2 = "ttmetal.create_buffer"() <{address = 221184 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<32x20xbf16>, !tensor) -> ()
    "ttmetal.enqueue_write_buffer"(%b, %in1) : (memref<32x32xbf16>, !tensor) -> ()
    "ttmetal.enqueue_write_buffer"(%zeros, %out) : (memref<32x32xbf16>, !tensor) -> ()
    "ttmetal.enqueue_program"(%in, %in1, %out, %cb0, %cb1, %cb2) <{
      cb_ports = array<i64: 0, 1, 2>,
      kernelConfigs = [
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>, <cb_port[2]>, <tensor_accessor_args[1]>]>, dm_core = 1, noc0>,
        #ttmetal.compute_config<@compute, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>, <cb_port[2]>]>, hifi4, false, false, false, [default]>,
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[2]>] ct_args = [<cb_port[1]>, <tensor_accessor_args[2]>]>, dm_core = 0, noc1>],
      operandSegmentSizes = array<i32: 3, 3>}> : (!tensor, !tensor, !tensor, !buffer, !buffer, !buffer) -> ()
    %host = memref.alloc() : memref<32x32xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (!tensor, memref<32x32xbf16>) -> ()
    return %host : memref<32x32xbf16>
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_reserve_back"(%cb, %w1) : (!cb, i32) -> ()
    %to = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_read_tile"(%w0, %acc, %to) : (i32, !ttkernel.TensorAccessor, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %w1) : (!cb, i32) -> ()
    %other = "ttkernel.get_compile_time_arg_val"() <{arg_index = 2 : i32}> : () -> !cb
    %c1 = arith.constant 1 : index
    %w3 = arith.constant 3 : i32
    %base1 = "ttkernel.get_common_arg_val"(%c1) : (index) -> i32
    %args1 = "ttkernel.TensorAccessorArgs"(%w3, %w1) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %acc1 = "ttkernel.TensorAccessor"(%args1, %base1, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_reserve_back"(%other, %w1) : (!cb, i32) -> ()
    %one = "ttkernel.get_write_ptr"(%other) : (!cb) -> i32
    "ttkernel.noc_async_read_tile"(%w0, %acc1, %one) : (i32, !ttkernel.TensorAccessor, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%other, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
    %c0 = arith.constant 0 : index
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %out = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    %other = "ttkernel.get_compile_time_arg_val"() <{arg_index = 2 : i32}> : () -> !cb
    "ttkernel.compute_kernel_hw_startup"(%cb, %other, %out) : (!cb, !cb, !cb) -> ()
    "ttkernel.add_tiles_init"(%cb, %other) : (!cb, !cb) -> ()
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_wait_front"(%other, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_reserve_back"(%out, %w1) : (!cb, i32) -> ()
    "ttkernel.tile_regs_acquire"() : () -> ()
    "ttkernel.add_tiles"(%cb, %other, %c0, %c0, %c0) : (!cb, !cb, index, index, index) -> ()  // <1>
    "ttkernel.tile_regs_commit"() : () -> ()
    "ttkernel.tile_regs_wait"() : () -> ()
    "ttkernel.pack_tile"(%c0, %out, %c0) <{out_of_order = true}> : (index, !cb, index) -> ()
    "ttkernel.tile_regs_release"() : () -> ()
    "ttkernel.cb_push_back"(%out, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    "ttkernel.cb_pop_front"(%other, %w1) : (!cb, i32) -> ()
    return
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page = arith.constant 2048 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    "ttkernel.cb_wait_front"(%cb, %w1) : (!cb, i32) -> ()
    %from = "ttkernel.get_read_ptr"(%cb) : (!cb) -> i32
    "ttkernel.noc_async_write_tile"(%c0, %acc, %from) : (index, !ttkernel.TensorAccessor, i32) -> ()  // <2>
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %w1) : (!cb, i32) -> ()
    return
  }
}
