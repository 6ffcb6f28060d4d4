// Cores of buffers in .ttm: a map of positions in the grid and in the shard moves the grid.
// RUN: ttmlir-opt --ttcore-register-device %s -o %t.mlir
// RUN: ttmlir-translate --ttmetal-to-flatbuffer %t.mlir -o %t.ttm
// RUN: ttrt read --quiet --section all --result-file %t.results --read-file %t.json %t.ttm
// RUN: FileCheck %s --input-file=%t.json

// CHECK: "core_range_set": [
// CHECK: "loc": {
// CHECK-NEXT: "y": 1,
// CHECK-NEXT: "x": 2
// CHECK: "cores": [
// CHECK-NEXT: {
// CHECK-NEXT: "y": 1,
// CHECK-NEXT: "x": 2
// CHECK: "y": 1,
// CHECK-NEXT: "x": 3

#l1 = #ttcore.memory_space<l1>
module {
  ttcore.device_module {
    builtin.module {
      func.func @moved(%arg0: memref<32x64xf32>) -> memref<32x64xf32> {
        %0 = "ttmetal.create_buffer"() <{address = 4096 : i64, virtualGridForwardMapping = affine_map<(d0, d1, d2, d3) -> (d0 + 1, d1 + 2, d2, d3)>, virtualGridInverseMapping = affine_map<(d0, d1) -> (0, d0 - 1, d1 - 2)>}> : () -> memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>
        "ttmetal.enqueue_write_buffer"(%arg0, %0) : (memref<32x64xf32>, memref<1x2x32x32xf32, #ttcore.shard<128x4, 1>, #l1>) -> ()
        return %arg0 : memref<32x64xf32>
      }
    }
  }
}
