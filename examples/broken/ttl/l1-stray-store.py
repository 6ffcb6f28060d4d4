"""A thread stores into a tensor as if it were its memory: threads have blocks, and no addresses.

Report:
  error <1>: blocks and tensors cannot be assigned to by parts
  note: use block.store(expression) or ttl.copy(block, tensor[...])
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block:
            out[0, 0] = block * 2  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
