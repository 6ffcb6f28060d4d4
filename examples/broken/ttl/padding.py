"""A tensor of 20 columns: the sum of its exponentials includes twelve times exp(0).

Report:
  warning <1>: reduce_sum adds columns behind the tensor's edge, which hold 1
  note: give the kernel tensors of whole tiles (multiples of 32), filled with what the operation does not see: 0; or mask the padding before
"""

import torch
import ttl


@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    exp_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, exp_cb.reserve() as exp:
            exp.store(ttl.math.exp(block))
        with exp_cb.wait() as exp, out_cb.reserve() as result:
            result.store(ttl.math.reduce_sum(exp, dims=[1]))  # <1>

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


if __name__ == "__main__":
    kernel(torch.rand(32, 20), torch.zeros(32, 32))
