// TTMetal programs as .ttm: commands, buffers with their pages and cores, kernels as C++.
// RUN: ttmlir-opt --ttcore-register-device --convert-ttkernel-to-emitc %S/../device/matmul.mlir -o %t.mlir
// RUN: ttmlir-translate --ttmetal-to-flatbuffer %t.mlir -o %t.ttm
// RUN: ttrt read --quiet --section all --result-file %t.results --read-file %t.json %t.ttm
// RUN: FileCheck %s --input-file=%t.json
// RUN: ttmlir-opt --ttcore-register-device --convert-ttkernel-to-emitc %s | not ttmlir-translate --ttmetal-to-flatbuffer -o %t.bad 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: "type_type": "CreateBufferCommand"
// CHECK: "address": 16384
// CHECK: "element_shape": {
// CHECK-NEXT: "y": 32
// CHECK: "buffer_type": "L1"
// CHECK: "buffer_config_type": "ShardedBufferConfig"
// CHECK: "size": 24576
// CHECK: "page_size": 4096
// CHECK: "shard_shape": {
// CHECK-NEXT: "y": 64,
// CHECK-NEXT: "x": 96
// CHECK: "tensor_shape_in_pages": {
// CHECK-NEXT: "y": 2,
// CHECK-NEXT: "x": 3
// CHECK: "shard_shape_in_pages": [
// CHECK-NEXT: 2,
// CHECK-NEXT: 3
// CHECK: "circular_buffer_config"
// CHECK: "total_size": 24576
// CHECK: "type_type": "EnqueueWriteBufferCommand"
// CHECK: "type_type": "EnqueueProgramCommand"
// CHECK: "arg_refs_type": [
// CHECK-NEXT: "BufferRef"
// CHECK: "port": 16
// CHECK: "source": "{{.*}}void kernel_main()
// CHECK: "arg_type": "KernelArgBufferAddress"
// CHECK: "processor": "RISCV_1"
// CHECK: "symbol": "reader"
// CHECK: "fp32_dest_acc_en": true
// CHECK: "type_type": "ReturnCommand"

// ERROR: error: 'arith.addi' op cannot be a command of a TTMetal binary
func.func @main(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
