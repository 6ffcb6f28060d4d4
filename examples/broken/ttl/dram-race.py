"""Two cores write different values to one tile: the result depends on timing.

Report:
  error <1>: DRAM race: overwrites bytes that a NoC write is still bringing (address 0x* of DRAM) (kernel
      @write, core 0,1, cycle *)
  note <1>: the write was started here; let a semaphore say that it has arrived
"""

import torch
import ttl


@ttl.kernel(grid=(2, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        with x_cb.reserve() as block:
            ttl.copy(x[0, column], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()  # <1>


if __name__ == "__main__":
    kernel(torch.rand(32, 64), torch.zeros(32, 32))
