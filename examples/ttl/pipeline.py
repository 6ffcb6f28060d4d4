"""A pipeline: each core does one step and sends its blocks to the next core; all work in parallel."""

import torch
import ttl

STAGES = 3


@ttl.kernel(grid=(STAGES, 1))
def pipeline(x, out):
    in_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
    hops = ttl.PipeNet([ttl.Pipe((i, 0), (i + 1, 0)) for i in range(STAGES - 1)])
    count = x.shape[0] // 32

    @ttl.compute()
    def compute():
        stage = ttl.core(dims=1)
        for _ in range(count):
            with in_cb.wait() as block, out_cb.reserve() as o:
                if stage == 0:
                    o.store(block * 2 + 1)
                elif stage == 1:
                    o.store(ttl.math.tanh(block))
                else:
                    o.store(ttl.math.square(block))

    @ttl.datamovement()
    def receive():
        stage = ttl.core(dims=1)
        for i in range(count):
            with in_cb.reserve() as block:
                def take(pipe):
                    ttl.copy(pipe, block).wait()

                hops.if_dst(take)
                if stage == 0:
                    ttl.copy(x[i, 0], block).wait()

    @ttl.datamovement()
    def send():
        stage = ttl.core(dims=1)
        for i in range(count):
            with out_cb.wait() as block:
                def hand_on(pipe):
                    ttl.copy(block, pipe).wait()

                hops.if_src(hand_on)
                if stage == STAGES - 1:
                    ttl.copy(block, out[i, 0]).wait()


def main():
    x = torch.randn(256, 32)
    out = torch.zeros_like(x)
    pipeline(x, out)
    torch.testing.assert_close(out, torch.tanh(x * 2 + 1) ** 2, rtol=2e-3, atol=2e-3)
    print("8 blocks through 3 cores: as torch")


if __name__ == "__main__":
    main()
