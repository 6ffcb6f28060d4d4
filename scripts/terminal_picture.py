#!/usr/bin/env python3
"""Runs the commands of `make demo` that fit a screen and draws the terminal as an SVG picture.

scripts/terminal_picture.py [--of NAME] [BUILD] > docs/images/NAME.svg     NAME: one of PICTURES, terminal without one

The output is that of the commands, folded at COLUMNS; the same build gives the same bytes."""

import os
import re
import subprocess
import sys
import textwrap
from html import escape
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Of each picture: its title and the commands.
PICTURES = {
    "terminal": ("A model that runs, and the report of a kernel that hangs", (
        "ttmlir-opt examples/mlp.mlir --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline | grep -o '%. = [^<:]*'",
        "tilewright run examples/mlp.mlir",
        "tilewright sim examples/broken/deadlock-mutual.mlir",
    )),
    "explore": ("A kernel that is right in its first order, and the order that breaks it", (
        "tilewright sim examples/explore/race-almost.mlir",
        "tilewright sim examples/explore/race-almost.mlir --explore=1000 --delays=/dev/null",
    )),
    "what-if": ("Kernels with one bottleneck each, and what would help", (
        "ttlang-sim --what-if examples/what_if.py dram depth scalar | grep -v '  [01][.]. %'",
    )),
    "debugger": ("A kernel that stops at a breakpoint", (
        r"""printf 'cb\nthreads\ns\np cb("x_cb")[1].mean()\nsem\nq\n' | ttlang-sim examples/debug.py 2>/dev/null""",
    )),
    "autotune": ("A matmul whose blocks, cores and buffers are tuned", ("ttlang-sim examples/ttl/tuned_matmul.py",)),
}
COLUMNS, FONT_SIZE, CELL, LINE, MARGIN, TITLE = 118, 13, 7.8, 18, 16, 28
COLOURS = {"prompt": "#7ee787", "error": "#ff7b72", "note": "#79c0ff", "source": "#8b949e", "plain": "#e6edf3"}


def output(command, build):
    env = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}", TILEWRIGHT_ISA="plain", LC_ALL="C")
    done = subprocess.run(command, shell=True, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not done.stdout.strip() or "not found" in done.stdout:
        sys.exit(f"terminal_picture.py: {command}: expected output, found '{done.stdout.strip()}'; run make first")
    return re.sub(r" in \d+\.\d s\b", "", done.stdout).rstrip("\n").split("\n")  # times differ


def colour(line):
    if found := re.search(r": (error|note): ", line):
        return found[1]
    return "source" if line.startswith("    ") else "plain"


def screen(build, commands):
    """Pairs of a line and its colour."""
    for command in commands:
        yield "$ " + command, "prompt"
        for line in output(command, build):
            indent = line[:len(line) - len(line.lstrip())]
            for part in textwrap.wrap(line, COLUMNS, subsequent_indent=indent or "  ", break_on_hyphens=False, drop_whitespace=True,
                                      replace_whitespace=False) or [""]:
                yield part, colour(line)
        yield "", "plain"


def picture(title, lines):
    width, height = int(2 * MARGIN + COLUMNS * CELL), TITLE + MARGIN + len(lines) * LINE
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
    yield f"<title>{escape(title, quote=False)}</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    for i, fill in enumerate(("#ff5f56", "#ffbd2e", "#27c93f")):
        yield f'<circle cx="{MARGIN + 4 + 18 * i}" cy="{TITLE // 2}" r="5" fill="{fill}"/>'
    yield f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{FONT_SIZE}" xml:space="preserve">'
    for i, (text, kind) in enumerate(lines):
        if text:
            yield (f'<text x="{MARGIN}" y="{TITLE + LINE * (i + 1) - 4}" fill="{COLOURS[kind]}" '
                   f'textLength="{len(text) * CELL:.1f}">{escape(text, quote=False)}</text>')
    yield "</g>\n</svg>"


def main():
    arguments = sys.argv[1:]
    name = "terminal"
    if arguments[:1] == ["--of"]:
        name, arguments = arguments[1], arguments[2:]
    title, commands = PICTURES[name]
    build = Path(arguments[0] if arguments else root / "build").resolve()
    lines = list(screen(build, commands))
    print("\n".join(picture(title, lines[:-1])))


if __name__ == "__main__":
    main()
