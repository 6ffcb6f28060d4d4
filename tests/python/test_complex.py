"""Complex numbers on the device, which represents them as pairs of reals, against NumPy."""

import numpy as np
import pytest
from native import Error, Program

RNG = np.random.default_rng(17)


def tensor(shape, element="complex<f32>"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def draw(*shape):
    return (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype(np.complex64)


def parts(x):
    """Complex arrays in the device's form: real and imaginary part in a last dimension of 2."""
    x = np.asarray(x)
    return np.stack([x.real, x.imag], -1) if np.iscomplexobj(x) else x


def run(body, arrays, results):
    types = [tensor(a.shape, "complex<f32>" if np.iscomplexobj(a) else "f32") for a in arrays]
    names = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    out = Program(f"func.func @main({names}) -> ({', '.join(results)}) {{\n{body}\n}}")(*map(parts, arrays))
    return [o[..., 0] + 1j * o[..., 1] if "complex" in t else o for o, t in zip(out, results, strict=True)]


def close(got, want, scale=1.0):
    np.testing.assert_allclose(got, want, rtol=2e-6 * scale, atol=2e-6 * scale * max(1, np.abs(want).max()))


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}


@pytest.mark.parametrize("name", BINARY)
def test_arithmetic(name):
    x, y, t = draw(4, 5), draw(4, 5), tensor((4, 5))
    got, same = run(f"%0 = stablehlo.{name} %a0, %a1 : {t}\n%1 = stablehlo.{name} %a0, %a0 : {t}\nreturn %0, %1 : {t}, {t}", [x, y], [t, t])
    close(got, BINARY[name](x, y))
    close(same, BINARY[name](x, x))


def test_no_square_overflows():
    x = np.array([3e25 + 4e25j, 3e-25 - 4e-25j, 0, np.inf + 1j, 1e38j], np.complex64)
    t, r = tensor(x.shape), tensor(x.shape, "f32")
    got, = run(f"%0 = stablehlo.abs %a0 : ({t}) -> {r}\nreturn %0 : {r}", [x], [r])
    np.testing.assert_allclose(got, [5e25, 5e-25, 0, np.inf, 1e38], rtol=1e-6)
    y = x[[0, 1, 4]]
    got, = run(f"%0 = stablehlo.divide %a0, %a0 : {tensor((3,))}\nreturn %0 : {tensor((3,))}", [y], [tensor((3,))])
    close(got, np.ones(3))


@pytest.mark.parametrize("name, want", [("exponential", np.exp), ("log", np.log), ("sqrt", np.sqrt), ("log_plus_one", np.log1p), ("negate", np.negative)])
def test_functions(name, want):
    x, t = draw(33), tensor((33,))
    close(run(f"%0 = stablehlo.{name} %a0 : {t}\nreturn %0 : {t}", [x], [t])[0], want(x), 4)


def test_parts_and_comparison():
    x, y = draw(3, 4), draw(3, 4)
    y[1] = x[1]
    t, r, boolean = tensor((3, 4)), tensor((3, 4), "f32"), tensor((3, 4), "i1")
    got = run(f"""%0 = stablehlo.real %a0 : ({t}) -> {r}
%1 = stablehlo.imag %a0 : ({t}) -> {r}
%2 = stablehlo.complex %1, %0 : {t}
%3 = stablehlo.compare EQ, %a0, %a1 : ({t}, {t}) -> {boolean}
%4 = stablehlo.select %3, %a0, %2 : {boolean}, {t}
return %0, %1, %2, %3, %4 : {r}, {r}, {t}, {boolean}, {t}""", [x, y], [r, r, t, boolean, t])
    turned = x.imag + 1j * x.real
    for g, w in zip(got, [x.real, x.imag, turned, x == y, np.where(x == y, x, turned)], strict=True):
        np.testing.assert_array_equal(g, w)


def test_movement():
    x = draw(4, 6)
    t, u, v, w = tensor((4, 6)), tensor((6, 4)), tensor((2, 3)), tensor((5, 2, 3))
    got = run(f"""%0 = stablehlo.transpose %a0, dims = [1, 0] : ({t}) -> {u}
%1 = stablehlo.slice %a0 [1:3, 0:6:2] : ({t}) -> {v}
%2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : ({v}) -> {w}
%3 = stablehlo.reshape %a0 : ({t}) -> {tensor((24,))}
%4 = stablehlo.concatenate %a0, %a0, dim = 0 : ({t}, {t}) -> {tensor((8, 6))}
%5 = stablehlo.reverse %a0, dims = [1] : {t}
%c = stablehlo.constant dense<(1.0, -2.0)> : tensor<complex<f32>>
%6 = stablehlo.pad %a0, %c, low = [1, 0], high = [0, 2], interior = [0, 0] : ({t}, tensor<complex<f32>>) -> {tensor((5, 8))}
return %0, %1, %2, %3, %4, %5, %6 : {u}, {v}, {w}, {tensor((24,))}, {tensor((8, 6))}, {t}, {tensor((5, 8))}""",
              [x], [u, v, w, tensor((24,)), tensor((8, 6)), t, tensor((5, 8))])
    part = x[1:3, ::2]
    want = [x.T, part, np.broadcast_to(part, (5, 2, 3)), x.reshape(24), np.concatenate([x, x]), x[:, ::-1],
            np.pad(x, ((1, 0), (0, 2)), constant_values=1 - 2j)]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_products_and_sums():
    x, y = draw(5, 7), draw(7, 3)
    t, r = tensor((5, 3)), tensor((5,))
    product, total = run(f"""%0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({tensor(x.shape)}, {tensor(y.shape)}) -> {t}
%z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
%1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : ({t}, tensor<complex<f32>>) -> {r}
return %0, %1 : {t}, {r}""", [x, y], [t, r])
    close(product, x @ y, 4)
    close(total, (x @ y).sum(1), 8)


@pytest.mark.parametrize("shape, axes", [((8,), 1), ((3, 12), 1), ((2, 5, 9), 2), ((4, 6, 5), 3), ((1, 1), 1), ((2, 1000), 1)])
@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
def test_fourier(kind, shape, axes):
    at = tuple(range(-axes, 0))
    length = shape[-axes:]
    half = (*shape[:-1], shape[-1] // 2 + 1)
    x = draw(*shape)
    if kind == "RFFT":
        x = x.real.copy()
    if kind == "IRFFT":
        x = np.fft.rfftn(x.real, axes=at).astype(np.complex64)
    want = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn}.get(kind, lambda v, axes: np.fft.irfftn(v, length, axes))(x, axes=at)
    source = tensor(x.shape, "f32" if kind == "RFFT" else "complex<f32>")
    result = tensor(half if kind == "RFFT" else shape, "f32" if kind == "IRFFT" else "complex<f32>")
    got, = run(f"%0 = stablehlo.fft %a0, type = {kind}, length = {list(length)} : ({source}) -> {result}\nreturn %0 : {result}", [x], [result])
    np.testing.assert_allclose(got, want, atol=3e-6 * np.abs(want).max(), rtol=0)


def test_long_transforms_and_unknown_functions_are_refused():
    t = tensor((4096,))
    for body in (f"stablehlo.fft %a0, type = FFT, length = [4096] : ({t}) -> {t}", f"stablehlo.tanh %a0 : {t}"):
        with pytest.raises(Error, match="failed to legalize operation 'stablehlo.(fft|tanh)': it computes on complex numbers") as error:
            run(f"%0 = {body}\nreturn %0 : {t}", [draw(4096)], [t])
        assert error.value.code == 3
