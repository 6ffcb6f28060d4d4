// Invalid attributes of kernels.
// RUN: ttlang-opt %s -split-input-file -verify-diagnostics
// expected-error @+1 {{a kernel has named arguments without attributes, and no results: what it makes it writes to tensors}}
ttl.kernel @result(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
}

// -----
// expected-error @+1 {{a kernel has named arguments without attributes, and no results}}
ttl.kernel @types(tensor<64x64xf32>) {
}

// -----
// expected-note @+1 {{see existing symbol definition here}}
ttl.kernel @twice() {
}
// expected-error @+1 {{redefinition of symbol named 'twice'}}
func.func @twice() {
  return
}

// -----
func.func @inputs(%a: tensor<64x64xf32>) {
  // expected-error @+1 {{'ttl.kernel' op with a name has no inputs: its arguments come from a launch}}
  "ttl.kernel"(%a) <{sym_name = "k"}> ({
  ^bb0(%b: tensor<64x64xf32>):
  }) : (tensor<64x64xf32>) -> ()
  return
}

// -----
// expected-error @+1 {{'ttl.kernel' op block_factors has 1 entries for 2 inputs}}
ttl.kernel @factors(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) attributes {block_factors = [[1, 1]]} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op block_factors: entry 1 is no list of positive numbers}}
ttl.kernel @numbers(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) attributes {block_factors = [[1, 1], [1, 0]]} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op compile_time_args: entry 0 is no number of an input; there are 1}}
ttl.kernel @known(%a: tensor<64x64xf32>) attributes {compile_time_args = [1]} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op compute_config: math_fidelity is "LoFi", "HiFi2", "HiFi3" or "HiFi4"}}
ttl.kernel @fidelity() attributes {compute_config = {math_fidelity = "HiFi5"}} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op compute_config: fp32_dest_acc_en is true or false}}
ttl.kernel @truth() attributes {compute_config = {fp32_dest_acc_en = 1}} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op compute_config has no 'speed': it has math_fidelity, fp32_dest_acc_en, dst_full_sync_en and math_approx_mode}}
ttl.kernel @unknown() attributes {compute_config = {speed = 1}} {
}

// -----
// expected-error @+1 {{'ttl.kernel' op attribute 'tiled' failed to satisfy constraint: bool attribute}}
ttl.kernel @tiled() attributes {tiled = "yes"} {
}

// -----
func.func @page() {
  // expected-error @+1 {{'ttl.create_cb' op page_size is 4096 bytes, but pages of this buffer, which hold a tile, have 2048}}
  %0 = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1, page_size=4096
  return
}

// -----
func.func @cores() {
  %0 = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, page_size=2048, core_ranges=#ttl.core_mask<[3]>
  // expected-error @+1 {{'ttl.create_cb' op core_ranges must be a #ttl.core_mask}}
  %1 = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, core_ranges = [[0, 0], [1, 1]]
  return
}

// -----
func.func @layout(%t: tensor<64x64xf32>) {
  // expected-error @+1 {{'ttl.tensor_accessor' op layout must be a #ttl.layout}}
  %0 = "ttl.tensor_accessor"(%t) {layout = 3 : i32} : (tensor<64x64xf32>) -> !ttl.accessor<tensor<64x64xf32>, #ttl.layout<interleaved>, DRAM>
  return
}

// -----
func.func @hint() {
  ttl.kernel {
    // expected-error @+1 {{'ttl.compute_thread' op attribute 'microcore_hint' failed to satisfy constraint: string attribute}}
    ttl.compute_thread attributes {microcore_hint = 1} {
    }
  }
  return
}
