"""gelu(a * b + c) on 4x4 cores: each core has its own part of the tiles, and works on it in blocks of 2x2."""

import torch
import ttl

BLOCK = 2


@ttl.kernel(grid=(4, 4))
def fused(a, b, c, out):
    a_cb = ttl.make_circular_buffer_like(a, shape=(BLOCK, BLOCK))
    b_cb = ttl.make_circular_buffer_like(b, shape=(BLOCK, BLOCK))
    c_cb = ttl.make_circular_buffer_like(c, shape=(BLOCK, BLOCK))
    out_cb = ttl.make_circular_buffer_like(out, shape=(BLOCK, BLOCK))
    across, down = ttl.grid_size(dims=2)
    rows, columns = out.shape[0] // 32 // BLOCK // down, out.shape[1] // 32 // BLOCK // across

    def part(i, j):
        """The tiles of block (i, j) of this core."""
        x, y = ttl.core(dims=2)
        row, column = (y * rows + i) * BLOCK, (x * columns + j) * BLOCK
        return slice(row, row + BLOCK), slice(column, column + BLOCK)

    @ttl.compute()
    def compute():
        for _ in range(rows * columns):
            with a_cb.wait() as x, b_cb.wait() as y, c_cb.wait() as z, out_cb.reserve() as o:
                o.store(ttl.math.gelu(x * y + z))

    @ttl.datamovement()
    def read():
        for i in range(rows):
            for j in range(columns):
                with a_cb.reserve() as x, b_cb.reserve() as y, c_cb.reserve() as z:
                    transfers = [ttl.copy(t[part(i, j)], block) for t, block in ((a, x), (b, y), (c, z))]
                    for transfer in transfers:
                        transfer.wait()

    @ttl.datamovement()
    def write():
        for i in range(rows):
            for j in range(columns):
                with out_cb.wait() as o:
                    ttl.copy(o, out[part(i, j)]).wait()


def main():
    a, b, c = (torch.randn(512, 512).bfloat16() for _ in range(3))
    out = torch.zeros_like(a)
    fused(a, b, c, out)
    want = torch.nn.functional.gelu(a.float() * b.float() + c.float())
    torch.testing.assert_close(out.float(), want, rtol=2e-2, atol=5e-2)
    print("gelu(a * b + c) of 512x512 on 16 cores: as torch")


if __name__ == "__main__":
    main()
