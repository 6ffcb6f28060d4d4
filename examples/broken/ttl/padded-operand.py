"""A bias of one row, padded to a tile, is added to 32 rows: 31 of them get zeros instead of the bias.

Report:
  warning <1>: padded operand: one operand has values in 1 row of its tile, another one in 32, so padding is computed with values, and stored as values (kernel @compute, core 0,0, cycle *)
  note <2>: stored here, where the tensor has 32 rows; broadcast the smaller operand first: use ttl.math.broadcast with dims=[0] (in kernels of tiles unary_bcast), or give both operands tensors of as many rows
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, bias, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    bias_cb = ttl.make_circular_buffer_like(bias, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, bias_cb.wait() as added, out_cb.reserve() as result:
            result.store(block + added)  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block, bias_cb.reserve() as added:
            ttl.copy(x[0, 0], block).wait()
            ttl.copy(bias[0, 0], added).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()  # <2>


if __name__ == "__main__":
    kernel(torch.rand(32, 32), torch.rand(1, 32), torch.zeros(32, 32))
