"""The language's specification, example by example: one and three dimensions, coordinates of cores in the kernel's
body, accumulating stores anywhere."""

import math
import textwrap

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
from ttl_written import kernel_of  # noqa: E402


def test_elementwise_with_broadcast_in_one_dimension():
    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, y):
        tiles = a.shape[0] // ttl.TILE_SHAPE[0]
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1,)) for t in (a, y))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=1)

        @ttl.datamovement()
        def read():
            for i in range(tiles):
                with (a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk):
                    a_xf, b_xf = ttl.copy(a[i], a_blk), ttl.copy(b[0], b_blk)
                    a_xf.wait()
                    b_xf.wait()

        @ttl.compute()
        def compute():
            for _ in range(tiles):
                with (a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk):
                    assert len(a_blk.shape) == 1
                    squared = ttl.math.broadcast(b_blk**2, dims=[0])
                    y_blk.store(ttl.math.sqrt(a_blk**2 + squared))

        @ttl.datamovement()
        def write():
            for i in range(tiles):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[i]).wait()

    a, b, y = torch.randn(256), torch.randn(1), torch.zeros(256)
    kernel(a, b, y)
    assert torch.allclose(y, torch.sqrt(a**2 + b**2), rtol=2**-12)


def test_products_with_a_bias_in_three_dimensions():
    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, c, y):
        batch, rows, inner, columns = a.shape[0], a.shape[1] // 32, a.shape[2] // 32, b.shape[1] // 32
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1, 1)) for t in (a, y))
        b_dfb, c_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (b, c))
        places = [(i, m, n) for i in range(batch) for m in range(rows) for n in range(columns)]

        @ttl.datamovement()
        def read():
            for i, m, n in places:
                with c_dfb.reserve() as blk:
                    ttl.copy(c[m, n], blk).wait()
                for k in range(inner):
                    with (a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk):
                        ttl.copy(a[i, m, k], a_blk).wait()
                        ttl.copy(b[k, n], b_blk).wait()

        @ttl.compute()
        def compute():
            for _ in places:
                with y_dfb.reserve() as y_blk:
                    with c_dfb.wait() as c_blk:
                        y_blk.store(c_blk, acc=True)
                    for _ in range(inner):
                        with (a_dfb.wait() as a_blk, b_dfb.wait() as b_blk):
                            y_blk.store(a_blk @ b_blk, acc=True)

        @ttl.datamovement()
        def write():
            for i, m, n in places:
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[i, m, n]).wait()

    a, b, c, y = torch.randn(2, 64, 96), torch.randn(96, 64), torch.randn(64, 64), torch.zeros(2, 64, 64)
    kernel(a, b, c, y)
    assert torch.allclose(y, a @ b + c, atol=0.1)


@pytest.mark.parametrize("dims, message", (([2], "Must be of its last two, 1 and 2"), ([0], "Must be of its last two"),
                                           ([-4], "Invalid dims"), ([True], "Invalid dims")))
def test_dimensions_of_three(dims, message):
    @ttl.kernel(grid=(1, 1))
    def kernel(a):
        cb = ttl.make_dataflow_buffer_like(a, shape=(1, 1, 1))

        @ttl.compute()
        def compute():
            block, out = cb.wait(), cb.reserve()
            out.store(ttl.math.reduce_sum(block, dims=dims))

    if dims == [2]:
        assert " [1] : " in kernel.ir(torch.zeros(1, 32, 32))
    else:
        with pytest.raises(ttl.TTLangCompileError, match=message):
            kernel.ir(torch.zeros(1, 32, 32))


def test_slices_by_the_core_in_the_kernels_body(capfd):
    @ttl.kernel(grid=(3, 2))
    def kernel(a, out, factor: ttl.RuntimeInt):
        cb, out_cb = (ttl.make_dataflow_buffer_like(t, shape=(2, 1)) for t in (a, out))
        row_tiles, col_tiles = a.shape[0] // 32, a.shape[1] // 32
        each = math.ceil(col_tiles / ttl.grid_size(dims=1))
        number, (x, y) = ttl.core(dims=1), ttl.core(dims=2)
        start = number * each
        columns = start, min(start + each, col_tiles)
        near, same = max(x, y) - abs(y - x), divmod(number, 2)

        @ttl.datamovement()
        def read():
            for ct in range(*columns):
                for rt in range(row_tiles // 2):
                    with cb.reserve() as blk:
                        rows = slice(rt * 2, (rt + 1) * 2)
                        ttl.copy(a[rows, ct:ct + 1], blk).wait()

        @ttl.compute()
        def compute():
            for _ in range(*columns):
                for _ in range(row_tiles // 2):
                    with cb.wait() as blk, out_cb.reserve() as o:
                        o.store(blk * 2)

        @ttl.datamovement()
        def write():
            print("core", x, y, near, same[0], -factor)
            for ct in range(*columns):
                for rt in range(row_tiles // 2):
                    with out_cb.wait() as blk:
                        ttl.copy(blk, out[rt * 2:rt * 2 + 2, ct:ct + 1]).wait()

    a = torch.randn(128, 32 * 11)
    out = torch.zeros_like(a)
    kernel(a, out, 5)
    assert torch.equal(out, a * 2)
    messages = capfd.readouterr()
    assert "core 2 1 1 2 -5" in messages.out + messages.err


def test_what_only_cores_know_decides_nothing_on_the_host():
    @ttl.kernel(grid=(2, 1))
    def kernel(a):
        if ttl.core(dims=1) == 0:
            pass

    with pytest.raises(TypeError, match=r"what ttl.core\(\) gives is known only on each core"):
        kernel(torch.zeros(32, 32))


def test_barriers():
    @ttl.kernel(grid=(4, 1))
    def kernel(out):
        cb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
        number, others = ttl.core(dims=1), ttl.grid_size(dims=1) - 1
        mine = ttl.Semaphore()
        first, everyone = mine.get_remote((0, 0)), ttl.Semaphore()
        all_of_them, neighbour = everyone.get_remote_multicast(), mine.get_remote((number - number, 0))

        @ttl.datamovement()
        def work():
            if number != 0:
                first.inc(1)
                neighbour.inc(1)
                everyone.wait_eq(1)
            else:
                mine.wait_eq(2 * others)
                all_of_them.set(1)

    kernel(torch.zeros(32, 32))


STORES = (
    ("o.store(x, acc=True)\nfor k in range(3):\n    o.store(x * 2, acc=True)", 7),
    ("for k in range(3):\n    o.store(x, acc=True)\n    o.store(x * 2, acc=True)", 9),
    ("for k in range(3):\n    if k % 2 == 1:\n        o.store(x * 2, acc=True)", 2),
    ("for k in range(3):\n    for j in range(k):\n        o.store(x, acc=True)", 3),
    ("for k in range(n):\n    for j in range(2):\n        o.store(x, acc=True)", 6),
    ("if n == 7:\n    o.store(x * 3)\no.store(x, acc=True)", 1),
    ("if n == 3:\n    o.store(x * 3)\no.store(x, acc=True)", 4),
    ("o.store(x * 5)\no.store(x, acc=True)", 6),
    ("for k in range(n):\n    o += x\no += x * 3", 6),
    ("for k in range(n - 3):\n    o += x\no += x * 3", 3),
    ("if n == 3:\n    o += x\nelse:\n    o += x * 2\no += x", 2),
    ("for k in range(2):\n    for j in range(2):\n        o += x\n    for j in range(3):\n        o += x", 10),
)


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=("f32", "bf16"))
@pytest.mark.parametrize("body, times", STORES, ids=range(len(STORES)))
def test_stores_add_to_what_came_before(body, times, dtype):
    compute = "with a_cb.wait() as x:\n    for _ in range(3):\n        with out_cb.reserve() as o:\n" + textwrap.indent(body, " " * 12)
    kernel = kernel_of(compute, iterations=3, parameters="a, out, n: ttl.RuntimeInt")
    a = torch.randint(-8, 8, (32, 32)).to(dtype)
    out = torch.zeros(96, 32, dtype=dtype)
    kernel(a, out, 3)
    assert torch.equal(out, times * a.repeat(3, 1))


WAYS = ({"dims": [0]}, {"dims": [1]}, {"dims": [0, 1]}, {"dims": (-1, -2)}, {"dims": -1}, {"axis": 0}, {"axis": -1}, {})


@pytest.mark.parametrize("shape", ((2, 3), (1, 1), (3, 1)), ids=str)
@pytest.mark.parametrize("name", ("reduce_sum", "reduce_max", "block_reduce_sum", "block_reduce_max"))
def test_reductions_along_every_axis(name, shape):
    """Integers, whose sums are exact; without dims the whole block becomes one."""
    x = torch.randint(-8, 8, (32 * shape[0], 32 * shape[1])).float()
    for way in WAYS:
        given = way.get("dims", way.get("axis", [0, 1]))
        dims = sorted({d % 2 for d in ([given] if isinstance(given, int) else given)})
        small = tuple(1 if d in dims else shape[d] for d in (0, 1))

        @ttl.kernel(grid=(1, 1))
        def kernel(x, out):
            x_cb, out_cb = ttl.make_circular_buffer_like(x, shape=shape), ttl.make_circular_buffer_like(out, shape=small)

            @ttl.compute()
            def compute():
                with x_cb.wait() as block, out_cb.reserve() as result:
                    result.store(getattr(ttl, name)(block, **way))

            @ttl.datamovement()
            def read():
                with x_cb.reserve() as block:
                    ttl.copy(x, block).wait()

            @ttl.datamovement()
            def write():
                with out_cb.wait() as block:
                    ttl.copy(block, out).wait()

        out = torch.zeros(32 * small[0], 32 * small[1])
        kernel(x, out)
        want = (torch.sum if "sum" in name else torch.amax)(x, dim=dims, keepdim=True)
        assert torch.equal(out[:want.shape[0], :want.shape[1]], want), way


@pytest.mark.parametrize("number", ("np.float32(2.5)", "np.int64(2)", "np.float64(-1.5)"))
def test_numbers_of_numpy(number):
    import numpy as np

    kernel = kernel_of(f"with a_cb.wait() as x, out_cb.reserve() as o:\n    o.store(x * {number} - np.pi)", helper="import numpy as np")
    a, out = torch.randn(32, 32), torch.zeros(32, 32)
    kernel(a, out)
    assert torch.allclose(out, a * float(eval(number, {"np": np})) - math.pi)
