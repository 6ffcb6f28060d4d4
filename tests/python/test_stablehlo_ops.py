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


@pytest.mark.parametrize("width", [8, 16, 32, 64])
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
    padded, repeated = Program("""func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x6xf32>, tensor<3x2x2xf32>) {
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
    np.testing.assert_array_equal(repeated, np.repeat(x.reshape(3, 1, 2), 2, axis=1))


def test_half_away_from_zero():
    """The largest value below a half, and values without fractional bits."""
    x = np.array([-0.5, 0.5, -0.49999997, 0.49999997, 2.5, -2.5, 8388609, 4194304.5, 3e30, np.inf], np.float32)
    (got,) = Program("""func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {
      %y = stablehlo.round_nearest_afz %x : tensor<10xf32>
      return %y : tensor<10xf32>
    }""")(x)
    np.testing.assert_array_equal(got, np.trunc(x + np.copysign(0.5, x).astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("kinds", itertools.product(["LT", "GT"], repeat=2), ids="-".join)
def test_sorting_by_two_keys(kinds):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, (2, 60)).astype(np.int32), rng.integers(0, 5, (2, 60)).astype(np.float32)
    z = np.arange(120, dtype=np.float32).reshape(2, 60)
    got = Program(f"""func.func @main(%x: tensor<2x60xi32>, %y: tensor<2x60xf32>, %z: tensor<2x60xf32>)
        -> (tensor<2x60xi32>, tensor<2x60xf32>, tensor<2x60xf32>) {{
      %r:3 = "stablehlo.sort"(%x, %y, %z) ({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):
        %second = stablehlo.compare {kinds[1]}, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %first = stablehlo.compare {kinds[0]}, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %same = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %both = stablehlo.and %same, %second : tensor<i1>
        %p = stablehlo.or %first, %both : tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}) {{dimension = 1 : i64, is_stable = true}} : (tensor<2x60xi32>, tensor<2x60xf32>, tensor<2x60xf32>)
        -> (tensor<2x60xi32>, tensor<2x60xf32>, tensor<2x60xf32>)
      return %r#0, %r#1, %r#2 : tensor<2x60xi32>, tensor<2x60xf32>, tensor<2x60xf32>
    }}""")(x, y, z)
    signs = [1 if k == "LT" else -1 for k in kinds]
    for row in range(2):
        order = np.lexsort((y[row] * signs[1], x[row] * signs[0]))
        for ours, all_ in zip(got, (x, y, z)):
            np.testing.assert_array_equal(ours[row], all_[row][order])


REFUSED = {
    "sum": ("%c = stablehlo.constant dense<1099511627776> : tensor<4xi64>\n%y = stablehlo.add %x, %c : tensor<4xi64>", "1099511627776"),
    "bits": ("%s = stablehlo.constant dense<3> : tensor<4xi64>\n%y = stablehlo.shift_right_logical %x, %s : tensor<4xi64>", "the bits"),
    "cast": ("%b = stablehlo.bitcast_convert %x : (tensor<4xi64>) -> tensor<4xf64>\n%y = stablehlo.convert %b : (tensor<4xf64>) -> tensor<4xi64>", "the bits"),
}


@pytest.mark.parametrize("body,what", REFUSED.values(), ids=REFUSED)
def test_integers_that_do_not_fit_are_refused(body, what):
    with pytest.raises(Exception, match=what):
        Program(f"func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {{\n{body}\nreturn %y : tensor<4xi64>\n}}")


def test_windows_may_start_from_any_integer():
    """The largest and the smallest i64, which the device's 32 bits do not hold, as the initial values of a minimum and a maximum."""
    x = np.array([5, -7, 2**31 - 1, 3, -2**31], np.int64)

    def window(kind, init):
        return f""""stablehlo.reduce_window"(%x, %{init}) <{{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}}> ({{
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %m = stablehlo.{kind} %a, %b : tensor<i64>
        stablehlo.return %m : tensor<i64>
      }}) : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64>"""

    low, high = Program(f"""func.func @main(%x: tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi64>) {{
      %c = stablehlo.constant dense<9223372036854775807> : tensor<i64>
      %d = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
      %y = {window("minimum", "c")}
      %z = {window("maximum", "d")}
      return %y, %z : tensor<5xi64>, tensor<5xi64>
    }}""")(x)
    around = [x[max(i - 1, 0):i + 2] for i in range(5)]
    np.testing.assert_array_equal(low, [w.min() for w in around])
    np.testing.assert_array_equal(high, [w.max() for w in around])


def test_bounds_may_be_any_integers():
    x = np.array([5, -7, 2**31 - 1], np.int64)
    big, low = Program("""func.func @main(%x: tensor<3xi64>) -> (tensor<i64>, tensor<3xi64>) {
      %c = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
      %d = stablehlo.constant dense<9223372036854775807> : tensor<3xi64>
      %y = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
      %z = stablehlo.minimum %x, %d : tensor<3xi64>
      return %y, %z : tensor<i64>, tensor<3xi64>
    }""")(x)
    assert big == 2**31 - 1
    np.testing.assert_array_equal(low, x)
