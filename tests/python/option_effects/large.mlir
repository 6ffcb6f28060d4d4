// Three tensors of half a megabyte for each core live at once: L1 holds two.
func.func @main(%x: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> loc("first")
  %1 = "ttir.sin"(%x) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %2 = "ttir.cos"(%x) : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> loc("third")
  %3 = "ttir.add"(%0, %1) : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %4 = "ttir.multiply"(%2, %3) : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %5 = "ttir.subtract"(%4, %0) : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %5 : tensor<4096x4096xbf16>
}
