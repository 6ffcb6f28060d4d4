// RUN: stablehlo-opt --stablehlo-check-shape-assertions --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: stablehlo-opt --stablehlo-check-shape-assertions=enable-shape-assertions=false --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @holds
// CHECK-NOT: custom_call
func.func @holds() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%t) {error_message = "no", has_side_effect = true} : (tensor<i1>) -> ()
  return
}

// -----

func.func @fails() {
  %f = stablehlo.constant dense<false> : tensor<i1>
  %a = stablehlo.constant dense<7> : tensor<i32>
  %b = stablehlo.constant dense<-9> : tensor<i64>
  // expected-error @+1 {{sizes -9 and 7 differ}}
  stablehlo.custom_call @shape_assertion(%f, %a, %b) {error_message = "sizes {1} and {0} differ", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i64>) -> ()
  return
}

// -----

func.func @too_many() {
  %f = stablehlo.constant dense<false> : tensor<i1>
  // expected-error @+1 {{expects error_message to contain format specifiers with error_message_input index less than 0. Found specifier {2}}}
  stablehlo.custom_call @shape_assertion(%f) {error_message = "size {2}", has_side_effect = true} : (tensor<i1>) -> ()
  return
}

// -----

func.func @unknown(%f: tensor<i1>) {
  // expected-error @+1 {{expects static assert_what (operand #0)}}
  stablehlo.custom_call @shape_assertion(%f) {error_message = "size", has_side_effect = true} : (tensor<i1>) -> ()
  return
}
