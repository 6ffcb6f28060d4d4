#!/usr/bin/env python3
"""Runs the fuzz targets of a build with clang and sanitizers: run.py BUILD SECONDS [--runs=N] [TARGET...]

Each starts from its corpus and from what the text tests hold, keeps what it learns in BUILD/fuzz, and ends
after SECONDS or with a finding, whose file it names. With --runs it tries the same N inputs each time: it forgets what
it has learnt before and does not look at the clock. Put a small finding into tests/fuzz/corpus/TARGET: it is replayed
by every `make check`."""

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
lit = here.parent / "lit"
# The text tests that a target starts from; passes: in all folders whose tests run passes, those of D2M and its conversions among them.
TEXTS = {"text": ["**/*.mlir"], "damage": ["**/*.mlir"], "kernel": ["[dt][et][vl]*/**/*.mlir"], "compile": ["run/*.mlir"],
         "passes": [f"{folder}/**/*.mlir" for folder in ("transform", "d2m", "convert", "ttir", "ttkernel", "ttl")]}


def pieces(path):
    return re.split(r"^// -----.*$", path.read_text(errors="replace"), flags=re.M)


def pipelines_of(text):
    """Pipelines for passes: the options that the test's RUN lines pass to ttmlir-opt, each of them once."""
    made = []
    for run in re.findall(r"RUN: (?:not )?\S*-opt %s (.*)", text):
        flags = re.findall(r"--?([a-z][-a-z0-9]+)(?:=(\"[^\"]*\"|\S+))?(?=\s|$)", run.split("|")[0])
        made.append(",".join(name + (f"{{{options.strip(chr(34))}}}" if options else "") for name, options in flags))
    return [line for line in dict.fromkeys(made) if line] or ["canonicalize"]


def make_seeds(target, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(path for pattern in TEXTS.get(target, ()) for path in lit.glob(pattern)):
        whole = path.read_text(errors="replace")
        for i, text in enumerate(pieces(path)):
            lines = pipelines_of(whole) if target == "passes" else [None]
            if target == "passes" and "ttir." in text:  # all of D2M's passes in a row
                lines.append("ttir-to-ttmetal-pipeline")
            for k, line in enumerate(lines):
                if len(text) < 20000:
                    (folder / f"{path.parent.name}-{path.stem}-{i}-{k}").write_text(text if line is None else line + "\n" + text)
    if target == "param":
        for row in range(600):
            (folder / f"row-{row}").write_bytes(row.to_bytes(2, "little") + b"<>")
    if target == "irgen":
        for row in range(40):
            (folder / f"seed-{row}").write_bytes(bytes([row % 5, row % 7, row]))


def report(target, folder):
    """Where the findings of TARGET are, and small ones in text, for logs of machines whose files are gone."""
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        print(f"{target}: {path} ({len(data)} bytes)")
        if len(data) <= 8000:
            print(f"base64 of {path.name}: {base64.b64encode(data).decode()}")


def main():
    build, seconds, rest = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
    wanted = [a for a in rest if not a.startswith("--runs=")]
    runs = [a for a in rest if a.startswith("--runs=")]
    length = ["-seed=1", "-" + runs[0][2:]] if runs else [f"-max_total_time={seconds}"]
    found = []
    for program in sorted((build / "tests/fuzz").glob("fuzz_*")):
        target = program.name[len("fuzz_"):]
        if program.is_dir() or (wanted and target not in wanted):
            continue
        work = build / "fuzz" / target
        seeds, learnt, findings = work / "seeds", work / "learnt", work / "findings"
        for folder in (seeds, learnt) if runs else ():
            shutil.rmtree(folder, ignore_errors=True)
        make_seeds(target, seeds)
        for folder in (learnt, findings):
            folder.mkdir(parents=True, exist_ok=True)
        dictionary = [f"-dict={here}/attr.dict"] if target in ("attr", "param", "text", "compile", "damage", "kernel", "passes") else []
        env = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
        print(f"== {target}", flush=True)
        done = subprocess.run(
            [program, *length, "-timeout=10", "-rss_limit_mb=3000", "-malloc_limit_mb=1100",
             "-print_final_stats=1", "-verbosity=0", "-print_funcs=0", "-max_len=40000", f"-artifact_prefix={findings}/", *dictionary, learnt,
             here / "corpus" / target, seeds], cwd=work, env=env)
        if done.returncode:
            found.append((target, findings))
    for target, findings in found:
        report(target, findings)
    print("findings in: " + ", ".join(target for target, _ in found) if found else "no findings")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
