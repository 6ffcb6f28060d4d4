"""Integers and floats are added: DST has one view of a tile at a time.

Report:
  error <1>: add of f32 and si32
  note: operands must have one element type: convert one, ttl.math.typecast(block, dtype)
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, n, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    n_cb = ttl.make_circular_buffer_like(n, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, n_cb.wait() as numbers, out_cb.reserve() as result:
            result.store(block + numbers)  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block, n_cb.reserve() as numbers:
            ttl.copy(x[0, 0], block).wait()
            ttl.copy(n[0, 0], numbers).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.ones(32, 32, dtype=torch.int32), torch.zeros(32, 32))
