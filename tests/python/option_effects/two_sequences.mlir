// Two sequences: one does nothing, the other marks constants.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.yield
  }
  transform.named_sequence @other(%root: !transform.any_op) {
    %f = transform.structured.match ops{["arith.constant"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.annotate %f "met" : !transform.any_op
    transform.yield
  }
  func.func @main() -> i32 {
    %0 = arith.constant 1 : i32
    return %0 : i32
  }
}
