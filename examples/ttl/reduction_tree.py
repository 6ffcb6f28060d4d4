"""The sum of a tensor's blocks, one for each core, by a tree: in each step half of the cores send their sums to
a neighbour, which adds them to its own."""

import torch
import ttl

CORES = 8
STEPS = [1, 2, 4]  # distance of the sender


@ttl.kernel(grid=(CORES, 1))
def tree(x, out):
    in_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    sum_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))  # the compute thread's own
    out_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    come_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    nets = [ttl.PipeNet([ttl.Pipe((i + far, 0), (i, 0)) for i in range(0, CORES, 2 * far)]) for far in STEPS]

    @ttl.compute()
    def compute():
        core = ttl.core(dims=1)
        with in_cb.wait() as mine, sum_cb.reserve() as total:
            total.store(mine)
        for far in STEPS:
            if core % (2 * far) == 0:
                with sum_cb.wait() as mine, come_cb.wait() as other, sum_cb.reserve() as total:
                    total.store(mine + other)
        with sum_cb.wait() as mine, out_cb.reserve() as total:
            total.store(mine)

    @ttl.datamovement()
    def read_and_receive():
        core = ttl.core(dims=1)
        with in_cb.reserve() as block:
            ttl.copy(x[core, 0], block).wait()
        for net in nets:
            def receive(pipe):
                with come_cb.reserve() as block:
                    ttl.copy(pipe, block).wait()

            net.if_dst(receive)

    @ttl.datamovement()
    def send_and_write():
        core = ttl.core(dims=1)
        for net in nets:
            def send(pipe):
                with out_cb.wait() as block:
                    ttl.copy(block, pipe).wait()

            net.if_src(send)
        if core == 0:
            with out_cb.wait() as block:
                ttl.copy(block, out).wait()


def main():
    x = torch.randn(32 * CORES, 32)
    out = torch.zeros(32, 32)
    tree(x, out)
    torch.testing.assert_close(out, x.reshape(CORES, 32, 32).sum(0), rtol=1e-3, atol=1e-3)
    print(f"sum of {CORES} blocks by a tree of {len(STEPS)} steps: as torch")


if __name__ == "__main__":
    main()
