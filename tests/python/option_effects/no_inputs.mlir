// A function without inputs.
module attributes {} {
  func.func @main() -> tensor<32x32xf32> attributes {tt.function_type = "forward_device"} {
    %0 = "ttir.ones"() <{shape = array<i32: 32, 32>}> : () -> tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
