"""Calls of ttnn's functions in each data type, layout and class of shapes against torch in f64 (docs/matrix.md)."""

import os
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402
import ttnn_matrix  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CELLS = list(ttnn_matrix.cells())
# A seventh of the cells has each function, data type, layout and shape.
CHOSEN = CELLS if os.environ.get("TILEWRIGHT_LONG") else CELLS[::7]


@pytest.fixture(scope="module")
def device():
    with ttnn.manage_device(device_id=0) as device:
        yield device


@pytest.mark.parametrize("name", ttnn_matrix.TOGETHER)
def test_cells(name, device):
    chosen = [cell for cell in CHOSEN if cell[0] == name]
    assert chosen and not {key: text for key, text in ttnn_matrix.run(device, chosen).items() if text}


def test_each_row_is_in_the_matrix():
    assert ttnn_matrix.missing() == []
    assert not set(ttnn_matrix.ELSEWHERE) & set(ttnn_matrix.TOGETHER)


def test_the_page_is_that_of_passing_cells():
    """All cells pass, so the page is the one that they give."""
    assert (ROOT / "docs/matrix.md").read_text() == ttnn_matrix.page(dict.fromkeys(CELLS, ""))


def test_cells_that_do_not_pass(device, monkeypatch):
    """A wrong reference, a wrong shape and a function that refuses are told apart."""
    key = ("exp", "bfloat16", "rows, L1", "not aligned")
    for reference, kind in ((torch.expm1, "off: by "), (lambda x: torch.exp(x)[:1], "off: shape (5, 37) in place of (1, 37)"), (torch.exp, "")):
        monkeypatch.setitem(ttnn_matrix.OPERATIONS, "exp", ttnn_matrix.Operation(reference, ttnn_matrix.FLOATS))
        assert ttnn_matrix.cell(*key, device).startswith(kind) and bool(ttnn_matrix.cell(*key, device)) == bool(kind)
    monkeypatch.setitem(ttnn_matrix.OPERATIONS, "exp", ttnn_matrix.Operation(torch.exp, ttnn_matrix.FLOATS, None, 3))
    assert ttnn_matrix.cell(*key, device).startswith("refused: ")
    assert "| 1 | off: by 3 |" in ttnn_matrix.page({key: "off: by 3"})
