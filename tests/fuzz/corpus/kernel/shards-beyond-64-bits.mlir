!dist = !ttl.dist_tensor<grid = [9223372036854775807, 2], shard = [32, 64], f32, sharded, L1>
func.func @f(%a: !dist) {
  %0 = ttl.redistribute %a {strategy = #ttl.distribution_strategy<replicated>} : (!dist) -> !dist
  return
}
