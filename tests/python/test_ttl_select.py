"""where, masks and rounding of blocks against torch; values that are not selected may be anything."""

import math

import pytest
from test_ttl_run import blocks

torch = pytest.importorskip("torch")
import ttl  # noqa: E402

DTYPES = (torch.float32, torch.bfloat16, torch.int32)


def tensors(dtype, rows=2, columns=3):
    """Two with special values in both, and one of zeros and other values."""
    x, y = (torch.randint(-90, 90, (32 * rows, 32 * columns)).to(dtype) for _ in range(2))
    if dtype.is_floating_point:
        for t in (x, y):
            t[0, :5] = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0])
    return x, y, (torch.randint(-1, 3, x.shape)).to(dtype)


def same(a, b):
    return a.dtype == b.dtype and torch.equal(a.nan_to_num(7) if a.is_floating_point() else a, b.nan_to_num(7) if b.is_floating_point() else b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("block", ((1, 1), (2, 3)), ids=str)
def test_where(dtype, block):
    x, y, condition = tensors(dtype)
    assert same(blocks(lambda c, a, b: ttl.math.where(c, a, b), [condition, x, y], block), torch.where(condition != 0, x, y))  # noqa: PLW0108
    assert same(blocks(lambda c, a: ttl.where(c, a, 5), [condition, x], block), torch.where(condition != 0, x, torch.tensor(5, dtype=dtype)))
    # seven values at once, more than DST holds of f32
    got = blocks(lambda c, a, b: ttl.math.where(a - b, ttl.math.where(c, a + b, a), ttl.math.where(a, b, c)), [condition, x, y], block)
    want = torch.where(x - y != 0, torch.where(condition != 0, x + y, x), torch.where(x != 0, y, condition))
    assert same(got[1:], want[1:])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_masks(dtype):
    x, _, mask = tensors(dtype)
    assert same(blocks(lambda m, a: ttl.math.mask(a, m), [mask, x]), torch.where(mask != 0, torch.tensor(0, dtype=dtype), x))
    if dtype.is_floating_point:
        assert same(blocks(lambda m, a: ttl.math.mask_posinf(a, m), [mask, x]), torch.where(mask != 0, torch.tensor(math.inf, dtype=dtype), x))


@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_rounding(dtype):
    x = torch.cat([torch.arange(-512, 512) / 8, torch.tensor([2.0**22 + 0.5, 2.0**23 + 1, 1e30, math.inf, -math.inf, math.nan]),
                   torch.randn(1018) * 100]).to(dtype).reshape(64, 32)
    assert same(blocks(lambda a: ttl.math.round(a), [x]), x.round() + 0)  # noqa: PLW0108
    x = x.float().nan_to_num(0).clamp(-1000, 1000)
    assert torch.allclose(blocks(lambda a: ttl.math.round(a, decimals=2), [x]), (x * 100).round() / 100, rtol=2**-23, atol=0)


@pytest.mark.parametrize("expression, want", [
    ("ttl.math.matmul(x, y, o)", lambda x, y: x @ y), ("ttl.math.transpose(x, output=o)", lambda x, y: x.T),
    ("ttl.math.reduce_sum(x, one, o, dims=[0])", lambda x, y: x.sum(0, keepdim=True)),
    ("ttl.math.reduce_max(x, one, o, dims=[1])", lambda x, y: x.amax(1, keepdim=True))])
def test_outputs_may_be_named(expression, want, tmp_path):
    """As in tt-lang's simulator and later compilers; outputs that cannot hold the result are rejected."""
    names = {"ttl": ttl}
    path = tmp_path / "kernel.py"
    path.write_text(f"""
@ttl.kernel(grid=(1, 1))
def kernel(a, b, ones, out):
    a_cb, b_cb, one_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, b, ones))
    out_cb, wide = ttl.make_circular_buffer_like(out, shape=(1, 1)), ttl.make_circular_buffer_like(out, shape=(1, 2))

    @ttl.compute()
    def compute():
        with a_cb.wait() as x, b_cb.wait() as y, one_cb.wait() as one, out_cb.reserve() as o:
            o.store({expression})

    @ttl.datamovement()
    def read():
        with a_cb.reserve() as x, b_cb.reserve() as y, one_cb.reserve() as one:
            ttl.copy(a[0, 0], x).wait()
            ttl.copy(b[0, 0], y).wait()
            ttl.copy(ones[0, 0], one).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as o:
            ttl.copy(o, out[0, 0]).wait()
""")
    exec(compile(path.read_text(), str(path), "exec"), names)
    x, y = (torch.randint(-4, 4, (32, 32)).float() for _ in range(2))
    out = torch.zeros(32, 32)
    names["kernel"](x, y, torch.ones(32, 32), out)
    expected = want(x, y)
    assert torch.equal(out[:expected.shape[0], :expected.shape[1]], expected)
    wrong = path.read_text().replace("out_cb.reserve() as o:\n            o.store(", "wide.reserve() as o:\n            o.store(")
    path.write_text(wrong)
    __import__("linecache").checkcache()
    exec(compile(wrong, str(path), "exec"), names)
    with pytest.raises(ttl.TTLangCompileError, match=r"gives a block of \(1, 1\) tiles, and its output has \(1, 2\)"):
        names["kernel"](x, y, torch.ones(32, 32), out)
