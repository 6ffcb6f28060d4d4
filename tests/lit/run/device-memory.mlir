// RUN: not tilewright run %s --entry large 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: env TT_METAL_DRAM_FALLBACK=1 tilewright run %s --entry large --profile | FileCheck %s --check-prefix=FALLBACK
// RUN: tilewright run %s --entry released --profile | FileCheck %s --check-prefix=RELEASED
// RUN: not tilewright run %s --entry used_after 2>&1 | FileCheck %s --check-prefix=AFTER

#l1 = #ttnn.buffer_type<l1>
#dram = #ttnn.buffer_type<dram>
#large = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128x!ttcore.tile<32x32, f32>, #l1>, <interleaved>>
#sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x8x!ttcore.tile<32x32, f32>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>
#small = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>

// 32 MiB as tiles of 4 KiB over 64 cores: 512 KiB in each; the third one does not fit.
// LARGE: resource: {{.*}}device-memory.mlir:[[#@LINE+6]]:{{.*}}: 'ttnn.neg': Failed to allocate L1 buffer: it needs 524288 bytes in each of 64 banks; of a bank's 1498112 bytes 1048576 are taken
// LARGE-SAME: TT_METAL_DRAM_FALLBACK=1
// FALLBACK: L1 peak: {{ *}}1024.0 KiB
// FALLBACK: 1 tensors did not fit into L1 and live in DRAM
func.func @large(%a: tensor<2048x4096xf32, #large>) -> tensor<2048x4096xf32, #large> {
  %0 = "ttnn.abs"(%a) : (tensor<2048x4096xf32, #large>) -> tensor<2048x4096xf32, #large>
  %1 = "ttnn.neg"(%0) : (tensor<2048x4096xf32, #large>) -> tensor<2048x4096xf32, #large>
  return %1 : tensor<2048x4096xf32, #large>
}

// A shard of 32x256 f32 on each of 4 cores is 32 KiB; two are alive at a time.
// RELEASED: L1 peak: {{ *}}64.0 KiB
func.func @released(%a: tensor<128x256xf32, #sharded>) -> tensor<128x256xf32, #sharded> {
  %0 = "ttnn.abs"(%a) : (tensor<128x256xf32, #sharded>) -> tensor<128x256xf32, #sharded>
  "ttnn.deallocate"(%a) <{force = false}> : (tensor<128x256xf32, #sharded>) -> ()
  %1 = "ttnn.neg"(%0) : (tensor<128x256xf32, #sharded>) -> tensor<128x256xf32, #sharded>
  "ttnn.deallocate"(%0) <{force = false}> : (tensor<128x256xf32, #sharded>) -> ()
  %2 = "ttnn.sin"(%1) : (tensor<128x256xf32, #sharded>) -> tensor<128x256xf32, #sharded>
  return %2 : tensor<128x256xf32, #sharded>
}

// AFTER: device-memory.mlir:[[#@LINE+3]]:{{.*}}'ttnn.neg' uses a tensor (operand 0) after it was deallocated here
func.func @used_after(%a: tensor<32x32xf32, #small>) -> tensor<32x32xf32, #small> {
  %0 = "ttnn.abs"(%a) : (tensor<32x32xf32, #small>) -> tensor<32x32xf32, #small>
  "ttnn.deallocate"(%0) <{force = false}> : (tensor<32x32xf32, #small>) -> ()
  %1 = "ttnn.neg"(%0) : (tensor<32x32xf32, #small>) -> tensor<32x32xf32, #small>
  return %1 : tensor<32x32xf32, #small>
}
