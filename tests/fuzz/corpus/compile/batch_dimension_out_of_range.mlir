

func.func @products(%a: tensor<2x3x4xf32>, %b: tensor<5x4x2xf32>, %c: tensor<3x1xf32>) -> (tensor<2x3x5xf32>, tensor<3x3xf32>) {
  // CHECK: %[[B:.*]] = "ttir.permute"(%arg1) <{permutation = array<i64: 2, 1, 0>}>
  // CHECK: "ttir.matmul"(%arg0, %[[B]])
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 2147483647>, batch_dims_rhs = array<i64: 2>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<2x3x5xf32>
  // CHECK: "ttir.multiply"(%arg2, %{{.*}}) : (tensor<3x1xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %1 = "ttir.dot_general"(%c, %c) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 1>}> : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<3x3xf32>
}

