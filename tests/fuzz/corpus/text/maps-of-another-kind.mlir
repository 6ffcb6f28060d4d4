func.func @f(%z: f32, %m: memref<4xf32>) {
  linalg.fill {indexing_maps = [unit]} ins(%z : f32) outs(%m : memref<4xf32>)
  linalg.copy {indexing_maps = 7 : i64} ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return
}
