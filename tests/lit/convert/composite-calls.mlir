// Calls that Blackhole has as one operation keep their name and carry what they mean; on another
// chip that takes their place, whatever is asked.
// RUN: ttmlir-opt %s --stablehlo-to-ttir-pipeline -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: ttmlir-opt %t.mlir --ttir-to-ttnn-common-pipeline=mock-system-desc-arch=wormhole_b0 | FileCheck %s --check-prefix=WORMHOLE --implicit-check-not=ttnn.indexer_score --implicit-check-not=composite
// RUN: ttmlir-opt %t.mlir "--ttir-to-ttnn-common-pipeline=mock-system-desc-arch=blackhole composite-resolution=force-promote" -o %t.blackhole.mlir
// RUN: FileCheck %s --check-prefix=BLACKHOLE --input-file=%t.blackhole.mlir
// RUN: ttmlir-opt %t.blackhole.mlir --ttnn-common-to-emitpy-pipeline -o %t.py.mlir
// RUN: ttmlir-translate --mlir-to-python %t.py.mlir | FileCheck %s --check-prefix=PYTHON
// RUN: ttmlir-opt %t.blackhole.mlir --ttnn-common-to-emitc-pipeline -o %t.cpp.mlir
// RUN: ttmlir-translate --mlir-to-cpp %t.cpp.mlir | FileCheck %s --check-prefix=CPP

// CHECK-LABEL: @prefill
// CHECK: "ttcore.composite"(%arg0, %arg1) <{composite_attributes = {has_attention_mask = false, has_value = false, head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @flash_mla_prefill_decomp}>
// WORMHOLE: @prefill
// WORMHOLE: "ttnn.matmul"
// WORMHOLE: "ttnn.softmax"
// WORMHOLE: "ttnn.matmul"
// BLACKHOLE: "ttnn.flash_mla_prefill"
// PYTHON: ttnn.transformer.flash_mla_prefill({{[^,]*}}, {{[^,]*}}, 64, attn_mask=None, is_causal=True, scale=None, memory_config=
// CPP: ttnn::transformer::flash_mla_prefill({{v[0-9]+}}, {{v[0-9]+}}, 64, ::std::nullopt, ::std::nullopt, true, ::std::nullopt, ::ttnn
func.func @prefill(%q: tensor<1x16x32x128xbf16>, %k: tensor<1x1x32x128xbf16>) -> tensor<1x16x32x64xbf16> {
  %0 = stablehlo.custom_call @tt.flash_mla_prefill(%q, %k) {mhlo.frontend_attributes = {head_dim_v = "64"}} : (tensor<1x16x32x128xbf16>, tensor<1x1x32x128xbf16>) -> tensor<1x16x32x64xbf16>
  return %0 : tensor<1x16x32x64xbf16>
}

// CHECK-LABEL: @score
// CHECK: "ttcore.composite"(%arg0, %arg1, %arg2) <{composite_attributes = {chunk_start_idx = 32 : ui32, cluster_axis = 1 : ui32}, composite_name = "indexer_score_dsa", decomposition = @indexer_score_dsa_decomp}>
// CHECK: func.func private @indexer_score_dsa_decomp
// CHECK: "ttir.ge"{{.*}} : (tensor<1x1x32x64xi32>, tensor<1x1x32x64xi32>)
// BLACKHOLE: "ttnn.indexer_score_dsa"
// PYTHON: ttnn.experimental.indexer_score_dsa({{.*}}, chunk_start_idx=32, seq_shard_axes=[1])
// CPP: ttnn::experimental::indexer_score_dsa({{.*}}, 32, ::ttnn::operations::experimental::indexer_score::IndexerScoreProgramConfig{}, ::std::nullopt, ::std::nullopt, ::std::nullopt, ::std::vector<uint32_t>{1})
func.func @score(%q: tensor<1x8x32x128xbf16>, %k: tensor<1x1x64x128xbf16>, %w: tensor<1x8x32x1xbf16>) -> tensor<1x1x32x64xbf16> {
  %0 = stablehlo.custom_call @tt.indexer_score_dsa(%q, %k, %w) {mhlo.frontend_attributes = {chunk_start_idx = "32", cluster_axis = "1"}} : (tensor<1x8x32x128xbf16>, tensor<1x1x64x128xbf16>, tensor<1x8x32x1xbf16>) -> tensor<1x1x32x64xbf16>
  return %0 : tensor<1x1x32x64xbf16>
}
