#!/usr/bin/env python3
"""Runs every test suite and sums up: the last line is `N passed, N failed`.

check.py [--quick] BUILD: C unit tests and layering through meson, text tests, then pytest, each on all processors (four at most).
--quick: without the slow C tests, and of pytest the files of QUICK only: under a minute on two processors."""

import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

# A sample that reaches every front end, level and tool; a file belongs here if it takes a second or two of the processor.
QUICK = ["torch_usage", "jax_programs", "stablehlo_ops", "tosa", "run_inputs", "ttl_run", "ttl_frontend", "ttl_syntax", "sim_ops", "sim_grid",
         "sim_races", "bytecode", "ir_module", "ir_passes", "ir_surface", "ir_dialects", "runtime_extension", "lsp", "options", "tools"]

root = Path(__file__).resolve().parent.parent
arguments = sys.argv[1:]
quick = "--quick" in arguments
if quick:
    arguments.remove("--quick")
build = Path(arguments[0] if arguments else "build").resolve()


if len(arguments) > 1 or not (build / "build.ninja").exists():
    sys.exit(f"{build}: no build folder; usage: check.py [--quick] [BUILD]")


def meson_tests():
    """The counts of one meson test; a cmocka program counts as one test."""
    subprocess.run(["meson", "test", "-C", str(build), "--quiet", "--print-errorlogs", "--no-rebuild",
                    "--timeout-multiplier", "3", "--no-suite", "lit", *(["--no-suite", "slow"] if quick else [])], cwd=root)
    log = build / "meson-logs" / "testlog.json"
    passed = failed = skipped = 0
    if log.exists():
        for line in log.read_text().splitlines():
            result = json.loads(line)["result"]
            passed += result in ("OK", "EXPECTEDFAIL")
            skipped += result == "SKIP"
            failed += result not in ("OK", "EXPECTEDFAIL", "SKIP")
    return passed, failed, skipped


def text_tests():
    done = subprocess.run([sys.executable, "tests/lit/run.py", "--build", str(build)], cwd=root, stdout=subprocess.PIPE,
                          text=True)
    print(done.stdout, end="")
    counts = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped\s*$", done.stdout)
    return tuple(map(int, counts.groups())) if counts else (0, done.returncode != 77, done.returncode == 77)


def python_environment():
    path = [str(build / "python"), str(root / "tests/python"), os.environ.get("PYTHONPATH", "")]
    return dict(os.environ, TW_BUILD=str(build), PYTHONPATH=os.pathsep.join(path), TILEWRIGHT_KERNEL_CACHE=str(build / "test-kernels"))


def precompile():
    """Beside the first tests: precompiles headers for tests of C++ kernels. No test depends on it."""
    return subprocess.Popen([sys.executable, "tests/python/precompile.py", str(build / "test-kernels")], cwd=root,
                            env=python_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_pytest(number, env, kept):
    """One of the runs that share the files: prints its dots at once, keeps the rest for the end. Returns the exit
    status."""
    command = [sys.executable, "-m", "pytest", "-q", "-x" if os.environ.get("TW_STOP") else "-q", "-p", "no:cacheprovider",
               "-p", "shared", "-o", "console_output_style=classic", f"--junitxml={build}/pytest-{number}.xml",
               *([str(root / f"tests/python/test_{name}.py") for name in QUICK] if quick else [str(root / "tests/python")])]
    with subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as child:
        while dot := child.stdout.read(1):
            if kept or dot not in ".sxXFE":
                kept.append(dot)
            else:
                print(dot, end="", flush=True)
    return child.wait()


def pytest_tests():
    runs = range(min(len(os.sched_getaffinity(0)), 4))
    for report in build.glob("pytest*.xml"):
        report.unlink()
    with tempfile.TemporaryDirectory() as shared, concurrent.futures.ThreadPoolExecutor() as pool:
        env = dict(python_environment(), TW_SHARED=shared, OMP_WAIT_POLICY="passive")
        kept = [[] for _ in runs]
        statuses = list(pool.map(run_pytest, runs, [env] * len(runs), kept))
    print()
    counts = [0, 0, 0]
    for number, status in zip(runs, statuses):
        report = build / f"pytest-{number}.xml"
        if status:
            print("".join(kept[number]), end="", flush=True)
        suite = tree.parse(report).getroot().find("testsuite").attrib if report.exists() else {}
        total, failures, errors, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped"))
        failed = failures + errors
        counts = [counts[0] + total - failed - skipped, counts[1] + (failed or status != 0), counts[2] + skipped]
    return tuple(counts)


def main():
    with contextlib.nullcontext() if quick else precompile():
        first = meson_tests(), text_tests()
    totals = [sum(x) for x in zip(*first, pytest_tests())]
    print(f"{totals[2]} skipped or expected to fail, each with its reason")
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0


sys.exit(main())
