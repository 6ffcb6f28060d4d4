// The pipeline for the hardware rounds f32 to bf16 in some operations; running the binary says so. The program itself,
// and a binary without such operations, run without a note.
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | ttmlir-translate --ttnn-to-flatbuffer -o %t.ttnn
// RUN: tilewright run %t.ttnn 2>&1 | FileCheck %s
// CHECK: .ttnn: note: 1 operation converts f32 to bf16, as the pipeline for the hardware does: these values keep 8 bits; running the program itself keeps f32 (docs/exactness.md)
// CHECK: out0: f32[1, 16, 16, 32]
// RUN: tilewright run %s 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: note
// SILENT: out0: f32[1, 16, 16, 32]
// RUN: sed 's/"ttir.max_pool2d"(%x) <{.*}> : (tensor<1x32x32x32xf32>)/"ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 16 : i32, 16 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x32x32x32xf32>)/' %s | ttmlir-opt --ttir-to-ttnn-backend-pipeline | ttmlir-translate --ttnn-to-flatbuffer -o %t.other.ttnn
// RUN: tilewright run %t.other.ttnn 2>&1 | FileCheck %s --check-prefix=SILENT
module {
  func.func @main(%x: tensor<1x32x32x32xf32>) -> tensor<1x16x16x32xf32> {
    %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, padding = array<i32: 0, 0, 0, 0>, ceil_mode = false}> : (tensor<1x32x32x32xf32>) -> tensor<1x16x16x32xf32>
    return %0 : tensor<1x16x16x32xf32>
  }
}
