"""Functions of TTIR go through D2M to programs, which run on the simulated grid; every element beside NumPy's."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

BUILD = Path(os.environ.get("TW_BUILD", Path(__file__).resolve().parents[2] / "build"))
PASSES = ("--d2m-fe-pipeline{}", "--d2m-be-pipeline{}", "--d2m-to-ttkernel-pre-emitc-pipeline", "--d2m-to-ttmetal-pipeline{}")


def run(folder, text, arrays, options=""):
    """Lowers a module and runs it; returns its results."""
    given = f"={options}" if options else ""
    (folder / "f.mlir").write_text(text)
    np.savez(folder / "in.npz", **{f"in{i}": x for i, x in enumerate(arrays)})
    subprocess.run([BUILD / "bin/ttmlir-opt", *(p.format(given) for p in PASSES), "-o", "p.mlir", "f.mlir"],
                   cwd=folder, check=True, capture_output=True)
    ran = subprocess.run([BUILD / "bin/tilewright", "sim", "p.mlir", "--inputs=in.npz", "--outputs=out.npz"],
                         cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0 and "warning" not in ran.stderr, ran.stderr
    return np.load(folder / "out.npz")["out0"]


def t(x):
    """The type of an array, as text."""
    names = {"float32": "f32", "uint32": "ui32", "int32": "si32"}
    return f"tensor<{'x'.join(map(str, x.shape))}x{names[str(x.dtype)]}>"


class Op:
    """An operation of TTIR on arguments or other operations; `numpy` computes its value."""

    def __init__(self, name, inputs, numpy, attrs=""):
        self.name, self.inputs, self.attrs = name, inputs, attrs
        self.value = numpy(*(i if isinstance(i, np.ndarray) else i.value for i in inputs))

    def lines(self, names, out):
        values = []
        for i in self.inputs:
            if isinstance(i, np.ndarray):
                values.append((names[id(i)], t(i)))
            else:
                values.append((i.lines(names, out), t(i.value)))
        name = f"%v{len(out)}"
        operands, types = zip(*values) if values else ((), ())
        out.append(f'{name} = "ttir.{self.name}"({", ".join(operands)}) {self.attrs} : ({", ".join(types)}) -> {t(self.value)}')
        return name

    def arguments(self):
        found = []
        for i in self.inputs:
            for a in [i] if isinstance(i, np.ndarray) else i.arguments():
                if not any(a is f for f in found):
                    found.append(a)
        return found


def check(folder, op, options="", rtol=0.004, atol=0.004):
    arrays = op.arguments()
    names = {id(a): f"%a{i}" for i, a in enumerate(arrays)}
    lines = []
    result = op.lines(names, lines)
    text = (f"func.func @f({', '.join(f'%a{i}: {t(a)}' for i, a in enumerate(arrays))}) -> {t(op.value)} {{\n  "
            + "\n  ".join(lines) + f"\n  return {result} : {t(op.value)}\n}}\n")
    np.testing.assert_allclose(run(folder, text, arrays, options), op.value, rtol=rtol, atol=atol)


def numbers(*shape):
    return np.random.default_rng(sum(shape)).uniform(-2, 2, shape).astype(np.float32)


X, Y = numbers(96, 160), numbers(96, 160)[::-1].copy()
KEEP = "{{dim_arg = [{}], keep_dim = true}}"


def reduction(name, numpy, x, *dims):
    return Op(name, [x], lambda v: numpy(v, axis=dims, keepdims=True), KEEP.format(", ".join(f"{d} : i32" for d in dims)))


def chain(x):
    for name, f in (("abs", np.abs), ("sin", np.sin), ("neg", np.negative), ("exp", np.exp)):
        x = Op(name, [x], f)
    return x


def normalized(x):
    power = Op("exp", [x], np.exp)
    total = Op("broadcast", [reduction("sum", np.sum, power, 1)], lambda v: np.broadcast_to(v, (96, 160)).copy(),
               "{broadcast_dimensions = array<i64: 1, 160>}")
    return Op("div", [power, total], np.divide)


JOINED = "enable-elementwise-fusion=true join-compute=true"


@pytest.mark.parametrize("options", ["", "enable-elementwise-fusion=true", JOINED, f"{JOINED} override-device-shape=1,1", "default-input-memspace=dram"])
@pytest.mark.parametrize("op", [
    Op("add", [X, Y], np.add), Op("subtract", [X, Y], np.subtract), Op("multiply", [X, X], np.multiply), chain(X),
    Op("subtract", [Op("multiply", [X, Y], np.multiply), Op("add", [X, Y], np.add)], np.subtract),
    Op("where", [Op("gt", [X, Y], lambda a, b: (a > b).astype(np.float32)), X, Y], lambda c, a, b: np.where(c != 0, a, b)),
    Op("exp", [numbers(2, 64, 96)], np.exp), Op("neg", [numbers(50, 70)], np.negative), Op("exp", [numbers(1, 2048)], np.exp),
], ids=["add", "subtract", "square", "chain", "two", "where", "rank3", "odd", "wide"])
def test_elementwise(op, options, tmp_path):
    check(tmp_path, op, options)


def integers(*shape):
    return np.random.default_rng(sum(shape)).integers(-1000, 1000, shape).astype(np.int32)


@pytest.mark.parametrize("options", ["", "override-device-shape=1,1"], ids=["grid", "core"])
@pytest.mark.parametrize("shape", [(32, 32), (64, 64), (3, 40, 50), (96, 160)], ids=str)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_integers(name, shape, options, tmp_path):
    check(tmp_path, Op(name, [integers(*shape), integers(*shape)[::-1].copy()], getattr(np, name)), options, 0, 0)


def test_sign_of_integers(tmp_path):
    check(tmp_path, Op("sign", [integers(64, 96) % 7 - 3], np.sign), "", 0, 0)


@pytest.mark.parametrize("options", ["", "override-device-shape=1,1"], ids=["grid", "core"])
@pytest.mark.parametrize("shape", [(32, 32), (64, 64), (96, 160), (96, 320), (3, 40, 50)], ids=str)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_reduced_integers(name, shape, options, tmp_path):
    """Of many tiles on a core: in blocks, whose results are loaded again, and with a tile of DST besides those of the results."""
    numpy = np.max if name == "max" else lambda x, **given: np.sum(x, dtype=np.int32, **given)
    check(tmp_path, reduction(name, numpy, integers(*shape), len(shape) - 1), options, 0, 0)


def test_blocks(tmp_path):
    """Shards of many tiles, which go through circular buffers block by block."""
    check(tmp_path, Op("add", [numbers(512, 1024), numbers(512, 1024)], np.add))


@pytest.mark.parametrize("op", [
    reduction("sum", np.sum, X, 1), reduction("sum", np.sum, X, 0), reduction("sum", np.sum, X, 0, 1),
    reduction("max", np.max, X, 1), reduction("mean", np.mean, X, 1), reduction("sum", np.sum, numbers(50, 70), 1),
    reduction("mean", np.mean, 3 + numbers(129, 65), 0, 1), normalized(X),
], ids=["rows", "columns", "all", "max", "mean", "odd", "mean of all", "normalized"])
def test_reductions(op, tmp_path):
    check(tmp_path, op, rtol=0.02, atol=0.06)


def test_accumulators_are_copied_once(tmp_path):
    """Each iteration of the reduction copied its accumulator to DST again: the grid warns of tiles that nothing has read."""
    check(tmp_path, reduction("max", np.max, numbers(256, 64), 0), "override-device-shape=2,2")


@pytest.mark.parametrize("options", ["", "use-tile-matmul=true"])
@pytest.mark.parametrize("m, k, n", [(96, 128, 160), (256, 512, 384), (32, 32, 32)])
def test_matmul(m, k, n, options, tmp_path):
    """Blocks of operands go from one core to a row or column of cores."""
    a, b = numbers(m, k), numbers(k, n)
    check(tmp_path, Op("matmul", [a, b], np.matmul), options, rtol=0.01, atol=0.1)


@pytest.mark.parametrize("options", ["", "override-device-shape=2,2", "override-device-shape=1,1 disable-l1-acc=true"])
def test_transposed_blocks(options, tmp_path):
    """Each core has several rows and columns of the transposed operand."""
    a, b = numbers(128, 128), numbers(128, 128)[::-1].copy()
    check(tmp_path, Op("matmul", [a, b], lambda x, y: x @ y.T, "{transpose_b = true}"), options, rtol=0.01, atol=0.1)


@pytest.mark.parametrize("disabled", ["true", "false"], ids=["dst", "l1"])
def test_nested_blocks(disabled, tmp_path):
    """Blocks for DST within the blocks of a core."""
    a, b = numbers(128, 128), numbers(128, 128)[::-1].copy()
    check(tmp_path, Op("matmul", [a, b], np.matmul), "matmul-interchange=2,0,1 num-stream-buffers=1 override-device-shape=1,1 "
          f"disable-l1-acc={disabled}", rtol=0.01, atol=0.1)


@pytest.mark.parametrize("shape, to", [((128,), (1, 1, 128)), ((70,), (70, 1))], ids=str)
def test_vectors(shape, to, tmp_path):
    """A vector in the host's memory is the first row of tiles."""
    check(tmp_path, Op("neg", [Op("reshape", [numbers(*shape)], lambda v: v.reshape(to), f"{{shape = [{', '.join(f'{d} : i32' for d in to)}]}}")],
                       np.negative))


@pytest.mark.parametrize("op", [
    Op("permute", [X], np.transpose, "{permutation = array<i64: 1, 0>}"),
    Op("permute", [numbers(2, 64, 96)], lambda v: v.transpose(1, 0, 2), "{permutation = array<i64: 1, 0, 2>}"),
    Op("reshape", [X], lambda v: v.reshape(160, 96), "{shape = [160 : i32, 96 : i32]}"),
    Op("slice_static", [X], lambda v: v[32:64, 64:128],
       "{begins = [32 : i32, 64 : i32], ends = [64 : i32, 128 : i32], step = [1 : i32, 1 : i32]}"),
    Op("concat", [X, Y], lambda a, b: np.concatenate([a, b]), "{dim = 0 : si32}"),
], ids=["transpose", "permute", "reshape", "slice", "concat"])
def test_movement(op, tmp_path):
    check(tmp_path, op)


@pytest.mark.parametrize("shape", [(64, 64), (3, 40, 50)], ids=str)
def test_broadcast_in_blocks(shape, tmp_path):
    """DST has room for the blocks of two operands, not for a third one of results."""
    a, b = numbers(*shape), numbers(*shape[:-1], 1)
    check(tmp_path, Op("subtract", [a, b], np.subtract), "override-device-shape=1,1")


@pytest.mark.parametrize("name, shapes, numpy", [
    ("add", [(128, 1), (1, 128)], np.add), ("maximum", [(256, 1), (1, 256)], np.maximum), ("where", [(64, 128)] * 3, lambda c, a, b: np.where(c != 0, a, b)),
    ("where", [(1, 256), (128, 1), (128, 256)], lambda c, a, b: np.where(c != 0, a, b)), ("add", [(1, 128), (1, 1)], np.add),
    ("multiply", [(128, 1), (128, 128)], np.multiply)])
@pytest.mark.parametrize("options", ["", "override-device-shape=1,1", "override-device-shape=2,2 enable-elementwise-fusion=true"])
def test_tiles_that_iterations_share(name, shapes, numpy, options, tmp_path):
    """Operands that are broadcast along a loop, and three operands of 32 bits, reached tiles that DST lacks; warnings fail, too."""
    check(tmp_path, Op(name, [np.floor(numbers(*s)) if i == 0 else numbers(*s)[::-1].copy() for i, s in enumerate(shapes)], numpy), options)


def test_broadcast(tmp_path):
    row = Op("broadcast", [numbers(1, 160)], lambda v: np.broadcast_to(v, (96, 160)).copy(), "{broadcast_dimensions = array<i64: 96, 1>}")
    check(tmp_path, Op("add", [X, row], np.add))


def test_embedding(tmp_path):
    """Rows of a table are copied from core to core; the rows between the groups of the result are padding."""
    which = np.array([[3, 1, 7], [0, 30, 2]], np.uint32)
    check(tmp_path, Op("embedding", [which, numbers(32, 64)], lambda i, table: table[i]), rtol=0, atol=0)


@pytest.mark.parametrize("columns", [32, 64, 256])
def test_argmax(columns, tmp_path):
    """Chunks of 32 values with their indices, which a kernel counts itself."""
    x = np.random.default_rng(columns).standard_normal((32, columns)).astype(np.float32)
    check(tmp_path, Op("argmax", [x], lambda v: v.argmax(1).astype(np.int32)[:, None], "{dim_arg = [1 : i32], keep_dim = true}"), rtol=0, atol=0)


@pytest.mark.parametrize("shape, dim, start, step", [((32, 64), 1, 0, 1), ((96, 32), 0, 0, 1), ((1, 128), 1, 5, 2), ((40,), 0, 0, 1)], ids=str)
def test_arange(shape, dim, start, step, tmp_path):
    end = start + shape[dim] * step
    line = np.arange(start, end, step, dtype=np.float32).reshape([-1 if i == dim else 1 for i in range(len(shape))])
    check(tmp_path, Op("arange", [], lambda: np.broadcast_to(line, shape).copy(), f"{{arange_dimension = {dim} : i64, start = {start} : si64, "
                       f"end = {end} : si64, step = {step} : si64}}"), rtol=0, atol=0)


@pytest.mark.parametrize("rows, columns, k", [(32, 128, 32), (64, 256, 64), (32, 96, 16), (32, 256, 48), (32, 128, 33), (32, 96, 5), (32, 96, 1)])
def test_topk(rows, columns, k, tmp_path):
    """Values are bf16's, so that TF32 keeps them apart."""
    x = np.stack([np.random.default_rng(row).permutation(columns) for row in range(rows)]).astype(np.float32)
    (tmp_path / "f.mlir").write_text(f"""func.func @f(%a: {t(x)}) -> (tensor<{rows}x{k}xf32>, tensor<{rows}x{k}xsi32>) {{
  %0, %1 = "ttir.topk"(%a) {{k = {k} : i32, dim = 1 : i32, largest = true, sorted = true}}
    : ({t(x)}) -> (tensor<{rows}x{k}xf32>, tensor<{rows}x{k}xsi32>)
  return %0, %1 : tensor<{rows}x{k}xf32>, tensor<{rows}x{k}xsi32>
}}""")
    run(tmp_path, (tmp_path / "f.mlir").read_text(), [x])
    got = np.load(tmp_path / "out.npz")
    order = np.argsort(-x, 1)[:, :k]
    np.testing.assert_array_equal(got["out0"], np.take_along_axis(x, order, 1))
    np.testing.assert_array_equal(got["out1"], order)


def test_parts_of_rows(tmp_path):
    """The rest of the rows is padding, which no kernel writes and the host reads along."""
    a, b = numbers(32, 8), numbers(32, 8)[::-1].copy()
    check(tmp_path, Op("concat", [a, b], lambda x, y: np.concatenate([x, y], 1), "{dim = 1 : si32}"), rtol=0, atol=0)


def test_repeated_columns(tmp_path):
    """Cores behind the last tile of a composite hold padding, which is unpacked along."""
    check(tmp_path, Op("repeat", [numbers(3, 64, 32)], lambda v: np.tile(v, (1, 5, 1)), "{repeat_dimensions = array<i64: 1, 5, 1>}"), rtol=0.001)
