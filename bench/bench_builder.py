#!/usr/bin/env python3
"""Times of builder: a golden case beyond torch's own time, and building a module of 10,000 operations.

bench_builder.py [--build DIR] [--peer DIR] [--iterations N] [--json FILE]

A golden case is one operation: built, compiled, run, compared. Its time beyond torch's own is that of the case without the
reference's function. --peer is a checkout of tt-mlir: its tools/ has a builder of the same names, which runs over the same
runtime in a process of its own; their iterations are interleaved. Figures are minimum and median over all cases and iterations, in milliseconds of
processor time."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
UNARY = "abs cos exp floor gelu log1p neg relu sigmoid sin tanh".split()
BINARY = "add subtract multiply maximum minimum".split()


def cases(torch):
    """[(name, function of a builder)]"""
    def case(name, shapes, body):
        def root(builder):
            def model(*operands):
                *xs, b = operands
                return body(b, *xs)

            builder.func(shapes, [torch.float32] * len(shapes))(model)

        root.__name__ = name
        return root

    s = (64, 128)
    out = [(n, case(n, [s], lambda b, x, n=n: getattr(b, n)(x))) for n in UNARY]
    out += [(n, case(n, [s, s], lambda b, x, y, n=n: getattr(b, n)(x, y))) for n in BINARY]
    out += [("matmul", case("matmul", [(64, 96), (96, 64)], lambda b, x, y: b.matmul(x, y))),
            ("sum", case("sum", [s], lambda b, x: b.sum(x, dim_arg=[1]))),
            ("transpose", case("transpose", [s], lambda b, x: b.transpose(x, 0, 1))),
            ("softmax", case("softmax", [s], lambda b, x: b.softmax(x, dimension=1)))]
    return out


def torch_seconds(torch):
    """{case: torch's own time}"""
    x, y = torch.randn(64, 128), torch.randn(64, 128)
    names = {n: (lambda n=n: getattr(torch, n, getattr(torch.nn.functional, n, None))(x)) for n in UNARY}
    names |= {n: (lambda n=n: getattr(torch, n)(x, y)) for n in BINARY}
    names |= {"matmul": lambda: x @ y.T, "sum": lambda: x.sum(1, keepdim=True), "transpose": lambda: x.T.contiguous(),
              "softmax": lambda: torch.softmax(x, 1)}
    out = {}
    for name, call in names.items():
        best = []
        for _ in range(20):
            begin = time.process_time()
            call()
            best.append(time.process_time() - begin)
        out[name] = min(best)
    return out


def worker(options):
    """One side: prints the times of its cases as JSON, one line a round."""
    import contextlib
    import io

    import torch

    import _ttmlir_runtime as tt_runtime
    from builder.base.builder_apis import build_module, compile_and_execute_ttir

    torch.set_num_threads(1)
    device = tt_runtime.runtime.open_mesh_device(tt_runtime.runtime.MeshDeviceOptions())
    todo, own = cases(torch), torch_seconds(torch)

    def many(builder):
        @builder.func([(32, 32), (32, 32)], [torch.float32] * 2)
        def f(a, b, builder):
            for _ in range(5000):
                a = builder.exp(builder.add(a, b))
            return a

    for line in sys.stdin:
        times = {}
        with contextlib.redirect_stdout(io.StringIO()):
            for name, root in todo:
                begin = time.process_time()
                compile_and_execute_ttir(root, system_desc_path=options.descriptor, device=device)
                times[name] = time.process_time() - begin - own[name]
            if line.strip() == "many":
                begin = time.process_time()
                build_module(many, "ttir")
                times["build 10,000"] = time.process_time() - begin
        print(json.dumps(times), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--peer", default=os.environ.get("TT_MLIR_HOME", ""), help="a checkout of tt-mlir")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--json", default="")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--descriptor", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options)
        return
    build = Path(options.build).resolve()
    sides = {"tilewright": [str(build / "python")]}
    if options.peer and Path(options.peer, "tools", "builder").is_dir():
        sides["tt-mlir's"] = [str(Path(options.peer).resolve() / "tools"), str(build / "python")]
    descriptor = build / "bench-system.ttsys"
    sys.path.insert(0, str(build / "python"))
    import _ttmlir_runtime as tt_runtime

    tt_runtime.runtime.get_current_system_desc().store(str(descriptor))
    children = {name: subprocess.Popen([sys.executable, __file__, "--worker", "--descriptor", str(descriptor)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
                                       env=dict(os.environ, PYTHONPATH=os.pathsep.join(path), OMP_NUM_THREADS="1")) for name, path in sides.items()}
    found = {name: [] for name in sides}
    for i in range(options.iterations + 1):  # the first warms up
        for name, child in children.items():
            child.stdin.write("many\n" if i and name == "tilewright" else "cases\n")
            child.stdin.flush()
            line = child.stdout.readline()
            if not line:
                sys.exit(f"{name}: the cases did not run")
            if i:
                found[name].append(json.loads(line))
    rows = []
    for name, iterations in found.items():
        every = [t * 1e3 for r in iterations for case, t in r.items() if not case.startswith("build")]
        rows.append({"what": "golden case beyond torch", "who": name, "min_ms": min(every), "median_ms": statistics.median(every)})
        built = [r["build 10,000"] * 1e3 for r in iterations if "build 10,000" in r]
        if built:
            rows.append({"what": "build 10,000 operations", "who": name, "min_ms": min(built), "median_ms": statistics.median(built)})
    print(f"{'what':28} {'who':12} {'min ms':>9} {'median ms':>9}")
    for r in rows:
        print(f"{r['what']:28} {r['who']:12} {r['min_ms']:9.2f} {r['median_ms']:9.2f}")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    for child in children.values():
        child.stdin.close()


if __name__ == "__main__":
    main()
