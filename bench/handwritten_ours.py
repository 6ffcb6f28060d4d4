"""Kernels in TTL for the work of the hand-written kernels of bench_handwritten.py, in the same blocks."""

import ttl


def matmul(side, m, n, k, block):
    """Each core has m x n tiles of the product, and sums over k tiles in blocks of `block`; the first core of a row reads A's blocks for it, the
    first of a column B's."""

    @ttl.kernel(grid=(side, side))
    def kernel(a, b, c):
        a_cb = ttl.make_circular_buffer_like(a, shape=(m, block), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(block, n), buffer_factor=2)
        c_cb = ttl.make_circular_buffer_like(c, shape=(m, n), buffer_factor=1)
        along_rows = ttl.PipeNet([ttl.Pipe((0, y), (slice(1, side), y)) for y in range(side)])
        down_columns = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, side))) for x in range(side)])

        @ttl.compute()
        def compute():
            with c_cb.reserve() as o:
                for _ in range(k // block):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o.store(x @ y, acc=True)

        @ttl.datamovement()
        def read_a():
            _, row = ttl.core(dims=2)
            for p in range(k // block):
                with a_cb.reserve() as part:
                    def send(pipe):
                        ttl.copy(a[row * m:(row + 1) * m, p * block:(p + 1) * block], part).wait()
                        ttl.copy(part, pipe).wait()

                    def receive(pipe):
                        ttl.copy(pipe, part).wait()

                    along_rows.if_src(send)
                    along_rows.if_dst(receive)

        @ttl.datamovement()
        def read_b_and_write():
            column, row = ttl.core(dims=2)
            for p in range(k // block):
                with b_cb.reserve() as part:
                    def send(pipe):
                        ttl.copy(b[p * block:(p + 1) * block, column * n:(column + 1) * n], part).wait()
                        ttl.copy(part, pipe).wait()

                    def receive(pipe):
                        ttl.copy(pipe, part).wait()

                    down_columns.if_src(send)
                    down_columns.if_dst(receive)
            with c_cb.wait() as o:
                ttl.copy(o, c[row * m:(row + 1) * m, column * n:(column + 1) * n]).wait()

    return kernel
