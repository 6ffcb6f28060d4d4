"""Expressions that are stored after the blocks that they read were released: they are computed eagerly."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402


def run(body, rows=1, shape=(1, 1)):
    """Runs body(x_cb, y_cb, o_cb, number of blocks) over blocks down two tensors; returns the tensors and the result."""
    torch.manual_seed(1)
    x, y = (torch.rand(32 * shape[0] * rows, 32 * shape[1]) for _ in range(2))
    out = torch.zeros_like(x)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, y, out):
        x_cb, y_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=shape) for t in (x, y, out))

        @ttl.compute()
        def compute():
            for i in range(rows):
                body(x_cb, y_cb, o_cb, i)

        def part(i):
            return slice(i * shape[0], (i + 1) * shape[0]), slice(0, shape[1])

        @ttl.datamovement()
        def read():
            for i in range(rows):
                for tensor, cb in ((x, x_cb), (y, y_cb)):
                    with cb.reserve() as b:
                        ttl.copy(tensor[part(i)], b).wait()

        @ttl.datamovement()
        def write():
            for i in range(rows):
                with o_cb.wait() as b:
                    ttl.copy(b, out[part(i)]).wait()

    kernel(x, y, out)
    return x, y, out


def close(out, want):
    assert torch.allclose(out, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3)])
def test_results_outlive_their_blocks(shape):
    def body(x_cb, y_cb, o_cb, i):
        total, e = x_cb.wait() + y_cb.wait(), None
        x_cb.pop()
        e = total * 2
        y_cb.pop()
        with o_cb.reserve() as o:
            o.store(e + total)

    x, y, out = run(body, 5, shape)
    close(out, 3 * (x + y))


def test_in_a_branch():
    def body(x_cb, y_cb, o_cb, i):
        with y_cb.wait() as y, o_cb.reserve() as o:
            x = x_cb.wait()
            if i % 2 == 0:
                product = x * y
                x_cb.pop()
                o.store(product - 1)
            else:
                x_cb.pop()
                o.store(y)

    x, y, out = run(body, 4)
    close(out, torch.cat([(x * y - 1)[:32], y[32:64], (x * y - 1)[64:96], y[96:]]))


def test_a_sum_over_blocks_that_have_gone():
    """A running sum in Python: each step reads the result of the former one."""
    def body(x_cb, y_cb, o_cb, i):
        total = 0
        for cb in (x_cb, y_cb, x_cb, y_cb):
            with cb.wait() as b:
                total = b * 1.0 if isinstance(total, int) else total + b
        with o_cb.reserve() as o:
            o.store(total)
        with o_cb.reserve() as o:
            o.store(total * 0.5)

    def double(x_cb, y_cb, o_cb, i):
        if i % 2 == 0:
            body(x_cb, y_cb, o_cb, i)

    x, y, out = run(double, 4)
    for i in (0, 2):
        total = (x + y)[32 * i:32 * i + 32] + (x + y)[32 * i + 32:32 * i + 64]
        close(out[32 * i:32 * i + 64], torch.cat([total, total * 0.5]))


def test_the_block_itself_is_gone():
    def body(x_cb, y_cb, o_cb, i):
        with x_cb.wait() as x, y_cb.wait() as y:
            pass
        with o_cb.reserve() as o:
            o.store(x + y)

    with pytest.raises(ttl.TTLangCompileError) as caught:
        run(body)
    assert "is used after line" in str(caught.value) and "store before pop()" in str(caught.value)
