"""Kernels in the hardware's C++, as programs for tt-metal have them, on the simulated grid.

python3 examples/cpp/run.py [NAME ...] runs all examples, or those named, and compares with NumPy."""

import sys
from pathlib import Path

import numpy as np
from tilewright.sim import Buffer, Grid, Run, accessor, address, semaphore

KERNELS = Path(__file__).parent / "kernels"
SEED = np.random.default_rng(3)


def bf16(x):
    """The bits of f32 numbers that bf16 holds."""
    return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def numbers(*shape):
    """Small numbers with few bits, so that sums of products are exact."""
    return SEED.integers(-8, 8, shape).astype(np.float32) / 4


def add(grid):
    """a + b, its tiles dealt to two rows of four cores."""
    a, b = numbers(128, 256), numbers(128, 256)
    tensors = [grid.tensor(a.shape, "bf16", data=bf16(a)), grid.tensor(b.shape, "bf16", data=bf16(b)),
               grid.tensor(a.shape, "bf16")]
    per_core, cores = 32 // 8, (0, 0, 2, 4)
    grid.load().launch(
        [Run(KERNELS / "add_reader.cpp", cores,
             args=[[address(0), address(1), i * per_core, per_core] for i in range(8)]),
         Run(KERNELS / "add_compute.cpp", cores, args=[per_core]),
         Run(KERNELS / "writer.cpp", cores, args=[[address(2), i * per_core, per_core] for i in range(8)], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2), Buffer(16, "bf16", 2)], tensors=tensors).run()
    return f32(tensors[2].read(np.empty(a.shape, np.uint16))), a + b


def matmul(grid):
    """A product on one core."""
    mt, kt, nt = 2, 3, 2
    a, b = numbers(32 * mt, 32 * kt), numbers(32 * kt, 32 * nt)
    shape = (32 * mt, 32 * nt)
    tensors = [grid.tensor(a.shape, "bf16", data=bf16(a)), grid.tensor(b.shape, "bf16", data=bf16(b)),
               grid.tensor(shape, "f32")]
    grid.load().launch(
        [Run(KERNELS / "matmul_reader.cpp", compile_args=[0, 1, accessor(0), accessor(1)],
             args=[address(0), address(1), mt, kt, nt]),
         Run(KERNELS / "matmul_compute.cpp", compile_args=[mt, kt, nt], wide_dst=True),
         Run(KERNELS / "writer.cpp", args=[address(2), 0, mt * nt], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2), Buffer(16, "f32", 2)], tensors=tensors).run()
    return tensors[2].read(np.empty(shape, np.float32)), a @ b


def multicast_matmul(grid):
    """A product on a rectangle of cores; the first core of a row reads A for it, that of a column B."""
    rows, columns, kt = 2, 3, 4
    a, b = numbers(32 * rows, 32 * kt), numbers(32 * kt, 32 * columns)
    shape = (32 * rows, 32 * columns)
    tensors = [grid.tensor(a.shape, "bf16", data=bf16(a)), grid.tensor(b.shape, "bf16", data=bf16(b)),
               grid.tensor(shape, "f32")]
    origin = 18  # of the cores' coordinates on the NoC

    def side(sends, x0, y0, x1, y1, receivers, x, y, ready):
        return [int(sends), *(origin + c for c in (x0, y0, x1, y1)), receivers, origin + x, origin + y,
                semaphore(ready), semaphore(ready + 1)]

    args = [[address(0), address(1), r, c,
             *side(c == 0, 1, r, columns - 1, r, columns - 1, 0, r, 0),
             *side(r == 0, c, 1, c, rows - 1, rows - 1, c, 0, 2)]
            for r in range(rows) for c in range(columns)]
    cores = (0, 0, rows, columns)
    grid.load().launch(
        [Run(KERNELS / "multicast_reader.cpp", cores, compile_args=[kt, columns, accessor(0), accessor(1)], args=args),
         Run(KERNELS / "matmul_compute.cpp", cores, compile_args=[1, kt, 1], wide_dst=True),
         Run(KERNELS / "writer.cpp", cores, args=[[address(2), i, 1] for i in range(rows * columns)], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2), Buffer(16, "f32", 2)], tensors=tensors,
        semaphores=[0, 0, 0, 0]).run()
    return tensors[2].read(np.empty(shape, np.float32)), a @ b


def softmax(grid):
    """Softmax of rows of 32 numbers."""
    tiles = 2
    x = numbers(32 * tiles, 32)
    tensors = [grid.tensor(x.shape, "bf16", data=bf16(x)), grid.tensor(x.shape, "f32")]
    launch = grid.load().launch(
        [Run(KERNELS / "softmax_reader.cpp", args=[address(0), tiles]),
         Run(KERNELS / "softmax_compute.cpp", compile_args=[tiles], wide_dst=True),
         Run(KERNELS / "writer.cpp", args=[address(1), 0, tiles], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 1), Buffer(24, "bf16", 1), Buffer(25, "bf16", 1),
             Buffer(16, "f32", 2)], tensors=tensors).run()
    print(launch.log, end="")
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return tensors[1].read(np.empty(x.shape, np.float32)), e / e.sum(axis=1, keepdims=True)


def topk(grid):
    """The 32 largest of 64 numbers of each row, and their columns."""
    x = np.stack([SEED.permutation(64) for _ in range(32)]).astype(np.float32) - 20
    columns = np.tile(np.arange(64, dtype=np.float32), (32, 1))
    tensors = [grid.tensor(x.shape, "bf16", data=bf16(x)), grid.tensor(x.shape, "bf16", data=bf16(columns)),
               grid.tensor(x.shape, "f32")]
    grid.load().launch(
        [Run(KERNELS / "add_reader.cpp", args=[address(0), address(1), 0, 2]),
         Run(KERNELS / "topk_compute.cpp"),
         Run(KERNELS / "writer.cpp", args=[address(2), 0, 2], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2), Buffer(24, "bf16", 1), Buffer(25, "bf16", 1),
             Buffer(16, "f32", 2)], tensors=tensors).run()
    order = np.argsort(-x, axis=1)[:, :32]
    return tensors[2].read(np.empty(x.shape, np.float32)), np.hstack([np.take_along_axis(x, order, 1), order])


EXAMPLES = {f.__name__: f for f in (add, matmul, multicast_matmul, softmax, topk)}


def main():
    for name in sys.argv[1:] or EXAMPLES:
        got, wanted = EXAMPLES[name](Grid())
        error = np.abs(got - wanted).max()
        print(f"{name}: largest error {error:.2g}")
        if error > 0.01:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
