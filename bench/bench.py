#!/usr/bin/env python3
"""Measures Tilewright beside its peers in one process and prints a table (and JSON).

bench.py [--build DIR] [--only WORD] [--json FILE] [--quick]

Each case runs the contestants in turn, round after round, so that noise of the machine hits
all of them; figures are the minimum and the median over the rounds.  `ratio` is the best
peer's median divided by ours: above 1, we are faster."""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--only", default="")
parser.add_argument("--json", default="")
parser.add_argument("--quick", action="store_true", help="few rounds, small sizes")
options = parser.parse_args()
os.environ["TW_BUILD"] = str(Path(options.build).resolve())
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
sys.path.insert(0, str(root / "tests/python"))

import numpy as np  # noqa: E402
from native import Program, lib  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(1)
rows = []


def measure(contestants, rounds, burst=1):
    """Seconds of each contestant, measured in turn; of calls that take microseconds, a burst in each
    turn, so that steady calls are compared and not the refilling of caches after the one before."""
    times = {name: [] for name in contestants}
    for run in contestants.values():
        run()
        run()
    for _ in range(3 if options.quick else rounds):
        for name, run in contestants.items():
            start = time.perf_counter()
            for _ in range(burst):
                run()
            times[name].append((time.perf_counter() - start) / burst)
    return times


def report(case, times, unit=1e6, name="us", extra=""):
    ours = statistics.median(times["tilewright"])
    peers = {k: statistics.median(v) for k, v in times.items() if k != "tilewright"}
    best = min(peers, key=peers.get) if peers else None
    ratio = peers[best] / ours if best else float("nan")
    row = {"case": case, "unit": name, "ours_min": min(times["tilewright"]) * unit, "ours_median": ours * unit,
           "best_peer": best, "ratio": ratio, "peers": {k: v * unit for k, v in peers.items()}}
    rows.append(row)
    others = "  ".join(f"{k} {v * unit:.1f}" for k, v in peers.items())
    print(f"{case:34s} ours {row['ours_median']:10.1f} {name} (min {row['ours_min']:.1f})  ratio {ratio:5.2f}   {others} {extra}",
          flush=True)


def runner(fn, *arrays):
    """The exported program, called through the C interface on fixed buffers."""
    text = jax.jit(fn).lower(*arrays).as_text()
    p = Program(text)
    held = [np.ascontiguousarray(np.asarray(a)).view(np.uint16) if a.dtype == jnp.bfloat16 else np.asarray(a)
            for a in arrays]
    outs = p(*held)
    ins = (ctypes.c_void_p * len(held))(*[a.ctypes.data for a in held])
    ptrs = (ctypes.c_void_p * len(outs))(*[o.ctypes.data for o in outs])

    def run():
        lib.tw_program_run(p.handle, ins, ptrs)

    run.keep = (p, held, outs)
    return run


def wanted(name):
    return options.only in name


def elementwise(n):
    rng = np.random.default_rng(0)
    label = "1M" if n == 1 << 20 else "16M"
    side = 1 << (n.bit_length() // 2)
    cases = {
        "chain abs-sin-neg-exp": (lambda x: jnp.exp(-jnp.sin(jnp.abs(x))), lambda x: torch.exp(-torch.sin(torch.abs(x))), 1),
        "softmax": (lambda x: jax.nn.softmax(x.reshape(side, -1), axis=-1),
                    lambda x: torch.softmax(x.reshape(side, -1), -1), 1),
        "add tree of 8": (lambda *a: ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])),
                          lambda *a: ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])), 8),
        "gelu": (lambda x: jax.nn.gelu(x, approximate=False), torch.nn.functional.gelu, 1),
        "tanh": (jnp.tanh, torch.tanh, 1),
    }
    for name, (jf, tf, count) in cases.items():
        for dtype in (np.float32, jnp.bfloat16):
            case = f"{name} {label} {'f32' if dtype == np.float32 else 'bf16'}"
            if not wanted(case):
                continue
            arrays = [jnp.asarray(rng.standard_normal(n, dtype=np.float32)).astype(dtype) for _ in range(count)]
            tensors = [torch.from_numpy(np.asarray(a.astype(np.float32))).to(
                torch.float32 if dtype == np.float32 else torch.bfloat16) for a in arrays]
            jitted, compiled = jax.jit(jf), torch.compile(tf)
            with torch.no_grad():
                report(case, measure({"tilewright": runner(jf, *arrays), "torch": lambda: tf(*tensors),
                                      "torch.compile": lambda: compiled(*tensors),
                                      "jax": lambda: jitted(*arrays).block_until_ready()}, 15))


def matmuls():
    for m, k, n in [(256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (32, 4096, 4096)]:
        case = f"matmul {m}x{k}x{n} f32"
        if not wanted(case) or (options.quick and m * k * n > 1 << 28):
            continue
        rng = np.random.default_rng(0)
        a, b = (jnp.asarray(rng.standard_normal(s, dtype=np.float32)) for s in ((m, k), (k, n)))
        run = runner(lambda x, y: x @ y, a, b)
        run.keep[0].set_constant(1, np.asarray(b))
        ta, tb, jitted = torch.from_numpy(np.asarray(a)), torch.from_numpy(np.asarray(b)), jax.jit(lambda x, y: x @ y)
        times = measure({"tilewright": run, "torch": lambda: ta @ tb, "numpy": lambda: np.asarray(a) @ np.asarray(b),
                         "jax": lambda: jitted(a, b).block_until_ready()}, 11)
        report(case, times, extra=f"{2e-9 * m * k * n / statistics.median(times['tilewright']):.0f} GFLOP/s")


def mlp():
    text = (root / "examples/mlp.mlir").read_text()
    rng = np.random.default_rng(0)
    shapes = [(32, 128), (256, 128), (256,), (10, 256), (10,)]
    arrays = [rng.standard_normal(s, dtype=np.float32) for s in shapes]

    def forward(x, w1, b1, w2, b2):
        return jnp.maximum(x @ w1.T + b1, 0) @ w2.T + b2

    if wanted("mlp compile"):
        def ours():
            Program(text)

        def with_jax():
            jax.jit(forward).lower(*arrays).compile()
            jax.clear_caches()

        report("mlp compile", measure({"tilewright": ours, "jax": with_jax}, 7), 1e3, "ms")
    if wanted("mlp call"):
        p = Program(text)
        for i in range(1, 5):
            p.set_constant(i, arrays[i])
        out = np.empty((32, 10), np.float32)
        ins = (ctypes.c_void_p * 5)(*[a.ctypes.data for a in arrays])
        outs = (ctypes.c_void_p * 1)(out.ctypes.data)
        model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
        x, jx, jitted = torch.from_numpy(arrays[0]), [jnp.asarray(a) for a in arrays], jax.jit(forward)
        compiled = torch.compile(model)
        contestants = {"tilewright": lambda: lib.tw_program_run(p.handle, ins, outs), "torch": lambda: model(x),
                       "torch.compile": lambda: compiled(x), "jax": lambda: jitted(*jx).block_until_ready()}
        sys.path.insert(0, os.environ["TW_BUILD"] + "/python")
        try:
            import tilewright  # noqa: F401

            through = torch.compile(model, backend="tt")
            through(x)
            contestants["(ours through torch)"] = lambda: through(x)
        except Exception as error:  # the packages may not be built
            print(f"  torch backend left out: {error}")
        with torch.no_grad():
            times = measure(contestants, 60, burst=50)
        through_torch = times.pop("(ours through torch)", None)
        report("mlp call, C interface", times)
        if through_torch:
            report("mlp call, through torch", {**times, "tilewright": through_torch})


def module(count):
    lines = ["func.func @f(%arg0: tensor<32x32xf32>, %arg1: tensor<32x32xf32>) -> tensor<32x32xf32> {"]
    for i in range(count):
        a = f"%{i - 1}" if i else "%arg0"
        lines.append(f'  %{i} = "test.add"({a}, %arg1) {{axis = {i % 7} : i32}} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>')
    return "\n".join(lines + [f"  return %{count - 1} : tensor<32x32xf32>", "}"])


def ir():
    opt = str(Path(options.build) / "bin/ttmlir-opt")
    peer = next((str(p) for n in range(25, 13, -1) for p in [Path(f"/usr/bin/mlir-opt-{n}")] if p.exists()), None)

    def command(*args):
        return lambda: subprocess.run(args, stdout=subprocess.DEVNULL, check=True)

    if wanted("start-up"):
        contestants = {"tilewright": command(opt, "--version")}
        if peer:
            contestants["mlir-opt"] = command(peer, "--version")
        report("start-up --version", measure(contestants, 20), 1e3, "ms")
    for count in (1000, 10000, 100000):
        if not wanted(f"read + verify + print {count}") or (options.quick and count > 10000):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
            f.write(module(count))
            f.flush()
            args = ("--allow-unregistered-dialect", f.name)
            contestants = {"tilewright": command(opt, *args)}
            if peer:
                contestants["mlir-opt"] = command(peer, *args)
            times = measure(contestants, 7)
            report(f"read + verify + print {count}", times, 1e3, "ms",
                   f"{count / statistics.median(times['tilewright']) / 1e6:.2f} M operations/s")


print(f"threads: 1; torch {torch.__version__}, jax {jax.__version__}")
for section in (mlp, lambda: elementwise(1 << 20), matmuls, ir):
    section()
if not options.quick:
    elementwise(1 << 24)
if options.json:
    Path(options.json).write_text(json.dumps(rows, indent=1))
