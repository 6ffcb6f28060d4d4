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
  %0 = transform.get_producer_of_operand %root[0] : (!transform.any_op) -> !transform.any_op
}

// -----

// expected-error @+1 {{could not find a nested named sequence with name: __transform_main}}
module {
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{works on ttl.copy, got builtin.module}}
  %0 = transform.ttl.coalesce_dma %root
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{works on ttl.copy, got builtin.module}}
  %0 = transform.ttl.insert_prefetch %root
}

// -----

transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  // expected-error @+1 {{works on operations in functions}}
  %0 = transform.ttl.allocate_dst_registers %root
}

// -----

func.func @f(%cb: !ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>) {
  // expected-error @+1 {{must keep the pages: '!ttl.cb<[2, 1], !ttcore.tile<32x32, bf16>, 2>' has 4 of '!ttcore.tile<32x32, bf16>'}}
  %0 = ttl.reshape_cb %cb : <[2, 1], !ttcore.tile<32x32, bf16>, 2> -> <[1, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}
