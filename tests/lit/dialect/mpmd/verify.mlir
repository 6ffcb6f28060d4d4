// RUN: mpmd_opt --split-input-file --verify-diagnostics %s

func.func @divide(%a: !mpmd.mesh_tensor<"m", tensor<6xf32>>) attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  // expected-error @+1 {{'mpmd.transfer' op dim 0 with size 6 is not divisible by its sharded size 4}}
  %0 = mpmd.transfer %a : (!mpmd.mesh_tensor<"m", tensor<6xf32>>) -> !mpmd.mesh_tensor<"m", tensor<6xf32>, sharding=<@mesh, [{"x"}]>>
  return
}

// -----

func.func @no_mesh(%a: tensor<6xf32>) attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  // expected-error @+1 {{Topology doesn't have a mesh with name: n}}
  %0 = mpmd.assign %a : (tensor<6xf32>) -> !mpmd.mesh_tensor<"n", tensor<6xf32>>
  return
}

// -----

func.func @whole(%a: !mpmd.mesh_tensor<"m", tensor<6xf32>>) attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  // expected-error @+1 {{expected the type of the block argument to be global tensor type operand: 'tensor<6xf32>', got: 'tensor<3xf32>'}}
  mpmd.fragment<mesh="m", origin=[]> (%a) (%b: tensor<3xf32>) {
    mpmd.return
  } : (!mpmd.mesh_tensor<"m", tensor<6xf32>>) -> ()
  return
}

// -----

func.func private @f(%a: tensor<f32>) attributes {topology = #mpmd.topology<<"m" : <["x"=4]>>>} {
  // expected-error @+1 {{Mpmd CallOp on "g" in an Mpmd function can only be used directly by the entrypoint function, i.e. the main function, but was called from "f".}}
  mpmd.call @g(%a) : (tensor<f32>) -> ()
  return
}
func.func private @g(tensor<f32>)

// -----

func.func @loop(%a: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{number of iterations 3 isn't divisible by unroll factor 2}}
  %0 = mpmd.for (%a) {iterations = 3 : ui32, unroll_factor = 2 : ui32} (%b: tensor<f32>, %i: tensor<ui32>) {
    mpmd.return %b : tensor<f32>
  } : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{expected 'memory_kind'}}
func.func private @kind(!mpmd.mesh_tensor<"m", tensor<6xf32>, kind="device">)

// -----

func.func @loop(%a: tensor<f32>, %c: tensor<i32>) -> tensor<i32> {
  // expected-error @+1 {{requires the same type for operand and result at index 0}}
  %0 = "mpmd.for"(%a) <{iterations = 3 : ui32}> ({
  ^bb0(%b: tensor<f32>, %i: tensor<ui32>):
    "mpmd.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<f32>) -> tensor<i32>
  return %0 : tensor<i32>
}
