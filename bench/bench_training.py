#!/usr/bin/env python3
"""Measures JAX on the platform tt beside its CPU platform, and steps of training through torch.compile and jax.jit.

bench_training.py [--build DIR] [--only WORD] [--json FILE] [--quick]

All contestants run by turns in one process, with their own threads; figures are medians of wall time. `ratio` is the other
contestant's median divided by ours: above 1, we are faster. `goal` is the required ratio; a row that misses it is marked."""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", default=str(root / "build"))
parser.add_argument("--only", default="", help="cases whose name has this in it")
parser.add_argument("--json", default="", help="output file of the rows; default: build/bench_training.json")
parser.add_argument("--quick", action="store_true", help="few iterations, without torch's own compiler")
options = parser.parse_args()
build = Path(options.build).resolve()
os.environ["TW_BUILD"] = str(build)
os.environ["JAX_PLATFORMS"] = "tt,cpu"
sys.path[:0] = [str(root / "tests/python"), str(build / "python")]

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

rows = []
TT, CPU = jax.devices("tt")[0], jax.devices("cpu")[0]


def by_turns(contestants, iterations):
    """{name: median seconds}; each contestant is a function without arguments."""
    times = {name: [] for name in contestants}
    for _ in range(iterations):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def report(case, times, goal=None):
    ours = times["tt"]
    best = min(value for name, value in times.items() if name != "tt")
    row = {"case": case, "ratio": best / ours, "goal": goal, **{name: 1e3 * value for name, value in times.items()}}
    rows.append(row)
    figures = "  ".join(f"{name} {1e3 * value:9.3f} ms" for name, value in times.items())
    mark = "" if goal is None else f"  goal {goal:g}{'' if best / ours >= goal else '  MISSED'}"
    print(f"{case:38} {figures}  ratio {best / ours:6.2f}{mark}", flush=True)


def wanted(case):
    return options.only in case


# -- JAX ------------------------------------------------------------------------------------


def mlp(p, x):
    for w, b in p[:-1]:
        x = jax.nn.relu(x @ w + b)
    return x @ p[-1][0] + p[-1][1]


def mlp_arguments(device):
    draw = np.random.default_rng(0)
    sizes = (128, 256, 256, 10)
    p = [(draw.standard_normal((m, n), np.float32) / m**0.5, np.zeros(n, np.float32)) for m, n in zip(sizes, sizes[1:])]
    return jax.device_put((p, draw.standard_normal((32, 128), np.float32)), device)


def fresh():
    """A function that JAX has not seen; what it compiled before is forgotten."""
    jax.clear_caches()
    return lambda p, x: mlp(p, x)


def jax_compile():
    def compiling(device):
        arguments = mlp_arguments(device)

        def lower():
            return jax.jit(fresh()).lower(*arguments)

        def first():
            jax.block_until_ready(jax.jit(fresh())(*arguments))

        return lower, first

    each = {"tt": compiling(TT), "cpu": compiling(CPU)}
    iterations = 5 if options.quick else 15
    if wanted("jax compile"):
        times = {"tt": [], "cpu": []}
        for _ in range(iterations):
            for name, (lower, _) in each.items():
                lowered = lower()
                start = time.perf_counter()
                lowered.compile()
                times[name].append(time.perf_counter() - start)
        report("jax compile: MLP", {name: statistics.median(t) for name, t in times.items()}, 20)
    if wanted("jax first"):
        report("jax first call: MLP", by_turns({name: first for name, (_, first) in each.items()}, iterations), 4)


def jax_dispatch():
    """A cached call of a small program: what a call costs beside its work."""
    contestants = {}
    for name, device in (("tt", TT), ("cpu", CPU)):
        call, x = jax.jit(lambda x: x + 1), jax.device_put(np.ones(8, np.float32), device)
        contestants[name] = lambda call=call, x=x: [call(x) for _ in range(200)][-1].block_until_ready()
    if wanted("jax 200"):
        report("jax 200 cached calls: x + 1", by_turns(contestants, 20 if options.quick else 60), 1 / 1.2)
    contestants = {}
    for name, device in (("tt", TT), ("cpu", CPU)):
        call, arguments = jax.jit(mlp), mlp_arguments(device)
        contestants[name] = lambda call=call, arguments=arguments: jax.block_until_ready(call(*arguments))
    if wanted("jax cached"):
        report("jax cached call: MLP", by_turns(contestants, 20 if options.quick else 200), 1 / 1.2)


def jax_training():
    import jax_live as models

    def loss(p, x, y):
        return jnp.mean((mlp(p, x) - y) ** 2)

    contestants = {}
    for name, device in (("tt", TT), ("cpu", CPU)):
        (p, x), y = mlp_arguments(device), jax.device_put(np.ones((32, 10), np.float32), device)
        step = jax.jit(lambda p, x, y: jax.tree.map(lambda v, g: v - 0.01 * g, p, jax.grad(loss)(p, x, y)))
        contestants[name] = lambda step=step, p=p, x=x, y=y: jax.block_until_ready(step(p, x, y))
    if wanted("jax step: MLP"):
        report("jax step: MLP", by_turns(contestants, 20 if options.quick else 200), 1)

    def loss_of_gpt(p, tokens):
        logits = jax.nn.log_softmax(models.nano_gpt(p, tokens[:, :-1]))
        return -jnp.take_along_axis(logits, tokens[:, 1:, None], -1).mean()

    contestants = {}
    draw = np.random.default_rng(0)
    weights, tokens = models.nano_weights(draw, 64, 64, 128), draw.integers(0, 64, (8, 65)).astype(np.int32)
    for name, device in (("tt", TT), ("cpu", CPU)):
        arguments = jax.device_put((weights, tokens), device)
        step = jax.jit(lambda p, t: jax.tree.map(lambda v, g: v - 0.01 * g, p, jax.grad(loss_of_gpt)(p, t)))
        contestants[name] = lambda step=step, arguments=arguments: jax.block_until_ready(step(*arguments))
    if wanted("jax step: GPT"):
        report("jax step: GPT, 2 layers of 128", by_turns(contestants, 5 if options.quick else 40), 1)


# -- PyTorch --------------------------------------------------------------------------------


def torch_training():
    import test_torch_curves as curves
    from torch import nn

    models = {
        "MLP": (lambda: nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 10)), torch.randn(32, 128), torch.randint(0, 10, (32,))),
        "residual block": (lambda: nn.Sequential(curves.Block(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
                           torch.randn(8, 32, 28, 28), torch.randint(0, 10, (8,))),
        "BERT layer": (lambda: nn.Sequential(nn.TransformerEncoderLayer(256, 4, 1024, 0.1, "gelu", batch_first=True), nn.Linear(256, 5)),
                       torch.randn(2, 64, 256), torch.randint(0, 5, (2, 64))),
        "GPT-2 layer": (lambda: curves.GPT(1000, 64, 768, 12), torch.randint(0, 1000, (1, 64)), torch.randint(0, 1000, (1, 64))),
    }
    for name, (make, x, y) in models.items():
        if not wanted(f"torch step: {name}"):
            continue
        contestants = {}
        for backend in ("tt", "eager") if options.quick else ("tt", "eager", "inductor"):
            torch._dynamo.reset()
            model = make()
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
            call = model if backend == "eager" else torch.compile(model, backend=backend)

            def step(call=call, optimizer=optimizer):
                optimizer.zero_grad()
                F.cross_entropy(call(x).flatten(0, -2), y.flatten()).backward()
                optimizer.step()

            for _ in range(3):
                step()
            contestants[backend] = step
        report(f"torch step: {name}", by_turns(contestants, 5 if options.quick else 40), 1)


def main():
    for part in (jax_compile, jax_dispatch, jax_training, torch_training):
        part()
    Path(options.json or build / "bench_training.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
