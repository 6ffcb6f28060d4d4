!dist = !ttl.dist_tensor<grid=[2, 2], shard=[32, 32], f32, sharded, L1>
func.func @captured(%A: !dist, %B: !dist) {
  ttl.kernel grid=[-0.0,2] {
    %b_local = ttl.extract_shard %B
    %a_local = ttl.extract_shard %A
    %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
    ttl.datamovement_thread {
      %x = ttl.cb_reserve %cb
      %t = ttl.copy %a_local, %x
      ttl.wait %t
      ttl.cb_push %x
    }
    ttl.datamovement_thread {
      %x = ttl.cb_wait %cb
      %t = ttl.copy %x, %b_local
      ttl.wait %t
      ttl.cb_pop %x
    }
    %B_redistributed = ttl.redistribute %B strategy=interleaved
  }
  return
}
