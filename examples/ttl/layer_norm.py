"""Layer norm over rows with weight and bias: mean and variance go through buffers of one column of tiles."""

import torch
import ttl

EPS = 1e-5


@ttl.kernel(grid=(1, 2))
def layer_norm(x, share, weight, bias, out):
    """share: one tile full of 1 / width."""
    width = x.shape[1] // 32
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
    share_cb = ttl.make_circular_buffer_like(share, shape=(1, 1))
    weight_cb = ttl.make_circular_buffer_like(weight, shape=(1, width))
    bias_cb = ttl.make_circular_buffer_like(bias, shape=(1, width))
    mean_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    centred_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
    square_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
    scale_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, width))
    rows = x.shape[0] // 32 // ttl.grid_size(dims=2)[1]

    @ttl.compute()
    def compute():
        with share_cb.wait() as one, weight_cb.wait() as w, bias_cb.wait() as b:
            for _ in range(rows):
                with x_cb.wait() as block:
                    with mean_cb.reserve() as mean:
                        mean.store(ttl.math.reduce_sum(block, one, dims=[1]))
                    with mean_cb.wait() as mean, centred_cb.reserve() as centred:
                        centred.store(block - ttl.math.broadcast(mean, dims=[1]))
                with centred_cb.wait() as centred:
                    with square_cb.reserve() as squares:
                        squares.store(ttl.math.square(centred))
                    with square_cb.wait() as squares, scale_cb.reserve() as scale:
                        scale.store(ttl.math.rsqrt(ttl.math.reduce_sum(squares, one, dims=[1]) + EPS))
                    with scale_cb.wait() as scale, out_cb.reserve() as o:
                        normal = centred * ttl.math.broadcast(scale, dims=[1])
                        o.store(normal * ttl.math.broadcast(w, dims=[0]) + ttl.math.broadcast(b, dims=[0]))

    @ttl.datamovement()
    def read():
        first = ttl.core(dims=2)[1] * rows
        for tensor, cb in ((share, share_cb), (weight, weight_cb), (bias, bias_cb)):
            with cb.reserve() as block:
                ttl.copy(tensor, block).wait()
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
    x = torch.randn(128, 96) * 2 + 1
    weight, bias = torch.rand(1, 96) + 0.5, torch.randn(1, 96)
    out = torch.zeros_like(x)
    layer_norm(x, torch.full((32, 32), 1 / 96), weight, bias, out)
    want = torch.nn.functional.layer_norm(x, (96,), weight[0], bias[0], EPS)
    torch.testing.assert_close(out, want, rtol=1e-2, atol=2e-2)
    print("layer norm of 128x96 on 2 cores: as torch")


if __name__ == "__main__":
    main()
