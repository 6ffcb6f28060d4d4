// RUN: ttlang-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @+1 {{'ttl.bind_cb' op cb_index must be in [0,31]}}
  %0 = ttl.bind_cb {cb_index = 32, buffer_factor = 2} : !ttl.cb<[1, 1], f32, 2>
  return
}

// -----
func.func @f() {
  // expected-error @+1 {{buffer_factor must match result type buffer factor (3)}}
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !ttl.cb<[1, 1], f32, 3>
  return
}

// -----
func.func @f(%cb: !ttl.cb<[1, 2], f32, 2>) {
  // expected-error @+1 {{result tensor shape dimension 1 (1) must match CB shape dimension (2)}}
  %0 = ttl.cb_wait %cb : <[1, 2], f32, 2> -> tensor<1x1xf32>
  return
}

// -----
func.func @f(%t: tensor<1x1xbf16>, %cb: !ttl.cb<[1, 1], f32, 2>) {
  // expected-error @+1 {{tensor element type ('bf16') must match CB element type ('f32')}}
  %0 = ttl.attach_cb %t, %cb : (tensor<1x1xbf16>, !ttl.cb<[1, 1], f32, 2>) -> tensor<1x1xbf16>
  return
}

// -----
func.func @f(%t: tensor<1x1xf32>, %cb: !ttl.cb<[1, 1], f32, 2>) {
  // expected-error @+1 {{expects tensor operand to carry TTNNLayout encoding}}
  %0 = ttl.copy %t, %cb : (tensor<1x1xf32>, !ttl.cb<[1, 1], f32, 2>) -> !ttl.transfer_handle<read>
  ttl.wait %0 : !ttl.transfer_handle<read>
  return
}

// -----
#l1 = #ttnn.buffer_type<l1>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #l1>, <interleaved>>
!tensor = tensor<1x1x!ttcore.tile<32x32, f32>, #layout>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @f(%t: !tensor, %cb: !cb) {
  // expected-error @+1 {{expects transfer handle to be synchronized with ttl.wait.}}
  %0 = ttl.copy %t, %cb : (!tensor, !cb) -> !ttl.transfer_handle<read>
  return
}

// -----
func.func @f(%h: !ttl.transfer_handle<read>) {
  // expected-error @+1 {{expects operand to be the result of ttl.copy.}}
  ttl.wait %h : !ttl.transfer_handle<read>
  return
}

// -----
#map = affine_map<(d0) -> (d0)>
!tile = !ttcore.tile<32x32, f32>
func.func @f(%t: tensor<2x!tile>) -> tensor<2x!tile> {
  // expected-error @+1 {{input 0 must have a circular buffer attached via `ttl.attach_cb` or `ttl.cb_wait`}}
  %0 = ttl.compute ins(%t : tensor<2x!tile>) outs(%t : tensor<2x!tile>) {indexing_maps = [#map, #map], iterator_types = ["parallel"]} {
  ^bb0(%a: !tile, %b: !tile):
    ttl.yield %a : !tile
  } -> tensor<2x!tile>
  return %0 : tensor<2x!tile>
}

// -----
// expected-error @+2 {{expected integer value}}
// expected-error @+1 {{failed to parse TTL_SliceAttr parameter 'stop' which is to be a `int64_t`}}
func.func private @f() attributes {s = #ttl.slice<start = 0, stop = "end", step = 1>}

// -----

// expected-error @+1 {{slice step cannot be zero}}
func.func private @f() attributes {s = #ttl.slice<start = 0, stop = 2, step = 0>}

// -----
!a = tensor<2x3x!ttcore.tile<32x32, f32>>
func.func @f(%a: !a) {
  // expected-error @+1 {{'ttl.matmul' op inner extents differ: lhs is 2x3 tiles, rhs 2x3}}
  %0 = ttl.matmul %a, %a : !a, !a -> !a
  return
}

// -----
!a = tensor<2x3x!ttcore.tile<32x32, f32>>
!s = tensor<1x1x!ttcore.tile<32x32, f32>>
func.func @f(%a: !a, %s: !s) {
  // expected-error @+1 {{result is a block of 2x1 tiles, but its type is 'tensor<2x3x!ttcore.tile<32x32, f32>>'}}
  %0 = ttl.reduce_sum %a, %s [1] : !a, !s -> !a
  return
}

// -----
!a = tensor<2x3x!ttcore.tile<32x32, f32>>
!s = tensor<1x1x!ttcore.tile<32x32, f32>>
func.func @f(%a: !a, %s: !s) {
  // expected-error @+1 {{dims must be [0], [1] or [0, 1]}}
  %0 = ttl.reduce_max %a, %s [2] : !a, !s -> !s
  return
}
