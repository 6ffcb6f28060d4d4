// Blobs behind resource keys are printed with the text that names them, and kept in bytecode.
// RUN: ttmlir-opt %s | FileCheck %s
// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --mlir-elide-resource-strings-if-larger=20 | FileCheck %s --check-prefix=ELIDE
// RUN: ttmlir-opt %s --mlir-elide-resource-strings-if-larger=4 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {t.a = dense_resource<blob1> : tensor<3xi64>, t.b = dense_resource<"bl ob"> : tensor<1xi8>, t.c = dense_resource<blob1>
// CHECK: {-#
// CHECK-NEXT: {{^}}  dialect_resources: {
// CHECK-NEXT: {{^}}    builtin: {
// CHECK-NEXT: {{^}}      blob1: "0x08000000010000000000000002000000000000000300000000000000",
// CHECK-NEXT: {{^}}      "bl ob": "0x01000000FE"
// CHECK-NEXT: {{^}}    }
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: #-}
// ELIDE-NOT: blob1:
// ELIDE: "bl ob": "0x01000000FE"
// NONE-NOT: {-#
module attributes {t.a = dense_resource<blob1> : tensor<3xi64>, t.b = dense_resource<"bl ob"> : tensor<1xi8>,
                   t.c = dense_resource<blob1> : tensor<3xi64>} {
}

{-#
  dialect_resources: {
    builtin: {
      blob1: "0x08000000010000000000000002000000000000000300000000000000",
      "bl ob": "0x01000000fe",
      unused: "0x0800000001"
    }
  }
#-}
