#!/usr/bin/env python3
"""@ttl.autotune beside an exhaustive search: bench_autotune.py [M,K,N ...] in tiles (ten shapes by default), on examples/ttl/tuned_matmul.py."""

import itertools
import math
import sys
import time
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples/ttl"))
from ttl.autotune import Candidate  # noqa: E402
from tuned_matmul import matmul  # noqa: E402

SHAPES = [(2, 4, 8), (6, 6, 6), (4, 8, 16), (16, 8, 8), (3, 9, 3), (8, 16, 8), (1, 4, 16), (10, 5, 10), (16, 2, 2), (8, 3, 12)]


def main():
    matmul.verbose = False
    worst = 0
    print("| shape | choice | exhaustive | off by | runs | seconds, exhaustive |\n|---|---|---|---|---|---|")
    for shape in [tuple(map(int, a.split(","))) for a in sys.argv[1:]] or SHAPES:
        m, k, n = shape
        args = torch.randn(32 * m, 32 * k), torch.randn(32 * k, 32 * n), torch.zeros(32 * m, 32 * n)
        start = time.process_time()
        matmul(*args)
        tuned = time.process_time()
        written, tried, count = list(matmul.tables.values())[-1]
        choice = min(c.cycles for c in (written, *tried))
        best = written.cycles
        for values in itertools.product(*matmul.lists.values()):
            candidate = Candidate(dict(zip(matmul.lists, values)))
            matmul.measure(candidate, args, {}, None)
            best = min(best, candidate.cycles)
        ran = 1 + sum(math.isfinite(c.cycles) for c in tried)
        worst = max(worst, choice / best - 1)
        print(f"| {m}, {k}, {n} | {choice:,.0f} | {best:,.0f} | {choice / best - 1:.1%} | {ran} of {count} | "
              f"{tuned - start:.1f}, {time.process_time() - tuned:.1f} |", flush=True)
        if ran > count / 10:
            sys.exit("more than a tenth of the runs")
    print(f"at most {worst:.1%} off")
    sys.exit(worst > 0.05)


if __name__ == "__main__":
    main()
