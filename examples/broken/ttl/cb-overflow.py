"""A thread waits for a second block of a buffer while it holds the first: one page more than was ever filled.

Report:
  error <1>: wait() on 'x_cb' whose block is still open
  note: the block of line <2> comes first: pop() it
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with out_cb.reserve() as result:
            first = x_cb.wait()  # <2>
            second = x_cb.wait()  # <1>
            result.store(first + second)
            x_cb.pop()
            x_cb.pop()

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
