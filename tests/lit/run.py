#!/usr/bin/env python3
"""Runs the text tests: files with RUN: lines, as LLVM's lit does.

    tests/lit/run.py [--build DIR] [-v] [file or folder ...]

%s is the test file, %S its folder, %t a scratch file of its own.  The build's tools,
FileCheck and `not` are found by name.  The last line gives the counts; exit status 1 if a
test failed, 77 (skipped) if FileCheck is not installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 300  # seconds per command; beyond, it counts as hanging, however busy the machine
SUFFIXES = {".mlir", ".test", ".ttl", ".py"}
LLVM = [f"/usr/lib/llvm-{n}/bin" for n in range(25, 13, -1)]


def find_tool(name):
    """A tool on the PATH, with or without a version, or in a folder of LLVM."""
    for candidate in [name] + [f"{name}-{n}" for n in range(25, 13, -1)]:
        path = shutil.which(candidate)
        if path and "pyenv" not in path:
            return path
    return shutil.which(name, path=os.pathsep.join(LLVM))


def run_lines(path):
    """The commands of a test, continuation lines joined; None if it has none."""
    text = path.read_text(errors="replace")
    commands, pending = [], ""
    for match in re.finditer(r"^.*?\bRUN:[ \t]*(.*?)[ \t]*$", text, re.M):
        line = pending + match.group(1)
        if line.endswith("\\"):
            pending = line[:-1]
        else:
            commands.append(line)
            pending = ""
    unsupported = re.search(r"^.*\b(UNSUPPORTED|XFAIL):", text, re.M)
    return commands, unsupported is not None


def run_test(path, tools, env):
    commands, skip = run_lines(path)
    if skip or not commands:
        return path, None, "no RUN line" if not commands else "unsupported"
    with tempfile.TemporaryDirectory() as scratch:
        named = path
        if shlex.quote(str(path)) != str(path):  # a blank: RUN lines have no quotes around %s
            os.symlink(path.parent, f"{scratch}/source")
            named = pathlib.Path(scratch, "source", path.name)
        words = {"%s": str(named), "%S": str(named.parent), "%t": f"{scratch}/t", "%%": "%"}
        for command in commands:
            line = re.sub(r"%[sSt%]", lambda m: words[m.group(0)], command)
            for name, tool in tools.items():
                line = re.sub(rf"(?<![\w./-]){name}(?![\w./-])", tool, line)
            try:
                result = subprocess.run(
                    ["bash", "-c", "set -o pipefail\n" + line],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=env,
                    timeout=LIMIT,
                    cwd=scratch,
                )
            except subprocess.TimeoutExpired:
                return path, False, f"$ {line}\n[not done after {LIMIT} s]"
            if result.returncode:
                output = result.stdout.decode(errors="replace")
                return path, False, f"$ {line}\n{output}[exit status {result.returncode}]"
    return path, True, ""


def collect(names):
    for name in names:
        path = pathlib.Path(name).resolve()
        if path.is_file():
            yield path
        else:
            yield from sorted(
                p
                for p in path.rglob("*")
                if p.suffix in SUFFIXES and p.parent != HERE and "Inputs" not in p.parts
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", default=[str(HERE)])
    parser.add_argument("--build", default=str(HERE.parent.parent / "build"))
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-j", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()

    tools = {name: find_tool(name) for name in ("FileCheck", "not")}
    if not all(tools.values()):
        missing = ", ".join(name for name, path in tools.items() if not path)
        print(f"text tests need {missing} of LLVM's tools; none found")
        return 77
    build = pathlib.Path(options.build).resolve()
    env = dict(os.environ)
    folders = [build / "bin", build / "tools", pathlib.Path(sys.executable).parent]  # python3 is the one that has the packages
    env["PATH"] = os.pathsep.join([*map(str, folders), env.get("PATH", "")])

    counts = {True: 0, False: 0, None: 0}
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        jobs = [pool.submit(run_test, path, tools, env) for path in collect(options.tests)]
        for job in jobs:
            path, passed, output = job.result()
            counts[passed] += 1
            name = os.path.relpath(path, HERE)
            if passed is False:
                print(f"FAIL: {name}\n{output}")
            elif options.verbose:
                print(f"{'PASS' if passed else 'SKIP'}: {name}")
    print(f"{counts[True]} passed, {counts[False]} failed, {counts[None]} skipped")
    return 1 if counts[False] or not counts[True] else 0


if __name__ == "__main__":
    sys.exit(main())
