"""Programs of TOSA, through TTIR, against NumPy."""

import numpy as np
import pytest
from native import Error, Program

RNG = np.random.default_rng(5)


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def tensor(a):
    return f"tensor<{'x'.join([*map(str, a.shape), {'f': 'f32', 'i': 'i32', 'b': 'i1'}[a.dtype.kind]])}>"


def shape(name, numbers):
    return f"%{name} = tosa.const_shape {{values = dense<{list(numbers)}> : tensor<{len(numbers)}xindex>}} : () -> !tosa.shape<{len(numbers)}>\n"


def run(line, want, *inputs, before=""):
    """`line` computes %r of the arguments %a, %b, ..."""
    args = ", ".join(f"%{n}: {tensor(x)}" for n, x in zip("abc", inputs))
    out, = Program(f"func.func @main({args}) -> {tensor(want)} {{\n{before}%z = \"tosa.const\"() {{values = dense<0.0> : tensor<1xf32>}} : () -> tensor<1xf32>\n"
                   f"%r = {line}\nreturn %r : {tensor(want)}\n}}")(*inputs)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "want"), [
    ("abs", np.abs), ("ceil", np.ceil), ("cos", np.cos), ("exp", np.exp), ("floor", np.floor), ("sin", np.sin), ("tanh", np.tanh),
    ("reciprocal", lambda x: 1 / x), ("sigmoid", lambda x: 1 / (1 + np.exp(-x)))])
def test_of_one(name, want):
    x = real(3, 5)
    run(f"tosa.{name} %a : ({tensor(x)}) -> {tensor(x)}", want(x), x)


@pytest.mark.parametrize(("name", "want"), [("add", np.add), ("sub", np.subtract), ("maximum", np.maximum), ("minimum", np.minimum)])
def test_of_two_sizes(name, want):
    x, y = real(3, 5), real(3, 1)
    run(f"tosa.{name} %a, %b : ({tensor(x)}, {tensor(y)}) -> {tensor(x)}", want(x, y), x, y)


@pytest.mark.parametrize(("name", "want"), [("max", np.max), ("min", np.min), ("sum", np.sum), ("product", np.prod)])
def test_reductions(name, want):
    x = real(2, 4, 3)
    y = want(x, 1, keepdims=True)
    run(f"tosa.reduce_{name} %a {{axis = 1 : i32}} : ({tensor(x)}) -> {tensor(y)}", y, x)


def test_products_and_clamps():
    x, y, i = real(2, 3, 4), real(2, 4, 5), RNG.integers(-9, 9, (2, 3)).astype(np.int32)
    run(f"tosa.matmul %a, %b, %z, %z : ({tensor(x)}, {tensor(y)}, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>", x @ y, x, y)
    run(f"tosa.clamp %a {{min_val = -3 : i32, max_val = 4 : i32}} : ({tensor(i)}) -> {tensor(i)}", i.clip(-3, 4), i)
    run(f"tosa.negate %a, %z, %z : ({tensor(x)}, tensor<1xf32>, tensor<1xf32>) -> {tensor(x)}", -x, x)


def test_moves():
    x = real(2, 3)
    run(f"tosa.transpose %a {{perms = array<i32: 1, 0>}} : ({tensor(x)}) -> tensor<3x2xf32>", x.T.copy(), x)
    run(f"tosa.reverse %a {{axis = 1 : i32}} : ({tensor(x)}) -> {tensor(x)}", x[:, ::-1].copy(), x)
    run(f"tosa.concat %a, %a {{axis = 1 : i32}} : ({tensor(x)}, {tensor(x)}) -> tensor<2x6xf32>", np.concatenate([x, x], 1), x)
    run(f"tosa.tile %a, %s : ({tensor(x)}, !tosa.shape<2>) -> tensor<4x9xf32>", np.tile(x, (2, 3)), x, before=shape("s", (2, 3)))
    run(f"tosa.pad %a, %s, %z : ({tensor(x)}, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x5xf32>", np.pad(x, ((1, 0), (0, 2))), x,
        before=shape("s", (1, 0, 0, 2)))
    run(f"tosa.slice %a, %s, %t : ({tensor(x)}, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xf32>", x[1:, 1:].copy(), x,
        before=shape("s", (1, 1)) + shape("t", (1, 2)))


def windows(x, size, stride, pad, fill):
    """Windows [n, y, x, channel, size, size] of an image in NHWC; pad is top, bottom, left, right."""
    x = np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(x, size, (1, 2))[:, ::stride[0], ::stride[1]]


def test_windows():
    x, w, bias = real(1, 7, 5, 2), real(3, 2, 3, 2), real(3)
    pad = (1, 0, 0, 2)
    attrs = "pad = array<i64: 1, 0, 0, 2>, stride = array<i64: 2, 1>"
    y = windows(x, (2, 3), (2, 1), pad, -np.inf).max((-1, -2))
    run(f"tosa.max_pool2d %a {{kernel = array<i64: 2, 3>, {attrs}}} : ({tensor(x)}) -> {tensor(y)}", y, x)
    y = np.nanmean(windows(x, (2, 3), (2, 1), pad, np.nan), (-1, -2))
    run(f"tosa.avg_pool2d %a, %z, %z {{kernel = array<i64: 2, 3>, {attrs}, acc_type = f32}} : ({tensor(x)}, tensor<1xf32>, tensor<1xf32>) -> {tensor(y)}",
        y, x)
    y = np.einsum("nyxcij,oijc->nyxo", windows(x, (2, 3), (2, 1), pad, 0), w) + bias
    run(f"tosa.conv2d %a, %b, %c, %z, %z {{{attrs}, dilation = array<i64: 1, 1>, acc_type = f32}} : "
        f"({tensor(x)}, {tensor(w)}, {tensor(bias)}, tensor<1xf32>, tensor<1xf32>) -> {tensor(y)}", y, x, w, bias)


def test_what_is_not_converted_is_named():
    with pytest.raises(Error, match="tosa.table"):
        Program("""func.func @main(%x: tensor<4xi8>, %t: tensor<256xi8>) -> tensor<4xi8> {
  %0 = tosa.table %x, %t : (tensor<4xi8>, tensor<256xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}""")
