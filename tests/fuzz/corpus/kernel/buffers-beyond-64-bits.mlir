!cb = !ttl.cb<[9223372036854775807, 1], !ttcore.tile<32x32, f32>, 2>
func.func @wide() {
  ttl.kernel attributes {grid = [1, 1]} {
    %a = ttl.create_cb : !cb
    %b = ttl.create_cb : !cb
    ttl.compute_thread {
      %x = ttl.cb_wait %a
      %y = ttl.cb_wait %b
    }
  }
  return
}
