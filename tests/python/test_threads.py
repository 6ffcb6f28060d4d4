"""Programs whose work is divided among threads: the bytes are those of one thread."""

import os
import subprocess
import sys

import numpy as np
import pytest
from native import Program

RNG = np.random.default_rng(11)


def tensor(*shape, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def brain(x):
    return (x.view(np.uint32) >> 16).astype(np.uint16)


def body(text, *types):
    names = [f"%a{i}" for i in range(len(types) - 1)]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=False))
    return f"func.func @main({arguments}) -> {types[-1]} {{\n{text}\nreturn %r : {types[-1]}\n}}"


def unary(op, attributes, t, to=None):
    return body(f'%r = "ttir.{op}"(%a0) <{{{attributes}}}> : ({t}) -> {to or t}', t, to or t)


M, W = tensor(513, 700), tensor(700)
N = tensor(700, 300)
IMAGE, KERNEL, OUT = tensor(2, 33, 35, 16), tensor(32, 16, 3, 3), tensor(2, 33, 35, 32)
Q = tensor(2, 8, 64, 32)
CASES = {
    "chain": (body(f"%0 = stablehlo.sine %a0 : {M}\n%1 = stablehlo.exponential %0 : {M}\n%r = stablehlo.multiply %1, %a0 : {M}", M, M), 1),
    "broadcast": (body(f"%0 = stablehlo.broadcast_in_dim %a1, dims = [1] : ({W}) -> {M}\n%r = stablehlo.add %a0, %0 : {M}", M, W, M), 2),
    "mean of squares": (body(f'%0 = "ttir.multiply"(%a0, %a0) : ({M}, {M}) -> {M}\n'
                             f'%r = "ttir.mean"(%0) <{{dim_arg = [1 : i32], keep_dim = false}}> : ({M}) -> {tensor(513)}', M, tensor(513)), 1),
    "softmax": (unary("softmax", "dimension = 1 : si32, numericStable = true", M), 1),
    "softmax of columns": (unary("softmax", "dimension = 0 : si32, numericStable = true", M), 1),
    "cumsum": (unary("cumsum", "dim = 1 : i64", M), 1),
    "layer norm": (body(f'%r = "ttir.layer_norm"(%a0, %a1, %a2) <{{normalized_shape = array<i64: 700>, epsilon = 1.0e-5 : f32, '
                        f'operandSegmentSizes = array<i32: 1, 1, 1>}}> : ({M}, {W}, {W}) -> {M}', M, W, W, M), 3),
    "sum of rows": (unary("sum", "dim_arg = [1 : i32], keep_dim = false", M, tensor(513)), 1),
    "sum of columns": (unary("sum", "dim_arg = [0 : i32], keep_dim = false", M, W), 1),
    "argmax": (unary("argmax", "dim_arg = [1 : i32], keep_dim = false", M, tensor(513, element="i32")), 1),
    "permute": (unary("permute", "permutation = array<i64: 1, 0>", M, tensor(700, 513)), 1),
    "matmul": (body(f'%r = "ttir.matmul"(%a0, %a1) : ({M}, {N}) -> {tensor(513, 300)}', M, N, tensor(513, 300)), 2),
    "conv2d": (body(f'%r = "ttir.conv2d"(%a0, %a1) <{{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}}> '
                    f': ({IMAGE}, {KERNEL}) -> {OUT}', IMAGE, KERNEL, OUT), 2),
    "attention": (body(f'%r = "ttir.scaled_dot_product_attention"(%a0, %a1, %a2) <{{is_causal = true, '
                       f'operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}}> : ({Q}, {Q}, {Q}) -> {Q}', Q, Q, Q, Q), 3),
}
HALVES = [name for name in CASES if name != "argmax"]


def inputs(text, count):
    p = Program(text)
    return [RNG.standard_normal(p.shape(i)).astype(np.float32) for i in range(count)]


@pytest.mark.parametrize("case, element", [(c, "f32") for c in CASES] + [(c, "bf16") for c in HALVES])
def test_any_number_of_threads(case, element):
    text, count = CASES[case]
    arrays = inputs(text, count)
    if element == "bf16":
        text, arrays = text.replace("xf32>", "xbf16>"), [brain(a) for a in arrays]
    programs = [Program(text, threads=n) for n in (1, 2, 3, 7)]
    want = programs[0](*arrays)[0]
    assert np.isfinite(want.astype(np.float64)).all()
    for p in programs[1:]:
        for _ in range(3):
            assert p(*arrays)[0].tobytes() == want.tobytes()


def test_large_rows_sent_past_the_caches():
    t = tensor(2048, 2048)
    x = RNG.standard_normal((2048, 2048)).astype(np.float32)
    for text in (unary("softmax", "dimension = 1 : si32, numericStable = true", t),
                 body("\n".join(f"%{'r' if i == 3 else i} = stablehlo.add %{'a0' if i == 0 else i - 1}, %a{i + 1} : {t}" for i in range(4)), t, t, t, t, t, t)):
        count = text.split("->")[0].count("%a")
        one, two = (Program(text, threads=n)(*[x] * count)[0] for n in (1, 2))
        assert one.tobytes() == two.tobytes()


FORK = """
import os, sys
import numpy as np
from native import Program
t = "tensor<512x512xf32>"
p = Program(f"func.func @main(%a: {t}) -> {t} {{ %0 = stablehlo.sine %a : {t} return %0 : {t} }}", threads=4)
x = np.ones((512, 512), np.float32)
want = p(x)[0]
child = os.fork()
if child == 0:
    good = (p(x)[0] == want).all()
    del p
    os._exit(0 if good else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_goes_on_alone():
    env = dict(os.environ, PYTHONPATH=os.path.dirname(__file__))
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], env=env, timeout=300).returncode == 0


def test_torch_reports_how_many(monkeypatch):
    torch = pytest.importorskip("torch")
    from tilewright import _engine
    seen = []

    def engine(text, options):
        seen.append(options["threads"])
        return _engine.native_compile(text, options)

    former = _engine.set_engine(engine)
    try:
        x = torch.randn(8, 8)
        monkeypatch.delenv("TILEWRIGHT_THREADS", raising=False)
        np.testing.assert_allclose(torch.compile(lambda v: v + 1, backend="tt")(x), x + 1)
        monkeypatch.setenv("TILEWRIGHT_THREADS", "3")
        np.testing.assert_allclose(torch.compile(lambda v: v + 2, backend="tt")(x), x + 2)
    finally:
        _engine.set_engine(former)
    assert seen == [torch.get_num_threads(), 3]


def test_bits_do_not_depend_on_where_results_lie():
    for rows, length in ((2000, 2112), (3000, 1088)):
        t = tensor(rows, length)
        x = RNG.standard_normal((rows, length)).astype(np.float32)
        programs = [Program(unary("softmax", "dimension = 1 : si32, numericStable = true", t), threads=n) for n in (1, 2)]
        kept, seen = [], set()
        for k in range(6):
            kept.append(np.empty(1000 * k + 4, np.uint8))  # so that results get other addresses
            seen.add(programs[k % 2](x)[0].tobytes())
        assert len(seen) == 1
