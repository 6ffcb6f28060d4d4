"""A tile beyond the tensor's last row.

Report:
  error <1>: rows 1 to 1 of tiles are not all in the tensor, which has 1 of them (shape (32, 32))
  note: indices count tiles of 32, not elements
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[1, 0], block).wait()  # <1>

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
