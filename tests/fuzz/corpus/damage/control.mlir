func.func @control(%n: index, %c: i1, %x: f32, %m: memref<4x4xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %sum = scf.for %i = %zero to %n step %n iter_args(%s = %x) -> (f32) {
    %r = scf.if %c -> (f32) {
      %e = memref.load %m[%i, %zero] : memref<4x4xf32>
      scf.yield %e : f32
    } else {
      scf.yield %s : f32
    }
    scf.yield %r : f32
  }
  affine.for %i = 0 to 4 {
    affine.store %sum, %m[%i, symbol(%n) + 1] : memref<4x4xf32>
  }
  return %sum : f32
}
