// Operations that use, before dominance has been looked at, what they make themselves.
// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @sum_of_itself(%n: index) {
  affine.for %i = 0 to %n {
    // expected-error@+2 {{operand #0 does not dominate this use}}
    // expected-note@+1 {{operand defined here (op in the same block)}}
    %s = arith.addi %s, %n : index
    affine.for %j = 0 to %s {
    }
  }
  return
}

// -----

func.func @argument_of_its_body(%x: i32) -> i32 {
  // expected-error@+2 {{operand #1 does not dominate this use}}
  // expected-note@+1 {{operand defined as a block argument (block #0 in a child region)}}
  %r:2 = scf.while (%a = %x, %e = %b) : (i32, i32) -> (i32, i32) {
    %c = "test.c"(%a) : (i32) -> i1
    scf.condition(%c) %a, %e : i32, i32
  } do {
  ^bb0(%b: i32, %d: i32):
    scf.yield %b, %d : i32, i32
  }
  return %r#1 : i32
}
