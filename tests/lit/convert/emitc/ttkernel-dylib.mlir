// Kernels as a library: what a host has to know is gathered, and written as a function over tensors.
// RUN: ttlang-opt %s --ttl-lower-to-ttkernel -o %t
// RUN: ttlang-opt --ttkernel-to-emitc-pipeline %t | FileCheck %s --check-prefix=PLAIN
// RUN: ttlang-opt --ttkernel-to-emitc-pipeline=target-dylib=true %t -o %t.emitc && FileCheck %s --check-prefix=EMITC < %t.emitc
// RUN: ttlang-translate --mlir-to-cpp %t.emitc | FileCheck %s
// RUN: sed 's/ttl.of_kernel/ttl.of_nobody/' %t | not ttlang-opt - --ttkernel-to-emitc-pipeline=target-dylib=true 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: sed 's/name = "copied"/name = "co-pied"/' %t.emitc | not ttlang-translate --mlir-to-cpp - 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/threads = \[[^]]*\]/threads = 1/' %t.emitc | not ttlang-translate --mlir-to-cpp - 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: sed 's/interleaved>/sharded, grid=[2,2]>/' %s | ttlang-opt - --ttl-lower-to-ttkernel --ttkernel-to-emitc-pipeline=target-dylib=true | ttlang-translate --mlir-to-cpp | FileCheck %s --check-prefix=BLOCKS
// RUN: sed 's/outputs = \[1\]/outputs = [77]/' %t.emitc | not ttlang-translate --mlir-to-cpp - 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: sed 's/tensor_types = \[[^]]*\]/tensor_types = [f16, f16]/' %t | not ttlang-opt - --ttkernel-to-emitc-pipeline=target-dylib=true 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: sed 's/cb<2, !ttcore.tile<32x32, f32>>/cb<2, f32>/g' %t | not ttlang-opt - --ttkernel-to-emitc-pipeline=target-dylib=true 2>&1 | FileCheck %s --check-prefix=PAGES
// RUN: sed '0,/^ *return/s//%%sn = arith.constant 4 : i32\n %%sw = "ttkernel.get_semaphore"(%%sn) : (i32) -> !ttkernel.semaphore\n return/' %t | ttlang-opt - --ttkernel-to-emitc-pipeline=target-dylib=true | FileCheck %s --check-prefix=WORDS
// RUN: ttlang-opt %s --ttl-insert-synchronization --ttl-canonicalize --ttl-allocate-cbs --ttl-expand-threads --ttl-to-ttkernel-pipeline=lower-to-emitc=true | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: ttkernel.programs
// PLAIN: emitc.verbatim
// PLAIN-NOT: "ttkernel.
// EMITC: module attributes {ttkernel.programs = [{buffers = {{\[\[}}0, 2, 4096, 0]], grid = [2, 2], name = "copied", numbers = [], outputs = [1], semaphores = [], tensors = [tensor<2x2x!ttcore.tile<32x32, f32>, #{{.*}}>, tensor<{{.*}}>], threads = ["copied_datamovement0", "copied_datamovement1"]}]} {
// WORDS: semaphores = [0, 0, 0, 0, 0],
// NOBODY: error: 'func.func' op comes from no ttl.kernel, so that its tensors are not known: a library cannot launch it
// NAME: error: 'builtin.module' op has a kernel 'co-pied', which is no name in C++
// PARTS: error: 'builtin.module' op has a program that ttkernel-describe-programs did not make
// HALF: error: 'func.func' op takes an argument of type 'f16' when it runs; a library's functions take tensors, i32 and index
// PAGES: error: 'ttkernel.get_compile_time_arg_val' op is a circular buffer of 'f32' whose pages are not known, so that a library cannot make it: lower it from a ttl.kernel
// BLOCKS: tensors.push_back(ttnn::empty(ttnn::Shape({64, 64}), ttnn::DataType::FLOAT32, ttnn::Layout::TILE, device_of_library, ttnn::MemoryConfig(ttnn::BufferType::DRAM, tt::tt_metal::NdShardSpec{ttnn::Shape({32, 32}), cores_to(3, 0)})));

// CHECK: #include "ttnn-precompiled.hpp"
// CHECK: extern "C" void setDevice(ttnn::MeshDevice *device)
// CHECK: static const char source_of_copied_datamovement0[] = R"kernel(// copied_datamovement0
// CHECK: void kernel_main() {
// CHECK: noc.async_read(
// CHECK: )kernel";
// CHECK: static const char source_of_copied_datamovement1[] = R"kernel(
// CHECK: std::vector<ttnn::Tensor> copied(std::vector<ttnn::Tensor> inputs) {
// CHECK: if (inputs.size() == 2) {
// CHECK: } else if (inputs.size() == 1) {
// CHECK-NEXT: tensors.push_back(inputs[0]);
// CHECK-NEXT: tensors.push_back(ttnn::empty(ttnn::Shape({64, 64}), ttnn::DataType::FLOAT32, ttnn::Layout::TILE, device_of_library, ttnn::MemoryConfig(ttnn::TensorMemoryLayout::INTERLEAVED, ttnn::BufferType::DRAM)));
// CHECK: program.cbs.push_back(CBDescriptor{.total_size = 8192, .core_ranges = cores, .format_descriptors = {CBFormatDescriptor{.buffer_index = 0, .data_format = tt::DataFormat::Float32, .page_size = 4096}}});
// CHECK: kernel.kernel_source = source_of_copied_datamovement0;
// CHECK: kernel.compile_time_args.push_back(0);
// CHECK-NEXT: for (const ttnn::Tensor &tensor : tensors)
// CHECK-NEXT: TensorAccessorArgs(*tensor.buffer()).append_to(kernel.compile_time_args);
// CHECK-NEXT: kernel.common_runtime_args.push_back(tensors[0].buffer()->address());
// CHECK-NEXT: kernel.config = ReaderConfigDescriptor{};
// CHECK: kernel.config = WriterConfigDescriptor{};
// CHECK: ttnn::generic_op(tensors, program);
// CHECK-NEXT: return {tensors[1]};
// CHECK: std::vector<ttnn::Tensor> create_inputs_for_copied(ttnn::MeshDevice &device) {
ttl.kernel @copied(%a: tensor<64x64xf32>, %out: tensor<64x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %from = ttl.tensor_accessor %a {layout = #ttl.layout<interleaved>, memspace = DRAM}
  %to = ttl.tensor_accessor %out {layout = #ttl.layout<interleaved>, memspace = DRAM}
  ttl.datamovement_thread {
    %page = ttl.core_linear() : index
    %blk = ttl.cb_reserve %cb : !ttl.block<...>
    %tx = ttl.copy %from[%page], %blk : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_push %blk
  }
  ttl.datamovement_thread {
    %page = ttl.core_linear() : index
    %blk = ttl.cb_wait %cb : !ttl.block<...>
    %tx = ttl.copy %blk, %to[%page] : !ttl.mem_tx
    ttl.wait %tx
    ttl.cb_pop %blk
  }
}
