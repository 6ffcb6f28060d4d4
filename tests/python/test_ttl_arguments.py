"""Arguments and dependencies of kernels: tensors of any rank and memory, integers known at run time, Python values
that change between calls; pipes that share semaphores."""

import itertools

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

FACTOR = 2.0
OFFSETS = [1.0, 2.0]


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def blockwise(compute_of, read_of, write_of, block=(1, 1), count=1):
    """A kernel from x to out, a block at a time: compute_of(block), x's part read_of(i), out's part write_of(i)."""

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=block)
        out_cb = ttl.make_circular_buffer_like(out, shape=block)

        @ttl.compute()
        def compute():
            for _ in range(count):
                with x_cb.wait() as b, out_cb.reserve() as o:
                    o.store(compute_of(b))

        @ttl.datamovement()
        def read():
            for i in range(count):
                with x_cb.reserve() as b:
                    ttl.copy(x[read_of(i)], b).wait()

        @ttl.datamovement()
        def write():
            for i in range(count):
                with out_cb.wait() as b:
                    ttl.copy(b, out[write_of(i)]).wait()

    return kernel


def through(compute_of, read_of, write_of, x, out, block=(1, 1), count=1):
    blockwise(compute_of, read_of, write_of, block, count)(x, out)
    return out


# ---- ranks ------------------------------------------------------------------------------------------


def test_one_dimension():
    x = torch.randn(100)
    out = through(lambda b: b + 1, lambda i: i, lambda i: i, x, torch.zeros(100), count=4)
    assert torch.allclose(out, x + 1, atol=1e-6)


@pytest.mark.parametrize("shape", [(3, 64, 96), (2, 2, 40, 32)])
def test_batches_are_indexed_by_matrix_and_tile(shape):
    *lead, rows, columns = [*shape[:-2], -(-shape[-2] // 32), -(-shape[-1] // 32)]
    count = torch.Size([*lead, rows, columns]).numel()

    def index(i):
        at = [i // columns // rows, i // columns % rows, i % columns]
        return tuple(at) if len(lead) == 1 else (at[0] // lead[1], at[0] % lead[1], *at[1:])

    x = torch.randn(shape)
    out = through(lambda b: -b, index, index, x, torch.zeros(shape), count=count)
    assert torch.equal(out.bfloat16(), (-x).bfloat16())


def test_a_block_may_hold_whole_matrices():
    x = torch.randn(2, 64, 32)
    part = lambda i: (slice(0, 2), slice(0, 2), slice(0, 1))  # noqa: E731
    out = through(lambda b: b * 2, part, part, x, torch.zeros(2, 64, 32), block=(4, 1))
    assert torch.allclose(out, x * 2, rtol=1e-6)


@pytest.mark.parametrize("index, message", [
    (lambda i: (0, 0), "Expected 3 tile indices"),
    (lambda i: (2, 0, 0), "index 2 of dimension 0 is not in the tensor"),
    (lambda i: (0, 2, 0), "rows 2 to 2 of tiles are not all in the tensor, which has 2"),
    (lambda i: (slice(0, 2), slice(0, 1), slice(0, 1)), "dimension 1 must be whole, 0:2"),
])
def test_wrong_indices_of_a_batch(index, message):
    x = torch.zeros(2, 64, 32)
    with pytest.raises(ttl.TTLangCompileError, match=message):
        through(lambda b: b + 1, index, lambda i: (0, 0, 0), x, torch.zeros(2, 64, 32))


# ---- memories ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, shard", [("HEIGHT_SHARDED", (32, 64)), ("WIDTH_SHARDED", (128, 32)), ("BLOCK_SHARDED", (64, 32))])
@pytest.mark.parametrize("memory", ["L1", "DRAM"])
def test_sharded_tensors(device, kind, shard, memory):
    x = torch.randn(128, 64).bfloat16()
    shards = 128 // shard[0] * 64 // shard[1]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(shards - 1, 0))])
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout[kind], ttnn.BufferType[memory], ttnn.ShardSpec(cores, shard))
    a = ttnn.from_torch(x, dtype=ttnn.bfloat16, device=device, memory_config=config)
    out = ttnn.from_torch(torch.zeros_like(x), dtype=ttnn.bfloat16, device=device, memory_config=config)
    index = lambda i: (i // 2, i % 2)  # noqa: E731
    through(lambda b: b * 2, index, index, a, out, count=8)
    assert torch.equal(ttnn.to_torch(out), x * 2)


# ---- integers known at run time ----------------------------------------------------------------------


def sum_of_first():
    bodies = []

    @ttl.kernel(grid=(2, 1))
    def kernel(x, out, count: ttl.RuntimeInt, skip: ttl.RuntimeInt = 0):
        bodies.append(count)
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute():
            with out_cb.reserve() as o:
                for _ in range(count):
                    with x_cb.wait() as b:
                        o.store(b, acc=True)

        @ttl.datamovement()
        def read():
            column, _ = ttl.core(dims=2)
            for i in range(count):
                with x_cb.reserve() as b:
                    ttl.copy(x[skip + i, column], b).wait()

        @ttl.datamovement()
        def write():
            column, _ = ttl.core(dims=2)
            with out_cb.wait() as b:
                ttl.copy(b, out[0, column]).wait()

    return kernel, bodies


def test_runtime_integers_change_without_compiling():
    kernel, bodies = sum_of_first()
    x, out = torch.randn(8 * 32, 64), torch.zeros(32, 64)
    for count, skip in [(3, 0), (8, 0), (1, 5), (3, 0), (2, 6)]:
        kernel(x, out, count, skip=skip)
        want = x[skip * 32:(skip + count) * 32].reshape(count, 32, 64).sum(0)
        assert torch.allclose(out, want, atol=1e-6)
    kernel(x, out, 8)
    assert len(bodies) == 1
    assert "get_common_arg_val" in kernel.ir(x, out, 4, level="ttkernel")


def test_runtime_integers_are_integers_of_32_bits():
    kernel, _ = sum_of_first()
    x, out = torch.randn(64, 64), torch.zeros(32, 64)
    with pytest.raises(TypeError, match="'count' is a runtime integer, got float"):
        kernel(x, out, 1.5)
    with pytest.raises(ValueError, match="'count' is an integer of 32 bits"):
        kernel(x, out, 2**31)
    with pytest.raises(TypeError, match="lacks the argument 'count'"):
        kernel(x, out)


def test_runtime_integers_have_no_value_on_the_host():
    @ttl.kernel(grid=(1, 1))
    def kernel(x, n: ttl.RuntimeInt):
        list(range(n))

    with pytest.raises(TypeError, match="'n' is known only when the kernel runs"):
        kernel(torch.zeros(32, 32), 1)


# ---- Python values that change between calls -----------------------------------------------------------


def plus(value):
    return value + OFFSETS[0]


def run_scaled(kernel, want):
    x, out = torch.full((32, 32), 3.0), torch.zeros(32, 32)
    kernel(x, out)
    assert (out == want).all(), out[0, 0]


def scaled(expression):
    return blockwise(expression, lambda i: (0, 0), lambda i: (0, 0))


def test_globals_and_lists_that_change_compile_again(monkeypatch):
    kernel = scaled(lambda b: plus(b * FACTOR))
    run_scaled(kernel, 7.0)
    first = list(kernel.cache.values())
    run_scaled(kernel, 7.0)
    assert list(kernel.cache.values()) == first
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    run_scaled(kernel, 13.0)
    OFFSETS[0] = 5.0
    try:
        run_scaled(kernel, 17.0)
    finally:
        OFFSETS[0] = 1.0
    run_scaled(kernel, 13.0)


def test_closures_that_change_compile_again():
    factor = 2.0
    kernel = scaled(lambda b: b * factor)
    run_scaled(kernel, 6.0)
    factor = 3.0
    run_scaled(kernel, 9.0)


def test_a_helper_whose_code_changes_compiles_again():
    def helper(b):
        return b * 2.0

    def other(b):
        return b * 8.0

    kernel = scaled(lambda b: helper(b))
    run_scaled(kernel, 6.0)
    helper.__code__ = other.__code__
    run_scaled(kernel, 24.0)


# ---- reductions and bounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dims", [[0], [1], [0, 1]])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_reductions_need_no_scaler(dims, dtype):
    torch.manual_seed(5)
    x = torch.randn(64, 96).to(dtype)
    shape = (32 if 0 in dims else 64, 32 if 1 in dims else 96)
    sums, largest = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, sums, largest):
        x_cb = ttl.make_circular_buffer_like(x, shape=(2, 3))
        outs = [ttl.make_circular_buffer_like(t, shape=(shape[0] // 32, shape[1] // 32)) for t in (sums, largest)]

        @ttl.compute()
        def compute():
            with x_cb.wait() as b:
                with outs[0].reserve() as o:
                    o.store(ttl.math.reduce_sum(b, dims=dims))
                with outs[1].reserve() as o:
                    o.store(ttl.math.reduce_max(b, dims=dims))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as b:
                ttl.copy(x, b).wait()

        @ttl.datamovement()
        def write():
            for cb, t in zip(outs, (sums, largest)):
                with cb.wait() as b:
                    ttl.copy(b, t).wait()

    kernel(x, sums, largest)
    at = (slice(0, 1 if 0 in dims else None), slice(0, 1 if 1 in dims else None))
    allowed = 2.0**-8 * x.float().abs().sum(dims, keepdim=True).max()
    assert (sums[at].float() - x.float().sum(dims, keepdim=True)).abs().max() <= allowed
    assert torch.allclose(largest[at].float(), x.float().amax(dims, keepdim=True), rtol=2**-10)


@pytest.mark.parametrize("function, want", [
    (lambda b: ttl.math.hardtanh(b), lambda x: torch.nn.functional.hardtanh(x)),
    (lambda b: ttl.math.hardtanh(b, -0.5, 2.0), lambda x: x.clamp(-0.5, 2.0)),
    (lambda b: ttl.math.relu_max(b, 0.75), lambda x: x.clamp(0, 0.75)),
    (lambda b: ttl.math.relu_min(b, 0.25), lambda x: x.clamp(min=0.25)),
    (lambda b: ttl.clamp(b + 1, min=0, max=1), lambda x: (x + 1).clamp(0, 1)),
])
def test_bounds(function, want):
    x = torch.linspace(-3, 3, 1024).reshape(32, 32)
    index = lambda i: (0, 0)  # noqa: E731
    out = through(function, index, index, x, torch.zeros(32, 32))
    assert torch.allclose(out, want(x), atol=1e-6)


# ---- pipes ------------------------------------------------------------------------------------------------


def test_pipes_of_other_cores_share_semaphores():
    """One pipe per row on 8x8 cores would need 24 semaphores per core, two of them 48."""
    made = []

    @ttl.kernel(grid=(8, 8))
    def kernel(x, out):
        rows = [ttl.Pipe((0, y), (slice(1, 8), y)) for y in range(8)]
        columns = [ttl.Pipe((x, 0), (x, slice(1, 8))) for x in range(8)]
        made.extend(p.semaphores for p in rows + columns)
        first, second = ttl.PipeNet(rows), ttl.PipeNet(columns)
        a_cb, b_cb, out_cb = (ttl.make_circular_buffer_like(x, shape=(1, 1)) for _ in range(3))

        @ttl.compute()
        def compute():
            with a_cb.wait() as a, b_cb.wait() as b, out_cb.reserve() as o:
                o.store(a + b)

        @ttl.datamovement()
        def read():
            column, row = ttl.core(dims=2)
            for net, cb, index in ((first, a_cb, (row, 0)), (second, b_cb, (0, column))):
                with cb.reserve() as block:
                    def send(pipe):
                        ttl.copy(x[index], block).wait()  # noqa: B023
                        ttl.copy(block, pipe).wait()  # noqa: B023

                    def receive(pipe):
                        ttl.copy(pipe, block).wait()  # noqa: B023

                    net.if_src(send)
                    net.if_dst(receive)

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            with out_cb.wait() as b:
                ttl.copy(b, out[row, column]).wait()

    x, out = torch.randn(256, 256), torch.zeros(256, 256)
    kernel(x, out)
    want = x[:, :32].repeat(1, 8) + x[:32, :].repeat(8, 1)
    assert torch.allclose(out, want, atol=1e-6)
    assert len(set(made[:8])) == 1 and len(set(made[8:])) == 1 and made[0] != made[8]


# ---- several cores write one address -------------------------------------------------------------------------


def all_write_one_tile(expression):
    @ttl.kernel(grid=(4, 2))
    def kernel(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def compute():
            with x_cb.wait() as b, out_cb.reserve() as o:
                o.store(expression(b))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as b:
                column, _ = ttl.core(dims=2)
                ttl.copy(x[0, column], b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    return kernel


def test_equal_bytes_to_one_address_are_no_race():
    x, out = torch.randn(32, 32).repeat(1, 4), torch.zeros(32, 32)
    all_write_one_tile(lambda b: -b)(x, out)
    assert torch.allclose(out, -x[:, :32], rtol=1e-6)


def test_other_bytes_to_one_address_are_a_race():
    x, out = torch.randn(32, 128), torch.zeros(32, 32)
    with pytest.raises(RuntimeError, match="DRAM race: overwrites bytes that a NoC write is still bringing"):
        all_write_one_tile(lambda b: -b)(x, out)


# ---- row-major tensors -----------------------------------------------------------------------------------


def test_ranges_with_bounds_below_zero():
    """As in Python: negative bounds that are known late, and steps of both signs."""
    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, a: ttl.RuntimeInt, b: ttl.RuntimeInt, count: ttl.RuntimeInt, step):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            for i in range(a, b, step):
                with cb.reserve() as block:
                    ttl.copy(x[i + 4, 0], block).wait()
            for i in range(-2, b, 2):
                with cb.reserve() as block:
                    ttl.copy(x[i + 4, 0], block).wait()
            for _ in range(b):
                with cb.reserve() as block:
                    ttl.copy(x[6 if a < 0 else 7, 0], block).wait()

        @ttl.datamovement()
        def write():
            for n in range(count):
                with cb.wait() as block:
                    ttl.copy(block, out[n, 0]).wait()

    x = torch.arange(8.0).repeat_interleave(32)[:, None].repeat(1, 32)
    for step in (1, 2, -1, -3):
        for late in itertools.product((-3, -1, 0, 2), repeat=2):
            want = [i + 4 for i in [*range(*late, step), *range(-2, late[1], 2)]] + [6 if late[0] < 0 else 7] * max(late[1], 0)
            out = torch.full((32 * 12, 32), -1.0)
            kernel(x, out, *late, len(want), step)
            assert [n for n in out[::32, 0].tolist() if n >= 0] == want, (late, step)
