"""Eight kernels, each with one bottleneck, at the line that ends in a comment: --what-if puts it first.

    ttlang-sim --what-if examples/what_if.py           # all of them, or those named behind it
"""

import sys

import torch
import ttl

N = 16  # blocks of each kernel


def cb(tensor, shape=(1, 1), depth=2):
    return ttl.make_circular_buffer_like(tensor, shape=shape, buffer_factor=depth)


BANKS = 12  # tile 12 i of a tensor lies in its first bank


@ttl.kernel(grid=(4, 1))
def dram(x, out):
    x_cb, y_cb, out_cb = cb(x), cb(x), cb(out)

    @ttl.compute()
    def compute():
        for _ in range(N):
            with x_cb.wait() as a, y_cb.wait() as b, out_cb.reserve() as result:
                result.store(a + b)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        for i in range(N):
            with x_cb.reserve() as block:
                ttl.copy(x[0, (i * 4 + column) * BANKS], block).wait()  # DRAM: all from one bank, over both NoCs

    @ttl.datamovement()
    def read_and_write():
        column, _ = ttl.core(dims=2)
        for i in range(N):
            with y_cb.reserve() as block:
                ttl.copy(x[1, (i * 4 + column) * BANKS], block).wait()
            with out_cb.wait() as block:
                if i == N - 1:
                    ttl.copy(block, out[0, column]).wait()


@ttl.kernel(grid=(2, 1))
def noc(x, out):
    x_cb, out_cb = cb(x, (2, 4)), cb(out)
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])

    @ttl.compute()
    def compute():
        for _ in range(N):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(ttl.math.reduce_max(block, dims=[0, 1]))

    @ttl.datamovement()
    def read():
        for _ in range(N):
            with x_cb.reserve() as block:

                def send(pipe):
                    ttl.copy(x[0:2, 0:4], block).wait()
                    for _ in range(6):
                        ttl.copy(block, pipe).wait()  # NoC: one core sends to another

                def receive(pipe):
                    for _ in range(6):
                        ttl.copy(pipe, block).wait()

                net.if_src(send)
                net.if_dst(receive)

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        for i in range(N):
            with out_cb.wait() as block:
                if i == N - 1:
                    ttl.copy(block, out[0, column]).wait()


@ttl.kernel(grid=(1, 1), compute_config={"math_fidelity": "LoFi"})
def unpack(a, b, out):
    a_cb, b_cb, out_cb = cb(a, (1, 8)), cb(b, (8, 1)), cb(out)

    @ttl.compute()
    def compute():
        with a_cb.wait() as x, b_cb.wait() as y:
            for _ in range(N):
                with out_cb.reserve() as result:
                    result.store(x @ y)  # unpackers: in LoFi the matrix unit needs a third of their time

    @ttl.datamovement()
    def read():
        with a_cb.reserve() as x, b_cb.reserve() as y:
            ttl.copy(a[0:1, 0:8], x).wait()
            ttl.copy(b[0:8, 0:1], y).wait()

    @ttl.datamovement()
    def write():
        for i in range(N):
            with out_cb.wait() as block:
                ttl.copy(block, out[0, i]).wait()


def on_one_core(body):
    """A kernel on one core whose compute thread runs `body(block, result)` for each tile."""

    @ttl.kernel(grid=(1, 1))
    def one_core(x, out):
        x_cb, out_cb = cb(x), cb(out)

        @ttl.compute()
        def compute():
            for _ in range(N):
                with x_cb.wait() as block, out_cb.reserve() as result:
                    body(block, result)

        @ttl.datamovement()
        def read():
            for i in range(N):
                with x_cb.reserve() as block:
                    ttl.copy(x[0, i], block).wait()

        @ttl.datamovement()
        def write():
            for i in range(N):
                with out_cb.wait() as block:
                    ttl.copy(block, out[0, i]).wait()

    return one_core


def exponentials(block, result):
    result.store(ttl.math.exp(ttl.math.exp(ttl.math.exp(block))))  # math units


def accumulate(block, result):
    for _ in range(20):
        result.store(block, acc=True)  # packer: it adds in L1


math, pack = on_one_core(exponentials), on_one_core(accumulate)


@ttl.kernel(grid=(1, 1))
def depth(x, out, blocks=1):
    x_cb, out_cb = cb(x, (1, 8), blocks), cb(out, (1, 8))  # circular buffer 0: the reader waits for its only block

    @ttl.compute()
    def compute():
        for _ in range(N):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(ttl.math.abs(block))

    @ttl.datamovement()
    def read():
        for i in range(N):
            with x_cb.reserve() as block:
                ttl.copy(x[i, 0:8], block).wait()

    @ttl.datamovement()
    def write():
        for i in range(N):
            with out_cb.wait() as block:
                ttl.copy(block, out[i, 0:8]).wait()


@ttl.kernel(grid=(1, 1))
def scalar(x, out, steps=400):
    x_cb, out_cb = cb(x), cb(out)

    @ttl.compute()
    def compute():
        for _ in range(N):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block + block)

    @ttl.datamovement()
    def read():
        for i in range(N):
            at = i
            for _ in range(steps):
                at = (at * 5 + 3) % 16  # line: arithmetic of the data movement core
            with x_cb.reserve() as block:
                ttl.copy(x[0, at], block).wait()

    @ttl.datamovement()
    def write():
        for i in range(N):
            with out_cb.wait() as block:
                ttl.copy(block, out[0, i]).wait()


@ttl.kernel(grid=(2, 1))
def signal(x, out, laps=30):
    x_cb, out_cb = cb(x), cb(out)
    ready = ttl.Semaphore()

    @ttl.compute()
    def compute():
        for _ in range(N):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block + block)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        for i in range(N):
            for lap in range(laps):
                ready.get_remote((1 - column, 0)).inc(1)  # NoC: a signal for each lap, and a wait until it has come
            ready.wait_ge(laps * (i + 1))
            with x_cb.reserve() as block:
                ttl.copy(x[column, i], block).wait()

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        for i in range(N):
            with out_cb.wait() as block:
                ttl.copy(block, out[column, i]).wait()


def tensors(rows, columns, out_rows=None, out_columns=None):
    return torch.rand(rows * 32, columns * 32), torch.zeros((out_rows or rows) * 32, (out_columns or columns) * 32)


CALLS = {
    "dram": lambda: dram(*tensors(2, N * 4 * BANKS, 1, 4)),
    "noc": lambda: noc(*tensors(2, 4, 1, 2)),
    "unpack": lambda: unpack(*(torch.rand(r * 32, c * 32).bfloat16() for r, c in ((1, 8), (8, 1), (1, N)))),
    "math": lambda: math(*tensors(1, N)),
    "pack": lambda: pack(*tensors(1, N)),
    "depth": lambda: depth(*tensors(N, 8)),
    "scalar": lambda: scalar(*tensors(1, N)),
    "signal": lambda: signal(*tensors(2, N)),
}


def main():
    for name in sys.argv[1:] or CALLS:
        print(f"== {name}")
        CALLS[name]()


if __name__ == "__main__":
    main()
