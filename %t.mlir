module {
  func.func @f(%arg0: i32) {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.muli %0, %arg0 : i32
    return
  }
  func.func @kept() {
    return
  }
  module @other {
  }
  module @inner {
  }
}
