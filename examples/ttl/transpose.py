"""The transpose of a matrix: each core transposes its blocks, and writes them to the mirrored position."""

import torch
import ttl

ROWS, COLUMNS = 1, 2


@ttl.kernel(grid=(2, 2))
def transpose(x, out):
    in_cb = ttl.make_circular_buffer_like(x, shape=(ROWS, COLUMNS))
    out_cb = ttl.make_circular_buffer_like(out, shape=(COLUMNS, ROWS))
    across = x.shape[1] // 32 // COLUMNS
    count = x.shape[0] // 32 // ROWS * across // ttl.grid_size(dims=1)

    def position(i):
        block = ttl.core(dims=1) * count + i
        return block // across * ROWS, block % across * COLUMNS

    @ttl.compute()
    def compute():
        for _ in range(count):
            with in_cb.wait() as block, out_cb.reserve() as o:
                o.store(ttl.transpose(block))

    @ttl.datamovement()
    def read():
        for i in range(count):
            row, column = position(i)
            with in_cb.reserve() as block:
                ttl.copy(x[row:row + ROWS, column:column + COLUMNS], block).wait()

    @ttl.datamovement()
    def write():
        for i in range(count):
            row, column = position(i)
            with out_cb.wait() as o:
                ttl.copy(o, out[column:column + COLUMNS, row:row + ROWS]).wait()


def main():
    x = torch.randn(128, 256).bfloat16()
    out = torch.zeros(256, 128).bfloat16()
    transpose(x, out)
    assert torch.equal(out, x.T)
    print("transpose of 128x256 on 4 cores: as torch, to the bit")


if __name__ == "__main__":
    main()
