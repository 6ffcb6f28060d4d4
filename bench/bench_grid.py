#!/usr/bin/env python3
"""Measures the simulated grid: speed beside tt-lang's own Python simulator, and cycles beside
published figures of the hardware.

bench_grid.py [--build DIR] [--peer CHECKOUT] [--json FILE] [--quick]

The same kernels in the TTL language (ttl_cases.py) run on both, each in a process of its own, one
thread; a figure is processor time of the call of a compiled kernel, tensors being on the device
(ours: minimum of 25; theirs: of one call, for it takes seconds). Our third and later calls with the
same arguments replay the second; "executed" is the minimum of 25 calls with alternating
tensors, which cannot be replayed, "first" that of the first calls of five equal kernels, which
compile it. --peer is a checkout of
github.com/tenstorrent/tt-lang, also named by TTLANG_PEER; without one only our side is measured.

Then: the launchers with an empty file; kernels on one core beside torch on the whole tensors, one thread (the limits of this machine's memory and
matmul); the 8x8 cases with a second thread (each thread's processor time,
so that the figure is valid if each has a processor; and wall time); one call of a
kernel of one tile."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent


def goal_of(name):
    return 1000 if "8x8 cores" in name else 100 if "4x4" in name else 300


def measure(side, build, peer, which):
    """Seconds of each case, in a separate process."""
    if side == "theirs":
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
        row = {"case": name, "units": units}
        if side == "ours":
            tensors = [ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b, out)]
            outs = [ttnn.from_torch(out, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(10)]
            kernel = make()
            kernel(*tensors)
            row["executed"] = min(least(lambda: kernel(*tensors[:2], outs[i % 10]), 1) for i in range(25))
            del outs
            row["first"] = min(least(lambda: make()(*tensors), 1) for _ in range(5))
        else:
            kernel = make()
            tensors = [ttnn.from_torch(t) for t in (a, b, out)]
        row["seconds"] = least(lambda: kernel(*tensors), 25 if side == "ours" else 1)
        print(json.dumps(row), flush=True)


def own_kernel(build, make, n, dtype):
    """Our kernel and its tensors of n x n tiles, called once."""
    import torch
    import ttnn

    torch.set_num_threads(1)
    device = ttnn.open_device(device_id=0)
    torch.manual_seed(0)
    a, b = (torch.rand(32 * n, 32 * n).to(getattr(torch, dtype)) for _ in range(2))
    kernel = make()
    tensors = [ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b, torch.zeros_like(a))]
    kernel(*tensors)
    return lambda: kernel(*tensors), a, b


def least(call, iterations, clock=time.process_time):
    times = []
    for _ in range(iterations):
        begin = clock()
        call()
        times.append(clock() - begin)
    return min(times)


def measure_limit(build, which):
    """Interleaved: a kernel on one core, and torch on the whole tensors."""
    import ttl_cases

    name, make, n, dtype, units = ttl_cases.LIMITS[which]
    call, a, b = own_kernel(build, make, n, dtype)
    import torch

    out = torch.empty_like(a)
    whole = (lambda: torch.matmul(a, b, out=out)) if "matmul" in name else (lambda: torch.add(a, b, out=out))
    pairs = [(least(call, 3), least(whole, 3)) for _ in range(7)]
    ours, limit = (min(p[i] for p in pairs) for i in (0, 1))
    print(json.dumps({"case": name, "seconds": ours, "limit": limit, "units": units}), flush=True)


def measure_threads(build, which):
    """Each thread's processor time in the call whose busier thread was fastest; the minimum wall time."""
    import ttl_cases

    name, make, n, dtype, units = ttl_cases.CASES[which]
    call, *_ = own_kernel(build, make, n, dtype)
    rows = []
    for _ in range(60):
        begin = time.thread_time(), time.process_time(), time.perf_counter()
        call()
        first, both, clock = (now - then for now, then in zip((time.thread_time(), time.process_time(), time.perf_counter()), begin))
        rows.append((first, both - first, clock))
    first, second, _ = min(rows, key=lambda row: max(row[:2]))
    print(json.dumps({"case": name, "first": first, "second": second, "clock": min(row[2] for row in rows), "units": units}),
          flush=True)


def measure_call(build):
    import ttl_cases

    call, *_ = own_kernel(build, lambda: ttl_cases.add(1, 1, 1), 1, "bfloat16")
    times = sorted(least(lambda: [call() for _ in range(50)], 1) / 50 for _ in range(60))
    print(json.dumps({"case": "cached call, one tile", "seconds": times[0], "median": times[30], "goal": 20e-6}), flush=True)


def child(side, options, which, **environment):
    done = subprocess.run([sys.executable, __file__, "--side", side, "--build", options.build, "--peer", options.peer,
                           "--which", ",".join(map(str, which))], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
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
        for kind in ("executed", "first"):
            rows[-1][f"{kind} ratio"] = peer and peer["seconds"] / row[kind]
        text = f"{row['case']:46s} {row['seconds'] / row['units'] * 1e6:8.2f} us a unit ({row['executed'] / row['units'] * 1e6:.2f} " \
               f"executed, {row['first'] / row['units'] * 1e6:.2f} first)"
        print(text + (f"  tt-lang {peer['seconds'] / row['units'] * 1e6:8.1f}  ratio {ratio:6.0f} "
                      f"({rows[-1]['executed ratio']:.0f} executed, {rows[-1]['first ratio']:.0f} first)  goal {goal}"
                      + ("" if ratio >= goal else "  (missed)") if peer else "  (no peer)"))
    return rows


def processor_time(command, **environment):
    """Processor time of the command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up(options):
    """The launchers with an empty file, interleaved, and Python itself."""
    with tempfile.NamedTemporaryFile(suffix=".py") as empty:
        commands = {"seconds": [sys.executable, str(Path(options.build) / "bin/ttlang-sim"), empty.name],
                    "python": [sys.executable, empty.name]}
        if options.peer:
            commands["peer"] = [sys.executable, "-m", "sim.ttlang_sim", empty.name]
        times = {name: [] for name in commands}
        for _ in range(3 if options.quick else 7):
            for name, command in commands.items():
                times[name].append(processor_time(command, **({"PYTHONPATH": str(Path(options.peer) / "python")} if name == "peer" else {})))
    row = {"case": "start-up with an empty file", "goal": 100, **{name: min(t) for name, t in times.items()}}
    row["ratio"] = row["peer"] / row["seconds"] if options.peer else None
    print(f"{row['case']}: {row['seconds'] * 1e3:.1f} ms, Python alone {row['python'] * 1e3:.1f}"
          + (f"  tt-lang {row['peer'] * 1e3:.0f}  ratio {row['ratio']:.0f}  goal 100" if options.peer else "  (no peer)"))
    return [row]


def limits(options):
    rows = [row for i in range(1 if options.quick else 3) for row in child("limit", options, [i])]
    for row in rows:
        row["ratio"], row["goal"] = row["seconds"] / row["limit"], 2
        print(f"{row['case']:46s} {row['seconds'] / row['units'] * 1e6:8.2f} us a unit  whole in torch "
              f"{row['limit'] / row['units'] * 1e6:.2f}  ratio {row['ratio']:.1f}  goal 2"
              + ("" if row["ratio"] <= 2 else "  (missed)"))
    return rows


def two_threads(options):
    rows = []
    for i in [2] if options.quick else [2, 3, 6]:
        for one, two in zip(*(child("threads", options, [i], TILEWRIGHT_THREADS=str(n)) for n in (1, 2))):
            gain, clock = one["first"] / max(two["first"], two["second"]), one["clock"] / two["clock"]
            rows.append({**two, "case": f"two threads: {one['case']}", "one": one, "gain": gain, "clock_gain": clock, "goal": 1.7})
            print(f"two threads: {one['case']:44s} {one['first'] * 1e3:.1f} ms -> {two['first'] * 1e3:.1f} and "
                  f"{two['second'] * 1e3:.1f}: {gain:.2f} times; by the clock {clock:.2f}; goal 1.7")
    return rows


def one_call(options):
    rows = child("call", options, [0])
    for row in rows:
        print(f"{row['case']}: {row['seconds'] * 1e6:.1f} us, median {row['median'] * 1e6:.1f}, goal 20")
    return rows


def cycles(options):
    """The exam of the cost model."""
    with tempfile.NamedTemporaryFile(suffix=".json") as results:
        done = subprocess.run([sys.executable, str(root / "bench/exam.py"), "--build", options.build, "--json", results.name])
        return json.loads(Path(results.name).read_text()) if done.returncode == 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--peer", default=os.environ.get("TTLANG_PEER", ""))
    parser.add_argument("--json", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--side", default="", help=argparse.SUPPRESS)
    parser.add_argument("--which", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    which = [int(i) for i in options.which.split(",") if i]
    if options.side:
        sys.path[:0] = [str(root / "bench")] + [str(Path(options.build) / "python")] * (options.side != "theirs")
    if options.side in ("ours", "theirs"):
        measure(options.side, options.build, options.peer, which)
    elif options.side == "limit":
        measure_limit(options.build, which[0])
    elif options.side == "threads":
        measure_threads(options.build, which[0])
    elif options.side == "call":
        measure_call(options.build)
    if options.side:
        return
    rows = start_up(options) + speed(options) + limits(options) + two_threads(options) + one_call(options) + cycles(options)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


main()
