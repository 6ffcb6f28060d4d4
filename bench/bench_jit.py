#!/usr/bin/env python3
"""Measures compiled functions of ttnn beside torch.compile's of the same function.

bench_jit.py [--build DIR] [--json FILE] [--quick] [--only calls|sizes|compile|fusion]

calls: the first call (trace, compile, load, run) and a cached call on 32x32; sizes: calls on 1024x1024 and 8192x2048; each
iteration of a row runs both contestants, one after the other, on as many threads, with an allocator that reuses memory
on both sides; figures are minima. compile: chains of operations and trees of inputs, whose time should grow with their
length, on the host's engine beside torch.compile's first calls, and on the grid. fusion: kernels, tiles live in DST, bytes moved and predicted cycles of a function on the grid, fused and not. A row
that misses its goal is marked."""

import argparse
import ctypes
import json
import os
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--json", default="", help="output file of the rows")
parser.add_argument("--quick", action="store_true", help="few iterations")
parser.add_argument("--cpu", action="store_true", help="one thread, and its processor time instead of wall time: for loaded machines")
parser.add_argument("--only", choices=("calls", "sizes", "compile", "fusion"))
options = parser.parse_args()
sys.path[:0] = [str(Path(options.build).resolve() / "python")]

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # a cold call compiles
if options.cpu:
    os.environ["TILEWRIGHT_THREADS"] = "1"
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 30)  # torch's results stay in the heap, as ttnn keeps blocks of results
ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, -1)

import torch  # noqa: E402
import ttnn  # noqa: E402
import ttnn_jit  # noqa: E402
from ttnn_jit._src import engine as engines, inspect  # noqa: E402

if options.cpu:
    torch.set_num_threads(1)
DTYPES = {"f32": (torch.float32, ttnn.float32), "bf16": (torch.bfloat16, ttnn.bfloat16)}
device = ttnn.open_device(device_id=0)


def cosh(x):
    return ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.5)


def unary_chain(x):
    return ttnn.exp(ttnn.neg(ttnn.sin(ttnn.abs(x))))


def add_tree_8_to_1(a, b, c, d, e, f, g, h):
    return ttnn.add(ttnn.add(ttnn.add(a, b), ttnn.add(c, d)), ttnn.add(ttnn.add(e, f), ttnn.add(g, h)))


CASES = {"cosh": (cosh, lambda x: (torch.exp(x) + torch.exp(-x)) * 0.5, 1),
         "unary_chain": (unary_chain, lambda x: torch.exp(-torch.sin(torch.abs(x))), 1),
         "add_tree_8_to_1": (add_tree_8_to_1, lambda a, b, c, d, e, f, g, h: ((a + b) + (c + d)) + ((e + f) + (g + h)), 8)}


def inputs(shape, dtype, n):
    given = [torch.randn(shape).to(DTYPES[dtype][0]) for _ in range(n)]
    return given, [ttnn.from_torch(x, dtype=DTYPES[dtype][1], layout=ttnn.TILE_LAYOUT, device=device) for x in given]


def seconds(function, operands, calls=1, clock=time.thread_time if options.cpu else time.perf_counter):
    start = clock()
    for _ in range(calls):
        function(*operands)
    return (clock() - start) / calls


def both(theirs, ours, given, held, times, calls):
    """Minima of a call of each; the contestants begin in turn."""
    found = {"torch": [], "ttnn": []}
    for i in range(times):
        for name, function, operands in (("torch", theirs, given), ("ttnn", ours, held))[:: 1 if i % 2 else -1]:
            found[name].append(seconds(function, operands, calls))
    return min(found["torch"]), min(found["ttnn"])


def calls():
    rows = []
    for name, (ours, theirs, n) in CASES.items():
        given, held = inputs((32, 32), "f32", n)
        first = min(seconds(ttnn_jit.jit(enable_cache=True)(ours), held, clock=time.perf_counter) for _ in range(5))
        torch._dynamo.reset()
        compiled, kept = torch.compile(theirs), ttnn_jit.jit(enable_cache=True)(ours)
        cold = seconds(compiled, given, clock=time.perf_counter)
        kept(*held)
        theirs_us, ours_us = both(compiled, kept, given, held, 5 if options.quick else 25, 400)
        rows += [{"row": f"{name}: first call", "unit": "ms", "torch": cold * 1e3, "ttnn": first * 1e3, "met": first < 5e-3 and cold / first >= 100},
                 {"row": f"{name}: cached, 32x32", "unit": "us", "torch": theirs_us * 1e6, "ttnn": ours_us * 1e6, "met": ours_us < 5e-6 and ours_us < theirs_us}]
    return rows


def sizes():
    rows = []
    for shape in ((1024, 1024), (8192, 2048)):
        for dtype in DTYPES:
            for name, (ours, theirs, n) in CASES.items():
                given, held = inputs(shape, dtype, n)
                torch._dynamo.reset()
                compiled, kept = torch.compile(theirs), ttnn_jit.jit(enable_cache=True)(ours)
                compiled(*given), kept(*held)
                small = shape == (1024, 1024)
                a, b = both(compiled, kept, given, held, (10 if options.quick else 40) if small else (3 if options.quick else 8), 4 if small else 1)
                rows.append({"row": f"{name}: {shape[0]}x{shape[1]} {dtype}", "unit": "ms", "torch": a * 1e3, "ttnn": b * 1e3, "met": b <= a})
    return rows


def chain(length):
    def function(x):
        for i in range(length):
            x = ttnn.add(x, 1.0) if i % 2 else ttnn.neg(x)
        return x

    return function


def tree(*values):
    values = list(values)
    while len(values) > 1:
        values = [ttnn.add(*values[i: i + 2]) if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
    return values[0]


def torch_chain(length):
    def function(x):
        for i in range(length):
            x = x + 1.0 if i % 2 else -x
        return x

    return function


def torch_tree(*values):
    values = list(values)
    while len(values) > 1:
        values = [values[i] + values[i + 1] if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
    return values[0]


def first_call(decorate, function, operands, times):
    """ms of processor time of a first call."""
    return min(seconds(decorate(function), operands, clock=time.process_time) for _ in range(times)) * 1e3


def compile_times():
    """First calls in processor time for each length, of both contestants one after the other; then on the grid (no contestant), whose rows
    are met if the longest takes less than three times as long as the one half as long."""
    rows, times = [], 3 if options.quick else 7
    cases = (("chain of operations", (250, 500, 1000), chain, torch_chain), ("tree of inputs", (8, 16, 31), lambda _: tree, lambda _: torch_tree))
    for engine in ("host", "grid"):
        for name, lengths, make, theirs in cases:
            found = []
            for n in lengths:
                given, held = inputs((32, 32), "f32", 1 if make is chain else n)
                row = {"row": f"{name}: {n}" + (", grid" if engine == "grid" else ""), "unit": "ms"}
                if engine == "host":
                    torch._dynamo.reset()
                    row |= {"torch": first_call(torch.compile, theirs(n), given, 1), "ttnn": first_call(ttnn_jit.jit(), make(n), held, times)}
                else:
                    with engines.on_the_grid():
                        row["ttnn"] = first_call(ttnn_jit.jit(), make(n), held, 2)
                found.append(row | {"met": engine == "grid" or row["ttnn"] < 50})
            found[-1]["met"] &= found[-1]["ttnn"] / found[-2]["ttnn"] < 3
            rows += found
    return rows


def on_the_grid(function, held, fused):
    """Kernels, tiles of DST, bytes moved and cycles of a run on the grid."""
    made = ttnn_jit.jit()(function)
    made.fusion = fused
    seen = inspect.run(made, held)
    return {"kernels launched": len(seen.launches), "DST tiles": max(k.tiles for k in seen.kernels), "bytes": seen.bytes_moved, "cycles": seen.cycles}


def fusion():
    rows = []
    for name, (ours, _, n) in CASES.items():
        memory = ttnn.create_sharded_memory_config((256, 256), ttnn.CoreGrid(y=8, x=8), ttnn.ShardStrategy.BLOCK)
        held = [ttnn.from_torch(torch.randn(256, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory) for _ in range(n)]
        fused, apart = on_the_grid(ours, held, True), on_the_grid(ours, held, False)
        rows += [{"row": f"{name}: {what}", "unit": "", "torch": apart[what], "ttnn": fused[what], "met": fused[what] <= apart[what] or what == "DST tiles"}
                 for what in fused]
    return rows


def shown(value):
    return "" if value is None else f"{value:.0f}" if value == int(value) else f"{value:.3f}"


def main():
    rows = []
    for name, measure in (("calls", calls), ("sizes", sizes), ("compile", compile_times), ("fusion", fusion)):
        if options.only not in (None, name):
            continue
        made = measure()
        first = "unfused" if name == "fusion" else "torch.compile"
        print(f"{name:38} {first:>14} {'fused' if name == 'fusion' else 'ttnn_jit':>10}   ratio")
        for r in made:
            ratio = f"{r['torch'] / r['ttnn']:7.2f}" if r.get("torch") and r["ttnn"] else ""
            print(f"{r['row']:35}{r['unit']:>3} {shown(r.get('torch')):>14} {shown(r['ttnn']):>10} {ratio}" + ("" if r["met"] else "  missed"), flush=True)
        rows += made
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))


main()
