// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s
// A blob that only an attribute without a binary form names is kept.

// CHECK: flags = {names = dense_resource<weights> : tensor<2xi32>}
// CHECK: weights: "0x040000000100000002000000"
module attributes {t.target = #nvvm.target<flags = {names = dense_resource<weights> : tensor<2xi32>}>} {
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000100000002000000"
    }
  }
#-}
