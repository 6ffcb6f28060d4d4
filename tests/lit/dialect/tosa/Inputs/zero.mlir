func.func @f(%a: tensor<0xf32>) { %0 = tosa.abs %a : (tensor<0xf32>) -> tensor<0xf32> return }
