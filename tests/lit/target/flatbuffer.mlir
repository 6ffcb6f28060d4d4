// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline | ttmlir-translate --ttnn-to-flatbuffer -o %t.ttnn
// RUN: ttmlir-translate --flatbuffer-to-ttnn %t.ttnn | FileCheck %s
// RUN: ttrt read --quiet --section op_stats --result-file %t.results --read-file %t.read %t.ttnn | FileCheck %s --check-prefix=STATS
// RUN: ttrt read --quiet --section version --result-file %t.results --read-file %t.read %t.ttnn | FileCheck %s --check-prefix=VERSION
// RUN: ttrt read --quiet --section outputs --result-file %t.results --read-file %t.read %t.ttnn | FileCheck %s --check-prefix=OUTPUTS
// RUN: ttrt check --quiet --json --result-file %t.results %t.ttnn | FileCheck %s --check-prefix=PASS
// RUN: ttrt run --quiet --init ones --print-input-output-tensors --result-file %t.results %t.ttnn | FileCheck %s --check-prefix=VALUES
// RUN: ttrt check --result-file %t.results %t.ttnn 2>&1 | FileCheck %s --check-prefix=LOG
// RUN: head -c 1000 %t.ttnn > %t.cut
// RUN: not ttmlir-translate --flatbuffer-to-ttnn %t.cut 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not ttrt check --quiet --json --device p150 --result-file %t.results %t.ttnn | FileCheck %s --check-prefix=FOREIGN

// CHECK: module attributes {ttcore.system_desc = #system_desc}
// CHECK: func.func @main(%arg0: tensor<32x64xf32, #ttnn_layout>,
// CHECK-SAME: tt.function_type = "forward_device"
// CHECK: %[[SUM:.*]] = "ttnn.add"(%arg0, %arg1)
// CHECK: %[[CLAMP:.*]] = "ttnn.clamp_scalar"(%[[SUM]]) <{max = 5.000000e+00 : f32, min = 0.000000e+00 : f32}>
// CHECK: "ttnn.deallocate"(%[[SUM]]) <{force = false}>
// CHECK: return %[[CLAMP]]

// STATS: {"op_name": "EltwiseBinaryOp.Add", "dialect_op_name": "ttnn.add", "loc": "loc(
// STATS-SAME: "outputs": [{"id": 3, "shape": [32, 64], "data_type": "f32", "layout": "Tile"}]
// STATS: {"op_name": "EltwiseUnaryCompositeOp.ClampScalar", "dialect_op_name": "ttnn.clamp_scalar"

// VERSION: "version": "0.0.{{[0-9]+}}"
// VERSION-NEXT: "schema_hash": "{{[0-9a-f]+}}"

// OUTPUTS: {"main": [{
// OUTPUTS: "global_id": 4
// OUTPUTS: "buffer_type": "DRAM"

// PASS: "result": "pass"
// LOG: INFO - PASS{{:}} the system descriptor of {{.*}} is that of wormhole_b0

// VALUES: in0: f32 32x64: 1 1 1
// VALUES: out0: f32 32x64: 2 2 2

// CUT: error: byte 0: the size prefix says {{[0-9]+}} bytes follow, but 996 do

// FOREIGN: "result": "error"
// FOREIGN-NEXT: "exception": "system desc does not match p150:{{.*}}Wormhole_b0{{.*}}Blackhole
module {
  func.func @main(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %0 = "ttir.add"(%a, %b) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %1 = "ttir.clamp_scalar"(%0) <{min = 0.0 : f32, max = 5.0 : f32}> : (tensor<32x64xf32>) -> tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
}
