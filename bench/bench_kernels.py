#!/usr/bin/env python3
"""Cycles of kernels on one core, as the front end lowers them and as they are finished (ttkernel-subblock-dst and what follows).

bench_kernels.py [--build DIR]

Data is read once and computed with eight times, so that the compute thread decides. "math" is what the matrix unit needs for the
products alone, at HiFi4: the limit of any kernel."""

import argparse
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
TIMES, CYCLES_OF_A_TILE = 8, 64  # 16 cycles a fidelity phase (docs/exactness.md)


def kernel(ttl, compute, a_shape, b_shape, c_shape):
    @ttl.kernel(grid=(1, 1))
    def run(a, b, c):
        a_cb, b_cb, c_cb = (ttl.make_circular_buffer_like(t, shape=s) for t, s in ((a, a_shape), (b, b_shape), (c, c_shape)))

        @ttl.compute()
        def work():
            with a_cb.wait() as x:
                with b_cb.wait() as y:
                    for _ in range(TIMES):
                        with c_cb.reserve() as o:
                            o.store(compute(x, y))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, b_cb.reserve() as y:
                ttl.copy(a[0:a_shape[0], 0:a_shape[1]], x).wait()
                ttl.copy(b[0:b_shape[0], 0:b_shape[1]], y).wait()

        @ttl.datamovement()
        def write():
            for _ in range(TIMES):
                with c_cb.wait() as o:
                    ttl.copy(o, c[0:c_shape[0], 0:c_shape[1]]).wait()

    return run


def cases(ttl):
    def product(x, y):
        return x @ y

    def chain(x, y):
        return ttl.math.relu(x + y) * x

    for m, k, n in ((4, 4, 4), (2, 8, 2), (1, 8, 8), (8, 2, 2)):
        yield f"{m}x{k} @ {k}x{n} tiles", product, (m, k), (k, n), (m, n), TIMES * m * k * n * CYCLES_OF_A_TILE
    for m, n in ((4, 4), (3, 5)):
        yield f"relu(x + y) * x, {m}x{n} tiles", chain, (m, n), (m, n), (m, n), None


def cycles(specialization, passes, run, tensors):
    specialization.PASSES = passes
    run(*tensors)
    launch, _ = next(iter(run.cache.values())).launch, run.cache.clear()
    return launch[0].cycles if isinstance(launch, tuple) else launch.cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=root / "build", type=Path)
    sys.path.insert(0, str(parser.parse_args().build.resolve() / "python"))
    import torch
    import ttl
    from ttl import specialization

    whole = specialization.PASSES
    print("| kernel | type | as lowered | finished | math | times faster |\n|---|---|---|---|---|---|")
    for name, compute, *shapes, math in cases(ttl):
        for dtype in (torch.bfloat16, torch.float32):
            tensors = [torch.randn(32 * r, 32 * c).to(dtype) for r, c in shapes]
            before, after = (cycles(specialization, passes, kernel(ttl, compute, *shapes), tensors)
                             for passes in (whole[:-len(specialization.FINISH)], whole))
            limit = f"{math:,}" if math else ""
            print(f"| {name} | {str(dtype).removeprefix('torch.')} | {before:,.0f} | {after:,.0f} | {limit} | {before / after:.2f} |")


if __name__ == "__main__":
    main()
