// Bytecode of every version reads back as the same text, and writes back as the same bytes.
// RUN: ttmlir-opt %s --emit-bytecode | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=0 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=1 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=2 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=3 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=4 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode --emit-bytecode-version=5 | ttmlir-opt | FileCheck %s
// RUN: ttmlir-opt %s --emit-bytecode -o %t.1 && ttmlir-opt %t.1 --emit-bytecode -o %t.2 && cmp %t.1 %t.2
// RUN: not ttmlir-opt %s --emit-bytecode --emit-bytecode-version=7 2>&1 | FileCheck %s --check-prefix=VERSION

// VERSION: unsupported version 7: expected 0 to 6

// CHECK: #[[MAP:.*]] = affine_map<(d0) -> (d0 + 1)>
#map = affine_map<(d0) -> (d0 + 1)>
module @m {
  // CHECK: func.func @f(%{{.*}}: tensor<4xf32> {x.y = 1 : i32}, %{{.*}}: i32) -> tensor<4xf32> attributes {llvm.x}
  func.func @f(%a: tensor<4xf32> {x.y = 1 : i32}, %b: i32) -> tensor<4xf32> attributes {llvm.x} {
    // CHECK: dense<[1.000000e+00, -2.000000e+00, 3.500000e+00, 4.000000e+00]>
    %c = arith.constant dense<[1.0, -2.0, 3.5, 4.0]> : tensor<4xf32>
    // CHECK: arith.addf {{.*}} fastmath<fast>
    %d = arith.addf %a, %c fastmath<fast> : tensor<4xf32>
    // CHECK: dense<[true, false, true]> : tensor<3xi1>
    %t = arith.constant dense<[true, false, true]> : tensor<3xi1>
    // CHECK: dense<[-3, 2, 7]> : tensor<3xi4>
    %u = arith.constant dense<[-3, 2, 7]> : tensor<3xi4>
    %lb = arith.constant 0 : index
    // CHECK: arith.constant -5 : index
    %ub = arith.constant -5 : index
    // CHECK: %[[R:.*]] = scf.for
    %r = scf.for %i = %lb to %ub step %lb iter_args(%x = %d) -> tensor<4xf32> {
      %y = arith.addf %x, %c : tensor<4xf32>
      %cond = arith.cmpi slt, %i, %lb : index
      // CHECK: scf.if
      %z = scf.if %cond -> tensor<4xf32> {
        // CHECK-NEXT: scf.yield %[[#]]
        scf.yield %y : tensor<4xf32>
      } else {
        scf.yield %x : tensor<4xf32>
      }
      scf.yield %z : tensor<4xf32>
    }
    // CHECK: return %[[R]]
    return %r : tensor<4xf32>
  }
  // CHECK: func.func private @g(memref<4x?xf32, strided<[4, 1]>>, vector<4x[4]xf16>, complex<f64>, tuple<i1, none>, tensor<2xf8E4M3FN>) attributes {m = #[[MAP]], s = sparse<{{\[\[}}0, 1], [2, 2]], [1.500000e+00, -2.000000e+00]> : tensor<3x4xf32>}
  func.func private @g(memref<4x?xf32, strided<[4, 1]>>, vector<4x[4]xf16>, complex<f64>, tuple<i1, none>, tensor<2xf8E4M3FN>) attributes {m = #map, s = sparse<[[0, 1], [2, 2]], [1.5, -2.0]> : tensor<3x4xf32>}
  func.func @h(%m: memref<4x8xf32>, %n: index) {
    // CHECK: memref.subview %{{.*}}[0, 0] [%{{.*}}, 8] [1, 1]
    %s = memref.subview %m[0, 0] [%n, 8] [1, 1] : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1]>>
    cf.br ^bb1(%n : index)
  // CHECK: ^bb1(%[[Q:.*]]: index):
  ^bb1(%q: index):
    %x = arith.cmpi eq, %q, %n : index
    // CHECK: cf.cond_br %{{.*}}, ^bb1(%[[Q]] : index), ^bb2
    cf.cond_br %x, ^bb1(%q : index), ^bb2
  ^bb2:
    return
  }
}
