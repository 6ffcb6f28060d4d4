// RUN: ttmlir-opt --split-input-file --stablehlo-pipeline %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN < %t
// RUN: not ttmlir-opt --register-user-sharding-rule %S/Inputs/rule.mlir 2>&1 | FileCheck %s --check-prefix=RULE

// RULE: error: {{.*}}failed to parse 'xla.sdy.custom_sharding_rule' frontend attribute as an #sdy.op_sharding_rule

sdy.mesh @mesh = <["x"=2, "y"=4]>
// Eight heads of queries share two of keys: the two devices of x have one of these each and
// four of those; the four of y have one head of queries each and the keys of all.
// CHECK-LABEL: func.func @grouped
// CHECK-NOT: all_gather
// CHECK: stablehlo.custom_call @tt.scaled_dot_product_attention
// CHECK-SAME: (tensor<3x1x16x32xbf16>, tensor<3x1x16x32xbf16>, tensor<3x1x16x32xbf16>) -> tensor<3x1x16x32xbf16>
func.func @grouped(%q: tensor<3x8x16x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}, {}]>}, %k: tensor<3x2x16x32xbf16>, %v: tensor<3x2x16x32xbf16>) -> tensor<3x8x16x32xbf16> {
  %0 = stablehlo.custom_call @tt.scaled_dot_product_attention(%q, %k, %v) {mhlo.frontend_attributes = {is_causal = "False"}} : (tensor<3x8x16x32xbf16>, tensor<3x2x16x32xbf16>, tensor<3x2x16x32xbf16>) -> tensor<3x8x16x32xbf16>
  return %0 : tensor<3x8x16x32xbf16>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// A norm needs all of what it norms by, and each row is by itself.
// CHECK-LABEL: func.func @norm
// CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 1
// CHECK: @tenstorrent.rms_norm
// CHECK-SAME: (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @norm(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.composite "tenstorrent.rms_norm" %a, %w {composite_attributes = {epsilon = 1.0e-5 : f32, normalized_shape = dense<8> : tensor<1xi64>}, decomposition = @norm_impl} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @norm_impl(%a: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  return %a : tensor<4x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// The behaviour of this on parts is unknown; the user declares that of the other.
// WARN: warning: {{.*}}StableHLO CustomCallOp sharding rule is not defined for target 'mine'
// CHECK-LABEL: func.func @unknown
// CHECK: %[[ALL:.*]] = "stablehlo.all_gather"
// CHECK: stablehlo.custom_call @mine(%[[ALL]])
// CHECK: stablehlo.custom_call @mine(%{{.*}}) {{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @unknown(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @mine(%a) {mhlo.frontend_attributes = {xla.sdy.custom_sharding_rule = "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// Two calls of one composite are two again, in local shapes.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = stablehlo.composite "my.scale" %{{.*}} {composite_attributes = {by = 2 : i32}, decomposition = @outlined_composite_scale} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: stablehlo.composite "my.scale" %[[A]] {composite_attributes = {by = 2 : i32}, decomposition = @outlined_composite_scale_1} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @outlined_composite_scale(%arg0: tensor<4xf32>) -> tensor<4xf32>
func.func @twice(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.composite "my.scale" %a {composite_attributes = {by = 2 : i32}, decomposition = @scale} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.composite "my.scale" %0 {composite_attributes = {by = 2 : i32}, decomposition = @scale} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @scale(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
