"""Single operations of StableHLO that no frontend here exports, against numpy."""

import itertools

import numpy as np
import pytest
from native import Program


@pytest.mark.parametrize("left,lower,transpose,unit", itertools.product([True, False], repeat=4))
def test_triangular_solve(left, lower, transpose, unit):
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (2, 4, 4)).astype(np.float32) + 3 * np.eye(4, dtype=np.float32)
    b = rng.uniform(-1, 1, (2, 4, 3) if left else (2, 3, 4)).astype(np.float32)
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    words = ", ".join(f"{k} = {str(v).lower()}" for k, v in flags.items())
    shape = "x".join(map(str, b.shape))
    (got,) = Program(f"""func.func @main(%a: tensor<2x4x4xf32>, %b: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
      %y = "stablehlo.triangular_solve"(%a, %b) {{{words},
        transpose_a = #stablehlo<transpose {"TRANSPOSE" if transpose else "NO_TRANSPOSE"}>}}
        : (tensor<2x4x4xf32>, tensor<{shape}xf32>) -> tensor<{shape}xf32>
      return %y : tensor<{shape}xf32>
    }}""")(a, b)
    m = np.tril(a) if lower else np.triu(a)
    if unit:
        m = m * (1 - np.eye(4)) + np.eye(4)
    m = m.swapaxes(1, 2) if transpose else m
    product = m @ got if left else got @ m
    np.testing.assert_allclose(product, b, atol=3e-6)


@pytest.mark.parametrize("width", [32, 64])
def test_counting_bits(width):
    small = [0, 1, 2, 3, 127, 128, 0x55555555, 0x7FFFFFFF, -1, -2, -128, -(2**31)]
    x = np.array(small + list(np.random.default_rng(0).integers(-(2**31), 2**31, 50)), np.int64).astype(f"int{width}")
    kind = f"tensor<{x.size}xi{width}>"
    ones, zeros = Program(f"""func.func @main(%x: {kind}) -> ({kind}, {kind}) {{
      %p = stablehlo.popcnt %x : {kind}
      %z = stablehlo.count_leading_zeros %x : {kind}
      return %p, %z : {kind}, {kind}
    }}""")(x)
    bits = [format(int(v) % 2**width, f"0{width}b") for v in x]
    np.testing.assert_array_equal(ones, [b.count("1") for b in bits])
    np.testing.assert_array_equal(zeros, [len(b) - len(b.lstrip("0")) for b in bits])


def test_map():
    x, y = np.array([[1.5, -2, 3], [4, 5, -6]], np.float32), np.full((2, 3), 2, np.float32)
    (got,) = Program("""func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %r = "stablehlo.map"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %ten = stablehlo.constant dense<10.0> : tensor<f32>
        %p = stablehlo.multiply %a, %ten : tensor<f32>
        %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %s = stablehlo.select %c, %p, %b : tensor<i1>, tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    }""")(x, y)
    np.testing.assert_array_equal(got, np.where(x > y, 10 * x, y))


def test_dynamic_forms_of_static_shapes():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    padded, spread = Program("""func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x6xf32>, tensor<3x2x2xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %low = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
      %high = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
      %between = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
      %p = stablehlo.dynamic_pad %x, %zero, %low, %high, %between
        : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x6xf32>
      %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
      %r = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
      %wide = stablehlo.constant dense<[3, 2, 2]> : tensor<3xi64>
      %s = stablehlo.dynamic_broadcast_in_dim %r, %wide, dims = [0, 2]
        : (tensor<3x2xf32>, tensor<3xi64>) -> tensor<3x2x2xf32>
      return %p, %s : tensor<3x6xf32>, tensor<3x2x2xf32>
    }""")(x)
    want = np.zeros((3, 6), np.float32)
    want[1:, 0:5:2] = x
    np.testing.assert_array_equal(padded, want)
    np.testing.assert_array_equal(spread, np.repeat(x.reshape(3, 1, 2), 2, axis=1))
