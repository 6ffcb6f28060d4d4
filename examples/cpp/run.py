"""Kernels in C++ for tt-metal on the simulated grid.

python3 examples/cpp/run.py [NAME ...] runs all examples, or those named, and compares with NumPy."""

import sys
from pathlib import Path

import numpy as np
from tilewright.sim import L1_SHARDED, Buffer, Grid, Run, accessor, address, semaphore

KERNELS = Path(__file__).parent / "kernels"
SEED = np.random.default_rng(3)


def bf16(x):
    """The bf16 bits of f32 values that bf16 represents."""
    return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def random_values(*shape):
    """Small values with few bits, so that sums of products are exact."""
    return SEED.integers(-8, 8, shape).astype(np.float32) / 4


def add(grid):
    """a + b, its tiles divided among two rows of four cores."""
    a, b = random_values(128, 256), random_values(128, 256)
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
    """A matmul on one core."""
    mt, kt, nt = 2, 3, 2
    a, b = random_values(32 * mt, 32 * kt), random_values(32 * kt, 32 * nt)
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
    """A matmul on a rectangle of cores; the first core of a row reads A for it, that of a column B."""
    rows, columns, kt = 2, 3, 4
    a, b = random_values(32 * rows, 32 * kt), random_values(32 * kt, 32 * columns)
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
    """Softmax of rows of 32 elements."""
    tiles = 2
    x = random_values(32 * tiles, 32)
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
    """The 32 largest of 64 values of each row, and their columns."""
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


def loopback(grid):
    """From DRAM to L1 and back to DRAM, page by page."""
    x = random_values(128, 64)
    tensors = [grid.tensor((32, 32), "bf16", memory=L1_SHARDED, shards=(1, 1)),
               grid.tensor(x.shape, "bf16", data=bf16(x)), grid.tensor(x.shape, "bf16")]
    grid.load().launch([Run(KERNELS / "loopback.cpp", args=[address(0), address(1), address(2), 8])], tensors=tensors).run()
    return f32(tensors[2].read(np.empty(x.shape, np.uint16))), x


def unary(grid, compute, x, **config):
    """A compute kernel on each tile."""
    tensors = [grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")]
    tiles = x.size // 1024
    grid.load().launch(
        [Run(KERNELS / "unary_reader.cpp", args=[address(0), 0, tiles]),
         Run(KERNELS / compute, args=[tiles], wide_dst=True, unpack_to_dst=(0,), **config),
         Run(KERNELS / "writer.cpp", args=[address(1), 0, tiles], noc=1)],
        cbs=[Buffer(0, "f32", 2), Buffer(16, "f32", 2)], tensors=tensors).run()
    return tensors[1].read(np.empty(x.shape, np.float32))


def sfpu(grid):
    """exp(-x * x), the functions chosen by the host."""
    x = random_values(64, 64)
    chain = "square_tile_init(); square_tile(0); negative_tile_init(); negative_tile(0); exp_tile_init(); exp_tile(0);"
    return unary(grid, "sfpu_compute.cpp", x, defines={"SFPU_OP_CHAIN_0": chain}), np.exp(-x * x)


def smoothstep(grid):
    """A function of the vector unit that the kernel defines."""
    x = random_values(64, 64)
    t = np.clip(x, 0, 1)
    return unary(grid, "smoothstep_compute.cpp", x), t * t * (3 - 2 * t)


def pad(grid):
    """A matrix in rows, padded with -1 to more rows and columns, its rows divided among four cores."""
    x, shape = random_values(10, 32), (16, 64)
    tensors = [grid.tensor(x.shape, "f32", data=x, tiled=False), grid.tensor(shape, "f32", tiled=False)]
    cores, per_core = (0, 0, 1, 4), shape[0] // 4
    value = int(np.float32(-1).view(np.uint32))
    grid.load().launch(
        [Run(KERNELS / "pad_reader.cpp", cores, compile_args=[x.shape[0], 4 * x.shape[1], 4 * shape[1], value],
             args=[[address(0), i * per_core, per_core] for i in range(4)]),
         Run(KERNELS / "row_writer.cpp", cores, compile_args=[4 * shape[1]],
             args=[[address(1), i * per_core, per_core] for i in range(4)], noc=1)],
        cbs=[Buffer(16, "f32", 2, page_bytes=4 * shape[1])], tensors=tensors).run()
    wanted = np.full(shape, -1, np.float32)
    wanted[:10, :32] = x
    return tensors[1].read(np.empty(shape, np.float32)), wanted


def shard(grid):
    """An interleaved matrix in rows becomes one with a shard on each of four cores."""
    x, cores = random_values(64, 32), (0, 0, 4, 1)
    tensors = [grid.tensor(x.shape, "f32", data=x, tiled=False),
               grid.tensor(x.shape, "f32", tiled=False, memory=L1_SHARDED, shards=(4, 1))]
    grid.load().launch(
        [Run(KERNELS / "shard_reader.cpp", cores, compile_args=[16, 128], args=[[address(0), 16 * i] for i in range(4)])],
        cbs=[Buffer(0, "f32", 16, page_bytes=128, tensor=1)], tensors=tensors).run()
    return tensors[1].read(np.empty(x.shape, np.float32)), x


def multicore_matmul(grid):
    """A matmul whose tiles are divided among six cores; each reads its operands."""
    mt, kt, nt, cores = 3, 2, 4, (0, 0, 2, 3)
    a, b = random_values(32 * mt, 32 * kt), random_values(32 * kt, 32 * nt)
    shape, per_core = (32 * mt, 32 * nt), mt * nt // 6
    tensors = [grid.tensor(a.shape, "bf16", data=bf16(a)), grid.tensor(b.shape, "bf16", data=bf16(b)),
               grid.tensor(shape, "f32")]
    grid.load().launch(
        [Run(KERNELS / "matmul_part_reader.cpp", cores, compile_args=[kt, nt],
             args=[[address(0), address(1), i * per_core, per_core] for i in range(6)]),
         Run(KERNELS / "matmul_compute.cpp", cores, compile_args=[per_core, kt, 1], wide_dst=True),
         Run(KERNELS / "writer.cpp", cores, args=[[address(2), i * per_core, per_core] for i in range(6)], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2), Buffer(16, "f32", 2)], tensors=tensors).run()
    return tensors[2].read(np.empty(shape, np.float32)), a @ b


def reduce(grid):
    """The sums of rows."""
    rows, columns = 2, 3
    x = random_values(32 * rows, 32 * columns)
    tensors = [grid.tensor(x.shape, "bf16", data=bf16(x)), grid.tensor((32 * rows, 32), "f32")]
    launch = grid.load().launch(
        [Run(KERNELS / "softmax_reader.cpp", args=[address(0), rows * columns]),
         Run(KERNELS / "reduce_compute.cpp", compile_args=[rows, columns], wide_dst=True),
         Run(KERNELS / "writer.cpp", args=[address(1), 0, rows], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 1), Buffer(16, "f32", 2)], tensors=tensors).run()
    print(launch.log, end="")
    return tensors[1].read(np.empty((32 * rows, 32), np.float32))[:, 0], x.sum(axis=1)


def transfer(grid):
    """Tiles that one core reads and another writes."""
    x = random_values(64, 96)
    tensors = [grid.tensor(x.shape, "bf16", data=bf16(x)), grid.tensor(x.shape, "bf16")]
    there = (0, 1, 1, 1)
    grid.load().launch(
        [Run(KERNELS / "transfer_sender.cpp", args=[address(0), 6, 19, 18, semaphore(0), semaphore(1)]),
         Run(KERNELS / "transfer_receiver.cpp", there, args=[6, 18, 18, semaphore(0), semaphore(1)]),
         Run(KERNELS / "writer.cpp", there, args=[address(1), 0, 6], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(16, "bf16", 2)], tensors=tensors, semaphores=[0, 0]).run()
    return f32(tensors[1].read(np.empty(x.shape, np.uint16))), x


EXAMPLES = {f.__name__: f for f in (add, matmul, multicast_matmul, softmax, topk, loopback, sfpu, smoothstep, pad, shard,
                                    multicore_matmul, reduce, transfer)}


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
