// Bases of linear indices, and bounds of affine.parallel, in MLIR's words.
// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

func.func @f(%a: index, %b: index) {
  %0 = affine.linearize_index [%a, %b] by (3) : index
  %1 = affine.linearize_index disjoint [%a, %b] by (%a, 0) : index
  %2:3 = affine.delinearize_index %a into (2, 3) : index, index, index
  // expected-error @+1 {{'affine.linearize_index' op should be passed a basis element for each index except possibly the first}}
  %3 = affine.linearize_index [%a, %b] by () : index
  return
}

// -----

func.func @f(%a: index, %b: index) {
  // expected-error @+1 {{mismatch between dynamic and static basis (kDynamic marker but no corresponding dynamic basis entry)}}
  %0 = "affine.linearize_index"(%a, %b) <{operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: -9223372036854775808>}> : (index, index) -> index
  return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{'affine.delinearize_index' op should return an index for each basis element and up to one extra index}}
  %0:3 = affine.delinearize_index %a into (3) : index, index, index
  return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{'affine.delinearize_index' op no basis element may be statically non-positive}}
  %0:3 = affine.delinearize_index %a into (0, 3) : index, index, index
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'affine.parallel' op expected lower bounds map to have 1 results}}
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0, 1)>, reductions = [], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = affine_map<() -> (100)>}> ({
  ^bb0(%x: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'affine.parallel' op expected upper bound map to have at least one result}}
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0)>, reductions = [], steps = [1], upperBoundsGroups = dense<0> : tensor<1xi32>, upperBoundsMap = affine_map<() -> ()>}> ({
  ^bb0(%x: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'reductions' failed to satisfy constraint: Reduction ops}}
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (0)>, reductions = [1 : i32], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = affine_map<() -> (100)>}> ({
  ^bb0(%x: index):
    "affine.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{custom op 'affine.if' invalid kind of attribute specified}}
  affine.if affine_map<(d0)->(d0)>(%a) { }
  return
}
