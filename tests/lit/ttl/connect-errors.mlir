// RUN: ttlang-opt %s --ttl-allocate-cbs -split-input-file -verify-diagnostics

func.func @f(%s: !ttl.semaphore) {
  // expected-error @+1 {{expected a core's column and row, [x, y]}}
  %r = ttl.get_remote_semaphore %s {core = [1]}
  return
}

// -----

func.func @f(%s: !ttl.semaphore) {
  // expected-error @+1 {{needs a core: indices, or the attribute 'core'}}
  %r = ttl.get_remote_semaphore %s
  return
}

// -----

func.func @f(%s: !ttl.semaphore) {
  // expected-error @+1 {{needs a value: a number, or one that the thread computes}}
  ttl.semaphore_wait %s
  return
}

// -----

func.func @f(%s: !ttl.semaphore) {
  // expected-error @+1 {{increments the semaphore of one other core only; use ttl.get_remote_semaphore}}
  ttl.semaphore_inc %s, 1
  return
}

// -----

func.func @f() {
  %a = ttl.create_semaphore 29 : !ttl.semaphore
  %b = ttl.create_semaphore 0 scratch 28 : !ttl.semaphore
  %c = ttl.create_pipe [0, 0] to [1, 0] semaphores 1 : !ttl.pipe
  %d = ttl.create_pipe [0, 0] to [1, 0] semaphores 4 : !ttl.pipe
  %e = ttl.create_pipe [0, 0] to [1, 0] semaphores 7 : !ttl.pipe
  %f = ttl.create_pipe [0, 0] to [1, 0] semaphores 10 : !ttl.pipe
  %g = ttl.create_pipe [0, 0] to [1, 0] semaphores 13 : !ttl.pipe
  %h = ttl.create_pipe [0, 0] to [1, 0] semaphores 16 : !ttl.pipe
  %i = ttl.create_pipe [0, 0] to [1, 0] semaphores 19 : !ttl.pipe
  %j = ttl.create_pipe [0, 0] to [1, 0] semaphores 23 : !ttl.pipe
  // expected-error @+1 {{is one too many: a core has 32 semaphores, of which a pipe takes three and a semaphore two}}
  %k = ttl.create_pipe src_core=[0, 0] dst_core=[1, 0]
  return
}

// -----

func.func @f(%a: tensor<2x1x!ttcore.tile<32x32, bf16>>) {
  // expected-error @+1 {{must keep the shape}}
  %b = ttl.typecast %a : tensor<2x1x!ttcore.tile<32x32, bf16>> -> tensor<1x2x!ttcore.tile<32x32, f32>>
  return
}

// -----

func.func @f(%a: !ttcore.tile<32x32, bf16>) {
  // expected-error @+1 {{must keep the tile's shape: '!ttcore.tile<32x32, bf16>' and '!ttcore.tile<16x32, f32>'}}
  %b = ttl.tile_typecast %a : !ttcore.tile<32x32, bf16> -> !ttcore.tile<16x32, f32>
  return
}
