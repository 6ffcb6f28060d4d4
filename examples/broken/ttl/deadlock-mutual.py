"""Two cores each wait for the other's signal before they send their own.

Report:
  error <2>: deadlock: no thread can go on: @read waits for semaphore 'ready' to be at least 1 (it is 0);
      no thread ever changed it (kernel @read, cores 0,0-0,1, cycle *)
  note <2>: let another core count it up as often as this kernel expects, before it waits itself
  note <4>: semaphore 'ready' is made here
  note <1>: @compute on cores 0,0-0,1 waits for 1 filled page of circular buffer 0 ('x_cb') (none is there);
      no thread ever pushed to it: @read, which would, waits, too
  note <3>: @write on cores 0,0-0,1 waits for 1 filled page of circular buffer 1 ('out_cb') (none is there);
      no thread ever pushed to it: @compute, which would, waits, too
"""

import torch
import ttl


@ttl.kernel(grid=(2, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    ready = ttl.Semaphore()  # <4>

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:  # <1>
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        ready.wait_ge(1)  # <2>
        ready.get_remote((1 - column, 0)).inc(1)
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:  # <3>
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
