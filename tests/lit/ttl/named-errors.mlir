// What kernels may not say about themselves.
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
