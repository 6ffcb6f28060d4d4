// RUN: ttlang-opt %s --transform-interpreter -split-input-file -verify-diagnostics

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{has the strategies "aggressive", "conservative" and "auto", got "fast"}}
  %0 = transform.ttl.schedule_pipeline %root {strategy = "fast"}
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{works on ttl.create_cb, got builtin.module}}
  %0 = transform.ttl.optimize_buffer_factor %root
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{is not executed by the interpreter of transforms}}
  %0 = transform.get_parent_op %root : (!transform.any_op) -> !transform.any_op
}

// -----

// expected-error @+1 {{could not find a nested named sequence with name: __transform_main}}
module {
}

// -----

func.func @host() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    %cb = ttl.create_cb : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
    ttl.compute_thread {
      %x = ttl.cb_wait %cb
      %y = ttl.block_exp %x
      ttl.cb_pop %x
    }
  }
  return
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %ops = transform.structured.match ops{["ttl.block_exp"]} in %root : (!transform.any_op) -> !transform.any_op
  // expected-error @+1 {{needs threads that are functions: apply "ttl-expand-threads" first}}
  %0 = transform.ttl.allocate_dst_registers %ops
}
