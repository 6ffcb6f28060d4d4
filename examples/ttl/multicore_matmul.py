"""C = A @ B on all cores: output tiles are divided among cores; some get one more than others."""

import torch
import ttl


@ttl.kernel(grid="auto")
def matmul(a, b, c):
    a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1))
    b_cb = ttl.make_circular_buffer_like(b, shape=(1, 1))
    c_cb = ttl.make_circular_buffer_like(c, shape=(1, 1))
    k, n = a.shape[1] // 32, b.shape[1] // 32
    tiles, cores = a.shape[0] // 32 * n, ttl.grid_size(dims=1)

    def share():
        """First tile and number of tiles of this core."""
        core = ttl.core(dims=1)
        each, more = tiles // cores, tiles % cores
        return core * each + min(core, more), each + (1 if core < more else 0)

    @ttl.compute()
    def compute():
        _, count = share()
        for _ in range(count):
            with c_cb.reserve() as o:
                for _ in range(k):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o.store(x @ y, acc=True)

    @ttl.datamovement()
    def read():
        first, count = share()
        for i in range(count):
            row, column = (first + i) // n, (first + i) % n
            for p in range(k):
                with a_cb.reserve() as x, b_cb.reserve() as y:
                    tx, ty = ttl.copy(a[row, p], x), ttl.copy(b[p, column], y)
                    tx.wait()
                    ty.wait()

    @ttl.datamovement()
    def write():
        first, count = share()
        for i in range(count):
            with c_cb.wait() as o:
                ttl.copy(o, c[(first + i) // n, (first + i) % n]).wait()


def main():
    a, b = torch.randn(320, 128), torch.randn(128, 288)
    c = torch.zeros(320, 288)
    matmul(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=2e-1)
    print("320x128 @ 128x288, 90 tiles on 64 cores: as torch")


if __name__ == "__main__":
    main()
