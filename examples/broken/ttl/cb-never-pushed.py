"""A reader fills a block and does not push it.

Report:
  error <1>: circular buffer protocol: circular buffer 0 ('x_cb') has 1 reserved page that the kernel never
      pushes (kernel @read, core 0,0, cycle *)
  note <1>: push what was reserved
  error <2>: deadlock: no thread can go on: @compute waits for 1 filled page of circular buffer 0 ('x_cb') (none
      is there); no thread ever pushed to it, and no other kernel of the core does (kernel @compute, core 0,0,
      cycle *)
  note <2>: fill and push these pages in another thread of the same core, before it waits itself, or wait for
      fewer
  note <3>: @write on core 0,0 waits for 1 filled page of circular buffer 1 ('out_cb') (none is there); no thread
      ever pushed to it: @compute, which would, waits, too
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:  # <2>
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        block = x_cb.reserve()  # <1>
        ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:  # <3>
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
