#!/usr/bin/env python3
"""Asks mlir-opt about random modules of the shared dialects: does it accept what we accept?

    tests/irgen/against_mlir_opt.py [--build DIR] [--seeds FIRST:COUNT] [--dialects a,b] [--ops N] [--broken]

With --broken one operation of each module is changed, and both must agree on the verdict.
Disagreements are grouped by mlir-opt's (or our) message; exit status 1 if there are any,
77 if mlir-opt is not installed.  What the installed mlir-opt is too old to know is counted
apart. """

import argparse
import collections
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 100
MARKER = "// -----\n"
# Operations, attributes and types younger than the mlir-opt that distributions have.
YOUNGER = re.compile(r"unregistered operation|does not support properties|no type parsing hook|type `\w+` in dialect|"
                     r"invalid array element type|only supports integer types with width|dialect .* is unknown|"
                     r"attribute expected to be a|unexpected decimal|expected ']' in|unknown attribute|expected valid keyword")


def run(command, text=None):
    done = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def message(text):
    return re.sub(r"'[^']*[<0-9][^']*'|(?<!#)\b-?\d+\b", "_", text)


def verdicts(tool, modules):
    """For each module the first error's message, or None if the tool accepts it."""
    command = [tool, "--allow-unregistered-dialect", "--split-input-file", "-o", "/dev/null", "-"]
    status, _, said = run(command, MARKER.join(modules))
    if status not in (0, 1):  # it died: ask about each alone
        return [verdicts(tool, [m])[0] for m in modules] if len(modules) > 1 else ["died"]
    starts, line = [], 1
    for m in modules:
        starts.append(line)
        line += m.count("\n") + 1
    found = [None] * len(modules)
    for match in re.finditer(r"(?:within split at \S*:(\d+) offset )?\S*:(\d+):\d+: error: (.*)", said):
        line = int(match[1] or 1) + int(match[2]) - 1
        at = max(i for i, start in enumerate(starts) if start <= line)
        found[at] = found[at] or message(match[3])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--seeds", default="1:200")
    parser.add_argument("--ops", default="6")
    parser.add_argument("--dialects", default="arith,math,scf,cf,memref,tensor,affine,func,bufferization")
    parser.add_argument("--broken", action="store_true")
    args = parser.parse_args()
    peer = shutil.which("mlir-opt") or shutil.which("mlir-opt-19")
    if not peer:
        print("mlir-opt is not installed")
        return 77
    first, count = map(int, args.seeds.split(":"))
    groups, younger = collections.defaultdict(list), 0
    for start in range(first, first + count, BATCH):
        seeds = range(start, min(start + BATCH, first + count))
        modules, ours = [], []
        for seed in seeds:
            command = [args.build / "tests/irgen/irgen", f"--seed={seed}", f"--ops={args.ops}", f"--dialects={args.dialects}"]
            status, text, _ = run(command + ["--broken"] * args.broken)
            modules.append(text)
            ours.append(status == 0)
        theirs = verdicts(peer, modules)
        reasons = verdicts(args.build / "bin/ttmlir-opt", modules)
        for seed, accepted, said, reason in zip(seeds, ours, theirs, reasons):
            if accepted and said and YOUNGER.search(said):
                younger += 1
            elif accepted and said:
                groups["only mlir-opt objects: " + said].append(seed)
            elif not accepted and not said:
                groups["only we object: " + str(reason)].append(seed)
    for what, seeds in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(seeds):5} {what}  (seed {seeds[0]})")
    bad = sum(map(len, groups.values()))
    print(f"{count - bad - younger} agreed, {bad} did not, {younger} have what this mlir-opt does not know")
    return 1 if bad else 0


sys.exit(main())
