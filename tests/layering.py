#!/usr/bin/env python3
"""Checks the rooms of src/ and the hunts of docs/architecture.md.

A file includes files of its own room and of rooms above its own in the list; so no ring goes through two rooms.
A hunt's row names a file, a symbol in it and the subject's word: file and symbol are there, and the path has the word."""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
ROOMS = ("support", "flatbuffer", "host", "ir", "mlir", "emitpy", "stablehlo", "ttcore", "sdy", "ttnn", "ttir", "d2m",
         "ttkernel", "ttl", "ttmetal", "schedule", "pipelines", "runtime", "grid")
# Parts in optional/ include any room; of the rooms only the lists in pipelines/ name them.
OPTIONAL = tuple(path.name for path in (root / "optional").iterdir())
# What tools and extension modules may include beside the public headers.
OPEN = ("tilewright", "support", "ir", "pipelines")
# Private headers that they may include as well, each with its reason.
EXCEPTIONS = {
    "mlir": "builders of func, arith and emitc, which the IR in Python offers by name; C++ is written by mlir/emitc",
    "stablehlo": "reading and writing portable artifacts; the evaluator behind --interpret",
    "ttnn": "writing binaries; operators of torch in rows", "ttir": "operators of torch in rows", "ttmetal": "writing binaries", "ttcore": "system descriptors", "flatbuffer": "ttrt reads and checks binaries",
    "emitpy": "Python is written by emitpy/to_python", "runtime": "doctor looks at caches and plans", "host": "doctor and tests name instruction sets",
    "grid": "the extension module launches kernels on tensors",
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
    for path in sorted(p for folder in ("tools", "python", "bindings") for p in (root / folder).rglob("*") if p.suffix in (".c", ".h")):
        for number, target in includes(path):
            other = target.split("/")[0]
            if other in ROOMS and other not in OPEN and other not in EXCEPTIONS:
                wrong.append(f"{path.relative_to(root)}:{number}: {target} is private")
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
