#!/usr/bin/env python3
"""Measures eager calls of ttnn beside torch's of the same function.

bench_ttnn.py [--build DIR] [--json FILE] [--quick]

Each iteration of a row runs both contestants in one process, torch with as many threads as the machine has, as it comes, and so does the
library. Figures are the minimum and the median of wall time per call in microseconds. The goals: at most torch's time plus 2 us on 32x32, no
slower than torch on 1024x1024 element by element; a row that misses its goal is marked."""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--json", default="", help="output file of the rows")
parser.add_argument("--quick", action="store_true", help="few iterations")
options = parser.parse_args()
sys.path[:0] = [str(Path(options.build).resolve() / "python")]

import torch  # noqa: E402
import ttnn  # noqa: E402

DTYPES = {"f32": (torch.float32, ttnn.float32), "bf16": (torch.bfloat16, ttnn.bfloat16)}
CASES = {  # name: torch's function, ttnn's function, number of operands
    "add": (torch.add, ttnn.add, 2), "multiply": (torch.mul, ttnn.multiply, 2), "add a number": (lambda x: x + 2.0, lambda x: x + 2.0, 1),
    "relu": (torch.relu, ttnn.relu, 1), "exp": (torch.exp, ttnn.exp, 1), "sigmoid": (torch.sigmoid, ttnn.sigmoid, 1),
    "matmul": (torch.matmul, ttnn.matmul, 2), "softmax": (lambda x: torch.softmax(x, -1), lambda x: ttnn.softmax(x, -1), 1),
    "sum": (lambda x: torch.sum(x, 1), lambda x: ttnn.sum(x, 1), 1), "permute": (lambda x: x.permute(1, 0).contiguous(), lambda x: ttnn.permute(x, (1, 0)), 1),
}
ELEMENTWISE = list(CASES)[:6]


def per_call(function, operands, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        function(*operands)
    return (time.perf_counter_ns() - start) / calls / 1000


def measure(name, size, dtype, device):
    theirs, ours, n = CASES[name]
    given = [torch.randn(size, size).to(DTYPES[dtype][0]) for _ in range(n)]
    held = [ttnn.from_torch(x, dtype=DTYPES[dtype][1], layout=ttnn.TILE_LAYOUT, device=device) for x in given]
    calls = max(1, (2000 if size < 100 else 10) // (4 if options.quick else 1))
    times = {"torch": [], "ttnn": []}
    for _ in range(5 if options.quick else 25):
        times["torch"].append(per_call(theirs, given, calls))
        times["ttnn"].append(per_call(ours, held, calls))
    row = {"name": name, "size": size, "dtype": dtype, **{f"{who}_{what}": round(f(t), 2) for who, t in times.items()
                                                           for what, f in (("min", min), ("median", statistics.median))}}
    goal = row["torch_median"] + 2 if size < 100 else row["torch_median"] if name in ELEMENTWISE else None
    row["met"] = goal is None or row["ttnn_median"] <= goal
    return row


def main():
    device = ttnn.open_device(device_id=0)
    rows = [measure(name, size, dtype, device) for size in (32, 1024) for dtype in DTYPES for name in (CASES if size < 100 else ELEMENTWISE)]
    print(f"{'us per call':14} {'size':>6} {'dtype':>5} {'torch min':>10} {'median':>8} {'ttnn min':>10} {'median':>8}")
    for r in rows:
        print(f"{r['name']:14} {r['size']:6} {r['dtype']:>5} {r['torch_min']:10} {r['torch_median']:8} {r['ttnn_min']:10} {r['ttnn_median']:8}"
              + ("" if r["met"] else "  missed"))
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))


main()
