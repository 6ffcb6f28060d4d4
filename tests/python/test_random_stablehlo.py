"""StableHLO programs against XLA, element by element: random ones (random_stablehlo.py; TILEWRIGHT_RANDOM=1000:2000
runs others), and regressions, most of them of empty tensors."""

import os

import numpy as np
import pytest
import xla
from native import Program
from random_stablehlo import make

FIRST, LAST = map(int, os.environ.get("TILEWRIGHT_RANDOM", "0:50").split(":"))


def check(text, *arrays, host=True):
    want, got = xla.run(text, *arrays), Program(text, host=host)(*arrays)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        scale = max(1.0, np.max(np.abs(w[np.isfinite(w)].astype(np.float64)), initial=0))
        np.testing.assert_allclose(g.astype(np.float64), w.astype(np.float64), rtol=1e-4, atol=1e-5 * scale, err_msg=text)


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_random(seed):
    text, arrays = make(seed)
    check(text, *arrays)


PROGRAMS = {
    "product of matrices without elements": """func.func @main(%a: tensor<0x8xf32>, %b: tensor<8xf32>) -> tensor<8x0xf32> {
  %r = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<0x8xf32>, tensor<8xf32>) -> tensor<8x0xf32>
  return %r : tensor<8x0xf32>
}""",
    "reshape of a broadcast without elements": """func.func @main(%a: tensor<0x3xf32>, %b: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<0x3xf32>) -> tensor<4x0x3xf32>
  %1 = stablehlo.exponential %0 : tensor<4x0x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x0x3xf32>) -> tensor<4x0xf32>
  %3 = stablehlo.add %2, %b : tensor<4x0xf32>
  return %3 : tensor<4x0xf32>
}""",
    "reshape of a slice without elements": """func.func @main(%a: tensor<12xf32>) -> tensor<5x0x3xf32> {
  %0 = stablehlo.reshape %a : (tensor<12xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.slice %0 [1:1, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<0x3xf32>) -> tensor<5x0x3xf32>
  return %2 : tensor<5x0x3xf32>
}""",
    "repeated dimension without elements": """func.func @main(%a: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.reshape %a : (tensor<0x3xf32>) -> tensor<1x0x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x0x3xf32>) -> tensor<2x0x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x0x3xf32>) -> tensor<0x3xf32>
  return %2 : tensor<0x3xf32>
}""",
    "padding that takes away some of what it adds": """func.func @main(%a: tensor<0x2xi32>) -> tensor<1x2xi32> {
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.pad %a, %c, low = [-1, 1], high = [2, -1], interior = [0, 0] : (tensor<0x2xi32>, tensor<i32>) -> tensor<1x2xi32>
  return %0 : tensor<1x2xi32>
}""",
    "padding that takes away what it adds": """func.func @main(%a: tensor<0x0xi32>) -> tensor<0x1xi32> {
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.pad %a, %c, low = [-1, 2], high = [1, -1], interior = [0, 0] : (tensor<0x0xi32>, tensor<i32>) -> tensor<0x1xi32>
  return %0 : tensor<0x1xi32>
}""",
}


@pytest.mark.parametrize("host", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_without_elements(name, host):
    text = PROGRAMS[name]
    shapes = [d.split(":")[1].strip()[7:-1] for d in text[text.index("(") + 1:text.index(")")].split(", ")]
    check(text, *(np.ones([int(d) for d in s.split("x")[:-1]], {"f32": np.float32, "i32": np.int32}[s.split("x")[-1]]) for s in shapes), host=host)


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("i32", np.int32), ("f16", np.float16), ("i8", np.int8), ("ui16", np.uint16)])
def test_sorting_positions_of_any_type(element, dtype):
    """Payloads that count up, such as indices, in types that the device's index result may not have."""
    check(f"""func.func @main(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5x{element}>) {{
  %i = stablehlo.iota dim = 1 : tensor<3x5x{element}>
  %r:2 = "stablehlo.sort"(%x, %i) <{{dimension = 1 : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<{element}>, %d: tensor<{element}>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }}) : (tensor<3x5xf32>, tensor<3x5x{element}>) -> (tensor<3x5xf32>, tensor<3x5x{element}>)
  return %r#0, %r#1 : tensor<3x5xf32>, tensor<3x5x{element}>
}}""", np.random.default_rng(3).integers(0, 4, (3, 5)).astype(np.float32))
