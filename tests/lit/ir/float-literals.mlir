// Elements of floats want a point, as of MLIR 22.
// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics

// expected-error @+2 {{unexpected decimal integer literal for a floating point value}}
// expected-note @+1 {{add a trailing dot to make the literal a float}}
func.func private @f() attributes {func.b = dense<[1.0, -2]> : tensor<2xf32>}

// -----

// expected-error @+1 {{expected floating point literal}}
func.func private @f() attributes {func.b = dense<true> : tensor<2xf32>}

// -----

// expected-error @+1 {{`!"foo"<"bar">` type created with unregistered dialect}}
func.func private @f(!foo.bar)
