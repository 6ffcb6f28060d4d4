"""C = A @ B on one core: sums over blocks of the inner dimension stay in the output's block."""

import torch
import ttl

ROWS, INNER, COLUMNS = 2, 4, 2  # tiles of a block


@ttl.kernel(grid=(1, 1))
def matmul(a, b, c):
    a_cb = ttl.make_circular_buffer_like(a, shape=(ROWS, INNER))
    b_cb = ttl.make_circular_buffer_like(b, shape=(INNER, COLUMNS))
    c_cb = ttl.make_circular_buffer_like(c, shape=(ROWS, COLUMNS))
    m, n, k = a.shape[0] // 32 // ROWS, b.shape[1] // 32 // COLUMNS, a.shape[1] // 32 // INNER

    @ttl.compute()
    def compute():
        for _ in range(m * n):
            with c_cb.reserve() as o:
                for _ in range(k):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o.store(x @ y, acc=True)

    @ttl.datamovement()
    def read():
        for i in range(m):
            for j in range(n):
                for p in range(k):
                    with a_cb.reserve() as x, b_cb.reserve() as y:
                        tx = ttl.copy(a[i * ROWS:(i + 1) * ROWS, p * INNER:(p + 1) * INNER], x)
                        ty = ttl.copy(b[p * INNER:(p + 1) * INNER, j * COLUMNS:(j + 1) * COLUMNS], y)
                        tx.wait()
                        ty.wait()

    @ttl.datamovement()
    def write():
        for i in range(m):
            for j in range(n):
                with c_cb.wait() as o:
                    ttl.copy(o, c[i * ROWS:(i + 1) * ROWS, j * COLUMNS:(j + 1) * COLUMNS]).wait()


def main():
    a, b = torch.randn(128, 256), torch.randn(256, 192)
    c = torch.zeros(128, 192)
    matmul(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=2e-1)
    print("128x256 @ 256x192 on one core: as torch")


if __name__ == "__main__":
    main()
