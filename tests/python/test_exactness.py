"""docs/exactness.md: its kernel gives the errors of its table."""

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
PAGE = (Path(__file__).resolve().parents[2] / "docs/exactness.md").read_text()
ROWS = re.findall(r"^\| (f32|bf16)[^|]* \| (value|fidelity|bit) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)


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
