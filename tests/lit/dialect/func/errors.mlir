// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{symbol declaration cannot have public visibility}}
func.func public @f()

// -----

// expected-error @+1 {{arguments may only have dialect attributes}}
func.func @f(%a: i32 {y = 1}) { return }
