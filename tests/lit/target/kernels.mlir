// Kernels and quantization inside a .ttnn.
// RUN: ttmlir-opt %s --ttcore-register-device | ttmlir-translate --ttnn-to-flatbuffer -o %t.ttnn
// RUN: ttrt read --quiet --section all --result-file %t.results --read-file %t.json %t.ttnn
// RUN: FileCheck %s --input-file=%t.json

#dram = #ttnn.buffer_type<dram>
#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (1,0)>]>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ints = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#one = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#onei = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#cb = #ttnn.kernel_cb<total_size = 8192, core_ranges = #cores, formats = [#ttnn.kernel_cb_format<buffer_index = 3, dtype = f32, page_size = 4096>]>
#reader = #ttnn.read_kernel<symbol_ref = @reader, core_ranges = #cores, ct_args = [#ttnn.kernel_arg_cb_buffer_index<3>], common_rt_args = [#ttnn.kernel_arg_address_of_tensor<0>],
  rt_args = [#ttnn.core_runtime_args<core_coord = #ttnn.core_coord<1, 0>, args = [#ttnn.kernel_named_arg<name = "pages", value = 7>, #ttnn.kernel_arg_semaphore_at<0>]>]>
#compute = #ttnn.compute_kernel<symbol_ref = @compute, core_ranges = #cores, math_fidelity = hifi2, fp32_dest_acc_en = true, dst_full_sync_en = false, unpack_to_dest_modes = [fp32],
  bfp8_pack_precise = false, math_approx_mode = true, ct_args = [], common_rt_args = [], rt_args = []>
#program = #ttnn.program<kernels = [#reader, #compute], cbs = [#cb], semaphores = [#ttnn.kernel_semaphore<id = 0, core_type = worker, core_ranges = #cores, initial_value = 5>]>

// CHECK: "GenericOp"
// CHECK: "program_type": "ProgramDescriptor"
// CHECK: "source": {{.*}}void kernel_main()
// CHECK: "config_type": "ReaderKernelConfig"
// CHECK: "arg_type": "KernelArgCBBufferIndex"
// CHECK: "buffer_index": 3
// CHECK: "name": "pages"
// CHECK: "arg_type": "KernelArgSemaphoreAt"
// CHECK: "arg_type": "KernelArgBufferAddressOfTensor"
// CHECK: "config_type": "ComputeKernelConfig"
// CHECK: "math_fidelity": "HiFi2"
// CHECK: "math_approx_mode": true
// CHECK: "initial_value": 5
// CHECK: "total_size": 8192
// CHECK: "page_size": 4096
// CHECK: "type": "Quantize"
// CHECK: "scale_type": "PerTensorScale"
// CHECK: "scale": 0.25
// CHECK: "zero_point": 3
module {
  func.func @main(%a: tensor<32x32xf32, #layout>) -> tensor<32x32x!quant.uniform<i32:f32, 2.500000e-01:3>, #ints> attributes {tt.function_type = "forward_device"} {
    %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %out = "ttnn.empty"(%d) <{layout = #ttnn.layout<tile>, shape = #ttnn.shape<32x32>}> : (!ttnn.device) -> tensor<32x32xf32, #layout>
    "ttnn.generic"(%a, %out) <{program = #program, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<32x32xf32, #layout>, tensor<32x32xf32, #layout>) -> ()
    %s = "ttnn.full"(%d) <{fill_value = 0.25 : f32, layout = #ttnn.layout<tile>, shape = #ttnn.shape<1>}> : (!ttnn.device) -> tensor<1xf32, #one>
    %z = "ttnn.full"(%d) <{fill_value = 3 : i32, layout = #ttnn.layout<tile>, shape = #ttnn.shape<1>}> : (!ttnn.device) -> tensor<1xsi32, #onei>
    %q = "ttnn.quantize"(%out, %s, %z) <{output_dtype = #ttcore.supportedDataTypes<si32>}> : (tensor<32x32xf32, #layout>, tensor<1xf32, #one>, tensor<1xsi32, #onei>) -> tensor<32x32x!quant.uniform<i32:f32, 2.500000e-01:3>, #ints>
    return %q : tensor<32x32x!quant.uniform<i32:f32, 2.500000e-01:3>, #ints>
  }
  func.func private @reader() attributes {tt.function_type = "kernel", ttkernel.thread = #ttkernel.thread<noc>} {
    return
  }
  func.func private @compute() attributes {tt.function_type = "kernel", ttkernel.thread = #ttkernel.thread<compute>} {
    return
  }
}
