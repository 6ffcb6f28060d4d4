// The vector unit's instructions as the compiler's builtins: operands, then attributes by the vendor's names.
// RUN: ttmlir-opt %s --convert-sfpi-to-emitc | FileCheck %s
// RUN: ttmlir-opt %s --convert-sfpi-to-emitc | ttmlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=CPP

!v = vector<4x8xf32>

// CHECK-LABEL: @arithmetic(%arg0: !emitc.opaque<"sfpi::__rvtt_vec_t">,
// CHECK: [[MODE:%[0-9]+]] = emitc.literal "sfpi::SFPIADD_MOD1_ARG_LREG_DST" : i32
// CHECK-NEXT: emitc.call_opaque "__builtin_rvtt_sfpadd"(%arg0, %arg1, [[MODE]])
// CHECK: "__builtin_rvtt_sfpdivp2"(%arg2, %{{[0-9]+}}, %{{[0-9]+}})
// CPP: std::tuple<sfpi::__rvtt_vec_t, sfpi::__rvtt_vec_t> arithmetic(sfpi::__rvtt_vec_t [[A:v[0-9]+]],
// CPP: sfpi::__rvtt_vec_t [[SUM:v[0-9]+]] = __builtin_rvtt_sfpadd([[A]], {{v[0-9]+}}, sfpi::SFPIADD_MOD1_ARG_LREG_DST);
// CPP: [[HALF:v[0-9]+]] = __builtin_rvtt_sfpdivp2({{v[0-9]+}}, [[SUM]], 0);
// CPP: return std::make_tuple([[SUM]], [[HALF]]);
func.func @arithmetic(%a: !v, %b: !v, %n: i32) -> (!v, !v) {
  %sum = sfpi.add %a, %b {mod1 = #sfpi<add_mod1 ARG_LREG_DST>} : !v, !v -> !v
  %half = sfpi.divp2 %sum, %n : !v, i32 -> !v
  return %sum, %half : !v, !v
}

// CPP: void memory(int32_t [[AT:v[0-9]+]]) {
// CPP: [[X:v[0-9]+]] = __builtin_rvtt_sfpload(sfpi::SFPLOAD_MOD0_FMT_FP32, sfpi::SFPLOAD_ADDR_MODE_NOINC, [[AT]]);
// CPP: __builtin_rvtt_sfppushc();
// CPP: __builtin_rvtt_sfpstore([[X]], sfpi::SFPSTORE_MOD0_FMT_FP32, sfpi::SFPSTORE_ADDR_MODE_NOINC, [[AT]]);
func.func @memory(%at: i32) {
  %x = sfpi.load %at {mod0 = #sfpi<load_mod0 FMT_FP32>, mode = #sfpi<load_addr_mode NOINC>} : i32 -> !v
  sfpi.pushc
  sfpi.store %x, %at {mod0 = #sfpi<store_mod0 FMT_FP32>, mode = #sfpi<store_addr_mode NOINC>} : !v, i32
  return
}
