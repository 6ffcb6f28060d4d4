// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Rules of programs of kernels: their attributes, the operations that run them.

#a = #ttnn.core_range<(0,0), (2,2)>
#b = #ttnn.core_range<(3,0), (3,7)>
#c = #ttnn.core_range<(2,2), (4,4)>
#apart = #ttnn.core_range_set<[#a, #b]>
// expected-error @+1 {{Core ranges overlap: #ttnn.core_range<(0,0), (2,2)> and #ttnn.core_range<(2,2), (4,4)>}}
#touching = #ttnn.core_range_set<[#a, #c]>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,0)>]>
#tensor = #ttnn.kernel_arg_address_of_tensor<0>
// expected-error @+1 {{Unexpected compile time argument}}
#k = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [#tensor], common_rt_args = [#tensor], rt_args = []>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,0)>]>
#places = #ttnn.kernel_arg_tensor_accessor_args<0>
// expected-error @+1 {{Unexpected common runtime argument}}
#k = #ttnn.write_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [#places], common_rt_args = [#places], rt_args = []>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#here = #ttnn.core_runtime_args<core_coord = #ttnn.core_coord<0, 1>, args = [#ttnn.kernel_arg_scalar<0>]>
#there = #ttnn.core_runtime_args<core_coord = #ttnn.core_coord<1, 0>, args = [#ttnn.kernel_arg_scalar<0>]>
#k = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [], common_rt_args = [], rt_args = [#here, #there]>
// expected-error @+1 {{Duplicate CoreCoord (0, 1) in runtime arguments}}
#l = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [], common_rt_args = [], rt_args = [#here, #there, #here]>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#k = #ttnn.source_read_kernel<source = "void kernel_main() {}", core_ranges = #cores, ct_args = [], common_rt_args = [], rt_args = []>
// expected-error @+1 {{inline-source kernel requires a non-empty `source`}}
#l = #ttnn.source_read_kernel<source = "", core_ranges = #cores, ct_args = [], common_rt_args = [], rt_args = []>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#k = #ttnn.data_movement_kernel<symbol_ref = @f, core_ranges = #cores, processor = riscv0, noc_index = noc0, noc_mode = dedicated_noc, ct_args = [], common_rt_args = [], rt_args = []>
// expected-error @+1 {{dynamic noc mode is not supported}}
#l = #ttnn.data_movement_kernel<symbol_ref = @f, core_ranges = #cores, processor = riscv0, noc_index = noc0, noc_mode = dynamic_noc, ct_args = [], common_rt_args = [], rt_args = []>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
// expected-error @+1 {{Unexpected kernel}}
#p = #ttnn.program<kernels = [#cores], cbs = [], semaphores = []>

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#first = #ttnn.kernel_arg_address_of_tensor<0>
#second = #ttnn.kernel_arg_address_of_tensor<1>
#one = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [], common_rt_args = [#first], rt_args = []>
#two = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [], common_rt_args = [#first, #second], rt_args = []>
#p = #ttnn.program<kernels = [#one], cbs = [], semaphores = []>
#q = #ttnn.program<kernels = [#one, #two], cbs = [], semaphores = []>
func.func private @f()
func.func @run(%x: tensor<32x32xf32>) {
  "ttnn.generic"(%x) <{program = #p, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<32x32xf32>) -> ()
  // expected-error @+1 {{'ttnn.generic' op Address of tensor at index is out of bounds}}
  "ttnn.generic"(%x) <{program = #q, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<32x32xf32>) -> ()
  return
}

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#semaphore = #ttnn.kernel_semaphore<id = 0, core_type = worker, core_ranges = #cores, initial_value = 0>
#first = #ttnn.kernel_arg_semaphore_at<0>
#second = #ttnn.kernel_arg_semaphore_at<1>
#one = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [#first], common_rt_args = [#first], rt_args = []>
#two = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [#second], common_rt_args = [], rt_args = []>
#p = #ttnn.program<kernels = [#one], cbs = [], semaphores = [#semaphore]>
#q = #ttnn.program<kernels = [#two], cbs = [], semaphores = [#semaphore]>
func.func private @f()
func.func @run(%x: tensor<32x32xf32>) {
  "ttnn.generic"(%x) <{program = #p, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<32x32xf32>) -> ()
  // expected-error @+1 {{'ttnn.generic' op Semaphore at index is out of bounds}}
  "ttnn.generic"(%x) <{program = #q, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<32x32xf32>) -> ()
  return
}

// -----

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,1)>]>
#k = #ttnn.read_kernel<symbol_ref = @f, core_ranges = #cores, ct_args = [], common_rt_args = [], rt_args = []>
#p = #ttnn.program<kernels = [#k], cbs = [], semaphores = []>
func.func @run() {
  // expected-error @+1 {{GenericOp must have at least one operand}}
  "ttnn.generic"() <{program = #p, operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  return
}

// -----

func.func private @part(tensor<32x32xf32>) -> tensor<32x32xf32>
func.func private @wide(tensor<32x64xf32>) -> tensor<32x32xf32>
func.func private @mute(tensor<32x32xf32>)
func.func private @other(tensor<32x32xf32>) -> tensor<32x64xf32>
func.func @main(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) {
  %0 = ttnn.d2m_subgraph @part
    ins(%x : tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.d2m_subgraph' op Could not find D2M function '@none' in parent module.}}
  %1 = ttnn.d2m_subgraph @none
    ins(%x : tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.d2m_subgraph' op D2M function must have 2 arguments, got 1}}
  %2 = ttnn.d2m_subgraph @part
    ins(%x, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.d2m_subgraph' op D2M function argument type 0 mismatch: expected 'tensor<32x32xf32>', got 'tensor<32x64xf32>'}}
  %3 = ttnn.d2m_subgraph @wide
    ins(%x : tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.d2m_subgraph' op D2M function must have 1 return values, got 0}}
  %4 = ttnn.d2m_subgraph @mute
    ins(%x : tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  // expected-error @+1 {{'ttnn.d2m_subgraph' op D2M function return type 0 mismatch: expected 'tensor<32x32xf32>', got 'tensor<32x64xf32>'}}
  %5 = ttnn.d2m_subgraph @other
    ins(%x : tensor<32x32xf32>) outs(%y : tensor<32x32xf32>) : tensor<32x32xf32>
  return
}
