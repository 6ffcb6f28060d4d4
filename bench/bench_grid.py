#!/usr/bin/env python3
"""Measures the simulated grid: speed beside tt-lang's own Python simulator, and cycles beside
published figures of the hardware.

bench_grid.py [--build DIR] [--peer CHECKOUT] [--json FILE] [--quick]

The same kernels in the TTL language (ttl_cases.py) run on both, each in a process of its own, one
thread; a figure is processor time of the call of a compiled kernel, tensors being on the device
(ours: least of five; theirs: of one call, for it takes seconds). The peer is a checkout of
github.com/tenstorrent/tt-lang, also named by TTLANG_PEER; without one only our side is measured."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent


def goal_of(name):
    return 1000 if "8x8 cores" in name else 100 if "4x4" in name else 300


def measure(side, build, peer, which):
    """In a process of its own: seconds of each case."""
    sys.path[:0] = [str(root / "bench")]
    if side == "ours":
        sys.path[:0] = [str(Path(build) / "python")]
    else:
        sys.path[:0] = [str(Path(peer) / "python")]
    import torch

    torch.set_num_threads(1)
    if side != "ours":
        from sim import ttl, ttnn

        sys.modules["ttl"], sys.modules["ttnn"] = ttl, ttnn
    import ttl_cases
    import ttnn

    device = ttnn.open_device(device_id=0)
    for i in which:
        name, make, n, dtype, units = ttl_cases.CASES[i]
        torch.manual_seed(0)
        a, b = (torch.rand(32 * n, 32 * n).to(getattr(torch, dtype)) for _ in range(2))
        out = torch.zeros_like(a)
        kernel = make()
        if side == "ours":
            tensors = [ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b, out)]
            kernel(*tensors)
            rounds = 5
        else:
            tensors = [ttnn.from_torch(t) for t in (a, b, out)]
            rounds = 1
        times = []
        for _ in range(rounds):
            begin = time.process_time()
            kernel(*tensors)
            times.append(time.process_time() - begin)
        print(json.dumps({"case": name, "seconds": min(times), "units": units}), flush=True)


def child(side, options, which):
    done = subprocess.run([sys.executable, __file__, "--side", side, "--build", options.build, "--peer", options.peer,
                           "--which", ",".join(map(str, which))], stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def speed(options):
    sys.path[:0] = [str(Path(options.build) / "python"), str(root / "bench")]
    which = [0, 1, 4] if options.quick else range(8)
    ours = child("ours", options, which)
    theirs = {row["case"]: row for row in child("theirs", options, which)} if options.peer else {}
    rows = []
    for row in ours:
        peer, goal = theirs.get(row["case"]), goal_of(row["case"])
        ratio = peer["seconds"] / row["seconds"] if peer else None
        rows.append({**row, "peer": peer and peer["seconds"], "ratio": ratio, "goal": goal, "met": ratio is not None and ratio >= goal})
        text = f"{row['case']:46s} {row['seconds'] / row['units'] * 1e6:8.2f} us a unit"
        print(text + (f"  tt-lang {peer['seconds'] / row['units'] * 1e6:8.1f}  ratio {ratio:6.0f}  goal {goal}"
                      + ("" if ratio >= goal else "  (missed)") if peer else "  (no peer)"))
    return rows


def cycles(options):
    """Errors of the cost model, class by class."""
    code = "import json, grid_cost; print(json.dumps(grid_cost.figures()))"
    path = os.pathsep.join([str(Path(options.build) / "python"), str(root / "tests/python")])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True)
    figures = json.loads(done.stdout) if done.stdout else {}
    worst = {}
    for name, (model, published, unit, kind) in figures.items():
        error = model / published - 1
        worst[kind] = max(worst.get(kind, 0), abs(error))
        print(f"{name:74s} {model:7.1f} {unit}, published {published}: {error:+.1%}")
    for kind, error in worst.items():
        print(f"cycles, {kind}: within {error:.1%} of what is published")
    return [{"case": name, "model": m, "published": p, "unit": u, "class": k} for name, (m, p, u, k) in figures.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--peer", default=os.environ.get("TTLANG_PEER", ""))
    parser.add_argument("--json", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--side", default="", help=argparse.SUPPRESS)
    parser.add_argument("--which", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        measure(options.side, options.build, options.peer, [int(i) for i in options.which.split(",")])
        return
    rows = speed(options) + cycles(options)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


main()
