"""Cores that send in a circle before they receive: blocks arrive in landing buffers."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402


def exchange(grid, pipes_of, iterations=1, shape=(1, 1), dtype=torch.float32):
    """Each core sends its block and writes the sum of the blocks it receives, one after another; returns both by
    core."""
    tiles = (32 * shape[0], 32 * shape[1])
    x = torch.randint(-8, 8, (iterations, grid[1] * tiles[0], grid[0] * tiles[1])).to(dtype)
    out = torch.zeros_like(x)

    @ttl.kernel(grid=grid)
    def kernel(x, out):
        own, come, sums = (ttl.make_circular_buffer_like(t, shape=(1, *shape)) for t in (x, x, out))
        columns, rows = ttl.grid_size(dims=2)
        pipes = [ttl.Pipe(src=src, dst=dst) for src, dst in pipes_of(columns, rows)]
        net = ttl.PipeNet(pipes)

        @ttl.datamovement()
        def share():
            column, row = ttl.core(dims=2)
            part = slice(row * shape[0], (row + 1) * shape[0]), slice(column * shape[1], (column + 1) * shape[1])
            for i in range(iterations):
                with own.reserve() as block:
                    ttl.copy(x[i, part[0], part[1]], block).wait()
                    net.if_src(lambda pipe: ttl.copy(block, pipe).wait())

                def receive(pipe):
                    with come.reserve() as got:
                        ttl.copy(pipe, got).wait()

                net.if_dst(receive)

        @ttl.compute()
        def add():
            for i in range(iterations):
                with own.wait() as mine, sums.reserve() as total:
                    total.store(mine, acc=True)
                    net.if_dst(lambda pipe: add_one(total))

        def add_one(total):
            with come.wait() as got:
                total.store(got, acc=True)

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            part = slice(row * shape[0], (row + 1) * shape[0]), slice(column * shape[1], (column + 1) * shape[1])
            for i in range(iterations):
                with sums.wait() as block:
                    ttl.copy(block, out[i, part[0], part[1]]).wait()

    kernel(x, out)
    by_core = [t.reshape(iterations, grid[1], tiles[0], grid[0], tiles[1]).permute(3, 1, 0, 2, 4) for t in (x, out)]
    return *by_core, kernel.ir(x, out)


def ring(columns, rows):
    return [((x, y), (x, (y + 1) % rows)) for x in range(columns) for y in range(rows)]


def everyone_of_a_column(columns, rows):
    return [((x, y), (x, slice(0, rows))) for x in range(columns) for y in range(rows)]


@pytest.mark.parametrize("grid, iterations, shape, dtype", [
    ((2, 4), 1, (1, 1), torch.float32), ((1, 3), 5, (2, 1), torch.bfloat16), ((3, 2), 3, (1, 2), torch.float32)])
def test_a_ring(grid, iterations, shape, dtype):
    x, out, ir = exchange(grid, ring, iterations, shape, dtype)
    assert torch.equal(out, x + x.roll(1, dims=1)) and "ttl.landing" in ir


@pytest.mark.parametrize("grid, iterations", [((2, 3), 1), ((1, 4), 4)])
def test_all_to_all_in_a_column(grid, iterations):
    x, out, _ = exchange(grid, everyone_of_a_column, iterations)
    assert torch.equal(out, x + x.sum(dim=1, keepdim=True))


def test_a_line_needs_no_landing():
    def line(columns, rows):
        return [((x, y), (x, y + 1)) for x in range(columns) for y in range(rows - 1)]

    x, out, ir = exchange((2, 4), line, 2)
    x[:, 1:] += x.clone()[:, :-1]
    assert torch.equal(out, x) and "ttl.landing" not in ir


def test_pipes_without_a_common_receiver_share_a_buffer():
    *_, ir = exchange((2, 4), ring)
    assert ir.count("ttl.base_cta_index = 4 : i32") == 3
    *_, ir = exchange((2, 4), everyone_of_a_column)
    assert ir.count("ttl.base_cta_index = 7 : i32") == 3


def test_a_circle_belongs_to_one_thread():
    @ttl.kernel(grid=(1, 2))
    def kernel(x):
        a, b = ttl.make_circular_buffer_like(x, shape=(1, 1)), ttl.make_circular_buffer_like(x, shape=(1, 1))
        net = ttl.PipeNet([ttl.Pipe((0, 0), (0, 1)), ttl.Pipe((0, 1), (0, 0))])

        @ttl.datamovement()
        def share():
            with a.reserve() as block:
                ttl.copy(x[0, 0], block).wait()
                net.if_src(lambda pipe: ttl.copy(block, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, block).wait())

        @ttl.datamovement()
        def again():
            with b.reserve() as block:
                net.if_dst(lambda pipe: ttl.copy(pipe, block).wait())

    with pytest.raises(ttl.TTLangCompileError, match="is used by two threads, one of which sends in a circle before it receives"):
        kernel(torch.zeros(32, 32))
