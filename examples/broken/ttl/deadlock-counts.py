"""Compute waits for three blocks, and the reader pushes two.

Report:
  error <1>: deadlock: no thread can go on: @compute waits for 1 filled page of circular buffer 0 ('x_cb') (none
      is there); @read, which pushed to it last, has ended (kernel @compute, core 0,0, cycle *)
  note <1>: fill and push these pages in another thread of the same core, before it waits itself, or wait for
      fewer
  note <2>: @write on core 0,0 waits for 1 filled page of circular buffer 1 ('out_cb') (none is there);
      @compute, which pushed to it last, waits, too
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        for _ in range(3):
            with x_cb.wait() as block, out_cb.reserve() as result:  # <1>
                result.store(block * 2)

    @ttl.datamovement()
    def read():
        for i in range(2):
            with x_cb.reserve() as block:
                ttl.copy(x[0, i], block).wait()

    @ttl.datamovement()
    def write():
        for i in range(3):
            with out_cb.wait() as block:  # <2>
                ttl.copy(block, out[0, i]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 96), torch.zeros(32, 96))
