func.func @rule(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mine(%a) {mhlo.frontend_attributes = {xla.sdy.custom_sharding_rule = "7 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
