#!/usr/bin/env python3
"""Measures Tilewright beside torch, JAX and mlir-opt and prints a table (and JSON).

bench.py [--build DIR] [--only WORD] [--json FILE] [--quick] [--threads N]

Each iteration of a case runs every contestant, in one process, so that noise of the
machine hits all of them; figures are the minimum and the median over the iterations, in processor time
(everything runs on one thread), of other programs in wall time.  `ratio` is the
best other contestant's median divided by ours: above 1, we are faster.  Tilewright runs its torch backend's
program of the same function through the C interface.  At 16M elements `copy`
is the memory bandwidth, compared with copying (numpy's and torch's, the faster)
in the same iterations.  `goal` is the required ratio (or share of the copy); a row that misses
it is marked.  With --threads all contestants use N threads, wall time is measured,
and only large cases run; a turn is then several calls, started when
the previous contestant's threads are asleep, since libraries keep theirs running for a while,
and two of them on one processor would measure the scheduler.  bench_gemm.py measures matmuls."""

import argparse
import ctypes
import json
import os
import re
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--only", default="", help="cases whose name has this in it")
parser.add_argument("--json", default="", help="output file of the rows; default: build/bench.json")
parser.add_argument("--quick", action="store_true", help="few iterations, small sizes, no slow compilers: under a minute")
parser.add_argument("--threads", type=int, default=1, help="of every contestant (default: 1)")
options = parser.parse_args()
build = Path(options.build).resolve()
os.environ["TW_BUILD"] = str(build)
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # the contestant; the plugin would be preferred
os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
os.environ.setdefault("GOMP_SPINCOUNT", "20000")  # half a millisecond, more than any pause within a turn
os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen={str(options.threads > 1).lower()} intra_op_parallelism_threads={options.threads}")
sys.path[:0] = [str(root / "tests/python"), str(root / "bench"), str(build / "python")]

import numpy as np  # noqa: E402
from native import Program, lib  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import torch  # noqa: E402

import bench_gemm  # noqa: E402
import tilewright  # noqa: E402, F401
from tilewright import _engine  # noqa: E402

torch.set_num_threads(options.threads)
rows = []
OURS = "tilewright"
SECONDS_A_CASE = 1.0 if options.quick else 4.0
SECONDS_A_TURN = 0.004  # and to rest before it, with several threads


def wanted(name):
    return options.only in name


# ---- measuring


def processor(name):
    """The clock of a contestant: JAX runs on its own threads, the others on ours."""
    if options.threads > 1:
        return time.perf_counter
    return time.process_time if name == "jax" else time.thread_time


def measure(contestants, iterations, burst=1, clock=processor):
    """Seconds of each contestant, interleaved; calls of microseconds run in bursts, so that steady calls
    are compared and not the refilling of caches after another contestant."""
    times = {name: [] for name in contestants}
    bursts = {}
    for name, run in contestants.items():
        run()
        start = time.perf_counter()
        run()
        several = SECONDS_A_TURN / (time.perf_counter() - start) if options.threads > 1 else 0
        bursts[name] = max(burst, int(several))
    begin = time.perf_counter()
    for done in range(iterations):
        if done >= 3 and time.perf_counter() - begin > SECONDS_A_CASE:
            break
        for name, run in contestants.items():
            if options.threads > 1:
                time.sleep(SECONDS_A_TURN)
                run()
            now = clock(name)
            start = now()
            for _ in range(bursts[name]):
                run()
            times[name].append((now() - start) / bursts[name])
    return times


def report(case, times, goal, scale=1e6, unit="us", extra="", traffic=None, most=None):
    """traffic: bytes of ours and of the contestant "copy", whose bandwidth share is the goal; most: a limit in seconds,
    if that is the goal."""
    copy = times.pop("copy", None)
    ours, least = statistics.median(times[OURS]), min(times[OURS])
    others_times = {k: statistics.median(v) for k, v in times.items() if k != OURS}
    best = min(others_times, key=others_times.get) if others_times else None
    row = {"case": case, "unit": unit, "ours_min": least * scale, "ours_median": ours * scale, "best_peer": best,
           "ratio": others_times[best] / ours if best else None, "ratio_of_minima": min(times[best]) / least if best else None,
           "others": {k: {"min": min(times[k]) * scale, "median": v * scale} for k, v in others_times.items()}, "goal": goal}
    reached = row["ratio"]
    if copy:
        row["copy_share"] = statistics.median(c / o for c, o in zip(copy, times[OURS])) * traffic[0] / traffic[1]
        row["copy_gb_per_s"] = traffic[1] / min(copy) / 1e9
        extra = f"copy {100 * row['copy_share']:.0f} % of {row['copy_gb_per_s']:.1f} GB/s  {extra}"
        reached = max(reached / 1.0, row["copy_share"] / 0.85)
    row["met"] = ours <= most if most else reached is None or reached >= (1 if copy else goal)
    rows.append(row)
    others = "  ".join(f"{k} {v * scale:.1f}" for k, v in others_times.items())
    ratio = f"{row['ratio']:6.2f}" if best else "     -"
    print(f"{case:34s} {ours * scale:10.1f} {unit} (min {least * scale:.1f})  ratio {ratio} goal {goal:4.2f}{' ' if row['met'] else '*'}"
          f"  {others}  {extra}", flush=True)


# ---- our side: programs of the torch backend


def texts_of(fn, tensors):
    """The StableHLO that torch.compile(backend="tt") passes to the compiler."""
    seen = []

    def keep(text, settings):
        seen.append(_engine.text_of(text))
        return _engine.native_compile(text, settings)

    former = _engine.set_engine(keep)
    try:
        torch._dynamo.reset()
        torch.compile(fn, backend="tt")(*tensors)
    finally:
        _engine.set_engine(former)
        torch._dynamo.reset()
    return seen


def raw(tensor):
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


def runner(text, tensors, constants=()):
    """The program on fixed buffers."""
    p = Program(text, threads=options.threads)
    held = [np.ascontiguousarray(raw(t)) for t in tensors]
    for i in constants:
        p.set_constant(i, held[i])
    outs = p(*[None if i in constants else a for i, a in enumerate(held)])
    outs = [torch.from_numpy(o).clone().numpy() for o in outs]  # aligned to a cache line, as torch's
    ins = (ctypes.c_void_p * len(held))(*[a.ctypes.data for a in held])
    ptrs = (ctypes.c_void_p * len(outs))(*[o.ctypes.data for o in outs])

    def run():
        lib.tw_program_run(p.handle, ins, ptrs)

    run.keep = (p, held, outs)
    return run


# ---- element-wise and row-wise


def tree(a, b, c, d, e, f, g, h):
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def norm_of_rows(x, w, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b


F = torch.nn.functional
# name: torch's form, JAX's, operands (tensors of all elements, rows), goal at 1M
CASES = {
    "chain abs-sin-neg-exp": (lambda x: torch.exp(-torch.sin(torch.abs(x))), lambda x: jnp.exp(-jnp.sin(jnp.abs(x))), (1, 0), 1.5),
    "softmax": (lambda x: torch.softmax(x, -1), lambda x: jax.nn.softmax(x, axis=-1), (1, 0), 1.5),
    "layer norm": (lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), norm_of_rows, (1, 2), 1.5),
    "add tree of 8": (tree, tree, (8, 0), 1.0),
    "gelu": (F.gelu, lambda x: jax.nn.gelu(x, approximate=False), (1, 0), 1.0),
    "cosh": (torch.cosh, jnp.cosh, (1, 0), 1.0),
}


def elementwise(count):
    label, side = ("1M", 1 << 10) if count == 1 << 20 else ("16M", 1 << 12)
    for name, (tf, jf, (wide, narrow), goal) in CASES.items():
        for dtype, element in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
            case = f"{name} {label} {element}"
            if not wanted(case):
                continue
            torch.manual_seed(0)
            tensors = [torch.randn(side, side).to(dtype) for _ in range(wide)] + [torch.randn(side).to(dtype) for _ in range(narrow)]
            arrays = [jnp.asarray(t.float().numpy()).astype(jnp.float32 if element == "f32" else jnp.bfloat16) for t in tensors]
            jitted = jax.jit(jf)
            with torch.no_grad():
                text, = texts_of(tf, tensors)
                contestants = {OURS: runner(text, tensors), "torch": lambda: tf(*tensors),
                               "jax": lambda: jitted(*arrays).block_until_ready()}
                if not options.quick:
                    compiled = torch.compile(tf, dynamic=False)
                    contestants["torch.compile"] = lambda: compiled(*tensors)
                traffic = None
                if count > 1 << 20:
                    source, target = tensors[0], torch.empty_like(tensors[0])
                    contestants["copy"] = faster_copy(source, target)
                    traffic = (sum(t.nbytes for t in tensors) + source.nbytes, 2 * source.nbytes)
                report(case, measure(contestants, 15), goal, traffic=traffic)


def faster_copy(source, target):
    a, b = raw(source), raw(target)
    ways = {"torch": lambda: target.copy_(source), "numpy": lambda: np.copyto(b, a)}
    times = measure(ways, 5)
    return ways[min(times, key=lambda k: min(times[k]))]


# ---- a small model


def mlp():
    text = (root / "examples/mlp.mlir").read_text()
    model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    x = torch.randn(32, 128)
    tensors = [x, *(p.detach() for p in model.parameters())]
    arrays = [jnp.asarray(t.numpy()) for t in tensors]

    def forward(x, w1, b1, w2, b2):
        return jnp.maximum(x @ w1.T + b1, 0) @ w2.T + b2

    if wanted("mlp compile"):
        def with_jax():
            jax.jit(forward).lower(*arrays).compile()
            jax.clear_caches()

        def with_torch():
            torch._dynamo.reset()
            with torch.no_grad():
                torch.compile(model)(x)

        contestants = {OURS: lambda: Program(text), "jax": with_jax}
        times = measure(contestants, 7)
        if not options.quick:
            times["torch.compile"] = measure({"torch.compile": with_torch}, 1)["torch.compile"]
        report("mlp compile", times, 1, 1e3, "ms", extra="at most 2 ms", most=2e-3)
    if wanted("mlp call"):
        run, jitted = runner(text, tensors, range(1, 5)), jax.jit(forward)
        with torch.no_grad():
            through = torch.compile(model, backend="tt")
            contestants = {OURS: run, "through": lambda: through(x), "torch": lambda: model(x),
                           "jax": lambda: jitted(*arrays).block_until_ready()}
            if not options.quick:
                torch._dynamo.reset()
                compiled = torch.compile(model)
                contestants["torch.compile"] = lambda: compiled(x)
            times = measure(contestants, 60, burst=50)
        ours_through_torch = times.pop("through")
        report("mlp call, C interface", times, 1.0)
        report("mlp call, through torch", {**times, OURS: ours_through_torch}, 1.0)


def layers():
    """Compiling the prompt of a GPT-2, narrow, since weights are arguments, from its StableHLO: a layer's time must not grow with their number."""
    from jax._src.lib import xla_client
    from jax.extend.backend import get_backend

    gpt2 = runpy.run_path(str(root / "bench/models.py"))["GPT2"]  # the tests have a module `models` of their own
    backend, ids = get_backend("cpu"), torch.zeros(1, 128, dtype=torch.int64)
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    for depth in (12,) if options.quick else (1, 12, 96):
        case = f"compile {depth} layers"
        if not wanted(case):
            continue
        with torch.no_grad():
            (text,) = texts_of(gpt2(64, 4, depth, 500).eval(), (ids,))
        contestants = {OURS: lambda text=text: Program(text)}
        if depth == 12:
            plain = re.sub(r"\{(ttcore|tt)\.[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", text).encode()  # attributes of a dialect that it does not know
            contestants["jax"] = lambda plain=plain: backend.compile_and_load(plain, devices, xla_client.CompileOptions())
        times = measure(contestants, 7)
        report(case, times, 1, 1e3, "ms", f"{1e3 * min(times[OURS]) / depth:.2f} ms a layer, at most 1.75", most=None if depth == 1 else 1.75e-3 * depth)


# ---- the compiler as a tool


def wall(name):
    return time.perf_counter


def module(count):
    lines = ["func.func @f(%arg0: tensor<32x32xf32>, %arg1: tensor<32x32xf32>) -> tensor<32x32xf32> {"]
    for i in range(count):
        a = f"%{i - 1}" if i else "%arg0"
        lines.append(f'  %{i} = "test.add"({a}, %arg1) {{axis = {i % 7} : i32}} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>')
    return "\n".join(lines + [f"  return %{count - 1} : tensor<32x32xf32>", "}"])


def command(*args):
    return lambda: subprocess.run(args, stdout=subprocess.DEVNULL, check=True)


def peak_memory(*args):
    """Kilobytes, by GNU time."""
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(done.stderr.split()[-1]) if done.returncode == 0 else None


def ir():
    opt = str(build / "bin/ttmlir-opt")
    peer = next((str(p) for n in range(25, 13, -1) for p in [Path(f"/usr/bin/mlir-opt-{n}")] if p.exists()), None)
    if wanted("start-up --version"):
        contestants = {OURS: command(opt, "--version")} | ({"mlir-opt": command(peer, "--version")} if peer else {})
        report("start-up --version", measure(contestants, 20, clock=wall), 5.0, 1e3, "ms")
    for count in (1000, 10000, 100000):
        case = f"read + verify + print {count}"
        if not wanted(case) or (options.quick and count > 10000):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
            f.write(module(count))
            f.flush()
            args = ("--allow-unregistered-dialect", f.name)
            contestants = {OURS: command(opt, *args)} | ({"mlir-opt": command(peer, *args)} if peer else {})
            times = measure(contestants, 7, clock=wall)
            extra = f"{count / statistics.median(times[OURS]) / 1e6:.2f} M operations/s"
            if Path("/usr/bin/time").exists():
                memory = {k: peak_memory(tool, *args) for k, tool in ((OURS, opt), ("mlir-opt", peer)) if tool}
                extra += "  " + ", ".join(f"{k} {v / 1024:.0f} MB" for k, v in memory.items() if v)
            report(case, times, 5.0, 1e3, "ms", extra)


def bytecode():
    """Reading bytecode that mlir-opt wrote; the bodies are not printed."""
    opt = str(build / "bin/ttmlir-opt")
    peer = next((str(p) for n in range(25, 13, -1) for p in [Path(f"/usr/bin/mlir-opt-{n}")] if p.exists()), None)
    for count in (1000, 100000):
        case = f"read bytecode {count}"
        if not wanted(case) or (options.quick and count > 10000):
            continue
        with tempfile.TemporaryDirectory() as folder:
            text, binary = Path(folder, "m.mlir"), str(Path(folder, "m.mlirbc"))
            text.write_text(module(count))
            subprocess.run([peer or opt, "--allow-unregistered-dialect", "--emit-bytecode", str(text), "-o", binary], check=True)
            args = ("--allow-unregistered-dialect", "--mlir-print-skip-regions", binary)
            contestants = {OURS: command(opt, *args)} | ({"mlir-opt": command(peer, *args)} if peer else {})
            times = measure(contestants, 7, clock=wall)
            report(case, times, 5.0, 1e3, "ms", f"{count / statistics.median(times[OURS]) / 1e6:.2f} M operations/s")


def stablehlo_module(count):
    lines = ["func.func @f(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {"]
    for i in range(count):
        name = ("add", "multiply", "subtract", "maximum")[i % 4]
        lines.append(f"  %{i} = stablehlo.{name} {f'%{i - 1}' if i else '%a'}, %b : tensor<32x32xf32>")
    return "\n".join([*lines, f"  return %{count - 1} : tensor<32x32xf32>", "}"])


def bindings():
    """Module.parse in Python, beside jaxlib's bindings."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir as peer_ir
    from ttmlir import ir as our_ir

    def parse(ir, make_context, text):
        def run():
            with make_context():
                ir.Module.parse(text)

        return run

    for count in (1000,) if options.quick else (1000, 100000):
        case = f"Module.parse {count}"
        if not wanted(case):
            continue
        text = stablehlo_module(count)
        contestants = {OURS: parse(our_ir, our_ir.Context, text), "jaxlib": parse(peer_ir, make_ir_context, text)}
        times = measure(contestants, 7, clock=wall)
        report(case, times, 3.0, 1e3, "ms", f"{count / statistics.median(times[OURS]) / 1e6:.2f} M operations/s")


# ---- matmul


def products():
    if not wanted("matmul"):
        return
    found = bench_gemm.run(build, threads=(options.threads,), iterations=3 if options.quick else 7, quick=options.quick)
    bench_gemm.show(found)
    for row in found:
        rows.append({"case": f"matmul {row['m']}x{row['k']}x{row['n']} {row['dtype']}", "goal": 0.95, "best_peer": row["packed_vs"],
                     "ratio": row["packed_ratio"], "ratio_of_minima": row["packed_ratio_min"],
                     "met": max(row["packed_ratio"], row["packed_ratio_min"]) >= 0.95, **row})


def main():
    begin = time.perf_counter()
    print(f"threads: {options.threads}; torch {torch.__version__}, jax {jax.__version__}")
    small = (mlp, layers, ir, bytecode, bindings) if options.threads == 1 else ()
    for section in (*small, products, lambda: elementwise(1 << 20), None if options.quick else lambda: elementwise(1 << 24)):
        if section:
            section()
    missed = [r["case"] for r in rows if not r["met"]]
    print(f"{len(rows)} rows, {len(rows) - len(missed)} reach their goal{', not: ' + ', '.join(missed) if missed else ''};"
          f" {time.perf_counter() - begin:.0f} s")
    name = "bench.json" if options.threads == 1 else f"bench-{options.threads}-threads.json"
    Path(options.json or build / name).write_text(json.dumps(rows, indent=1) + "\n")


main()
