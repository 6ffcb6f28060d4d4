"""Kernels in TTL for the work of the hand-written kernels of bench_handwritten.py, in the same blocks."""

import math

import ttl


def fill(part, tiles, net):
    """Reads `tiles` on the net's first core, which sends them to the others."""
    def send(pipe):
        ttl.copy(tiles, part).wait()
        ttl.copy(part, pipe).wait()

    def receive(pipe):
        ttl.copy(pipe, part).wait()

    net.if_src(send)
    net.if_dst(receive)


def matmul(side, m, n, k, block):
    """Each core has m x n tiles of the product, and sums over k tiles in blocks of `block`; the first core of a row reads A's blocks for it, the
    first of a column B's. The thread of B comes first, so that A's multicasts take NoC 1, as in tt-metal."""

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
        def read_b_and_write():
            column, row = ttl.core(dims=2)
            for p in range(k // block):
                with b_cb.reserve() as part:
                    fill(part, b[p * block:(p + 1) * block, column * n:(column + 1) * n], down_columns)
            with c_cb.wait() as o:
                ttl.copy(o, c[row * m:(row + 1) * m, column * n:(column + 1) * n]).wait()

        @ttl.datamovement()
        def read_a():
            _, row = ttl.core(dims=2)
            for p in range(k // block):
                with a_cb.reserve() as part:
                    fill(part, a[row * m:(row + 1) * m, p * block:(p + 1) * block], along_rows)

    return kernel


def layer_norm(cores, rows, width, eps=1e-5):
    """Each core has `rows` rows of `width` tiles; `share` is a tile full of 1 / the elements of a row."""

    @ttl.kernel(grid=(cores, 1))
    def kernel(x, share, weight, bias, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, width), buffer_factor=2)
        share_cb = ttl.make_circular_buffer_like(share, shape=(1, 1), buffer_factor=1)
        weight_cb = ttl.make_circular_buffer_like(weight, shape=(1, width), buffer_factor=1)
        bias_cb = ttl.make_circular_buffer_like(bias, shape=(1, width), buffer_factor=1)
        mean_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=1)
        centred_cb = ttl.make_circular_buffer_like(x, shape=(1, width), buffer_factor=1)
        square_cb = ttl.make_circular_buffer_like(x, shape=(1, width), buffer_factor=1)
        scale_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=1)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, width), buffer_factor=2)

        @ttl.compute()
        def compute():
            with share_cb.wait() as one, weight_cb.wait() as w, bias_cb.wait() as b:
                for _ in range(rows):
                    with x_cb.wait() as block:
                        with mean_cb.reserve() as mean:
                            mean.store(ttl.math.reduce_sum(block, one, dims=[1]))
                        with mean_cb.wait() as mean, centred_cb.reserve() as centred:
                            centred.store(block - ttl.math.broadcast(mean, dims=[1]))
                    with centred_cb.wait() as centred:
                        with square_cb.reserve() as squares:
                            squares.store(centred * centred)
                        with square_cb.wait() as squares, scale_cb.reserve() as scale:
                            scale.store(ttl.math.rsqrt(ttl.math.reduce_sum(squares, one, dims=[1]) + eps))
                        with scale_cb.wait() as scale, out_cb.reserve() as o:
                            normal = centred * ttl.math.broadcast(scale, dims=[1])
                            o.store(normal * ttl.math.broadcast(w, dims=[0]) + ttl.math.broadcast(b, dims=[0]))

        @ttl.datamovement()
        def read():
            first = ttl.core(dims=2)[0] * rows
            with share_cb.reserve() as block:
                ttl.copy(share, block).wait()
            for i in range(rows):
                with x_cb.reserve() as block:
                    ttl.copy(x[first + i:first + i + 1, 0:width], block).wait()
                if i == 0:
                    with weight_cb.reserve() as block, bias_cb.reserve() as other:
                        one = ttl.copy(weight, block)
                        two = ttl.copy(bias, other)
                        one.wait()
                        two.wait()

        @ttl.datamovement()
        def write():
            first = ttl.core(dims=2)[0] * rows
            for i in range(rows):
                with out_cb.wait() as o:
                    ttl.copy(o, out[first + i:first + i + 1, 0:width]).wait()

    return kernel


def attention(cores, rows, keys, depth):
    """Each core has `rows` rows of tiles of queries, and all keys and values. The transposed keys are made once; weights are not divided
    by their sum, the result is."""
    scale = 1 / math.sqrt(32 * depth)

    @ttl.kernel(grid=(cores, 1), compute_config={"math_approx_mode": True})
    def kernel(q, k, v, ones, out):
        q_cb = ttl.make_circular_buffer_like(q, shape=(rows, depth), buffer_factor=1)
        k_cb = ttl.make_circular_buffer_like(k, shape=(keys, depth), buffer_factor=1)
        v_cb = ttl.make_circular_buffer_like(v, shape=(keys, depth), buffer_factor=1)
        one_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1), buffer_factor=1)
        turned_cb = ttl.make_circular_buffer_like(k, shape=(depth, keys), buffer_factor=1)
        score_cb = ttl.make_circular_buffer_like(q, shape=(rows, keys), buffer_factor=1)
        peak_cb = ttl.make_circular_buffer_like(q, shape=(rows, 1), buffer_factor=1)
        weight_cb = ttl.make_circular_buffer_like(q, shape=(rows, keys), buffer_factor=1)
        sum_cb = ttl.make_circular_buffer_like(q, shape=(rows, 1), buffer_factor=1)
        part_cb = ttl.make_circular_buffer_like(q, shape=(rows, depth), buffer_factor=1)
        out_cb = ttl.make_circular_buffer_like(out, shape=(rows, depth), buffer_factor=1)

        @ttl.compute()
        def compute():
            with k_cb.wait() as key, turned_cb.reserve() as turned:
                turned.store(ttl.transpose(key))
            with q_cb.wait() as query, turned_cb.wait() as turned, score_cb.reserve() as score:
                score.store(query @ turned)
            with one_cb.wait() as one:
                with score_cb.wait() as score:
                    with peak_cb.reserve() as peak:
                        peak.store(ttl.math.reduce_max(score, one, dims=[1]))
                    with peak_cb.wait() as peak, weight_cb.reserve() as weight:
                        weight.store(ttl.math.exp((score - ttl.math.broadcast(peak, dims=[1])) * scale))
                with weight_cb.wait() as weight:
                    with sum_cb.reserve() as total:
                        total.store(ttl.math.recip(ttl.math.reduce_sum(weight, one, dims=[1])))
                    with v_cb.wait() as value, part_cb.reserve() as part:
                        part.store(weight @ value)
                    with sum_cb.wait() as total, part_cb.wait() as part, out_cb.reserve() as o:
                        o.store(part * ttl.math.broadcast(total, dims=[1]))

        @ttl.datamovement()
        def read():
            first = ttl.core(dims=2)[0] * rows
            with q_cb.reserve() as block:
                ttl.copy(q[first:first + rows, 0:depth], block).wait()
            with k_cb.reserve() as block:
                ttl.copy(k, block).wait()
            with one_cb.reserve() as block:
                ttl.copy(ones, block).wait()
            with v_cb.reserve() as block:
                ttl.copy(v, block).wait()

        @ttl.datamovement()
        def write():
            first = ttl.core(dims=2)[0] * rows
            with out_cb.wait() as o:
                ttl.copy(o, out[first:first + rows, 0:depth]).wait()

    return kernel
