"""An uninitialised input, from ttnn.empty.

Report:
  error <1>: uninitialised read: source of a NoC read: nothing has written address 0x* of DRAM (kernel @read, core 0,0, cycle *)
  note <1>: hardware would read what the last program left there; give the tensor values on the host, or let a kernel write it before
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
            ttl.copy(x[0, 0], block).wait()  # <1>

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(ttnn.empty((32, 32), dtype=ttnn.float32), torch.zeros(32, 32))
