// Floats in total order: negative NaN, -inf, ..., -0, +0, ..., +inf, NaN.
// RUN: tilewright run %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s --stablehlo-to-ttir-pipeline 2>%t.warnings | FileCheck %s --check-prefix=PIPE
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.warnings
// RUN: ttmlir-opt --split-input-file %s --stablehlo-total-order-to-integers | FileCheck %s --check-prefix=KEYS

// PIPE-LABEL: @top
// PIPE: "ttir.topk"{{.*}} (tensor<6xf32>)
// KEYS-LABEL: func.func @top
// KEYS: stablehlo.bitcast_convert
// KEYS: chlo.top_k{{.*}} tensor<6xi32> -> (tensor<6xi32>, tensor<6xi32>)
// CHECK: @top: passed{{$}}
func.func @top() {
  %x = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0xFFC00000, 0x80000000, 0.0, 0xFF800000]> : tensor<6xf32>
  %v, %i = chlo.top_k(%x, k = 6) : tensor<6xf32> -> (tensor<6xf32>, tensor<6xi32>)
  check.expect_eq_const %i, dense<[1, 0, 4, 3, 5, 2]> : tensor<6xi32>
  %bits = stablehlo.bitcast_convert %v : (tensor<6xf32>) -> tensor<6xui32>
  check.expect_eq_const %bits, dense<[0x7FC00000, 0x7F800000, 0, 0x80000000, 0xFF800000, 0xFFC00000]> : tensor<6xui32>
  func.return
}

// -----

// By the second operand, falling.
// PIPE-LABEL: @sort
// PIPE: "ttir.sort"{{.*}} (tensor<4xui16>)
// KEYS-LABEL: func.func @sort
// KEYS: "stablehlo.sort"
// KEYS: stablehlo.compare  GT{{.*}} UNSIGNED
// CHECK: @sort: passed{{$}}
func.func @sort() {
  %x = stablehlo.constant dense<[0.0, -2.0, 0xFFC0, 3.0]> : tensor<4xbf16>
  %n = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%n, %x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<bf16>, %d: tensor<bf16>):
    %p = stablehlo.compare GT, %c, %d, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xbf16>) -> (tensor<4xi32>, tensor<4xbf16>)
  check.expect_eq_const %r#0, dense<[40, 10, 20, 30]> : tensor<4xi32>
  func.return
}

// -----

// 16-bit floats are sorted as integers that chips sort; NaNs, infinities and zeros of both signs.
// PIPE-LABEL: @halves
// PIPE: "ttir.sort"{{.*}} (tensor<8xui16>)
// CHECK: @halves: passed{{$}}
func.func @halves() {
  %x = stablehlo.constant dense<[0x7F80, 0x7FC0, 0xFFC0, 0x8000, 0.0, 0xFF80, -1.5, 2.0]> : tensor<8xbf16>
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xbf16>) -> tensor<8xbf16>
  %bits = stablehlo.bitcast_convert %r : (tensor<8xbf16>) -> tensor<8xui16>
  check.expect_eq_const %bits, dense<[0xFFC0, 0xFF80, 0xBFC0, 0x8000, 0, 0x4000, 0x7F80, 0x7FC0]> : tensor<8xui16>
  func.return
}

// -----

// f32 is sorted so where integers of 32 bits can be sorted, which the pipeline for hardware does not rely on.
// PIPE-LABEL: @floats
// PIPE: "ttir.sort"{{.*}} (tensor<4xf32>)
// KEYS-LABEL: func.func @floats
// KEYS: stablehlo.compare  LT{{.*}} SIGNED
// CHECK: @floats: passed{{$}}
func.func @floats() {
  %x = stablehlo.constant dense<[0.0, 0x80000000, 0xFFC00000, -1.0]> : tensor<4xf32>
  // WARN: :[[@LINE+1]]:8: warning: 'stablehlo.sort' op sorts floats in the device's order, not in total order: zeros of both signs are equal, and NaNs of both signs come after all numbers
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %bits = stablehlo.bitcast_convert %r : (tensor<4xf32>) -> tensor<4xui32>
  check.expect_eq_const %bits, dense<[0xFFC00000, 0xBF800000, 0x80000000, 0]> : tensor<4xui32>
  func.return
}

// CHECK: 4 passed, 0 failed
