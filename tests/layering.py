#!/usr/bin/env python3
"""Checks the rooms of src/ and the hunts of docs/architecture.md.

A file includes files of its own room and of rooms above its own in the list; so no ring goes through two rooms.
A hunt's row names a file, a symbol in it and the subject's word: file and symbol are there, and the path has the word."""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
ROOMS = ("support", "flatbuffer", "host", "ir", "mlir", "emitpy", "stablehlo", "ttcore", "sdy", "ttnn", "ttir", "d2m",
         "ttkernel", "cost", "ttl", "ttmetal", "schedule", "pipelines", "runtime", "grid")
# Parts in optional/ include any room; of the rooms only the lists in pipelines/ name them.
OPTIONAL = tuple(path.name for path in (root / "optional").iterdir())
# What tools and extension modules may include beside the public headers.
OPEN = ("tilewright", "support", "ir", "pipelines")
# The private headers that they include as well, each with its reason.
EXCEPTIONS = {
    "flatbuffer/json.h": "ttrt shows parts of a binary",
    "flatbuffer/verify.h": "the kind of a file",
    "ttcore/system/chip_costs.h": "tt-smi shows the embedded boards",
    "mlir/func/func.h": "functions that the front ends build",
    "mlir/linalg/linalg.h": "the regions that named operations imply, for the IR in Python",
    "mlir/pdl/rewrite/pdl.h": "patterns in Python",
    "runtime/checks.h": "functions that check themselves",
    "runtime/plan.h": "ttnn.Tensor converts its memory",
    "runtime/validate/interpret.h": "values of a program after each stage",
    "runtime/validate/validate.h": "passes are watched",
    "stablehlo/eval/eval.h": "the evaluator behind --interpret",
    "stablehlo/stablehlo.h": "tokens among the arguments of JAX's programs",
    "ttcore/system/sysdesc.h": "system descriptors are written",
    "ttir/ttir.def": "operators of torch in rows",
    "ttnn/elementwise.def": "operators of torch in rows",
    "ttnn/emit/ttnn_calls.h": "configurations of ttnn as classes in Python",
    "ttnn/to_flatbuffer/ttnn_program.h": "operations in binaries",
    "ttnn/ttnn.h": "configurations of ttnn as classes in Python",
}


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if found := re.match(r'\s*#\s*(?:include|define IR_\w+) "([\w./]+)"', line):
            yield number, found[1]


def check_rooms():
    wrong = [f"src/{path.name}: a room that the list lacks" for path in (root / "src").iterdir() if path.is_dir() and path.name not in ROOMS]
    for path in sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h", ".def")):
        room = path.relative_to(root / "src").parts[0]
        for number, target in includes(path):
            other = target.split("/")[0]
            if other in ROOMS and room in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(root)}:{number}: {room} includes {target}, which is in a room below it in the list")
            if other in OPTIONAL and room != "pipelines":
                wrong.append(f"{path.relative_to(root)}:{number}: {target} is optional: only pipelines/ may name it")
    used = set()
    for path in sorted(p for folder in ("tools", "python", "bindings") for p in (root / folder).rglob("*") if p.suffix in (".c", ".h")):
        for number, target in includes(path):
            other = target.split("/")[0]
            used.add(target)
            if other in ROOMS and other not in OPEN and target not in EXCEPTIONS:
                wrong.append(f"{path.relative_to(root)}:{number}: {target} is private")
    wrong += [f"tests/layering.py: no tool includes {target} any more" for target in sorted(EXCEPTIONS.keys() - used)]
    return wrong


def check_hunts():
    page = (root / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| `([^|`]+)` \| `(\w+)` \| (\w+) \|$", page.partition("## Where is")[2], re.M)
    wrong = [] if len(rows) >= 12 else [f"docs/architecture.md: {len(rows)} rows under 'Where is', 12 at least"]
    for what, path, symbol, word in rows:
        file = root / path
        if not file.is_file():
            wrong.append(f"docs/architecture.md: {what}: {path} is not there")
        elif not re.search(rf"\b{symbol}\b", file.read_text()):
            wrong.append(f"docs/architecture.md: {what}: {path} has no {symbol}")
        elif word not in path:
            wrong.append(f"docs/architecture.md: {what}: {path} does not have the word {word}")
    return wrong


wrong = check_rooms() + check_hunts()
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
