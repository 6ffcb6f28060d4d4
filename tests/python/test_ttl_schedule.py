"""Schedules of kernels: the same numbers in fewer cycles."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402


def two_movers(schedule, factor, across):
    """Blocks of [1, 1], a thread that reads and one that writes; down the columns of tiles."""

    @ttl.kernel(grid=(across, 1), schedule=schedule)
    def double(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=factor)
        o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=factor)
        rows, columns = x.shape[0] // 32, x.shape[1] // 32 // across

        @ttl.compute()
        def compute():
            for _ in range(columns):
                for _ in range(rows):
                    with x_cb.wait() as b, o_cb.reserve() as o:
                        o.store(b + b)

        @ttl.datamovement()
        def read():
            first = ttl.core(dims=2)[0] * columns
            for j in range(columns):
                for i in range(rows):
                    with x_cb.reserve() as b:
                        ttl.copy(x[i, first + j], b).wait()

        @ttl.datamovement()
        def write():
            first = ttl.core(dims=2)[0] * columns
            for j in range(columns):
                for i in range(rows):
                    with o_cb.wait() as b:
                        ttl.copy(b, out[i, first + j]).wait()

    return double


def one_mover(schedule, factor, across):
    """One thread reads and writes."""

    @ttl.kernel(grid=(across, 1), schedule=schedule)
    def double(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=factor)
        o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=factor)
        rows, columns = x.shape[0] // 32, x.shape[1] // 32 // across

        @ttl.compute()
        def compute():
            for _ in range(columns * rows):
                with x_cb.wait() as b, o_cb.reserve() as o:
                    o.store(b + b)

        @ttl.datamovement()
        def move():
            first = ttl.core(dims=2)[0] * columns
            for j in range(columns):
                for i in range(rows):
                    with x_cb.reserve() as b:
                        ttl.copy(x[i, first + j], b).wait()
                    with o_cb.wait() as b:
                        ttl.copy(b, out[i, first + j]).wait()

    return double


def cycles(make, schedule, factor=8, across=1):
    x = torch.randn(256, 128 * across).bfloat16()
    out = torch.zeros_like(x)
    kernel = make(schedule, factor, across)
    kernel(x, out)
    assert torch.equal(out, x + x), schedule
    entry, = kernel.cache.values()
    return entry.launch.cycles


@pytest.mark.parametrize("make, schedule, factor, most", [
    (two_movers, "coalesce_dma", 8, 0.5),
    (two_movers, "coalesce_dma", 4, 0.7),
    (two_movers, "coalesce_dma", 2, 0.9),
    (one_mover, "coalesce_dma", 8, 0.6),
    (one_mover, "insert_prefetch", 2, 0.8),
    (two_movers, "reorder_for_locality", 2, 1.001),
    (two_movers, ("reorder_for_locality", "coalesce_dma"), 8, 0.5),
    (one_mover, ("insert_prefetch", "schedule_pipeline"), 2, 0.8),
])
def test_fewer_cycles(make, schedule, factor, most):
    assert cycles(make, schedule, factor) <= most * cycles(make, (), factor)


def test_rows_of_many_cores_come_sooner():
    """Eight cores that go down columns of 32 tiles meet at the same banks."""
    plain = cycles(two_movers, "coalesce_dma", across=8)
    assert cycles(two_movers, ("reorder_for_locality", "coalesce_dma"), across=8) < plain


def test_what_cannot_be_scheduled_stays():
    assert cycles(two_movers, "coalesce_dma", factor=1) == cycles(two_movers, (), factor=1)
    assert cycles(two_movers, "insert_prefetch") == cycles(two_movers, ())  # nothing else to wait for
    with pytest.raises(RuntimeError, match="the buffer must hold two, set its buffer_factor"):
        cycles(one_mover, "insert_prefetch", factor=1)
    with pytest.raises(ValueError, match="Invalid schedule: 'faster'. Must be one of: coalesce_dma"):
        ttl.kernel(schedule="faster")
