#map = affine_map<(d0, d1)[s0] -> (d1 + s0, d0 floordiv 2)>
!tile = !ttcore.tile<32x32, bf16>
#loc1 = loc("model.py":3:7)
module @m attributes {a.b = [1, 2.5, #map], c.d = !tile} {
  func.func private @outside(tensor<2x?xf32>, i1) -> (tensor<2x?xf32> {x.y}, index)
  func.func @main(%a: tensor<2x3xf32> {x.arg = "q\22"}, %c: i1) -> tensor<2x3xf32> attributes {z} {
    %k = stablehlo.constant dense<[[1.0, -2.5, 0x7FC00000], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %s = arith.constant 4 : index
    %z = arith.constant 0 : index
    %r = scf.if %c -> (tensor<2x3xf32>) {
      %0 = stablehlo.add %a, %k : tensor<2x3xf32> loc(#loc1)
      scf.yield %0 : tensor<2x3xf32>
    } else {
      %1 = "ttir.multiply"(%a, %k) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      scf.yield %1 : tensor<2x3xf32>
    }
    %t = scf.for %i = %z to %s step %s iter_args(%v = %r) -> (tensor<2x3xf32>) {
      scf.yield %v : tensor<2x3xf32>
    }
    %w = arith.select %c, %t, %r : tensor<2x3xf32>
    return %w : tensor<2x3xf32> loc(#later)
  }
}
#later = loc(callsite("f"("g.py":1:2) at #loc1))
{-# dialect_resources: {builtin: {blob: "0x0400000001020304"}} #-}
