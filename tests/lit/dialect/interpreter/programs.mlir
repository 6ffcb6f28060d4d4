// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s | FileCheck %s

func.func @one(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @queue() -> tensor<f32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}

// CHECK-LABEL: func.func @both
// CHECK: %0:2 = "interpreter.run_parallel"(%arg0, %arg0) <{infeed = [@queue], programs = {{\[}}[@one], [@one]]}>
// CHECK-NEXT: %1 = interpreter.probe %0#1, probe_id = "second" : tensor<2xf32>
// CHECK-NEXT: interpreter.print %1 {note} : tensor<2xf32>
func.func @both(%a: tensor<2xf32>) {
  %0:2 = "interpreter.run_parallel"(%a, %a) {infeed = [@queue], programs = [[@one], [@one]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1 = interpreter.probe %0#1, probe_id = "second" : tensor<2xf32>
  interpreter.print %1 {note} : tensor<2xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{`programs` attribute cannot be empty}}
  "interpreter.run_parallel"() {programs = [[]]} : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{Function "gone" not found}}
  "interpreter.run_parallel"() {programs = [[@gone]]} : () -> ()
  return
}

// -----

func.func @f() {
  return
}
func.func @main() {
  // expected-error @+1 {{Sizes of second dimension of `programs` should all match 2 but got 1}}
  "interpreter.run_parallel"() {programs = [[@f, @f], [@f]]} : () -> ()
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  return
}
func.func @main() {
  // expected-error @+1 {{Number of inputs (0) should match the sum of the number of inputs of all programs (1)}}
  "interpreter.run_parallel"() {programs = [[@f]]} : () -> ()
  return
}

// -----

func.func @f() -> tensor<f32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}
func.func @main() {
  // expected-error @+1 {{Number of results (0) should match the sum of the number of results of all programs (1)}}
  "interpreter.run_parallel"() {programs = [[@f]]} : () -> ()
  return
}

// -----

func.func @f() {
  return
}
func.func @main() {
  // expected-error @+1 {{Function "f" should return 1 tensor but returns 0}}
  "interpreter.run_parallel"() {infeed = [@f], programs = [[@f]]} : () -> ()
  return
}
