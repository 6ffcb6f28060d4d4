// RUN: ttmlir-opt %s --ttnn-weight-dtype-conversion=target-dtype=bfp_bf8 --verify-diagnostics | FileCheck %s --check-prefix=WEIGHT
// RUN: ttmlir-opt %s --ttnn-kv-cache-dtype-conversion=target-dtype=bfp_bf8 | FileCheck %s --check-prefix=CACHE
// RUN: ttmlir-opt %s --ttnn-ccl-activation-dtype-lowering | FileCheck %s --check-prefix=SEND
// RUN: not ttmlir-opt %s --ttnn-weight-dtype-conversion=target-dtype=f64 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: target-dtype is none, bfp_bf8 or bfp_bf4, not 'f64'

#dram = #ttnn.buffer_type<dram>
#t = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#c = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>

// Only what comes from parameters and constants is a weight; the operation may say what it wants.
// WEIGHT-LABEL: @products
// WEIGHT: %[[W:.*]] = "ttnn.typecast"(%arg1) : {{.*}} -> tensor<32x32x!ttcore.tile<32x32, bfp_bf8>,
// WEIGHT: "ttnn.matmul"(%arg0, %[[W]])
// WEIGHT: "ttnn.matmul"(%arg0, %arg0)
// WEIGHT: %[[H:.*]] = "ttnn.from_device"(%arg1)
// WEIGHT: %[[F:.*]] = "ttnn.typecast"(%[[H]]) : {{.*}} -> tensor<32x32x!ttcore.tile<32x32, bfp_bf4>,
// WEIGHT: %[[D:.*]] = "ttnn.to_device"(%[[F]]
// WEIGHT: "ttnn.matmul"(%arg0, %[[D]])
func.func @products(%x: tensor<32x32xbf16, #t> {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<32x32xbf16, #t> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) {
  %0 = "ttnn.matmul"(%x, %w) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %1 = "ttnn.matmul"(%x, %x) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %2 = "ttnn.matmul"(%x, %w) {ttcore.weight_dtype = "bfp_bf4"} : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  return %0, %1, %2 : tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>
}

// CACHE-LABEL: @cache
// CACHE-SAME: %arg0: tensor<1x1x32x32x!ttcore.tile<32x32, bfp_bf8>,
// CACHE-SAME: -> tensor<1x1x32x32x!ttcore.tile<32x32, bfp_bf8>,
// CACHE: %[[X:.*]] = "ttnn.typecast"(%arg1)
// CACHE: "ttnn.fill_cache"(%arg0, %[[X]])
func.func @cache(%c: tensor<1x1x32x32xbf16, #c> {ttcore.kv_cache}, %x: tensor<1x1x32x32xbf16, #c>) -> tensor<1x1x32x32xbf16, #c> attributes {tt.function_type = "forward_device"} {
  "ttnn.fill_cache"(%c, %x) <{batch_offset = 0 : i32}> : (tensor<1x1x32x32xbf16, #c>, tensor<1x1x32x32xbf16, #c>) -> ()
  return %c : tensor<1x1x32x32xbf16, #c>
}

// A product that is summed over the chips and then added to something is sent in eight bits.
// SEND-LABEL: @sent
// SEND: "ttnn.matmul"(%arg0, %arg0) {{.*}} -> tensor<32x32x!ttcore.tile<32x32, bfp_bf8>,
// SEND: "ttnn.all_reduce"({{.*}} -> tensor<32x32x!ttcore.tile<32x32, bfp_bf8>,
// SEND: "ttnn.add"({{.*}} -> tensor<32x32xbf16,
// SEND: "ttnn.matmul"(%arg0, %arg0) {{.*}} -> tensor<32x32xbf16,
func.func @sent(%x: tensor<32x32xbf16, #t>) -> (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) {
  %0 = "ttnn.matmul"(%x, %x) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %1 = "ttnn.all_reduce"(%0) <{reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 0 : ui32}> : (tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %2 = "ttnn.add"(%1, %x) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %3 = "ttnn.matmul"(%x, %x) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  %4 = "ttnn.add"(%3, %x) : (tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>) -> tensor<32x32xbf16, #t>
  return %2, %4 : tensor<32x32xbf16, #t>, tensor<32x32xbf16, #t>
}
