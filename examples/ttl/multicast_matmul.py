"""C = A @ B on 4x4 cores: the first core of each row reads A's tiles and sends them along its row, the first
core of each column does the same with B's; every tile is read from DRAM once a row or column of C."""

import torch
import ttl

SIDE = 4


@ttl.kernel(grid=(SIDE, SIDE))
def matmul(a, b, c):
    a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1))
    b_cb = ttl.make_circular_buffer_like(b, shape=(1, 1))
    c_cb = ttl.make_circular_buffer_like(c, shape=(1, 1))
    k = a.shape[1] // 32
    along_rows = ttl.PipeNet([ttl.Pipe((0, y), (slice(1, SIDE), y)) for y in range(SIDE)])
    down_columns = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, SIDE))) for x in range(SIDE)])

    @ttl.compute()
    def compute():
        with c_cb.reserve() as o:
            for _ in range(k):
                with a_cb.wait() as x, b_cb.wait() as y:
                    o.store(x @ y, acc=True)

    @ttl.datamovement()
    def read_a():
        _, row = ttl.core(dims=2)
        for p in range(k):
            with a_cb.reserve() as block:
                def send(pipe):
                    ttl.copy(a[row, p], block).wait()
                    ttl.copy(block, pipe).wait()

                def receive(pipe):
                    ttl.copy(pipe, block).wait()

                along_rows.if_src(send)
                along_rows.if_dst(receive)

    @ttl.datamovement()
    def read_b_and_write():
        column, row = ttl.core(dims=2)
        for p in range(k):
            with b_cb.reserve() as block:
                def send(pipe):
                    ttl.copy(b[p, column], block).wait()
                    ttl.copy(block, pipe).wait()

                def receive(pipe):
                    ttl.copy(pipe, block).wait()

                down_columns.if_src(send)
                down_columns.if_dst(receive)
        with c_cb.wait() as o:
            ttl.copy(o, c[row, column]).wait()


def main():
    a, b = torch.randn(128, 160), torch.randn(160, 128)
    c = torch.zeros(128, 128)
    matmul(a, b, c)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=2e-1)
    print("128x160 @ 160x128 on 16 cores with multicast: as torch")


if __name__ == "__main__":
    main()
