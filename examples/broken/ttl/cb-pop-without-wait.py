"""A writer pops a block twice.

Report:
  error <1>: circular buffer underflow: pops 1 page of circular buffer 1 ('out_cb'), of which 0 were waited for
      (kernel @write, core 0,0, cycle *)
  note <2>: the last wait is here
  note <1>: wait, in this thread, for as many pages as are popped
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
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:  # <2>
            ttl.copy(block, out[0, 0]).wait()
        out_cb.pop()  # <1>


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
