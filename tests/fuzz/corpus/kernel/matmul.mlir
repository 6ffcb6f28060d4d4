// A 2x3-tile by 3x1-tile product in f32 on one core, K accumulated in DST; the tensors are
// sharded in L1 and the kernels read them over the NoC.
// CHECK: out0: f32[64, 32] = 1030 858 847 1032 769 660 747 1030 ...

#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, f32>
!a = memref<1x1x2x3x!tile, #ttcore.shard<12288x4096, 1>, #l1>
!b = memref<1x1x3x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
!c = memref<1x1x2x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
!q = memref<1x1x1x3x!tile, #ttcore.shard<12288x4096, 1>, #l1>
!cb = !ttkernel.cb<3, !tile>
module {
  func.func @main(%x: memref<64x96xf32>, %y: memref<96x32xf32>) -> memref<64x32xf32> {
    %a = "ttmetal.create_buffer"() <{address = 16384 : i64}> : () -> !a
    %b = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> !b
    %c = "ttmetal.create_buffer"() <{address = 131072 : i64}> : () -> !c
    %cb0 = "ttmetal.create_buffer"() <{address = 200000 : i64}> : () -> !q
    %cb1 = "ttmetal.create_buffer"() <{address = 240000 : i64}> : () -> !q
    %cb2 = "ttmetal.create_buffer"() <{address = 280000 : i64}> : () -> !q
    "ttmetal.enqueue_write_buffer"(%x, %a) : (memref<64x96xf32>, !a) -> ()
    "ttmetal.enqueue_write_buffer"(%y, %b) : (memref<96x32xf32>, !b) -> ()
    "ttmetal.enqueue_program"(%a, %b, %c, %cb0, %cb1, %cb2) <{
      cb_ports = array<i64: 0, 1, 16>,
      kernelConfigs = [
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <buffer_address[1]>] ct_args = [<cb_port[0]>, <cb_port[1]>, <tensor_accessor_args[0]>, <tensor_accessor_args[1]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[2]>] ct_args = [<cb_port[2]>]>, dm_core = 0, noc1>,
        #ttmetal.compute_config<@compute, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>, <cb_port[2]>]>, hifi4, true, false, false, [default]>],
      operandSegmentSizes = array<i32: 3, 3>}> : (!a, !b, !c, !q, !q, !q) -> ()
    %host = memref.alloc() : memref<64x32xf32>
    "ttmetal.enqueue_read_buffer"(%c, %host) : (!c, memref<64x32xf32>) -> ()
    return %host : memref<64x32xf32>
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %n = arith.constant 6 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %page = arith.constant 4096 : i32
    %cba = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %cbb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    %pa = "ttkernel.get_common_arg_val"(%i0) : (index) -> i32
    %pb = "ttkernel.get_common_arg_val"(%i1) : (index) -> i32
    %ta = "ttkernel.TensorAccessorArgs"(%c2, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %tb = "ttkernel.TensorAccessorArgs"(%ta) <{operandSegmentSizes = array<i32: 0, 0, 1>}> : (!ttkernel.TensorAccessorArgs) -> !ttkernel.TensorAccessorArgs
    %a = "ttkernel.TensorAccessor"(%ta, %pa, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    %b = "ttkernel.TensorAccessor"(%tb, %pb, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    scf.for %i = %c0 to %n step %c1 : i32 {
      %k = arith.remsi %i, %c3 : i32
      "ttkernel.cb_reserve_back"(%cba, %c1) : (!cb, i32) -> ()
      "ttkernel.cb_reserve_back"(%cbb, %c1) : (!cb, i32) -> ()
      %wa = "ttkernel.get_write_ptr"(%cba) : (!cb) -> i32
      %wb = "ttkernel.get_write_ptr"(%cbb) : (!cb) -> i32
      "ttkernel.noc_async_read_tile"(%i, %a, %wa) : (i32, !ttkernel.TensorAccessor, i32) -> ()
      "ttkernel.noc_async_read_tile"(%k, %b, %wb) : (i32, !ttkernel.TensorAccessor, i32) -> ()
      "ttkernel.noc_async_read_barrier"() : () -> ()
      "ttkernel.cb_push_back"(%cba, %c1) : (!cb, i32) -> ()
      "ttkernel.cb_push_back"(%cbb, %c1) : (!cb, i32) -> ()
    }
    return
  }

  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %b = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !cb
    %c = "ttkernel.get_compile_time_arg_val"() <{arg_index = 2 : i32}> : () -> !cb
    "ttkernel.mm_init"(%a, %b, %c, %c0) : (!cb, !cb, !cb, i32) -> ()
    scf.for %row = %i0 to %i2 step %i1 {
      "ttkernel.tile_regs_acquire"() : () -> ()
      scf.for %k = %i0 to %i3 step %i1 {
        "ttkernel.cb_wait_front"(%a, %c1) : (!cb, i32) -> ()
        "ttkernel.cb_wait_front"(%b, %c1) : (!cb, i32) -> ()
        "ttkernel.matmul_tiles"(%a, %b, %i0, %i0, %i0) : (!cb, !cb, index, index, index) -> ()
        "ttkernel.cb_pop_front"(%a, %c1) : (!cb, i32) -> ()
        "ttkernel.cb_pop_front"(%b, %c1) : (!cb, i32) -> ()
      }
      "ttkernel.tile_regs_commit"() : () -> ()
      "ttkernel.cb_reserve_back"(%c, %c1) : (!cb, i32) -> ()
      "ttkernel.tile_regs_wait"() : () -> ()
      "ttkernel.pack_tile"(%i0, %c, %i0) <{out_of_order = false}> : (index, !cb, index) -> ()
      "ttkernel.tile_regs_release"() : () -> ()
      "ttkernel.cb_push_back"(%c, %c1) : (!cb, i32) -> ()
    }
    return
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %i0 = arith.constant 0 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %size = arith.constant 4096 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !cb
    %base = "ttkernel.get_common_arg_val"(%i0) : (index) -> i32
    %x = "ttkernel.experimental.convert_logical_x_to_translated"(%i0) : (index) -> index
    %y = "ttkernel.experimental.convert_logical_y_to_translated"(%i0) : (index) -> index
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      "ttkernel.cb_wait_front"(%cb, %c1) : (!cb, i32) -> ()
      %from = "ttkernel.get_read_ptr"(%cb) : (!cb) -> i32
      %offset = arith.muli %i, %size : i32
      %to = arith.addi %base, %offset : i32
      "ttkernel.noc_async_write"(%from, %x, %y, %to, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
      "ttkernel.noc_async_write_barrier"() : () -> ()
      "ttkernel.cb_pop_front"(%cb, %c1) : (!cb, i32) -> ()
    }
    return
  }
}
