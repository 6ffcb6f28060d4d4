
!cb = !ttl.cb<[-2147483648, 1], !ttcore.tile<32x32, f32>, 2>
func.func @core_of_no_grid() {
  ttl.kernel attributes {grid = [2, 1]} {
    // expected-error @+1 {{has core 2 in its core_ranges; the grid has 2}}
    %cb = ttl.create_cb {core_ranges = #ttl.core_mask<[1]>} : !cb
    ttl.datamovement_thread {
      %b = ttl.cb_wait %cb
    }
  }
  return
}

