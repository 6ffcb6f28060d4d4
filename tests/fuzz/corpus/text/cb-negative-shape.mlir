ttl.kernel @k(%a: tensor<64x64xf32>) attributes {grid = #ttl.grid<[2, 2]>} {
  %cb = ttl.create_cb shape=[-1,-1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
}
