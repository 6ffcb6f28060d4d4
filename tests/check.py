#!/usr/bin/env python3
"""Runs every test suite and sums up: the last line is `N passed, N failed`.

check.py BUILD: C unit tests and layering through meson, text tests, then pytest."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build = Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()


if len(sys.argv) > 2 or not (build / "build.ninja").exists():
    sys.exit(f"{build}: no build folder; usage: check.py [BUILD]")


def meson_tests():
    """One count for each meson test (a cmocka program is one)."""
    subprocess.run(["meson", "test", "-C", str(build), "--quiet", "--print-errorlogs", "--no-rebuild",
                    "--no-suite", "lit"], cwd=root)
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


def pytest_tests():
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    env = dict(os.environ, TW_BUILD=str(build))
    env["PYTHONPATH"] = os.pathsep.join([str(build / "python"), str(root / "tests/python"), env.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x" if os.environ.get("TW_STOP") else "-q",
                           "-p", "no:cacheprovider", f"--junitxml={report}", str(root / "tests/python")], cwd=root, env=env)
    if not report.exists():
        return 0, 1, 0
    suite = tree.parse(report).getroot().find("testsuite")
    total, skipped = int(suite.get("tests")), int(suite.get("skipped"))
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    if done.returncode not in (0, 1):
        failed = max(failed, 1)
    return total - failed - skipped, failed, skipped


def main():
    totals = [sum(x) for x in zip(meson_tests(), text_tests(), pytest_tests())]
    print(f"{totals[2]} skipped or expected to fail, each with its reason")
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0


sys.exit(main())
