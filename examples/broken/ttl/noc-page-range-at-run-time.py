"""An index beyond the tensor's end that is known only when the kernel runs.

Report:
  error <1>: NoC range: row 2 is not in the tensor, which has 2 rows of tiles (kernel @read, core 0,0, cycle *)
  note <1>: indices are counted from 0; look at the loop's bounds, the grid's size and the core's share
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out, row: ttl.RuntimeInt):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[row, 0], block).wait()  # <1>

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.ones(64, 32), torch.zeros(32, 32), 2)
