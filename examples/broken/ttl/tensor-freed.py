"""A freed tensor is passed to a kernel.

Report:
  error: a tensor of shape (32, 32) that ttnn.deallocate gave back; keep it until the kernel has run, or make a
      new one
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
    device = ttnn.open_device(device_id=0)
    x, out = ttnn.ones((32, 32), device=device), ttnn.zeros((32, 32), device=device)
    ttnn.deallocate(x)
    kernel(x, out)
