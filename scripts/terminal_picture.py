#!/usr/bin/env python3
"""Runs commands and draws the terminal as an SVG picture: README's by default, a page's by the name of its file in docs/images.

scripts/terminal_picture.py [BUILD [NAME]] > docs/images/NAME.svg

The output is that of the commands, folded at COLUMNS; the same build gives the same bytes."""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from html import escape, unescape
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# The title of each picture, and its commands.
PICTURES = {
    "terminal": ("A model that runs, and the report of a kernel that hangs", (
        "ttmlir-opt examples/mlp.mlir --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline | grep -o '%. = [^<:]*'",
        "tilewright run examples/mlp.mlir",
        "tilewright sim examples/broken/deadlock-mutual.mlir",
    )),
    "reports": ("The report of a race as annotations of a pull request, and as SARIF", (
        "tilewright sim examples/broken/dram-race.mlir --report=github >/dev/null",
        "tilewright sim examples/broken/dram-race.mlir --report=sarif 2>&1 >/dev/null | grep -E 'ruleId|level|uri|start'",
    )),
    "validate": ("A pass that changes results, named with its operation and inputs", (
        "TILEWRIGHT_VALIDATE=1 ttmlir-opt --legalize-stablehlo-composite-to-ttir examples/validate/wrong-decomposition.mlir",
        "tilewright check-pass examples/mlp.mlir",
    )),
    "blame": ("The operation that a wrong result comes from, and a small program that shows it", (
        "tilewright blame examples/validate/lost-digits.mlir --dtype=bf16 -o /tmp/small.mlir 2>/dev/null; grep -o '%. = [^:]*' /tmp/small.mlir",
        "tilewright blame examples/validate/wrong-decomposition.mlir --no-reduce",
    )),
    "explain": ("Two passes in the page of --explain, with their rules and source lines", None),
    "editors": ("A module in an editor, with the language server's errors", None),
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
    "autotune-jit": ("Functions of ttnn whose options are tuned", ("ttlang-sim examples/jit/tuned.py | grep -v '^  *max_grid'",)),
}
COLUMNS, FONT_SIZE, CELL, LINE, MARGIN, TITLE = 118, 13, 7.8, 18, 16, 28
COLOURS = {"prompt": "#7ee787", "error": "#ff7b72", "note": "#79c0ff", "source": "#8b949e", "plain": "#e6edf3"}


def output(command, build):
    env = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}", TILEWRIGHT_ISA="plain", LC_ALL="C")
    done = subprocess.run(command, shell=True, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not done.stdout.strip() or "not found" in done.stdout:
        sys.exit(f"terminal_picture.py: {command}: expected output, found '{done.stdout.strip()}'; run make first")
    return re.sub(r" in \d+\.\d s\b", "", done.stdout).rstrip("\n").split("\n")  # times differ


# The picture of an editor shows this module with what the language server sends for it.
EDITED = """func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.rellu"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = "ttir.add"(%1, %0) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}
"""


def diagnostics(build):
    """What the language server sends for EDITED, by line."""
    document = {"uri": "file:///model.mlir", "languageId": "mlir", "version": 1, "text": EDITED}
    messages = [{"id": 1, "method": "initialize", "params": {"capabilities": {}}}, {"method": "textDocument/didOpen", "params": {"textDocument": document}},
                {"id": 2, "method": "shutdown"}, {"method": "exit"}]
    sent = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in (json.dumps({"jsonrpc": "2.0", **m}) for m in messages))
    done = subprocess.run([build / "bin/ttmlir-lsp-server"], input=sent.encode(), stdout=subprocess.PIPE)
    found = {}
    for text in re.split(rb"Content-Length: \d+\r\n\r\n", done.stdout)[1:]:
        for each in json.loads(text).get("params", {}).get("diagnostics", []):
            found.setdefault(each["range"]["start"]["line"], []).append(each["message"])
    return found


def editor(build):
    """The module's lines, each with the errors of the language server below it."""
    found = diagnostics(build)
    yield "model.mlir", "note"
    for number, line in enumerate(EDITED.splitlines()):
        yield f"{number + 1:3} {line}", "plain"
        for message in found.get(number, []):
            for i, part in enumerate(message.splitlines()):
                yield "    " + ("" if i else "■ ") + ("  " if i else "") + part, "note" if i else "error"
    yield "", "plain"


def page(build):
    """Two passes of the page that --explain writes: titles, rules and changed lines."""
    with tempfile.TemporaryDirectory() as folder:
        command = f"ttmlir-opt examples/mlp.mlir --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline -o /dev/null --explain={folder}/page.html; echo done"
        output(command, build)
        html = (Path(folder) / "page.html").read_text()
    for section in re.findall(r">\d+\. (ttir-fusing</h2>.*?)(?=<h2|$)", html, re.S):
        head, diff = section.split("<pre>")
        lines = re.sub(r"</h2>|</p>|</tr>", "\n", head)
        lines = [re.sub(r" +", " ", re.sub(r"<[^>]*>", " ", line)).strip() for line in lines.split("\n")]
        for i, line in enumerate(filter(None, lines)):
            yield unescape(re.sub(r", [\d.]+ ms, \d+ bytes|(?<=\.c):\d+", "", line)), "plain" if i == 0 else "note"
        for kind, at, text in re.findall(r'<span(?: class="(\w)")?(?: data-at="([^"]*)")?>(.*?)</span>', diff):
            if kind in ("a", "r"):
                text, width = unescape(text), COLUMNS - 10 - len(at)
                text = text[:width] + (" ..." if len(text) > width else "")
                yield f"{text:{width + 6}}{unescape(at)}", "prompt" if kind == "a" else "error"
        yield "", "plain"


def colour(line):
    if found := re.search(r": (error|note): ", line):
        return found[1]
    if found := re.match(r"::(error|notice) ", line):
        return "error" if found[1] == "error" else "note"
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
    yield f"<title>{escape(title)}</title>"
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
    build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build").resolve()
    name = sys.argv[2] if len(sys.argv) > 2 else "terminal"
    if name not in PICTURES:
        sys.exit(f"terminal_picture.py: no picture '{name}'; there are {', '.join(PICTURES)}")
    title, commands = PICTURES[name]
    print("\n".join(picture(title, list(screen(build, commands) if commands else {"editors": editor, "explain": page}[name](build))[:-1])))


if __name__ == "__main__":
    main()
