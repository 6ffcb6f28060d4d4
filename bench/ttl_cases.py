"""Kernels in the TTL language that our device and tt-lang's simulator both run (bench_grid.py).
Additions and matmuls of square tensors of n x n tiles on g x g cores."""

import ttl
import ttnn  # noqa: F401


def tile_index(row, column, block):
    """A block's indices: those of its tile, or the range of its tiles."""
    if block == 1:
        return row, column
    return slice(row * block, (row + 1) * block), slice(column * block, (column + 1) * block)


def add(n, g, block):
    """Blocks of block x block tiles; every core has a square part."""
    steps = n // g // block

    @ttl.kernel(grid=(g, g))
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(block, block), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(block, block), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=(block, block), buffer_factor=2)

        @ttl.compute()
        def compute():
            for _ in range(steps):
                for _ in range(steps):
                    with a_cb.wait() as x, b_cb.wait() as y, out_cb.reserve() as z:
                        z.store(x + y)

        @ttl.datamovement()
        def reader():
            x, y = ttl.core(dims=2)
            for r in range(steps):
                for c in range(steps):
                    with a_cb.reserve() as to_a, b_cb.reserve() as to_b:
                        first = ttl.copy(a[tile_index(y * steps + r, x * steps + c, block)], to_a)
                        second = ttl.copy(b[tile_index(y * steps + r, x * steps + c, block)], to_b)
                        first.wait()
                        second.wait()

        @ttl.datamovement()
        def writer():
            x, y = ttl.core(dims=2)
            for r in range(steps):
                for c in range(steps):
                    with out_cb.wait() as done:
                        move = ttl.copy(done, out[tile_index(y * steps + r, x * steps + c, block)])
                        move.wait()

    return kernel


def matmul(n, g):
    """A tile of each operand at a time, summed over the inner dimension."""
    part = n // g

    @ttl.kernel(grid=(g, g))
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(1, 1), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute():
            for _ in range(part):
                for _ in range(part):
                    with out_cb.reserve() as z:
                        for _ in range(n):
                            with a_cb.wait() as x, b_cb.wait() as y:
                                z.store(x @ y, acc=True)

        @ttl.datamovement()
        def reader():
            x, y = ttl.core(dims=2)
            for r in range(part):
                for c in range(part):
                    for k in range(n):
                        with a_cb.reserve() as to_a, b_cb.reserve() as to_b:
                            first = ttl.copy(a[y * part + r, k], to_a)
                            second = ttl.copy(b[k, x * part + c], to_b)
                            first.wait()
                            second.wait()

        @ttl.datamovement()
        def writer():
            x, y = ttl.core(dims=2)
            for r in range(part):
                for c in range(part):
                    with out_cb.wait() as done:
                        move = ttl.copy(done, out[y * part + r, x * part + c])
                        move.wait()

    return kernel


# name, make the kernel, tiles a side, dtype, units (tiles or tile matmuls)
CASES = [
    ("add, 1024 bf16 tiles, 1 core, 1x1 blocks", lambda: add(32, 1, 1), 32, "bfloat16", 1024),
    ("add, 4096 bf16 tiles, 1 core, 4x4 blocks", lambda: add(64, 1, 4), 64, "bfloat16", 4096),
    ("add, 4096 bf16 tiles, 8x8 cores, 1x1 blocks", lambda: add(64, 8, 1), 64, "bfloat16", 4096),
    ("add, 4096 f32 tiles, 8x8 cores, 1x1 blocks", lambda: add(64, 8, 1), 64, "float32", 4096),
    ("matmul 8x8x8 bf16, 1 core", lambda: matmul(8, 1), 8, "bfloat16", 512),
    ("matmul 16x16x16 bf16, 1 core", lambda: matmul(16, 1), 16, "bfloat16", 4096),
    ("matmul 16x16x16 bf16, 8x8 cores", lambda: matmul(16, 8), 16, "bfloat16", 4096),
    ("matmul 16x16x16 f32, 1 core", lambda: matmul(16, 1), 16, "float32", 4096),
]

# Kernels on one core beside torch on the whole tensors.
LIMITS = [
    ("add, 1024 bf16 tiles, 1 core, beside torch", lambda: add(32, 1, 1), 32, "bfloat16", 1024),
    ("add, 1024 f32 tiles, 1 core, beside torch", lambda: add(32, 1, 1), 32, "float32", 1024),
    ("matmul 16x16x16 bf16, 1 core, beside torch", lambda: matmul(16, 1), 16, "bfloat16", 4096),
]
