// RUN: ttmlir-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{type should be static shaped memref, but got 'memref<?xf32>'}}
memref.global @a : memref<?xf32>

// -----
// expected-error @+1 {{initial value should be a unit or elements attribute}}
memref.global @a : memref<2xf32> = "x"
