"""A histogram: each core counts its values and writes the counts to a tensor; the last step waits on a
semaphore for all cores, and sums the counts."""

import torch
import ttl

CORES, BINS, LOW, HIGH = 4, 6, -3.0, 3.0
STEP = (HIGH - LOW) / BINS


@ttl.kernel(grid=(CORES, 1))
def histogram(x, ones, parts, out):
    """parts: a tile for each core and bin; out: a tile for each bin, the count in its first element."""
    tiles = x.shape[0] // 32 // CORES
    x_cb = ttl.make_circular_buffer_like(x, shape=(tiles, 1))
    one_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1))
    inside_cb = ttl.make_circular_buffer_like(x, shape=(tiles, 1))
    count_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    part_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    total_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    written = ttl.Semaphore()

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, one_cb.wait() as one:
            for i in [0, 1, 2, 3, 4, 5]:  # unrolled: the limits are constants in the kernel
                with inside_cb.reserve() as inside:
                    inside.store(ttl.math.gez(block - (LOW + i * STEP)) * ttl.math.ltz(block - (LOW + (i + 1) * STEP)))
                with inside_cb.wait() as inside, count_cb.reserve() as count:
                    count.store(ttl.math.reduce_sum(inside, one, dims=[0, 1]))
        if ttl.core(dims=1) == 0:
            for _ in range(BINS):
                with total_cb.reserve() as total:
                    for _ in range(CORES):
                        with part_cb.wait() as part:
                            total.store(part, acc=True)

    @ttl.datamovement()
    def read():
        core = ttl.core(dims=1)
        with x_cb.reserve() as block, one_cb.reserve() as one:
            ttl.copy(x[core * tiles:(core + 1) * tiles, 0:1], block).wait()
            ttl.copy(ones, one).wait()
        if core == 0:
            written.wait_ge(CORES)
            for i in range(BINS):
                for part in range(CORES):
                    with part_cb.reserve() as block:
                        ttl.copy(parts[part, i], block).wait()

    @ttl.datamovement()
    def write():
        core = ttl.core(dims=1)
        for i in range(BINS):
            with count_cb.wait() as count:
                ttl.copy(count, parts[core, i]).wait()
        written.get_remote((0, 0)).inc(1)
        if core == 0:
            for i in range(BINS):
                with total_cb.wait() as total:
                    ttl.copy(total, out[0, i]).wait()


def main():
    x = torch.randn(512, 32)
    parts, out = torch.zeros(32 * CORES, 32 * BINS), torch.zeros(32, 32 * BINS)
    histogram(x, torch.ones(32, 32), parts, out)
    want = torch.histc(x, BINS, LOW, HIGH)
    torch.testing.assert_close(out[0, ::32], want, rtol=0, atol=1)  # histc's last bin has its upper limit
    print("histogram of 16384 values on 4 cores:", [int(n) for n in out[0, ::32]])


if __name__ == "__main__":
    main()
