#!/usr/bin/env python3
"""Asks mlir-opt about random modules of the shared dialects: does it accept what we accept?

    tests/irgen/against_mlir_opt.py [--build DIR] [--seeds FIRST:COUNT] [--dialects a,b] [--broken]

With --broken one operation of each module is changed, and both must agree on the verdict.
Disagreements are grouped by mlir-opt's (or our) message; exit status 1 if there are any,
77 if mlir-opt is not installed. """

import argparse
import collections
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def first_error(text):
    match = re.search(r"error: (.*)", text)
    return re.sub(r"'[^']*<[^']*'|\b\d+\b", "_", match.group(1)) if match else text[:80]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--seeds", default="1:200")
    parser.add_argument("--dialects", default="arith,math,scf,cf,memref,tensor,affine")
    parser.add_argument("--broken", action="store_true")
    args = parser.parse_args()
    peer = shutil.which("mlir-opt") or shutil.which("mlir-opt-19")
    if not peer:
        print("mlir-opt is not installed")
        return 77
    first, count = map(int, args.seeds.split(":"))
    groups = collections.defaultdict(list)
    for seed in range(first, first + count):
        command = [args.build / "tests/irgen/irgen", f"--seed={seed}", "--ops=6", f"--dialects={args.dialects}"]
        status, text, _ = run(command + ["--broken"] * args.broken)
        if status not in (0, 1):
            groups["irgen failed"].append(seed)
            continue
        ours = status == 0
        status, _, said = run([peer, "--allow-unregistered-dialect", "-", "-o", "/dev/null"], text)
        if status in (0, 1) and ours == (status == 0):
            continue
        if ours:
            groups["only mlir-opt objects: " + first_error(said)].append(seed)
        else:
            said = run([args.build / "bin/ttmlir-opt", "--allow-unregistered-dialect", "-"], text)[2]
            groups["only we object: " + first_error(said)].append(seed)
    for what, seeds in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(seeds):5} {what}  (seed {seeds[0]})")
    bad = sum(map(len, groups.values()))
    print(f"{count - bad} agreed, {bad} did not")
    return 1 if bad else 0


sys.exit(main())
