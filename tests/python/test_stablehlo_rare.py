"""Rare StableHLO operations, against torch and NumPy."""

import numpy as np
import pytest
from native import Error, Program

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(23)


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape, at", [((2, 3, 4, 5), 1), ((2, 3, 4, 5), 3), ((4, 8), 1), ((6, 2), 0)])
def test_batch_norm_grad(shape, at):
    x, got, scale = real(*shape), real(*shape), real(shape[at]) + 2
    t, v = tensor(shape), tensor(shape[at:at + 1])
    leaf, weight, bias = (torch.tensor(a, requires_grad=True) for a in (x, scale, np.zeros_like(scale)))
    moved = leaf.movedim(at, 1)
    torch.nn.functional.batch_norm(moved, None, None, weight, bias, True, eps=1e-3).movedim(1, at).backward(torch.tensor(got))
    others = tuple(d for d in range(len(shape)) if d != at)
    out = Program(f"""func.func @main(%x: {t}, %s: {v}, %m: {v}, %v: {v}, %g: {t}) -> ({t}, {v}, {v}) {{
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{{epsilon = 1.0e-3 : f32, feature_index = {at} : i64}}> : ({t}, {v}, {v}, {v}, {t}) -> ({t}, {v}, {v})
  return %0#0, %0#1, %0#2 : {t}, {v}, {v}
}}""")(x, scale, x.mean(others), x.var(others), got)
    for g, w in zip(out, (leaf.grad, weight.grad, bias.grad), strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("shape, window, body", [((7,), (7,), "replace"), ((9,), (4,), "replace"), ((4, 5), (2, 3), "replace"), ((4, 5), (2, 3), "add")])
def test_scatter_of_one_window_at_the_origin(shape, window, body):
    x, u = real(*shape), real(*window)
    t, w = tensor(shape), tensor(window)
    combine = "stablehlo.return %q : tensor<f32>" if body == "replace" else "%s = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %s : tensor<f32>"
    out, = Program(f"""func.func @main(%x: {t}, %u: {w}) -> {t} {{
  %i = stablehlo.constant dense<> : tensor<0xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {list(range(len(shape)))}>}}> ({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    {combine}
  }}) : ({t}, tensor<0xi32>, {w}) -> {t}
  return %0 : {t}
}}""")(x, u)
    want = x.copy()
    inner = tuple(slice(n) for n in window)
    want[inner] = u if body == "replace" else want[inner] + u
    np.testing.assert_array_equal(out, want)


def test_scatter_by_batching_dimensions_alone():
    x, u = RNG.integers(0, 99, (2, 3)).astype(np.int32), RNG.integers(0, 99, 2).astype(np.int32)
    out, = Program("""func.func @main(%x: tensor<2x3xi32>, %u: tensor<2xi32>) -> tensor<2x3xi32> {
  %i = stablehlo.constant dense<> : tensor<2x0xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<2x0xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}""")(x, u)
    want = x.copy()
    want[:, 0] = u
    np.testing.assert_array_equal(out, want)


BODY = """({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
    %m = stablehlo.maximum %p, %r : tensor<f32>
    %n = stablehlo.add %s, %q : tensor<f32>
    stablehlo.return %m, %n : tensor<f32>, tensor<f32>
  })"""
STARTS = "%i = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"


def test_reductions_of_several_tensors():
    x, y = real(5, 7), real(5, 7)
    t, v = tensor(x.shape), tensor((5,))
    most, total = Program(f"""func.func @main(%x: {t}, %y: {t}) -> ({v}, {v}) {{
  {STARTS}
  %0:2 = "stablehlo.reduce"(%x, %y, %i, %z) <{{dimensions = array<i64: 1>}}> {BODY} : ({t}, {t}, tensor<f32>, tensor<f32>) -> ({v}, {v})
  return %0#0, %0#1 : {v}, {v}
}}""")(x, y)
    np.testing.assert_array_equal(most, x.max(1))
    np.testing.assert_allclose(total, y.sum(1), rtol=1e-5, atol=1e-6)


def test_windows_of_several_tensors():
    x, y = real(1, 6, 8, 3), real(1, 6, 8, 3)
    t, v = tensor(x.shape), tensor((1, 3, 4, 3))
    most, total = Program(f"""func.func @main(%x: {t}, %y: {t}) -> ({v}, {v}) {{
  {STARTS}
  %0:2 = "stablehlo.reduce_window"(%x, %y, %i, %z) <{{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> {BODY}
    : ({t}, {t}, tensor<f32>, tensor<f32>) -> ({v}, {v})
  return %0#0, %0#1 : {v}, {v}
}}""")(x, y)
    split = [a.reshape(1, 3, 2, 4, 2, 3) for a in (x, y)]
    np.testing.assert_array_equal(most, split[0].max((2, 4)))
    np.testing.assert_allclose(total, split[1].sum((2, 4)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("element, dtype", [("ui32", np.uint32), ("ui8", np.uint8)])
def test_random_bits(element, dtype):
    t = tensor((64, 64), element)
    text = f"""func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, {t}) {{
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, {t})
  return %0#0, %0#1 : tensor<2xui64>, {t}
}}"""
    state = np.array([42, 24], np.uint64)
    same, bits = Program(text)(state)
    np.testing.assert_array_equal(same, state)
    assert bits.dtype == dtype
    top = float(np.iinfo(dtype).max)
    assert abs(bits.mean() / top - 0.5) < 0.02 and bits.max() > 0.98 * top and bits.min() < 0.02 * top
    with pytest.raises(Error, match="stablehlo.rng_bit_generator"):  # its values are specified
        Program(text.replace("DEFAULT", "THREE_FRY"))


SIZES = {"b": 3, "c": 2, "i": 5, "j": 7, "k": 4, "l": 6}


@pytest.mark.parametrize("equation", ["ij,jk->ik", "ij,kj->ki", "bij,bjk->bik", "ibj,bjk->kbi", "ij,ij->", "ij,ij->ij", "ij,jk->", "i,j->ij", "bci,bcj->cbji",
                                      "ijl,jk->ik", "ij,bkc->jb", ",ij->ji", "i,->i", "ij->", "ij->ji", "ijb->bi", "bij->bij"])
def test_einsum(equation):
    inputs, out = equation.split("->")
    operands = [real(*(SIZES[c] for c in letters)) if letters else np.float32(1.5) for letters in inputs.split(",")]
    types = [tensor([SIZES[c] for c in letters]) for letters in inputs.split(",")]
    result = tensor([SIZES[c] for c in out])
    name = "einsum" if len(operands) == 2 else "unary_einsum"
    got, = Program(f"""func.func @main({", ".join(f"%a{i}: {t}" for i, t in enumerate(types))}) -> {result} {{
  %0 = "stablehlo.{name}"({", ".join(f"%a{i}" for i in range(len(types)))}) {{einsum_config = "{equation}"}} : ({", ".join(types)}) -> {result}
  return %0 : {result}
}}""")(*operands)
    want = np.einsum(equation, *(np.asarray(a, np.float64) for a in operands))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("equation", ["ii,ij->ij", "...i,ij->...j", "ij,jk", "ij,jk->iz", "i,jk->ik"])
def test_einsum_that_is_not_read(equation):
    with pytest.raises(Error, match="einsum"):
        Program(f"""func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %0 = "stablehlo.einsum"(%a, %b) {{einsum_config = "{equation}"}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}}""")
