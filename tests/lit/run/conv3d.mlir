// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline=disable-workarounds=true -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tilewright run %s --outputs %t.npz
// RUN: tilewright run %t.mlir --expect %t.npz | FileCheck %s --check-prefix=SAME
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir -o %t.ttnn
// RUN: ttrt run %t.ttnn --result-file %t.json 2>&1 | FileCheck %s --check-prefix=BINARY

// Channels are padded to tiles, weights arranged in the kernel's rows once.
// CHECK: "ttnn.prepare_conv3d_weights"({{.*}}) <{alignment = 32 : i32, c_in_block = 16 : i32, groups = 1 : i32}> : {{.*}} -> tensor<256x2xf32,
// CHECK: "ttnn.pad"
// CHECK: "ttnn.conv3d"
// SAME: out0: {{.*}}: ok
// BINARY: loop 0:
func.func @main(%x: tensor<1x3x3x3x3xf32> {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<2x3x2x2x2xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x2x2x2x2xf32> {
  %0 = "ttir.conv3d"(%x, %w) <{stride = 1 : i32, padding = 0 : i32, groups = 1 : i32, padding_mode = "zeros"}> : (tensor<1x3x3x3x3xf32>, tensor<2x3x2x2x2xf32>) -> tensor<1x2x2x2x2xf32>
  return %0 : tensor<1x2x2x2x2xf32>
}
