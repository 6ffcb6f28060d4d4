// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
// Dimensions of products that count from the end, alone and with others.

// CHECK-LABEL: func.func @last
// CHECK: "ttnn.prod"(%{{.*}}) <{dim_arg = 2 : si64, keep_dim = true}> : {{.*}} -> tensor<4x32x1xbf16
func.func @last(%a: tensor<4x32x64xbf16>) -> tensor<4x32x1xbf16> {
  %0 = "ttir.prod"(%a) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<4x32x64xbf16>) -> tensor<4x32x1xbf16>
  return %0 : tensor<4x32x1xbf16>
}

// CHECK-LABEL: func.func @two
// CHECK: "ttnn.prod"(%{{.*}}) <{dim_arg = 1 : si64, keep_dim = false}> : {{.*}} -> tensor<4x64xbf16
// CHECK: "ttnn.prod"(%{{.*}}) <{dim_arg = 0 : si64, keep_dim = false}> : {{.*}} -> tensor<64xbf16
func.func @two(%a: tensor<4x32x64xbf16>) -> tensor<64xbf16> {
  %0 = "ttir.prod"(%a) <{dim_arg = [-2 : i32, 0 : i32], keep_dim = false}> : (tensor<4x32x64xbf16>) -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}
