"""`tilewright run` and ttmlir-opt take the same options of pipelines; docs/pipelines.md says where their values differ."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
bin_folder = Path(os.environ["TW_BUILD"]) / "bin"

SILU = """func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.sigmoid"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.multiply"(%a, %0) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}"""
ARGMAX = """func.func @main(%a: tensor<32x64xf32>) -> tensor<32x1xsi32> {
  %0 = "ttir.argmax"(%a) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<32x64xf32>) -> tensor<32x1xsi32>
  return %0 : tensor<32x1xsi32>
}"""


def run(folder, program, options):
    (folder / "p.mlir").write_text(program)
    given = ["--pipeline-options", options] if options else []
    command = [bin_folder / "tilewright", "run", folder / "p.mlir", "--dump", folder, *given]
    done = subprocess.run(command, capture_output=True, text=True)
    lowered = folder / "ttnn.mlir"
    return done, lowered.read_text() if done.returncode == 0 and lowered.exists() else ""


def values(done):
    """The elements that a run prints; its random inputs are the same each time."""
    return [float(x) for x in re.search(r"= ([^.\n]\S* .*?) *\.\.\.", done.stdout)[1].split()]


def test_an_option_reaches_the_passes_of_a_run(tmp_path):
    results = []
    for options, fused in {"": True, "enable-fusing-pass=false": False}.items():
        done, text = run(tmp_path, SILU, options)
        assert done.returncode == 0 and ("ttnn.silu" in text) == fused
        results.append(values(done))
    np.testing.assert_allclose(*results, rtol=1e-5)


def test_workarounds_are_off_by_an_option(tmp_path):
    here, plain = run(tmp_path, ARGMAX, "")
    _, same = run(tmp_path, ARGMAX, "disable-workarounds=true")
    there, around = run(tmp_path, ARGMAX, "disable-workarounds=false")
    assert plain == same and plain.count("ttnn.") < around.count("ttnn.")
    assert values(here) == values(there)


@pytest.mark.parametrize("options, words", [("nonsense=1", "pipeline option 'nonsense'"), ("enable-fusing-pass=maybe", "takes true or false")])
def test_mistakes(tmp_path, options, words):
    done, _ = run(tmp_path, SILU, options)
    assert done.returncode != 0 and words in done.stderr


def test_both_take_each_option_of_the_page(tmp_path):
    rows = re.findall(r"^\| `([\w-]+)` \| (\S+) \| (\S+) \|", (ROOT / "docs/pipelines.md").read_text(), re.M)
    assert len(rows) == 8
    for name, here, there in rows:
        here, there = here.strip("`"), "" if there == "none" else there
        done, _ = run(tmp_path, SILU, f"{name}={here}")
        assert done.returncode == 0, done.stderr
        pipeline = "stablehlo-to-ttir-pipeline" if name in ("enable-aggressive-simplification", "enable-cpu-fallback") else "ttir-to-ttnn-backend-pipeline"
        done = subprocess.run([bin_folder / "ttmlir-opt", f"--{pipeline}={name}={there}"], input=SILU, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr


PARTLY = """func.func @main(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<f64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %r = stablehlo.add %zero, %one : tensor<f64>
  %0 = stablehlo.logistic %a : tensor<32x32xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<32x32xf32>
  return %1, %r : tensor<32x32xf32>, tensor<f64>
}"""
ON_HOST = """func.func @main(%a: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.add %a, %a : tensor<4xf64>
  return %0 : tensor<4xf64>
}"""


def test_options_where_no_pipeline_runs(tmp_path):
    for program in (SILU, PARTLY, ON_HOST):
        done, _ = run(tmp_path, program, "nonsense=1")
        assert done.returncode != 0 and "pipeline option 'nonsense'" in done.stderr
    done, _ = run(tmp_path, ON_HOST, "enable-fusing-pass=false")
    assert done.returncode == 0 and "no part of the program runs on the device" in done.stderr
