"""ttl programs through ttl-to-ttkernel-pipeline, run on the simulated grid, against torch."""

import pytest

torch = pytest.importorskip("torch")
from tilewright import sim  # noqa: E402
from ttl_kernels import Program  # noqa: E402


@pytest.fixture(scope="module")
def grid():
    return sim.Grid("n150")


def blocks(program, positive=False, seed=0):
    torch.manual_seed(seed)
    made = [torch.randn(r * program.rounds * 32, c * 32) for r, c in program.shapes[:-1]]
    return [(x.abs() + 0.5 if positive else x).to(torch.bfloat16).float() for x in made]


def close(got, want, dtype):
    tolerance = 2e-2 if dtype == "bf16" else 2e-3
    torch.testing.assert_close(got.float(), want, rtol=tolerance, atol=tolerance)


BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum}
UNARY = {"exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "tanh": torch.tanh,
         "abs": torch.abs, "neg": torch.neg, "relu": torch.relu, "sigmoid": torch.sigmoid}


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(grid, name, dtype):
    p = Program([(2, 2)] * 3, f"%out = ttl.{name} %in0, %in1 : $in, $in -> $out", dtype, rounds=2)
    a, b = blocks(p)
    close(p.run([a, b], grid), BINARY[name](a, b), dtype)


@pytest.mark.parametrize("name", UNARY)
def test_unary(grid, name):
    p = Program([(1, 2)] * 2, f"%out = ttl.{name} %in0 : $in -> $out")
    a, = blocks(p, positive=name in ("log", "sqrt", "rsqrt"))
    close(p.run([a], grid), UNARY[name](a), "bf16")


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_fused_chain(grid, shape, dtype):
    """exp overwrites what others need too; five values live at once."""
    body = """
%e = ttl.exp %in0 : $in -> $out
%s = ttl.sigmoid %in0 : $in -> $out
%m = ttl.mul %e, %s : $in, $in -> $out
%d = ttl.sub %m, %in1 : $in, $in -> $out
%t = ttl.max %d, %in0 : $in, $in -> $out
%out = ttl.add %t, %e : $in, $in -> $out"""
    p = Program([shape] * 3, body, dtype, rounds=3)
    a, b = blocks(p)
    want = torch.maximum(a.exp() * a.sigmoid() - b, a) + a.exp()
    got = p.run([a, b], grid)
    torch.testing.assert_close(got.float(), want, rtol=4e-2, atol=6e-2)
    assert torch.equal(got, p.run([a, b], grid, seed=7))



@pytest.mark.parametrize("kind, small, index", [
    ("1 : i32", (3, 1), lambda a: a[:, :1]), ("2 : i32", (1, 2), lambda a: a[:1, :]),
    ("3 : i32", (1, 1), lambda a: a[:1, :1])])
@pytest.mark.parametrize("fused", [False, True])
def test_broadcast(grid, kind, small, index, fused):
    """Rows, columns and scalars of a block fill a larger one; alone and inside a chain."""
    from ttl_kernels import cb

    shapes = [small, (3, 2), (3, 2)] if fused else [small, (3, 2)]
    n = len(shapes) - 1
    body = f"%init = ttl.attach_cb %view, %cb{n} : ($out, {cb((3, 2), 'bf16')}) -> $out\n"
    body += f"%b = ttl.bcast %in0, %init {kind} : ($in, $out) -> $out\n"
    body += "%out = ttl.mul %b, %in1 : $out, $out -> $out" if fused else ""
    p = Program(shapes, body if fused else body.replace("%b =", "%out ="))
    inputs = blocks(p)
    want = index(inputs[0]).expand(96, 64)
    if fused:
        want = want * inputs[1]
    close(p.run(inputs, grid), want, "bf16")
