"""Several tiles at a time in DST: the same bits."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402

EXPRESSIONS = {
    "copy": lambda a, b: a,
    "sum": lambda a, b: a + b,
    "chain": lambda a, b: ttl.math.exp(a) * b + ttl.math.relu(a - b) * 0.5,
    "max": lambda a, b: ttl.math.max(ttl.math.abs(a), b),
    "many": lambda a, b: ttl.math.tanh(a * b) - ttl.math.sigmoid(a) * ttl.math.sqrt(ttl.math.abs(b)),
}


def run(expression, shape, dtype, schedule, rows=None, full=False):
    @ttl.kernel(grid=(1, 1), schedule=schedule, dst_full_sync_en=full)
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=shape)
        b_cb = ttl.make_circular_buffer_like(b, shape=rows or shape)
        o_cb = ttl.make_circular_buffer_like(out, shape=shape)

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, o_cb.reserve() as o:
                o.store(expression(x, ttl.math.broadcast(y, o, dims=[0]) if rows else y))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, b_cb.reserve() as y:
                ttl.copy(a, x).wait()
                ttl.copy(b, y).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as o:
                ttl.copy(o, out).wait()

    torch.manual_seed(1)
    size = [32 * d for d in shape]
    a = torch.randn(*size).to(dtype)
    b = torch.rand(*[32 * d for d in rows or shape]).to(dtype)
    out = torch.zeros(*size, dtype=dtype)
    kernel(a, b, out)
    return out, kernel.ir(a, b, out, level="ttkernel")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=["bf16", "f32"])
@pytest.mark.parametrize("shape", [(1, 7), (3, 2), (4, 4)], ids=str)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_bits(name, shape, dtype):
    plain, _ = run(EXPRESSIONS[name], shape, dtype, ())
    blocked, _ = run(EXPRESSIONS[name], shape, dtype, "subblock_compute_for_dst")
    assert torch.equal(plain, blocked)


@pytest.mark.parametrize("full, most", [(False, 8), (True, 16)])
def test_as_many_as_dst_holds(full, most):
    out, ir = run(EXPRESSIONS["copy"], (4, 4), torch.bfloat16, "subblock_compute_for_dst", full=full)
    compute = ir[ir.index("@compute"):].partition("\n  }")[0]
    assert compute.count("ttkernel.tile_regs_acquire") == 1
    assert compute.count("ttkernel.copy_tile(") == most and compute.count("ttkernel.pack_tile(") == most


def test_broadcasts():
    for schedule in ((), "subblock_compute_for_dst"):
        out, _ = run(lambda a, b: a + b, (2, 4), torch.bfloat16, schedule, rows=(1, 4))
        if not schedule:
            plain = out
    assert torch.equal(plain, out)
