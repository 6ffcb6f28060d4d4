#!/usr/bin/env python3
"""Runs every test suite and sums up: the last line is `N passed, N failed`.

check.py [--quick] BUILD: C unit tests and layering through meson, text tests, then pytest, each on all processors (four at most).
--quick: without the slow C tests, and of pytest the files of QUICK only: under a minute on two processors."""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

# A sample that reaches every front end, level and tool; a file belongs here if it takes a second or two of the processor.
QUICK = ["torch_usage", "jax_programs", "stablehlo_ops", "tosa", "run_inputs", "ttl_run", "ttl_frontend", "ttl_syntax", "sim_ops", "sim_grid",
         "sim_races", "bytecode", "ir_module", "ir_passes", "ir_surface", "ir_dialects", "runtime_extension", "lsp", "options", "tools"]

# A script's background job ignores SIGINT, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
root = Path(__file__).resolve().parent.parent
arguments = sys.argv[1:]
quick = "--quick" in arguments
if quick:
    arguments.remove("--quick")
build = Path(arguments[0] if arguments else "build").resolve()


if len(arguments) > 1 or not (build / "build.ninja").exists():
    sys.exit(f"{build}: no build folder; usage: check.py [--quick] [BUILD]")


def meson_tests():
    """How many passed, which failed and how many were skipped; a cmocka program counts as one test."""
    subprocess.run(["meson", "test", "-C", str(build), "--quiet", "--print-errorlogs", "--no-rebuild",
                    "--timeout-multiplier", "3", "--no-suite", "lit", *(["--no-suite", "slow"] if quick else [])], cwd=root)
    log = build / "meson-logs" / "testlog.json"
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    failed = [each["name"] for each in results if each["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")]
    skipped = sum(each["result"] == "SKIP" for each in results)
    return len(results) - len(failed) - skipped, failed, skipped


def text_tests():
    done = subprocess.run([sys.executable, "tests/lit/run.py", "--build", str(build)], cwd=root, stdout=subprocess.PIPE,
                          text=True)
    print(done.stdout, end="")
    counts = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped\s*$", done.stdout)
    passed, failed, skipped = map(int, counts.groups()) if counts else (0, done.returncode != 77, done.returncode == 77)
    names = re.findall(r"^FAIL: (\S+)", done.stdout, re.MULTILINE)
    return passed, names if len(names) == failed else ["tests/lit/run.py"] * failed, skipped


def python_environment():
    path = [str(build / "python"), str(root / "tests/python"), os.environ.get("PYTHONPATH", "")]
    return dict(os.environ, TW_BUILD=str(build), PYTHONPATH=os.pathsep.join(path), TILEWRIGHT_KERNEL_CACHE=str(build / "test-kernels"))


def run_pytest(number, env, kept):
    """One of the runs that share the files: prints its dots at once, keeps the rest for the end. Returns the exit
    status."""
    command = [sys.executable, "-m", "pytest", "-q", "-x" if os.environ.get("TW_STOP") else "-q", "-p", "no:cacheprovider",
               "-p", "shared", "--disable-warnings", "-o", "console_output_style=classic", f"--junitxml={build}/pytest-{number}.xml",
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
    passed, failed, skipped = 0, [], 0
    for number, status in zip(runs, statuses):
        report = build / f"pytest-{number}.xml"
        if status:
            print("".join(kept[number]), end="", flush=True)
        cases = list(tree.parse(report).getroot().iter("testcase")) if report.exists() else []
        wrong = [f"{case.get('classname')}::{case.get('name')}" for case in cases
                 if case.find("failure") is not None or case.find("error") is not None]
        if status and not wrong:
            wrong = [f"pytest {number}: exit status {status}"]
        left_out = sum(case.find("skipped") is not None for case in cases)
        passed, failed, skipped = passed + len(cases) - len(wrong) - left_out, failed + wrong, skipped + left_out
    return passed, failed, skipped


def main():
    suites = [meson_tests(), text_tests(), pytest_tests()]
    passed, skipped = (sum(suite[column] for suite in suites) for column in (0, 2))
    failed = [name for suite in suites for name in suite[1]]
    print(f"{skipped} skipped or expected to fail, each with its reason")
    for name in failed:
        print(f"failed: {name}")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
