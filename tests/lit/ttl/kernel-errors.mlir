// RUN: ttlang-opt %s --ttl-allocate-cbs -split-input-file -verify-diagnostics

func.func @twice() {
  // expected-note @+1 {{by this one}}
  %0 = ttl.create_cb at 3 : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
  // expected-error @+1 {{'ttl.create_cb' op wants circular buffer 3, which is taken}}
  %1 = ttl.create_cb at 3 : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}

// -----
func.func @range() {
  // expected-error @+1 {{wants circular buffer 32; a core has 0 to 31}}
  %0 = ttl.create_cb at 32 : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}

// -----
// expected-error @+1 {{its circular buffers take 4611686018427387902 bytes; a core has 1499136}}
func.func @beyond_64_bits() {
  %0 = ttl.create_cb : !ttl.cb<[9223372036854775807, 1], !ttcore.tile<32x32, bf16>, 2>
  %1 = ttl.create_cb : !ttl.cb<[9223372036854775807, 1], !ttcore.tile<32x32, bf16>, 2>
  return
}

// -----
// expected-error @+1 {{its circular buffers take 2097152 bytes; a core has 1499136}}
func.func @memory() {
  %0 = ttl.create_cb : !ttl.cb<[16, 16], !ttcore.tile<32x32, f32>, 2>
  return
}

// -----
func.func @thread() {
  // expected-error @+1 {{'ttl.compute_thread' op must lie in a ttl.kernel}}
  ttl.compute_thread {
  }
  return
}

// -----

func.func @semaphore_of_no_core() {
  // expected-error @+1 {{semaphore_index is 9223372036854775807; a core has no such semaphore}}
  %0 = ttl.create_semaphore 9223372036854775807 : !ttl.semaphore
  return
}
