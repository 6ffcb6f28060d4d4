// RUN: ttlang-opt %s --ttl-expand-threads -split-input-file -verify-diagnostics

func.func @nothing_written(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'ttl.kernel' op has 1 results, its threads write 0 of its inputs}}
  %r = ttl.kernel(%x : tensor<2xf32>) -> tensor<2xf32> attributes {grid = [1, 1]} {
  ^bb0(%k: tensor<2xf32>):
  }
  return %r : tensor<2xf32>
}

// -----
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @other_type(%x: tensor<32x32xf32>) -> tensor<32x64xf32> {
  // expected-error @+1 {{'ttl.kernel' op has result 0 of type 'tensor<32x64xf32>', the tensor that threads write, input 0, is 'tensor<32x32xf32>'}}
  %r = ttl.kernel(%x) -> tensor<32x64xf32> attributes {grid = [1, 1]} {
  ^bb0(%k: tensor<32x32xf32>):
    %acc = ttl.tensor_accessor %k {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %cb = ttl.create_cb : !cb
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      %b = ttl.cb_wait %cb
      %tx = ttl.copy %b, %acc[%c0] : !ttl.mem_tx
    }
  }
  return %r : tensor<32x64xf32>
}

// -----
func.func @arguments() {
  ttl.kernel attributes {grid = [1, 1]} {
    %c = arith.constant 0 : index
    // expected-error @+1 {{'ttl.compute_thread' op body has 2 arguments for 1 operands}}
    ttl.compute_thread(%c : index) {
    ^bb0(%a: index, %b: index):
    }
  }
  return
}

// -----
func.func @types() {
  ttl.kernel attributes {grid = [1, 1]} {
    %c = arith.constant 0 : index
    // expected-error @+1 {{'ttl.datamovement_thread' op argument 0 has type 'i32', its operand 'index'}}
    ttl.datamovement_thread(%c) {
    ^bb0(%a: i32):
    }
  }
  return
}

// -----
// expected-error @+1 {{with a name has no results: what it makes it writes to tensors of a launch}}
%0 = "ttl.kernel"() <{sym_name = "k"}> ({
^bb0:
}) : () -> tensor<2xf32>

// -----
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @core_of_no_grid() {
  ttl.kernel attributes {grid = [2, 1]} {
    // expected-error @+1 {{has core 2 in its core_ranges; the grid has 2}}
    %cb = ttl.create_cb {core_ranges = #ttl.core_mask<[5]>} : !cb
    ttl.datamovement_thread {
      %b = ttl.cb_wait %cb
    }
  }
  return
}

// -----
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @apart() {
  ttl.kernel attributes {grid = [2, 1]} {
    %a = ttl.create_cb {core_ranges = #ttl.core_mask<[1]>} : !cb
    %b = ttl.create_cb {core_ranges = #ttl.core_mask<[2]>} : !cb
    // expected-error @+1 {{'ttl.compute_thread' op uses circular buffers that no core has all of: look at their core_ranges}}
    ttl.compute_thread {
      %x = ttl.cb_wait %a
      %y = ttl.cb_wait %b
    }
  }
  return
}

// -----
func.func @no_core() {
  // expected-error @+1 {{'ttl.create_cb' op core_ranges has no core}}
  %a = ttl.create_cb {core_ranges = #ttl.core_mask<[0]>} : !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
  return
}
