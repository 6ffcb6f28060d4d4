"""A semaphore that is almost enough: two cores each write a tile of `half` and signal core 0, which waits for one of the
signals and reads both tiles. In most orders both have come: core 0 is busy with other tiles before.

    ttlang-sim --explore 1000 examples/explore/ttl/gather.py

finds an order in which they have not.
"""

import torch
import ttl

ENOUGH = 1  # right: ENOUGH = 2


@ttl.kernel(grid=(3, 1))
def gather(x, half, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    ready = ttl.Semaphore()

    @ttl.compute()
    def compute():
        column, _ = ttl.core(dims=2)
        if column == 0:
            for _ in range(12):
                with x_cb.wait() as block, out_cb.reserve() as result:
                    result.store(block * 2)
        else:
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block / 2)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        if column == 0:
            for i in range(10):
                with x_cb.reserve() as block:
                    ttl.copy(x[0, i], block).wait()
            ready.wait_ge(ENOUGH)
            for i in range(2):
                with x_cb.reserve() as block:
                    ttl.copy(half[0, i], block).wait()
        else:
            with x_cb.reserve() as block:
                ttl.copy(x[0, column], block).wait()

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        if column == 0:
            for i in range(12):
                with out_cb.wait() as block:
                    ttl.copy(block, out[0, i]).wait()
        else:
            with out_cb.wait() as block:
                ttl.copy(block, half[0, column - 1]).wait()
            ready.get_remote((0, 0)).inc(1)


if __name__ == "__main__":
    x, half, out = torch.rand(32, 320), torch.zeros(32, 64), torch.zeros(32, 384)
    gather(x, half, out)
    assert torch.allclose(out[:, 320:], x[:, 32:96], rtol=0.02)
