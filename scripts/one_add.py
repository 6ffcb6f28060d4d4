#!/usr/bin/env python3
"""Follows examples/one-add.mlir through every level and writes the page: scripts/one_add.py [BUILD [RUNS]] > docs/one-add.md

Texts and sizes are those of the same build each time; times are the shortest of RUNS (tests/python/test_explain.py compares all but these)."""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
FILE = "examples/one-add.mlir"
TO_TTIR, TO_TTNN = "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline"
D2M = "--d2m-fe-pipeline --d2m-be-pipeline"
KERNELS = f"{D2M} --d2m-to-ttkernel-pre-emitc-pipeline --d2m-to-ttmetal-pipeline"
# Title, what it is, the command, and which lines of its output are shown (a regular expression; None: all).
LEVELS = [
    ("StableHLO", "What JAX and torch export.", f"ttmlir-opt {FILE}", None),
    ("TTIR", "No layouts yet; fused and decomposed here.", f"ttmlir-opt {FILE} {TO_TTIR}", None),
    ("TTNN", "Layouts, tiles and memory of each tensor; values are freed after their last use.", f"ttmlir-opt {FILE} {TO_TTIR} {TO_TTNN}", r"func|ttnn\.|return|^#ttnn_layout"),
    ("A binary", "What `ttrt run` and tt-metal's runtime load.", f"ttmlir-opt {FILE} {TO_TTIR} {TO_TTNN} | ttmlir-translate --ttnn-to-flatbuffer -o add.ttnn && ttrt read --section inputs add.ttnn", r"name|shape|data_type|memory_space|tile_shape"),
    ("C++ of the host", "The same program as calls of ttnn's C++ functions.", f"ttmlir-opt {FILE} {TO_TTIR} --ttir-to-emitc-pipeline | ttmlir-translate --mlir-to-cpp", r"^::std::vector|ttnn::|return|^}"),
    ("Python of the host", "And of its Python functions.", f"ttmlir-opt {FILE} {TO_TTIR} --ttir-to-emitpy-pipeline | ttmlir-translate --mlir-to-python", r"^def|ttnn\.|return|^import"),
    ("D2M", "The addition as a generic on tiles: a grid of cores, blocks, one tile of DST.", f"ttmlir-opt {FILE} {TO_TTIR} {D2M}", r"d2m\.(generic|tile_add|to_)|linalg|return|func"),
    ("TTMetal and TTKernel", "Programs that the host launches, and the kernels of their threads.", f"ttmlir-opt {FILE} {TO_TTIR} {KERNELS}", r"enqueue|func|add_|cb_|tile_regs|pack|create_buffer"),
    ("C++ of the kernels", "What the hardware's compiler gets for each thread.", f"ttmlir-opt {FILE} {TO_TTIR} --ttir-to-ttmetal-pipeline | ttmlir-translate --ttkernel-to-cpp", r"void|add|cb_|tile_|pack|}"),
    ("On the simulated grid", "Tiles and rows are converted by programs of their own, before and after the sum.", f"ttmlir-opt {FILE} {TO_TTIR} {KERNELS} -o kernels.mlir && tilewright sim kernels.mlir --profile", r"^program|^out"),
    ("On the embedded device", "The plan's steps; results of random inputs.", f"tilewright run {FILE}", None),
]
LINES, WIDTH = 24, 140


def output(command, build, folder, runs=1):
    env = {"PATH": f"{build / 'bin'}:/usr/bin:/bin", "TILEWRIGHT_ISA": "plain", "LC_ALL": "C"}
    took = None
    for _ in range(runs):
        start = time.monotonic()
        done = subprocess.run(command.replace(FILE, str(root / FILE)), shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        took = min(took or 1e9, time.monotonic() - start)
    if done.returncode:
        sys.exit(f"one_add.py: {command}: {done.stderr}")
    return done.stdout.replace(str(root) + "/", ""), took


def shown(text, pattern):
    """The lines that the pattern selects, at most LINES of them, cut at WIDTH; gaps are dots."""
    out, gap = [], False
    for line in text.rstrip("\n").split("\n"):
        if pattern is None or re.search(pattern, line):
            out.append(line[:WIDTH] + (" ..." if len(line) > WIDTH else ""))
            gap = False
        elif not gap:
            out.append("...")
            gap = True
    return "\n".join(out[:LINES] + (["..."] if len(out) > LINES else []))


def page(build, runs):
    yield "# One addition through every level\n"
    yield ("`scripts/one_add.py` writes this page: `examples/one-add.mlir`, a sum of two tensors of 64x64, at each level, with the command that prints it. "
           "[`--explain`](explain.md) shows the same for a program of yours, pass by pass.\n")
    sections, table = [], []
    with tempfile.TemporaryDirectory() as folder:
        for title, meaning, command, pattern in LEVELS:
            text, took = output(command, build, folder, runs)
            size = (Path(folder) / "add.ttnn").stat().st_size if "add.ttnn" in command else len(text)
            link = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            table.append(f"| [{title}](#{link}) | {size:,} | {len(text.splitlines())} | {1000 * took:.0f} ms |")
            sections.append(f"## {title}\n{meaning}\n\n```sh\n{command}\n```\n\n```text\n{shown(text, pattern)}\n```\n")
    yield "| level | bytes | lines | time of the command |\n|---|---|---|---|"
    yield "\n".join(table) + "\n"
    yield "\n".join(sections).rstrip("\n")


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build").resolve()
    print("\n".join(page(build, int(sys.argv[2]) if len(sys.argv) > 2 else 1)))


if __name__ == "__main__":
    main()
