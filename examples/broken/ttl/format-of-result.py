"""f32 values are stored into a block of bf16, which its consumers read as bf16.

Report:
  error <1>: store() of f32 into a block of bf16
  note: convert it: ttl.math.typecast(expression, block.dtype)
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
            result.store(block * 2)  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32, dtype=torch.bfloat16))
