"""Tensors stored on the device in rows: buffers, slices and blocks are indexed in elements, not tiles."""

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
import ttnn  # noqa: E402

TYPES = (torch.float32, torch.bfloat16, torch.int32, torch.uint8)


@pytest.fixture(scope="module")
def device():
    return ttnn.open_device(device_id=0)


def rows(device, tensor, memory=None):
    return ttnn.from_torch(tensor, layout=ttnn.ROW_MAJOR_LAYOUT, device=device, memory_config=memory or ttnn.DRAM_MEMORY_CONFIG)


def kernel_of(shape, function=None, grid=(1, 1)):
    """Blocks of this shape are copied from a tensor to another, through a function if there is one."""
    @ttl.kernel(grid=grid)
    def kernel(x, out):
        x_cb, out_cb = (ttl.make_dataflow_buffer_like(t, shape=shape) for t in (x, out))
        down, across = x.shape[0] // shape[0], x.shape[1] // shape[1]
        mine, cores = ttl.core(dims=1), ttl.grid_size(dims=1)

        def index(i):
            number = mine + i * cores
            r, c = number // across * shape[0], number % across * shape[1]
            return slice(r, r + shape[0]), slice(c, c + shape[1])

        @ttl.datamovement()
        def read():
            for i in range(down * across // cores):
                with x_cb.reserve() as block:
                    ttl.copy(x[index(i)], block).wait()

        if function:
            @ttl.compute()
            def compute():
                for _ in range(down * across // cores):
                    with x_cb.wait() as block, out_cb.reserve() as result:
                        result.store(function(block))

        @ttl.datamovement()
        def write():
            for i in range(down * across // cores):
                with (out_cb if function else x_cb).wait() as block:
                    ttl.copy(block, out[index(i)]).wait()

    return kernel


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape, block, grid", [((64, 96), (16, 32), (1, 1)), ((8, 64), (1, 64), (2, 2)), ((6, 128), (3, 64), (1, 1))])
def test_rows_move(device, shape, block, grid, dtype):
    x = torch.randint(0, 100, shape).to(dtype)
    for memory in (ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG):
        a, out = rows(device, x, memory), rows(device, torch.zeros_like(x), memory)
        kernel_of(block, grid=grid)(a, out)
        assert torch.equal(ttnn.to_torch(out), x) and out.layout == ttnn.ROW_MAJOR_LAYOUT


@pytest.mark.parametrize("dtype", TYPES[:3], ids=str)
@pytest.mark.parametrize("shape, block", [((64, 64), (32, 32)), ((128, 64), (64, 32)), ((4, 2048), (1, 1024)), ((64, 64), (64, 16)),
                                          # no multiples of 1024: zeros fill the last page
                                          ((6, 48), (3, 16)), ((4, 1104), (2, 1104)), ((64, 32), (1, 32)), ((6, 2080), (1, 1040))])
def test_rows_are_computed_with(device, shape, block, dtype):
    x = torch.randint(-50, 50, shape).to(dtype)
    a, out = rows(device, x), rows(device, torch.zeros_like(x))
    kernel_of(block, lambda b: ttl.math.relu(b + 3) - b)(a, out)
    assert torch.equal(ttnn.to_torch(out), (x + 3).relu() - x)


@pytest.mark.parametrize("seed", (0, 3))
def test_rows_that_fill_no_tile(device, seed, monkeypatch):
    """Several operands, a block that is kept over iterations, a stored block that is read again, another element
    type; threads in another order."""
    monkeypatch.setenv("TTLANG_SIM_SEED", str(seed))

    @ttl.kernel(grid=(2, 1))
    def kernel(x, y, out):
        x_cb, y_cb, out_cb = (ttl.make_dataflow_buffer_like(t, shape=(1, 48)) for t in (x, y, out))
        half = ttl.make_dataflow_buffer_like(x, shape=(1, 48))

        @ttl.compute()
        def compute():
            with y_cb.wait() as b:
                for _ in range(4):
                    with x_cb.wait() as a, half.reserve() as h:
                        h.store(a * b)
                    with half.wait() as h, out_cb.reserve() as o:
                        o.store(ttl.math.typecast(h + b, o.dtype) * 2)

        @ttl.datamovement()
        def read():
            with y_cb.reserve() as block:
                ttl.copy(y[0:1, 0:48], block).wait()
            for i in range(4):
                with x_cb.reserve() as block:
                    ttl.copy(x[ttl.core(dims=1) * 4 + i, 0:48], block).wait()

        @ttl.datamovement()
        def write():
            for i in range(4):
                with out_cb.wait() as block:
                    ttl.copy(block, out[ttl.core(dims=1) * 4 + i, 0:48]).wait()

    x, y = torch.randint(-9, 9, (8, 48)).bfloat16(), torch.randint(-9, 9, (1, 48)).bfloat16()
    out = rows(device, torch.zeros(8, 48))
    kernel(rows(device, x), rows(device, y), out)
    assert torch.equal(ttnn.to_torch(out), ((x * y + y) * 2).float())


def test_sharded_rows(device):
    """Slices of sharded tensors in rows, within shards and across them, moved and computed with."""
    x = torch.randn(16, 128)
    by_height, by_width = (ttnn.create_sharded_memory_config((16, 128), ttnn.CoreGrid(y=2, x=2), s)
                           for s in (ttnn.ShardStrategy.HEIGHT, ttnn.ShardStrategy.WIDTH))
    for block, function, want in (((4, 32), None, x), ((8, 64), lambda b: b * 2, x * 2), ((1, 128), lambda b: b + 1, x + 1)):
        a, out = rows(device, x, by_height), rows(device, torch.zeros_like(x), by_height)
        kernel_of(block, function, grid=(2, 1))(a, out)
        assert torch.equal(ttnn.to_torch(out), want), block


# Between positions in rows that differ modulo 32 bytes the NoC moves nothing (examples/broken/ttl/noc-alignment.py).
ALIGNED = [(block, dtype) for block in [(4, 32), (2, 64), (1, 192), (16, 96), (16, 24)] for dtype in TYPES
           if block[1] * dtype.itemsize % 32 == 0]


@pytest.mark.parametrize("block, dtype", ALIGNED, ids=str)
@pytest.mark.parametrize("strategy, memory", [("WIDTH", "L1"), ("BLOCK", "L1"), ("BLOCK", "DRAM")])
def test_rows_sharded_by_width_and_blocks(device, strategy, memory, block, dtype):
    """Blocks within a shard, of several, across their borders; shards of 48 (width) or 96 (blocks) of 192 columns."""
    x = torch.randint(0, 100, (16, 192)).to(dtype)
    memory = ttnn.create_sharded_memory_config((16, 192), ttnn.CoreGrid(y=2, x=2), getattr(ttnn.ShardStrategy, strategy))
    if memory == "DRAM":
        memory = ttnn.MemoryConfig(memory.memory_layout, ttnn.BufferType.DRAM, memory.shard_spec)
    a, out, plain = rows(device, x, memory), rows(device, torch.zeros_like(x), memory), rows(device, torch.zeros_like(x))
    kernel = kernel_of(block)
    kernel(a, out)
    kernel(out, plain)
    assert torch.equal(ttnn.to_torch(out), x) and torch.equal(ttnn.to_torch(plain), x)


def test_rows_of_shards_are_computed_with(device):
    """The last shard narrower than the others; several cores; each row by itself, the columns from the thread's
    computed start."""
    @ttl.kernel(grid=(2, 1))
    def kernel(x, y, out):
        x_cb, y_cb, out_cb = (ttl.make_dataflow_buffer_like(t, shape=(4, 40)) for t in (x, y, out))

        @ttl.compute()
        def compute():
            for _ in range(5):
                with x_cb.wait() as a, y_cb.wait() as b, out_cb.reserve() as o:
                    o.store(a * b + 1)

        @ttl.datamovement()
        def read():
            for i in range(5):
                row = ttl.core(dims=1) * 4
                with x_cb.reserve() as a, y_cb.reserve() as b:
                    ttl.copy(x[row : row + 4, i * 40 : i * 40 + 40], a).wait()
                    ttl.copy(y[row : row + 4, i * 40 : i * 40 + 40], b).wait()

        @ttl.datamovement()
        def write():
            for i in range(5):
                row = ttl.core(dims=1) * 4
                with out_cb.wait() as o:
                    ttl.copy(o, out[row : row + 4, i * 40 : i * 40 + 40]).wait()

    x, y = torch.randn(8, 200), torch.randn(8, 200)
    by = lambda layout, shape, y, x: ttnn.MemoryConfig(  # noqa: E731
        layout, ttnn.BufferType.L1,
        ttnn.ShardSpec(ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(x - 1, y - 1))]), shape))
    width = by(ttnn.TensorMemoryLayout.WIDTH_SHARDED, (8, 72), 1, 3)
    blocks = by(ttnn.TensorMemoryLayout.BLOCK_SHARDED, (4, 100), 2, 2)
    out = rows(device, torch.zeros(8, 200), blocks)
    kernel(rows(device, x, width), rows(device, y, blocks), out)
    assert torch.allclose(ttnn.to_torch(out), x * y + 1, atol=1e-6)
    assert "memref<8x72xf32" in kernel.ir(rows(device, x, width), rows(device, y, blocks), out)


def test_rows_of_three_dimensions_and_one(device):
    @ttl.kernel(grid=(1, 1))
    def kernel(x, y, out):
        cb, line = ttl.make_dataflow_buffer_like(x, shape=(2, 8, 64)), ttl.make_dataflow_buffer_like(y, shape=1024)

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(x[2:4, 0:8, 0:64], block).wait()
            with line.reserve() as block:
                ttl.copy(y[1024:2048], block).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as block:
                ttl.copy(block, out[0:2, 0:8, 0:64]).wait()
            with line.wait() as block:
                ttl.copy(block, y[0:1024]).wait()

    x, y = torch.randn(4, 8, 64), torch.randn(2048)
    a, b, out = rows(device, x), rows(device, y), rows(device, torch.zeros(2, 8, 64))
    kernel(a, b, out)
    assert torch.equal(ttnn.to_torch(out), x[2:]) and torch.equal(ttnn.to_torch(b)[:1024], y[1024:])


def test_rows_go_through_pipes(device):
    @ttl.kernel(grid=(4, 1))
    def kernel(x, out):
        cb = ttl.make_dataflow_buffer_like(x, shape=(2, 32))
        net = ttl.PipeNet([ttl.Pipe((0, 0), (slice(1, 4), 0))])

        @ttl.datamovement()
        def share():
            def send(pipe):
                with cb.reserve() as block:
                    ttl.copy(x[0:2, 0:32], block).wait()
                    ttl.copy(block, pipe).wait()

            def receive(pipe):
                with cb.reserve() as block:
                    ttl.copy(pipe, block).wait()

            net.if_src(send)
            net.if_dst(receive)

        @ttl.datamovement()
        def write():
            row = ttl.core(dims=1) * 2
            with cb.wait() as block:
                ttl.copy(block, out[row:row + 2, 0:32]).wait()

    x = torch.randn(2, 32)
    out = rows(device, torch.zeros(8, 32))
    kernel(rows(device, x), out)
    assert torch.equal(ttnn.to_torch(out), x.repeat(4, 1))


def test_mixing_rows_and_tiles_is_reported(device):
    x = torch.randn(64, 64)
    with pytest.raises(ttl.TTLangCompileError, match="a tensor in rows and a block of tiles"):
        mixed(rows(device, x), ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device))


@ttl.kernel(grid=(1, 1))
def mixed(x, y):
    cb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with cb.reserve() as block:
            ttl.copy(x[0:1, 0:1], block).wait()


@pytest.mark.parametrize("block, function, message", [
    ((32, 32), lambda b: ttl.math.reduce_sum(b, dims=[0]), r"reduce_sum works on tiles, and a block of \(32, 32\) numbers f32 lies in rows"),
    ((32, 32), lambda b: b @ b, "matmul works on tiles"),
    ((32, 32), lambda b: ttl.math.broadcast(b, dims=[0]), "broadcast works on tiles"),
])
def test_what_needs_tiles(device, block, function, message):
    x = torch.zeros(64, 64)
    with pytest.raises(ttl.TTLangCompileError, match=message):
        kernel_of(block, function)(rows(device, x), rows(device, x))


def test_rows_of_another_shape(device):
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        a, b = ttl.make_dataflow_buffer_like(x, shape=(32, 32)), ttl.make_dataflow_buffer_like(x, shape=(16, 64))

        @ttl.compute()
        def compute():
            block, other, out = a.wait(), b.wait(), ttl.core_linear()
            block + other

        @ttl.datamovement()
        def read():
            with a.reserve() as block:
                ttl.copy(x[60:92, 0:32], block).wait()

    with pytest.raises(ttl.TTLangCompileError, match=r"shape mismatch between \(32, 32\) f32 tensor in rows and \(16, 64\) f32 tensor in rows"):
        kernel(rows(device, torch.zeros(64, 64)))


def test_rows_outside_the_tensor(device):
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        cb = ttl.make_dataflow_buffer_like(x, shape=(8, 64))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(x[60:68, 0:64], block).wait()

    with pytest.raises(ttl.TTLangCompileError, match="rows 60 to 67 are not all in the tensor, which has 64"):
        kernel(rows(device, torch.zeros(64, 64)))
