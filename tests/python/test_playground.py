"""The playground: Node runs its library, which gives the bytes of the native tools; headless Chromium uses the page. `make playground`
builds it; without that, the tests are skipped."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
PAGE = BUILD.resolve() / "playground/tilewright.html"
TTNN = "stablehlo-to-ttir-pipeline,ttir-to-ttnn-backend-pipeline"
KERNELS = "stablehlo-to-ttir-pipeline,d2m-fe-pipeline,d2m-be-pipeline,d2m-to-ttkernel-pre-emitc-pipeline,d2m-to-ttmetal-pipeline"


@pytest.fixture(scope="module")
def page():
    if not PAGE.exists():
        pytest.skip("no playground: make playground builds it")
    subprocess.run([sys.executable, ROOT / "scripts/playground.py", BUILD], check=True, stdout=subprocess.DEVNULL)  # what has changed since
    return PAGE


@pytest.fixture(scope="module")
def node(page):
    program = shutil.which("node")
    if not program:
        pytest.skip("no node")

    def ask(what, file, pipeline=""):
        done = subprocess.run([program, ROOT / "playground/run.mjs", page, what, file, pipeline], stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    return ask


def native(*command):
    return subprocess.run([BUILD.resolve() / "bin" / command[0], *map(str, command[1:])], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, TILEWRIGHT_ISA="plain"))


def test_size(page):
    html = page.read_bytes()
    assert len(gzip.compress(html)) < 3_000_000
    assert not re.search(rb'(src|href)="(https?:)?//', html), "it loads something"


@pytest.mark.parametrize("file, pipeline", [("examples/mlp.mlir", TTNN), ("examples/one-add.mlir", KERNELS), ("examples/validate/lost-digits.mlir", TTNN),
                                            ("examples/one-add.mlir", "canonicalize,cse")])
def test_passes_give_the_native_text(node, file, pipeline):
    answer = node("passes", ROOT / file, pipeline)
    want = native("ttmlir-opt", file, f"--pass-pipeline=builtin.module({pipeline})")
    assert want.returncode == 0 and answer["error"] == "" and answer["text"].strip() == want.stdout.strip()
    text = native("ttmlir-opt", file).stdout.strip().split("\n")
    for stage in answer["stages"]:
        hidden = lambda lines: [re.sub(r"([%#])\d+", r"\1", line) for line in lines]  # noqa: E731
        assert hidden(line[1:] for line in stage["lines"] if line[0] in "=~-") == hidden(text)
        text = [line[1:] for line in stage["lines"] if line[0] in "=~+"]
    assert text == answer["text"].strip().split("\n")


def test_runs_give_the_native_results(node):
    for file in ("examples/mlp.mlir", "examples/validate/lost-digits.mlir"):
        answer, want = node("run", ROOT / file), native("tilewright", "run", file).stdout
        got, wanted = (([float(x) for x in re.findall(r"(?<= )-?\d[\d.]*(?:e[+-]\d+)?", text.partition("=")[2])][:8]) for text in (answer["outputs"][0], want))
        assert len(got) == 8 and all(abs(a - b) <= 2e-5 * max(map(abs, wanted)) for a, b in zip(got, wanted)), (got, wanted)


@pytest.mark.parametrize("name", ["dram-race", "deadlock-mutual", "l1-race", "cb-overflow", "semaphore-overshoot", "padding"])
def test_kernels_give_the_native_reports(node, name):
    file = ROOT / f"examples/broken/{name}.mlir"
    answer, want = node("grid", file), native("tilewright", "sim", file, "--profile")
    places = lambda text: re.sub(r"(?m)^\S*?\.mlir:", "FILE:", text)  # noqa: E731
    assert places(answer["log"]) == places(re.sub(r"(?m)^tilewright: .*\n", "", want.stderr))
    cycles = lambda text: re.sub(r" \S+\.mlir", " FILE", text)  # noqa: E731
    assert cycles(answer["profile"]) == cycles(want.stdout.partition("out0:")[0])


def test_kernels_of_a_pipeline(node, tmp_path):
    file = tmp_path / "kernels.mlir"
    file.write_text(node("passes", ROOT / "examples/one-add.mlir", KERNELS)["text"])
    answer, want = node("grid", file), native("tilewright", "sim", file)
    assert answer["error"] == "" and answer["page"].lower().startswith("<!doctype html>")
    assert answer["outputs"][0].split("=")[1].split()[:8] == want.stdout.split("=")[1].split()[:8]


def test_wrong_programs(node, tmp_path):
    file = tmp_path / "wrong.mlir"
    for text, what, message in [("func.func @f(", "passes", "expected"), ("", "run", "no function"), ("func.func @f() { return }", "grid", "enqueue_program"),
                                ("(" * 200000, "passes", ""), ("module { " * 30000, "passes", "")]:
        file.write_text(text)
        answer = node(what, file)
        assert answer["error"] and message in answer["error"]
    answer = node("passes", ROOT / "examples/mlp.mlir", "no-such-pass")
    assert "no-such-pass" in answer["error"]
    done = subprocess.run([shutil.which("node"), ROOT / "playground/run.mjs"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_browser(page):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium or not shutil.which("node"):
        pytest.skip("no Chromium or no node")
    done = subprocess.run(["node", ROOT / "tests/playground/browser.mjs", chromium, page.as_uri()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["loaded"]["status"].startswith("15 passes changed it") and seen["loaded"]["changed"] and len(seen["loaded"]["examples"]) == 5
    assert seen["run"].startswith("out0: f32[32, 10] = -13.6671")
    assert "error: DRAM race" in seen["race"] and seen["timeline"] > 0
    assert seen["kernels"].startswith("out0: f32[64, 64] = 0 2 4 6 8 10 12")
    assert seen["error"].startswith("program.mlir:1:22: error:") and seen["stopped"] == "Stopped." and seen["after"].startswith("15 passes")
    assert "damaged" in seen["damaged"] and seen["from_link"] == "func.func @f() { return }"


def test_missing_packages_are_named():
    done = subprocess.run([sys.executable, ROOT / "scripts/playground.py", BUILD], env={"PATH": "/nowhere"}, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "apt-get install clang lld binaryen" in done.stderr
