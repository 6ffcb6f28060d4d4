// RUN: ttlang-opt %s --pass-pipeline='builtin.module(func.func(convert-ttl-to-compute))' -split-input-file -verify-diagnostics

!a = tensor<1x1x!ttcore.tile<32x32, bf16>>
!b = tensor<1x1x!ttcore.tile<32x32, f32>>
!ca = !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
func.func @mixed(%x: !a, %y: !b) -> !b {
  %0 = ttl.bind_cb {cb_index = 0, buffer_factor = 2} : !ca
  %1 = ttl.bind_cb {cb_index = 1, buffer_factor = 2} : !cb
  %2 = ttl.bind_cb {cb_index = 2, buffer_factor = 2} : !cb
  %p = ttl.attach_cb %x, %0 : (!a, !ca) -> !a
  %q = ttl.attach_cb %y, %1 : (!b, !cb) -> !b
  // expected-error @+1 {{operands of one compute block must have the result's element type: 'tensor<1x1x!ttcore.tile<32x32, bf16>>' and 'tensor<1x1x!ttcore.tile<32x32, f32>>'}}
  %r = ttl.add %p, %q : !a, !b -> !b
  %o = ttl.attach_cb %r, %2 : (!b, !cb) -> !b
  return %o : !b
}

// -----
!b = tensor<1x1x!ttcore.tile<32x32, f32>>
!cb = !ttl.cb<[1, 1], !ttcore.tile<32x32, f32>, 2>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @unended(%x: !b, %y: !b, %0: !cb, %1: !cb) -> !b {
  %p = ttl.attach_cb %x, %0 : (!b, !cb) -> !b
  %o = ttl.attach_cb %y, %1 : (!b, !cb) -> !b
  // expected-error @+1 {{body block must have a terminator}}
  %r = ttl.compute ins(%p : !b) outs(%o : !b) {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} {
  ^bb0(%a: !ttcore.tile<32x32, f32>, %c: !ttcore.tile<32x32, f32>):
    %s = ttl.tile_exp %a : !ttcore.tile<32x32, f32>
  } -> !b
  return %r : !b
}
