"""A reader pushes a block that it has not reserved.

Report:
  error <1>: circular buffer overflow: pushes 1 page to circular buffer 0 ('x_cb'), of which 0 are reserved
      (kernel @read, core 0,0, cycle *)
  note <2>: the last reserve is here
  note <1>: reserve, in this thread, as many pages as are pushed
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
        with x_cb.reserve() as block:  # <2>
            ttl.copy(x[0, 0], block).wait()
        x_cb.push()  # <1>

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
