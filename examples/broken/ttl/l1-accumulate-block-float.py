"""Sums accumulate in a block of bfloat8_b: the packer cannot add values that share exponents.

Report:
  error <1>: data format: the packer cannot accumulate in L1 with bfp_bf8 (kernel @compute, core 0,0, cycle *)
  note <1>: hardware's sums would be silently wrong; use f32 or bf16
"""

import torch
import ttl
import ttnn


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            for _ in range(2):
                result.store(block, acc=True)  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(*(ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat8_b) for _ in range(2)))
