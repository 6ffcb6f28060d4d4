"""Quantized tensors from StableHLO and TTIR to results, against torch on the same integers."""

import subprocess

import numpy as np
import pytest
from native import BUILD, Error, Program

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per")
RNG = np.random.default_rng(5)
TYPES = {"i8": torch.qint8, "u8": torch.quint8, "i32": torch.qint32}
SCALES, ZEROS = [0.05, 0.11, 0.7], [3, 0, 17]


def real(*shape):
    return (RNG.standard_normal(shape) * 5).astype(np.float32)


def type_of(storage, axis=None, scales=SCALES, zeros=ZEROS):
    parameters = [f"{s}:{z}" for s, z in zip(scales, zeros, strict=True)]
    return f"!quant.uniform<{storage}:f32" + (f", {parameters[0]}>" if axis is None else f":{axis}, {{{','.join(parameters)}}}>")


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def convert(dialect, forth, x, q):
    """A program of one operation: quantize or dequantize."""
    name = {"stablehlo": ("uniform_dequantize", "uniform_quantize"), "ttir": ("dequantize", "quantize")}[dialect][forth]
    types = [tensor(x.shape, "f32"), tensor(x.shape, q)]
    source, target = types if forth else types[::-1]
    return Program(f'func.func @main(%a: {source}) -> {target} {{ %0 = "{dialect}.{name}"(%a) : ({source}) -> {target} return %0 : {target} }}')(x)[0]


@pytest.mark.parametrize("dialect", ["stablehlo", "ttir"])
@pytest.mark.parametrize("storage", TYPES)
def test_per_tensor(dialect, storage):
    x = real(5, 67) * 9
    want = torch.quantize_per_tensor(torch.from_numpy(x), SCALES[0], ZEROS[0], TYPES[storage])
    codes = convert(dialect, True, x, type_of(storage))
    assert codes.dtype == {"i8": np.int8, "u8": np.uint8, "i32": np.int32}[storage]
    np.testing.assert_array_equal(codes, want.int_repr().numpy())
    np.testing.assert_array_equal(convert(dialect, False, codes, type_of(storage)), want.dequantize().numpy())


@pytest.mark.parametrize("dialect", ["stablehlo", "ttir"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_per_axis(dialect, axis):
    x = real(3, 3, 3) * 9
    want = torch.quantize_per_channel(torch.from_numpy(x), torch.tensor(SCALES), torch.tensor(ZEROS), axis, torch.qint8)
    codes = convert(dialect, True, x, type_of("i8", axis))
    np.testing.assert_array_equal(codes, want.int_repr().numpy())
    np.testing.assert_allclose(convert(dialect, False, codes, type_of("i8", axis)), want.dequantize().numpy(), rtol=2e-7)


@pytest.mark.parametrize("axis", [None, 1])
def test_requantize(axis):
    codes = RNG.integers(-128, 128, (4, 3)).astype(np.int8)
    before, after = type_of("i8", axis), type_of("i8", axis, [0.5, 0.02, 0.9], [-7, 1, 2])
    source, target = tensor(codes.shape, before), tensor(codes.shape, after)
    out, = Program(f'func.func @main(%a: {source}) -> {target} {{ %0 = "ttir.requantize"(%a) : ({source}) -> {target} return %0 : {target} }}')(codes)
    s1, z1, s2, z2 = (np.array(v if axis else v[0]) for v in (SCALES, ZEROS, [0.5, 0.02, 0.9], [-7, 1, 2]))
    real = ((codes - z1) * s1.astype(np.float32)).astype(np.float32)
    np.testing.assert_array_equal(out, np.clip(np.rint(real / s2.astype(np.float32)) + z2, -128, 127))


def test_narrow_range_ties_and_no_numbers():
    q = "!quant.uniform<i8<-100:50>:f32, 0.5:1>"
    x = np.array([0.25, 0.75, -0.25, 1e30, -1e30, np.inf, -np.inf, np.nan, 0.0], np.float32)
    np.testing.assert_array_equal(convert("ttir", True, x, q), [1, 3, 1, 50, -100, 50, -100, 0, 1])


def test_computing_on_codes():
    """Sum and product of quantized tensors are those of the values they represent."""
    a, b, c = (RNG.integers(-128, 128, (4, 4)).astype(np.int8) for _ in range(3))
    x, w, y = (tensor(a.shape, type_of("i8", None, [s], [z])) for s, z in ((0.05, 3), (0.1, 0), (0.3, -4)))
    out = Program(f"""func.func @main(%a: {x}, %b: {x}, %c: {w}) -> ({x}, {y}) {{
  %0 = stablehlo.add %a, %b : {x}
  %1 = "stablehlo.dot_general"(%0, %c) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}> : ({x}, {w}) -> {y}
  return %0, %1 : {x}, {y}
}}""")(a, b, c)
    qa, qb = ((v.astype(np.float32) - 3) * np.float32(0.05) for v in (a, b))
    total = np.clip(np.rint((qa + qb) / np.float32(0.05)) + 3, -128, 127)
    np.testing.assert_array_equal(out[0], total)
    product = ((total - 3) * 0.05) @ (c * 0.1)
    np.testing.assert_allclose(out[1], np.clip(np.rint(product / 0.3) - 4, -128, 127), atol=1)


def test_binary(tmp_path):
    """Through a .ttnn, where one scale for all is a scalar of the file and several are a tensor."""
    q, axis = type_of("i32"), type_of("i32", 1)
    source = tensor((2, 3), "f32")
    (tmp_path / "p.mlir").write_text(f"""func.func @main(%a: {source}) -> ({source}, {source}) {{
  %0 = "ttir.quantize"(%a) : ({source}) -> {tensor((2, 3), q)}
  %1 = "ttir.dequantize"(%0) : ({tensor((2, 3), q)}) -> {source}
  %2 = "ttir.quantize"(%a) : ({source}) -> {tensor((2, 3), axis)}
  %3 = "ttir.dequantize"(%2) : ({tensor((2, 3), axis)}) -> {source}
  return %1, %3 : {source}, {source}
}}""")
    x = real(2, 3)
    np.savez(tmp_path / "in.npz", in0=x)
    bin = BUILD / "bin"
    for command in ([bin / "ttmlir-opt", "--ttir-to-ttnn-backend-pipeline", "p.mlir", "-o", "t.mlir"],
                    [bin / "ttmlir-translate", "--ttnn-to-flatbuffer", "t.mlir", "-o", "p.ttnn"],
                    [bin / "tilewright", "run", "p.ttnn", "--inputs", "in.npz", "--outputs", "out.npz"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    out = np.load(tmp_path / "out.npz")
    one = torch.quantize_per_tensor(torch.from_numpy(x), SCALES[0], ZEROS[0], torch.qint32).dequantize()
    many = torch.quantize_per_channel(torch.from_numpy(x), torch.tensor(SCALES), torch.tensor(ZEROS), 1, torch.qint32).dequantize()
    np.testing.assert_allclose(out["out0"], one.numpy(), rtol=2e-7)
    np.testing.assert_allclose(out["out1"], many.numpy(), rtol=2e-7)


def test_codes_are_not_numbers():
    t = tensor((2, 3), type_of("i8") + ", #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si8>, "
               "#ttnn.buffer_type<dram>>, <interleaved>>")
    with pytest.raises(Error, match="'ttnn.add' does not compute on codes of type '?!quant.uniform<i8:f32, .*dequantize them first"):
        Program(f'func.func @main(%a: {t}) -> {t} {{ %0 = "ttnn.add"(%a, %a) : ({t}, {t}) -> {t} return %0 : {t} }}')


# ---- ttir-quant-dequant-conversion: operations on dequantized values compute on codes ----------------------------------------------

def on_codes(folder, text, *arrays):
    """The results of a .ttnn file, and the TTNN program in it."""
    (folder / "p.mlir").write_text(text)
    np.savez(folder / "in.npz", **{f"in{i}": a for i, a in enumerate(arrays)})
    bin = BUILD / "bin"
    for command in ([bin / "ttmlir-opt", "--ttir-to-ttnn-backend-pipeline", "p.mlir", "-o", "t.mlir"],
                    [bin / "ttmlir-translate", "--ttnn-to-flatbuffer", "t.mlir", "-o", "p.ttnn"],
                    [bin / "tilewright", "run", "p.ttnn", "--inputs", "in.npz", "--outputs", "out.npz"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return np.load(folder / "out.npz")["out0"], (folder / "t.mlir").read_text()


def codes_of(x, scale):
    """Binaries have codes of 32 bits."""
    return np.rint(x / np.float32(scale))


def there_and_back(name, operand, shape, element):
    t, q = tensor(shape, "f32"), tensor(shape, element)
    return f'''  %{name}q = "ttir.quantize"({operand}) : ({t}) -> {q}
  %{name} = "ttir.dequantize"(%{name}q) : ({q}) -> {t}
'''


@pytest.mark.parametrize("bias", [False, True])
def test_convolution_of_codes(tmp_path, bias):
    """Sums of products of codes are exact in 32 bits, the bias, too, which 8 bits would not hold."""
    x, w, b = real(1, 6, 6, 8), real(4, 8, 3, 3), real(1, 1, 1, 4) * 40
    scales = np.array([0.05, 0.1, 0.02, 0.3], np.float32)
    weights = "!quant.uniform<i8:f32:0, {" + ",".join(f"{s:.2f}" for s in scales) + "}>"
    types = [tensor(a.shape, "f32") for a in (x, w, b)][: 3 if bias else 2]
    names = ["%p", "%q", "%b"][: len(types)]
    text = f"""func.func @main({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> tensor<1x6x6x4xf32> {{
{there_and_back("p", "%a0", x.shape, "!quant.uniform<i8:f32, 0.1>")}{there_and_back("q", "%a1", w.shape, weights)}
  %r = "ttir.conv2d"({', '.join(names).replace('%b', '%a2')}) <{{stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>,
    dilation = array<i32: 1, 1>, groups = 1 : i32}}> : ({', '.join(types)}) -> tensor<1x6x6x4xf32>
  return %r : tensor<1x6x6x4xf32>
}}"""
    out, program = on_codes(tmp_path, text, *(x, w, b)[: len(types)])
    a, c = codes_of(x, 0.1), codes_of(w, scales[:, None, None, None])
    want = torch.nn.functional.conv2d(torch.from_numpy(a).double().permute(0, 3, 1, 2), torch.from_numpy(c).double(), padding=1)
    want = want.permute(0, 2, 3, 1).numpy() + (np.rint(b / (scales * np.float32(0.1))) if bias else 0)
    np.testing.assert_allclose(out, want * (scales.astype(np.float64) * 0.1), rtol=1e-6)
    assert "!quant.uniform<i32:f32:3" in program


def test_sums_and_maxima_of_codes(tmp_path):
    x, y = real(1, 6, 6, 32), real(1, 6, 6, 32)
    t, pooled = tensor(x.shape, "f32"), "tensor<1x3x3x32xf32>"
    out, program = on_codes(tmp_path, f"""func.func @main(%x: {t}, %y: {t}) -> {pooled} {{
{there_and_back("a", "%x", x.shape, "!quant.uniform<i8:f32, 0.1>")}
  %s = "ttir.add"(%a, %y) : ({t}, {t}) -> {t}
  %r = "ttir.max_pool2d"(%s) <{{kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>,
    padding = array<i32: 0, 0, 0, 0>, ceil_mode = false}}> : ({t}) -> {pooled}
  return %r : {pooled}
}}""", x, y)
    sums = (codes_of(x, 0.1) + codes_of(y, 0.1)) * np.float64(np.float32(0.1))
    np.testing.assert_allclose(out, sums.reshape(1, 3, 2, 3, 2, 32).max((2, 4)), rtol=1e-6)
    assert program.index("ttnn.max_pool2d") < program.index("ttnn.dequantize")


def test_other_operations_round_to_the_operands_codes(tmp_path):
    x, y = real(4, 32), real(4, 32)
    t = tensor(x.shape, "f32")
    out, program = on_codes(tmp_path, f"""func.func @main(%x: {t}, %y: {t}) -> {t} {{
{there_and_back("a", "%x", x.shape, "!quant.uniform<i8:f32, 0.1>")}
  %r = "ttir.multiply"(%a, %y) : ({t}, {t}) -> {t}
  return %r : {t}
}}""", x, y)
    product = codes_of(x, 0.1).astype(np.float32) * np.float32(0.1) * y
    np.testing.assert_allclose(out, codes_of(product, 0.1) * 0.1, rtol=1e-6)
    assert program.count("ttnn.dequantize") == 2
