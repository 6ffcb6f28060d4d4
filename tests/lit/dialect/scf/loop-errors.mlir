// Loops and switches: arguments and terminators of regions.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

func.func @f(%i: index) {
  // expected-error @+1 {{'scf.for' op different number of inits and region iter_args: 0 != 18446744073709551615}}
  "scf.for"(%i, %i, %i) ({ ^bb0: "scf.yield"() : () -> () }) : (index, index, index) -> ()
  return
}

// -----
func.func @f(%i: index, %f: f32) {
  // expected-error @+1 {{'scf.for' op different number of region iter_args and yielded values: 0 != 1}}
  "scf.for"(%i, %i, %i) ({ ^bb0(%j: index): "scf.yield"(%f) : (f32) -> () }) : (index, index, index) -> ()
  return
}

// -----
func.func @f(%n: index, %f: f32) {
  // expected-error @+1 {{'scf.index_switch' op expected each region to return 1 values, but case region #0 returns 0}}
  %0 = "scf.index_switch"(%n) <{cases = array<i64: 2>}> ({
    scf.yield %f : f32
  }, {
    // expected-note @+1 {{see yield operation here}}
    scf.yield
  }) : (index) -> f32
  return
}

// -----
func.func @f(%n: index, %f: f32) {
  // expected-error @+1 {{'scf.index_switch' op expected result #0 of each region to be 'i32'}}
  %0 = "scf.index_switch"(%n) <{cases = array<i64>}> ({
    // expected-note @+1 {{default region returns 'f32' here}}
    scf.yield %f : f32
  }) : (index) -> i32
  return
}

// -----
func.func @f(%n: index, %f: f32) {
  // expected-error @+1 {{'scf.index_switch' op expected region to end with scf.yield, but got test.end}}
  %0 = "scf.index_switch"(%n) <{cases = array<i64>}> ({
    "test.end"() : () -> ()
  }) : (index) -> i32
  return
}

// -----
func.func @f(%t: tensor<8xf32>) {
  // expected-error @+1 {{'scf.forall' op produces 2 results, but has only 1 outputs}}
  %0:2 = "scf.forall"(%t) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: 4>}> ({
  ^bb0(%i: index, %o: tensor<8xf32>):
    scf.forall.in_parallel {}
  }) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----
func.func @f(%t: tensor<8xf32>) {
  // expected-error @+1 {{expected 1 upper bound values, got 2}}
  %0 = "scf.forall"(%t) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: 4, 4>}> ({
  ^bb0(%i: index, %o: tensor<8xf32>):
    scf.forall.in_parallel {}
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
func.func @f(%t: tensor<8xf32>) {
  // expected-error @+1 {{'scf.forall' op expected type of operand #0 ('tensor<8xf32>') to match type of corresponding result ('tensor<9xf32>')}}
  %0 = "scf.forall"(%t) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: 4>}> ({
  ^bb0(%i: index, %o: tensor<8xf32>):
    scf.forall.in_parallel {}
  }) : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----
func.func @f(%i: index, %f: f32) {
  // expected-error @+1 {{'scf.parallel' op expects body to terminate with 'scf.reduce'}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%j: index):
    // expected-note @+1 {{terminator here}}
    "test.end"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----
func.func @f(%i: index) {
  // expected-error @+1 {{operand count (3) does not match with the total size (0) specified in attribute 'operandSegmentSizes'}}
  "scf.parallel"(%i, %i, %i) ({
  ^bb0(%j: index):
    scf.reduce
  }) : (index, index, index) -> ()
  return
}

// -----
func.func @f(%i: index) {
  // expected-error @+1 {{invalid properties {operandSegmentSizes = array<i32: 1, 2>} for op scf.parallel: size mismatch in attribute conversion: 2 vs 4}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%j: index):
    scf.reduce
  }) : (index, index, index) -> ()
  return
}
