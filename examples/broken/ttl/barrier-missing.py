"""A block is pushed while the copy into it is in flight.

Report:
  error <1>: expects transfer handle to be synchronized with ttl.wait before its block is pushed, on line <2>
  note: end the copy: ttl.copy(...).wait()
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
        with x_cb.reserve() as block:  # <2>
            ttl.copy(x[0, 0], block)  # <1>

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
