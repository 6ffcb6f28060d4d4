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
    made = [torch.randn(r * program.iterations * 32, c * 32) for r, c in program.shapes[:-1]]
    return [(x.abs() + 0.5 if positive else x).to(torch.bfloat16).float() for x in made]


def close(got, want, dtype):
    tolerance = 2e-2 if dtype == "bf16" else 1e-6
    torch.testing.assert_close(got.float(), want, rtol=tolerance, atol=tolerance)


BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum}
UNARY = {"exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "tanh": torch.tanh,
         "abs": torch.abs, "neg": torch.neg, "relu": torch.relu, "sigmoid": torch.sigmoid}


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(grid, name, dtype):
    p = Program([(2, 2)] * 3, f"%out = ttl.{name} %in0, %in1 : $in, $in -> $out", dtype, iterations=2)
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
    """exp overwrites values that others need; five values are live at once."""
    body = """
%e = ttl.exp %in0 : $in -> $out
%s = ttl.sigmoid %in0 : $in -> $out
%m = ttl.mul %e, %s : $in, $in -> $out
%d = ttl.sub %m, %in1 : $in, $in -> $out
%t = ttl.max %d, %in0 : $in, $in -> $out
%out = ttl.add %t, %e : $in, $in -> $out"""
    p = Program([shape] * 3, body, dtype, iterations=3)
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


MORE = {"exp2": torch.exp2, "expm1": torch.expm1, "log1p": torch.log1p, "square": torch.square,
        "recip": torch.reciprocal, "tan": torch.tan, "atan": torch.atan, "sin": torch.sin, "asin": torch.asin,
        "cos": torch.cos, "acos": torch.acos, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu,
        "softsign": torch.nn.functional.softsign, "hardsigmoid": torch.nn.functional.hardsigmoid,
        "selu": torch.selu, "sign": torch.sign, "erf": torch.erf, "erfc": torch.erfc, "ceil": torch.ceil,
        "floor": torch.floor, "trunc": torch.trunc, "eqz": lambda a: (a == 0).float(), "gtz": lambda a: (a > 0).float(),
        "lez": lambda a: (a <= 0).float()}


@pytest.mark.parametrize("name", MORE)
def test_more_unary(grid, name):
    p = Program([(1, 1)] * 2, f"%out = ttl.{name} %in0 : $in -> $out", "f32")
    a, = blocks(p, positive=name in ("log1p", "recip"))
    a = a.clamp(-0.99, 0.99) if name in ("asin", "acos", "tan") else a
    close(p.run([a], grid), MORE[name](a), "bf16")


@pytest.mark.parametrize("name, want", [
    ("div", torch.div), ("min", torch.minimum), ("pow", torch.pow), ("eq", lambda a, b: (a == b).float()),
    ("lt", lambda a, b: (a < b).float()), ("ge", lambda a, b: (a >= b).float())])
def test_more_binary(grid, name, want):
    p = Program([(1, 2)] * 3, f"%out = ttl.{name} %in0, %in1 : $in, $in -> $out", "f32")
    a, b = blocks(p, positive=name in ("div", "pow"))
    b[:, :7] = a[:, :7]
    close(p.run([a, b], grid), want(a, b), "bf16")


@pytest.mark.parametrize("text, want", [
    ("add_scalar %in0, 2.5 : f32", lambda a: a + 2.5), ("sub_scalar %in0, 2.5 : f32", lambda a: a - 2.5),
    ("mul_scalar %in0, -0.5 : f32", lambda a: a * -0.5), ("div_scalar %in0, 4.0 : f32", lambda a: a / 4),
    ("pow_scalar %in0, 3 : i32", lambda a: a ** 3)])
def test_numbers(grid, text, want):
    p = Program([(1, 1)] * 2, f"%out = ttl.{text} : $in -> $out".replace(" : f32", "").replace(" : i32", ""))
    a, = blocks(p)
    close(p.run([a], grid), want(a), "bf16")


def kinds(shapes, dtype="bf16"):
    from ttl_kernels import block

    return [block(s, dtype) for s in shapes]


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (2, 3, 2), (1, 4, 3), (3, 1, 2)])
def test_matmul(grid, m, k, n, dtype):
    shapes = [(m, k), (k, n), (m, n)]
    a_type, b_type, c_type = kinds(shapes, dtype)
    p = Program(shapes, f"%out = ttl.matmul %in0, %in1 : {a_type}, {b_type} -> {c_type}", dtype)
    a, b = blocks(p)
    got = p.run([a, b], grid)
    torch.testing.assert_close(got.float(), a @ b, rtol=3e-2, atol=0.3)


def test_matmul_in_a_chain(grid):
    """relu(a @ b + exp(c)): one compute; the product has a register that was unused before."""
    shapes = [(2, 3), (3, 2), (2, 2), (2, 2)]
    a_type, b_type, c_type, _ = kinds(shapes)
    p = Program(shapes, f"""
%e = ttl.exp %in2 : {c_type} -> {c_type}
%e2 = ttl.exp %e : {c_type} -> {c_type}
%m = ttl.matmul %in0, %in1 : {a_type}, {b_type} -> {c_type}
%s = ttl.add %m, %e2 : {c_type}, {c_type} -> {c_type}
%out = ttl.relu %s : {c_type} -> {c_type}""", iterations=2)
    a, b, c = blocks(p)
    c = c.clamp(-1, 1)
    want = torch.cat([(x @ y + z.exp().exp()).relu() for x, y, z in zip(a.chunk(2), b.chunk(2), c.chunk(2))])
    torch.testing.assert_close(p.run([a, b, c], grid).float(), want, rtol=3e-2, atol=0.3)


@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
def test_reduce(grid, name, dims):
    out = (1 if 0 in dims else 2, 1 if 1 in dims else 3)
    shapes = [(2, 3), (1, 1), out]
    a_type, s_type, o_type = kinds(shapes)
    p = Program(shapes, f"%r = ttl.reduce_{name} %in0, %in1 {dims} : {a_type}, {s_type} -> {o_type}\n"
                        f"%out = ttl.mul_scalar %r, 0.5 : {o_type} -> {o_type}")
    a, _ = blocks(p)
    got = p.run([a, torch.ones(32, 32)], grid).float()
    want = a.sum(dims, keepdim=True) if name == "sum" else a.amax(dims, keepdim=True)
    close(got[:want.shape[0], :want.shape[1]], want / 2, "bf16")


def test_transpose(grid):
    shapes = [(2, 3), (3, 2)]
    a_type, o_type = kinds(shapes)
    p = Program(shapes, f"%t = ttl.transpose %in0 : {a_type} -> {o_type}\n%out = ttl.neg %t : {o_type} -> {o_type}")
    a, = blocks(p)
    assert torch.equal(p.run([a], grid).float(), -a.T)


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_accumulating_store(grid, dtype):
    """A product summed over blocks of k: the first store of each iteration assigns, later ones add."""
    shapes = [(1, 2), (2, 2), (1, 2)]
    a_type, b_type, c_type = kinds(shapes, dtype)
    p = Program(shapes, f"%out = ttl.matmul %in0, %in1 : {a_type}, {b_type} -> {c_type}", dtype, iterations=6, sums=3)
    a, b = blocks(p)
    products = [x @ y for x, y in zip(a.chunk(6), b.chunk(6))]
    want = torch.cat([sum(products[:3]), sum(products[3:])])
    torch.testing.assert_close(p.run([a, b], grid).float(), want, rtol=3e-2, atol=0.5)


def test_right_leaning_tree(grid):
    """In the written order this needs five registers of the four that f32 has."""
    p = Program([(1, 1)] * 3, """
%s1 = ttl.add %in0, %in1 : $in, $in -> $out
%s2 = ttl.sub %in0, %in1 : $in, $in -> $out
%s3 = ttl.mul %s1, %s2 : $in, $in -> $out
%s4 = ttl.max %in0, %in1 : $in, $in -> $out
%s5 = ttl.sub %s4, %s3 : $in, $in -> $out
%e = ttl.exp %in0 : $in -> $out
%s6 = ttl.sub %e, %s5 : $in, $in -> $out
%f = ttl.neg %in1 : $in -> $out
%out = ttl.sub %f, %s6 : $in, $in -> $out""", "f32")
    a, b = blocks(p)
    want = -b - (a.exp() - (torch.maximum(a, b) - (a + b) * (a - b)))
    close(p.run([a, b], grid), want, "bf16")
