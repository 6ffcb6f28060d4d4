"""A part of a row that begins at its fourth element: the NoC transfers from multiples of 32 bytes of DRAM.

Report:
  error <1>: NoC alignment: local address 0x400 and far address 0x40c differ modulo 32 (kernel @read, core 0,0,
      cycle *)
  note <1>: hardware would move the wrong bytes; let both addresses have the same remainder
"""

import torch
import ttl
import ttnn


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 8))

    @ttl.datamovement()
    def read():
        with cb.reserve() as block:
            ttl.copy(x[0:1, 3:11], block).wait()  # <1>

    @ttl.datamovement()
    def write():
        with cb.wait() as block:
            ttl.copy(block, out[0:1, 0:8]).wait()


if __name__ == "__main__":
    with ttnn.manage_device(device_id=0) as device:
        kernel(*(ttnn.from_torch(torch.ones(2, 1024), layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for _ in range(2)))
