"""Rotary embeddings that are written out, as one operation of TTNN and as their decomposition, against torch in 64 bits."""

import subprocess

import numpy as np
import pytest
from native import BUILD

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(8)
X, HALF = (2, 3, 5, 8), (2, 3, 5, 4)


def t(shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


def op(result, name, operands, types, to, attrs=""):
    return f'  %{result} = "ttir.{name}"({operands}) {attrs}: ({", ".join(t(s) for s in types)}) -> {t(to)}\n'


def numbers(values):
    return "[" + ", ".join(f"{v} : i32" for v in values) + "]"


def cut(result, operand, shape, dim, begin, end):
    begins, ends, to = [0] * len(shape), list(shape), list(shape)
    begins[dim], ends[dim], to[dim] = begin, end, end - begin
    return op(result, "slice_static", operand, [shape], to, f"<{{begins = {numbers(begins)}, ends = {numbers(ends)}, step = {numbers([1] * len(shape))}}}> ")


def reshape(result, operand, shape, to):
    return op(result, "reshape", operand, [shape], to, f"<{{shape = {numbers(to)}}}> ")


def rotated():
    table = (1, 1, 5, 8)
    body = (cut("h", "%x", X, 3, 4, 8) + op("n", "neg", "%h", [HALF], HALF) + cut("l", "%x", X, 3, 0, 4)
            + op("r", "concat", "%n, %l", [HALF, HALF], X, "<{dim = 3 : si32}> ") + op("p", "multiply", "%x, %a", [X, table], X)
            + op("q", "multiply", "%r, %b", [X, table], X) + op("y", "add", "%p, %q", [X, X], X))
    return [table, table], body, lambda x, c, s: x * c + np.concatenate([-x[..., 4:], x[..., :4]], -1) * s


def by_halves():
    table = (1, 1, 5, 4)
    body = cut("l", "%x", X, 3, 0, 4) + cut("h", "%x", X, 3, 4, 8)
    body += "".join(op(n, "multiply", f"%{v}, %{w}", [HALF, table], HALF) for n, v, w in (("p", "l", "a"), ("q", "h", "b"), ("r", "h", "a"), ("s", "l", "b")))
    body += (op("d", "subtract", "%p, %q", [HALF, HALF], HALF) + op("e", "add", "%r, %s", [HALF, HALF], HALF)
             + op("y", "concat", "%d, %e", [HALF, HALF], X, "<{dim = 3 : si32}> "))
    return [table, table], body, lambda x, c, s: np.concatenate([x[..., :4] * c - x[..., 4:] * s, x[..., 4:] * c + x[..., :4] * s], -1)


def by_pairs():
    matrices, pairs, column, product = (1, 1, 5, 4, 2, 2), (2, 3, 5, 4, 1, 2), (1, 1, 5, 4, 2), (2, 3, 5, 4, 2)
    body = reshape("s", "%x", X, pairs)
    for i in range(2):
        body += cut(f"m{i}", "%a", matrices, 5, i, i + 1) + reshape(f"c{i}", f"%m{i}", (*matrices[:5], 1), column)
        body += cut(f"e{i}", "%s", pairs, 5, i, i + 1) + reshape(f"f{i}", f"%e{i}", (*pairs[:5], 1), (2, 3, 5, 4, 1))
        body += op(f"p{i}", "multiply", f"%c{i}, %f{i}", [column, (2, 3, 5, 4, 1)], product)
    body += op("z", "add", "%p0, %p1", [product, product], product) + reshape("y", "%z", product, X)
    return [matrices], body, lambda x, m: (m @ x.reshape(*pairs[:4], 2, 1)).reshape(X)


@pytest.mark.parametrize("how", ["inline", "force-promote"])
@pytest.mark.parametrize("form", [rotated, by_halves, by_pairs])
def test_values(form, how, tmp_path):
    shapes, body, reference = form()
    x = RNG.standard_normal(X).astype(np.float32)
    angles = RNG.standard_normal((1, 1, 5, 4))
    c, s = np.cos(angles), np.sin(angles)
    tables = [np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)] if len(shapes) == 1 else [np.concatenate([v, v], -1)[..., : shapes[0][3]] for v in (c, s)]
    tables = [v.astype(np.float32) for v in tables]
    arguments = ", ".join(f"%{n}: {t(shape)}" for n, shape in zip("ab", shapes, strict=False))
    (tmp_path / "p.mlir").write_text(f"func.func @main(%x: {t(X)}, {arguments}) -> {t(X)} {{\n{body}  return %y : {t(X)}\n}}")
    np.savez(tmp_path / "in.npz", **{f"in{i}": v for i, v in enumerate([x, *tables])})
    bin = BUILD / "bin"
    for command in ([bin / "ttmlir-opt", f"--ttir-to-ttnn-backend-pipeline=composite-resolution={how}", "p.mlir", "-o", "t.mlir"],
                    [bin / "ttmlir-translate", "--ttnn-to-flatbuffer", "t.mlir", "-o", "p.ttnn"],
                    [bin / "tilewright", "run", "p.ttnn", "--inputs", "in.npz", "--outputs", "out.npz"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    program = (tmp_path / "t.mlir").read_text()
    assert ('"ttnn.rotary_embedding"' in program) == (how == "force-promote") and "composite" not in program
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["out0"], reference(x.astype(np.float64), *[v.astype(np.float64) for v in tables]), atol=2e-6)
