"""A pipe to a core outside of the grid.

Report:
  error <1>: (2, 0) lies outside the grid (2, 1)
"""

import torch
import ttl


@ttl.kernel(grid=(2, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe((0, 0), (2, 0))])  # <1>

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
