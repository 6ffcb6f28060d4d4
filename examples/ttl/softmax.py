"""softmax over rows, one block of rows for each core: the maximum and the sum go through buffers of their own,
since a broadcast reads its operand from a buffer."""

import torch
import ttl


@ttl.kernel(grid=(1, 4))
def softmax(x, ones, out):
    width = x.shape[1] // 32
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
    one_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1))
    peak_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    exp_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
    sum_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, width))
    rows = x.shape[0] // 32 // ttl.grid_size(dims=2)[1]

    @ttl.compute()
    def compute():
        with one_cb.wait() as one:
            for _ in range(rows):
                with x_cb.wait() as block:
                    with peak_cb.reserve() as peak:
                        peak.store(ttl.math.reduce_max(block, one, dims=[1]))
                    with peak_cb.wait() as peak, exp_cb.reserve() as e:
                        e.store(ttl.math.exp(block - ttl.math.broadcast(peak, dims=[1])))
                with exp_cb.wait() as e:
                    with sum_cb.reserve() as total:
                        total.store(ttl.math.reduce_sum(e, one, dims=[1]))
                    with sum_cb.wait() as total, out_cb.reserve() as o:
                        o.store(e * ttl.math.recip(ttl.math.broadcast(total, dims=[1])))

    @ttl.datamovement()
    def read():
        first = ttl.core(dims=2)[1] * rows
        with one_cb.reserve() as one:
            ttl.copy(ones, one).wait()
        for i in range(rows):
            with x_cb.reserve() as block:
                ttl.copy(x[first + i:first + i + 1, 0:width], block).wait()

    @ttl.datamovement()
    def write():
        first = ttl.core(dims=2)[1] * rows
        for i in range(rows):
            with out_cb.wait() as o:
                ttl.copy(o, out[first + i:first + i + 1, 0:width]).wait()


def main():
    x = torch.randn(256, 128) * 3
    out = torch.zeros_like(x)
    softmax(x, torch.ones(32, 32), out)
    torch.testing.assert_close(out, torch.softmax(x, 1), rtol=1e-2, atol=1e-3)
    print("softmax of 256x128 on 4 cores: as torch")


if __name__ == "__main__":
    main()
