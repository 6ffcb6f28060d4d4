"""Circular buffers of 2 MiB, each of two blocks, on a core with 1.4.

Report:
  error <1>: circular buffer 'x_cb': 512 pages of 4096 bytes of f32; a core's L1 has 1499136 bytes, room
      for 366
  note: make its blocks smaller (shape) or keep fewer of them (buffer_factor)
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(16, 16))  # <1>
    out_cb = ttl.make_circular_buffer_like(out, shape=(16, 16))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0:16, 0:16], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0:16, 0:16]).wait()


if __name__ == "__main__":
    kernel(torch.ones(512, 512), torch.zeros(512, 512))
