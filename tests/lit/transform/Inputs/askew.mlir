func.func @two(%a: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @many(%a: tensor<2xi32>) -> tensor<4xi32> {
  %wide = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xi32>) -> tensor<2x4096xi32>
  %0 = "stablehlo.all_gather"(%wide) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4096xi32>) -> tensor<4x4096xi32>
  %1 = stablehlo.slice %0 [0:4, 0:1] : (tensor<4x4096xi32>) -> tensor<4x1xi32>
  %2 = stablehlo.reshape %1 : (tensor<4x1xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r:2 = "interpreter.run_parallel"(%a, %a) <{programs = [[@two], [@many]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq %r#0, %r#1 : tensor<4xi32>
  return
}
