// A kernel's instructions of the vector unit are a function that is called at once.
// RUN: ttmlir-opt %s --convert-sfpi-to-emitc --convert-ttkernel-to-emitc | ttmlir-translate --ttkernel-to-cpp | FileCheck %s

!v = vector<4x8xf32>

func.func @kernel() attributes {ttkernel.thread = #ttkernel.thread<compute>} {
  %at = arith.constant 0 : i32
  ttkernel.invoke_sfpi {
    %x = sfpi.load %at {mod0 = #sfpi<load_mod0 FMT_FP32>, mode = #sfpi<load_addr_mode NOINC>} : i32 -> !v
    sfpi.store %x, %at {mod0 = #sfpi<store_mod0 FMT_FP32>, mode = #sfpi<store_addr_mode NOINC>} : !v, i32
  }
  return
}

// CHECK: experimental::invoke_sfpi([=]() {
// CHECK: [[X:v[0-9]+]] = __builtin_rvtt_sfpload(
// CHECK: __builtin_rvtt_sfpstore([[X]],
// CHECK: });
