func.func @f(%cb: !ttl.cb<[1, 1], !ttcore.tile<32x32, si32>, 2>) {
  ttl.cb_fill %cb, 1.0 : !ttl.cb<[1, 1], !ttcore.tile<32x32, si32>, 2>
  return
}
