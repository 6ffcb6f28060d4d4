#!/usr/bin/env python3
"""Checks that includes point one way: a folder includes itself and folders below it."""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent / "src"
order = ["support", "ir", "dialect", "rewrite", "pass", "kernel", "target", "device", "analysis", "transform", "convert",
         "runtime", "frontend"]
bad = 0
for path in sorted(root.rglob("*.[ch]")) + sorted(root.rglob("*.def")):
    layer = path.relative_to(root).parts[0]
    for n, line in enumerate(path.read_text().splitlines(), 1):
        m = re.match(r'\s*#\s*include "(\w+)/', line)
        if not m or m[1] not in order or m[1] == layer:
            continue
        if order.index(m[1]) > order.index(layer):
            print(f"{path.relative_to(root.parent)}:{n}: {layer} includes {m[1]}, which is above it")
            bad += 1
sys.exit(1 if bad else 0)
