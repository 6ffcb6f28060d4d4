"""C = A @ B on any grid of cores: block sizes, cores and depth of the buffers are chosen by the cycle model, at the first call
with tensors of a shape."""

import torch
import ttl


@ttl.autotune(
    block=[(1, 1, 1), (1, 2, 1), (2, 2, 2), (2, 4, 2), (4, 4, 4), (4, 8, 4)],  # rows, inner dimension and columns, in tiles
    cores=[(1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (8, 4), (8, 8)],
    depth=[1, 2, 3, 4],
)
@ttl.kernel(grid=(2, 2))
def matmul(a, b, c, block=(1, 1, 1), depth=2):
    rows, inner, columns = block
    m, k, n = a.shape[0] // 32, a.shape[1] // 32, b.shape[1] // 32
    if m % rows or k % inner or n % columns:
        raise ValueError(f"blocks of {block} tiles do not divide {(m, k, n)}")
    a_cb = ttl.make_circular_buffer_like(a, shape=(rows, inner), buffer_factor=depth)
    b_cb = ttl.make_circular_buffer_like(b, shape=(inner, columns), buffer_factor=depth)
    c_cb = ttl.make_circular_buffer_like(c, shape=(rows, columns))
    across, down = ttl.grid_size(dims=2)

    @ttl.compute()
    def compute():
        x, y = ttl.core(dims=2)
        for _ in range(y, m // rows, down):
            for _ in range(x, n // columns, across):
                with c_cb.reserve() as o:
                    for _ in range(k // inner):
                        with a_cb.wait() as left, b_cb.wait() as right:
                            o.store(left @ right, acc=True)

    @ttl.datamovement()
    def read():
        x, y = ttl.core(dims=2)
        for i in range(y, m // rows, down):
            for j in range(x, n // columns, across):
                for p in range(k // inner):
                    with a_cb.reserve() as left, b_cb.reserve() as right:
                        one = ttl.copy(a[i * rows:(i + 1) * rows, p * inner:(p + 1) * inner], left)
                        two = ttl.copy(b[p * inner:(p + 1) * inner, j * columns:(j + 1) * columns], right)
                        one.wait()
                        two.wait()

    @ttl.datamovement()
    def write():
        x, y = ttl.core(dims=2)
        for i in range(y, m // rows, down):
            for j in range(x, n // columns, across):
                with c_cb.wait() as o:
                    ttl.copy(o, c[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns]).wait()


def main():
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    c = torch.zeros(256, 256)
    matmul(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=2e-1)
    print("256x256 @ 256x256, tuned: as torch")


if __name__ == "__main__":
    main()
