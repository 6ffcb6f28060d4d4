"""`tilewright blame` and the verdict of `tilewright run --expect`: planted faults are found at their operation and stage, and reduced."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
LOST = ROOT / "examples/validate/lost-digits.mlir"
WRONG = ROOT / "examples/validate/wrong-decomposition.mlir"


def tilewright(*arguments, cwd=ROOT):
    return subprocess.run([BUILD.resolve() / "bin/tilewright", *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def first(text):
    """(line of the file, operation, operation of the device)"""
    m = re.search(r"first operation that left its bound: (\S+):(\d+):\d+: '(\S+)' \('(\S+)' on the device\)", text)
    return m and (Path(m[1]).read_text().splitlines()[int(m[2]) - 1].split(" =")[0].strip(), m[3], m[4])


def test_format_of_the_device(tmp_path):
    done = tilewright("blame", LOST, "--dtype=bf16", "-o", tmp_path / "small.mlir")
    assert done.returncode == 1 and first(done.stdout) == ("%3", "stablehlo.subtract", "ttnn.subtract"), done.stdout
    assert "stage: the device, which computes in bf16" in done.stdout
    small = (tmp_path / "small.mlir").read_text()
    assert sorted(re.findall(r"stablehlo\.\w+", small)) == ["stablehlo.add", "stablehlo.constant", "stablehlo.subtract"]
    again = tilewright("blame", tmp_path / "small.mlir", "--dtype=bf16", "--no-reduce")
    assert again.returncode == 1 and first(again.stdout)[1] == "stablehlo.subtract"
    assert tilewright("blame", LOST).returncode == 0


def test_pass(tmp_path):
    done = tilewright("blame", WRONG, "-o", tmp_path / "small.mlir")
    assert done.returncode == 1 and first(done.stdout) == ("%norm", "stablehlo.composite", "ttnn.rms_norm")
    assert "stage: StableHLO to TTIR: pass 'legalize-stablehlo-composite-to-ttir' changes the results of @main" in done.stdout
    assert "tanh" not in (tmp_path / "small.mlir").read_text()


def test_program_itself(tmp_path):
    """What is expected is of another program: no stage of the compiler is to blame."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype("f4") for s in ((32, 64), (64, 128), (128,), (128, 10), (10,))]
    file = (ROOT / "examples/mlp.mlir").read_text()
    shapes = re.findall(r"tensor<([\dx]+)xf32>", re.search(r"@main\((.*?)\) ->", file, re.S)[1])
    arrays = [rng.standard_normal([int(n) for n in shape.split("x")]).astype("f4") for shape in shapes]
    np.savez(tmp_path / "in.npz", **{f"in{i}": a for i, a in enumerate(arrays)})
    done = tilewright("run", "examples/mlp.mlir", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")["out0"]
    np.savez(tmp_path / "want.npz", out0=out)
    options = ["--inputs", tmp_path / "in.npz", "--expect", tmp_path / "want.npz"]
    done = tilewright("blame", "examples/mlp.mlir", *options)
    assert done.returncode == 0 and "nothing is off" in done.stdout, done.stdout
    np.savez(tmp_path / "want.npz", out0=out + 1)
    done = tilewright("blame", "examples/mlp.mlir", *options)
    assert done.returncode == 1 and "stage: the program itself" in done.stdout and "reduced" not in done.stdout
    done = tilewright("run", "examples/mlp.mlir", *options)
    assert done.returncode == 1 and "DIFFERS" in done.stdout and "what is expected is not what the program computes" in done.stdout


def test_verdict_names_the_operation(tmp_path):
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((8, 16)).astype("f4"), rng.standard_normal((16, 16)).astype("f4")
    np.savez(tmp_path / "in.npz", in0=x, in1=w)
    np.savez(tmp_path / "want.npz", out0=np.exp(np.tanh(x.astype("f8") @ w) ** 2).astype("f4"))
    options = [LOST, "--inputs", tmp_path / "in.npz", "--expect", tmp_path / "want.npz", "--atol=0.01"]
    done = tilewright("run", *options)
    assert done.returncode == 0 and "first operation" not in done.stdout, done.stdout
    done = tilewright("run", *options, "--dtype=bf16", f"--report=json:{tmp_path / 'report.json'}")
    assert done.returncode == 1 and first(done.stdout) == ("%3", "stablehlo.subtract", "ttnn.subtract"), done.stdout
    assert '"rule": "first operation"' in (tmp_path / "report.json").read_text()


def test_depth(tmp_path):
    """The first of many operations that are off: a chain whose k-th operation loses the digits."""
    for k in (1, 17, 30):
        lines = [f"  %{i} = " + (f"stablehlo.add %{i - 1}, %big : tensor<4x8xf32>" if i == k else
                                 f"stablehlo.subtract %{i - 1}, %big : tensor<4x8xf32>" if i == k + 1 else
                                 f"stablehlo.tanh %{i - 1} : tensor<4x8xf32>") for i in range(1, 33)]
        text = "\n".join(["func.func @main(%0: tensor<4x8xf32>) -> tensor<4x8xf32> {", "  %big = stablehlo.constant dense<300.0> : tensor<4x8xf32>",
                          *lines, "  return %32 : tensor<4x8xf32>", "}"])
        file = tmp_path / "chain.mlir"
        file.write_text(text)
        done = tilewright("blame", file, "--dtype=bf16", "--no-reduce")
        assert first(done.stdout) == (f"%{k + 1}", "stablehlo.subtract", "ttnn.subtract"), done.stdout
        assert f"the {k} compared before it agree" in done.stdout, done.stdout


@pytest.mark.parametrize("arguments, status, message", [
    (["no-such-file"], 2, "cannot open 'no-such-file'"),
    ([LOST, "--atol=x"], 2, "--atol x is no finite number"),
    ([LOST, "--entry=missing"], 2, "no function 'missing'"),
    ([LOST, "--dtype=bf16", "-o", "/no/such/folder/small.mlir"], 1, "cannot write"),
    ([LOST, "--inputs=missing.npz"], 2, "missing.npz"),
])
def test_wrong_use(arguments, status, message):
    done = tilewright("blame", *arguments)
    assert done.returncode == status and message in done.stderr + done.stdout, done.stderr


def test_program_without_a_reference(tmp_path):
    file = tmp_path / "ttir.mlir"
    file.write_text('func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = "ttir.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n'
                    '  %1 = "ttir.cumsum"(%0) <{dim = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>\n  return %1 : tensor<4xf32>\n}\n')
    done = tilewright("blame", file)
    assert done.returncode == 2 and "'ttir.cumsum' in line 3: it has no reference" in done.stderr
    assert "begin with the program in StableHLO, or compare with results of another program (tilewright run --expect)" in done.stderr


# ---- TTIR and TTNN ----------------------------------------------------------------------------------------------------------

def lowered(folder, file, *pipelines):
    out = folder / "lowered.mlir"
    subprocess.run([BUILD / "bin/ttmlir-opt", file, *pipelines, "-o", out], check=True)
    return out


def test_ttir(tmp_path):
    """Digits that bf16 loses, in a program that is TTIR already."""
    small = tmp_path / "small.mlir"
    file = lowered(tmp_path, LOST, "--stablehlo-to-ttir-pipeline")
    done = tilewright("blame", file, "--dtype=bf16", "-o", small)
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "ttir.subtract" in text)
    assert done.returncode == 1 and f"lowered.mlir:{line}:" in done.stdout and "'ttir.subtract' ('ttnn.subtract' on the device)" in done.stdout
    assert "stage: the device, which computes in bf16: no pass changes the results" in done.stdout
    assert small.stat().st_size < file.stat().st_size / 1.5 and "'ttir.subtract'" in tilewright("blame", small, "--dtype=bf16", "--no-reduce").stdout


def test_ttnn(tmp_path):
    file = lowered(tmp_path, ROOT / "examples/mlp.mlir", "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline")
    done = tilewright("blame", file)
    assert done.returncode == 0 and re.match(r"nothing is off: [1-9]\d* operations", done.stdout), done.stdout
    done = tilewright("blame", file, "--atol=0", "--rtol=0", "--no-reduce")  # sums in another order
    assert done.returncode == 1 and re.search(r"first operation that left its bound: \S+: 'ttnn\.(matmul|linear)' \('ttnn", done.stdout), done.stdout
