// RUN: ttmlir-opt --ttir-to-emitpy-pipeline %s -o %t.mlir
// RUN: ttmlir-translate --mlir-to-python %t.mlir -o %t.py
// RUN: FileCheck %s --input-file=%t.py
// RUN: python3 -m py_compile %t.py

// CHECK: import ttnn
// CHECK-NEXT: import utils

// CHECK-LABEL: def net(arg):
// CHECK-NEXT: item_0 = arg[0]
// CHECK-NEXT: item_1 = arg[1]
// CHECK: [[M:ttnn_matmul_0]] = ttnn.matmul(item_0, item_1, transpose_a=False, transpose_b=False, memory_config=ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.DRAM, None), dtype=ttnn.DataType.BFLOAT16, program_config=None, activation=None, compute_kernel_config=ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True))
// CHECK: ttnn.deallocate(item_1, False)
// CHECK: [[S:ttnn_sum_0]] = ttnn.sum([[M]], [1], True, memory_config={{.*}}, compute_kernel_config={{.*}})
// CHECK: [[A:ttnn_add_0]] = ttnn.add([[M]], [[S]], dtype=ttnn.DataType.BFLOAT16, memory_config={{.*}})
// CHECK: return [[[A]]]

// CHECK-LABEL: def create_inputs_for_net():
// CHECK: utils.DeviceGetter.get_device((1, 1), fabric_config=ttnn.FabricConfig.DISABLED)
// CHECK: ttnn.ones(shape=[64, 128], dtype=ttnn.DataType.BFLOAT16, layout=ttnn.Layout.TILE, device=

// CHECK-LABEL: def main():
// CHECK-NEXT: [[I:[a-z_0-9]+]] = create_inputs_for_net()
// CHECK-NEXT: net_0 = net([[I]])
// CHECK: if __name__ == '__main__':
func.func @net(%a: tensor<64x128xbf16>, %b: tensor<128x96xbf16>) -> tensor<64x96xbf16> {
  %0 = "ttir.matmul"(%a, %b) : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xbf16>
  %1 = "ttir.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<64x96xbf16>) -> tensor<64x1xbf16>
  %2 = "ttir.add"(%0, %1) : (tensor<64x96xbf16>, tensor<64x1xbf16>) -> tensor<64x96xbf16>
  return %2 : tensor<64x96xbf16>
}
