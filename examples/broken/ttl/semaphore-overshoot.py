"""A core waits for a semaphore to be exactly 1, and two others increment it.

Report:
  error <3>: semaphore: counts up a semaphore that a wait for one exact value may not have seen yet: it would wait
      for ever (kernel @read, core 0,2, cycle *)
  note <2>: it is waited for here; let the sender know that this is over, or wait with wait_ge
  error <1>: semaphore: counts up a semaphore that a wait for one exact value may not have seen yet: it would wait
      for ever (kernel @read, cores 0,1-0,2, cycle *)
  note <2>: it is waited for here; let the sender know that this is over, or wait with wait_ge
  note <1>: the same once more
"""

import torch
import ttl


@ttl.kernel(grid=(3, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    ready = ttl.Semaphore()

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        if column > 0:
            ready.get_remote((0, 0)).inc(1)  # <3>
            ready.get_remote((0, 0)).inc(1)  # <1>
        else:
            ready.wait_eq(1)  # <2>
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(32, 32), torch.zeros(32, 32))
