// RUN: tilewright sim %s --profile | FileCheck %s
// RUN: tilewright sim %s --seed 5 | FileCheck %s --check-prefix=VALUES
// RUN: tilewright sim %s --chip p150 | FileCheck %s --check-prefix=VALUES
// A reader, a compute and a writer kernel: out = exp2(a + a) + 0.5 on 2x2 tiles, each core of
// a 1x2 grid taking one column of tiles from interleaved DRAM.
// CHECK: program: {{[1-9][0-9]+}} cycles
// CHECK: 0,1 {{.*}}@reader
// CHECK: 0,0 {{.*}}@compute
// VALUES: out0: bf16[64, 64] = 1.5 4.5 16.5 64.5 256 1024 4096 1.5 ...

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, bf16>
module {
  func.func @main(%a: memref<64x64xbf16>) -> memref<64x64xbf16> {
    %in = "ttmetal.create_buffer"() <{address = 4096 : i64}> : () -> memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>
    %out = "ttmetal.create_buffer"() <{address = 65536 : i64}> : () -> memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>
    %cb0 = "ttmetal.create_buffer"() <{address = 180224 : i64}> : () -> memref<1x2x1x2x!tile, #ttcore.shard<4096x2048, 1>, #l1>
    %cb1 = "ttmetal.create_buffer"() <{address = 200000 : i64}> : () -> memref<1x2x1x2x!tile, #ttcore.shard<4096x2048, 1>, #l1>
    "ttmetal.enqueue_write_buffer"(%a, %in) : (memref<64x64xbf16>, memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>) -> ()
    "ttmetal.enqueue_program"(%in, %out, %cb0, %cb1) <{
      cb_ports = array<i64: 0, 1>,
      kernelConfigs = [
        #ttmetal.noc_config<@reader, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>] ct_args = [<cb_port[0]>, <tensor_accessor_args[0]>]>, dm_core = 1, noc0>,
        #ttmetal.noc_config<@writer, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[1]>] ct_args = [<cb_port[1]>, <tensor_accessor_args[1]>]>, dm_core = 0, noc1>,
        #ttmetal.compute_config<@compute, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[1]>]>, hifi4, false, false, false, [default]>],
      operandSegmentSizes = array<i32: 2, 2>}> : (memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>, memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>, memref<1x2x1x2x!tile, #ttcore.shard<4096x2048, 1>, #l1>, memref<1x2x1x2x!tile, #ttcore.shard<4096x2048, 1>, #l1>) -> ()
    %host = memref.alloc() : memref<64x64xbf16>
    "ttmetal.enqueue_read_buffer"(%out, %host) : (memref<1x1x2x2x!tile, #ttcore.interleaved<1x1>, #dram>, memref<64x64xbf16>) -> ()
    "ttmetal.finish"() : () -> ()
    return %host : memref<64x64xbf16>
  }

  func.func private @reader() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %page = arith.constant 2048 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<2, !tile>
    %base = "ttkernel.get_common_arg_val"(%zero) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%c1, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    %x = "ttkernel.my_logical_x_"() : () -> index
    scf.for %i = %zero to %two step %one {
      %row = arith.muli %i, %two : index
      %id = arith.addi %row, %x : index
      %id32 = arith.index_cast %id : index to i32
      "ttkernel.cb_reserve_back"(%cb, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
      %to = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<2, !tile>) -> i32
      "ttkernel.noc_async_read_tile"(%id32, %acc, %to) : (i32, !ttkernel.TensorAccessor, i32) -> ()
      "ttkernel.noc_async_read_barrier"() : () -> ()
      "ttkernel.cb_push_back"(%cb, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
    }
    return
  }

  func.func private @compute() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %half = arith.constant 0x3F000000 : i32
    %cbi = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<2, !tile>
    %cbo = "ttkernel.get_compile_time_arg_val"() <{arg_index = 1 : i32}> : () -> !ttkernel.cb<2, !tile>
    "ttkernel.binary_op_init_common"(%cbi, %cbi, %cbo) : (!ttkernel.cb<2, !tile>, !ttkernel.cb<2, !tile>, !ttkernel.cb<2, !tile>) -> ()
    scf.for %i = %zero to %two step %one {
      "ttkernel.cb_wait_front"(%cbi, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
      "ttkernel.cb_reserve_back"(%cbo, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
      "ttkernel.tile_regs_acquire"() : () -> ()
      "ttkernel.add_tiles_init"(%cbi, %cbi) : (!ttkernel.cb<2, !tile>, !ttkernel.cb<2, !tile>) -> ()
      "ttkernel.add_tiles"(%cbi, %cbi, %zero, %zero, %zero) : (!ttkernel.cb<2, !tile>, !ttkernel.cb<2, !tile>, index, index, index) -> ()
      "ttkernel.exp2_tile_init"() : () -> ()
      "ttkernel.exp2_tile"(%zero) : (index) -> ()
      "ttkernel.binop_with_scalar_tile_init"() : () -> ()
      "ttkernel.add_unary_tile"(%zero, %half) : (index, i32) -> ()
      "ttkernel.tile_regs_commit"() : () -> ()
      "ttkernel.tile_regs_wait"() : () -> ()
      "ttkernel.pack_tile"(%zero, %cbo, %zero) <{out_of_order = true}> : (index, !ttkernel.cb<2, !tile>, index) -> ()
      "ttkernel.tile_regs_release"() : () -> ()
      "ttkernel.cb_push_back"(%cbo, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
      "ttkernel.cb_pop_front"(%cbi, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
    }
    return
  }

  func.func private @writer() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : i32
    %page = arith.constant 2048 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<2, !tile>
    %base = "ttkernel.get_common_arg_val"(%zero) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%c1, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %acc = "ttkernel.TensorAccessor"(%args, %base, %page) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    %x = "ttkernel.my_logical_x_"() : () -> index
    scf.for %i = %zero to %two step %one {
      %row = arith.muli %i, %two : index
      %id = arith.addi %row, %x : index
      "ttkernel.cb_wait_front"(%cb, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
      %from = "ttkernel.get_read_ptr"(%cb) : (!ttkernel.cb<2, !tile>) -> i32
      "ttkernel.noc_async_write_tile"(%id, %acc, %from) : (index, !ttkernel.TensorAccessor, i32) -> ()
      "ttkernel.noc_async_write_barrier"() : () -> ()
      "ttkernel.cb_pop_front"(%cb, %c1) : (!ttkernel.cb<2, !tile>, i32) -> ()
    }
    return
  }
}
