"""Operations of chlo against torch in double precision, and numpy."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from native import Program
from scipy import special

FULL = np.concatenate([np.linspace(-12, 12, 241), [1e-6, -1e-6, 0.0, 88.5, -88.5, 200, -200, np.inf, -np.inf, np.nan]])
UNIT = np.concatenate([np.linspace(-0.999, 0.999, 201), [1e-7, -1e-7, 0.0, 1.0, -1.0, 1.5, np.nan]])
ABOVE = np.concatenate([np.linspace(1, 4, 101), [1.0001, 1e3, 1e18, 2e18, 3e38, np.inf, 0.5, np.nan]])
GAMMA = np.concatenate([np.linspace(-6.37, 30.13, 301), [1.0, 2.0, 1e4, 1e20, -3.0, 0.5, np.nan]])

# name, inputs, reference, relative tolerance, absolute tolerance (both near zeros of the function)
FUNCTIONS = [
    ("acosh", ABOVE, torch.acosh, 2e-6, 0),
    ("atanh", UNIT, torch.atanh, 2e-6, 0),
    ("cosh", FULL, torch.cosh, 2e-5, 0),
    ("sinh", FULL, torch.sinh, 2e-5, 0),
    ("erf_inv", UNIT, torch.erfinv, 2e-5, 0),
    ("lgamma", GAMMA, torch.lgamma, 2e-5, 2e-5),
    ("digamma", GAMMA, torch.digamma, 2e-5, 2e-5),
]


@pytest.mark.parametrize("name,values,reference,rtol,atol", FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_function(name, values, reference, rtol, atol, element):
    dtype = {"f32": np.float32, "bf16": jnp.bfloat16}[element]
    x = np.asarray(values, np.float32).astype(dtype).astype(np.float32)
    wide, own = f"tensor<{x.size}xf32>", f"tensor<{x.size}x{element}>"
    text = f"""func.func @main(%x: {wide}) -> {wide} {{
      %a = stablehlo.convert %x : ({wide}) -> {own}
      %b = chlo.{name} %a : {own} -> {own}
      %c = stablehlo.convert %b : ({own}) -> {wide}
      return %c : {wide}
    }}"""
    (got,) = Program(text)(x)
    with np.errstate(over="ignore"):
        want = reference(torch.from_numpy(x.astype(np.float64))).numpy().astype(dtype).astype(np.float32)
    if element == "bf16":
        rtol, atol = 2**-7, 2**-8 if atol else 0
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name,test", [("is_inf", np.isinf), ("is_pos_inf", np.isposinf), ("is_neg_inf", np.isneginf)])
def test_infinities(name, test):
    x = np.array([np.inf, -np.inf, np.nan, 3e38, -1, 0], np.float32)
    text = f"func.func @main(%x: tensor<6xf32>) -> tensor<6xi1> {{\n  %y = chlo.{name} %x : tensor<6xf32> -> tensor<6xi1>\n  return %y : tensor<6xi1>\n}}"
    np.testing.assert_array_equal(Program(text)(x)[0], test(x))


def test_top_k_and_square():
    x = np.random.default_rng(0).permutation(12).reshape(3, 4).astype(np.float32) - 5
    values, indices = Program("""func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
      %y = chlo.square %x : tensor<3x4xf32> -> tensor<3x4xf32>
      %v, %i = chlo.top_k(%y, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
      return %v, %i : tensor<3x2xf32>, tensor<3x2xi32>
    }""")(x)
    order = np.argsort(-(x * x), axis=1, kind="stable")[:, :2]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x * x, order, 1))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "atan2", "remainder"])
def test_broadcasting(name):
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0.5, 3, (2, 1, 3)).astype(np.float32), rng.uniform(0.5, 3, (4, 1)).astype(np.float32)
    text = f"""func.func @main(%x: tensor<2x1x3xf32>, %y: tensor<4x1xf32>) -> tensor<2x4x3xf32> {{
      %r = chlo.broadcast_{name} %x, %y : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
      return %r : tensor<2x4x3xf32>
    }}"""
    want = {"atan2": np.arctan2, "remainder": np.fmod}.get(name) or getattr(np, name)
    np.testing.assert_allclose(Program(text)(x, y)[0], want(x, y), rtol=3e-6)


def test_broadcasting_where_requested():
    x, y = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([2, 4], np.int32)
    less, chosen = Program("""func.func @main(%x: tensor<2x3xi32>, %y: tensor<2xi32>) -> (tensor<2x3xi1>, tensor<2x3xi32>) {
      %c = chlo.broadcast_compare %x, %y {broadcast_dimensions = array<i64: 0>,
        comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi1>
      %seven = "chlo.constant_like"(%y) {value = 7 : i32} : (tensor<2xi32>) -> tensor<2xi32>
      %one = stablehlo.slice %seven [0:1] : (tensor<2xi32>) -> tensor<1xi32>
      %s = chlo.broadcast_select %c, %x, %one : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x3xi32>
      return %c, %s : tensor<2x3xi1>, tensor<2x3xi32>
    }""")(x, y)
    np.testing.assert_array_equal(less, x < y[:, None])
    np.testing.assert_array_equal(chosen, np.where(x < y[:, None], x, 7))


def binary(name, x, y):
    kind = f"tensor<{x.size}xf32>"
    return Program(f"""func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{
      %r = "chlo.{name}"(%x, %y) : ({kind}, {kind}) -> {kind}
      return %r : {kind}
    }}""")(x, y)[0]


def test_by_way_of_stablehlo():
    """Operations that TTIR lacks are decomposed first."""
    x = np.array([0.25, -2, 8.5, 30, 0, np.inf, np.nan], np.float32)
    (got,) = Program("""func.func @main(%x: tensor<7xf32>) -> tensor<7xf32> {
      %r = chlo.bessel_i1e %x : tensor<7xf32> -> tensor<7xf32>
      return %r : tensor<7xf32>
    }""")(x)
    np.testing.assert_allclose(got, special.i1e(x.astype(np.float64)), rtol=2e-6)
    s, q = np.array([1.5, 2, 4, 1, 0.5], np.float32), np.array([0.5, 3, 1, 1, 1], np.float32)
    want = [*special.zeta(s[:3].astype(np.float64), q[:3].astype(np.float64)), np.inf, np.nan]
    np.testing.assert_allclose(binary("zeta", s, q), want, rtol=2e-5)
    n = np.array([0, 1, 3, 0.5], np.float32)
    want = [special.polygamma(k, 2.5) for k in (0, 1, 3)] + [np.nan]
    np.testing.assert_allclose(binary("polygamma", n, np.full(4, 2.5, np.float32)), want, rtol=2e-6)
    x, y = np.array([1, -1, 0, 2, 5, -3], np.float32), np.array([2, -2, -1, 2, np.nan, 7], np.float32)
    np.testing.assert_array_equal(binary("next_after", x, y), np.nextafter(x, y))


def test_scan():
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    outputs, carry = Program("""func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
      %i = stablehlo.constant dense<1.0> : tensor<3xf32>
      %0:2 = chlo.scan(%x) inits(%i) dimension=0 {
      ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
        %s = stablehlo.add %a, %c : tensor<3xf32>
        stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
      } : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
      return %0#0, %0#1 : tensor<4x3xf32>, tensor<3xf32>
    }""")(x)
    np.testing.assert_array_equal(outputs, np.cumsum(x, 0) + 1)
    np.testing.assert_array_equal(carry, x.sum(0) + 1)


def test_ragged_dot():
    rng = np.random.default_rng(2)
    left, right = rng.standard_normal((7, 4)).astype(np.float32), rng.standard_normal((3, 4, 5)).astype(np.float32)
    sizes = np.array([2, 0, 5], np.int32)
    (got,) = Program("""func.func @main(%l: tensor<7x4xf32>, %r: tensor<3x4x5xf32>, %s: tensor<3xi32>) -> tensor<7x5xf32> {
      %y = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
        lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
        : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<7x5xf32>
      return %y : tensor<7x5xf32>
    }""")(left, right, sizes)
    want = np.concatenate([left[:2] @ right[0], left[2:] @ right[2]])
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
