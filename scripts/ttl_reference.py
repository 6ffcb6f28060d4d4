#!/usr/bin/env python3
"""Writes docs/ttl-reference.md, the names of `ttl`, to standard output: PYTHONPATH=build/python scripts/ttl_reference.py"""

import inspect

import ttl
from ttl.composites import COMPOSITES
from ttl.operations import OPERATIONS

GROUPS = (
    ("Kernels and threads", ("kernel", "autotune", "compute", "datamovement", "Program", "RuntimeInt")),
    ("Buffers and copies", ("make_circular_buffer_like", "CircularBuffer", "copy", "wait", "TensorAccessor", "grid_slice")),
    ("Positions", ("core", "core_linear", "grid_size")),
    ("Between cores", ("Pipe", "PipeNet", "if_pipe_src", "if_pipe_dst", "create_pipe", "Semaphore")),
    ("Shapes and types", ("broadcast", "reduce_sum", "reduce_max", "transpose", "matmul", "typecast")),
    ("Looking inside", ("signpost",)),
)
OTHER_NAMES = {"kernel": "operation, ttl_kernel, pykernel_gen", "make_circular_buffer_like": "make_dataflow_buffer_like",
               "CircularBuffer": "DataflowBuffer", "broadcast": "block_bcast", "matmul": "block_matmul, @",
               "reduce_sum": "block_reduce_sum", "reduce_max": "block_reduce_max"}
METHODS = {"CircularBuffer": ("wait", "pop", "reserve", "push"), "PipeNet": ("if_src", "if_dst"),
           "Semaphore": ("wait_eq", "wait_ge", "set", "get_remote", "get_remote_multicast")}


def signature(thing):
    try:
        parameters = [p.replace(annotation=p.empty) for p in inspect.signature(thing).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return ""
    return str(inspect.Signature(parameters))


def summary(thing):
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def cell(text):
    return text.replace("|", "\\|")


def main():
    print("# Names of `ttl`\n\nWritten by `scripts/ttl_reference.py`. The [tutorial](ttl-tutorial.md) shows how they are used.")
    for title, names in GROUPS:
        print(f"\n## {title}\n| name | what it does |\n|---|---|")
        for name in names:
            thing = getattr(ttl, name)
            also = f" Also: `{OTHER_NAMES[name]}`." if name in OTHER_NAMES else ""
            print(f"| `{cell(f'ttl.{name}{signature(thing)}')}` | {cell(summary(thing))}{also} |")
            for method in METHODS.get(name, ()):
                part = getattr(thing, method)
                print(f"| `{cell(f'.{method}{signature(part)}')}` | {cell(summary(part))} |")
    print("\n## Functions of blocks\nEach is `ttl.math.NAME`, `ttl.NAME` and, of the dialect, an operation `ttl.NAME`.\n\n| name | result |\n|---|---|")
    for row in [r for r in OPERATIONS.values() if r.name not in COMPOSITES]:
        print(f"| `{row.name}({('x', 'a, b', 'a, b, c')[row.operands - 1]})` | {cell(row.summary)} |")
    print(f"| `clamp{signature(ttl.clamp)}` | {cell(summary(ttl.clamp))} |")
    for name, function in sorted(COMPOSITES.items()):
        print(f"| `{name}{signature(function)}` | {cell(summary(function))} |")


if __name__ == "__main__":
    main()
