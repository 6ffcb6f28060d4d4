"""Kernels on all cores as the model of device time assumes them (docs/device-time.md), and their cycles on the simulated grid.

Each core has an even share of blocks of tiles; reads, computation and writes overlap through circular buffers of two blocks."""

import math

import torch
import ttl
import ttnn
from tilewright import sim

TILE = 32


def unary(function, block, grid):
    """Blocks of a row of tiles; `function` names one of ttl.math."""
    apply = getattr(ttl.math, function)

    @ttl.kernel(grid=grid)
    def kernel(x, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, block), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, block), buffer_factor=2)
        across, cores = ttl.grid_size(dims=2)[0], grid[0] * grid[1]
        columns = x.shape[1] // 32 // block
        blocks = x.shape[0] // 32 * columns

        @ttl.compute()
        def compute():
            column, row = ttl.core(dims=2)
            for _ in range(row * across + column, blocks, cores):
                with x_cb.wait() as a, out_cb.reserve() as o:
                    o.store(apply(a))

        @ttl.datamovement()
        def read():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, blocks, cores):
                r, c = i // columns, i % columns * block
                with x_cb.reserve() as a:
                    ttl.copy(x[r:r + 1, c:c + block], a).wait()

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, blocks, cores):
                r, c = i // columns, i % columns * block
                with out_cb.wait() as o:
                    ttl.copy(o, out[r:r + 1, c:c + block]).wait()

    return kernel


def binary(operation, block, grid):
    add = operation == "add"

    @ttl.kernel(grid=grid)
    def kernel(x, y, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, block), buffer_factor=2)
        y_cb = ttl.make_circular_buffer_like(y, shape=(1, block), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, block), buffer_factor=2)
        across, cores = ttl.grid_size(dims=2)[0], grid[0] * grid[1]
        columns = x.shape[1] // 32 // block
        blocks = x.shape[0] // 32 * columns

        @ttl.compute()
        def compute():
            column, row = ttl.core(dims=2)
            for _ in range(row * across + column, blocks, cores):
                with x_cb.wait() as a, y_cb.wait() as b, out_cb.reserve() as o:
                    if add:
                        o.store(a + b)
                    else:
                        o.store(a * b)

        @ttl.datamovement()
        def read():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, blocks, cores):
                r, c = i // columns, i % columns * block
                with x_cb.reserve() as a, y_cb.reserve() as b:
                    one = ttl.copy(x[r:r + 1, c:c + block], a)
                    two = ttl.copy(y[r:r + 1, c:c + block], b)
                    one.wait()
                    two.wait()

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, blocks, cores):
                r, c = i // columns, i % columns * block
                with out_cb.wait() as o:
                    ttl.copy(o, out[r:r + 1, c:c + block]).wait()

    return kernel


def matmul(rows, inner, columns, side):
    """C = A @ B: the first core of each row reads A's blocks and sends them along its row, the first core of each column B's."""

    @ttl.kernel(grid=(side[0], side[1]))
    def kernel(a, b, c):
        a_cb = ttl.make_circular_buffer_like(a, shape=(rows, inner), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(inner, columns), buffer_factor=2)
        c_cb = ttl.make_circular_buffer_like(c, shape=(rows, columns))
        steps = a.shape[1] // 32 // inner
        along_rows = ttl.PipeNet([ttl.Pipe((0, y), (slice(1, side[0]), y)) for y in range(side[1])])
        down_columns = ttl.PipeNet([ttl.Pipe((x, 0), (x, slice(1, side[1]))) for x in range(side[0])])

        @ttl.compute()
        def compute():
            with c_cb.reserve() as o:
                for _ in range(steps):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o.store(x @ y, acc=True)

        @ttl.datamovement()
        def read_a():
            _, row = ttl.core(dims=2)
            for p in range(steps):
                with a_cb.reserve() as block:
                    def send(pipe):
                        ttl.copy(a[row * rows:(row + 1) * rows, p * inner:(p + 1) * inner], block).wait()
                        ttl.copy(block, pipe).wait()

                    def receive(pipe):
                        ttl.copy(pipe, block).wait()

                    along_rows.if_src(send)
                    along_rows.if_dst(receive)

        @ttl.datamovement()
        def read_b_and_write():
            column, row = ttl.core(dims=2)
            for p in range(steps):
                with b_cb.reserve() as block:
                    def send(pipe):
                        ttl.copy(b[p * inner:(p + 1) * inner, column * columns:(column + 1) * columns], block).wait()
                        ttl.copy(block, pipe).wait()

                    def receive(pipe):
                        ttl.copy(pipe, block).wait()

                    down_columns.if_src(send)
                    down_columns.if_dst(receive)
            with c_cb.wait() as o:
                ttl.copy(o, c[row * rows:(row + 1) * rows, column * columns:(column + 1) * columns]).wait()

    return kernel


def softmax(width, grid):
    """Rows of `width` tiles; the reciprocal of the sum is computed once a row of tiles."""

    @ttl.kernel(grid=grid)
    def kernel(x, ones, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, width), buffer_factor=2)
        one_cb = ttl.make_circular_buffer_like(ones, shape=(1, 1))
        peak_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        exp_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
        sum_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, width), buffer_factor=2)
        across, cores = ttl.grid_size(dims=2)[0], grid[0] * grid[1]
        rows = x.shape[0] // 32

        @ttl.compute()
        def compute():
            column, row = ttl.core(dims=2)
            with one_cb.wait() as one:
                for _ in range(row * across + column, rows, cores):
                    with x_cb.wait() as block:
                        with peak_cb.reserve() as peak:
                            peak.store(ttl.math.reduce_max(block, one, dims=[1]))
                        with peak_cb.wait() as peak, exp_cb.reserve() as e:
                            e.store(ttl.math.exp(block - ttl.math.broadcast(peak, dims=[1])))
                    with exp_cb.wait() as e:
                        with sum_cb.reserve() as total:
                            total.store(ttl.math.recip(ttl.math.reduce_sum(e, one, dims=[1])))
                        with sum_cb.wait() as total, out_cb.reserve() as o:
                            o.store(e * ttl.math.broadcast(total, dims=[1]))

        @ttl.datamovement()
        def read():
            column, row = ttl.core(dims=2)
            with one_cb.reserve() as one:
                ttl.copy(ones, one).wait()
            for i in range(row * across + column, rows, cores):
                with x_cb.reserve() as block:
                    ttl.copy(x[i:i + 1, 0:width], block).wait()

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, rows, cores):
                with out_cb.wait() as o:
                    ttl.copy(o, out[i:i + 1, 0:width]).wait()

    return kernel


def layer_norm(width, grid):
    """Rows of `width` tiles with weight and bias; `share` is one tile full of 1 / columns."""

    @ttl.kernel(grid=grid)
    def kernel(x, share, weight, bias, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, width), buffer_factor=2)
        share_cb = ttl.make_circular_buffer_like(share, shape=(1, 1))
        weight_cb = ttl.make_circular_buffer_like(weight, shape=(1, width))
        bias_cb = ttl.make_circular_buffer_like(bias, shape=(1, width))
        mean_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        centred_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
        square_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
        scale_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
        normal_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
        scaled_cb = ttl.make_circular_buffer_like(x, shape=(1, width))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, width), buffer_factor=2)
        across, cores = ttl.grid_size(dims=2)[0], grid[0] * grid[1]
        rows = x.shape[0] // 32

        @ttl.compute()
        def compute():
            column, row = ttl.core(dims=2)
            with share_cb.wait() as one, weight_cb.wait() as w, bias_cb.wait() as b:
                for _ in range(row * across + column, rows, cores):
                    with x_cb.wait() as block:
                        with mean_cb.reserve() as mean:
                            mean.store(ttl.math.reduce_sum(block, one, dims=[1]))
                        with mean_cb.wait() as mean, centred_cb.reserve() as centred:
                            centred.store(block - ttl.math.broadcast(mean, dims=[1]))
                    with centred_cb.wait() as centred:
                        with square_cb.reserve() as squares:
                            squares.store(centred * centred)
                        with square_cb.wait() as squares, scale_cb.reserve() as scale:
                            scale.store(ttl.math.rsqrt(ttl.math.reduce_sum(squares, one, dims=[1]) + 1e-5))
                        with scale_cb.wait() as scale, normal_cb.reserve() as normal:
                            normal.store(centred * ttl.math.broadcast(scale, dims=[1]))
                    with normal_cb.wait() as normal, scaled_cb.reserve() as scaled:
                        scaled.store(normal * ttl.math.broadcast(w, dims=[0]))
                    with scaled_cb.wait() as scaled, out_cb.reserve() as o:
                        o.store(scaled + ttl.math.broadcast(b, dims=[0]))

        @ttl.datamovement()
        def read():
            column, row = ttl.core(dims=2)
            for tensor, cb in ((share, share_cb), (weight, weight_cb), (bias, bias_cb)):
                with cb.reserve() as block:
                    ttl.copy(tensor, block).wait()
            for i in range(row * across + column, rows, cores):
                with x_cb.reserve() as block:
                    ttl.copy(x[i:i + 1, 0:width], block).wait()

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            for i in range(row * across + column, rows, cores):
                with out_cb.wait() as o:
                    ttl.copy(o, out[i:i + 1, 0:width]).wait()

    return kernel


def cycles(kernel, tensors, wanted, tolerance, chip="n150"):
    """Runs a kernel on device tensors, the last of which is its result, and compares that with `wanted`."""
    device = ttnn.open_device()
    device.grid = sim.Grid(chip)
    held = [ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in tensors]
    launches, original = [], sim.Launch.run

    def run(launch, *args, **kwargs):
        launches.append(launch)
        return original(launch, *args, **kwargs)

    sim.Launch.run = run
    try:
        kernel(*held)
    finally:
        sim.Launch.run = original
    result = ttnn.to_torch(held[-1]).float()
    assert (result - wanted.float()).abs().max() <= tolerance * wanted.float().abs().max()
    return launches[-1].cycles


def grid_for(cores, chip=(8, 8)):
    """As many columns as a row has, then rows."""
    return (chip[0], math.ceil(cores / chip[0])) if cores >= chip[0] else (cores, 1)
