"""docs/exactness.md: its kernel gives the errors of its table, and its programs agree where it says so."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from tilewright import sim  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD") or Path(sim.__file__).parents[2])
PAGE = (ROOT / "docs/exactness.md").read_text()
ROWS = re.findall(r"^\| (f32|bf16)[^|]* \| (value|fidelity|bit) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)


def tool(*command):
    """What a tool writes to stderr."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def error(tmp_path_factory):
    """The page's function; kernels are read from a file."""
    file = tmp_path_factory.mktemp("page") / "depth.py"
    file.write_text(re.search(r"```python\n(.*?)```", PAGE, re.S)[1])
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["error"]


def test_the_table_is_whole():
    assert [row[:2] for row in ROWS] == [(dtype, level) for dtype in ("f32", "bf16") for level in ("value", "fidelity", "bit")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:2]))
def test_errors_of_a_deep_product(error, row):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[row[0]]
    for fidelity, shown in zip(("HiFi4", "HiFi2", "LoFi"), row[2:]):
        assert error(dtype, row[1], fidelity) == pytest.approx(float(shown), rel=0.06), fidelity


def test_a_program_and_its_binary_agree(tmp_path):
    """Without conversions to bf16 they give the same bytes."""
    program, lowered, binary = ROOT / "examples/mlp.mlir", tmp_path / "mlp.mlir", tmp_path / "mlp.ttnn"
    tool(BUILD / "bin/ttmlir-opt", "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline", program, "-o", lowered)
    tool(BUILD / "bin/ttmlir-translate", "--ttnn-to-flatbuffer", lowered, "-o", binary)
    results = []
    for file in (program, binary):
        assert "note" not in tool(BUILD / "bin/tilewright", "run", file, "--outputs", tmp_path / "out.npz")
        results.append(np.load(tmp_path / "out.npz")["out0"])
    assert np.array_equal(*results) and results[0].shape == (32, 10)
