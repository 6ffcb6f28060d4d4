// RUN: tilewright operations | FileCheck %s
// RUN: tilewright operations ttnn | FileCheck %s --check-prefix=PAGE
// RUN: tilewright operations ttir.softmax | FileCheck %s --check-prefix=ONE
// RUN: not tilewright operations ttir.sofmax 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tilewright operations arith | FileCheck %s --check-prefix=ARITH
// RUN: tilewright operations arith.cmpi | FileCheck %s --check-prefix=CMPI
// CHECK: | ttir | {{[1-9][0-9]+}} |
// PAGE: # ttnn
// PAGE: | operation | checks of its own | folds | in .ttnn files | runs | as Python |
// PAGE: | ttnn.add | yes |  | yes | yes | yes |
// PAGE: **ttnn.add**
// PAGE: - `lhs`: ranked tensor
// PAGE: | enum | cases |
// PAGE: | BufferType | `dram` (0), `l1` (1)

// ONE: **ttir.softmax**
// ONE: Attributes:
// ONE-NEXT: - `dimension`: {{.*}}integer
// NONE: no dialect or operation is called 'ttir.sofmax'; did you mean 'ttir.softmax'?
// ARITH: | enum | cases |
// ARITH: | AtomicRMWKind | `addf` (0), `addi` (1),
// ARITH: | FastMathFlags | `none` (0), `reassoc` (1), `nnan` (2), `ninf` (4),
// CMPI: **arith.cmpi**
// CMPI: | enum | cases |
// CMPI: | CmpIPredicate | `eq` (0), `ne` (1), `slt` (2),
