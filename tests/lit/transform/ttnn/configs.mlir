// RUN: ttmlir-opt %s --split-input-file --ttnn-set-compute-kernel-config | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file "--ttnn-set-compute-kernel-config=math-fidelity=undefined fp32-dest-acc-en=unset packer-l1-acc=true" | FileCheck %s --check-prefix=PACK
// RUN: not ttmlir-opt %s --split-input-file --ttnn-set-compute-kernel-config=math-fidelity=high 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not ttmlir-opt %s --split-input-file --ttnn-unique-locations 2>&1 | FileCheck %s --check-prefix=NAMES

// BAD: math-fidelity is lofi, hifi2, hifi3, hifi4 or undefined, not 'high'
// NAMES: error: Operation 'ttnn.neg' has a non-unique location: 'same'. Previously seen in operation 'ttnn.abs'

// Attributes of an operation are kept; long sums in bf16 always accumulate in f32.
// CHECK-LABEL: @open
// CHECK: "ttnn.softmax"{{.*}}compute_config = #ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>
// CHECK: "ttnn.softmax"{{.*}}compute_config = #ttnn.device_compute_kernel_config<math_fidelity = lofi, fp32_dest_acc_en = true>
// CHECK: "ttnn.abs"(%arg0) :
// PACK-LABEL: @open
// PACK: "ttnn.softmax"{{.*}}compute_config = #ttnn.device_compute_kernel_config<packer_l1_acc = true>
// PACK: "ttnn.matmul"{{.*}}compute_config = #ttnn.device_compute_kernel_config<fp32_dest_acc_en = true, packer_l1_acc = true>
func.func @open(%x: tensor<4x8xf32>, %a: tensor<1x60000xbf16>, %b: tensor<60000x1xbf16>) {
  %0 = "ttnn.softmax"(%x) <{dimension = 1 : si32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "ttnn.softmax"(%x) <{dimension = 1 : si32, compute_config = #ttnn.device_compute_kernel_config<math_fidelity = lofi>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "ttnn.abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "ttnn.matmul"(%a, %b) : (tensor<1x60000xbf16>, tensor<60000x1xbf16>) -> tensor<1x1xbf16>
  return
}

// Sums of 50000 are not long yet.
// CHECK-LABEL: @bound
// PACK-LABEL: @bound
// PACK: "ttnn.matmul"{{.*}}compute_config = #ttnn.device_compute_kernel_config<packer_l1_acc = true>
// PACK: "ttnn.matmul"{{.*}}compute_config = #ttnn.device_compute_kernel_config<fp32_dest_acc_en = true, packer_l1_acc = true>
func.func @bound(%a: tensor<1x50000xbf16>, %b: tensor<50000x1xbf16>, %c: tensor<1x50001xbf16>, %d: tensor<50001x1xbf16>) {
  %0 = "ttnn.matmul"(%a, %b) : (tensor<1x50000xbf16>, tensor<50000x1xbf16>) -> tensor<1x1xbf16>
  %1 = "ttnn.matmul"(%c, %d) : (tensor<1x50001xbf16>, tensor<50001x1xbf16>) -> tensor<1x1xbf16>
  return
}

// -----

func.func @names(%x: tensor<4x8xf32>) {
  %0 = "ttnn.abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("same")
  %1 = "ttnn.neg"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("same")
  return
}
