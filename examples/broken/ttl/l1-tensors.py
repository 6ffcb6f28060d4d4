"""Circular buffers of a MiB on cores whose L1 holds a tensor of half a MiB.

Report:
  error <1>: L1 is over-subscribed: circular buffers end at 0x100400, tensors begin at 0xee000
  note: each core holds 524288 bytes of x_cb at 0x400, 524288 bytes of out_cb at 0x80400, 524288 bytes of tensor
      of f32 at 0xee000; make blocks smaller (shape), keep fewer of them (buffer_factor), or tensors in DRAM
      (ttnn.DRAM_MEMORY_CONFIG)
"""

import torch
import ttl
import ttnn


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(8, 8))  # <1>
    out_cb = ttl.make_circular_buffer_like(out, shape=(8, 8))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0:8, 0:8], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0:8, 0:8]).wait()


if __name__ == "__main__":
    with ttnn.manage_device(device_id=0) as device:
        x = ttnn.from_torch(torch.ones(4096, 2048), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device,
                            memory_config=ttnn.L1_MEMORY_CONFIG)
        kernel(x, ttnn.from_torch(torch.zeros(256, 256), layout=ttnn.TILE_LAYOUT, device=device))
