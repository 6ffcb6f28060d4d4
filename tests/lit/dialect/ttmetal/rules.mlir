// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

#l1 = #ttcore.memory_space<l1>
#system = #ttcore.memory_space<system>
func.func @f(%a: memref<1x1x32x32xf32, #l1>, %b: memref<32x32xf32>) {
  "ttmetal.enqueue_read_buffer"(%a, %b) : (memref<1x1x32x32xf32, #l1>, memref<32x32xf32>) -> ()
  // expected-error@+1 {{Output tensor must be in system memory space}}
  "ttmetal.enqueue_read_buffer"(%a, %a) : (memref<1x1x32x32xf32, #l1>, memref<1x1x32x32xf32, #l1>) -> ()
  return
}
// -----
#system = #ttcore.memory_space<system>
func.func @f(%a: memref<32x32xf32>, %b: memref<32x32xf32, #system>) {
  // expected-error@+1 {{Output tensor must be in device memory space}}
  "ttmetal.enqueue_write_buffer"(%a, %b) : (memref<32x32xf32>, memref<32x32xf32, #system>) -> ()
  return
}
// -----
#system = #ttcore.memory_space<system>
func.func @f(%a: memref<32x32xf32, #system>) {
  // expected-error@+1 {{Operand tensor to EnqueueProgramOp must be in device memory space}}
  "ttmetal.enqueue_program"(%a) <{cb_ports = array<i64>, kernelConfigs = [], operandSegmentSizes = array<i32: 1, 0>}> : (memref<32x32xf32, #system>) -> ()
  return
}
// -----
func.func private @k()
func.func @f() {
  // expected-error@+1 {{fabric_config_index 0 is out of range for fabricConnectionConfigs of size 0}}
  "ttmetal.enqueue_program"() <{cb_ports = array<i64>, kernelConfigs = [#ttmetal.noc_config<@k, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<>, dm_core = 0, noc0, fabric_config_index = 0>], operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  return
}
