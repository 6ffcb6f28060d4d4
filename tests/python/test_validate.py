"""TILEWRIGHT_VALIDATE and `tilewright check-pass`: passes that change results are found with each of the three sets of inputs, and the
passes of the text tests raise no false alarm."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
# Differences that are meant: the file, the pass and the reason.
KNOWN = {
    ("convert/attention-calls.mlir", "legalize-stablehlo-composite-to-ttir"): "the test's decompositions are not what the composites' names say",
    ("convert/gelu.mlir", "legalize-stablehlo-composite-to-ttir"): "the test's decompositions are not what the composites' names say",
    ("convert/quantization.mlir", "ttir-quant-data-type-conversion"): "integers of 8 bits saturate, those of 32 bits that replace them do not",
    ("stablehlo_pipeline/calls.mlir", "flatten-or-convert-composites"): "the test's decompositions are not what the composites' names say",
    ("tools/check-pass.mlir", "legalize-stablehlo-composite-to-ttir"): "a test of this",
    ("transform/canonicalize-ttir.mlir", "canonicalize"): "casts to integers and back are folded away, as in tt-mlir",
    ("transform/canonicalize.mlir", "canonicalize"): "a logical operation on one float twice is the float, as in tt-mlir",
    ("transform/sdy/composites.mlir", "flatten-or-convert-composites"): "the test's decompositions are not what the composites' names say",
    ("transform/ttnn/optimizer-overrides.mlir", "ttnn-override-conv-configs"): "the user asks for an activation",
    ("transform/ttnn/fusing.mlir", "ttnn-resolve-composites"): "the test's decompositions are not what the composites' names say",
    ("transform/stablehlo/aggressive-folder.mlir", "stablehlo-aggressive-folder"): "a sum that begins at 3: implementation-defined",
    ("transform/stablehlo/canonicalize-dynamism.mlir", "stablehlo-canonicalize-dynamism"): "a slice beyond the operand: undefined before, clamped after",
    ("transform/ttir-consolidate-caches.mlir", "ttir-consolidate-static-cache-updates"): "lengths of caches are taken to be equal",
    ("transform/ttir-quant-dequant.mlir", "ttir-quant-dequant-conversion"): "results are rounded to the operands' codes",
    ("transform/ttir-decomposition.mlir", "ttir-to-ttir-decomposition"): "reduce_or of floats: the sum on the device, 0 or 1 on the host",
}


def run(*command, **variables):
    env = dict(os.environ, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}", **variables)
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def differing(text):
    """(file, pass, inputs, note of the first operation or None) of each report."""
    found = []
    for line in text.splitlines():
        if m := re.match(r"(\S+?):\d+:\d+: error: pass '(\S+)' changes the results of @\w+ for (.*?): out", line):
            found.append([m[1], m[2], m[3], None])
        elif m := re.match(r"\S+: note: first operation that differs: (.*)", line):
            found[-1][3] = m[1]
    return found


def test_whole_pipeline_of_a_right_model():
    command = ["ttmlir-opt", "examples/mlp.mlir", "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline"]
    plain, validated = run(*command), run(*command, TILEWRIGHT_VALIDATE="1")
    assert (validated.returncode, validated.stdout, validated.stderr) == (0, plain.stdout, "")
    done = run("tilewright", "check-pass", "examples/mlp.mlir")
    compared = re.fullmatch(r"1 files, 1 modules: (\d+) changes by passes, (\d+) compared, 0 differ\n", done.stdout)
    assert done.returncode == 0 and compared[1] == compared[2] and int(compared[1]) >= 14, done.stdout
    assert run("tilewright", "run", "examples/mlp.mlir", TILEWRIGHT_VALIDATE="1").stdout == run("tilewright", "run", "examples/mlp.mlir").stdout


def test_example(tmp_path):
    """The report names pass, operation and inputs; the files that are kept show the difference."""
    file = "examples/validate/wrong-decomposition.mlir"
    for command in (["tilewright", "run", file], ["ttmlir-opt", file, "--canonicalize", "--legalize-stablehlo-composite-to-ttir"]):
        done = run(*command, TILEWRIGHT_VALIDATE=str(tmp_path / command[0]))
        assert done.returncode == 1
        (_, name, inputs, first), = differing(done.stderr.replace("tilewright: invalid: ", ""))
        assert (name, inputs) == ("legalize-stablehlo-composite-to-ttir", "random values") and "'ttnn.rms_norm' (before: 'stablehlo.composite')" in first
        line = int(re.search(r":(\d+):\d+: note: first operation", done.stderr)[1])
        assert "%norm = " in (ROOT / file).read_text().splitlines()[line - 1]
    kept = tmp_path / "ttmlir-opt"
    assert sorted(p.name for p in kept.iterdir()) == ["1-after.mlir", "1-before.mlir", "1-inputs.npz"]
    for side in ("before", "after"):
        done = run("tilewright", "run", kept / f"1-{side}.mlir", "--inputs", kept / "1-inputs.npz", "--outputs", tmp_path / f"{side}.npz", "--entry=main")
        assert done.returncode == 0, done.stderr
    x, w = (np.load(kept / "1-inputs.npz")[n].astype("f8") for n in ("in0", "in1"))
    want = np.tanh(x / 2 / np.sqrt(np.mean(x * x / 4, 1, keepdims=True) + 0.01) * w)
    np.testing.assert_allclose(np.load(tmp_path / "after.npz")["out0"], want, atol=1e-5)


CLEAN = """func.func @main(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {{
  %0 = stablehlo.composite "tenstorrent.rms_norm" %x, %w {{composite_attributes = {{epsilon = 1.0e-5 : f32, normalized_shape = dense<32> : tensor<1xi64>}}, decomposition = @norm}} : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}}
func.func private @norm(%a: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<32.0> : tensor<4xf32>
  %e = stablehlo.constant dense<1.0e-5> : tensor<4xf32>
  {line}
  %squares = stablehlo.multiply %x, %x : tensor<4x32xf32>
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<4xf32>
  %mean = stablehlo.divide %sum, %n : tensor<4xf32>
  %more = stablehlo.add %mean, %e : tensor<4xf32>
  %r = stablehlo.rsqrt %more : tensor<4xf32>
  %rs = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<4xf32>) -> tensor<4x32xf32>
  %scaled = stablehlo.multiply %x, %rs : tensor<4x32xf32>
  %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32>
  %y = stablehlo.multiply %scaled, %ws : tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}}
"""


def test_programs_that_check_themselves():
    """A check that fails is none of the validator's business."""
    done = run("tilewright", "check-pass", "tests/lit/tools/stablehlo-translate-fails.mlir")
    assert done.returncode == 0 and "0 differ" in done.stdout and "crashed" not in done.stdout


@pytest.mark.parametrize("line, inputs", [
    ("%x = stablehlo.negate %a : tensor<4x32xf32>", "random values"),
    ("%is = stablehlo.compare EQ, %a, %a : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xi1>\n"
     "  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x32xf32>\n"
     "  %x = stablehlo.select %is, %a, %zeros : tensor<4x32xi1>, tensor<4x32xf32>", "values with NaN and infinities"),
    ("%x = stablehlo.optimization_barrier %a : tensor<4x32xf32>", None)])
def test_sets_of_inputs(tmp_path, line, inputs):
    file = tmp_path / "norm.mlir"
    file.write_text(CLEAN.format(line=line))
    found = differing(run("tilewright", "check-pass", "--passes=legalize-stablehlo-composite-to-ttir", file).stdout)
    assert [f[1:3] for f in found] == ([["legalize-stablehlo-composite-to-ttir", inputs]] if inputs else [])


def test_limits_of_integers(tmp_path):
    """A decomposition that differs for one value of i32 only."""
    file = tmp_path / "maximum.mlir"
    file.write_text("""func.func @main(%a: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %0 = stablehlo.composite "tenstorrent.topk_values" %a {composite_attributes = {k = 8 : i64, largest = true, sorted = true}, decomposition = @sort} : (tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}
func.func private @sort(%a: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %big = stablehlo.constant dense<2147483646> : tensor<8x8xi32>
  %m = stablehlo.minimum %a, %big : tensor<8x8xi32>
  %0 = "stablehlo.sort"(%m) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}
""")
    found = differing(run("tilewright", "check-pass", "--passes=legalize-stablehlo-composite-to-ttir", file).stdout)
    assert [f[1:3] for f in found] == [["legalize-stablehlo-composite-to-ttir", "values with the limits of the type"]]


# Text tests of what fits into L1: tensors so large that the evaluator takes minutes for all passes.
LARGE = {"transform/ttnn/optimizer.mlir", "transform/ttnn/optimizer-overrides.mlir"}


def test_no_false_alarm_in_text_tests():
    lit, whole = ROOT / "tests/lit", bool(os.environ.get("TILEWRIGHT_LONG"))
    folders = [""] if whole else ["convert/", "ttir/", "stablehlo_pipeline/", "transform/ttnn/"]
    names = [str(p.relative_to(lit)) for folder in folders for p in sorted((lit / folder).rglob("*.mlir")) if "Inputs" not in p.parts]
    names = [name for name in names if whole or name not in LARGE]
    done = run("tilewright", "check-pass", "--threads=2", "--timeout=600" if whole else "--timeout=120", *(lit / name for name in names))
    found = {(f[0].partition("tests/lit/")[2], f[1]) for f in differing(done.stdout)}
    assert found == {k for k in KNOWN if k[0] in names}, done.stdout
    compared = int(re.search(r"(\d+) compared", done.stdout)[1])
    assert compared > 200 and "crashed" not in done.stdout.splitlines()[-1], done.stdout


ENDLESS = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""


def test_programs_that_never_end(tmp_path):
    """A function is given up after two seconds, a file after --timeout."""
    file = tmp_path / "endless.mlir"
    file.write_text(ENDLESS)
    done = run("tilewright", "check-pass", "--passes=canonicalize", file)
    assert done.returncode == 0 and "0 differ" in done.stdout
    done = run("tilewright", "check-pass", "--passes=canonicalize", "--timeout=1", file)
    assert "more than 1 seconds" in done.stdout and "1 files took too long" in done.stdout


def test_interrupted(tmp_path):
    for i in range(20):
        (tmp_path / f"{i:02}.mlir").write_text(ENDLESS if i else "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n")
    child = subprocess.Popen([BUILD / "bin/tilewright", "check-pass", "--verbose", "--passes=canonicalize", tmp_path], stdout=subprocess.PIPE, text=True)
    first = child.stdout.readline()
    assert "00.mlir: 0 of 0 changes compared" in first
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60)
    assert child.returncode == 130 and re.search(r"^\d+ files, .* \(interrupted\)$", rest, re.M), rest


WRONG = ("legalize-stablehlo-composite-to-ttir", "random values", "in0: f32[4, 32]", "'ttnn.rms_norm' (before: 'stablehlo.composite')")


def in_python(script, *arguments, **variables):
    import tilewright

    packages = Path(tilewright.__file__).parents[1]
    variables = {"PYTHONPATH": str(packages), **variables}
    return run(sys.executable, "-c", script, *arguments, **variables)


THROUGH_TORCH = """
import sys, torch, tilewright
from tilewright import _engine

wrong, compile = open(sys.argv[1]).read(), _engine.compile
if wrong:
    _engine.compile = lambda text, options: compile(wrong, options)
x, w = torch.linspace(-1, 1, 128).reshape(4, 32), torch.linspace(1, 2, 32)
want = torch.tanh(x / 2 * torch.rsqrt(torch.mean(x * x / 4, 1, keepdim=True)) * w)
f = lambda x, w: torch.tanh(x / 2 * torch.rsqrt(torch.mean(x * x / 4, 1, keepdim=True)) * w)
print(float((torch.compile(f, backend="tt")(x, w) - want).abs().max()))
"""


def test_through_torch(tmp_path):
    """A program whose pass changes results in place of the one that the backend emits; a right one compiles."""
    pytest.importorskip("torch", reason="torch is not installed")
    file, right = ROOT / "examples/validate/wrong-decomposition.mlir", tmp_path / "right.mlir"
    right.write_text("")
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    done = in_python(THROUGH_TORCH, right, TILEWRIGHT_VALIDATE="1", **cache)
    assert done.returncode == 0 and float(done.stdout) < 1e-5, done.stderr
    unseen = in_python(THROUGH_TORCH, file, **cache)
    assert unseen.returncode == 0 and float(unseen.stdout) > 1e-3, unseen.stderr
    done = in_python(THROUGH_TORCH, file, TILEWRIGHT_VALIDATE=str(tmp_path / "kept"), **cache)
    assert done.returncode != 0 and "RuntimeError" in done.stderr and all(part in done.stderr for part in WRONG), done.stderr
    assert sorted(p.name for p in (tmp_path / "kept").iterdir()) == ["1-after.mlir", "1-before.mlir"]


THROUGH_JAX = """
import sys, jax, jax.numpy as jnp, numpy as np

def decomposition(x, w, *, epsilon, normalized_shape):
    return x * jax.lax.rsqrt(jnp.mean(x * x, 1, keepdims=True) + (epsilon if sys.argv[1] == "right" else 0)) * w

norm = jax.lax.composite(decomposition, name="tenstorrent.rms_norm")
f = jax.jit(lambda x, w: jnp.tanh(norm(x / 2, w, epsilon=np.float32(1e-2), normalized_shape=np.array([32]))))
x, w = np.linspace(-1, 1, 128, dtype="f4").reshape(4, 32), np.linspace(1, 2, 32, dtype="f4")
h = x.astype("f8") / 2
print(float(np.abs(np.asarray(f(x, w)) - np.tanh(h / np.sqrt(np.mean(h * h, 1, keepdims=True) + 1e-2) * w)).max()))
"""


def test_through_jax(tmp_path):
    """A composite whose decomposition forgets epsilon, and one that has it."""
    pytest.importorskip("jax", reason="jax is not installed")
    settings = {"JAX_PLATFORMS": "tt,cpu", "TILEWRIGHT_VALIDATE": "1"}
    done = in_python(THROUGH_JAX, "right", **settings)
    assert done.returncode == 0 and float(done.stdout) < 1e-5, done.stderr
    done = in_python(THROUGH_JAX, "wrong", **settings)
    assert done.returncode != 0 and all(part in done.stderr for part in WRONG), done.stderr
    assert in_python(THROUGH_JAX, "wrong", **{**settings, "TILEWRIGHT_VALIDATE": "0"}).returncode == 0


def test_passes_of_run_lines_leave_nothing_behind(tmp_path):
    """A text test whose pass writes a file: its RUN lines are followed in a folder that goes; modules that differ are kept where they should."""
    file = ROOT / "tests/lit/tools/check-pass.mlir"
    writes = next(f for f in sorted((ROOT / "tests/lit").rglob("*.mlir")) if re.search(r"RUN: ttmlir-opt .*ttnn-collect-perf-metrics", f.read_text()))
    work, temporary = tmp_path / "work", tmp_path / "tmp"
    work.mkdir()
    temporary.mkdir()
    done = subprocess.run([BUILD.resolve() / "bin/tilewright", "check-pass", "--keep=kept", file, writes], cwd=work, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, TMPDIR=str(temporary)))
    assert re.search(r"2 files, .* 1 differ", done.stdout), done.stdout
    assert [p.name for p in work.iterdir()] == ["kept"] and len(list((work / "kept").iterdir())) == 3
    assert not list(temporary.iterdir())
