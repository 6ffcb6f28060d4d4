#!/usr/bin/env python3
"""Asks mlir-opt about random modules of the shared dialects: does it accept what we accept?

    tests/irgen/against_mlir_opt.py [--build DIR] [--seeds FIRST:COUNT] [--dialects a,b] [--ops N] [--broken] [--messages] [--forms] [--passes FLAGS]
                                 [--peer PROGRAM]

--peer names another program of the kind: a newer MLIR's, such as IREE's `iree-opt` (3.10 is MLIR 22).
With --broken one operation of each module is changed, and both must agree on the verdict.  Of modules
that are accepted, mlir-opt's text and bytecode must be ours too, and each must read the other's
(--forms); so must what passes make of them (--passes=--canonicalize).
Disagreements are grouped by mlir-opt's (or our) message; exit status 1 if there are any,
77 if mlir-opt is not installed.  Operations that the installed mlir-opt does not know are not
drawn; what else it is too old for is counted apart. """

import argparse
import collections
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import generated  # beside this file

ROOT = Path(__file__).resolve().parents[2]
BATCH = 100
MARKER = "// -----\n"
DIALECTS = "arith,math,scf,cf,memref,tensor,affine,func,bufferization,linalg,shape"
# Differences between versions: operations with another signature in mlir-opt 19, attributes that it lacks.
CHANGED = ["memref.assume_alignment", "memref.atomic_rmw", "affine.delinearize_index", "linalg.winograd_filter_transform",
           "linalg.winograd_input_transform", "linalg.winograd_output_transform", "tensor.splat",
           "arith.shrsi.isExact", "arith.shrui.isExact", "arith.divsi.isExact", "arith.divui.isExact",
           "arith.trunci", "scf.for.unsignedCmp", "linalg.map", "memref.alloc.alignment", "memref.alloca.alignment", "memref.realloc.alignment", "quant.scast", "memref.load.alignment",
           "memref.store.alignment",
           "scf.execute_region.no_inline", "func.call.no_inline", "bufferization.to_tensor", "bufferization.to_buffer"]
YOUNGER = re.compile(r"unknown attribute|invalid array element type")


os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"  # a crash of mlir-opt takes seconds otherwise


def bounded():
    """mlir-opt 19 reads uninitialized extents where linalg.transpose has no dimensions."""
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def run(command, text=None, binary=False):
    try:
        done = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=not binary, timeout=15,
                              preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return DIED, "", ""
    return done.returncode, done.stdout, done.stderr


def message(text):
    text = re.sub(r"'([^']*)'", lambda m: "_" if re.search(r"[<0-9]", m[1]) else m[0], text)
    return re.sub(r"(?<!#)\b-?\d+\b", "_", text)


def errors(said, modules):
    """For each module the first error's message, or None."""
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


DIED = "the tool died"
# mlir-opt 19 reads the extents of unranked tensors.
UNRANKED = "have the same tensor dimensions"


def verdicts(tool, modules):
    """For each module the first error's message, or None if the tool accepts it."""
    command = [tool, "--allow-unregistered-dialect", "--split-input-file", "-o", "/dev/null", "-"]
    status, _, said = run(command, MARKER.join(modules))
    if status not in (0, 1):  # it crashed: retry with fewer modules
        half = len(modules) // 2
        return verdicts(tool, modules[:half]) + verdicts(tool, modules[half:]) if half else [DIED]
    return errors(said, modules)


def unknown_to(peer, names):
    said = verdicts(peer, [f'"{name}"() : () -> ()\n' for name in names])
    return [n for n, s in zip(names, said) if s and "unregistered operation" in s]


def same_forms(peer, ours, module, folder, version):
    """The disagreement of the two programs on a module that both accept."""
    for flags in [[], ["--mlir-print-op-generic"], ["--mlir-print-debuginfo"]]:
        texts = [run([t, "--allow-unregistered-dialect", *flags, "-"], module)[1] for t in (peer, ours)]
        if texts[0] != texts[1]:
            return "texts differ " + " ".join(flags)
    for writer, reader in ((peer, ours), (ours, peer)):
        file = folder / "module.mlirbc"
        run([writer, "--allow-unregistered-dialect", "--emit-bytecode", *version, "-o", file, "-"], module)
        status, text, said = run([reader, "--allow-unregistered-dialect", "--mlir-print-op-generic", file])
        if status:
            return f"{Path(reader).name} does not read bytecode: " + message((said or "no message").splitlines()[0])
        if text != run([ours, "--allow-unregistered-dialect", "--mlir-print-op-generic", "-"], module)[1]:
            return f"{Path(reader).name} reads other bytecode"
    return None


def same_result(peer, ours, module, flags):
    """The disagreement of the two programs after passes; None where mlir-opt fails."""
    command = ["--allow-unregistered-dialect", *flags, "-"]
    status, theirs, _ = run([peer, *command], module)
    if status:
        return None
    status, text, said = run([ours, *command], module)
    if status:
        return "only we fail: " + message((said or "no message").splitlines()[0])
    gone = [line for line in text.splitlines() if line not in theirs.splitlines()]
    return None if text == theirs else "results differ: " + message((gone or ["lines are missing"])[0].strip())[:90]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    generated.add_options(parser, DIALECTS, ops="6")
    parser.add_argument("--messages", action="store_true", help="compare the first errors too")
    parser.add_argument("--forms", action="store_true", help="compare texts and bytecode of accepted modules too")
    parser.add_argument("--passes", help="compare what these flags make of accepted modules too")
    parser.add_argument("--peer", help="another program of the kind")
    args = parser.parse_args()
    peer = args.peer or shutil.which("mlir-opt") or shutil.which("mlir-opt-19")
    if not peer:
        print("mlir-opt is not installed")
        return 77
    all_seeds = generated.seeds(args)
    ours_tool = args.build / "bin/ttmlir-opt"
    old = "version 19." in run([peer, "--version"])[1]
    without = unknown_to(peer, generated.operations(args.build, args.dialects)) + CHANGED * old
    if args.passes and old:
        without.append("linalg.transpose")  # mlir-opt 19 omits those that copy memory
        without.append("scf.execute_region")  # has unknown effects in mlir-opt 19
    groups, younger, valid, died = collections.defaultdict(list), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(all_seeds), BATCH):
            seeds = all_seeds[start:start + BATCH]
            modules, ours = zip(*(generated.module(args, seed, without) for seed in seeds))
            theirs = verdicts(peer, modules)
            reasons = verdicts(ours_tool, modules)
            for seed, accepted, said, reason, module in zip(seeds, ours, theirs, reasons, modules):
                valid += accepted
                if accepted and said and YOUNGER.search(said):
                    younger += 1
                elif said == DIED or (said and UNRANKED in said and "<*x" in module):
                    died += 1
                elif (reason is None) != accepted:
                    groups["we do not agree with ourselves: " + str(reason)].append(seed)
                elif accepted and said:
                    groups["only mlir-opt objects: " + said].append(seed)
                elif not accepted and said and args.messages and said != reason:
                    groups[f"messages: {said}\n{'':12}ours: {reason}"].append(seed)
                elif not accepted and not said:
                    groups["only we object: " + str(reason)].append(seed)
                elif accepted and args.passes:
                    differs = same_result(peer, ours_tool, module, args.passes.split())
                    if differs:
                        groups[differs].append(seed)
                elif accepted and args.forms:
                    differs = same_forms(peer, ours_tool, module, Path(folder), ["--emit-bytecode-version=4"] * old)
                    if differs:
                        groups[differs].append(seed)
    for what, seeds in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(seeds):5} {what}  (seed {seeds[0]})")
    bad = sum(map(len, groups.values()))
    print(f"{len(all_seeds) - bad - younger - died} agreed ({valid} are valid), {bad} did not, "
          f"{younger} have what this mlir-opt does not know, at {died} it fails")
    return 1 if bad else 0


sys.exit(main())
