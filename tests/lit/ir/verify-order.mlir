// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// Nested operations are verified before the whole: MLIR's order.
func.func @structured(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{'arith.addf' op expected 2 operands, but found 1}}
    %c = "arith.addf"(%x) : (f32) -> f32
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @no_end(%lb: index) {
  "scf.for"(%lb, %lb, %lb) ({
  ^bb0(%i: index):
    // expected-error @+1 {{block with no terminator, has %0 = "arith.addi"(%arg1, %arg1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index}}
    %c = "arith.addi"(%i, %i) : (index, index) -> index
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @operands_first(%lb: index) {
  "scf.for"(%lb, %lb, %lb) ({
  ^bb0(%i: index):
    // expected-error @+1 {{'arith.addi' op expected 2 operands, but found 1}}
    %c = "arith.addi"(%i) : (index) -> index
  }) : (index, index, index) -> ()
  return
}

// -----

// expected-error @+1 {{'emitpy.expression' op must yield a value at termination}}
%0 = "emitpy.expression"() ({
  %1 = emitpy.call_opaque "f"() : () -> !emitpy.opaque<"int">
}) : () -> !emitpy.opaque<"int">

// -----

func.func @same_region(%a: i1) {
  cf.cond_br %a, ^bb1, ^bb2
^bb1:
  // expected-note @+1 {{operand defined here (op in the same region)}}
  %0 = arith.constant 1 : i32
  cf.br ^bb2
^bb2:
  // expected-error @+1 {{operand #0 does not dominate this use}}
  %1 = arith.addi %0, %0 : i32
  return
}

// -----

// expected-note @+1 {{operand defined as a block argument (block #1 in the same region)}}
func.func @argument(%a: i1, %b: i32) {
  cf.cond_br %a, ^bb1(%b : i32), ^bb2
^bb1(%c: i32):
  return
^bb2:
  // expected-error @+1 {{operand #0 does not dominate this use}}
  %1 = arith.addi %c, %c : i32
  return
}

// -----

// Nothing is asked of blocks that cannot be reached.
func.func @unreachable() {
  return
^bb1:
  %1 = arith.addi %2, %2 : i32
  %2 = arith.addi %1, %1 : i32
  cf.br ^bb1
}

// -----

// expected-error @+1 {{entry block of region may not have predecessors}}
func.func @entry() {
^bb0:
  cf.br ^bb0
^bb1:
  return
}

// -----

// expected-error @+1 {{'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'x'}}
module attributes {x = 1} {
}

// -----

func.func @overflow(%a: i32) {
  // expected-error @+2 {{custom op 'arith.addi' expected ::mlir::arith::IntegerOverflowFlags to be one of: none, nsw, nuw}}
  // expected-error @+1 {{custom op 'arith.addi' failed to parse Arith_IntegerOverflowAttr parameter 'value' which is to be a `::mlir::arith::IntegerOverflowFlags`}}
  %0 = arith.addi %a, %a overflow<most> : i32
}

// -----

func.func @predicate(%a: i32) {
  // expected-error @+1 {{custom op 'arith.cmpi' expected string or keyword containing one of the following enum values for attribute 'predicate' [eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge]}}
  %0 = arith.cmpi less, %a, %a : i32
}

// -----

// expected-error @+2 {{custom op 'emitpy.global' expected initial value for global variable}}
// expected-error @+1 {{expected attribute value}}
emitpy.global @nothing = : i32

// -----

// expected-error @+1 {{'memref.global' op visibility expected to be one of ["public", "private", "nested"], but got "priv"}}
memref.global "priv" @g : memref<4xf32>

// -----

func.func @yields() {
  // expected-error @+1 {{'linalg.yield' op expected parent op with LinalgOp interface}}
  linalg.yield
}

// -----

func.func @dims(%n : index) {
  // expected-error @+1 {{custom op 'affine.if' dim operand count and integer set dim count must match}}
  affine.if affine_set<(d0, d1) : (d0 >= 0)>(%n) {
  }
  return
}

// -----

func.func @bounds() {
  // expected-error @+1 {{custom op 'affine.for' expected 'to' between bounds}}
  affine.for %i = 0 4 {
  }
  return
}

// -----

// expected-error @+1 {{custom op 'emitc.include' expected trailing '>' for standard include}}
emitc.include <"a.h"

// -----

// expected-error @+1 {{'func.func' op visibility expected to be one of ["public", "private", "nested"], but got "odd"}}
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "odd"}> ({
}) : () -> ()
