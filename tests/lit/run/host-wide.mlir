// Arguments of 64 bits are looked at when a program runs.
// RUN: python3 -c "import numpy as np; np.savez('%t.npz', in0=np.array([2**40, 3, -2**33]))"
// RUN: tilewright run %s --inputs %t.npz 2>&1 | FileCheck %s
// RUN: not tilewright run %s --inputs %t.npz --no-host 2>&1 | FileCheck %s --check-prefix=DEVICE

// CHECK: note: runs on the host: 'func.func' (an argument is beyond 32 bits)
// CHECK: out0: si64[3] = -8.58993e+09 3 1.09951e+12
// DEVICE: element 0 is 1099511627776, which does not fit the device's integers of 32 bits
func.func @main(%a: tensor<3xi64>) -> tensor<3xi64> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<3xi64>
  return %0 : tensor<3xi64>
}
