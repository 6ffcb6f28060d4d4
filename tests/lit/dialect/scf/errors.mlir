// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

func.func @a(%i: index, %f: f32) {
  // expected-error @+1 {{'scf.for' op mismatch in number of loop-carried values and defined values}}
  "scf.for"(%i, %i, %i, %f) ({ ^bb0(%x: index): "scf.yield"() : () -> () }) : (index, index, index, f32) -> ()
  return
}

// -----
func.func @a(%i: index, %f: f32) {
  // expected-error @+1 {{'scf.for' op different number of inits and region iter_args: 1 != 0}}
  "scf.for"(%i, %i, %i, %f) ({ ^bb0(%x: index): "scf.yield"() : () -> () }) : (index, index, index, f32) -> f32
  return
}

// -----
func.func @a(%i: index, %f: f32) {
  // expected-error @+1 {{'scf.for' op expected induction variable to be same type as bounds and step}}
  "scf.for"(%i, %i, %i) ({ ^bb0(%x: i32): "scf.yield"() : () -> () }) : (index, index, index) -> ()
  return
}

// -----
func.func @a(%i: index, %f: f32) {
  // expected-error @+1 {{0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'index'}}
  "scf.for"(%i, %i, %i, %f) ({ ^bb0(%x: index, %y: f32): "scf.yield"(%x) : (index) -> () }) : (index, index, index, f32) -> f32
  return
}

// -----
func.func @a(%i: i1, %f: f32) {
  // expected-error @+1 {{'scf.if' op must have an else block if defining values}}
  "scf.if"(%i) ({ ^bb0: "scf.yield"(%f) : (f32) -> () }, {}) : (i1) -> f32
  return
}

// -----
func.func @a(%i: i1, %f: f32) {
  // expected-error @+1 {{along control flow edge from Operation scf.yield to parent results: source type #0 'i1' should match input type #0 'f32'}}
  "scf.if"(%i) ({ "scf.yield"(%i) : (i1) -> () }, { "scf.yield"(%f) : (f32) -> () }) : (i1) -> f32
  return
}

// -----
func.func @a(%i: i1, %f: f32) {
  // expected-error @+1 {{region control flow edge from parent operands to Region #0: source has 1 operands, but target successor <to region #0 with 0 inputs> needs 0}}
  "scf.while"(%f) ({ "scf.condition"(%i) : (i1) -> () }, { "scf.yield"(%f) : (f32) -> () }) : (f32) -> ()
  return
}

// -----
func.func @a(%i: i1, %f: f32) {
  // expected-error @+1 {{'scf.while' op expects the 'before' region to terminate with 'scf.condition'}}
  "scf.while"(%f) ({ ^bb0(%x: f32):
    // expected-note @+1 {{terminator here}}
    "scf.yield"() : () -> () }, { "scf.yield"(%f) : (f32) -> () }) : (f32) -> ()
  return
}

// -----
func.func @a(%i: index) {
  // expected-error @+1 {{'scf.index_switch' op has duplicate case value: 2}}
  scf.index_switch %i
  case 2 { scf.yield }
  case 2 { scf.yield }
  default { scf.yield }
  return
}

// -----
func.func @a(%i: index) {
  // expected-error @+1 {{'scf.yield' op expects parent op to be one of 'scf.execute_region, scf.for, scf.if, scf.index_switch, scf.while'}}
  "scf.yield"() : () -> ()
}

// -----
func.func @a(%m: memref<4xf32>, %i: index) {
  // expected-error @+1 {{'memref.load' op failed to verify that result type matches element type of 'memref'}}
  %0 = "memref.load"(%m, %i) : (memref<4xf32>, index) -> i32
  return
}

// -----
func.func @a(%m: memref<4xf32>, %i: index) {
  // expected-error @+1 {{'memref.dma_start' op expected at least 4 operands}}
  "memref.dma_start"(%m, %i) : (memref<4xf32>, index) -> ()
  return
}

// -----
func.func @a(%f: tensor<4xf32>) {
  // expected-error @+1 {{'arith.cmpf' op failed to verify that result type has i1 element type and same shape as operands}}
  %0 = "arith.cmpf"(%f, %f) <{predicate = 1 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<3xi1>
  return
}

// -----
func.func @a(%f: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `fastmath` in property conversion: 1 : i32}}
  %1 = "arith.addf"(%f, %f) <{fastmath = 1 : i32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
