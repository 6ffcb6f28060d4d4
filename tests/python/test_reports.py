"""--report of `tilewright run`, `tilewright sim`, ttmlir-opt and ttlang-sim: each format has every diagnostic with its locations."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as tree
import zipfile
from pathlib import Path
from urllib.parse import unquote

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
BROKEN = ROOT / "examples/broken"
FORMATS = ("github", "json", "junit", "sarif")
PLACED = re.compile(r"(?m)^(\S[^:\n]*):(\d+):(\d+): (error|warning|note): (.*)$")


def run(*command, cwd=ROOT, **more):
    env = dict(os.environ, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}", TTLANG_PYTHON=sys.executable, **more)
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def from_text(text):
    """(severity, file, line, column, text) of a terminal's text, notes with their parents."""
    found = []
    for file, line, column, severity, message in PLACED.findall(text):
        place = (file, int(line), int(column), message)
        if severity == "note":
            found[-1][1].append(place)
        else:
            found.append(((severity, *place), []))
    return found


def from_json(text):
    report = json.loads(text)
    assert report["version"] == 1
    place = lambda d: (d.get("file"), d.get("line"), d.get("column"), d["text"])  # noqa: E731
    return [((d["severity"], *place(d)), [place(n) for n in d["notes"]]) for d in report["diagnostics"]]


def place_of(place, message):
    physical = place["physicalLocation"]
    region = physical.get("region", {})
    return unquote(physical["artifactLocation"]["uri"]), region.get("startLine"), region.get("startColumn"), message


def from_sarif(text):
    log = json.loads(text)
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    only, = log["runs"]
    ids = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert len(ids) == len(set(ids))
    found = []
    for result in only["results"]:
        assert result["ruleId"] in ids and re.fullmatch(r"[^\sA-Z]+", result["ruleId"])
        message = result["message"]["text"].split("\n")[0]
        found.append(((result["level"], *place_of(result["locations"][0], message)),
                      [place_of(r, r["message"]["text"]) for r in result["relatedLocations"]]))
    return found


def unescaped(text):
    return text.replace("%3A", ":").replace("%2C", ",").replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def from_github(text):
    found = []
    for line in text.splitlines():
        command, properties, message = re.fullmatch(r"::(\w+) (.*?)::(.*)", line).groups()
        of = {k: unescaped(v) for k, v in (p.split("=", 1) for p in properties.split(","))}
        place = (of.get("file"), int(of["line"]), int(of["col"]), unescaped(message).split("\n")[0])
        if command == "notice":
            found[-1][1].append(place)
        else:
            found.append(((command, *place), []))
    return found


def from_junit(text):
    suite, = tree.fromstring(text)
    failures = [case.find("failure") for case in suite.iter("testcase")]
    assert int(suite.get("failures")) == sum(f is not None for f in failures) and int(suite.get("tests")) == len(failures)
    return [f for failure in failures if failure is not None for f in from_text(re.sub(r"^(\S+:\d+:\d+:) ", r"\1 error: ", failure.text))]


def without_repeats(found):
    """What the terminal's text has, without notes of the same line where a format leaves them out."""
    return [(where, [n for n in notes if n[:2] != where[1:3]]) for where, notes in found]


@pytest.mark.parametrize("name", ["l1-race", "deadlock-mutual", "semaphore-overshoot", "multicast-count", "padding"])
def test_kernels_reports(name):
    file = f"examples/broken/{name}.mlir"
    plain = run("tilewright", "sim", file)
    want = from_text(plain.stderr)
    assert want
    for format, read in (("json", from_json), ("sarif", from_sarif), ("github", from_github)):
        done = run("tilewright", "sim", file, f"--report={format}")
        got = read(done.stderr)
        assert (without_repeats if format == "github" else list)(got) == (without_repeats if format == "github" else list)(want), format
        assert done.returncode == plain.returncode and done.stdout == plain.stdout
    errors = [where[:3] + where[4:] for where, _ in want if where[0] == "error"]
    cases = from_junit(run("tilewright", "sim", file, "--report=junit").stderr)
    assert [where[:3] + where[4:] for where, _ in cases] == errors


def test_files_beside_the_text(tmp_path):
    plain = run("tilewright", "sim", BROKEN / "dram-race.mlir")
    files = {format: tmp_path / f"a report, with: {format}" for format in FORMATS}
    done = run("tilewright", "sim", BROKEN / "dram-race.mlir", *[f"--report={format}:{file}" for format, file in files.items()])
    assert (done.stderr, done.stdout, done.returncode) == (plain.stderr, plain.stdout, plain.returncode)
    assert from_sarif(files["sarif"].read_text())[0][0][1] == "file://" + str(BROKEN / "dram-race.mlir")
    assert from_json(files["json"].read_text()) == from_text(plain.stderr)
    assert len(from_junit(files["junit"].read_text())) == 1 and from_github(files["github"].read_text())


def test_compilers_diagnostics(tmp_path):
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text('func.func @f(%x: tensor<4xf32>) -> tensor<5xf32> {\n  %0 = "ttir.relu"(%x) : (tensor<4xf32>) -> tensor<5xf32>\n'
                     '  return %0 : tensor<5xf32>\n}\n')
    text = from_text(run("ttmlir-opt", wrong).stderr)
    assert text and from_json(run("ttmlir-opt", wrong, "--report=json").stderr) == text
    report = json.loads(run("ttmlir-opt", wrong, "--report=json").stderr)
    assert report["diagnostics"][0]["rule"] == "ttir.relu" and report["failed"]
    as_program = run("tilewright", "run", wrong, "--report=json")
    assert from_json(as_program.stderr)[0][0][1:3] == text[0][0][1:3] and as_program.returncode == 1
    good = run("ttmlir-opt", ROOT / "examples/mlp.mlir", f"--report=junit:{tmp_path / 'good.xml'}")
    assert good.returncode == 0 and "stablehlo" in good.stdout
    assert not from_junit((tmp_path / "good.xml").read_text())


def test_differing_results(tmp_path):
    numpy = pytest.importorskip("numpy")
    model = tmp_path / "model.mlir"
    model.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.negate %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n")
    numpy.savez(tmp_path / "in.npz", in0=numpy.ones(2, "f4"))
    numpy.savez(tmp_path / "want.npz", out0=numpy.ones(2, "f4"))
    done = run("tilewright", "run", model, "--inputs", tmp_path / "in.npz", "--expect", tmp_path / "want.npz", "--report=json")
    only, = json.loads(done.stderr)["diagnostics"]
    assert only["rule"] == "verdict" and "out0" in only["text"] and "got -1, wanted 1" in only["text"] and done.returncode == 1


def test_wrong_options_and_files(tmp_path):
    for tool in (["tilewright", "sim"], ["tilewright", "run"], ["ttmlir-opt"], ["ttlang-sim"]):
        target = BROKEN / ("ttl/dram-race.py" if tool == ["ttlang-sim"] else "dram-race.mlir")
        done = run(*tool, "--report=serif", target)
        assert done.returncode and "no format 'serif'" in done.stderr and "did you mean 'sarif'?" in done.stderr
        done = run(*tool, f"--report=sarif:{tmp_path}/no/such/folder", target)
        assert done.returncode and "cannot write" in done.stderr and "DRAM race" not in done.stderr
        done = run(*tool, "--report=sarif:", target)
        assert done.returncode and "no file behind the colon" in done.stderr
        done = run(*tool, "--report=json", "no-such-file")
        only, = json.loads(done.stderr)["diagnostics"]
        assert done.returncode and "no-such-file" in only["text"] and only["severity"] == "error"


@pytest.mark.parametrize("sent, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_run_leaves_a_report(tmp_path, sent, status):
    file = tmp_path / "report.json"
    child = subprocess.Popen([BUILD / "bin/tilewright", "sim", BROKEN / "endless-loop.mlir", f"--report=json:{file}"], stderr=subprocess.PIPE)
    while not file.exists():
        time.sleep(0.01)
    time.sleep(0.2)
    child.send_signal(sent)
    assert child.wait(60) == status
    only, = json.loads(file.read_text())["diagnostics"]
    assert only["rule"] == "interrupted"


# ---- kernels in Python ----------------------------------------------------------------

def test_python_kernels_reports():
    pytest.importorskip("torch")
    for name, severity, rule, part in [("deadlock-mutual", "error", "deadlock", "no thread can go on"),
                                       ("barrier-missing", "error", "compile error", "synchronized"),
                                       ("coordinates-outside", "error", "ValueError", "lies outside the grid"),
                                       ("cb-never-popped", "warning", "circular buffer kept", "has 1 page")]:
        file = f"examples/broken/ttl/{name}.py"
        done = run("ttlang-sim", "--report=json", file)
        report = json.loads(done.stderr)
        only, = report["diagnostics"]
        assert (only["severity"], only["rule"], only["file"]) == (severity, rule, file) and part in only["text"]
        assert "<" in (ROOT / file).read_text().splitlines()[only["line"] - 1], "a line that the example marks"
        assert (done.returncode != 0) == report["failed"] == (severity == "error")
    related = json.loads(run("ttlang-sim", "--report=sarif", "examples/broken/ttl/deadlock-mutual.py").stderr)["runs"][0]["results"][0]["relatedLocations"]
    assert len({r["physicalLocation"]["region"]["startLine"] for r in related}) == 4


def test_python_run_that_is_interrupted(tmp_path):
    pytest.importorskip("torch")
    file = tmp_path / "slow.py"
    file.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    done = run("ttlang-sim", "--report=json", file)
    assert done.returncode == 130 and json.loads(done.stderr)["diagnostics"][0]["rule"] == "interrupted"


# ---- action.yml -----------------------------------------------------------------------

def step(name):
    """The script of a step of action.yml."""
    text = (ROOT / "action.yml").read_text()
    found = re.search(rf"- name: {name}\n.*?run: \|\n((?:        [^\n]*\n?)+)", text, re.S)
    return re.sub(r"(?m)^        ", "", found[1])


def checks(cwd, tmp_path, **inputs):
    variables = {"FILES": "", "BASE": "", "SARIF": "", "JUNIT": "", "TIMEOUT": "60", **inputs}
    declared = re.findall(r"^        ([A-Z]+): \$\{\{ inputs\.(\w+) \}\}$", (ROOT / "action.yml").read_text(), re.M)
    assert set(variables) <= {name for name, _ in declared} and all(name.lower() == of for name, of in declared)
    return run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check"), cwd=cwd, GITHUB_ACTION_PATH=str(ROOT),
               GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"), **variables)


def test_action_checks_files(tmp_path):
    pytest.importorskip("torch")
    done = checks(ROOT, tmp_path, FILES="examples/ttl/elementwise.py examples/broken/ttl/dram-*.py examples/broken/dram-race.mlir examples/mlp.mlir",
                  SARIF=str(tmp_path / "sarif"), JUNIT=str(tmp_path / "junit"))
    assert done.returncode == 1 and done.stdout.endswith("3 files with kernels checked, 2 with errors; 1 others left out\n")
    annotated = re.findall(r"^::error file=(.*?),line=(\d+)", done.stdout, re.M)
    assert [name for name, _ in annotated] == ["examples/broken/ttl/dram-race.py", "examples/broken/dram-race.mlir"]
    reports = sorted((tmp_path / "sarif").iterdir())
    assert [len(from_sarif(r.read_text())) for r in reports] == [1, 1, 0] and len(list((tmp_path / "junit").iterdir())) == 3
    assert "| `examples/ttl/elementwise.py` | ok |" in (tmp_path / "summary.md").read_text()


def test_action_checks_changed_files(tmp_path):
    pytest.importorskip("torch")
    folder = tmp_path / "repository"
    folder.mkdir()
    git = lambda *a: subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t.example", *a], cwd=folder, check=True, stdout=subprocess.PIPE)  # noqa: E731
    git("init", "-q")
    (folder / "old.py").write_text((BROKEN / "ttl/dram-race.py").read_text())
    git("add", "."), git("commit", "-qm", "one")
    (folder / "new.py").write_text((ROOT / "examples/ttl/elementwise.py").read_text())
    git("add", "."), git("commit", "-qm", "two")
    done = checks(folder, tmp_path, BASE="HEAD~1")
    assert done.returncode == 0 and "1 files with kernels checked, 0 with errors" in done.stdout, done.stdout + done.stderr
    done = checks(folder, tmp_path, BASE="no-such-commit")
    assert done.returncode == 2 and "fetch-depth: 0" in done.stderr


def test_action_answers_wrong_use(tmp_path):
    done = checks(tmp_path, tmp_path, FILES="nothing/*.py")
    assert done.returncode == 2 and "no file 'nothing/*.py'" in done.stderr
    done = checks(ROOT, tmp_path, FILES="examples/broken/endless-loop.mlir", TIMEOUT="0.5")
    assert done.returncode == 1 and "title=too long" in done.stdout
    script = ROOT / "scripts/check-kernels"
    done = subprocess.run([sys.executable, script, "examples/broken/dram-race.mlir"], cwd=ROOT, env={"PATH": "/nowhere"}, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "no 'tilewright' on PATH" in done.stderr


def stand_in(folder):
    """A wheel whose commands are those of the build."""
    wheel, info = folder / "tilewright-0.1.0-py3-none-any.whl", "tilewright-0.1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tilewright\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        for command in ("tilewright", "ttlang-sim"):
            script = zipfile.ZipInfo(f"tilewright-0.1.0.data/scripts/{command}")
            script.external_attr = 0o100755 << 16  # pip keeps the mode
            archive.writestr(script, f'#!/bin/sh\nexec "{BUILD.resolve() / "bin" / command}" "$@"\n')
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in archive.namelist()))
    return wheel


@pytest.mark.parametrize("package", [True, False])
def test_action_from_its_first_step(tmp_path, package):
    """All steps in order, as a runner does: variables, PATH from $GITHUB_PATH; sudo is a stand-in that notes its arguments."""
    text = (ROOT / "action.yml").read_text()
    assert re.findall(r"- name: (\w+)", text) == ["Install", "Check"] and text.count("shell: bash") == 2 and "using: composite" in text
    temporary, bin_, paths, repository = (tmp_path / name for name in ("temp", "bin", "path", "repository"))
    for folder in (temporary, bin_, repository):
        folder.mkdir()
    (bin_ / "sudo").write_text(f'#!/bin/sh\necho "$*" >>"{tmp_path}/sudo"\n')
    (bin_ / "sudo").chmod(0o755)
    (repository / "race.mlir").write_text((ROOT / "examples/broken/dram-race.mlir").read_text())
    wheel = stand_in(tmp_path)
    variables = {"PATH": f"{bin_}:/usr/bin:/bin:{os.path.dirname(sys.executable)}", "RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(paths),
                 "HOME": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PIP_NO_INDEX": "1"}
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    done = subprocess.run([*bash, step("Install")], cwd=repository, capture_output=True, text=True, timeout=120,
                          env={**variables, "PACKAGE": str(wheel) if package else "", "REQUIREMENTS": "", "GITHUB_ACTION_PATH": str(wheel)})
    assert done.returncode == 0, done.stderr
    sudo = (tmp_path / "sudo").read_text().splitlines() if (tmp_path / "sudo").exists() else []
    assert sudo == ([] if package else ["apt-get update -qq", "apt-get install -y -qq libzip-dev libjansson-dev"])
    variables["PATH"] = ":".join(reversed(paths.read_text().splitlines())) + ":" + variables["PATH"]
    done = subprocess.run([*bash, step("Check")], cwd=repository, capture_output=True, text=True, timeout=120,
                          env={**variables, "GITHUB_ACTION_PATH": str(ROOT), "FILES": "*.mlir", "BASE": "", "SARIF": "reports", "JUNIT": "", "TIMEOUT": "60"})
    assert done.returncode == 1 and "::error file=race.mlir,line=" in done.stdout, done.stderr
    report, = (repository / "reports").iterdir()
    assert from_sarif(report.read_text()) and "race.mlir" in (tmp_path / "summary.md").read_text()
