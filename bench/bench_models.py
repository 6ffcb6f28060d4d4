#!/usr/bin/env python3
"""Measures whole models beside torch, XLA and onnxruntime and prints a table (and JSON).

bench_models.py [--build DIR] [--only WORDS] [--types f32,bf16] [--batch 1,8] [--threads 1,2] [--peers NAMES]
                [--small] [--first] [--profile DIR] [--json FILE] [--keep] [--picture FILE] [--meanwhile COMMAND]

Models are bench/models.py's, with random weights. Every iteration runs one step of each contestant in one process; figures are the
minimum and the median in milliseconds, wall time. `ratio` is the best other contestant's minimum divided by ours. Contestants: torch
eager, torch.compile (`compile`: inductor; `autotune`: with max-autotune; `freezing`: with parameters as constants), `xla` (XLA's CPU compiler,
that of jax.jit, on the StableHLO that our capture writes, parameters as arguments), `onnx` (onnxruntime, if it is installed; f32 and stateless
models). Our results are compared with eager's: in f32 to 1e-5 of the largest value, in bf16
they are as near to the f32 model's as torch.compile's are, within a factor of 1.5; a model that misses this fails the script.
`roof` is the share of our time that this machine would need at least: the longer of the model's multiply-adds at the speed of the fastest of
some large products, and of reading its parameters and buffers once at the speed of summing a large array, both measured here with as many threads.
With --first, each contestant also runs in a process of its own: seconds of the first and the second call and the peak of memory above the model, ours once more with
the cache folder of the first (`warm`); with several batches only for the smallest. Several batches or numbers of threads run in a process for each pair. --keep leaves
rows that the JSON has alone, so that a run that was stopped goes on. --picture draws the rows (scripts/models_picture.py). --meanwhile names a
command that runs while something is timed, such as one that stops other programs: it prints a line when it is ready, and ends with its input."""

import argparse
import compileall
import contextlib
import functools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--only", default="", help="models, separated by commas (default: all)")
parser.add_argument("--types", default="f32,bf16")
parser.add_argument("--batch", default="1", help="one, or several separated by commas")
parser.add_argument("--threads", default="1", help="of every contestant; one, or several separated by commas (default: 1)")
parser.add_argument("--peers", default="eager,compile,autotune,freezing,xla,onnx", help="the other contestants")
parser.add_argument("--seconds", type=float, default=4, help="measuring time of a model and type")
parser.add_argument("--small", action="store_true", help="narrow, shallow copies: numbers in seconds")
parser.add_argument("--first", action="store_true", help="first calls and memory, each in a process of its own")
parser.add_argument("--profile", default="", help="folder for our profiles")
parser.add_argument("--json", default="", help="output file of the rows; default: build/bench_models.json")
parser.add_argument("--keep", action="store_true", help="rows of the output file are not measured again")
parser.add_argument("--picture", default="", help="an SVG file of the rows")
parser.add_argument("--meanwhile", default="", help="a command that runs while something is timed")
parser.add_argument("--alone", default="", help=argparse.SUPPRESS)  # contestant: a child of --first
parser.add_argument("--cache", default="", help=argparse.SUPPRESS)  # cache folder of such a child
options = parser.parse_args()
build = Path(options.build).resolve()
output = Path(options.json or build / "bench_models.json")
NAMES = ("model", "type", "batch", "threads")  # of a row


def sweep():
    """Each batch and number of threads in a process of its own, since threads are fixed when torch is loaded; all rows in one file."""
    failed, batches, keep = 0, sorted(map(int, options.batch.split(","))), options.keep
    for threads in options.threads.split(","):
        for batch in batches:
            print(f"## batch {batch}, {threads} thread{'s' * (threads != '1')}", flush=True)
            words = [w for w in sys.argv[1:] if w != "--keep" and (w != "--first" or batch == batches[0])] + ["--keep"] * keep
            failed |= subprocess.run([sys.executable, __file__, *words, "--batch", str(batch), "--threads", threads, "--json", output, "--picture", ""]).returncode
            keep = True  # of the processes before
    return failed


def draw():
    if options.picture:
        subprocess.run([sys.executable, root / "scripts/models_picture.py", output, options.picture], check=True)


if "," in options.batch + options.threads:
    code = sweep()
    draw()
    sys.exit(code)
options.batch, options.threads = int(options.batch), int(options.threads)
os.environ["TW_BUILD"] = str(build)
if options.threads == 1:  # XLA's compiler takes as many threads as it sees processors, whatever its options say
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ["TILEWRIGHT_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen={str(options.threads > 1).lower()} intra_op_parallelism_threads={options.threads}")
sys.path[:0] = [str(root / "bench"), str(build / "python")]

import torch  # noqa: E402

import models  # noqa: E402

torch.set_num_threads(options.threads)
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
OURS = "tilewright"
STATEFUL = {"gpt2-decode", "llama-decode"}


def compiled(module, backend, **settings):
    """Each contestant of a process gets its own copy of what the model writes."""
    import copy

    module = copy.deepcopy(module) if list(module.buffers()) and not options.alone else module
    if backend == "eager":
        return module
    if backend == "tt":
        import tilewright  # noqa: F401

        return torch.compile(module, backend="tt", options={"threads": options.threads, **settings})
    if backend == "autotune":
        return torch.compile(module, mode="max-autotune")
    return torch.compile(module, options={"freezing": True}) if backend == "freezing" else torch.compile(module)


def through_xla(module, inputs):
    """XLA's CPU compiler on the text of our capture."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client
    from jax.extend.backend import get_backend

    from tilewright import _engine

    jax.config.update("jax_enable_x64", True)
    programs = []

    class Program:
        """Keeps what our backend sets and passes. It has no `runner`, so that Python calls it."""

        def __init__(self, text, settings):
            self.text = _engine.text_of(text)
            self.real, self.held, self.inputs = _engine.native_compile(text, settings), {}, []
            programs.append(self)

        def set_constant(self, index, tensor):
            self.held[index] = tensor
            self.real.set_constant(index, tensor)

        def run(self, inputs, outputs):
            self.inputs = list(inputs)
            self.real.run(inputs, outputs)

    former = _engine.set_engine(lambda text, settings=None: Program(text, settings))
    try:
        torch._dynamo.reset()
        compiled(module, "tt")(*inputs)
    finally:
        _engine.set_engine(former)
        torch._dynamo.reset()
    if len(programs) != 1:
        raise NotImplementedError(f"{len(programs)} programs")
    p = programs[0]
    backend = get_backend("cpu")
    device = backend.local_devices()[0]
    text = re.sub(r"\{(ttcore|tt)\.[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", p.text)  # attributes of a dialect that it does not know
    made = backend.compile_and_load(text.encode(), xla_client.DeviceList((device,)), xla_client.CompileOptions())
    arguments = [p.held[i] if t is None else t for i, t in enumerate(p.inputs)]

    def to_jax(t):
        t = t.detach().contiguous()
        if t.dtype == torch.bfloat16:
            return jax.device_put(t.view(torch.uint16).numpy().view(jax.numpy.bfloat16), device)
        return jax.device_put(np.asarray(t.numpy()), device)

    held = [to_jax(t) for t in arguments]

    def run():
        results = made.execute(held)
        results[0].block_until_ready()
        return results

    return run


def through_onnx(module, inputs):
    import io
    import warnings

    import onnxruntime

    text = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, inputs, text, dynamo=False, opset_version=17)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(text.getvalue(), settings, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    feed = {n: x.numpy() for n, x in zip(names, inputs)}
    return lambda: [torch.from_numpy(r) for r in session.run(None, feed)]


def contestant(name, label, module, inputs):
    """Returns a function of one step."""
    if name == "xla":
        return through_xla(module, inputs)
    if name == "onnx":
        if module.training or next(module.parameters()).dtype != torch.float32 or label in STATEFUL:
            raise NotImplementedError("f32 without state only")
        return through_onnx(module, inputs)
    settings = {"cache_dir": options.cache} if options.cache and name == OURS else {}
    if options.profile and name == OURS:
        Path(options.profile).mkdir(parents=True, exist_ok=True)
        settings["profile_path"] = str(Path(options.profile) / f"{label}-{next(module.parameters()).dtype}.json".replace("torch.", ""))
    run = compiled(module, "tt" if name == OURS else name, **settings)
    return lambda: run(*inputs)


def flat(results):
    results = results if isinstance(results, (tuple, list)) else [results]
    return torch.cat([r.detach().double().flatten() for r in results])


def distance(a, b):
    return ((a - b).abs().max() / b.abs().max()).item()


def check(label, kind, results, exact):
    """Compares ours with eager's (f32), or both compilers' with the f32 model's (bf16)."""
    if kind == "f32":
        error = distance(results[OURS], results["eager"])
        return error, error <= 1e-5
    error = distance(results[OURS], exact)
    other = max(distance(results[n], exact) for n in ("eager", "compile", "freezing") if n in results)
    return error, error <= 1.5 * other


def fastest(run, seconds=0.3):
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


@functools.cache
def machine(kind):
    """Operations and bytes a second, of torch's products (of f32, too, which bf16 is converted to where it is not multiplied) and sums."""
    peak = 0
    for dtype in {TYPES[kind], torch.float32}:
        for n in (512, 1024, 2048):
            a, b = torch.randn(n, n).to(dtype), torch.randn(n, n).to(dtype)
            peak = max(peak, 2 * n ** 3 / fastest(lambda a=a, b=b: a @ b))
    many = torch.ones(64 << 20)
    return peak, 4 * len(many) / fastest(many.sum)


def roof(module, inputs, kind):
    """Seconds that a step takes at least on this machine."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        compiled(module, "eager")(*inputs)
    peak, bandwidth = machine(kind)
    read = [p for name, p in module.named_parameters() if not is_table(module, name)] + list(module.buffers())
    return max(counter.get_total_flops() / peak, sum(p.numel() * p.element_size() for p in read) / bandwidth)


def is_table(module, name):
    """Rows of an embedding are read one by one."""
    return isinstance(module.get_submodule(name.rpartition(".")[0]), torch.nn.Embedding)


@contextlib.contextmanager
def meanwhile():
    """The command of --meanwhile, while something is timed."""
    if not options.meanwhile:
        yield
        return
    with subprocess.Popen(options.meanwhile, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        program.stdout.readline()
        try:
            yield
        finally:
            program.stdin.close()
            program.wait()


def in_turn(runs):
    """Seconds of each contestant's steps, one step of each in an iteration; XLA's apart, whose threads stay awake for a while after a step."""
    if "xla" in runs and len(runs) > 1:
        return in_turn({n: r for n, r in runs.items() if n != "xla"}) | in_turn({"xla": runs["xla"]})
    times = {name: [] for name in runs}
    first = next(iter(times.values()))
    begin = time.perf_counter()
    while len(first) < 3 or (time.perf_counter() - begin < options.seconds and len(first) < 400):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return times


def measure(label, kind):
    dtype = TYPES[kind]
    with torch.no_grad():
        module, inputs = models.make(label, options.batch, dtype, options.small)
        exact = None
        if kind == "bf16":
            wide = tuple(x.float() if x.is_floating_point() else x for x in inputs)
            exact = flat(compiled(module, "eager").float()(*wide))
            module = module.to(dtype)
        runs, results = {}, {"eager": flat(compiled(module, "eager")(*inputs))}
        for name in [OURS, *options.peers.split(",")]:
            try:
                torch._dynamo.reset()
                runs[name] = contestant(name, label, module, inputs)
                results[name] = flat(runs[name]()) if name != "xla" else None
                runs[name]()
            except (ImportError, NotImplementedError) as error:
                print(f"# {label} {kind}: no {name}: {error}", flush=True)
                runs.pop(name, None)
            except Exception as error:  # noqa: BLE001  an other contestant's failure is its own
                if name == OURS:
                    raise
                print(f"# {label} {kind}: {name} failed: {str(error)[:200]}", flush=True)
                runs.pop(name, None)
        for run in (*runs.values(), *runs.values()):  # what another contestant's reset dropped is compiled again
            run()
        error, good = check(label, kind, results, exact)
        with meanwhile():
            times = in_turn(runs)
            least = roof(module, inputs, kind)
    row = {"model": label, "type": kind, "batch": options.batch, "threads": options.threads, "error": error, "good": good,
           "min": {n: 1e3 * min(t) for n, t in times.items()}, "median": {n: 1e3 * statistics.median(t) for n, t in times.items()}}
    others = {n: t for n, t in row["min"].items() if n != OURS}
    row["roof"] = 1e3 * least / row["min"][OURS]
    row["ratio"] = min(others.values()) / row["min"][OURS] if others else None
    return row


def first_call(label, kind, name, cache=""):
    """In a child: seconds of the first call, those of torch's capture, of the second call, and the peak of memory above the model; None if it fails."""
    command = [sys.executable, __file__, *sys.argv[1:], "--only", label, "--types", kind, "--alone", name, "--cache", cache, "--picture", ""]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def first_calls(label, kind):
    """Ours twice, with one cache folder. Our modules get their bytecode first, as pip gives it to installed packages."""
    compileall.compile_dir(build / "python/tilewright", quiet=2)
    with tempfile.TemporaryDirectory() as cache:
        found = {OURS: first_call(label, kind, OURS, cache), "warm": first_call(label, kind, OURS, cache)}
    return found | {name: first_call(label, kind, name) for name in options.peers.split(",") if name not in ("eager", "xla")}


def timed_capture():
    """Seconds that torch spends before it calls a backend, as they add up."""
    spent = [0.0, 0.0]
    import torch._dynamo.output_graph as output

    real = output.OutputGraph.call_user_compiler

    def call(*args, **kwargs):
        start = time.perf_counter()
        try:
            return real(*args, **kwargs)
        finally:
            spent[1] += time.perf_counter() - start

    output.OutputGraph.call_user_compiler = call
    frame = torch._dynamo.convert_frame._compile

    def compile_frame(*args, **kwargs):
        start, inside = time.perf_counter(), spent[1]
        try:
            return frame(*args, **kwargs)
        finally:
            spent[0] += time.perf_counter() - start - (spent[1] - inside)

    torch._dynamo.convert_frame._compile = compile_frame
    return spent


def peak_kilobytes(reset=False):
    """Of this program: what getrusage knows includes the process that started it."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def alone(label, kind, name):
    with torch.no_grad():
        module, inputs = models.make(label, options.batch, TYPES[kind], options.small)
        import tilewright  # noqa: F401

        spent = timed_capture()
        torch._dynamo.list_backends()  # imports what torch looks for a backend in
        with meanwhile():
            before = peak_kilobytes(reset=True)
            start = time.perf_counter()
            run = contestant(name, label, module, inputs)
            run()
            seconds, capture = time.perf_counter() - start, spent[0]
            start = time.perf_counter()
            run()
            second = time.perf_counter() - start
            after = peak_kilobytes()
    print(json.dumps({"seconds": seconds, "capture": capture, "second": second, "megabytes": (after - before) / 1024}))


def show(row):
    peers = "  ".join(f"{n} {row['min'][n]:.2f} ({row['median'][n]:.2f})" for n in row["min"] if n != OURS)
    ratio = f"{row['ratio']:5.2f}" if row["ratio"] else "    -"
    print(f"{row['model']:13s} {row['type']:4s} {row['min'][OURS]:9.2f} ms (median {row['median'][OURS]:.2f})  ratio {ratio}  roof {100 * row['roof']:3.0f} %  {peers}"
          f"  error {row['error']:.1e}{'' if row['good'] else ' TOO LARGE'}", flush=True)
    for name, first in row.get("first", {}).items():
        if first:
            print(f"    first call of {name}: {first['seconds']:.2f} s, of which {first['capture']:.2f} torch's capture; the second {first['second']:.2f} s; {first['megabytes']:.0f} MB", flush=True)


def main():
    names = options.only.split(",") if options.only else list(models.MODELS)
    if options.alone:
        alone(names[0], options.types, options.alone)
        return 0
    rows = json.loads(output.read_text()) if options.keep and output.exists() else []
    known = {tuple(row[n] for n in NAMES) for row in rows}
    for label in names:
        for kind in options.types.split(","):
            if (label, kind, options.batch, options.threads) in known:
                continue
            row = measure(label, kind)
            if options.first:
                row["first"] = first_calls(label, kind)
            rows.append(row)
            output.write_text(json.dumps(rows, indent=1) + "\n")
            show(row)
    draw()
    return 0 if all(r["good"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
