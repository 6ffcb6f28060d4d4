// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @a() {
  // expected-error @+1 {{'affine.for' op different number of inits and region iter_args: 0 != 18446744073709551615}}
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (3)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({ "affine.yield"() : () -> () }) : () -> ()
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.for' op operand count and affine map dimension and symbol count must match}}
  "affine.for"() <{lowerBoundMap = affine_map<(d0) -> (d0)>, upperBoundMap = affine_map<() -> (3)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : () -> ()
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.for' op expected lower bound map to have at least one result}}
  "affine.for"() <{lowerBoundMap = affine_map<() -> ()>, upperBoundMap = affine_map<() -> (3)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({ ^bb0(%i: index): "affine.yield"() : () -> () }) : () -> ()
  return
}

// -----
func.func @a(%f: f32) {
  // expected-error @+1 {{'affine.for' op different number of region iter_args and yielded values: 0 != 1}}
  %0 = "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (3)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({ ^bb0(%i: index): "affine.yield"(%f) : (f32) -> () }) : () -> f32
  return
}

// -----
func.func @a(%f: f32) {
  // expected-error @+1 {{'affine.for' op different number of inits and region iter_args: 1 != 0}}
  %r = "affine.for"(%f) <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (3)>, step = 1 : index, operandSegmentSizes = array<i32: 0, 0, 1>}> ({ ^bb0(%i: index): "affine.yield"(%f) : (f32) -> () }) : (f32) -> f32
  return
}

// -----
func.func @a(%m: memref<4xf32>) {
  // expected-error @+1 {{'affine.load' op result type must match element type of memref}}
  %0 = "affine.load"(%m) <{map = affine_map<() -> (0)>}> : (memref<4xf32>) -> i32
  return
}

// -----
func.func @a(%m: memref<4x4xf32>) {
  // expected-error @+1 {{'affine.load' op affine map num results must equal memref rank}}
  %0 = "affine.load"(%m) <{map = affine_map<() -> (0)>}> : (memref<4x4xf32>) -> f32
  return
}

// -----
func.func @a(%m: memref<4xf32>, %f: f32) {
  // expected-error @+1 {{'affine.store' op expects as many subscripts as affine map inputs}}
  "affine.store"(%f, %m) <{map = affine_map<(d0) -> (d0)>}> : (f32, memref<4xf32>) -> ()
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.min' op operand count and affine map dimension and symbol count must match}}
  %0 = "affine.min"() <{map = affine_map<(d0) -> (d0)>}> : () -> index
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.apply' op mapping must produce one value}}
  %0 = "affine.apply"() <{map = affine_map<() -> (0, 1)>}> : () -> index
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.if' op operand count and condition integer set dimension and symbol count must match}}
  "affine.if"() ({ "affine.yield"() : () -> () }, {}) {condition = affine_set<(d0) : (d0 >= 0)>} : () -> ()
  return
}

// -----
func.func @a() {
  // expected-error @+1 {{'affine.parallel' op the number of region arguments (0) and the number of map groups for lower (1) and upper bound (1), and the number of steps (1) must all match}}
  "affine.parallel"() <{lowerBoundsMap = affine_map<() -> (0)>, lowerBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = affine_map<() -> (3)>, upperBoundsGroups = dense<1> : tensor<1xi32>, steps = [1], reductions = []}> ({ "affine.yield"() : () -> () }) : () -> ()
  return
}

// -----

// An operation without effects whose operands are symbols is a symbol itself.
func.func @computed_bound(%n: index) {
  affine.for %i = 0 to %n {
    %s = arith.addi %n, %n : index
    affine.for %j = 0 to %s {
    }
  }
  return
}

// -----

func.func @bound_of_a_loop(%n: index) {
  affine.for %i = 0 to %n {
    %s = arith.addi %i, %n : index
    // expected-error@+1 {{operand cannot be used as a symbol}}
    affine.for %j = 0 to %s {
    }
  }
  return
}
