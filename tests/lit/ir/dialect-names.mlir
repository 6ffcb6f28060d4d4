// RUN: ttmlir-opt --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

// expected-error @+1 {{invalid dialect namespace '"0"'}}
module attributes {t.a = #0<noc>} {}

// -----

// expected-error @+1 {{invalid dialect namespace '"1"'}}
func.func private @f(!1<y>)

// -----

// Aliases may be integers.
#0 = 1 : i32
module attributes {t.a = #0} {}
