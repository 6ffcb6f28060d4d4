func.func @nobody_waits() {
  ttl.program attributes {grid = #ttl.grid<[1, 1]>} {
    %cb = ttl.create_cb : !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2>
    ttl.datamovement_thread {
      %b = ttl.cb_reserve %cb
      ttl.cb_push %b
    }
  }
  return
}
