"""Schedules of kernels: the same results in fewer cycles."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402


def double(schedule, factor, across, movers):
    """Blocks of [1, 1] down the columns of tiles; one thread reads and one writes, or one does both."""

    @ttl.kernel(grid=(across, 1), schedule=schedule)
    def kernel(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=factor)
        o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=factor)
        rows, columns = x.shape[0] // 32, x.shape[1] // 32 // across

        @ttl.compute()
        def compute():
            for _ in range(columns):
                for _ in range(rows):
                    with x_cb.wait() as b, o_cb.reserve() as o:
                        o.store(b + b)

        def move(reads, writes):
            @ttl.datamovement()
            def mover():
                first = ttl.core(dims=2)[0] * columns
                for j in range(columns):
                    for i in range(rows):
                        if reads:
                            with x_cb.reserve() as b:
                                ttl.copy(x[i, first + j], b).wait()
                        if writes:
                            with o_cb.wait() as b:
                                ttl.copy(b, out[i, first + j]).wait()

        if movers == 1:
            move(True, True)
        else:
            move(True, False)
            move(False, True)

    return kernel


def cycles(movers, schedule, factor=8, across=1):
    x = torch.randn(256, 128 * across).bfloat16()
    out = torch.zeros_like(x)
    kernel = double(schedule, factor, across, movers)
    kernel(x, out)
    assert torch.equal(out, x + x), schedule
    entry, = kernel.cache.values()
    return entry.launch.cycles


@pytest.mark.parametrize("movers, schedule, factor, most", [
    (2, "coalesce_dma", 8, 0.7),
    (2, "coalesce_dma", 4, 0.7),
    (2, "coalesce_dma", 2, 1.06),  # one copy of two blocks leaves no second buffer
    (1, "coalesce_dma", 8, 0.6),
    (1, "insert_prefetch", 2, 0.8),
    (2, "reorder_for_locality", 2, 1.001),
    (2, ("reorder_for_locality", "coalesce_dma"), 8, 0.7),
    (1, ("insert_prefetch", "schedule_pipeline"), 2, 0.8),
])
def test_fewer_cycles(movers, schedule, factor, most):
    assert cycles(movers, schedule, factor) <= most * cycles(movers, (), factor)


def test_rows_of_many_cores_come_sooner():
    """Eight cores that go down columns of 32 tiles contend for the same banks."""
    plain = cycles(2, "coalesce_dma", across=8)
    assert cycles(2, ("reorder_for_locality", "coalesce_dma"), across=8) < plain


def test_what_cannot_be_scheduled_stays():
    assert cycles(2, "coalesce_dma", factor=1) == pytest.approx(cycles(2, (), factor=1))
    assert cycles(2, "insert_prefetch") == pytest.approx(cycles(2, ()))  # nothing else to wait for
    with pytest.raises(RuntimeError, match="the buffer must hold two, set its buffer_factor"):
        cycles(1, "insert_prefetch", factor=1)
    with pytest.raises(ValueError, match="Invalid schedule: 'faster'. Must be one of: coalesce_dma"):
        ttl.kernel(schedule="faster")
