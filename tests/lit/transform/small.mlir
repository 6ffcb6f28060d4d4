// RUN: ttmlir-opt %s --reconcile-unrealized-casts | FileCheck %s
// RUN: ttmlir-opt %s --print-op-stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: ttmlir-opt %s --print-op-stats=json=true 2>&1 >/dev/null | FileCheck %s --check-prefix=JSON
// RUN: ttmlir-opt %s --strip-debuginfo --mlir-print-debuginfo | FileCheck %s --check-prefix=BARE

// CHECK-LABEL: func.func @round
// CHECK-NEXT: return %arg0
// STATS: Operations encountered:
// STATS: builtin.module {{ *}}, 1
// STATS: builtin.unrealized_conversion_cast , 2
// STATS: func.return {{ *}}, 1
// JSON: "builtin.unrealized_conversion_cast" : 2
// BARE: #loc = loc(unknown)
// BARE-NOT: small.mlir
func.func @round(%a: i32) -> i32 {
  %0 = builtin.unrealized_conversion_cast %a : i32 to i64
  %1 = builtin.unrealized_conversion_cast %0 : i64 to i32
  return %1 : i32
}
