// RUN: ttmlir-opt %s --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: ttmlir-opt %s --split-input-file --output-split-marker="// next" --allow-unregistered-dialect | FileCheck %s --check-prefix=MARK
// RUN: not ttmlir-opt %s --no-implicit-module --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: ttmlir-opt %s --no-implicit-module --split-input-file --allow-unregistered-dialect | FileCheck %s --check-prefix=BARE
// RUN: ttmlir-opt %s --verify-roundtrip --allow-unregistered-dialect | FileCheck %s --check-prefix=SAME

// CHECK: module {
// CHECK-NEXT: "a.b"
// CHECK: {{^}}// -----{{$}}
// CHECK-NEXT: module {
// CHECK-NEXT: "a.c"
// MARK: {{^}}// next{{$}}
// MARK-NOT: // -----
// SINGLE: error: source must contain a single top-level operation, found: 2
// BARE-NOT: module
// BARE: {{^}}"a.b"
// SAME: "a.b"
// SAME: "a.c"
"a.b"() : () -> ()
// -----
"a.c"() : () -> ()
